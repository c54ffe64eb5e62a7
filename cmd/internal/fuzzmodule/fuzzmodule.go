// Package fuzzmodule says how a module comes to require foray: itself, or by a module of its
// own for the fuzz tests, which leaves those alone who import the library.
//
//	f := fuzzmodule.Foray{Path: "foray.test", Version: "v0.1.0", Go: "1.25"}
//	f.Edit("1.24")                             // "go mod edit -go=1.25 -require=foray.test@v0.1.0"
//	f.GoMod("/src/shop/go.mod", data, "1.24")  // of /src/shop/internal/fuzz
package fuzzmodule

import (
	"errors"
	"go/version"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Dir is where the module of fuzz tests is, below the module that it tests.
const Dir = "internal/fuzz"

// unpublished is the version by which a copy on disk is required.
const unpublished = "v0.0.0"

// unpublishedOf returns the version by which a module on disk is required: "v2.0.0" for one
// with a path that ends in /v2.
func unpublishedOf(path string) string {
	_, suffix, _ := module.SplitPathVersion(path)
	if major := module.PathMajorPrefix(suffix); major != "" {
		return major + ".0.0"
	}
	return unpublished
}

// Foray is the module that fuzz tests import.
type Foray struct {
	Path    string
	Version string // empty for a copy on disk
	Dir     string // … the directory of its go.mod, empty if it is not known
	Go      string // its go line, below which no module that requires it can stay
}

func (f *Foray) version() string {
	if f.Version == "" {
		return unpublished
	}
	return f.Version
}

func (f *Foray) dir() string {
	if f.Dir == "" {
		return "DIR" // for the user to fill in
	}
	return f.Dir
}

// Edit returns the command by which a module with a go line requires foray.
func (f *Foray) Edit(goLine string) string {
	args := []string{"go mod edit"}
	if f.raises(goLine) {
		args = append(args, "-go="+f.Go)
	}
	args = append(args, "-require="+f.Path+"@"+f.version())
	if f.Version == "" {
		args = append(args, "-replace="+f.Path+"="+f.dir())
	}
	return strings.Join(args, " ")
}

// raises reports whether requiring foray raises a go line.
func (f *Foray) raises(goLine string) bool { return version.Compare("go"+goLine, "go"+f.Go) < 0 }

// GoMod returns the go.mod of the module of fuzz tests for the module that file, with data in
// it, describes. goLine is the go line of that, which may lack.
func (f *Foray) GoMod(file string, data []byte, goLine string) ([]byte, error) {
	from, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil, err
	}
	if from.Module == nil {
		return nil, errors.New(file + ": no module line")
	}
	if f.raises(goLine) {
		goLine = f.Go
	}
	path := from.Module.Mod.Path
	up, err := filepath.Rel(filepath.FromSlash(Dir), ".")
	if err != nil {
		return nil, err
	}
	up = filepath.ToSlash(up)
	to := new(modfile.File)
	errs := []error{to.AddModuleStmt(path + "/" + Dir), to.AddGoStmt(goLine)}
	required := []*modfile.Require{
		{Mod: module.Version{Path: path, Version: unpublishedOf(path)}},
		{Mod: module.Version{Path: f.Path, Version: f.version()}},
	}
	for _, r := range from.Require {
		if r.Mod.Path != f.Path {
			required = append(required, &modfile.Require{Mod: r.Mod, Indirect: true})
		}
	}
	to.SetRequireSeparateIndirect(required)
	errs = append(errs, to.AddReplace(path, "", up, ""))
	if f.Version == "" {
		errs = append(errs, to.AddReplace(f.Path, "", f.dir(), ""))
	}
	for _, r := range from.Replace {
		if r.Old.Path == f.Path && f.Version == "" {
			continue
		}
		dir := r.New.Path
		if modfile.IsDirectoryPath(dir) && !filepath.IsAbs(dir) {
			dir = up + "/" + strings.TrimPrefix(filepath.ToSlash(dir), "./")
		}
		errs = append(errs, to.AddReplace(r.Old.Path, r.Old.Version, dir, r.New.Version))
	}
	for _, x := range from.Exclude {
		errs = append(errs, to.AddExclude(x.Mod.Path, x.Mod.Version))
	}
	to.Cleanup()
	out, err := to.Format()
	return out, errors.Join(append(errs, err)...)
}
