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

// TestOutside lists the calls of other packages that a table takes over from the tests.
func TestOutside(t *testing.T) {
	cache.load(t, ".", "container/list", "image", "net")
	const source = "package shop\nimport (\"container/list\"; \"image\"; \"net\")\nvar _ image.Image; var _ *list.List; var _ *net.IPNet\n"
	list := func(names ...string) (calls []Call) {
		for _, name := range names {
			calls = append(calls, Call{Path: "container/list", Type: "List", Name: name})
		}
		return calls
	}
	for _, tt := range []struct {
		name, source string
		calls        []Call
		want         []string
	}{
		{"a result that is wanted", "func F(e *list.Element) {}", list("Front"), []string{"*list.List → *list.Element: $0.Front()"}},
		{"a result that nothing wants", "func F(l *list.List) {}", list("Len", "Front"), nil},
		{"an effect on a wanted value, by its results", "func F(l *list.List) {}", list("Init", "PushBackList", "Len"), []string{
			"*list.List → *list.List: $0.Init()", "*list.List, *list.List → : $0.PushBackList($1)",
		}},
		{"an effect on a wanted value, by its use", "func F(l *list.List) {}", []Call{{"container/list", "List", "PushBack", true}, {"container/list", "List", "Len", false}}, []string{
			"*list.List, any → *list.Element: $0.PushBack($1)",
		}},
		{"a wanted interface", "func F(i image.Image) {}", []Call{{"image", "", "NewGray", false}, {"image", "", "Rect", false}}, []string{
			"image.Rectangle → *image.Gray: image.NewGray($0)", // Rect is there without the tests
		}},
		{"a value among several results", "func F(i image.Image) {}", []Call{{"image", "", "Decode", false}}, []string{
			"io.Reader → image.Image, string, error: image.Decode($0)",
		}},
		{"a call that waits or does harm", "func F(c net.Conn, l net.Listener) {}", []Call{{"net", "", "Dial", false}, {"net", "", "FileConn", false}, {"net", "Listener", "Accept", true}, {"net", "Conn", "Read", false}}, nil},
		{"a package that is out of reach", "func F(l *list.List) {}", []Call{{"example.com/other", "", "New", false}, {"no/such", "", "New", false}}, nil},
		{"a name that is not there", "func F(l *list.List) {}", []Call{{"container/list", "", "Nix", false}, {"container/list", "Nix", "Len", true}, {"container/list", "List", "lazyInit", true}}, nil},
		{"the package itself", "func F(l *list.List) {}\nfunc New() *list.List { return nil }", []Call{{"example.com/shop", "", "New", false}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := checkSource(t, "example.com/shop", source+tt.source).Input
			in.Handed = func() Handed { return Handed{Calls: tt.calls} }
			var got []string
			c := find(t, in)
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Outside() {
					got = append(got, typeNames(&c.Table, op.Params)+" → "+typeNames(&c.Table, op.Results)+": "+op.Template)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

// TestForeignInterface lists the values of an interface of another package that its functions return.
func TestForeignInterface(t *testing.T) {
	cache.load(t, ".", "image")
	c := find(t, checkSource(t, "example.com/shop", "package shop\nimport \"image\"\nfunc F(i image.Image) {}").Input)
	var got []string
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; len(op.Results) == 1 && strings.HasPrefix(c.Table.Types[op.Results[0]].Name, "*image.") {
			got = append(got, op.Template)
		}
	}
	if want := []string{"image.NewAlpha($0)", "image.NewAlpha16($0)", "image.NewCMYK($0)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
