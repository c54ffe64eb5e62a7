package emit

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// A Regression is a regression test to be written, with its reason: a sentence
// without a subject, such as "takes both sides of n > 0".
type Regression struct {
	regression.Test
	Reason string
}

// RegressionOptions say how regression tests are written. The zero value works.
type RegressionOptions struct {
	Package string   // the name in its package clause; empty means Table.Name
	Taken   []string // names of functions that the package of the tests has already
	Raise   bool     // as in [Options]
}

// Regressions returns a test file, of package x_test, with all tests in order.
// names are their names for go test -run: "TestList_PushBackThenLen". Tests
// that differ only in values are rows of one table, and their names end in
// "/2".
func Regressions(t *seq.Table, tests []Regression, o RegressionOptions) (file []byte, names []string, err error) {
	w := newRegressionWriter(t)
	w.raise(o.Raise)
	for _, name := range o.Taken {
		w.taken[name] = true
	}
	names = make([]string, len(tests))
	var text strings.Builder
	for i := range tests {
		w.calls(tests[i].Steps)
	}
	for _, rows := range w.groups(tests) {
		name := w.name(&tests[rows[0]].Test)
		group := make([]*Regression, len(rows))
		for i, row := range rows {
			group[i] = &tests[row]
			if names[row] = name; len(rows) > 1 {
				names[row] = fmt.Sprintf("%s/%d", name, i)
			}
		}
		text.WriteString("\n" + w.function(name, group))
	}
	file, err = w.file(cmp.Or(o.Package, t.Name)+"_test", text.String())
	if err == nil {
		file, err = w.ownDecls(file)
	}
	return file, names, err
}

// ownDecls gives the declarations of foray's own in a file names that those in the
// file of findings, which is beside it, do not have.
func (w *regressionWriter) ownDecls(file []byte) ([]byte, error) {
	own := map[string]bool{}
	for _, d := range w.t.Decls {
		own[d.Name] = true
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", file, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	renamed := func(text string) string { return "regression" + strings.TrimPrefix(text, "foray") }
	for _, d := range f.Decls {
		var doc *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc = d.Doc
		case *ast.GenDecl:
			doc = d.Doc
		}
		if doc == nil {
			continue
		}
		first := doc.List[0]
		if name, rest, _ := strings.Cut(strings.TrimPrefix(first.Text, "// "), " "); own[name] {
			first.Text = "// " + renamed(name) + " " + rest
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && own[id.Name] {
			id.Name = renamed(id.Name)
		}
		return true
	})
	var b bytes.Buffer
	err = format.Node(&b, fset, f)
	return b.Bytes(), err
}

// regressionWriter writes regression tests.
type regressionWriter struct {
	*writer
	taken map[string]bool // names of functions
	row   string          // the variable of a row
}

func newRegressionWriter(t *seq.Table) *regressionWriter {
	return &regressionWriter{writer: newWriter(t), taken: map[string]bool{}, row: t.VariableName("tt")}
}

// function returns one test function: of a single test, or of several that differ
// in values only.
func (w *regressionWriter) function(name string, group []*Regression) string {
	f := &regressionFunc{w: w, test: &group[0].Test, wants: map[[2]int]string{}, calls: map[int]string{}}
	var table strings.Builder
	reason := cmp.Or(group[0].Reason, "keeps results as they were recorded")
	if len(group) > 1 {
		f.columns(group)
		table.WriteString(f.table(group))
	}
	body := f.body()
	if len(group) > 1 {
		body = fmt.Sprintf("%[1]s%[2]s.Run(%[3]sSprint(i), func(%[2]s *%[4]sT) {\n%[5]s})\n}\n", table.String(), w.testVar, w.pkg("fmt"), w.pkg("testing"), body)
	}
	return fmt.Sprintf("%[2]sfunc %[1]s(%[3]s *%[4]sT) {\n%[5]s}\n", name, comment(name+" "+reason+".", 100), w.testVar, w.pkg("testing"), body)
}

// pkg returns the qualifier of names of a package.
func (w *writer) pkg(path string) string { return w.t.ImportName(path) + "." }

// ends is the step number in wants for the values of slots at the end.
const ends = -1

// predeclared are names that a variable would hide where a test may need them.
var predeclared = map[string]bool{"bool": true, "string": true, "int": true, "byte": true, "float64": true, "float32": true, "complex64": true, "complex128": true, "complex": true, "false": true, "true": true, "append": true, "cap": true, "close": true, "copy": true, "clear": true, "delete": true, "any": true, "comparable": true}
