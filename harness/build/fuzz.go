package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A worker with a fuzz target links the package's own test files, and copies of
// two files of the toolchain that pass its function to harness/target:
//
//	testing/internal/testdeps/deps.go   asks for inputs, reads the corpus
//	testing/fuzz.go                     F.Fuzz, which gets the function
//
// The copies differ in statements at the start of four bodies, on the line of
// their opening brace, so that everything else stays as in the release. The
// names that these statements use are looked up first. A release that declares
// them otherwise is refused, not misread.

// targetPath is the import path of harness/target in a worker.
const targetPath = RuntimePath + "/harness/target"

// takeOver overlays the files of package testing with the changed ones.
func (b *builder) takeOver(l *layer, o *layout) error {
	for _, f := range []struct {
		name string
		edit func([]byte) ([]byte, error)
	}{
		{"testing/internal/testdeps/deps.go", editDeps},
		{"testing/fuzz.go", editFuzz},
	} {
		name := filepath.FromSlash(f.name)
		src, err := os.ReadFile(filepath.Join(b.Target.Go.Root, "src", name))
		if err == nil {
			src, err = f.edit(src)
		}
		if err != nil {
			return fmt.Errorf("fuzz targets of %s cannot be run: %w", b.Target.Go.Version, err)
		}
		if err := l.put(filepath.Join(o.root, "src", name), src); err != nil {
			return err
		}
	}
	return nil
}

// editDeps redirects both of testing's calls of a fuzzing engine to
// harness/target. It leaves the corpus to the foray command, which reports an
// unreadable file more precisely than as a failure of the target.
func editDeps(src []byte) ([]byte, error) {
	e, err := newSourceEdit("testing/internal/testdeps", src)
	if err != nil {
		return nil, err
	}
	const call = "func(fuzz.CorpusEntry) error"
	e.imports(fmt.Sprintf("forayTarget %q", targetPath))
	e.prepend("TestDeps", "RunFuzzWorker", "return forayTarget.Serve(func(args []any) error { return $"+call+"(fuzz.CorpusEntry{Values: args}) })", call)
	e.prepend("TestDeps", "CoordinateFuzzing",
		"var foraySeeds [][]any; for _, e := range $[]fuzz.CorpusEntry { foraySeeds = append(foraySeeds, e.Values) }; return forayTarget.Describe(foraySeeds, $[]reflect.Type)",
		"[]fuzz.CorpusEntry", "[]reflect.Type")
	e.prepend("TestDeps", "ReadCorpus", "return nil, nil")
	e.append("func (TestDeps) WrapFuzz(ff any) any { return forayTarget.Wrap(ff) }")
	return e.result()
}

// editFuzz makes F.Fuzz run the function that WrapFuzz of editDeps returns.
func editFuzz(src []byte) ([]byte, error) {
	e, err := newSourceEdit("testing", src)
	if err != nil {
		return nil, err
	}
	e.wantField("F", "fstate")
	e.wantField("fuzzState", "deps")
	e.prepend("F", "Fuzz", "if w, ok := $0.fstate.deps.(interface{ WrapFuzz(any) any }); ok { $any = w.WrapFuzz($any) }", "any")
	return e.result()
}

// A sourceEdit inserts text into one file without moving its lines.
type sourceEdit struct {
	path    string // of the package, for errors
	src     []byte
	fset    *token.FileSet
	file    *ast.File
	inserts map[int]string // by offset
	tail    string
	missing []string // declarations that the file lacks
}

func newSourceEdit(path string, src []byte) (*sourceEdit, error) {
	e := &sourceEdit{path: path, src: src, fset: token.NewFileSet(), inserts: make(map[int]string)}
	var err error
	e.file, err = parser.ParseFile(e.fset, path, src, parser.SkipObjectResolution)
	return e, err
}

func (e *sourceEdit) offset(p token.Pos) int { return e.fset.Position(p).Offset }

func (e *sourceEdit) text(n ast.Node) string {
	return string(e.src[e.offset(n.Pos()):e.offset(n.End())])
}

// imports adds an import.
func (e *sourceEdit) imports(spec string) {
	for _, d := range e.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Lparen.IsValid() {
			e.inserts[e.offset(g.Lparen)+1] = spec + "; "
			return
		}
	}
	e.missing = append(e.missing, "imports in parentheses")
}

// prepend puts a statement in front of the body of a method. In it $type stands
// for the only parameter of that type, $0 for the receiver.
func (e *sourceEdit) prepend(recv, method, statement string, types ...string) {
	for _, d := range e.file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Name.Name != method || fd.Recv == nil || strings.TrimPrefix(e.text(fd.Recv.List[0].Type), "*") != recv {
			continue
		}
		if names := fd.Recv.List[0].Names; len(names) == 1 {
			statement = strings.ReplaceAll(statement, "$0", names[0].Name)
		}
		for _, typ := range types {
			name, ok := e.param(fd, typ)
			if !ok {
				break
			}
			statement = strings.ReplaceAll(statement, "$"+typ, name)
		}
		if !strings.Contains(statement, "$") {
			e.inserts[e.offset(fd.Body.Lbrace)+1] = " " + statement + ";"
			return
		}
	}
	e.missing = append(e.missing, fmt.Sprintf("method %s.%s(%s)", recv, method, strings.Join(types, ", ")))
}

// param returns the name of the only parameter of a type.
func (e *sourceEdit) param(fd *ast.FuncDecl, typ string) (name string, ok bool) {
	for _, field := range fd.Type.Params.List {
		if e.text(field.Type) != typ {
			continue
		}
		if len(field.Names) != 1 || ok {
			return "", false
		}
		name, ok = field.Names[0].Name, true
	}
	return name, ok
}

// wantField notes if a struct type has no such field.
func (e *sourceEdit) wantField(typ, field string) {
	found := false
	ast.Inspect(e.file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == typ {
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, name := range f.Names {
						found = found || name.Name == field
					}
				}
			}
		}
		return true
	})
	if !found {
		e.missing = append(e.missing, fmt.Sprintf("field %s.%s", typ, field))
	}
}

// append adds a declaration at the end of the file.
func (e *sourceEdit) append(decl string) { e.tail += "\n" + decl + "\n" }

func (e *sourceEdit) result() ([]byte, error) {
	if len(e.missing) > 0 {
		return nil, errors.New(e.path + " has no " + strings.Join(e.missing, ", no "))
	}
	var b bytes.Buffer
	for i, c := range e.src {
		b.WriteString(e.inserts[i])
		b.WriteByte(c)
	}
	b.WriteString(e.tail)
	return b.Bytes(), nil
}

// TestInputs adds to t.Inputs the files that its test files depend on, as List
// does for the package itself.
func (t *Target) TestInputs(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "foray-tests-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tests, err := t.withTestModules(ctx, dir)
	if err != nil {
		return err
	}
	g := goCmd{dir: t.WorkDir, env: t.Env}
	args := append([]string{"list", "-deps", "-test", "-json=" + listFields}, tests.Flags...)
	out, _, err := g.output(ctx, append(args, "--", t.Path)...)
	if err != nil {
		return err
	}
	packages, err := decodeList(out)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if !p.Standard && p.where(t) != ModuleCache {
			t.Inputs = append(t.Inputs, p.abs(p.GoFiles, p.CgoFiles, p.EmbedFiles, p.otherFiles())...)
		}
	}
	return nil
}
