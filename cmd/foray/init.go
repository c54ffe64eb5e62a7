package main

import (
	"context"
	"errors"
	"flag"
	goversion "go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"foray.test/cmd/internal/text"

	foray "foray.test"
	"foray.test/cmd/internal/load"
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

The file is yours to edit: take operations out, add a contract or a model. Init
overwrites no file.

The module must require foray.test, which itself requires nothing; init says what is
missing in go.mod.`

// fuzzTestFile is the base name of the file that init writes.
const fuzzTestFile = "foray_fuzz_test.go"

func newInit(fs *flag.FlagSet, c *common) runner {
	c.allowFlag(fs)
	c.operationFlags(fs)
	c.verboseFlag(fs, "all members that are not listed")
	return c.init
}

func (c *common) init(ctx context.Context) (int, error) {
	written := 0
	var missing []*build.Target // packages of modules that do not require foray
	code, err := c.eachPackage(ctx, func(target *build.Target, _ string) error {
		if err := initOne(ctx, target, c); err != nil {
			return err
		}
		written++
		has, err := requires(target)
		if !has {
			missing = append(missing, target)
		}
		return err
	})
	told := map[string]bool{}
	for _, target := range missing {
		if mod := target.Module.GoMod; !told[mod] {
			told[mod] = true
			c.out.Printf("\n%s needs:\n\n%s", c.out.Relative(mod), requirement(target.Module))
		}
	}
	if written > 0 {
		code = exitClean
	}
	return code, err
}

// initOne writes the fuzz test of one package.
func initOne(ctx context.Context, target *build.Target, o *common) error {
	place := func(msg, hint string) error { return &load.Error{Place: target.Path, Msg: msg, Hint: hint} }
	if target.Where != build.MainModule && target.Where != build.Workspace {
		return place("a package of the "+target.Where.String()+", want one of your own", "")
	}
	if target.Name == "main" {
		return place("a main package, which a test cannot import", "")
	}
	file := filepath.Join(target.Dir, fuzzTestFile)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return place(o.out.Relative(file)+" is there already", "remove it to have it written anew")
	}
	s := newSubject(target, o)
	o.out.Stage("loading " + target.Path)
	defer o.out.Quiet()
	if _, err := s.find(ctx); err != nil {
		return err
	}
	test, err := emit.NewFuzzTest(s.table, catalog.Targets(testFiles(target)))
	if err != nil {
		return place(strings.TrimPrefix(err.Error(), "emit: "), "foray list "+target.Path+" says what is excluded and why")
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return place(err.Error(), "")
	}
	_, err = f.Write(test.Source)
	if err := errors.Join(err, f.Close()); err != nil {
		return place(err.Error(), "")
	}
	o.out.Quiet()
	o.out.Printf("wrote %s: %s, %s", o.out.Relative(file), test.Name, text.Plural(test.Operations, "operation"))
	if len(test.LeftOut) > 0 {
		o.out.Printf("  not listed: %s", text.Some(test.LeftOut, o.verbose))
	}
	return nil
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
const goLine = "1.26"

// requirement returns the lines that the go.mod of a module needs to require foray.
func requirement(m *build.Module) string {
	v, _, _ := strings.Cut(version(), " ")
	text := ""
	if goversion.Compare("go"+m.GoVersion, "go"+goLine) < 0 {
		text = "\tgo " + goLine + "\n"
	}
	if !strings.HasPrefix(v, "v") { // built from a copy on disk
		return text + "\trequire " + foray.Module + " v0.0.0\n\treplace " + foray.Module + " => the directory of its go.mod\n"
	}
	return text + "\trequire " + foray.Module + " " + v + "\n"
}
