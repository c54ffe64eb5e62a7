package catalog

import (
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

const queue = "package q\n\ntype Q struct{ n int }\n\nfunc New() *Q { return new(Q) }\n\nfunc (q *Q) Len() int { return q.n }\n"

// Contracts that test files declare become operations, with copies of the functions
// that they call, or problems. Packages get other names if theirs are variables of
// sequences.
func TestContracts(t *testing.T) {
	tests := []struct {
		name, test, template, decl, problem string
	}{
		{
			"a literal", `package q_test; import ("example.com/q"; "foray.test/harness"); var v = harness.Contract{Holds: func(x *q.Q) bool { return x.Len() >= 0 }}`,
			"forayContractV($0)", "func forayContractV(x *qpkg.Q) bool { return x.Len() >= 0 }", "",
		},
		{
			"other names for packages", `package q_test; import (qq "example.com/q"; f "fmt"; h "foray.test/harness"); var v = h.Contract{Holds: func(a, b *qq.Q) error { return f.Errorf("f.x") }}`,
			"forayContractV($0, $1) == nil", `func forayContractV(a, b *qpkg.Q) error { return fpkg.Errorf("f.x") }`, "",
		},
		{
			"a function with a helper", "package q_test; import (\"example.com/q\"; \"foray.test/harness\"); var v = harness.Contract{Holds: sane}\nfunc sane(x *q.Q) bool { len := size(x); return len >= 0 }\nfunc size(x *q.Q) int { return x.Len() }",
			"forayContractV($0)", "func forayContractV(x *qpkg.Q) bool\t{ len := forayContractV_size(x); return len >= 0 }\n\nfunc forayContractV_size(x *qpkg.Q) int\t{ return x.Len() }", "",
		},
		{"in the package itself", `package q; import "foray.test/harness"; var v = harness.Contract{Holds: func(x *Q) bool { return true }}`, "", "", "it is in package q, want it in package q_test"},
		{"another type of that name", `package q_test; import harness "other.test/harness"; var v = harness.Contract{}`, "", "", ""},
		{"no function", `package q_test; import "foray.test/harness"; var v = harness.Contract{Holds: 3}`, "", "", "want Holds to be a func(T) bool"},
		{"another result", `package q_test; import ("example.com/q"; "foray.test/harness"); var v = harness.Contract{Holds: func(x *q.Q) int { return 1 }}`, "", "", "want Holds to be a func(T) bool"},
		{"two types", `package q_test; import ("example.com/q"; "foray.test/harness"); var v = harness.Contract{Holds: func(x *q.Q, y q.Q) bool { return true }}`, "", "", "want Holds to be a func(T) bool"},
		{"a variable of the test", `package q_test; import ("example.com/q"; "foray.test/harness"); var w = 1; var v = harness.Contract{Holds: func(x *q.Q) bool { return x.Len() < w }}`, "", "", "it uses w, which only the test declares"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := findIn(t, queue, test.test)
			template := ""
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Kind == seq.Check {
					template = op.Template
				}
			}
			decl := ""
			for _, d := range c.Table.Decls {
				decl += d.Text
			}
			problem := strings.Join(c.Problems, "\n")
			if template != test.template || !strings.Contains(problem, test.problem) || (problem == "") != (test.problem == "") {
				t.Errorf("operation %q, problems %q; want %q, %q", template, problem, test.template, test.problem)
			}
			if fields(decl) != fields(test.decl) {
				t.Errorf("declared\n%s\nwant\n%s", decl, test.decl)
			}
		})
	}
}

// Tests name a package by its own name, which the last element of its path need not be.
func TestContractOfMajorVersion(t *testing.T) {
	c := findAt(t, "example.com/q/v2", queue,
		`package q_test; import ("example.com/q/v2"; "foray.test/harness"); var v = harness.Contract{Holds: func(x *q.Q) bool { return true }}`)
	if len(c.Problems) > 0 || !slices.ContainsFunc(c.Table.Ops, func(op seq.Operation) bool { return op.Kind == seq.Check }) {
		t.Errorf("no contract: %q", c.Problems)
	}
}

// findIn returns the catalog of a package q of one file, with one file of tests.
func findIn(t *testing.T, pkg, test string) *Catalog {
	t.Helper()
	return findAt(t, "example.com/q", pkg, test)
}

func findAt(t *testing.T, path, pkg, test string) *Catalog {
	t.Helper()
	fset := token.NewFileSet()
	parse := func(name, src string) *ast.File {
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	in := Input{Fset: fset, Files: []*ast.File{parse("q.go", pkg)}, TestFiles: []*ast.File{parse("q_test.go", test)}}
	in.Info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	in.Importer = importer.Default()
	conf := types.Config{Importer: in.Importer}
	var err error
	if in.Types, err = conf.Check(path, fset, in.Files, in.Info); err != nil {
		t.Fatal(err)
	}
	c, err := Find(in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fields(s string) string { return strings.Join(strings.Fields(s), " ") }
