package catalog

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestHanded lists what makes values of a type that tests hand to parameters of type any, and
// the basic types of literals for them.
func TestHanded(t *testing.T) {
	const decode = "type Own struct{ N int }\nfunc Decode(to any) {}"
	for _, tt := range []struct {
		name, source, typ string
		want              []string
	}{
		{"a pointer to a struct", decode, "*struct{A int; T []string}", []string{
			"&struct{A int; T []string}{A: $0, T: $1}", "&struct{A int; T []string}{}", "[]string{$*}",
		}},
		{"a struct with parts that no other literal sets", decode, "struct{O *Own; M map[string]bool; P *int}", []string{
			"func(a string, b bool, c string, d bool) map[string]bool { return map[string]bool{a: b, c: d} }($0, $1, $2, $3)",
			"func(m map[string]bool, a string, b bool) map[string]bool { c := map[string]bool{a: b}; for k, v := range m { c[k] = v }; return c }($0, $1, $2)",
			"func(x int) *int { return &x }($0)",
			"map[string]bool{$0: $1}", "map[string]bool{}", "new(int)",
			"struct{O *shop.Own; M map[string]bool; P *int}{O: $0, M: $1, P: $2}", "struct{O *shop.Own; M map[string]bool; P *int}{}",
		}},
		{"a basic type", decode, "float32", []string{"float32"}},
		{"nothing takes any", "func F(n int) {}", "*struct{A int}", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := checkSource(t, "example.com/shop", "package shop\n"+tt.source).Input
			before := texts(find(t, in))
			in.Handed = func() Handed {
				tv, err := types.Eval(token.NewFileSet(), in.Types, token.NoPos, tt.typ)
				if err != nil {
					t.Fatal(err)
				}
				return Handed{Types: []types.Type{tv.Type}}
			}
			got := slices.DeleteFunc(texts(find(t, in)), func(s string) bool { return slices.Contains(before, s) })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

// texts returns the templates of a table and its types with literals, sorted.
func texts(c *Catalog) (list []string) {
	for i := range c.Table.Ops {
		list = append(list, c.Table.Ops[i].Template)
	}
	for i := range c.Table.Types {
		if ty := &c.Table.Types[i]; ty.Basic {
			list = append(list, ty.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
