package seq

import (
	"math"
	"strings"
	"testing"
)

// drawPool returns literals as a pool: Pool is their place plus one.
func (d draw) drawPool(n int) []*Literal {
	var pool []*Literal
	for len(pool) < n {
		if l := d.literal(TypeID(1 + d.IntN(len(d.Types)-1))); l != nil {
			l.Pool = uint32(len(pool) + 1)
			pool = append(pool, l)
		}
	}
	return pool
}

// usePool replaces some literals of s by those of the pool with the same type.
func (d draw) usePool(s Sequence, pool []*Literal) {
	for _, st := range s {
		for i, a := range st.Args {
			for _, l := range pool {
				if a.Lit != nil && l.Type == a.Lit.Type && d.IntN(2) == 0 {
					st.Args[i] = Lit(l)
				}
			}
		}
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	f := newFixture()
	d := newDraw(t, f)
	pool := d.drawPool(300)
	for range 2000 {
		s := d.sequence(d.IntN(20))
		d.usePool(s, pool)
		got, err := DecodeBinary(f.Table, pool, AppendBinary(nil, s))
		if err != nil {
			t.Fatalf("%v in\n%s", err, f.String(s))
		}
		if !got.Equal(s) {
			t.Fatalf("got\n%swant\n%s", f.String(got), f.String(s))
		}
		var journal []byte
		for _, st := range s {
			journal = AppendStep(journal, st)
		}
		if got, err = DecodeSteps(f.Table, pool, journal); err != nil || !got.Equal(s) {
			t.Fatalf("journal: got\n%s, %v, want\n%s", f.String(got), err, f.String(s))
		}
	}
}

func TestDecodedLiteralsAreOfThePool(t *testing.T) {
	f := newFixture()
	pool := []*Literal{{Type: f.types["int"], Value: int64(3), Pool: 1}}
	s := Sequence{{Op: f.ops["queue.New($0)"], Args: []Arg{Lit(pool[0])}}}
	got, err := DecodeBinary(f.Table, pool, AppendBinary(nil, s))
	if err != nil || got[0].Args[0].Lit != pool[0] {
		t.Errorf("got %v, %v, want the literal of the pool", got, err)
	}
}

func TestDecodeErrors(t *testing.T) {
	f := newFixture()
	newQueue := byte(f.ops["queue.New($0)"])
	floats := byte(f.ops["queue.Floats($0, $1, $2, $3)"])
	intType, float32Type, int8Type := byte(f.types["int"]), byte(f.types["float32"]), byte(f.types["int8"])
	for _, test := range []struct {
		name string
		in   string
		want string
	}{
		{"empty", "", "seq: byte 0: ends too early"},
		{"more steps than bytes", "\x80\x20\x00", "seq: byte 2: 4096 steps in 1 bytes"},
		{"many steps", "\x91\x4e\x00", "seq: byte 2: 10001 for steps, want at most 10000"},
		{"more arguments than bytes", string([]byte{1, newQueue, 5}), "seq: byte 3: 5 arguments in 0 bytes"},
		{"no literal", string([]byte{1, newQueue, 1, 2<<1 | 1}), "seq: byte 4: literal 1 of a pool of 1"},
		{"no slot", string([]byte{1, newQueue, 1, 0}), "seq: step 1: queue.New($0): argument 1: no value 0"},
		{"no operation", string([]byte{1, 127, 0}), "seq: step 1: operation 127, want less than "},
		{"no type", string([]byte{1, newQueue, 1, 1, 126, codeNil}), "seq: step 1: queue.New($0): argument 1: literal of unknown type 126"},
		{"no kind", string([]byte{1, newQueue, 1, 1, intType, 9}), "seq: byte 6: 9 for a kind of value, want at most 7"},
		{"wrong kind", string([]byte{1, newQueue, 1, 1, intType, codeTrue}), "seq: step 1: queue.New($0): argument 1: literal true (bool) is not a value of type int"},
		{"long string", string([]byte{1, newQueue, 1, 1, intType, codeString, 200, 1}), "seq: byte 8: a string of 200 bytes in 0"},
		{"short float", string([]byte{1, newQueue, 1, 1, intType, codeFloat, 0}), "seq: byte 6: ends too early"},
		{"too many bits", string([]byte{1, newQueue, 1, 1, int8Type, codeInt, 0x80, 0x02}), "seq: byte 8: 128 is no int8"},
		{"too precise", string([]byte{1, floats, 4, 1, float32Type, codeFloat, 1, 0, 0, 0, 0, 0, 0xf0, 0x3f}), "seq: byte 14: 1.0000000000000002 is no float32"},
		{"long varint", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "seq: byte 0: a number of more than 64 bits"},
		{"truncated varint", "\x80", "seq: byte 0: ends too early"},
		{"trailing", "\x00\x00", "seq: byte 1: 1 bytes behind the last step"},
		{"long", strings.Repeat("\x00", MaxBytes+1), "seq: binary form of 1048577 bytes, want at most 1048576"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := DecodeBinary(f.Table, []*Literal{{Type: 1, Value: true, Pool: 1}}, []byte(test.in))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, %v\nwant %s", s, err, test.want)
			}
		})
	}
}

func TestAppendStepAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 64)
	st := Step{Op: 300, Args: []Arg{Slot(3), Lit(&Literal{Pool: 70}), Lit(&Literal{Type: 1, Value: math.Pi})}}
	if n := testing.AllocsPerRun(100, func() { buf = AppendStep(buf[:0], st) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func FuzzDecodeBinary(f *testing.F) {
	fix := newFixture()
	pool := []*Literal{{Type: fix.types["int"], Value: int64(3), Pool: 1}, {Type: fix.types["any"], Pool: 2}}
	for _, text := range []string{
		"v0 := queue.New(2); v0.Put(int8(3)); v1, v1b := v0.Get()",
		"queue.Floats(float32(math.Inf(1)), 1e300, complex64(complex(0.1, math.Copysign(0, -1))), 2i)",
		"v0 := []any{nil, true, uint8(3), \"abc\"}",
	} {
		s, err := fix.Parse(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(AppendBinary(nil, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeBinary(fix.Table, pool, b)
		if err != nil {
			return
		}
		if err := s.Check(fix.Table); err != nil {
			t.Fatal(err)
		}
		again, err := DecodeBinary(fix.Table, pool, AppendBinary(nil, s))
		if err != nil || !again.Equal(s) {
			t.Fatalf("%s: reads as %s, %v", fix.String(s), fix.String(again), err)
		}
		text := fix.String(s)
		if parsed, err := fix.Parse(text); err != nil || fix.String(parsed) != text {
			t.Fatalf("text %s: reads as %s, %v", text, fix.String(parsed), err)
		}
	})
}
