package usage

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"foray.test/harness/catalog"
)

// Of many types those are chosen that differ most from each other.
func TestVaried(t *testing.T) {
	var list []types.Type
	for _, text := range []string{
		"struct{A int}", "struct{B int}", "struct{A int `k:\"a\"`}", "struct{A int `k:\"a,min:2\"`}", "struct{A *int; B map[string]bool; C []string}", "[]int",
	} {
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tv.Type)
	}
	var got []string
	for _, c := range varied(slices.Clone(list), 4) {
		got = append(got, catalog.TypeText(c, (*types.Package).Path))
	}
	want := []string{"struct{A int}", "struct{A int \"k:\\\"a,min:2\\\"\"}", "struct{A *int; B map[string]bool; C []string}", "[]int"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := len(varied(slices.Clone(list), 9)); got != len(list) {
		t.Errorf("%d of %d types", got, len(list))
	}
}

func TestTagOptions(t *testing.T) {
	for _, tt := range []struct {
		tag  string
		want []string
	}{
		{"", nil},
		{`k:"name"`, []string{"k"}},
		{`k:",omitempty,default:5" l:"-"`, []string{"k:", "k:omitempty", "k:default", "l:-"}},
		{`free text`, nil},
	} {
		if got := tagOptions(tt.tag); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.tag, got, tt.want)
		}
	}
}

// Types that all refer to each other are not written out: that would take for ever.
func TestWrittenParts(t *testing.T) {
	pkg, tests := types.NewPackage("example.org/p", "p"), types.NewPackage("example.org/p_test", "p_test")
	graph := func(n int) types.Type {
		list := make([]*types.Named, n)
		for i := range list {
			list[i] = types.NewNamed(types.NewTypeName(0, tests, fmt.Sprint("T", i), nil), nil, nil)
		}
		for _, of := range list {
			fields := make([]*types.Var, n)
			for i, to := range list {
				fields[i] = types.NewField(0, tests, fmt.Sprint("F", i), types.NewPointer(to), false)
			}
			of.SetUnderlying(types.NewStruct(fields, nil))
		}
		return list[0]
	}
	w := newWriter(pkg)
	if got := w.written(graph(20)); got != nil {
		t.Errorf("20 structs: %v, want none", got)
	}
	if got := w.written(graph(3)); got == nil || types.TypeString(got, nil) == "" {
		t.Error("3 structs are not written")
	}
}
