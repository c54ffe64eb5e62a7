// Package property holds the properties that package contract binds to the
// operations of a package. Each is written once, as a Go function that the worker
// calls and the emitted test repeats. The function
//
//	func EqualSymmetric(equal func(...any) bool, x, y any) bool {
//		return equal(x, y) == equal(y, x)
//	}
//
// takes operations as functions, and values. In the worker equal calls the operation
// through its adapter. In a test [Text] replaces the parameters by their arguments:
//
//	v0.Equal(v1) == v1.Equal(v0)
//
// A function of more than one statement becomes a function literal that is called.
// So the body of a property names only its parameters, its own variables and
// packages of the standard library. It compiles with the static types that the
// operations have in the test.
package property

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.go
var files embed.FS

// An Argument is the text of an operation or value that replaces a parameter of a
// property in a test.
type Argument struct {
	Text    string                     // of a value
	Call    func(args []string) string // of an operation: the text of a call
	Results int                        // of the operation; those beyond the left side of an assignment are blank
}

// Text returns the Go expression that p, a function of this package, is with args in
// the place of its parameters. importName returns the name by which the test imports a
// package of the standard library.
func Text(importName func(path string) string, p any, args ...Argument) string {
	name := runtime.FuncForPC(reflect.ValueOf(p).Pointer()).Name()
	d, ok := declarations()[name[strings.LastIndexByte(name, '.')+1:]]
	if !ok {
		panic("property: no source of " + name)
	}
	w := &writer{declaration: d, importName: importName, args: map[string]Argument{}, renamed: map[string]string{}}
	for name := range d.variables() {
		if importName("/"+name) != name { // a package of the test goes by it: no path begins so
			w.renamed[name] = name + "2"
		}
	}
	for _, field := range d.fn.Type.Params.List {
		for _, id := range field.Names {
			w.args[id.Name], args = args[0], args[1:]
		}
	}
	if len(args) > 0 {
		panic("property: too many arguments for " + name)
	}
	list := d.fn.Body.List
	if ret, is := list[0].(*ast.ReturnStmt); is && len(list) == 1 {
		return w.text(ret.Results[0])
	}
	var b strings.Builder
	b.WriteString("func() bool {\n")
	for _, s := range list {
		for line := range strings.Lines(w.text(s)) {
			b.WriteString(strings.TrimLeft(line, "\t"))
		}
		b.WriteByte('\n')
	}
	return b.String() + "}()"
}

// A declaration is a property as it stands in its file.
type declaration struct {
	fn    *ast.FuncDecl
	src   string
	start token.Pos         // of src
	paths map[string]string // of the packages that the file imports, by name
}

// variables returns the names of the variables that the body declares.
func (d declaration) variables() map[string]bool {
	names := map[string]bool{}
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" && !ast.IsExported(id.Name) {
			names[id.Name] = true
		}
	}
	ast.Inspect(d.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok == token.DEFINE {
					add(e)
				}
			}
		case *ast.RangeStmt:
			add(n.Key)
			add(n.Value)
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

// declarations returns the functions of this package, by name.
var declarations = sync.OnceValue(func() map[string]declaration {
	list, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	all := map[string]declaration{}
	for _, entry := range list {
		src, err := files.ReadFile(entry.Name())
		if err != nil || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, entry.Name(), src, parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		paths := map[string]string{}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			paths[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				all[fn.Name.Name] = declaration{fn, string(src), f.FileStart, paths}
			}
		}
	}
	return all
})

// A writer writes one property.
type writer struct {
	declaration
	importName func(path string) string
	args       map[string]Argument
	renamed    map[string]string // variables of the property
}

// text returns the text of n with all parameters and package names in it replaced.
func (w *writer) text(n ast.Node) string {
	var b strings.Builder
	at := n.Pos()
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil {
			return false
		}
		text, ok := w.replace(m)
		if ok {
			b.WriteString(w.src[at-w.start : m.Pos()-w.start])
			b.WriteString(text)
			at = m.End()
		}
		return !ok
	})
	b.WriteString(w.src[at-w.start : n.End()-w.start])
	return b.String()
}

// replace returns the text of n, if it differs from the source.
func (w *writer) replace(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if a, ok := w.operation(n); ok {
			args := make([]string, len(n.Args))
			for i, arg := range n.Args {
				args[i] = w.text(arg)
			}
			return a.Call(args), true
		}
	case *ast.AssignStmt:
		call, ok := n.Rhs[0].(*ast.CallExpr)
		if !ok {
			return "", false
		}
		a, ok := w.operation(call)
		if !ok || a.Results <= len(n.Lhs) {
			return "", false
		}
		var names []string
		for _, e := range n.Lhs {
			names = append(names, w.text(e))
		}
		return strings.Join(names, ", ") + strings.Repeat(", _", a.Results-len(names)) + " " + n.Tok.String() + " " + w.text(call), true
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok && w.paths[id.Name] != "" {
			return w.importName(w.paths[id.Name]) + "." + n.Sel.Name, true
		}
		if text := w.text(n.X); text != "" {
			return text + "." + n.Sel.Name, true
		}
	case *ast.KeyValueExpr:
		return w.text1(n.Key) + ": " + w.text(n.Value), true
	case *ast.Ident:
		if a, ok := w.args[n.Name]; ok {
			return a.Text, true
		}
		name, ok := w.renamed[n.Name]
		return name, ok
	}
	return "", false
}

// text1 returns the text of the key of a composite literal: the name of a field is none
// of a parameter.
func (w *writer) text1(key ast.Expr) string {
	if id, ok := key.(*ast.Ident); ok {
		return id.Name
	}
	return w.text(key)
}

// operation returns the operation that call is a call of, if it is one.
func (w *writer) operation(call *ast.CallExpr) (Argument, bool) {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return Argument{}, false
	}
	a, ok := w.args[id.Name]
	return a, ok && a.Call != nil
}
