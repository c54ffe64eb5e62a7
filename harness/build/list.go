package build

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Query says which packages to list.
type Query struct {
	Dir      string   // where the go command runs; empty: the current directory
	Env      []string // nil: the environment of this process
	Flags    []string // build flags, -C and -overlay included
	Patterns []string // as the go command takes them; none: "."
	Export   bool     // also build the packages, and return the export data of their dependencies
	// Find reads no dependencies: targets have their files alone, and are no targets of a build.
	Find bool
	// Like is a target of an earlier listing, if there is one. Its directory, environment and flags
	// are taken, and the go command is not asked for its variables again.
	Like *Target
}

// A Listing is the go command's description of some packages.
type Listing struct {
	Targets  []*Target          // without those that Problems names
	Problems []Problem          // in the order of the go command
	Imports  map[string]Imports // by path of target: the packages that its import paths mean, where they differ from the paths
	CgoTypes map[string]string  // by path of target that uses cgo: the Go file that declares the C types
	Go       Toolchain

	packages map[string]*listed // by path, with all dependencies
	base     Target             // what the targets have in common
}

// Imports maps import paths as written to package paths.
type Imports map[string]string

// A Problem is a package that cannot be built, as the go command put it.
type Problem struct {
	Path string // import path, or the pattern
	Pos  string // file:line:column, if the go command gave one
	Msg  string // may have several lines
}

// listed is one package as go list prints it.
type listed struct {
	Dir, ImportPath, Name, Export string
	Standard, DepOnly, Incomplete bool
	listedFiles
	ImportMap  map[string]string
	Module     *Module
	Match      []string
	Error      *listedError
	DepsErrors []*listedError

	Imports, TestImports, XTestImports, Deps []string
}

// listedFiles are the files of a package by kind, relative to its directory.
type listedFiles struct {
	GoFiles, CgoFiles, CompiledGoFiles         []string
	TestGoFiles, XTestGoFiles, EmbedFiles      []string
	CFiles, CXXFiles, MFiles, HFiles, FFiles   []string
	SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string
}

type listedError struct {
	Pos, Err string
}

const listFields = "Dir,ImportPath,Name,Export,Standard,DepOnly,Incomplete,GoFiles,CgoFiles,CompiledGoFiles," +
	"TestGoFiles,XTestGoFiles,EmbedFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles," +
	"ImportMap,Imports,TestImports,XTestImports,Deps,Module,Match,Error,DepsErrors"

// List asks the go command about packages. It neither parses nor, without
// Query.Export, compiles anything: some 20 ms for a small package. An error
// means that the go command gave no answer; Listing.Problems has the errors of
// single packages.
func List(ctx context.Context, q Query) (*Listing, error) {
	base, err := q.base()
	if err != nil {
		return nil, err
	}
	g := goCmd{dir: base.WorkDir, env: base.Env}
	var wg sync.WaitGroup
	var envErr error
	if q.Like == nil {
		wg.Go(func() { base.Go, base.GoMod, base.GoWork, envErr = g.environment(ctx) })
	}
	out, stderr, err := g.output(ctx, q.listArgs(base.Flags)...)
	wg.Wait()
	if err := cmp.Or(err, envErr); err != nil && (ctx.Err() != nil || len(out) == 0) {
		return nil, err
	}
	packages, err := decodeList(out)
	if err != nil {
		return nil, err
	}
	if mod, _ := CutFlag(base.Flags, "modfile"); mod != "" {
		base.GoMod = abs(mod, base.WorkDir)
	}
	if base.Overlay, err = readOverlay(flagValue(base.Flags, &base.Go, "overlay"), base.WorkDir); err != nil {
		return nil, err
	}
	l := &Listing{
		Imports: make(map[string]Imports), CgoTypes: make(map[string]string),
		Go: base.Go, packages: make(map[string]*listed, len(packages)), base: base,
	}
	for _, p := range packages {
		l.packages[p.ImportPath] = p
	}
	for _, p := range packages {
		if !p.DepOnly {
			l.add(p)
		}
	}
	if len(l.Targets)+len(l.Problems) == 0 {
		l.Problems = append(l.Problems, Problem{Path: strings.Join(q.Patterns, " "), Msg: firstLine(stderr)})
	}
	return l, nil
}

// Exports returns the files with the export data of packages, and of all that these depend on, by
// import path. There are none without Query.Export.
func (l *Listing) Exports(paths ...string) map[string]string {
	exports := make(map[string]string)
	for _, path := range paths {
		if p := l.packages[path]; p != nil {
			for _, dep := range append(slices.Clip(p.Deps), path) {
				if d := l.packages[dep]; d != nil && d.Export != "" {
					exports[dep] = d.Export
				}
			}
		}
	}
	return exports
}

// Target returns the target of a package of the listing, which may be a dependency of others. It
// is nil if there is none.
func (l *Listing) Target(path string) *Target {
	if p := l.packages[path]; p != nil {
		return p.target(l.packages, l.base)
	}
	return nil
}

// listArgs returns the arguments of the go command.
func (q *Query) listArgs(flags []string) []string {
	args := []string{"list", "-e", "-deps", "-buildvcs=false", "-json=" + listFields}
	if q.Find {
		args[2] = "-find"
	}
	if q.Export {
		args = append(args, "-export", "-compiled")
	}
	args = append(args, flags...)
	args = append(args, "--")
	return append(args, q.Patterns...)
}

// base returns what the targets have in common, as far as that is known before the go command
// has answered. A -C flag moves the directory. It sets the patterns if there are none.
func (q *Query) base() (t Target, err error) {
	if len(q.Patterns) == 0 {
		q.Patterns = []string{"."}
	}
	if l := q.Like; l != nil {
		return Target{WorkDir: l.WorkDir, GoMod: l.GoMod, GoWork: l.GoWork, Env: l.Env, Flags: l.Flags, Go: l.Go}, nil
	}
	t.Env = q.Env
	if t.WorkDir, err = filepath.Abs(q.Dir); err != nil {
		return t, err
	}
	var c string
	if c, t.Flags = CutFlag(q.Flags, "C"); c != "" {
		t.WorkDir = abs(c, t.WorkDir)
	}
	return t, nil
}

func decodeList(out []byte) ([]*listed, error) {
	var packages []*listed
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// add turns p into a target or a problem.
func (l *Listing) add(p *listed) {
	wildcard := slices.ContainsFunc(p.Match, func(m string) bool { return strings.Contains(m, "...") || m == "all" || m == "std" })
	if prob, bad := p.problem(l.packages); bad {
		l.Problems = append(l.Problems, prob)
		return
	}
	if len(p.GoFiles)+len(p.CgoFiles) == 0 {
		if !wildcard {
			l.Problems = append(l.Problems, Problem{Path: p.ImportPath, Msg: "no non-test Go files in " + p.Dir})
		}
		return
	}
	l.Targets = append(l.Targets, p.target(l.packages, l.base))
	if len(p.ImportMap) > 0 {
		l.Imports[p.ImportPath] = p.ImportMap
	}
	if len(p.CgoFiles) > 0 {
		for _, f := range p.CompiledGoFiles {
			if f = abs(f, p.Dir); declaresC(f) {
				l.CgoTypes[p.ImportPath] = f
				break
			}
		}
	}
}

// declaresC reports whether file is the one in which cgo declares the C types.
// The go command only names its copy in the build cache.
func declaresC(file string) bool {
	data, err := os.ReadFile(file)
	return err == nil && bytes.Contains(data, []byte("\n// Code generated by cmd/cgo; DO NOT EDIT.\n")) && bytes.Contains(data, []byte("\nfunc _Cgo_ptr("))
}

// problem returns the first problem of p: an error of its own, or
// the error of a dependency.
func (p *listed) problem(byPath map[string]*listed) (Problem, bool) {
	if e := p.Error; e != nil {
		return e.problem(p.ImportPath), true
	}
	for _, dep := range p.Deps {
		if d := byPath[dep]; d != nil && d.Error != nil {
			return d.Error.problem(p.ImportPath), true
		}
	}
	for _, e := range p.DepsErrors {
		return e.problem(p.ImportPath), true
	}
	return Problem{}, false
}

func (e *listedError) problem(path string) Problem {
	pr := Problem{Path: path, Pos: e.Pos, Msg: strings.TrimSpace(e.Err)}
	// An error of the compiler comes as its output: "# path", then lines with places.
	if rest, ok := strings.CutPrefix(pr.Msg, "# "); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if d, ok := firstDiagnostic(body); ok {
				pr.Pos, pr.Msg = d.pos(), d.msg
			} else {
				pr.Msg = strings.TrimSpace(body)
			}
		}
	}
	return pr
}

// otherFiles returns the files of p that are not Go, embedded ones aside.
func (p *listed) otherFiles() []string {
	return slices.Concat(p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
}

func (p *listed) abs(lists ...[]string) []string {
	var files []string
	for _, name := range slices.Concat(lists...) {
		files = append(files, abs(name, p.Dir))
	}
	return files
}

// target completes base with the go command's description p.
func (p *listed) target(byPath map[string]*listed, base Target) *Target {
	t := base
	t.Path, t.Name, t.Dir, t.Module, t.exported = p.ImportPath, p.Name, p.Dir, p.Module, new(exported)
	t.GoFiles = p.abs(p.GoFiles, p.CgoFiles)
	t.CgoFiles = p.abs(p.CgoFiles)
	t.TestGoFiles = p.abs(p.TestGoFiles)
	t.XTestGoFiles = p.abs(p.XTestGoFiles)
	t.EmbedFiles = p.abs(p.EmbedFiles)
	t.OtherFiles = p.abs(p.otherFiles())
	t.TestImports = slices.Concat(p.TestImports, p.XTestImports)
	t.Where = p.where(&base)
	for _, f := range []string{t.GoMod, t.GoWork} {
		if f != "" {
			t.Inputs = append(t.Inputs, f, strings.TrimSuffix(f, filepath.Ext(f))+".sum", f+".sum")
		}
	}
	modules := make(map[string]bool)
	for _, path := range append([]string{p.ImportPath}, p.Deps...) {
		d := byPath[path]
		if d == nil || d.Standard && d != p {
			continue
		}
		cached := d.where(&base) == ModuleCache
		if cached && d.Module != nil {
			modules[d.Module.id()] = true
		}
		if p.Module != nil && d.Module != nil && (d.Module.Path == p.Module.Path || !cached && p.Module.below(d.Module)) {
			t.Siblings = append(t.Siblings, Sibling{
				Path: d.ImportPath, Dir: d.Dir, Imports: d.Imports,
				GoFiles: d.abs(d.GoFiles, d.CgoFiles), Cgo: len(d.CgoFiles) > 0, Copy: len(d.otherFiles())+len(d.EmbedFiles) > 0,
			})
		}
		if !cached || d == p {
			t.Inputs = append(t.Inputs, d.abs(d.GoFiles, d.CgoFiles, d.EmbedFiles, d.otherFiles())...)
		}
	}
	for id := range modules {
		t.Modules = append(t.Modules, id)
	}
	slices.Sort(t.Modules)
	// Test files are mined for values, so they affect the catalog.
	t.Inputs = append(append(t.Inputs, t.TestGoFiles...), t.XTestGoFiles...)
	return &t
}

func (p *listed) where(base *Target) Where {
	switch {
	case p.Standard:
		return Std
	case within(p.Dir, base.Go.ModCache):
		return ModuleCache
	case base.GoWork != "" && within(p.Dir, filepath.Join(filepath.Dir(base.GoWork), "vendor")),
		base.GoMod != "" && within(p.Dir, filepath.Join(filepath.Dir(base.GoMod), "vendor")):
		return Vendor
	case base.GoWork != "" && p.Module != nil && p.Module.Main:
		return Workspace
	}
	return MainModule
}

// id returns the path and version of the module that is built.
func (m *Module) id() string {
	if m.Replace != nil {
		return m.Replace.Path + "@" + m.Replace.Version
	}
	return m.Path + "@" + m.Version
}

// fileExists reports whether there is a file of that name.
func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
