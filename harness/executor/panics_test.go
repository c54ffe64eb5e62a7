package executor

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// The functions below panic in all ways there are; the test looks for their names.

type thrower struct {
	list []int
	m    map[string]int
	next *thrower
}

func (t *thrower) explicit()    { panic("explicit") }
func (t *thrower) index() int   { return t.list[len(t.list)] }
func (t *thrower) slice() []int { return t.list[len(t.list)+1:] }
func (t *thrower) nilMap()      { t.m["a"] = 1 }
func (t *thrower) deref() *thrower {
	return t.next.next
}
func (t *thrower) assert() int      { return any(t).(interface{ No() int }).No() }
func (t *thrower) divide(n int) int { return 1 / n }
func (t *thrower) helper()          { check(false) }
func (t *thrower) wrapped() {
	defer func() {
		if r := recover(); r != nil {
			panic(errors.New("wrapped"))
		}
	}()
	t.index()
}
func (t *thrower) closure() { func() { t.explicit() }() }

//go:noinline
func check(ok bool) {
	if !ok {
		panic("check")
	}
}

func generic[T any](list []T) T { return list[len(list)] }

func TestPanicFrames(t *testing.T) {
	x := newFixture(t, 1, 1, engine.Params{}).exec
	for _, tt := range []struct {
		name  string
		call  func(*thrower)
		value string // part of it
		first string // ends the name of the innermost frame
	}{
		{"explicit", (*thrower).explicit, "explicit", ".(*thrower).explicit"},
		{"index", func(v *thrower) { v.index() }, "index out of range [0] with length 0", ".(*thrower).index"},
		{"slice", func(v *thrower) { v.slice() }, "slice bounds out of range", ".(*thrower).slice"},
		{"nil map", (*thrower).nilMap, "assignment to entry in nil map", ".(*thrower).nilMap"},
		{"nil dereference", func(v *thrower) { v.deref() }, "nil pointer dereference", ".(*thrower).deref"},
		{"nil receiver", func(*thrower) { (*thrower)(nil).index() }, "nil pointer dereference", ".(*thrower).index"},
		{"assertion", func(v *thrower) { v.assert() }, "missing method No", ".(*thrower).assert"},
		{"division", func(v *thrower) { v.divide(0) }, "integer divide by zero", ".(*thrower).divide"},
		{"through a helper", (*thrower).helper, "check", ".check"},
		{"thrown again", (*thrower).wrapped, "wrapped", ".(*thrower).index"},
		{"in a closure", (*thrower).closure, "explicit", ".(*thrower).explicit"},
		{"generic", func(*thrower) { generic([]string{}) }, "index out of range", ".generic[...]"},
		{"panic(nil)", func(*thrower) { panic(nil) }, "panic called with nil argument", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x.panicked = panicRecord{}
			if x.call(func(in, out []any) { tt.call(new(thrower)) }, nil, nil) {
				t.Fatal("call of what panics reports that it returned")
			}
			if !x.panicked.set {
				t.Fatal("no panic is recorded")
			}
			got := ""
			switch v := x.panicked.value.(type) {
			case error:
				got = v.Error()
			case string:
				got = v
			}
			if !strings.Contains(got, tt.value) {
				t.Errorf("value %v, want … %q", x.panicked.value, tt.value)
			}
			frames := x.panicked.frames()
			if len(frames) == 0 || !strings.HasSuffix(frames[0].Func, tt.first) {
				t.Fatalf("frames %v, want the innermost to end in %q", frames, tt.first)
			}
			for _, f := range frames {
				if f.Func == StepFunc || strings.HasPrefix(f.Func, "runtime.") {
					t.Errorf("frame %s is not of the code under test: %v", f.Func, frames)
				}
				if f.Line <= 0 || !strings.HasSuffix(f.File, ".go") {
					t.Errorf("frame %+v has no place", f)
				}
			}
		})
	}
	if !x.call(func(in, out []any) {}, nil, nil) {
		t.Error("call of what returns reports a panic")
	}
}

// The record of one panic is not that of the next.
func TestPanicRecordIsReplaced(t *testing.T) {
	x := newFixture(t, 1, 1, engine.Params{}).exec
	deep := func(in, out []any) { new(thrower).closure() }
	x.call(deep, nil, nil)
	x.call(func(in, out []any) { new(thrower).index() }, nil, nil)
	var names []string
	for _, f := range x.panicked.frames() {
		names = append(names, f.Func)
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "closure") || strings.Contains(n, "explicit") }) {
		t.Errorf("frames of an earlier panic: %v", names)
	}
}

// Once a panic has shown where adapters are called, the frames outside of that are not recorded.
func TestPanicRecordEndsAtTheStep(t *testing.T) {
	x := newFixture(t, 1, 1, engine.Params{}).exec
	var down func(n int)
	down = func(n int) {
		if n == 0 {
			new(thrower).index()
		}
		down(n - 1)
	}
	for _, depth := range []int{1, 1, 30} {
		x.call(func(in, out []any) { down(depth) }, nil, nil)
		got := x.panicked.frames()
		if len(got) != depth+3 { // index, down and the adapter
			t.Errorf("at depth %d: %d frames, want %d: %v", depth, len(got), depth+3, got)
		}
	}
	x.call(func(in, out []any) { down(1) }, nil, nil)
	if f := runtime.FuncForPC(x.panicked.pcs[x.panicked.n-1]); f.Name() != StepFunc {
		t.Errorf("the outermost frame is %s, want %s", f.Name(), StepFunc)
	}
}

// The sides that the text of a panic takes, or a model, are not those of the sequence.
func TestSidesOfPanics(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	x := f.exec
	setModel(x, func(_, _ []any) { probe.Hits[9]++ })
	x.ops[opGet].adapter = func(_, _ []any) {
		probe.Hits[7]++
		panic(slowText{func(_, _ []any) { probe.Hits[8]++ }})
	}
	s := seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}}
	out, _ := engine.Execute(x, f.table, s, engine.RunOptions{})
	if got := out.Hits[7:10]; !bytes.Equal(got, []byte{1, 0, 0}) {
		t.Errorf("hits %v, want those of the step alone", got)
	}
}

type (
	color uint8
	name  string
	truth bool
	ratio float32
	names []string
)

func TestBox(t *testing.T) {
	for _, tt := range []struct {
		rt    reflect.Type
		value any
		want  any
	}{
		{reflect.TypeFor[int](), int64(-3), -3},
		{reflect.TypeFor[int8](), int64(-128), int8(-128)},
		{reflect.TypeFor[color](), uint64(255), color(255)},
		{reflect.TypeFor[uintptr](), uint64(7), uintptr(7)},
		{reflect.TypeFor[name](), "a\xff", name("a\xff")},
		{reflect.TypeFor[truth](), true, truth(true)},
		{reflect.TypeFor[ratio](), 0.5, ratio(0.5)},
		{reflect.TypeFor[complex64](), complex(1, 2), complex64(complex(1, 2))},
		{reflect.TypeFor[*thrower](), nil, (*thrower)(nil)},
		{reflect.TypeFor[names](), nil, names(nil)},
		{reflect.TypeFor[map[string]int](), nil, map[string]int(nil)},
		{reflect.TypeFor[func()](), nil, (func())(nil)},
		{reflect.TypeFor[chan int](), nil, (chan int)(nil)},
		{reflect.TypeFor[any](), nil, nil},
		{reflect.TypeFor[error](), nil, nil},
		{nil, int64(1), nil}, // a type without a name
	} {
		got := box(tt.rt, tt.value)
		same := reflect.DeepEqual(got, tt.want)
		if tt.rt != nil && tt.rt.Kind() == reflect.Func {
			same = reflect.TypeOf(got) == tt.rt && reflect.ValueOf(got).IsNil()
		}
		if !same {
			t.Errorf("box(%v, %#v) = %#v, want %#v", tt.rt, tt.value, got, tt.want)
		}
	}
}

// An interface that holds a nil of any kind is nil to the executor, one that
// holds a zero is not.
func TestIsNil(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{nil, true}, {(*thrower)(nil), true}, {map[string]int(nil), true}, {(func())(nil), true}, {(chan int)(nil), true},
		{0, false}, {"", false}, {false, false}, {struct{}{}, false}, {[]int(nil), false}, {[]int{}, false},
		{[0]int{}, false}, {thrower{}, false}, {0.0, false}, {new(thrower), false},
	} {
		if got := isNil(tt.v); got != tt.want {
			t.Errorf("isNil(%#v) = %v, want %v", tt.v, got, tt.want)
		}
	}
}
