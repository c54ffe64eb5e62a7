package blame

import (
	"errors"
	"iter"
	"math"
	"testing"
)

// catch returns the panic value of f.
func catch(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestClassesOfRealPanics pins the texts of the Go runtime that classes are told by.
func TestClassesOfRealPanics(t *testing.T) {
	var (
		none  *struct{ n int }
		nine  = 9
		neg   = -1
		zero  = 0
		s     = []int{1}
		m     map[string]int
		a     any = "x"
		slice any = []int{1}
		ch        = make(chan int)
		nilCh chan int
		seq   iter.Seq[int] = func(yield func(int) bool) { yield(1); yield(2) }
		swal  iter.Seq[int] = func(yield func(int) bool) {
			defer func() { recover() }()
			yield(1)
		}
	)
	close(ch)
	tests := []struct {
		name string
		f    func()
		want class
	}{
		{"nil dereference", func() { none.n++ }, nilDeref},
		{"index", func() { s[nine]++ }, indexRange},
		{"slice", func() { s = s[nine:] }, sliceRange},
		{"slice to array", func() { _ = [4]int(s) }, sliceRange},
		{"make slice", func() { s = make([]int, neg) }, alloc},
		{"make chan", func() { _ = make(chan int, neg) }, alloc},
		{"divide", func() { nine /= zero }, divide},
		{"shift", func() { nine <<= neg }, shift},
		{"assertion", func() { nine = a.(int) }, assertion},
		{"assertion of nil", func() { nine = any(nil).(int) }, assertion},
		{"hash", func() { _ = map[any]int{slice: 1} }, uncomparable},
		{"compare", func() { _ = slice == slice }, uncomparable},
		{"nil map", func() { m["x"] = 1 }, nilMap},
		{"send", func() { ch <- 1 }, closedChan},
		{"close twice", func() { close(ch) }, closedChan},
		{"close nil", func() { close(nilCh) }, nilDeref},
		{"iterator goes on", func() {
			for range seq {
				break
			}
		}, rangeFunc},
		{"iterator swallows a panic", func() {
			for range swal {
				panic(1)
			}
		}, rangeFunc},
		{"string", func() { panic("x") }, explicit},
		{"error", func() { panic(errors.New("x")) }, explicit},
		{"nil value", func() { panic(nil) }, explicit},
	}
	for _, test := range tests {
		v := catch(test.f)
		if v == nil {
			t.Errorf("%s: no panic", test.name)
			continue
		}
		if got := classify(v, TextOf(v)); got != test.want {
			t.Errorf("%s: %q is %q, want %q", test.name, TextOf(v), got, test.want)
		}
		if printed := printedPanic(TextOf(v)); test.want != explicit && classify(printed, string(printed)) != test.want {
			t.Errorf("%s: printed, %q is %q, want %q", test.name, printed, classify(printed, string(printed)), test.want)
		}
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		text   string
		nums   []int64
		length int64
	}{
		{"runtime error: index out of range [9] with length 3", []int64{9}, 3},
		{"runtime error: index out of range [-1]", []int64{-1}, -1},
		{"runtime error: slice bounds out of range [5:3]", []int64{5, 3}, -1},
		{"runtime error: slice bounds out of range [:7] with capacity 4", []int64{7}, 4},
		{"runtime error: index out of range [18446744073709551615] with length 1", []int64{-1}, 1},
	}
	for _, test := range tests {
		nums, length := bounds(test.text)
		checkEqual(t, test.text, nums, test.nums)
		checkEqual(t, test.text, length, test.length)
	}
}

func TestNormal(t *testing.T) {
	for in, want := range map[string]string{
		"bad key 17 at 0xc000012345": "bad key N at N",
		`unknown "a b" and 'c'`:      "unknown Q and Q",
		"can't be 1.5":               "can't be N",
		"got -3: want\n4":            "got N want N",
		`unterminated "abc`:          "unterminated Q",
		`flag "a\"=b" has "\\"`:      "flag Q has Q",
		"snow ☃ man":                 "snow man",
		"v2 of int64 stays":          "vN of intN stays",
	} {
		checkEqual(t, in, normal(in), want)
	}
	if got := normal(string(make([]byte, 1000)) + "x"); len(got) > 60 {
		t.Errorf("%d bytes", len(got))
	}
}

type namedString string
type namedInt int
type badError struct{ p *int }

func (e badError) Error() string { return string(rune(*e.p)) }

func TestText(t *testing.T) {
	tests := []struct {
		v    any
		want string
	}{
		{"x", "x"}, {namedString("y"), "y"}, {errors.New("e"), "e"}, {namedInt(-3), "-3"}, {uint8(4), "4"}, {nil, "nil"},
		{struct{}{}, "value of type struct {}"}, {badError{}, "blame.badError"},
	}
	for _, test := range tests {
		checkEqual(t, "text", TextOf(test.v), test.want)
	}
}

func TestDescribe(t *testing.T) {
	var nilMap map[int]int
	var nilSlice []int
	var nilFunc func()
	tests := []struct {
		name string
		v    any
		want ArgFact
	}{
		{"nil", nil, ArgFact{Nil: true}},
		{"nil map", nilMap, ArgFact{Nil: true}},
		{"nil func", nilFunc, ArgFact{Nil: true}},
		{"nil pointer", (*int)(nil), ArgFact{Nil: true}},
		{"a nil slice is an empty one", nilSlice, ArgFact{}},
		{"named int", namedInt(3), ArgFact{Value: int64(3)}},
		{"uint", uint(3), ArgFact{Value: uint64(3)}},
		{"float", math.Inf(1), ArgFact{Value: math.Inf(1)}},
		{"bool", true, ArgFact{Value: true}},
		{"string", "abc", ArgFact{Value: "abc", Len: 3}},
		{"slice", []int{1, 2}, ArgFact{Len: 2}},
		{"pointer to a slice", &[]int{1, 2}, ArgFact{Len: 2}},
		{"pointer", new(int), ArgFact{}},
	}
	for _, test := range tests {
		checkEqual(t, test.name, Describe(test.v), test.want)
	}
}
