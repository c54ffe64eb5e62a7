package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	foray "foray.test"
	"foray.test/cmd/internal/fuzzmodule"
	"foray.test/cmd/internal/fuzztarget"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/usage"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
	"foray.test/harness/emit"
)

const initDoc = `Init writes a fuzz test beside each package, foray_fuzz_test.go, that lists what
the package offers and hands it to harness.Fuzz:

  foray init ./queue
  go test ./queue                     # runs the sequences that are kept
  go test -fuzz=FuzzQueue ./queue     # looks for more, as for any fuzz test
  foray fuzz -fuzz=FuzzQueue ./queue  # looks for more, with all that foray has

Its seeds are calls that other tests of the package make. The file is yours to edit:
take operations out, add a contract or a model. Init overwrites no file.

The module must require foray.test, which itself requires nothing; init prints the
command for that. Modules that import yours then see the requirement, too, and a
replace directive does not reach them. For a library, -module writes the tests into a
module of their own, internal/fuzz, which requires foray in place of yours:

  foray init -module ./queue
  cd internal/fuzz && go test ./queue`

// fuzzTestFile is the base name of the file that init writes.
const fuzzTestFile = "foray_fuzz_test.go"

// initOptions are the options of foray init.
type initOptions struct {
	*common
	module bool
}

func newInit(fs *flag.FlagSet, c *common) runner {
	o := &initOptions{common: c}
	fs.BoolVar(&o.module, "module", false, "write the tests into a module of their own, internal/fuzz, so that\nmodules that import yours do not come to require foray")
	c.allowFlag(fs)
	c.operationFlags(fs)
	c.verboseFlag(fs, "all members that are not listed")
	return o.run
}

func (o *initOptions) run(ctx context.Context) (int, error) {
	o.use.mode = usageOff // the harness finds its types by itself
	o.noTwins = o.module  // whose tests see no declarations of others
	written := 0
	modules := map[string]*build.Module{} // by their go.mod: those that must come to require foray
	code, err := o.eachPackage(ctx, func(target *build.Target) error {
		dir, err := o.place(target)
		if err != nil {
			return err
		}
		if err := initOne(ctx, target, o.common, dir); err != nil {
			return err
		}
		written++
		if o.module {
			modules[target.Module.GoMod] = target.Module
			return nil
		}
		has, err := requires(target)
		if !has {
			modules[target.Module.GoMod] = target.Module
		}
		return err
	})
	for _, mod := range slices.Sorted(maps.Keys(modules)) {
		if o.module {
			err = errors.Join(err, o.makeModule(modules[mod]))
			continue
		}
		edit := itself().Edit(modules[mod].GoVersion)
		o.out.Printf("\n%s must require foray.test, which requires nothing. Modules that import it will see that, too;\n"+
			"for a library, foray init -module keeps it apart. To require it, run in %s:\n\n\t%s",
			o.out.Relative(mod), o.directoryOf(mod), edit)
		if strings.Contains(edit, " -go=") {
			o.out.Printf("\nforay.test needs that go line; -module leaves the one of your module as it is.")
		}
	}
	if written > 0 {
		code = exitClean
	}
	return code, err
}

// directoryOf returns the directory of a file, as it is told.
func (c *common) directoryOf(file string) string {
	if dir := c.out.Relative(filepath.Dir(file)); dir != "." {
		return dir
	}
	return "this directory"
}

// place returns the directory for the fuzz test of a package.
func (o *initOptions) place(target *build.Target) (string, error) {
	if !o.module || target.Module == nil || target.Module.GoMod == "" {
		return target.Dir, nil // which initOne judges
	}
	root := filepath.Dir(target.Module.GoMod)
	rel, err := filepath.Rel(root, target.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, filepath.FromSlash(fuzzmodule.Dir), rel), nil
}

// makeModule writes the go.mod of a module's fuzz tests, unless it is there, and says how to
// run them.
func (o *initOptions) makeModule(m *build.Module) error {
	root := filepath.Dir(m.GoMod)
	dir := filepath.Join(root, filepath.FromSlash(fuzzmodule.Dir))
	file := filepath.Join(dir, "go.mod")
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	data, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	if data, err = itself().GoMod(m.GoMod, data, m.GoVersion); err != nil {
		return &load.Error{Place: o.out.Relative(m.GoMod), Msg: err.Error()}
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return err
	}
	// A module without dependencies has no go.sum.
	if sum, err := os.ReadFile(filepath.Join(root, "go.sum")); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666); err != nil {
			return err
		}
	}
	o.out.Printf("wrote %s: a module of its own, which modules that import %s do not require\n\n\tcd %s && go test ./...", o.out.Relative(file), m.Path, o.out.Relative(dir))
	return nil
}

// initOne writes the fuzz test of one package into dir.
func initOne(ctx context.Context, target *build.Target, o *common, dir string) error {
	place := func(msg, hint string) error { return &load.Error{Place: target.Path, Msg: msg, Hint: hint} }
	if err := wantOwn(target, "foray fuzz "+target.Path+" calls it without a test"); err != nil {
		return err
	}
	if target.Name == "main" {
		return place("a main package, which a test cannot import", "foray fuzz "+target.Path+" calls it all the same")
	}
	file := filepath.Join(dir, fuzzTestFile)
	if _, err := os.Lstat(file); err == nil {
		return place(o.out.Relative(file)+" is there already", "remove it to have it written anew")
	}
	s := newSubject(target, o)
	o.out.Stage("loading " + target.Path)
	defer o.out.Quiet()
	pkg, err := s.find(ctx)
	if err != nil {
		return err
	}
	test, err := emit.NewFuzzTest(s.table, target.Name, catalog.Targets(fuzztarget.TestFiles(target)), s.firstSeeds(ctx, pkg))
	if err != nil {
		return place(strings.TrimPrefix(err.Error(), "emit: "), "foray list "+target.Path+" says what is excluded and why")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return load.NotWritten("init", target.Path, o.out.Relative(dir), err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return load.NotWritten("init", target.Path, o.out.Relative(dir), err)
	}
	_, err = f.Write(test.Source)
	if dir != target.Dir { // foray wants a package to have more than tests, and counts the branches of its imports
		doc := fmt.Sprintf("// Package %[1]s holds fuzz tests of %[2]s.\npackage %[1]s\n\nimport _ %[2]q\n", target.Name, target.Path)
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "doc.go"), []byte(doc), 0o666))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return place(err.Error(), "")
	}
	o.out.Quiet()
	o.out.Printf("wrote %s: %s, %s", o.out.Relative(file), test.Name, text.Plural(test.Operations, "operation"))
	if len(test.LeftOut) > 0 {
		o.out.Printf("  not listed: %s", text.Some(test.LeftOut, o.verbose))
		for _, typ := range test.Unmade {
			o.out.Printf("  nothing listed makes a %s: add a function that does, and methods of it", typ)
		}
	}
	return nil
}

// maxFirstSeeds is how many seeds of tests a fuzz test begins with.
const maxFirstSeeds = 12

// firstSeeds returns sequences of the package's tests that together make the calls that these
// make: recorded ones if foray fuzz has recorded any, and those in the source.
func (s *subject) firstSeeds(ctx context.Context, pkg *load.Package) []string {
	var list []string
	if u := s.recorded(); u != nil {
		list = u.Sequences
	}
	list = append(list, usage.Read(pkg, pkg.CheckTests(ctx), nil, s.table).Sequences...)
	return usage.Cover(s.table, list, maxFirstSeeds)
}

// requires reports whether the module of a package requires foray.
func requires(t *build.Target) (bool, error) {
	data, err := os.ReadFile(t.Module.GoMod)
	if err != nil {
		return false, err
	}
	f, err := modfile.ParseLax(t.Module.GoMod, data, nil)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == foray.Module }), nil
}

// goLine is the version in foray's go line, below which no module that requires it
// can stay.
const goLine = "1.25"

// itself returns the module of foray, as this command was built from it.
func itself() *fuzzmodule.Foray {
	f := &fuzzmodule.Foray{Path: foray.Module, Go: goLine}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == foray.Module && dep.Sum != "" { // it came from a module proxy
				f.Version = dep.Version
				return f
			}
		}
	}
	_, file, _, _ := runtime.Caller(0)
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(data) == foray.Module {
			f.Dir = dir
			break
		}
	}
	return f
}
