package concolic

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/load"
)

//go:embed models/models.go
var modelsSource string

// Config selects packages.
type Config struct {
	Context  context.Context // of the go command; nil: none
	Dir      string
	Env      []string // of the go command; nil: the environment of this process
	Flags    []string // build flags
	Patterns []string
	Also     []string // packages that [Program.Compile] may import; those that do not load are left out
	Overlay  map[string][]byte
}

// A Program is a set of packages in SSA form, with all that they import. Functions of
// packages that cannot be interpreted have no bodies.
type Program struct {
	Fset    *token.FileSet
	Targets []*ssa.Package // of the patterns, by path
	ssa     *ssa.Program
	bodies  map[string]bool // packages with bodies, by path
	types   map[string]*types.Package
	models  *ssa.Package
	added   map[*ssa.Package]*token.File // by Compile
}

// opaquePackages of the standard library, and those below them, cannot be interpreted.
var opaquePackages = []string{
	"runtime", "internal/runtime", "internal/abi", "internal/cpu", "internal/godebug", "internal/reflectlite", "internal/poll",
	"internal/syscall", "internal/testlog", "reflect", "syscall", "os", "net", "crypto", "fmt", "log", "testing", "unique",
	"weak", "plugin", "internal/goos", "internal/goarch", "internal/chacha8rand", "internal/race", "internal/msan", "internal/asan", "internal/sync",
}

// notOpaque are packages below opaque ones that are plain Go.
var notOpaque = []string{"net/url", "net/netip", "net/textproto", "net/mail"}

// interpretable reports whether a package of the standard library is interpreted.
func interpretable(path string) bool {
	if slices.Contains(notOpaque, path) {
		return true
	}
	return !slices.ContainsFunc(opaquePackages, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// Load loads packages from source. Bodies of functions that are never interpreted are not
// type-checked.
func Load(c Config) (*Program, error) {
	fset := token.NewFileSet()
	conf := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		Context: c.Context, Dir: c.Dir, Env: c.Env, BuildFlags: withTags(c.Flags), Fset: fset, Overlay: c.Overlay, ParseFile: parseFile,
	}
	loaded, err := packages.Load(conf, slices.Concat(c.Patterns, c.Also)...)
	if err != nil {
		return nil, err
	}
	p := &Program{Fset: fset, bodies: map[string]bool{}, added: map[*ssa.Package]*token.File{}, types: map[string]*types.Package{}, ssa: ssa.NewProgram(fset, ssa.InstantiateGenerics)}
	roots := slices.DeleteFunc(slices.Clone(loaded), func(pkg *packages.Package) bool { return slices.Contains(c.Also, pkg.PkgPath) })
	if len(roots) == 0 {
		return nil, errors.New("no packages")
	}
	for _, root := range roots {
		if root.Module == nil && !interpretable(root.PkgPath) {
			return nil, fmt.Errorf("%s: a package that needs the runtime or the system cannot be interpreted", root.PkgPath)
		}
		if len(root.Errors) > 0 {
			return nil, root.Errors[0]
		}
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		if pkg.Types == nil {
			return
		}
		p.types[pkg.PkgPath] = pkg.Types
		if pkg.PkgPath != "unsafe" && (pkg.Module != nil || interpretable(pkg.PkgPath)) {
			p.bodies[pkg.PkgPath] = true
			p.ssa.CreatePackage(pkg.Types, pkg.Syntax, pkg.TypesInfo, true)
			return
		}
		p.ssa.CreatePackage(pkg.Types, nil, nil, true)
	})
	for _, root := range roots {
		p.Targets = append(p.Targets, p.ssa.Package(root.Types))
	}
	slices.SortFunc(p.Targets, func(a, b *ssa.Package) int { return strings.Compare(a.Pkg.Path(), b.Pkg.Path()) })
	return p, p.addModels()
}

// pureTags select Go in place of assembly, by convention of many packages.
const pureTags = "purego,math_big_pure_go"

// withTags adds pureTags to build flags.
func withTags(flags []string) []string {
	list := slices.Clone(flags)
	for i, f := range list {
		switch name := strings.TrimLeft(f, "-"); {
		case strings.HasPrefix(name, "tags="):
			list[i] += "," + pureTags
			return list
		case name == "tags" && i+1 < len(list):
			list[i+1] += "," + pureTags
			return list
		}
	}
	return append(list, "-tags="+pureTags)
}

// parseFile parses a file. It drops the bodies of functions of opaque packages of the
// standard library, so that they need not be checked.
func parseFile(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return f, err
	}
	_, below, ok := strings.Cut(filepath.ToSlash(filepath.Dir(name)), "/src/")
	if ok && !strings.Contains(strings.SplitN(below, "/", 2)[0], ".") && !interpretable(below) {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				fd.Body = nil
			}
		}
	}
	return f, nil
}

// addModels adds package models.
func (p *Program) addModels() (err error) {
	p.models, err = p.Compile("foray.test/models", modelsSource)
	return err
}

var gcSizes = types.SizesFor("gc", "amd64")

// Compile adds a package of one file, which may import the packages that were loaded. It
// allows variables and imports that are not used.
func (p *Program) Compile(path, source string) (*ssa.Package, error) {
	f, err := parser.ParseFile(p.Fset, path+".go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := load.NewInfo()
	conf := types.Config{Sizes: gcSizes, Importer: p, Error: func(e error) {
		if te, ok := e.(types.Error); err == nil && (!ok || !te.Soft) {
			err = e
		}
	}}
	pkg, _ := conf.Check(path, p.Fset, []*ast.File{f}, info)
	if err != nil {
		return nil, err
	}
	compiled := p.ssa.CreatePackage(pkg, []*ast.File{f}, info, false)
	compiled.Build()
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			fd.Body = nil // the function has its SSA form, and would keep the syntax
		}
	}
	p.bodies[path], p.added[compiled] = true, p.Fset.File(f.Pos())
	return compiled, nil
}

// drop empties a package that Compile has added. Its types, objects and lines are 5 KB and more,
// and the SSA program has no way to remove it.
func (p *Program) drop(pkg *ssa.Package) {
	p.Fset.RemoveFile(p.added[pkg])
	delete(p.added, pkg)
	delete(p.bodies, pkg.Pkg.Path())
	*pkg.Pkg = *types.NewPackage(pkg.Pkg.Path(), pkg.Pkg.Name())
	*pkg = ssa.Package{Prog: pkg.Prog, Pkg: pkg.Pkg}
}

// isAdded reports whether Compile has added a package.
func (p *Program) isAdded(pkg *ssa.Package) bool { return p.added[pkg] != nil }

// Added returns how many packages [Program.Compile] has added and [Machine.Drop] has not dropped.
func (p *Program) Added() int { return len(p.added) }

// Import implements [types.Importer].
func (p *Program) Import(path string) (*types.Package, error) {
	if pkg := p.types[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s was not loaded", path)
}

// hasBodies reports whether functions of a package have bodies.
func (p *Program) hasBodies(path string) bool { return p.bodies[path] }
