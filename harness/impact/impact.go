// Package impact finds the members of a package through which a change of it
// can be seen. It is change impact analysis over static references, as in Ren
// et al., Chianti, OOPSLA 2004.
//
//	old: func Max(l []int) int { return last(sorted(l)) }    new: the same
//	     func sorted(l []int) []int { … }                         func sorted(l []int) []int { … another … }
//
//	Reached(old, next)["Max"] = ["sorted"]
//
// It reads the source of one package. It knows neither the changes of its
// imports, nor the methods that other packages call (fmt calls String, sort
// calls Less). A call through an interface reaches every method of that name.
package impact

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A Version is one version of a package, parsed and type-checked.
type Version struct {
	Fset    *token.FileSet
	Files   []*ast.File
	Sources [][]byte // of Files
	Types   *types.Package
	Info    *types.Info
}

// Reached maps the name of a declaration to the changed ones that it reaches in
// either version, itself included, sorted. It has no entry for a declaration
// that reaches none. Names are those of catalog members, without the star of a
// receiver: "Max", "(List).Len". A declaration is changed if only one version
// has it, or if its tokens differ; comments and line breaks do not count.
func Reached(old, next Version) map[string][]string {
	a, b := newGraph(old), newGraph(next)
	changed := map[string]bool{}
	for _, g := range []*graph{a, b} {
		for name := range g.text {
			changed[name] = a.text[name] != b.text[name]
		}
	}
	reached := map[string][]string{}
	for name := range changed {
		seen := map[string]bool{}
		a.walk(name, seen)
		inNext := map[string]bool{}
		b.walk(name, inNext)
		maps.Copy(seen, inNext)
		maps.DeleteFunc(seen, func(name string, _ bool) bool { return !changed[name] })
		if len(seen) > 0 {
			reached[name] = slices.Sorted(maps.Keys(seen))
		}
	}
	return reached
}

// graph holds the declarations of one version by name.
type graph struct {
	Version
	text    map[string]string   // tokens; of a constant type and value
	refs    map[string][]string // the names that it mentions
	methods map[string][]string // by bare name: methods that a call through an interface may reach
}

func newGraph(v Version) *graph {
	g := &graph{Version: v, text: map[string]string{}, refs: map[string][]string{}, methods: map[string][]string{}}
	for i, file := range v.Files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				g.addFunc(d, v.Sources[i])
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					g.addSpec(spec, v.Sources[i])
				}
			}
		}
	}
	g.addPromoted()
	return g
}

func (g *graph) addFunc(d *ast.FuncDecl, source []byte) {
	fn, ok := g.Info.Defs[d.Name].(*types.Func)
	if !ok || d.Name.Name == "init" || d.Name.Name == "_" {
		return
	}
	name := nameOf(fn)
	if d.Recv != nil {
		g.methods[fn.Name()] = append(g.methods[fn.Name()], name)
	}
	g.add(name, g.tokens(d.Type.Pos(), d.End(), source)+" "+d.Name.Name, d)
}

func (g *graph) addSpec(spec ast.Spec, source []byte) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		g.add(s.Name.Name, g.tokens(s.Pos(), s.End(), source), s)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			text := g.tokens(s.Pos(), s.End(), source)
			if c, ok := g.Info.Defs[name].(*types.Const); ok {
				text = c.Type().String() + " " + c.Val().ExactString() // iota stands elsewhere
			}
			if name.Name != "_" {
				g.add(name.Name, text, s)
			}
		}
	}
}

func (g *graph) add(name, text string, node ast.Node) {
	g.text[name] = text
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if to := g.target(g.Info.Uses[id]); to != "" && to != name {
				g.refs[name] = append(g.refs[name], to)
			}
		}
		return true
	})
}

// anyMethod begins the name of a node for all methods of a name.
const anyMethod = "any "

// target returns the name of the declaration of an identifier. It is "" for
// local ones and for other packages. A method of an interface stands for any
// method of its name.
func (g *graph) target(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return anyMethod + obj.Name()
		}
		if obj.Pkg() == g.Types {
			return nameOf(obj)
		}
	case *types.TypeName, *types.Var, *types.Const:
		if obj.Parent() == g.Types.Scope() {
			return obj.Name()
		}
	}
	return ""
}

// addPromoted adds the methods that types promote from embedded fields, and the
// methods that interfaces require.
func (g *graph) addPromoted() {
	for _, name := range g.Types.Scope().Names() {
		tn, ok := g.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		t := tn.Type()
		if !types.IsInterface(t) {
			t = types.NewPointer(t)
		}
		for set, i := types.NewMethodSet(t), 0; i < set.Len(); i++ {
			fn := set.At(i).Obj().(*types.Func)
			method := fmt.Sprintf("(%s).%s", name, fn.Name())
			if to := g.target(fn); g.refs[method] == nil && g.text[method] == "" && to != "" {
				g.text[method], g.refs[method] = fn.Signature().String(), []string{to}
			}
		}
	}
}

// walk adds to seen all declarations reachable from name, itself included.
func (g *graph) walk(name string, seen map[string]bool) {
	if seen[name] {
		return
	}
	seen[name] = true
	refs := g.refs[name]
	if method, ok := strings.CutPrefix(name, anyMethod); ok {
		refs = g.methods[method]
	}
	for _, to := range refs {
		g.walk(to, seen)
	}
}

// tokens returns the source between two positions, one space between tokens.
func (g *graph) tokens(from, to token.Pos, source []byte) string {
	file := g.Fset.File(from)
	part := source[file.Offset(from):file.Offset(to)]
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(part)), part, nil, 0)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = tok.String()
		}
		b.WriteString(lit)
		b.WriteByte(' ')
	}
}

// nameOf names a function or method as members are named, without the star.
func nameOf(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return fmt.Sprintf("(%s).%s", named.Obj().Name(), fn.Name())
	}
	return fn.Name()
}
