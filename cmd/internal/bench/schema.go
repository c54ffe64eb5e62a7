package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// An edit replaces length bytes at offset of a file.
type edit struct {
	offset, length int
	text           string
}

// edited returns src[from:to] with edits that lie in it, in any order.
func edited(src []byte, from, to int, edits []edit) string {
	edits = slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int { return a.offset - b.offset })
	var text strings.Builder
	for _, e := range edits {
		text.Write(src[from:e.offset])
		text.WriteString(e.text)
		from = e.offset + e.length
	}
	text.Write(src[from:to])
	return text.String()
}

// A schema is a source file with all its mutants, so that they are compiled
// once. A mutant is a copy of the function that it changes. The function begins
// with a switch on [schemaVariable] that calls the copy.
//
// These are mutant schemata: Untch, Offutt, Harrold, ISSTA 1993.
type schema struct {
	file      string // absolute
	src       []byte
	functions []mutatedFunction
}

// A mutatedFunction is a function that has mutants.
type mutatedFunction struct {
	from, to   int    // offsets
	name, body int    // offsets of the name, and after the brace of the body
	names      []edit // that give parameters a name
	call       string // of a copy, and return: the verb stands for its name
	mutants    []mutant
}

// newSchema finds the mutants of a file. Their numbers begin at first.
func newSchema(pkg, file string, src []byte, first int) (*schema, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &schema{file: file, src: src}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		list := mutants(fset, pkg, fn)
		for i := range list {
			list[i].number = first
			first++
		}
		if len(list) > 0 {
			m := newMutatedFunction(fset, fn)
			m.mutants = list
			s.functions = append(s.functions, m)
		}
	}
	return s, nil
}

func newMutatedFunction(fset *token.FileSet, fn *ast.FuncDecl) mutatedFunction {
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	m := mutatedFunction{from: at(fn.Pos()), to: at(fn.End()), name: at(fn.Name.Pos()), body: at(fn.Body.Lbrace) + 1}
	given := 0
	named := func(list *ast.FieldList) (names []string) {
		add := func(at, length int, behind string) {
			given++
			name := fmt.Sprint("unnamed", given)
			names = append(names, name)
			m.names = append(m.names, edit{at, length, name + behind})
		}
		for _, field := range list.List {
			if len(field.Names) == 0 {
				add(at(field.Type.Pos()), 0, " ")
			}
			for _, n := range field.Names {
				if n.Name == "_" {
					add(at(n.Pos()), 1, "")
				} else {
					names = append(names, n.Name)
				}
			}
		}
		return names
	}
	if fn.Type.Results != nil {
		m.call = "return "
	}
	if fn.Recv != nil {
		m.call += named(fn.Recv)[0] + "."
	}
	m.call += "%s"
	if fn.Type.TypeParams != nil {
		m.call += "[" + strings.Join(named(fn.Type.TypeParams), ", ") + "]"
	}
	m.call += "(" + strings.Join(named(fn.Type.Params), ", ")
	if n := len(fn.Type.Params.List); n > 0 {
		if _, variadic := fn.Type.Params.List[n-1].Type.(*ast.Ellipsis); variadic {
			m.call += "..."
		}
	}
	m.call += ")"
	if fn.Type.Results == nil {
		m.call += "; return"
	}
	return m
}

// A span is the lines of a schema that hold the copy for a mutant.
type span struct{ first, last, number int }

// text writes the schema with the wanted mutants. It begins with the lines of
// the file.
func (s *schema) text(wanted func(number int) bool) (string, []span) {
	var calls []edit
	var copies strings.Builder
	var spans []span
	line := 1 + bytes.Count(s.src, []byte("\n"))
	for _, fn := range s.functions {
		cases := ""
		for _, m := range fn.mutants {
			if !wanted(m.number) {
				continue
			}
			name := fmt.Sprint("mutant", m.number)
			cases += fmt.Sprintf(" case %d: %s;", m.number, fmt.Sprintf(fn.call, name))
			text := "\n" + edited(s.src, fn.from, fn.to, append(slices.Clone(fn.names), edit{fn.name, fn.nameLength(s.src), name}, m.change))
			copies.WriteString(text)
			n := strings.Count(text, "\n")
			spans = append(spans, span{line + 1, line + n, m.number})
			line += n
		}
		if cases == "" {
			continue
		}
		calls = append(calls, fn.names...)
		calls = append(calls, edit{fn.body, 0, " switch " + schemaVariable + " {" + cases + " };"})
	}
	return edited(s.src, 0, len(s.src), calls) + copies.String(), spans
}

// nameLength returns the length of the name of the function.
func (fn *mutatedFunction) nameLength(src []byte) int {
	return bytes.IndexAny(src[fn.name:], "([")
}

// schemaVariable is the number of the mutant to run, 0 for none.
const schemaVariable = "mutantNumber"

// schemaEnv is the environment variable with its value for a process.
const schemaEnv = "BENCH_MUTANT"

// schemaSwitch returns the file that declares [schemaVariable] in a package.
func schemaSwitch(pkg string) string {
	return "package " + pkg + `

import (
	"os"
	"strconv"
)

var ` + schemaVariable + `, _ = strconv.Atoi(os.Getenv("` + schemaEnv + `"))
`
}
