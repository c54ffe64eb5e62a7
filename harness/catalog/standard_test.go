package catalog

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// Each standard value has the type that it is offered for.
func TestStandardsHaveTheirType(t *testing.T) {
	f, _ := checkFacts(t, "example.com/shop", "package shop")
	for _, s := range standards {
		if s.decl != "" {
			continue // declared only where it is used
		}
		made, list, ok := f.standardTypes(f.standardText(s))
		if !ok {
			t.Errorf("%s: %s is no expression", s.want, s.template)
			continue
		}
		if got := typeKey(made); !types.IsInterface(made) && got != s.want {
			i := strings.LastIndex(s.want, ".")
			want := types.Universe.Lookup(s.want)
			if i > 0 {
				p, err := f.in.Importer.Import(strings.TrimPrefix(s.want[:i], "*"))
				if err != nil {
					t.Fatal(err)
				}
				want = p.Scope().Lookup(s.want[i+1:])
			}
			if _, isType := want.(*types.TypeName); isType && !types.AssignableTo(made, want.Type()) {
				t.Errorf("%s: %s has type %s", s.want, s.template, got)
			}
		}
		if n := strings.Count(s.params, ";") + 1; s.params != "" && len(list) != n || s.params == "" && strings.Contains(s.template, "$0") {
			t.Errorf("%s: %s takes %v, want %q", s.want, s.template, list, s.params)
		}
	}
}

// TestStandardValues lists the standard values for the parameter of F.
func TestStandardValues(t *testing.T) {
	for _, tt := range []struct {
		name, path, source string
		want               []string
	}{
		{"by name", "example.com/shop", "import \"time\"\nfunc F(*time.Location) {}", []string{"time.FixedZone($0, 3600)", "time.UTC"}},
		{"by methods", "example.com/shop", "type I interface{ ReadByte() (byte, error) }\nfunc F(I) {}", []string{
			"&bytes.Buffer{}", "bytes.NewReader($0)", "strings.NewReader($0)",
		}},
		{"by methods of an interface that only the package can name", "example.com/shop", "type i interface{ ReadByte() (byte, error) }\nfunc F(i) {}", []string{
			"&bytes.Buffer{}", "bytes.NewReader($0)", "strings.NewReader($0)",
		}},
		{"a connection", "example.com/shop", "import \"net\"\nfunc F(net.Conn) {}", []string{"net.Conn(&forayConn{strings.NewReader($0)})"}},
		{"by no methods", "example.com/shop", "type I interface{ Hire() }\nfunc F(I) {}", []string{"shop.I(&forayStubI{})"}},
		{"of the package itself", "time", "type Location struct{ n int }\nfunc F(*Location) {}", nil},
		{"with a name taken", "example.com/time", "import t \"time\"\nfunc F(*t.Location) {}", []string{"time2.FixedZone($0, 3600)", "time2.UTC"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := tt.path[strings.LastIndex(tt.path, "/")+1:]
			c := find(t, checkSource(t, tt.path, "package "+name+"\n"+tt.source).Input)
			var got []string
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Kind == seq.Standard {
					got = append(got, op.Template)
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestStandardDeclarations: a declaration that standard values need has the table's names for packages.
func TestStandardDeclarations(t *testing.T) {
	c := find(t, checkSource(t, "example.com/net", "package net\nimport n \"net\"\nfunc F(n.Conn) {}").Input)
	i := slices.IndexFunc(c.Table.Decls, func(d seq.Decl) bool { return d.Name == "forayConn" })
	if i < 0 {
		t.Fatalf("forayConn is not among %+v", c.Table.Decls)
	}
	if text := c.Table.Decls[i].Text; strings.Contains(text, " net.Addr") || !strings.Contains(text, "LocalAddr() net2.Addr") {
		t.Errorf("of a package net it has another name for the standard one:\n%s", text)
	}
}

func TestRequalify(t *testing.T) {
	for _, tt := range []struct{ text, from, to, want string }{
		{"time.Unix(time.Now())", "time", "time2", "time2.Unix(time2.Now())"},
		{"time.Unix(mytime.Now())", "time", "time2", "time2.Unix(mytime.Now())"},
		{"time.UTC", "time", "time", "time.UTC"},
		{"time.UTC", "tim", "x", "time.UTC"},
	} {
		if got := requalify(tt.text, tt.from, tt.to); got != tt.want {
			t.Errorf("requalify(%q, %s, %s) = %q, want %q", tt.text, tt.from, tt.to, got, tt.want)
		}
	}
}

// foreignSource type-checks package shop, which imports a package a.org/parts.
func foreignSource(t *testing.T, parts, shop string) Input {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "parts.go", "package parts\n"+parts, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := importer.ForCompiler(fset, "gc", cache.lookup)
	conf := types.Config{Importer: next}
	pkg, err := conf.Check("a.org/parts", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err = parser.ParseFile(fset, "shop.go", "package shop\nimport \"a.org/parts\"\n"+shop, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Fset: fset, Files: []*ast.File{file}, Info: newInfo(), Importer: over{pkg, next}}
	conf.Importer = in.Importer
	if in.Types, err = conf.Check("example.com/shop", fset, in.Files, in.Info); err != nil {
		t.Fatal(err)
	}
	return in
}

// TestForeignMakers lists the makers of a type that another package declares.
func TestForeignMakers(t *testing.T) {
	cache.load(t, ".", standardPaths()...)
	for _, tt := range []struct {
		name, parts, want string // the type of the parameter is *parts.T if it starts with *
		makers            []string
	}{
		{"zero", "type T struct{ n int }", "parts.T", []string{"parts.T{}"}},
		{"pointer to zero", "type T struct{ n int }", "*parts.T", []string{"&parts.T{}"}},
		{"zero with a lock", "import \"sync\"\ntype T struct{ mu sync.Mutex }", "parts.T", nil},
		{"function", "type T struct{ n int }\nfunc New(n int) *T { return nil }", "*parts.T", []string{"parts.New($0)"}},
		{"function with an error", "type T struct{ n int }\nfunc New(b []byte) (*T, error) { return nil, nil }", "*parts.T", []string{"parts.New($0)"}},
		{"other functions", `type T struct{ n int }
func A() T { return T{} }
func B() (*T, int) { return nil, 0 }
func D[E ~int16]() *T { return nil }
func E(m map[int]int) *T { return nil }
func Dial() *T { return nil }
func F() (*T, int, error) { return nil, 0, nil }
func g() *T { return nil }
func H() {}`, "*parts.T", []string{"&parts.T{}"}},
		{"variadic function", "type T struct{ n int }\ntype o func(*T)\nfunc New(n int, s ...string) *T { return nil }\nfunc With(opts ...O) *T { return nil }\nfunc Hidden(opts ...o) *T { return nil }\ntype O func(*T)", "*parts.T", []string{"parts.New($0, $*)", "parts.With($*)"}},
		{"generic function", "type T struct{ n int }\nfunc New[E any](e E) *T { return nil }", "*parts.T", []string{"parts.New[int]($0)"}},
		{"function of a generic type", "type T[K comparable, V any] struct{ n int }\nfunc New[K comparable, V any]() *T[K, V] { return nil }\nfunc Of[V any](v V) *T[int, V] { return nil }", "*parts.T[bool, int8]", []string{"parts.New[bool, int8]()"}},
		{"fewest parameters", `type T struct{ n int }
func A(a, b int) *T { return nil }
func B(a int) *T { return nil }
func C(a, b, c int) *T { return nil }
func D() *T { return nil }`, "*parts.T", []string{"parts.A($0, $1)", "parts.B($0)", "parts.D()"}},
		{"variables", "type T struct{ n int }\nvar A, B, c = &T{}, T{}, &T{}", "*parts.T", []string{"parts.A"}},
		{"variables of types that implement it", "type T interface{ N() int }\ntype t int\nfunc (t) N() int { return 0 }\ntype u struct{}\nvar A, B t; var C u; var d t", "parts.T", []string{"parts.T(parts.A)", "parts.T(parts.B)"}},
		{"made of another", "type T struct{ n int }\ntype U struct{ n int }\nfunc New(u U) *T { return nil }", "*parts.T", []string{"parts.New($0)", "parts.U{}"}},
		{"fields", "type T struct{ A, B int; n int; C []U; D map[string]*T; E map[any]int; F *T; G interface{ M() }; H func() }\ntype U struct{ n int }", "*parts.T",
			[]string{"&parts.T{}", "&parts.T{A: $0, B: $1, C: $2, D: $3, H: $4}", "parts.U{}"}},
		{"many fields", "type T struct{ A, B, C, D, E, F, G int }", "parts.T",
			[]string{"parts.T{}", "parts.T{A: $0, B: $1, C: $2, D: $3, E: $4, F: $5}", "parts.T{G: $0}"}},
		{"fields and a function", "type T struct{ A int }\nfunc New() *T { return nil }", "*parts.T", []string{"parts.New()"}},
		{"fields of a value and a function", "type T struct{ A int }\nfunc New() T { return T{} }", "parts.T", []string{"parts.New()", "parts.T{}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := find(t, foreignSource(t, tt.parts, "func F(x "+tt.want+") {}"))
			var got []string
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Kind == seq.Standard {
					got = append(got, op.Template)
				}
			}
			slices.Sort(got)
			slices.Sort(tt.makers)
			if !slices.Equal(got, tt.makers) {
				t.Errorf("%q, want %q", got, tt.makers)
			}
		})
	}
}

// Internal packages, commands and vendored packages cannot be imported by a test.
func TestImportable(t *testing.T) {
	in := Input{Types: types.NewPackage("a.org/m/shop", "shop")}
	direct := types.NewPackage("internal/abi", "abi")
	in.Types.SetImports([]*types.Package{direct})
	w := newImporter(in)
	for _, tt := range []struct {
		pkg  *types.Package
		want bool
	}{
		{in.Types, true}, {direct, true},
		{types.NewPackage("io", "io"), true},
		{types.NewPackage("a.org/cmd", "main"), false},
		{types.NewPackage("unsafe", "unsafe"), false},
		{types.NewPackage("vendor/a.org/x", "x"), false},
		{types.NewPackage("internal/cpu", "cpu"), false},
		{types.NewPackage("a.org/m/internal/x", "x"), true},
		{types.NewPackage("a.org/m/shop/internal/x", "x"), true},
		{types.NewPackage("a.org/n/internal/x", "x"), false},
		{types.NewPackage("a.org/m/sho/internal/x", "x"), false},
	} {
		if got := w.importable(tt.pkg); got != tt.want {
			t.Errorf("%s: %v", tt.pkg.Path(), got)
		}
	}
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// The importer completes what is not known, but takes no package that depends on the
// one under test: it would be another copy.
func TestImporterFind(t *testing.T) {
	shop := types.NewPackage("a.org/shop", "shop")
	known, half := types.NewPackage("a.org/known", "known"), types.NewPackage("a.org/half", "half")
	known.MarkComplete()
	shop.SetImports([]*types.Package{known, half})
	user := types.NewPackage("a.org/user", "user")
	user.SetImports([]*types.Package{types.NewPackage("a.org/shop", "shop")})
	fresh := types.NewPackage("a.org/fresh", "fresh")
	var asked []string
	in := Input{Types: shop, Importer: importerFunc(func(path string) (*types.Package, error) {
		asked = append(asked, path)
		p := map[string]*types.Package{"a.org/half": types.NewPackage("a.org/half", "half"), "a.org/user": user, "a.org/fresh": fresh}[path]
		if p == nil {
			return nil, errors.New("no package")
		}
		return p, nil
	})}
	w := newImporter(in)
	for path, want := range map[string]*types.Package{
		"a.org/known": known, "a.org/half": half, "a.org/user": nil, "a.org/fresh": fresh, "a.org/none": nil,
	} {
		if got := w.find(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if slices.Contains(asked, "a.org/known") || !slices.Contains(asked, "a.org/half") {
		t.Errorf("asked for %v", asked)
	}
	w = newImporter(Input{Types: shop})
	if w.find("a.org/fresh") != nil || w.find("a.org/half") != half {
		t.Error("found a package without an importer")
	}
}
