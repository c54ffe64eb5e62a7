package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// source finds the declarations and documentation of objects of the package.
type source struct {
	in       Input
	funcs    map[*types.Func]*ast.FuncDecl
	promises map[*types.Func]string // documentation of interface methods
	typeDocs map[*types.TypeName]string
	// typeComments are the comments that typeDocs are the text of.
	typeComments map[*types.TypeName][]*ast.CommentGroup
	inits        map[types.Object]ast.Expr // initial values of package variables
	builds       map[*token.File][]string  // see [seq.Declaration]
	pkgDoc       string
}

func newSource(in Input) *source {
	s := &source{
		in:       in,
		funcs:    map[*types.Func]*ast.FuncDecl{},
		promises: map[*types.Func]string{},
		typeDocs: map[*types.TypeName]string{}, typeComments: map[*types.TypeName][]*ast.CommentGroup{},
		inits: map[types.Object]ast.Expr{}, builds: map[*token.File][]string{},
	}
	for _, file := range in.Files {
		at := in.Fset.File(file.Package)
		s.builds[at] = append(Constraint(file), nameConstraints(at.Name(), in.Platform)...)
		s.pkgDoc += file.Doc.Text()
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if fn, ok := in.Info.Defs[decl.Name].(*types.Func); ok {
					s.funcs[fn] = decl
				}
			case *ast.GenDecl:
				s.addSpecs(decl)
			}
		}
	}
	return s
}

func (s *source) addSpecs(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc, comments := spec.Doc.Text(), []*ast.CommentGroup{spec.Doc}
			if len(decl.Specs) == 1 {
				doc += decl.Doc.Text()
				comments = append(comments, decl.Doc)
			}
			if obj, ok := s.in.Info.Defs[spec.Name].(*types.TypeName); ok {
				s.typeDocs[obj], s.typeComments[obj] = doc, comments
			}
			if it, ok := spec.Type.(*ast.InterfaceType); ok {
				s.addPromises(it)
			}
		case *ast.ValueSpec:
			for i, id := range spec.Names {
				if i < len(spec.Values) && len(spec.Names) == len(spec.Values) {
					s.inits[s.in.Info.Defs[id]] = spec.Values[i]
				}
			}
		}
	}
}

// addPromises records the documentation of an interface's methods.
func (s *source) addPromises(it *ast.InterfaceType) {
	for _, field := range it.Methods.List {
		for _, id := range field.Names {
			if fn, ok := s.in.Info.Defs[id].(*types.Func); ok {
				s.promises[fn] = field.Doc.Text() + field.Comment.Text()
			}
		}
	}
}

// decl returns the declaration of fn, or nil for one of another package.
func (s *source) decl(fn *types.Func) *ast.FuncDecl {
	if fn == nil {
		return nil
	}
	return s.funcs[fn.Origin()]
}

func (s *source) doc(fn *types.Func) string {
	if d := s.decl(fn); d != nil {
		return d.Doc.Text()
	}
	if fn == nil {
		return ""
	}
	return s.promises[fn.Origin()]
}

// docLine returns fn's documentation, without the code in it, on one line. All of it: an exception
// may stand in its last sentence.
func (s *source) docLine(fn *types.Func) string { return strings.Join(sentences(s.doc(fn)), " ") }

// place returns the base name of the file and the line of pos.
func (s *source) place(pos token.Pos) (string, int) {
	if !pos.IsValid() {
		return "", 0
	}
	p := s.in.Fset.Position(pos)
	if p.Filename == "" {
		return "", 0
	}
	return filepath.Base(p.Filename), p.Line
}

// declare sets what the source says of op, which is declared at pos.
func (s *source) declare(op *operation, pos token.Pos) {
	op.File, op.Line = s.place(pos)
	op.Build = s.builds[s.in.Fset.File(pos)]
}

// Constraint returns the constraint of a file's //go:build line, if it has one.
func Constraint(file *ast.File) []string {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if text, ok := strings.CutPrefix(c.Text, "//go:build "); ok && c.Pos() < file.Package {
				return []string{text}
			}
		}
	}
	return nil
}

// Constraints returns the build constraints that a source file needs beside others of its package,
// which are given by name. They are those of the files that declare what it names, but for methods
// and fields. A file that does not parse has none. The platform is GOOS and GOARCH.
func Constraints(src []byte, beside map[string][]byte, platform [2]string) []string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	named := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			named[id.Name] = true
		}
		return true
	})
	delete(named, "_") // which any file may declare, as it may declare init
	delete(named, "init")
	var list []string
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		other, err := parser.ParseFile(fset, name, beside[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(other.Decls, func(d ast.Decl) bool {
			return slices.ContainsFunc(Declared(d), func(declared string) bool { return named[declared] })
		}) {
			list = append(append(list, Constraint(other)...), nameConstraints(name, platform)...)
		}
	}
	return list
}

// Declared returns the names that a declaration adds to its package.
func Declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// nameConstraints returns those of GOOS and GOARCH that the name of a file asks for.
func nameConstraints(name string, platform [2]string) (list []string) {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(name), ".go"), "_")
	for _, value := range []string{platform[1], platform[0]} {
		if last := len(parts) - 1; last > 0 && parts[last] == value {
			list, parts = append(list, value), parts[:last]
		}
	}
	return list
}

// sentences splits documentation without the code in it. It takes any full stop before a
// space and a capital as an end, which is wrong for "e.g. X" only.
func sentences(doc string) []string {
	var list []string
	for _, para := range strings.Split(doc, "\n\n") {
		if strings.HasPrefix(para, "\t") {
			continue
		}
		text := strings.Join(strings.Fields(para), " ")
		for {
			i := sentenceEnd(text)
			if i < 0 {
				break
			}
			list = append(list, text[:i+1])
			text = strings.TrimSpace(text[i+1:])
		}
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

func sentenceEnd(text string) int {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' && (text[i+2] < 'a' || text[i+2] > 'z') {
			return i
		}
	}
	return -1
}
