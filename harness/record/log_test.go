package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// tempLog returns a log in a file, and what reads its events.
func tempLog(t *testing.T) (*log, func() []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "record")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return newLog(f), func() []string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return texts(data)
	}
}

// texts returns the events of a record: "E 1 3: int 5" is the entry of call 1 of function 3.
// A value is its type and content, with #n if it is object n.
func texts(data []byte) (list []string) {
	d := &decoder{data: data, types: []string{"nil"}}
	for len(d.data) > 0 {
		size := int(d.uint())
		end := len(d.data) - size
		kind := d.byte()
		call, function, _ := d.uint(), d.uint(), d.uint()
		var values []string
		for range d.uint() {
			values = append(values, d.value())
		}
		if len(d.data) != end {
			return append(list, fmt.Sprintf("event of %d bytes, %d left", size, len(d.data)-end))
		}
		list = append(list, fmt.Sprintf("%c %d %d: %s", kind, call, function, strings.Join(values, ", ")))
	}
	return list
}

type decoder struct {
	data  []byte
	types []string
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	d.data = d.data[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.data)
	d.data = d.data[size:]
	return n
}

func (d *decoder) byte() byte { return d.bytes(1)[0] }

func (d *decoder) bytes(n int) []byte {
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) text() string { return string(d.bytes(int(d.uint()))) }

func (d *decoder) value() string {
	n := int(d.uint())
	if n == len(d.types) {
		d.types = append(d.types, d.text())
	}
	typ, tag := d.types[n], d.byte()
	object := ""
	if strings.IndexByte("stlmrpFoT", tag) >= 0 {
		if id := d.uint(); id != 0 {
			object = fmt.Sprintf(" #%d", id)
		}
	}
	return strings.TrimSpace(typ + object + " " + d.content(tag))
}

func (d *decoder) content(tag byte) string {
	switch tag {
	case TagNil, TagObject:
		return string(tag)
	case TagUnknown:
		return "?"
	case TagBool:
		return fmt.Sprint(d.byte() != 0)
	case TagInt, TagTime:
		return fmt.Sprint(d.int())
	case TagUint:
		return fmt.Sprint(d.uint())
	case TagFloat:
		return fmt.Sprint(math.Float64frombits(d.uint()))
	case TagComplex:
		return fmt.Sprint(complex(math.Float64frombits(d.uint()), math.Float64frombits(d.uint())))
	case TagString, TagText:
		return fmt.Sprintf("%q", d.text())
	case TagWrapped:
		return fmt.Sprintf("%q in ", d.text()) + d.value()
	case TagFunc:
		return d.text() + " " + filepath.Base(d.text()) + fmt.Sprintf(" %v", d.uint() > 0)
	case TagPointer:
		return "&" + d.value()
	}
	var parts []string
	for range d.uint() {
		switch tag {
		case TagMap:
			parts = append(parts, d.value()+": "+d.value())
		case TagStruct:
			parts = append(parts, d.text()+": "+d.value())
		default:
			parts = append(parts, d.value())
		}
	}
	if tag == TagStruct && d.byte() == 0 {
		parts = append(parts, "more")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

type (
	pair struct {
		A int
		b int
	}
	inner struct{ N int }
	outer struct {
		inner
		Name string
	}
	node   struct{ Next *node }
	hidden struct{ n int }
	slow   struct{ R io.Reader }
)

func (s slow) Read(b []byte) (int, error) { return s.R.Read(b[:1]) }

func twice(x int) int { return 2 * x }

//go:noinline
func add(n int) func(int) int { return func(x int) int { return x + n } }

// TestValues shows how each kind of value is written.
func TestValues(t *testing.T) {
	long := strings.Repeat("x", MaxText+1)
	deep := &node{}
	for range maxDepth {
		deep = &node{deep}
	}
	var nothing *pair
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"nil", nil, "nil n"},
		{"bool", true, "bool true"},
		{"negative", int8(-128), "int8 -128"},
		{"smallest", int64(math.MinInt64), "int64 -9223372036854775808"},
		{"uint", uint64(math.MaxUint64), "uint64 18446744073709551615"},
		{"float", float32(1.5), "float32 1.5"},
		{"negative zero", math.Copysign(0, -1), "float64 -0"},
		{"complex", 1 + 2i, "complex128 (1+2i)"},
		{"short string", "seven b", `string "seven b"`},
		{"string", "eight by", `string #1 "eight by"`},
		{"long string", long, fmt.Sprintf("string #1 %q", long[:MaxText])},
		{"bytes", []byte("ab"), `[]uint8 #1 "ab"`},
		{"long bytes", []byte(long), fmt.Sprintf("[]uint8 #1 %q", long[:MaxText])},
		{"no bytes", []byte{}, `[]uint8 ""`},
		{"slice", []any{1, nil}, "[]interface {} #1 {int 1, nil n}"},
		{"array", [2]bool{true}, "[2]bool {bool true, bool false}"},
		{"map", map[string]int{"a": 1}, `map[string]int #1 {string "a": int 1}`},
		{"nil map", map[string]int(nil), "map[string]int n"},
		{"nil pointer", nothing, `*"foray.test/harness/record".pair n`},
		{"zero struct", pair{}, `"foray.test/harness/record".pair {A: int 0}`},
		{"struct", pair{1, 0}, `"foray.test/harness/record".pair {A: int 1}`},
		{"hidden field", pair{1, 2}, `"foray.test/harness/record".pair {A: int 1, more}`},
		{"pointer", &pair{1, 0}, `*"foray.test/harness/record".pair #1 &"foray.test/harness/record".pair {A: int 1}`},
		{"function", twice, "func(int) int #1 foray.test/harness/record.twice log_test.go true"},
		{"channel", make(chan int), "chan int #1 o"},
		{"time", time.Unix(-5, 0), `"time".Time -5`},
		{"reader", strings.NewReader("text"), `*"strings".Reader #1 "text"`},
		{"buffer", bytes.NewBufferString("text"), `*"bytes".Buffer #1 "text"`},
		{"long reader", strings.NewReader(long), fmt.Sprintf(`*"strings".Reader #1 %q`, long[:MaxText])},
		{"reader of a reader", iotest.HalfReader(strings.NewReader("text")), `nil "text" in *"testing/iotest".halfReader #1 &"testing/iotest".halfReader {more}`},
		{"struct with a reader", slow{bufio.NewReader(strings.NewReader("text"))}, `nil "text" in "foray.test/harness/record".slow {R: *"bufio".Reader #1 &"bufio".Reader {more}}`},
	} {
		l, read := tempLog(t)
		if !l.event(Entered, &Call{number: 1, function: 3}, []any{tt.value}) {
			t.Errorf("%s: not written", tt.name)
		}
		want := []string{"E 1 3: " + strings.ReplaceAll(tt.want, "interface {}", "any")}
		if got := read(); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, want)
		}
	}
	l, read := tempLog(t)
	l.event(Entered, &Call{}, []any{deep, make([]int8, MaxElems+1)})
	got := read()[0]
	if !strings.Contains(got, ".node ?") || strings.Count(got, ".node #") != maxDepth/2+1 {
		t.Errorf("a list of %d nodes: %s", maxDepth+1, got)
	}
	if n := strings.Count(got, "int8 0"); n != MaxElems {
		t.Errorf("%d elements of a long slice, want %d", n, MaxElems)
	}
}

// TestLongText shows that a long text is written once for an object.
func TestLongText(t *testing.T) {
	long := strings.Repeat("x", longText+1)
	l, read := tempLog(t)
	l.event(Entered, &Call{}, []any{long})
	l.event(Entered, &Call{}, []any{long})
	if got, want := read(), []string{fmt.Sprintf("E 0 0: string #1 %q", long), "E 0 0: string #1 o"}; !slices.Equal(got, want) {
		t.Errorf("events %.100q, want %.100q", got, want)
	}
}

// TestReaderMoved shows that the text of a reader is what it has yet to read, and that
// looking reads nothing.
func TestReaderMoved(t *testing.T) {
	r := strings.NewReader("text")
	r.ReadByte()
	l, read := tempLog(t)
	l.event(Entered, &Call{}, []any{r})
	l.event(Entered, &Call{}, []any{r})
	if got, want := read(), `E 0 0: *"strings".Reader #1 "ext"`; !slices.Equal(got, []string{want, want}) {
		t.Errorf("events %q, want twice %q", got, want)
	}
}

// objects returns the number of each value that is an object, 0 of others. All but the last
// are results.
func objects(t *testing.T, values ...any) (list []int) {
	t.Helper()
	l, read := tempLog(t)
	l.event(Returned, &Call{}, values[:len(values)-1])
	l.event(Entered, &Call{}, values[len(values)-1:])
	for _, e := range read() {
		_, e, _ = strings.Cut(e, ": ")
		for v := range strings.SplitSeq(e, ", ") {
			n := 0
			if _, after, ok := strings.Cut(v, "#"); ok {
				fmt.Sscan(after, &n)
			}
			list = append(list, n)
		}
	}
	return list
}

// TestIdentity shows which values are one object.
func TestIdentity(t *testing.T) {
	p, text, list := new(int), strings.Repeat("ab", 8), []byte("ab")
	o := &outer{Name: "o"}
	for _, tt := range []struct {
		name   string
		values []any
		same   bool
	}{
		{"a pointer", []any{p, p}, true},
		{"equal pointers", []any{new(int), new(int)}, false},
		{"a string", []any{text, text}, true},
		{"a part of a string", []any{text, text[:10]}, false},
		{"an equal string elsewhere", []any{text, strings.Clone(text)}, false},
		{"a slice", []any{list, list}, true},
		{"a part of a slice", []any{list, list[:1]}, false},
		{"a slice and the pointer to its first element", []any{list, &list[0]}, false},
		{"a struct that was a result", []any{hidden{2}, hidden{2}}, true},
		{"another struct", []any{hidden{2}, hidden{3}}, false},
		{"an embedded struct", []any{o, &o.inner}, true},
		{"a function", []any{add(1), add(1)}, false},
		{"what a pointer leads to that was a result", []any{&hidden{4}, hidden{4}}, true},
	} {
		if got := objects(t, tt.values...); got[0] == 0 || (got[0] == got[1]) != tt.same {
			t.Errorf("%s: objects %d, same should be %v", tt.name, got, tt.same)
		}
	}
	// An argument that is no result has no number: an equal struct is not the same.
	if got := objects(t, 1, hidden{2}); got[1] != 0 {
		t.Errorf("an argument is object %d", got[1])
	}
	if got := objects(t, new(struct{}), new(struct{})); got[0] != 0 {
		t.Errorf("an object without size is %d", got[0])
	}
}

// TestForget shows that objects are forgotten when too many are kept alive, and get new numbers.
func TestForget(t *testing.T) {
	l, _ := tempLog(t)
	p := new(int)
	first := l.object(identity{data: nil, len: 1}, p)
	l.forget()
	if n := l.object(identity{data: nil, len: 1}, p); n != first {
		t.Errorf("forgot with %d objects", len(l.pins))
	}
	l.pins = append(l.pins, make([]any, maxPinned)...)
	l.forget()
	if n := l.object(identity{data: nil, len: 1}, p); n == first || len(l.pins) != 1 {
		t.Errorf("did not forget: object %d again, %d kept", n, len(l.pins))
	}
}

// TestBadValue shows that a value which cannot be looked at costs its event alone: a type
// that the event named is named again.
func TestBadValue(t *testing.T) {
	events := recording(t)
	c := &Call{number: 1}
	c.Take(pair{}, new(os.File)) // ReadAt of a zero file panics
	c.Take(pair{})
	if got, want := events(), `E 1 0: "foray.test/harness/record".pair {A: int 0}`; !slices.Equal(got, []string{want}) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// TestFull shows that a record which is full, or whose file takes nothing more, ends.
func TestFull(t *testing.T) {
	for name, spoil := range map[string]func(){
		"full":   func() { out.bytes = maxFile - 4 },
		"closed": func() { out.file.Close() },
	} {
		events := recording(t)
		c := &Call{number: 1}
		c.Take(1)
		spoil()
		c.Take(2)
		if on.Load() {
			t.Errorf("%s: still recording", name)
		}
		if got := events(); len(got) != 1 {
			t.Errorf("%s: events %q, want one", name, got)
		}
	}
}

type generic[K, V any] struct{}

func TestTypeText(t *testing.T) {
	const here = `"foray.test/harness/record".`
	for want, typ := range map[string]reflect.Type{
		"int":                          reflect.TypeFor[int](),
		"error":                        reflect.TypeFor[error](),
		"any":                          reflect.TypeFor[any](),
		`[]*"time".Time`:               reflect.TypeFor[[]*time.Time](),
		`map["time".Duration][]string`: reflect.TypeFor[map[time.Duration][]string](),
		here + "generic[int,string]":   reflect.TypeFor[generic[int, string]](),
		here + `generic["time".Time,*` + here + `pair]`: reflect.TypeFor[generic[time.Time, *pair]](),
	} {
		if got := TypeText(typ); got != want {
			t.Errorf("%v: %s, want %s", typ, got, want)
		}
	}
}
