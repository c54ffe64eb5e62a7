package usage

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestSource: which functions of the tests other programs can have, and how they write them.
func TestSource(t *testing.T) {
	const header = `package shop

import (
	"fmt"
	"os"
	str "strings"
	"time"
)

var (_ = fmt.Sprint; _ = os.Args; _ = str.ToUpper; _ = time.Now)

type Item struct { Name string; price int }

var Default Item

var count int

const limit = 3

func helper(s string) string { return s }

func New() *Item { return &Item{} }
`
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	check := func(text string) (*types.Package, *ast.File, *types.Info) {
		file, err := parser.ParseFile(fset, "shop.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		pkg, err := conf.Check("example.com/shop", fset, []*ast.File{file}, info)
		if err != nil {
			t.Fatal(err)
		}
		return pkg, file, info
	}
	pkg, _, _ := check(header)
	for _, tt := range []struct{ name, fn, want string }{
		{"one line", `func(s string) bool { return s == "a" }`, `func(s string) bool { return s == "a" }`},
		{"names of packages", `func(s string) string { return str.ToUpper(s) }`, `func(s string) string { return strings.ToUpper(s) }`},
		{"names of the package", `func(i Item) string { if i == Default { return "" }; return New().Name }`,
			`func(i shop.Item) string { if i == shop.Default { return "" }; return shop.New().Name }`},
		{"several lines and a comment", "func(n int) string {\n\t// Odd ones are dropped.\n\tif n%2 == 1 {\n\t\treturn \"\"\n\t} else if n == 0 {\n\t\treturn fmt.Sprint(\n\t\t\tn,\n\t\t\t1,\n\t\t)\n\t}\n\treturn \"x\"\n}",
			`func(n int) string { if n%2 == 1 { return "" } else if n == 0 { return fmt.Sprint(n, 1) }; return "x" }`},
		{"a type switch", `func(a any) string { switch a := a.(type) { case string: return a; case Item: return a.Name }; return "" }`,
			`func(a any) string { switch a := a.(type) { case string: return a; case shop.Item: return a.Name }; return "" }`},
		{"a composite", `func() Item { return Item{Name: "a"} }`, `func() shop.Item { return shop.Item{Name: "a"} }`},
		{"a duration", `func() time.Duration { return 3 * time.Second }`, `func() time.Duration { return 3 * time.Second }`},
		{"a function within", `func(f func(int) bool) { for i := range 3 { if !f(i) { return } } }`, `func(f func(int) bool) { for i := range 3 { if !f(i) { return } } }`},
		{"nothing done", `func() {}`, ""},
		{"a variable of the tests", `func() int { return captured }`, ""},
		{"a constant of the package", `func() int { return limit }`, ""},
		{"a function of the package", `func(s string) string { return helper(s) }`, ""},
		{"a field of the package", `func(i Item) int { return i.price }`, ""},
		{"a clock", `func() string { return time.Now().String() }`, ""},
		{"a package with effects", `func() int { return len(os.Args) }`, ""},
		{"output", `func() { fmt.Println() }`, ""},
		{"a goroutine", `func() { go func() {}() }`, ""},
		{"a channel", `func(c chan int) int { return <-c }`, ""},
		{"a parameter with the name of the package", `func(shop Item) string { return Default.Name + shop.Name }`, ""},
		{"a name of sequences", `func(v1 int) int { return v1 }`, ""},
		{"a hole of templates", `func() string { return "$0" }`, ""},
		{"too long", `func() string { return "` + strings.Repeat("x", maxFuncText) + `" }`, ""},
	} {
		_, file, info := check(header + "\nfunc test() { captured := 1; _ = captured; _ = " + tt.fn + " }\n")
		body := file.Decls[len(file.Decls)-1].(*ast.FuncDecl).Body.List
		s := source{info: info, pkg: pkg, fn: body[len(body)-1].(*ast.AssignStmt).Rhs[0].(*ast.FuncLit)}
		got := ""
		if s.standsAlone() {
			got, _ = s.text(func(_, name string) string { return name })
		}
		if got != tt.want {
			t.Errorf("%s: got\n\t%s\nwant\n\t%s", tt.name, got, tt.want)
		}
	}
}
