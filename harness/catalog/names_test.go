package catalog

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// Packages with the same name get different ones; only those that texts mention are
// imported, and the package under test always.
func TestNames(t *testing.T) {
	n := new(names)
	for _, tt := range []struct{ path, name, want string }{
		{"a.org/shop", "shop", "shop"}, {"text/template", "template", "template"}, {"a.org/shop", "shop", "shop"}, {"a.org/list", "list", "list"},
	} {
		if got := n.of(types.NewPackage(tt.path, tt.name)); got != tt.want {
			t.Errorf("%s is called %s, want %s", tt.path, got, tt.want)
		}
	}
	second := n.of(types.NewPackage("html/template", "template"))
	if second == "template" {
		t.Errorf("two packages are called %s", second)
	}
	got := n.imports("a.org/shop", []string{"f(" + second + ".New($0))", "x.list"})
	slices.SortFunc(got, func(a, b seq.Import) int { return strings.Compare(a.Path, b.Path) })
	if want := []seq.Import{{Name: "shop", Path: "a.org/shop"}, {Name: second, Path: "html/template"}}; !slices.Equal(got, want) {
		t.Errorf("imports %v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"shop.New(template.T{}, $0.list)": "a.org/shop.New(text/template.T{}, $0.list)",
		second + ".New(x.y)":              "html/template.New(x.y)",
		"":                                "",
	} {
		if got := n.expand(text); got != want {
			t.Errorf("expand(%q) = %q, want %q", text, got, want)
		}
	}
}

// A type is written with the names of packages, and its key with their paths.
func TestTypeName(t *testing.T) {
	f, vars := checkFacts(t, "example.com/mod/shop", `package shop
import ("io"; "unsafe")
type Own struct{}
type hidden struct{}
type Pair[K comparable, V any] struct{ k K; v V }
type Alias = Pair[string, *Own]
var (
	Bytes []byte
	Any interface{}
	Pointer unsafe.Pointer
	Reader *io.Reader
	Instance Alias
	Hidden map[hidden]Own
	Chans chan (<-chan int)
	Send chan<- <-chan int
	Nested chan chan int
	Func func(n int, rest ...string) (x, y error)
	One func() [2]bool
	Methods interface{ B(int) error; A() }
	Own2 interface{ own() }
	Embedded interface{ io.Closer }
	Struct struct{ A, b int; Own }
	Tagged struct { A int "json:\"a\"" }
)
`)
	for name, want := range map[string]struct {
		name, key string
		reach     reach
	}{
		"Bytes":    {"[]byte", "[]uint8", everywhere},
		"Any":      {"any", "any", everywhere},
		"Pointer":  {"unsafe.Pointer", "unsafe.Pointer", nowhere},
		"Reader":   {"*io.Reader", "*io.Reader", everywhere},
		"Instance": {"shop.Pair[string, *shop.Own]", "example.com/mod/shop.Pair[string, *example.com/mod/shop.Own]", everywhere},
		"Hidden":   {"map[shop.hidden]shop.Own", "map[example.com/mod/shop.hidden]example.com/mod/shop.Own", inside},
		"Chans":    {"chan (<-chan int)", "chan (<-chan int)", everywhere},
		"Send":     {"chan<- <-chan int", "chan<- <-chan int", everywhere},
		"Nested":   {"chan chan int", "chan chan int", everywhere},
		"Func":     {"func(int, ...string) (error, error)", "func(int, ...string) (error, error)", everywhere},
		"One":      {"func() [2]bool", "func() [2]bool", everywhere},
		"Methods":  {"interface{A(); B(int) error}", "interface{A(); B(int) error}", everywhere},
		"Own2":     {"interface{own()}", "interface{own()}", inside},
		"Embedded": {"interface{Close() error}", "interface{Close() error}", everywhere},
		"Struct":   {"struct{A int; b int; shop.Own}", "struct{A int; b int; example.com/mod/shop.Own}", inside},
		"Tagged":   {`struct{A int "json:\"a\""}`, `struct{A int "json:\"a\""}`, everywhere},
	} {
		typ := vars[name]
		if n, k, r := f.typeName(typ), typeKey(typ), f.reach(typ); n != want.name || k != want.key || r != want.reach {
			t.Errorf("%s: name %s, key %s, reach %d; want %v", name, n, k, r, want)
		}
	}
}

// Types that functions declare, type parameters and hidden fields of other packages have no name.
func TestReach(t *testing.T) {
	f, _ := checkFacts(t, "example.com/q", "package q\nfunc F[T any](x T) { type local int; var v local; _ = v }")
	param := f.pkg.Scope().Lookup("F").Type().(*types.Signature).Params().At(0).Type()
	var local types.Type
	for _, obj := range f.in.Info.Defs {
		if obj != nil && obj.Name() == "local" {
			local = obj.Type()
		}
	}
	other := types.NewPackage("a.org/other", "other")
	field := func(p *types.Package) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(0, p, "f", types.Typ[types.Int], false)}, nil)
	}
	for _, tt := range []struct {
		typ  types.Type
		want reach
	}{
		{param, nowhere}, {types.NewSlice(param), nowhere}, {types.NewMap(types.Typ[types.Int], param), nowhere},
		{local, nowhere}, {field(f.pkg), inside}, {field(other), nowhere}, {types.Typ[types.Int], everywhere},
	} {
		if got := f.reach(tt.typ); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.typ, got, tt.want)
		}
	}
	if typeKey(local) == "example.com/q.local" {
		t.Errorf("key of a type in a function is %s, as of one outside", typeKey(local))
	}
}
