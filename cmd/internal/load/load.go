// Package load finds the packages that foray is asked to work on, parses and
// type-checks them.
//
//	pkgs, err := load.Load(ctx, load.Config{Patterns: []string{"./...", "container/list", "github.com/google/btree@v1.1.3"}})
//
// Patterns are those of the go command. A package or pattern may also have a
// version, and then needs no module around it. The packages are checked from
// source; their dependencies come from the compiler's export data.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"foray.test/harness/build"
)

// Config selects the packages. The zero value loads the package in the current
// directory.
type Config struct {
	Dir      string   // where patterns are relative to; empty: the current directory
	Flags    []string // build flags as the user gave them
	Patterns []string // none: "."
	Env      []string // of the go command; nil: the environment of this process
	// Cache is the directory that holds the modules made for packages at a
	// version; empty: "foray" in the user's cache directory.
	Cache string
}

// A Package is a package under test with its syntax and types.
type Package struct {
	build.Target
	Fset    *token.FileSet
	Files   []*ast.File // of Target.GoFiles, with comments
	Sources [][]byte    // of Target.GoFiles
	Types   *types.Package
	Info    *types.Info
	// TestFiles are the files of both test packages that parse, but for emitted ones. They are not
	// type-checked.
	TestFiles []*ast.File
	// TypeErrors are the type errors of test files, if these were checked.
	TypeErrors []types.Error
	// Importer imports the dependencies of the package, from export data.
	Importer types.Importer
	exports  map[string]string // the files that Importer reads, by import path
	listing  *build.Listing
}

// List finds packages without parsing them, which takes a fraction of the time;
// build.Lookup needs no more. Packages come in the order of the patterns. The
// error joins an *Error for each package that cannot be loaded.
//
// Patterns at a version have listings of their own, because each is in its own
// module.
func List(ctx context.Context, c Config) (targets []*build.Target, err error) {
	queries, errs := c.queries(ctx)
	for len(queries) > 0 {
		q := queries[0]
		queries = queries[1:]
		l, err := build.List(ctx, q)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if len(q.Patterns) > 1 {
				// One of them is the culprit: the others are to be had.
				for i, p := range q.Patterns {
					one := q
					one.Patterns = []string{p}
					queries = slices.Insert(queries, i, one)
				}
				continue
			}
			errs = append(errs, newError(strings.Join(q.Patterns, " "), err.Error(), nil))
			continue
		}
		for _, p := range l.Problems {
			errs = add(errs, problem(l, p))
		}
		targets = append(targets, l.Targets...)
	}
	return targets, errors.Join(errs...)
}

// add adds an error that is new: packages that import one which does not compile have its error,
// too.
func add(errs []error, err error) []error {
	if slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
		return errs
	}
	return append(errs, err)
}

func problem(l *build.Listing, p build.Problem) error {
	return newError(cmp.Or(p.Pos, p.Path), p.Msg, &l.Go)
}

// Load finds, parses and type-checks packages. It returns those that it could
// load, and an error that joins an *Error for each of the others.
func Load(ctx context.Context, c Config) (pkgs []*Package, err error) {
	targets, err := List(ctx, c)
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, t := range targets {
		if p, err := One(ctx, t); err != nil {
			errs = add(errs, err)
		} else {
			pkgs = append(pkgs, p)
		}
	}
	return pkgs, errors.Join(errs...)
}

// One parses and type-checks the package of a target. The go command is asked for the export data
// of its dependencies once, however often it is loaded. The error is an *Error, or that of ctx.
func One(ctx context.Context, t *build.Target) (*Package, error) {
	l, err := t.Exported(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, newError(t.Path, err.Error(), nil)
	}
	for _, p := range l.Problems {
		if p.Path == t.Path {
			return nil, problem(l, p)
		}
	}
	return newChecker(l, t.Path).load(t.Path, true)
}

// Dependencies loads packages that p depends on, without their tests. They have types of their
// own.
func (p *Package) Dependencies(paths []string) (pkgs []*Package, err error) {
	ch := newChecker(p.listing, paths...)
	var errs []error
	for _, path := range paths {
		if d, err := ch.load(path, false); err != nil {
			errs = append(errs, err)
		} else {
			pkgs = append(pkgs, d)
		}
	}
	return pkgs, errors.Join(errs...)
}

// queries returns the listings that the patterns ask for.
func (c *Config) queries(ctx context.Context) (queries []build.Query, errs []error) {
	plain := build.Query{Dir: c.Dir, Env: c.Env, Flags: c.Flags}
	for _, p := range c.Patterns {
		if !atVersion(p) {
			plain.Patterns = append(plain.Patterns, p)
			continue
		}
		q, err := c.versioned(ctx, p)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		queries = append(queries, q)
	}
	if len(plain.Patterns) > 0 || len(c.Patterns) == 0 {
		queries = slices.Insert(queries, 0, plain)
	}
	return queries, errs
}

// A checker parses and type-checks the packages of one listing.
type checker struct {
	listing *build.Listing
	exports map[string]string
	fset    *token.FileSet
	base    types.Importer
}

// newChecker returns one for some packages of a listing.
func newChecker(l *build.Listing, paths ...string) *checker {
	ch := &checker{listing: l, exports: l.Exports(paths...), fset: token.NewFileSet()}
	ch.base = importer.ForCompiler(ch.fset, "gc", func(path string) (io.ReadCloser, error) {
		file := ch.exports[path]
		if file == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(file)
	})
	return ch
}

// load parses and type-checks a package of the listing, and parses its tests if they are wanted.
func (ch *checker) load(path string, tests bool) (*Package, error) {
	t := ch.listing.Target(path)
	if t == nil {
		return nil, &Error{Place: path, Msg: "package is gone"}
	}
	if !tests {
		t.TestGoFiles, t.XTestGoFiles = nil, nil
	}
	return ch.check(t)
}

// check parses and type-checks one package.
func (ch *checker) check(t *build.Target) (*Package, error) {
	p := &Package{Target: *t, Fset: ch.fset, Importer: ch.importer(t), exports: ch.exports, listing: ch.listing}
	var err error
	if p.Files, p.Sources, err = ch.parse(t, t.GoFiles); err != nil {
		return nil, newError(t.Path, err.Error(), &t.Go)
	}
	for _, name := range slices.Concat(t.TestGoFiles, t.XTestGoFiles) {
		if build.Emitted(name) {
			continue
		}
		if f, _, err := ch.parse(t, []string{name}); err == nil {
			p.TestFiles = append(p.TestFiles, f...)
		}
	}
	checked := p.Files
	conf := types.Config{
		Importer:  p.Importer,
		Sizes:     types.SizesFor("gc", t.Go.Settings["GOARCH"]),
		GoVersion: goVersion(t),
	}
	if file := ch.listing.CgoTypes[t.Path]; file != "" {
		cgo, _, err := ch.parse(t, []string{file})
		if err != nil {
			return nil, newError(t.Path, err.Error(), &t.Go)
		}
		checked = append(slices.Clip(checked), cgo...)
		setUsesCgo(&conf)
	} else if len(t.CgoFiles) > 0 {
		conf.FakeImportC = true
	}
	var first *types.Error
	conf.Error = func(err error) {
		var te types.Error
		if errors.As(err, &te) && first == nil && !te.Soft {
			first = &te
		}
	}
	p.Info = NewInfo()
	p.Types, _ = conf.Check(t.Path, ch.fset, checked, p.Info)
	if first != nil {
		return nil, newError(ch.place(first.Pos), first.Msg, &t.Go)
	}
	return p, nil
}

// NewInfo returns an empty record of all that a type checker finds out.
func NewInfo() *types.Info {
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
}

// place prints a position as the go command does.
func (ch *checker) place(pos token.Pos) string {
	position := ch.fset.Position(pos)
	wd, err := os.Getwd()
	if err != nil {
		return position.String()
	}
	if rel, err := filepath.Rel(wd, position.Filename); err == nil && !strings.HasPrefix(rel, "..") {
		position.Filename = rel
	}
	return position.String()
}

// parse reads and parses files of a package, a few at a time.
func (ch *checker) parse(t *build.Target, names []string) ([]*ast.File, [][]byte, error) {
	files, sources, errs := make([]*ast.File, len(names)), make([][]byte, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, name := range names {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if sources[i], errs[i] = t.ReadFile(name); errs[i] == nil {
				files[i], errs[i] = parser.ParseFile(ch.fset, name, sources[i], parser.ParseComments|parser.SkipObjectResolution)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return files, sources, nil
}

// mapped is an importer that resolves paths as one package writes them.
type mapped struct {
	imports build.Imports
	base    types.Importer
}

func (ch *checker) importer(t *build.Target) types.Importer {
	return mapped{ch.listing.Imports[t.Path], ch.base}
}

func (m mapped) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := m.imports[path]; ok {
		path = p
	}
	return m.base.Import(path)
}

// goVersion returns the language version that the package is written in.
func goVersion(t *build.Target) string {
	switch {
	case t.Module == nil:
		return t.Go.Language()
	case t.Module.GoVersion == "":
		return "go1.16"
	}
	return "go" + t.Module.GoVersion
}

// setUsesCgo makes the type checker look up C.name in the declarations that cgo
// has generated. The field has no exported name; x/tools sets it in this way,
// too. Without it such names have no type, and the catalog skips declarations
// that use them.
func setUsesCgo(c *types.Config) {
	f := reflect.ValueOf(c).Elem().FieldByName("go115UsesCgo")
	if !f.IsValid() || f.Kind() != reflect.Bool {
		c.FakeImportC = true
		return
	}
	*(*bool)(unsafe.Pointer(f.UnsafeAddr())) = true
}
