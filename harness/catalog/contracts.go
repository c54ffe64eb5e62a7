package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// harnessPath is the import path of the package that declares the type Contract.
const harnessPath = "foray.test/harness"

// findContracts adds an operation of kind Check for each contract that the tests
// declare in a package-level variable:
//
//	var ordered = harness.Contract{
//		Name:  "ordered",
//		Doc:   "the list is sorted",
//		Holds: func(l *list.List) bool { return slices.IsSorted(l.Values()) },
//	}
//
// Test files are not linked. So the operation has a copy of the function and of the
// test functions that it calls. Emitted tests contain it too.
func (f *finder) findContracts() {
	t := &testDecls{f: f, funcs: map[string]*ast.FuncDecl{}, names: map[string]bool{}}
	for _, file := range f.in.TestFiles {
		t.collect(file)
	}
	for _, file := range f.in.TestFiles {
		alias := importAlias(file, harnessPath)
		if alias == "" {
			continue
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					t.variables(file, alias, spec.(*ast.ValueSpec))
				}
			}
		}
	}
}

// testDecls holds the declarations of the external test files of the package.
type testDecls struct {
	f     *finder
	funcs map[string]*ast.FuncDecl
	names map[string]bool // of everything else
}

func (t *testDecls) collect(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				t.funcs[d.Name.Name] = d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					t.names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						t.names[id.Name] = true
					}
				}
			}
		}
	}
}

// importAlias returns the name by which a file imports a package, "" if it does not.
func importAlias(file *ast.File, importPath string) string {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// variables adds the contracts among the variables of a declaration.
func (t *testDecls) variables(file *ast.File, alias string, spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		lit, ok := value.(*ast.CompositeLit)
		if !ok || i >= len(spec.Names) {
			continue
		}
		sel, ok := lit.Type.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Contract" {
			continue
		}
		if id, ok := sel.X.(*ast.Ident); !ok || id.Name != alias {
			continue
		}
		if err := t.contract(file, spec.Names[i].Name, lit); err != nil {
			t.f.problem(lit.Pos(), fmt.Sprintf("contract %s: %v", spec.Names[i].Name, err))
		}
	}
}

// contract adds the operation of one contract.
func (t *testDecls) contract(file *ast.File, variable string, lit *ast.CompositeLit) error {
	if !strings.HasSuffix(file.Name.Name, "_test") {
		return fmt.Errorf("it is in package %s, want it in package %s_test", file.Name.Name, file.Name.Name)
	}
	fields := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				fields[key.Name] = kv.Value
			}
		}
	}
	name, doc := cmp.Or(text(fields["Name"]), variable), text(fields["Doc"])
	if fields["Call"] != nil || fields["Requires"] != nil || fields["Ensures"] != nil {
		return t.conditions(file, variable, name, doc, fields)
	}
	c := copier{t: t, file: file, prefix: seq.DeclPrefix + "Contract" + strings.ToUpper(variable[:1]) + variable[1:]}
	typ, body, err := c.function(fields["Holds"])
	if err != nil {
		return err
	}
	params, err := t.params(file, typ)
	if err != nil {
		return err
	}
	call := c.prefix + "(" + seq.Holes(0, len(params), false) + ")"
	op := &operation{params: params}
	op.Kind, op.Short, op.Base, op.Doc = seq.Check, "contract "+name, name, doc
	op.Template, op.Adapter = checking(call, types.ExprString(typ.Results.List[0].Type) == "error")
	op.Name = "contract " + variable + " " + signatureKey(params, nil)
	c.declare(body)
	t.f.add(op)
	return nil
}

// checking returns the template and the adapter of an operation of kind Check: of one
// that holds if call is true, or no error.
func checking(call string, isError bool) (template, adapter string) {
	if isError {
		return call + " == nil", "if forayErr := " + call + "; forayErr != nil { panic(forayErr.Error()) }"
	}
	return call, "if !" + call + ` { panic("it returns false") }`
}

// text returns the value of a string literal, "" if e is none.
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return ""
}

var errHolds = errors.New("want Holds to be a func(T) bool or func(T) error, of one to three values of a type of the package")

// params returns the types of the values that a contract takes: all the same, of
// the package under test.
func (t *testDecls) params(file *ast.File, typ *ast.FuncType) ([]types.Type, error) {
	scope, _ := t.scope(file)
	sig, ok := scope.signature(typ)
	if !ok || sig.Variadic() || sig.Params().Len() < 1 || sig.Params().Len() > 3 {
		return nil, errHolds
	}
	own, params := false, tupleTypes(sig.Params())
	types.TypeString(sig.Params().At(0).Type(), func(p *types.Package) string {
		own = own || p == t.f.pkg
		return ""
	})
	differs := func(p types.Type) bool { return !types.Identical(p, params[0]) }
	if !own || slices.ContainsFunc(params, differs) {
		return nil, errHolds
	}
	return params, nil
}

// A copier copies a function of a test file, with the functions of the tests that
// it calls, under names of our own.
type copier struct {
	t       *testDecls
	file    *ast.File
	prefix  string
	helpers string
	taken   map[string]bool // functions copied
}

// function returns the type of a function and its text after "func".
func (c *copier) function(e ast.Expr) (*ast.FuncType, string, error) {
	c.taken = map[string]bool{}
	var typ *ast.FuncType
	var body *ast.BlockStmt
	switch e := e.(type) {
	case *ast.FuncLit:
		typ, body = e.Type, e.Body
	case *ast.Ident:
		decl := c.t.funcs[e.Name]
		if decl == nil || decl.Body == nil {
			return nil, "", errHolds
		}
		typ, body = decl.Type, decl.Body
	default:
		return nil, "", errHolds
	}
	text, err := c.copy(&ast.FuncLit{Type: typ, Body: body})
	return typ, strings.TrimPrefix(text, "func"), err
}

// declare declares the copy of a function and of those that it calls. body is the
// result of function.
func (c *copier) declare(body string) {
	c.t.f.decls[c.prefix] = seq.Decl{Name: c.prefix, Text: "func " + c.prefix + body + c.helpers}
}

// copy returns the text of a function with its names replaced: the tree has the new
// ones while it is printed.
func (c *copier) copy(fn *ast.FuncLit) (string, error) {
	restore := map[*ast.Ident]string{}
	rename := func(id *ast.Ident, name string) { restore[id], id.Name = id.Name, name }
	defer func() {
		for id, name := range restore {
			id.Name = name
		}
	}()
	called, err := c.rename(fn, rename)
	var b strings.Builder
	if err := errors.Join(err, printer.Fprint(&b, c.t.f.in.Fset, fn)); err != nil {
		return "", err
	}
	for _, name := range called {
		if err := c.addHelper(name); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// rename renames the packages and the functions of the tests in fn, and returns the
// old names of the functions. It fails if fn uses another declaration of the tests.
func (c *copier) rename(fn *ast.FuncLit, to func(id *ast.Ident, name string)) (called []string, err error) {
	packages, local := c.packages(), locals(fn)
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && !local[id.Name] && packages[id.Name] != "" {
				to(id, packages[id.Name])
			} else {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.Ident:
			switch {
			case local[n.Name]:
			case c.t.funcs[n.Name] != nil:
				called = append(called, n.Name)
				to(n, c.prefix+"_"+n.Name)
			case c.t.names[n.Name]:
				err = fmt.Errorf("it uses %s, which only the test declares: want a function that stands for itself", n.Name)
			}
		}
		return true
	}
	ast.Inspect(fn, visit)
	return called, err
}

// addHelper adds a copy of the function of the tests with this name, once.
func (c *copier) addHelper(name string) error {
	decl := c.t.funcs[name]
	if c.taken[name] || decl.Body == nil {
		return nil
	}
	c.taken[name] = true
	helper, err := c.copy(&ast.FuncLit{Type: decl.Type, Body: decl.Body})
	if err != nil {
		return err
	}
	c.helpers += "\n\nfunc " + c.prefix + "_" + name + strings.TrimPrefix(helper, "func")
	return nil
}

// locals returns the names that a function declares, be it in a part of it only.
func locals(fn *ast.FuncLit) map[string]bool {
	names := map[string]bool{}
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		}
		return true
	})
	return names
}

// packages maps the names that the file uses for its imports to the names that the
// table uses.
func (c *copier) packages() map[string]string {
	m := map[string]string{}
	for _, spec := range c.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil || p == harnessPath {
			continue
		}
		name := path.Base(p)
		if p == c.t.f.pkg.Path() {
			name = c.t.f.pkg.Name()
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		m[name] = c.t.f.names.Use(p, name)
	}
	return m
}
