// Package build makes workers. It writes the adapters of a table of operations.
// Then it builds, with the go command, a test binary that links them, the
// harness and the package under test.
//
//	ts, err := build.List(ctx, build.Query{Patterns: []string{"container/list"}})
//	w, err := build.Build(ctx, build.Config{Target: *ts.Targets[0], Table: table})
//	exec.Command(w.Path) // runs the Main of harness/process
//
// Nothing is written beside the package under test, nor into its go.mod or
// go.sum: every file reaches the go command through -overlay. The adapters are
// an external test file of the package. The harness and the engine are overlaid
// on GOROOT as packages of the standard library. So every package can import
// them, and the user's requirements stay as they are. The go command does not
// let an overlay replace files of the module cache, so their module is replaced
// by a directory that exists only in the overlay.
//
// Finding operations, rewriting sources and type-checking are done elsewhere.
package build

import (
	"cmp"
	"go/version"
	"os"
	"path/filepath"
	"strings"
)

// Where is the part of the build list that a package is in. It decides how
// its files can be laid over.
type Where uint8

// The places of packages.
const (
	MainModule  Where = iota // the main module, or a directory that replaces a module
	Workspace                // a module of the workspace
	Vendor                   // the vendor directory
	Std                      // the standard library
	ModuleCache              // a dependency, with files that must not change
)

// String returns the place as messages spell it.
func (w Where) String() string {
	switch w {
	case Workspace:
		return "workspace"
	case Vendor:
		return "vendor"
	case Std:
		return "standard library"
	case ModuleCache:
		return "module cache"
	}
	return "main module"
}

// A Module is the module of a package.
type Module struct {
	Path      string
	Version   string  // as required; empty for a main module
	Dir       string  // empty when vendored
	GoMod     string  // its go.mod file; for a module without one, the file in its place in the module cache
	GoVersion string  // of its go line: "1.21"
	Main      bool    // a main module
	Replace   *Module // its replacement
}

// below reports whether m is a module in a directory of another one, by their paths: it holds tests of it.
func (m *Module) below(other *Module) bool { return strings.HasPrefix(m.Path, other.Path+"/") }

// Below reports whether the go line of the target's module is older than a language
// version, such as "go1.23".
func (t *Target) Below(language string) bool {
	if t.Module == nil {
		return false // it is of the standard library
	}
	return version.Compare("go"+cmp.Or(t.Module.GoVersion, "1.16"), language) < 0
}

// A Toolchain is the go command's view of itself and of the machine, where the
// package under test is built.
type Toolchain struct {
	Version  string            // "go1.26.8"
	Root     string            // GOROOT
	ModCache string            // GOMODCACHE
	Cache    string            // GOCACHE
	Settings map[string]string // the variables of go env that affect a build
}

// Language returns the language version of the toolchain: "go1.26".
func (tc *Toolchain) Language() string {
	v := strings.TrimPrefix(tc.Version, "devel ")
	if i := strings.IndexAny(v, " -"); i >= 0 {
		v = v[:i]
	}
	return version.Lang(v)
}

// A Target is a package under test, as the go command sees it. File names are
// absolute.
type Target struct {
	Path, Name, Dir string
	Where           Where
	Module          *Module // nil in the standard library

	Files

	// Siblings are the packages of the same module that the package depends on,
	// itself first. There are none in the standard library.
	Siblings []Sibling
	// TestImports are the paths that the test files import.
	TestImports []string
	// Inputs are the changeable files that decide the build: those of the
	// package and of its dependencies outside of GOROOT and the module cache,
	// and go.mod, go.sum and go.work.
	Inputs []string
	// Modules are the dependencies in the module cache, as path@version.
	Modules []string

	WorkDir string            // where the go command runs
	GoMod   string            // the go.mod that governs there, if any
	GoWork  string            // the go.work that governs there, if any
	Env     []string          // of the go command; nil: the environment of this process
	Flags   []string          // build flags as the user gave them
	Overlay map[string]string // the user's own -overlay, with absolute names
	Go      Toolchain

	exported *exported
}

// ReadFile reads a file of the package, or its replacement in the user's own overlay.
func (t *Target) ReadFile(name string) ([]byte, error) {
	if holder, ok := t.Overlay[name]; ok {
		name = holder
	}
	return os.ReadFile(name)
}

// Files are the files of a package by kind.
type Files struct {
	GoFiles      []string // with the files of cgo
	CgoFiles     []string // the files among them that import "C"
	TestGoFiles  []string // of the package itself
	XTestGoFiles []string // of the external test package
	// Kept are test files of the package itself that workers link: foray twin has
	// written them, and their exported functions are operations.
	Kept       []string
	EmbedFiles []string // files that //go:embed names
	OtherFiles []string // assembly, C …
}

// A Sibling is a package of the module of the package under test.
type Sibling struct {
	Path    string
	Dir     string
	Imports []string // paths
	GoFiles []string // absolute, with those of cgo
	Cgo     bool     // some of them import "C"
	Copy    bool     // has files (assembly, C, embedded) that an overlay cannot replace
}

// Own reports whether the package is the user's: of the main module, or of the workspace.
func (t *Target) Own() bool { return t.Where == MainModule || t.Where == Workspace }

// Version returns the version of the package's module, or of Go for the
// standard library. It is empty in a main module.
func (t *Target) Version() string {
	switch {
	case t.Where == Std:
		return t.Go.Version
	case t.Module == nil:
		return ""
	case t.Module.Replace != nil:
		return t.Module.Replace.Version
	}
	return t.Module.Version
}

// within reports whether path is dir or is beneath it.
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
