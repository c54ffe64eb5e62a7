package engine

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// sharedTable has a type that goroutines may share, and one that they may not.
func sharedTable() *seq.Table {
	const (
		box seq.TypeID = iota + 1
		number
		key
		bytes
		offset
		failure
		octet
	)
	t := &seq.Table{
		Package: "q", Name: "q", Imports: []seq.Import{{Name: "q", Path: "q"}},
		Types: []seq.Type{
			{},
			{Name: "*q.Box", Nilable: true, Assignable: []seq.TypeID{box}, Shared: "It is safe for concurrent use."},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{number}},
			{Name: "*q.Key", Nilable: true, Assignable: []seq.TypeID{key}},
			{Name: "[]byte", Form: seq.Form{Kind: seq.SliceType, Elem: "byte"}, Nilable: true, Assignable: []seq.TypeID{bytes}},
			{Name: "int64", Form: seq.Form{Base: "int64"}, Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{offset}},
			{Name: "error", Nilable: true, Interface: true, Assignable: []seq.TypeID{failure}},
			{Name: "byte", Literal: seq.Uint, Bits: 8, Basic: true, Assignable: []seq.TypeID{octet}},
		},
	}
	add := func(name, template string, kind seq.Kind, params, results []seq.TypeID) {
		t.Ops = append(t.Ops, seq.Operation{Name: name, Short: name, Member: name, Base: name[strings.LastIndexByte(name, '.')+1:], Kind: kind, Template: template, Params: params, Results: results, API: true})
	}
	add("NewBox", "q.NewBox($0)", seq.Func, []seq.TypeID{number}, []seq.TypeID{box})
	add("NewKey", "q.NewKey()", seq.Func, nil, []seq.TypeID{key})
	add("Put", "$0.Put($1)", seq.Method, []seq.TypeID{box, key}, nil)
	add("Len", "$0.Len()", seq.Method, []seq.TypeID{box}, []seq.TypeID{number})
	add("Init", "$0.Init()", seq.Method, []seq.TypeID{box}, nil)
	t.Ops[len(t.Ops)-1].Alone = true
	add("Wait", "$0.Wait()", seq.Method, []seq.TypeID{box}, nil)
	t.Ops[len(t.Ops)-1].Pre.Blocks = true
	add("String", "$0.String()", seq.Method, []seq.TypeID{key}, []seq.TypeID{number})
	add("(*Key).ReadAt", "$0.ReadAt($1, $2)", seq.Method, []seq.TypeID{key, bytes, offset}, []seq.TypeID{number, failure})
	t.Ops[len(t.Ops)-1].ReturnsError = true
	t.Ops = append(t.Ops, seq.Operation{Name: "[]byte", Kind: seq.Elements, Template: "[]byte{$*}", Params: []seq.TypeID{octet}, Results: []seq.TypeID{bytes}, Variadic: true})
	return t
}

func TestMeetings(t *testing.T) {
	table := sharedTable()
	var got []string
	for _, s := range Meetings(table, NewPool(table)) {
		if err := s.Check(table); err != nil {
			t.Errorf("%s: %v", table.OneLine(s), err)
		}
		got = append(got, table.OneLine(s))
	}
	want := []string{
		"v0 := q.NewBox(0); v1 := q.NewKey(); v0.Put(v1)",
		"v0 := q.NewBox(0); v1 := q.NewKey(); v0.Put(v1); v2 := v0.Len()",
		"v0 := q.NewBox(0); v1 := v0.Len()",
		"v0 := q.NewKey(); v1 := []byte{0}; v2, v2b := v0.ReadAt(v1, 0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("meetings\n%q, want\n%q", got, want)
	}
}

func TestCalls(t *testing.T) {
	table := sharedTable()
	var got []string
	for _, s := range Calls(table, NewPool(table)) {
		if err := s.Check(table); err != nil {
			t.Errorf("%s: %v", table.OneLine(s), err)
		}
		got = append(got, table.OneLine(s))
	}
	want := []string{
		"v0 := q.NewBox(0)",
		"v0 := q.NewKey()",
		"v0 := q.NewBox(0); v1 := q.NewKey(); v0.Put(v1)",
		"v0 := q.NewBox(0); v1 := v0.Len()",
		"v0 := q.NewBox(0); v0.Init()",
		"v0 := q.NewKey(); v1 := v0.String()",
		"v0 := q.NewKey(); v1 := []byte{0}; v2, v2b := v0.ReadAt(v1, 0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls\n%q, want\n%q", got, want)
	}
}

func TestFork(t *testing.T) {
	table := sharedTable()
	for _, tt := range []struct {
		steps string
		want  int
	}{
		{"v0 := q.NewBox(1); v1 := v0.Len()", 1},
		{"v0 := q.NewKey(); v1 := q.NewBox(1); v1.Put(v0)", 2},
		{"v0 := q.NewBox(1); v0.Init(); v1 := v0.Len()", 2},
		{"v0 := q.NewBox(1); v1 := v0.Len(); v0.Init()", 0},
		{"v0 := q.NewKey(); v1 := v0.String()", 0},
		{"v0 := q.NewKey(); v1 := []byte{1}; v2, v2b := v0.ReadAt(v1, 0)", 1},
		{"v0 := []byte{1}; v1 := q.NewKey(); v2, v2b := v1.ReadAt(v0, 0)", 0},
		{"v0 := q.NewKey(); v1 := []byte{1}; v2, v2b := v0.ReadAt(v1, 0); v3 := v0.String()", 0},
		{"v0 := q.NewBox(1); v1 := q.NewKey()", 0},
	} {
		s, err := table.Parse(tt.steps)
		if err != nil {
			t.Fatal(err)
		}
		if got := Fork(table, s); got != tt.want {
			t.Errorf("Fork(%q) = %d, want %d", tt.steps, got, tt.want)
		}
	}
}
