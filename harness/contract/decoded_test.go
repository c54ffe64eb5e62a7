package contract

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

var decodedPlantings = []Planting{
	{`v0 := planted.NewNotice(); v1 := planted.Bytes(2); v2, v3 := v0.Unmarshal(v1)`, "decode-encode"},
	{`v0 := planted.NewParcel(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
	{`v0 := planted.NewLetter(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
}

// packed are methods that read a pot from bytes and write it as text.
func packed(unpack func(p *pot, data string) error, pack func(p *pot) string) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return &pot{} },
		"(*T).Unpack([]byte) error", func(a []any) any { return many{unpack(po(a), string(a[1].([]byte)))} },
		"(*T).Pack() []byte", func(a []any) any { return []byte(pack(po(a))) })
}

var (
	unpackAll  = func(p *pot, data string) error { p.text = []byte(data); return nil }
	unpackSize = func(p *pot, data string) error { p.n = len(data); return nil }
	packAll    = func(p *pot) string { return string(p.text) }
	packSize   = func(p *pot) string { return strconv.Itoa(p.n) }
)

// unpackOnly reads one text.
func unpackOnly(text string, unpack func(p *pot, data string) error) func(p *pot, data string) error {
	return func(p *pot, data string) error {
		if data != text {
			return errors.New("no")
		}
		return unpack(p, data)
	}
}

var decodedCases = []lawCase{
	decodedCase("good", packed(unpackAll, packAll), true),
	decodedCase("less, once", packed(func(p *pot, data string) error { return unpackAll(p, data[:1]) }, packAll), true),
	decodedCase("another value", packed(unpackSize, func(p *pot) string { return "a" + packAll(p) + packSize(p) }), false),
	decodedCase("refused", packed(unpackOnly("abc", unpackSize), packSize), false),
	decodedCase("refused as it is", packed(unpackOnly("", unpackSize), packSize), true),
	decodedCase("refused of data that say nothing", packed(unpackOnly("abc", func(*pot, string) error { return nil }), packSize), true),
	decodedCase("in an order of chance", packed(unpackSize, func(p *pot) string { p.n++; return packSize(p) }), true),
}

func decodedCase(name string, bad map[string]func([]any) any, holds bool) lawCase {
	return lawCase{"decode-encode", name, "NewPot Bytes", bad, `NewPot(); Bytes("abc"); Unpack(v0, v1)`, holds}
}

// Data decoded over other data, which differ in a bit, leave nothing of those.
func TestDecodesOver(t *testing.T) {
	leaves := func(p *pot, data []byte) error {
		if data[0]%2 == 1 {
			p.n = 7
		}
		return nil
	}
	for _, tt := range []struct {
		name   string
		decode func(p *pot, data []byte) error
		encode func(p *pot) string // nil for none
		holds  bool
	}{
		{"anew", func(p *pot, data []byte) error { p.n = len(data); p.text = data; return nil }, nil, true},
		{"leaves a part", leaves, nil, false},
		{"leaves a part that is encoded", leaves, func(p *pot) string { return strconv.Itoa(p.n) }, false},
		{"leaves a part that is not encoded", leaves, func(p *pot) string { return string(p.text) }, true},
		{"leaves a part, encoded in an order of chance", leaves, func(p *pot) string { p.n++; return strconv.Itoa(p.n) }, true},
		{"adds", func(p *pot, data []byte) error { p.n += len(data); return nil }, nil, false},
		{"refuses all others", func(p *pot, data []byte) error {
			if p.n++; string(data) != "3$" {
				return errors.New("no")
			}
			return nil
		}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{tt.decode(po(a), a[1].([]byte))} })
			if tt.encode != nil {
				bad["(*T).MarshalText() ([]byte, error)"] = func(a []any) any { return many{[]byte(tt.encode(po(a))), nil} }
			}
			b, f := lawTable(t, "NewPot Bytes", bad)
			b.Add(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
			f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
			// The receiver is a zero value that the package never makes: the law looks at its own.
			s := boxed(b, `Zero(); Bytes("3$"); UnmarshalText(v0, v1)`)
			i := slices.IndexFunc(Laws(&b.Table), func(l Law) bool { return l.Name == "decode-over" })
			v, held := Laws(&b.Table)[i].Hold(f, &b.Table, s, true)
			if !held || (v == nil) != tt.holds {
				t.Fatalf("held %t, %+v, want it to hold: %t", held, v, tt.holds)
			}
			if v != nil && (v.Tier != engine.Suspect || !strings.Contains(v.Assert, `\x24`)) {
				t.Errorf("tier %v, assert %s", v.Tier, v.Assert)
			}
		})
	}
}
