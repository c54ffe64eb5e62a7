package gentest

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"foray.test/harness/catalog"
	"foray.test/harness/emit"
)

// signaturePrefix begins the line of a test's comment that names the finding.
const signaturePrefix = "// Signature "

// A findingTest is the test of a finding, in a file of its own.
type findingTest struct {
	signature string
	source    []byte // with one test function, and declarations that it needs
	fixed     bool   // it passes
}

// merge returns one file of external tests with all tests, and their names in it. declared are
// the names that other files of the package declare. Of the build constraints of tests the file
// has those that are terms of this build: a test of another one need not compile in this.
func merge(pkg string, tests []findingTest, declared, terms []string) (src []byte, names []string, err error) {
	m := merger{imports: newImportNamer(declared), decls: map[string]string{}, taken: map[string]bool{}}
	for _, name := range declared {
		m.taken[name] = true
	}
	for _, t := range tests {
		name, err := m.add(t)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, name)
	}
	var b strings.Builder
	b.WriteString(emit.BuildLine(slices.DeleteFunc(emit.Terms(m.builds), func(term string) bool { return !slices.Contains(terms, term) })))
	fmt.Fprintf(&b, "package %s_test\n\nimport (\n", pkg)
	for _, std := range []bool{true, false} {
		for _, p := range slices.Sorted(maps.Keys(m.imports.names)) {
			if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") == std {
				continue
			}
			name := m.imports.names[p]
			if name == path.Base(p) {
				name = ""
			}
			fmt.Fprintf(&b, "\t%s %q\n", name, p)
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n" + m.shared.String() + m.text.String())
	src, err = format.Source([]byte(b.String()))
	return src, names, err
}

// A merger joins files.
type merger struct {
	builds       []string // build constraints of tests
	imports      *importNamer
	decls        map[string]string // text of declarations beside tests, by name
	taken        map[string]bool   // names of tests
	shared, text strings.Builder
}

// add adds a test and returns its name.
func (m *merger) add(t findingTest) (string, error) {
	var err error
	if t.source, err = m.imports.rename(t.source); err != nil {
		return "", err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", t.source, parser.ParseComments)
	if err != nil {
		return "", err
	}
	m.builds = append(m.builds, catalog.Constraint(f)...)
	text := func(from, to token.Pos) string {
		return string(t.source[fset.Position(from).Offset:fset.Position(to).Offset])
	}
	name := ""
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") {
				name = m.test(t, d, text(d.Pos(), d.End()))
				continue
			}
			key := d.Name.Name
			if d.Recv != nil {
				key = text(d.Recv.Pos(), d.Recv.End()) + "." + key
			}
			err = m.share(key, text(start(d), d.End()))
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				err = m.share(declKey(d), text(start(d), d.End()))
			}
		}
		if err != nil {
			return "", err
		}
	}
	if name == "" {
		return "", fmt.Errorf("no test of %s", t.signature)
	}
	return name, nil
}

// start returns where a declaration begins, or its comment.
func start(d ast.Decl) token.Pos {
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		doc = d.Doc
	case *ast.GenDecl:
		doc = d.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return d.Pos()
}

// declKey returns a name for a declaration.
func declKey(d *ast.GenDecl) string {
	if key := strings.Join(catalog.Declared(d), " "); strings.Trim(key, "_ ") != "" {
		return key
	}
	return fmt.Sprint("_ at ", d.Pos()) // var _ I = T{}: one of each place
}

// share adds a declaration that several tests may need.
func (m *merger) share(key, text string) error {
	have, known := m.decls[key]
	if known && have != text {
		return fmt.Errorf("two declarations of %s", key)
	}
	if !known {
		m.decls[key] = text
		m.shared.WriteString("\n" + text + "\n")
	}
	return nil
}

// test adds a test function under a name of its own.
func (m *merger) test(t findingTest, d *ast.FuncDecl, text string) string {
	old := d.Name.Name
	name := old
	for n := 2; m.taken[name]; n++ {
		name = fmt.Sprintf("%s%d", old, n)
	}
	m.taken[name] = true
	if name != old { // it may run itself, by its name
		text = regexp.MustCompile(`\b`+old+`\b`).ReplaceAllString(text, name)
	}
	doc := ""
	if d.Doc != nil {
		for _, c := range d.Doc.List {
			if !strings.HasPrefix(c.Text, signaturePrefix) {
				doc += c.Text + "\n"
			}
		}
	}
	m.text.WriteString("\n" + doc + signaturePrefix + t.signature + "\n" + text + "\n")
	return name
}

// split returns the tests of a file that merge made, of findings with a signature.
func split(src []byte) ([]findingTest, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	text := func(from, to token.Pos) string {
		return string(src[fset.Position(from).Offset:fset.Position(to).Offset])
	}
	var rest strings.Builder
	var list []findingTest
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") {
			rest.WriteString(text(start(d), d.End()) + "\n\n")
			continue
		}
		if fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			if signature, ok := strings.CutPrefix(c.Text, signaturePrefix); ok {
				list = append(list, findingTest{signature: signature, source: []byte(text(fn.Doc.Pos(), fn.End()) + "\n")})
			}
		}
	}
	for i := range list {
		list[i].source = slices.Concat([]byte(emit.BuildLine(catalog.Constraint(f))+"package p\n\n"+rest.String()), list[i].source)
	}
	return list, nil
}
