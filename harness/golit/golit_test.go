package golit

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

type (
	level  int8
	point  struct{ X, Y int }
	nested struct {
		Name string
		At   []point
	}
	hidden struct{ x int }
	codeIs struct{ code int }
	node   struct{ Next *node }
)

func (codeIs) String() string { return "a code" }

var errOwn = errors.New("own")

// values are of types that the table names, as package p has them, but for hidden.
var values = []any{level(0), point{}, nested{}, codeIs{}, &node{}, []point{}, map[string]int{}, []string{}, []byte{}, 0, "", 0.5, float32(0), true, int8(0), [][]int{}, [2]bool{}, time.Time{}, &big.Int{}, []any{}, []int{}, map[string]any{}}

func newWriter() (*Writer, *seq.Table) {
	t := &seq.Table{Package: "example.com/p", Name: "p", Types: make([]seq.Type, 3)}
	t.Types[1] = seq.Type{Name: "any", Interface: true, Nilable: true}
	t.Types[2] = seq.Type{Name: "error", Interface: true, Nilable: true, Form: seq.Form{Std: seq.StdError}}
	types := []reflect.Type{nil, reflect.TypeFor[any](), reflect.TypeFor[error]()}
	for _, v := range values {
		rt := reflect.TypeOf(v)
		name := strings.NewReplacer("golit.", "p.", "interface {}", "any").Replace(rt.String())
		k := rt.Kind()
		t.Types = append(t.Types, seq.Type{Name: name, Nilable: k == reflect.Pointer || k == reflect.Slice || k == reflect.Map})
		types = append(types, rt)
	}
	return NewWriter(t, types, []Sentinel{{"p.ErrOwn", errOwn}}), t
}

func TestResult(t *testing.T) {
	w, table := newWriter()
	id := func(v any) seq.TypeID {
		if i, ok := w.ids[reflect.TypeOf(v)]; ok {
			return i
		}
		return 0
	}
	table.Types[0] = seq.Type{Name: "hidden", Hidden: true}
	const inAny, inError seq.TypeID = 1, 2
	for _, test := range []struct {
		name string
		ty   seq.TypeID
		v    any
		how  regression.How
		text string
	}{
		{"int", id(0), -3, regression.Equal, "-3"},
		{"string", id(""), "a\n", regression.Equal, `"a\n"`},
		{"string with an address", id(""), "at 0xc000012345", regression.Len, "15"},
		{"long string", id(""), strings.Repeat("x", 1000), regression.Len, "1000"},
		{"named integer", id(level(0)), level(3), regression.Equal, "3"},
		{"float", id(0.5), 2.0, regression.Equal, "2.0"},
		{"no number", id(0.5), math.NaN(), regression.NaN, ""},
		{"infinite", id(0.5), math.Inf(-1), regression.Equal, "math.Inf(-1)"},
		{"nil in an interface", inAny, nil, regression.Nil, ""},
		{"nil pointer in an interface", inAny, (*node)(nil), regression.None, ""},
		{"int in an interface", inAny, 3, regression.Equal, "3"},
		{"int8 in an interface", inAny, int8(3), regression.Equal, "int8(3)"},
		{"float in an interface", inAny, 3.0, regression.Equal, "3.0"},
		{"named integer in an interface", inAny, level(3), regression.Equal, "p.level(3)"},
		{"slice in an interface", inAny, []int{1}, regression.Deep, "[]int{1}"},
		{"empty slice in an interface", inAny, []int{}, regression.Deep, "[]int{}"},
		{"struct", id(point{}), point{X: 1}, regression.Equal, "p.point{X: 1}"},
		{"struct with a slice", id(nested{}), nested{"n", []point{{1, 2}}}, regression.None, ""},
		{"unexported field", 0, hidden{1}, regression.None, ""},
		{"unexported field with a String method", id(codeIs{}), codeIs{3}, regression.Printed, `"a code"`},
		{"slice", id([]string{}), []string{"a", "b"}, regression.Slice, `[]string{"a", "b"}`},
		{"slice of structs", id([]point{}), []point{{1, 0}}, regression.Slice, "[]p.point{p.point{X: 1}}"},
		{"slice of slices", id([][]int{}), [][]int{{1}, nil}, regression.Deep, "[][]int{[]int{1}, nil}"},
		{"slice of anything", id([]any{}), []any{1, "a", int8(2), nil}, regression.Slice, `[]any{1, "a", int8(2), nil}`},
		{"slice of slices in interfaces", id([]any{}), []any{[]int{1}}, regression.Deep, `[]any{[]int{1}}`},
		{"map of slices in interfaces", id(map[string]any{}), map[string]any{"a": []int{1}}, regression.Deep, `map[string]any{"a": []int{1}}`},
		{"nil slice", id([]string{}), []string(nil), regression.Nil, ""},
		{"empty slice", id([]string{}), []string{}, regression.Len, "0"},
		{"long slice", id([]int{}), make([]int, 100), regression.Len, "100"},
		{"text in bytes", id([]byte{}), []byte(`{"a":1}`), regression.Bytes, "`{\"a\":1}`"},
		{"no text in bytes", id([]byte{}), []byte{0, 255}, regression.Slice, "[]uint8{0, 255}"},
		{"map", id(map[string]int{}), map[string]int{"b": 2, "a": 1}, regression.Map, `map[string]int{"a": 1, "b": 2}`},
		{"array", id([2]bool{}), [2]bool{true}, regression.Equal, "[2]bool{true, false}"},
		{"pointer", id(&node{}), &node{}, regression.NotNil, ""},
		{"standard type with a String method", id(&big.Int{}), big.NewInt(12), regression.Printed, `"12"`},
		{"time", id(time.Time{}), time.Unix(0, 0).UTC(), regression.Printed, `"1970-01-01 00:00:00 +0000 UTC"`},
		{"time of a clock", id(time.Time{}), time.Now(), regression.None, ""},
		{"no error", inError, nil, regression.Nil, ""},
		{"error", inError, errors.New("bad"), regression.ErrorText, `"bad"`},
		{"sentinel", inError, fmt.Errorf("in f: %w", errOwn), regression.Sentinel, "p.ErrOwn"},
		{"error that may be anything", inAny, errors.New("bad"), regression.Printed, `"bad"`},
		{"end of file", inError, io.EOF, regression.Sentinel, "io.EOF"},
		{"error with an address", inError, errors.New("at 0xc000012345"), regression.NotNil, ""},
	} {
		got := w.Result(test.ty, test.v)
		if got.How != test.how || got.Text != test.text {
			t.Errorf("%s: %d %s, want %d %s", test.name, got.How, got.Text, test.how, test.text)
		}
	}
}

func TestContent(t *testing.T) {
	w, _ := newWriter()
	list := []int{3, 1}
	for _, test := range []struct {
		name string
		ty   seq.TypeID
		v    any
		how  regression.How
		text string
	}{
		{"slice", w.ids[reflect.TypeFor[[]int]()], list, regression.Slice, "[]int{3, 1}"},
		{"slice behind a pointer", 1, &list, regression.Printed, `"&[3 1]"`},
		{"pointers", 1, &[]*node{{}}, regression.None, ""},
		{"map", 1, map[string]hidden{"b": {2}, "a": {1}}, regression.Printed, `"map[a:{1} b:{2}]"`},
		{"map with keys of several types", 1, map[any]hidden{"a": {1}, 1: {2}}, regression.None, ""},
		{"struct", w.ids[reflect.TypeFor[*node]()], &node{}, regression.None, ""},
		{"nil", 1, nil, regression.None, ""},
	} {
		if got := w.Content(test.ty, test.v); got.How != test.how || got.Text != test.text {
			t.Errorf("%s: %d %s, want %d %s", test.name, got.How, got.Text, test.how, test.text)
		}
	}
}

func TestList(t *testing.T) {
	w, _ := newWriter()
	for _, test := range []struct {
		v         any
		text, typ string
		ok        bool
	}{
		{[]int{1, 2}, "[]int{1, 2}", "[]int", true},
		{[]int(nil), "[]int{}", "[]int", true},
		{[]level{1}, "[]p.level{1}", "[]p.level", true},
		{[]hidden{{1}}, "", "", false},
		{[]any{1}, "[]any{1}", "[]any", true},
		{[]any{[]int{1}}, "", "", false},
		{make([]int, 1000), "", "", false},
	} {
		text, typ, ok := w.List(reflect.ValueOf(test.v))
		if ok != test.ok || ok && (text != test.text || typ != test.typ) {
			t.Errorf("%v: %s of type %s, %v; want %s, %s, %v", test.v, text, typ, ok, test.text, test.typ, test.ok)
		}
	}
}
