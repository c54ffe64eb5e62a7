package observe

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
	"time"
)

type (
	inner struct{ N, hidden int }
	outer struct {
		inner
		Name  string
		Next  *outer
		Any   any
		F     func()
		times int
	}
	opaque  struct{ n int }
	talker  struct{ n int }
	badErr  struct{}
	grown   struct{ A, B int }
	smaller struct{ A int }
)

func (talker) String() string { panic("a String method of the package under test is not called") }
func (badErr) Error() string  { panic("no text") }

func pointer[T any](v T) *T { return &v }

func TestOf(t *testing.T) {
	cycle := &outer{Name: "c"}
	cycle.Next = cycle
	for _, test := range []struct {
		name string
		v    any
		want string
	}{
		{"nil", nil, "nil"},
		{"int", -3, "-3"},
		{"string", "a\n", `"a\n"`},
		{"named string", reflect.ChanDir(1).String(), `"<-chan"`},
		{"address in a string", "at 0xc000012345 now", `"at 0x… now"`},
		{"float", 1.5, "1.5"},
		{"NaN", math.NaN(), "NaN"},
		{"nil slice", []int(nil), "nil"},
		{"empty slice", []int{}, "[]"},
		{"slice of pointers", []*int{pointer(1), nil}, "[1, nil]"},
		{"map", map[string]int{"b": 2, "a": 1}, `{"a": 1, "b": 2}`},
		{"error", errors.New("bad"), `error("bad")`},
		{"wrapped error", fmt.Errorf("at %p: %w", &cycle, errors.New("bad")), `error("at 0x…: bad")`},
		{"error that panics", badErr{}, `error("(panics)")`},
		{"nil error in a slice", []error{nil}, "[nil]"},
		{"exported fields that are not zero", outer{Name: "x", times: 3}, `{Name: "x"}`},
		{"embedded", outer{inner: inner{N: 1, hidden: 2}}, "{inner: {N: 1}}"},
		{"interface field", outer{Any: 3}, "{Any: 3}"},
		{"function field", outer{F: func() {}}, "{}"},
		{"opaque", &opaque{3}, "{…}"},
		{"String of another package's type", talker{3}, "{…}"},
		{"time", time.Unix(0, 0).UTC(), `"1970-01-01 00:00:00 +0000 UTC"`},
		{"big", big.NewInt(12), `"12"`},
		{"buffer", bytes.NewBufferString("x"), `"x"`},
		{"nil pointer", (*opaque)(nil), "nil"},
	} {
		o := New("foray.test/harness/observe")
		if got := o.Of(test.v).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if got := string(o.Append(nil, test.v)); got != test.want {
			t.Errorf("%s: Append gives %s, want %s", test.name, got, test.want)
		}
	}
	if got := New("").Of(cycle).String(); len(got) > 1<<10 {
		t.Errorf("a cycle takes %d bytes", len(got))
	}
}

// A field that one version has added, or laid out in another way, is not seen until
// it is set.
func TestLayout(t *testing.T) {
	o := New("")
	if a, b := o.Of(grown{A: 1}).String(), o.Of(smaller{1}).String(); a != b {
		t.Errorf("%s and %s differ", a, b)
	}
	if a, b := o.Of(grown{1, 2}).String(), o.Of(smaller{1}).String(); a == b {
		t.Errorf("%s is all of %v", a, grown{1, 2})
	}
}

// The order of a map's entries does not affect the observation, even with
// limits.
func TestMapOrder(t *testing.T) {
	m := map[int][]int{}
	for i := range 60 {
		m[i] = make([]int, i)
	}
	o := New("")
	want := o.Of(m).String()
	for range 20 {
		if got := o.Of(m).String(); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// A map that holds itself several times has more parts than can be looked at.
func TestMapOfItself(t *testing.T) {
	for n, cut := range map[int]bool{2: false, 5: true} {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprint(i)] = m
		}
		o := New("")
		of, appended := o.Of(m).String(), string(o.Append(nil, m))
		if (of == "…") != cut || of != appended {
			t.Errorf("a map that holds itself %d times: %d bytes, then %d; want them cut: %t", n, len(of), len(appended), cut)
		}
	}
}

func TestChanges(t *testing.T) {
	o := New("")
	for _, test := range []struct {
		v    any
		want bool
	}{
		{1, false}, {"s", false}, {[]int{1}, true}, {&opaque{}, false}, {&inner{}, true}, {map[string]int{}, true}, {func() {}, false},
		{&bytes.Buffer{}, true},
	} {
		if got := o.Changes(reflect.TypeOf(test.v)); got != test.want {
			t.Errorf("Changes(%T) = %v, want %v", test.v, got, test.want)
		}
	}
}

// Append is Of's text, and equal values have equal text.
func TestAppendIsOf(t *testing.T) {
	type value struct {
		A []int
		B map[string]*grown
		C *[2]bool
		E []string
	}
	type whole struct {
		V value
		D any
	}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	o := New("")
	check := func(v value, n int, s string) bool {
		w := whole{v, n}
		a, b := string(o.Append(nil, w)), o.Of(w).String()
		return a == b && string(o.Append(nil, &w)) == a && string(o.Append([]byte("x"), s)) == "x"+o.Of(s).String()
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 200, Rand: rand.New(rand.NewSource(seed))}); err != nil {
		t.Error(err)
	}
}
