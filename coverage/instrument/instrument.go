// Package instrument rewrites the source of a type-checked package so that it
// marks the sides of its conditions that it takes, in the bytes of package
// coverage/probe. Of
//
//	package stack
//
//	func (s *Stack) Pop() (v int, err error) {
//		if len(s.v) == 0 {
//			return 0, ErrEmpty
//		}
//
// it makes
//
//	package stack; import foray_probe "forayrt/coverage/probe"
//
//	func (s *Stack) Pop() (v int, err error) {
//		if foray_probe.Cond(0, len(s.v) == 0) {
//			return 0, ErrEmpty
//		}
//
// and the table with the condition (*Stack).Pop#1 "len(s.v) == 0". Rewriting
// only inserts text or replaces it within a line. It adds no line break, so
// lines keep their numbers.
//
// These are conditions:
//
//   - operands of if and for, of &&, || and !, as far down as these go, and
//     comparisons anywhere: false, true;
//   - the clauses of a switch and a type switch, and matching none: a default
//     clause is added if there is none. A clause entered by fallthrough counts as
//     taken. A switch without a tag is a chain of ifs;
//   - the clauses of a select statement;
//   - the operand of a range loop: empty, non-empty. A channel, an iterator and
//     in Go before 1.18 everything has the sides reached and entered instead;
//   - the second result of a map read, a type assertion or a receive, if the
//     variable it goes to is nowhere an operand, which would count it already.
//
// The rewritten code behaves like the original. No expression is evaluated
// twice or moved. Types stay, too: a named boolean type is kept, and a
// comparison that becomes one as untyped boolean stays untyped.
//
// Calls and receives in one statement run in source order. Go does not say when
// a plain operand beside them is read, but an operand marked by a call is read
// in that order. Therefore some comparisons and operands of ! are no
// conditions: those that share a statement or an argument list with a call or a
// receive outside themselves. Operands of if, for, && and || are conditions all
// the same.
//
// Left out are:
//
//   - constant conditions, because the compiler drops the code they exclude, even
//     code that would not compile; ranges over constants and arrays, which are
//     constantly empty or not;
//   - a comma-ok form in the header of an if or switch that no operand tests;
//   - files that import "C", and files that cgo generated;
//   - functions without a body, or with a directive that inserted code might
//     break (go:nosplit, go:norace and their like);
//   - operands of a named boolean type in Go before 1.18;
//   - the run-time system, where Rewrite fails.
//
// The instrumented code costs more to inline, so less of it is.
//
// The analysis form marks the same sides of the same conditions, with the same
// numbers, and passes the operands of the conditions to the probe. It makes
//
//	if foray_probe.IntEq(0, 0, foray_probe.Int64(len(s.v)), foray_probe.Int64(0)) {
//
// of the condition above: the probe compares. Operands are converted to the
// widest type of their kind, which changes no comparison. Tags of switches,
// keys of map reads and operands of type assertions are noted when they are
// evaluated. The probe calls the functions of strings and bytes that compare
// two texts. A condition is only marked if a call beside an operand might
// change it, or if its types are not plainly of one kind. Function entries,
// loop heads and backward jumps count fuel, as conditions do.
//
// The table also lists, for each side, the conditions that may be evaluated next.
package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"
	"strings"

	"foray.test/coverage"
)

// A Package is the input of Rewrite. Files, Names and Sources are parallel.
// Info needs Types, Defs and Uses, and FileVersions if the files may differ in
// version.
type Package struct {
	Path    string // import path
	Fset    *token.FileSet
	Files   []*ast.File // parsed with comments
	Names   []string    // absolute file names
	Sources [][]byte    // sources of Files
	Types   *types.Package
	Info    *types.Info

	// Analysis asks for the analysis form, in which conditions pass their
	// operands to the probe. The conditions and sides are those of the normal
	// form.
	Analysis bool
	// FirstCondition is the index of the first condition in a table of several
	// packages.
	FirstCondition int
}

// A Result is a rewritten package.
type Result struct {
	Sources    map[string][]byte    // by file name; only files that changed
	Conditions []coverage.Condition // by file, then mostly by position; sides dense from firstSide
	Sides      int                  // how many sides they have
}

// Rewrite returns p with every condition marked. The new code imports the probe
// package by probePath; its sides are numbered from firstSide. p is unchanged.
// Equal input gives equal output.
func Rewrite(p Package, probePath string, firstSide int) (*Result, error) {
	if len(p.Names) != len(p.Files) || len(p.Sources) != len(p.Files) {
		return nil, fmt.Errorf("instrument: %s: %d files, %d names, %d sources, want as many of each",
			p.Path, len(p.Files), len(p.Names), len(p.Sources))
	}
	if isRuntime(p.Path) {
		return nil, fmt.Errorf("instrument: %s: part of the run-time system", p.Path)
	}
	w := newWriter(&p, firstSide)
	sources := make(map[string][]byte)
	for i := range p.Files {
		src, err := w.file(i, probePath)
		if err != nil {
			return nil, err
		}
		if src != nil {
			sources[p.Names[i]] = src
		}
	}
	w.findSuccessors()
	return &Result{Sources: sources, Conditions: w.conds, Sides: w.nextSide - firstSide}, nil
}

// isRuntime reports whether package runtime is, or imports, the package: code
// that runs without a stack to grow, write barriers or a goroutine.
func isRuntime(importPath string) bool {
	switch importPath {
	case "runtime", "unsafe", "internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder",
		"internal/chacha8rand", "internal/coverage/rtcov", "internal/cpu", "internal/goarch",
		"internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
		"internal/profilerecord", "internal/race", "internal/stringslite", "internal/strconv",
		"internal/trace/tracev2":
		return true
	}
	return strings.HasPrefix(importPath, "internal/runtime/") || strings.HasPrefix(importPath, "runtime/internal/")
}

// A writer rewrites the files of one package in turn.
type writer struct {
	*Package
	probe    string          // the name of the probe package in the new code
	used     map[string]bool // the names that some file has
	nextSide int
	conds    []coverage.Condition
	ordinals map[string]int        // conditions so far by function
	nodes    map[ast.Node]int      // conditions by their syntax: expression, range, body of a switch, comma-ok statement
	operands map[types.Object]bool // variables that are operands somewhere
	shared   map[types.Object]bool // variables that calls may change

	// Of the file at work:
	name     string
	tok      *token.File
	generics bool   // its version of Go has type parameters
	function string // the declaration at work, as in Condition.Func
	src      []byte
	edits    []edit
	notes    map[types.Object]*note // operands that a variable was read from
}

func newWriter(p *Package, firstSide int) *writer {
	w := &writer{
		Package:  p,
		used:     make(map[string]bool),
		nextSide: firstSide,
		ordinals: make(map[string]int),
		nodes:    make(map[ast.Node]int),
		operands: make(map[types.Object]bool),
		shared:   sharedVariables(p),
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				w.used[id.Name] = true
			}
			w.noteOperands(n)
			return true
		})
	}
	w.probe = w.unused("foray_probe")
	return w
}

// unused returns a name that begins with name and that no file has.
func (w *writer) unused(name string) string {
	for w.used[name] {
		name += "_"
	}
	return name
}

// noteOperands records the variables that are operands of n.
func (w *writer) noteOperands(n ast.Node) {
	note := func(x ast.Expr) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && w.Info.Uses[id] != nil {
			w.operands[w.Info.Uses[id]] = true
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		note(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			note(n.Cond)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			note(n.X)
		}
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			note(n.X)
			note(n.Y)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					note(x)
				}
			}
		}
	}
}

// file returns the rewritten source of the file with the given index, nil if it
// stays as it is.
func (w *writer) file(index int, probePath string) ([]byte, error) {
	f, src := w.Files[index], w.Sources[index]
	w.name = w.Names[index]
	w.tok = w.Fset.File(f.FileStart)
	if w.tok == nil || w.tok.Size() != len(src) {
		return nil, fmt.Errorf("instrument: %s: the source of %d bytes is not the parsed one", w.name, len(src))
	}
	if isCgo(f, src) {
		return nil, nil
	}
	w.generics = hasGenerics(w.Package, f)
	w.src, w.edits, w.notes = src, nil, make(map[types.Object]*note)
	w.insert(f.Name.End(), "; import "+w.probe+" "+strconv.Quote(probePath))
	after := f.Name.End()
	for _, d := range f.Decls {
		w.decl(d, f, after)
		after = d.End()
	}
	w.edits = slices.DeleteFunc(w.edits, edit.empty)
	if len(w.edits) == 1 {
		return nil, nil
	}
	return applyEdits(src, w.edits), nil
}

func isCgo(f *ast.File, src []byte) bool {
	for _, imp := range f.Imports {
		if imp.Path.Value == `"C"` {
			return true
		}
	}
	return bytes.HasPrefix(src, []byte("// Code generated by cmd/cgo"))
}

func hasGenerics(p *Package, f *ast.File) bool {
	v := p.Info.FileVersions[f]
	if v == "" && p.Types != nil {
		v = p.Types.GoVersion()
	}
	return v == "" || version.Compare(v, "go1.18") >= 0
}

// decl rewrites a top-level declaration. after is where the previous one ends.
func (w *writer) decl(d ast.Decl, f *ast.File, after token.Pos) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && !hasPragma(f, after, d.Type.Func) && !vast(d.Body) {
			w.function = FuncName(d)
			w.body(d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				w.function = v.Names[0].Name
				w.group(v.Values...)
			}
		}
	}
}

// maxBranches is how many branches a function has that gets probes. To compile one of 23,000, a
// generated state machine, takes nine seconds without probes, and over four minutes and 10 GB with them.
const maxBranches = 4096

// vast reports whether a function has more branches than that.
func vast(body *ast.BlockStmt) bool {
	n := 0
	ast.Inspect(body, func(x ast.Node) bool {
		switch x.(type) {
		case *ast.IfStmt, *ast.CaseClause, *ast.CommClause, *ast.ForStmt, *ast.RangeStmt:
			n++
		}
		return n <= maxBranches
	})
	return n > maxBranches
}

// pragmas are the directives of functions that must not get code put in, or get
// code that must not be seen as part of them.
var pragmas = map[string]bool{
	"//go:nosplit":            true,
	"//go:norace":             true,
	"//go:systemstack":        true,
	"//go:nowritebarrier":     true,
	"//go:nowritebarrierrec":  true,
	"//go:yeswritebarrierrec": true,
	"//go:uintptrkeepalive":   true,
}

// hasPragma reports whether one of pragmas stands between the given positions.
// The compiler applies it to the next declaration, blank lines or not, so the doc
// comment is not enough to look at.
func hasPragma(f *ast.File, after, before token.Pos) bool {
	for _, group := range f.Comments {
		if group.Pos() < after || group.Pos() > before {
			continue
		}
		for _, c := range group.List {
			directive, _, _ := strings.Cut(strings.TrimRight(c.Text, "\r"), " ")
			if pragmas[directive] {
				return true
			}
		}
	}
	return false
}

// FuncName returns F, T.F or (*T).F, without type parameters.
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	recv, pointer := ast.Unparen(d.Recv.List[0].Type), false
	if star, ok := recv.(*ast.StarExpr); ok {
		recv, pointer = ast.Unparen(star.X), true
	}
	switch x := recv.(type) {
	case *ast.IndexExpr:
		recv = x.X
	case *ast.IndexListExpr:
		recv = x.X
	}
	if pointer {
		return "(*" + types.ExprString(recv) + ")." + d.Name.Name
	}
	return types.ExprString(recv) + "." + d.Name.Name
}

// body rewrites the body of a function.
func (w *writer) body(b *ast.BlockStmt) {
	w.burnIfCalling(b)
	w.list(b.List)
}

// condition adds the condition that node makes, at pos, to the table and returns its
// first side.
func (w *writer) condition(kind coverage.Kind, node ast.Node, pos token.Pos, text string, sides ...string) int {
	w.ordinals[w.function]++
	position := w.Fset.PositionFor(pos, false)
	first := w.nextSide
	w.nextSide += len(sides)
	w.nodes[node] = len(w.conds)
	w.conds = append(w.conds, coverage.Condition{
		Package: w.Path,
		Func:    w.function,
		Ordinal: w.ordinals[w.function],
		Text:    shorten(text),
		File:    w.name,
		Line:    position.Line,
		Col:     position.Column,
		Kind:    kind,
		First:   first,
		Sides:   sides,
	})
	return first
}
