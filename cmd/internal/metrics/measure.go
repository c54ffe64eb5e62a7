package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the tree. A place past one of them is listed by -long.
const (
	maxFunction = 50 // lines, at the 99th percentile
	maxFields   = 18 // of a struct that holds no options and no message
	maxSentence = 30 // words
)

// A room is one directory with Go files.
type room struct {
	dir       string
	files     int
	code      int // lines of non-test files
	test      int // lines of test files
	functions []int
}

// A place is a declaration or a sentence past its limit.
type place struct {
	at   token.Position
	size int
	text string
}

// A tree is what measure found. Comments and structs are those of non-test files.
type tree struct {
	rooms     []*room
	words     int // of comments
	hardWords int
	sentences int
	exported  int
	described int // exported declarations with a comment

	longFunctions, longSentences, wideStructs []place
}

// measure reads every Go file under dir but generated ones and testdata.
func measure(dir string) (*tree, error) {
	t := &tree{}
	rooms := map[string]*room{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") && path != dir {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if ast.IsGenerated(f) {
			return nil
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		r := rooms[rel]
		if r == nil {
			r = &room{dir: filepath.ToSlash(rel)}
			rooms[rel] = r
			t.rooms = append(t.rooms, r)
		}
		t.file(r, fset, f)
		return nil
	})
	slices.SortFunc(t.rooms, func(a, b *room) int { return strings.Compare(a.dir, b.dir) })
	return t, err
}

// file adds one file to its room and to the sums.
func (t *tree) file(r *room, fset *token.FileSet, f *ast.File) {
	tf := fset.File(f.FileStart)
	r.files++
	if strings.HasSuffix(tf.Name(), "_test.go") {
		r.test += tf.LineCount()
		return
	}
	r.code += tf.LineCount()
	for _, g := range f.Comments {
		t.comment(fset, g)
	}
	for _, d := range f.Decls {
		t.decl(r, fset, d)
	}
}

func (t *tree) decl(r *room, fset *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		t.describe(d.Name, d.Doc)
		lines := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1
		r.functions = append(r.functions, lines)
		if lines > maxFunction {
			t.longFunctions = append(t.longFunctions, place{fset.Position(d.Pos()), lines, d.Name.Name})
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				t.describe(s.Name, cmp.Or(s.Doc, d.Doc))
				t.structType(fset, s)
			}
		}
	}
}

func (t *tree) describe(name *ast.Ident, doc *ast.CommentGroup) {
	if name.IsExported() {
		t.exported++
		if doc != nil {
			t.described++
		}
	}
}

// structType counts the fields of a struct, embedded ones as one each.
func (t *tree) structType(fset *token.FileSet, s *ast.TypeSpec) {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	n, message := 0, false
	for _, f := range st.Fields.List {
		n += max(len(f.Names), 1)
		message = message || f.Tag != nil && strings.Contains(f.Tag.Value, "json:")
	}
	if n > maxFields && !message && !carriesData(s.Name.Name) {
		t.wideStructs = append(t.wideStructs, place{fset.Position(s.Pos()), n, s.Name.Name})
	}
}

// carriesData reports whether a struct of this name holds options or a message: one
// side sets its fields and another reads them. So does a struct with JSON tags.
func carriesData(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"options", "params", "config", "message", "event", "start", "stats", "counts"},
		func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// hard are the words that circle a thing instead of naming it.
var hard = map[string]bool{"what": true, "who": true, "whose": true, "whatever": true, "whom": true, "whoever": true}

// comment counts the words and the sentences of one comment. Indented lines are
// code.
func (t *tree) comment(fset *token.FileSet, g *ast.CommentGroup) {
	var prose []string
	end := func() {
		t.sentence(fset, g, prose)
		prose = prose[:0]
	}
	for line := range strings.Lines(g.Text()) {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ") || strings.TrimSpace(line) == "" {
			end()
			continue
		}
		for _, word := range strings.Fields(line) {
			prose = append(prose, word)
			if strings.ContainsAny(word[len(word)-1:], ".!?") {
				end()
			}
		}
	}
	end()
}

func (t *tree) sentence(fset *token.FileSet, g *ast.CommentGroup, words []string) {
	if len(words) == 0 {
		return
	}
	t.sentences++
	t.words += len(words)
	for _, w := range words {
		if hard[strings.ToLower(strings.Trim(w, ".,;:!?()\"'…"))] {
			t.hardWords++
		}
	}
	if len(words) > maxSentence {
		t.longSentences = append(t.longSentences, place{fset.Position(g.Pos()), len(words), strings.Join(words, " ")})
	}
}
