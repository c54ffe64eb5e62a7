package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"foray.test/engine/seq"
)

// listed holds the fields of go list's output that these tests read.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// exports loads packages with go list, each once.
type exports struct {
	mu   sync.Mutex
	pkgs map[string]*listed
}

var cache = exports{pkgs: map[string]*listed{}}

// standardPaths are packages that standard values come from.
func standardPaths() []string {
	var paths []string
	for _, s := range standards {
		paths = append(paths, strings.Fields(s.imports)...)
	}
	return append(paths, "container/heap", "testing", "fmt", "maps", "slices", "cmp", "iter")
}

func (e *exports) load(t *testing.T, dir string, paths ...string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	missing := paths[:0:0]
	for _, p := range paths {
		if e.pkgs[p] == nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return
	}
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles"}, missing...)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", missing, err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		e.pkgs[p.ImportPath] = p
	}
}

func (e *exports) lookup(path string) (io.ReadCloser, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.pkgs[path]
	if p == nil {
		p = e.pkgs["vendor/"+path]
	}
	if p == nil || p.Export == "" {
		return nil, fmt.Errorf("no export data for %q", path)
	}
	return os.Open(p.Export)
}

// subject is a package under test, type-checked from source.
type subject struct {
	Input
	imp types.Importer
}

func newInfo() *types.Info {
	return &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
}

// checkFiles type-checks files as the package at path.
func checkFiles(t *testing.T, path string, fset *token.FileSet, files []*ast.File) subject {
	t.Helper()
	imp := importer.ForCompiler(fset, "gc", cache.lookup)
	info := newInfo()
	conf := types.Config{Importer: imp, FakeImportC: true, Error: func(err error) { t.Log(err) }}
	pkg, err := conf.Check(path, fset, files, info)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return subject{Input{Types: pkg, Fset: fset, Files: files, Info: info, Importer: imp}, imp}
}

// checkSource type-checks one file of source text.
func checkSource(t *testing.T, path, text string) subject {
	t.Helper()
	cache.load(t, ".", standardPaths()...)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path+".go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return checkFiles(t, path, fset, []*ast.File{file})
}

// checkListed type-checks a package that go list finds from dir.
func checkListed(t *testing.T, dir, path string) subject {
	t.Helper()
	cache.load(t, ".", standardPaths()...)
	cache.load(t, dir, path)
	p := cache.pkgs[path]
	fset := token.NewFileSet()
	parse := func(names []string) []*ast.File {
		var files []*ast.File
		for _, name := range names {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		return files
	}
	s := checkFiles(t, path, fset, parse(p.GoFiles))
	s.TestFiles = parse(append(append([]string{}, p.TestGoFiles...), p.XTestGoFiles...))
	return s
}

func find(t *testing.T, in Input) *Catalog {
	t.Helper()
	c, err := Find(in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// over imports one package as given and the others from next.
type over struct {
	pkg  *types.Package
	next types.Importer
}

func (o over) Import(path string) (*types.Package, error) {
	if path == o.pkg.Path() {
		return o.pkg, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if o.next == nil {
		return nil, errors.New("no importer")
	}
	return o.next.Import(path)
}

// findSource returns the catalog of package shop with the given declarations.
func findSource(t *testing.T, declarations string) *Catalog {
	t.Helper()
	return find(t, checkSource(t, "example.com/shop", "package shop\n"+declarations).Input)
}

// operationOf returns the operation of c with the given Short.
func operationOf(t *testing.T, c *Catalog, short string) *seq.Operation {
	t.Helper()
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; op.Short == short {
			return op
		}
	}
	t.Fatalf("no operation %s; excluded %v", short, c.Excluded)
	return nil
}

// exclusion returns why c has no operation for a member, "" if it has one.
func exclusion(c *Catalog, member string) string {
	for _, x := range c.Excluded {
		if x.Member == member {
			return x.Reason
		}
	}
	return ""
}
