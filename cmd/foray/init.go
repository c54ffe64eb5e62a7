package main

import (
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

func runInit(ctx context.Context, o *options, out *output) (int, error) {
	targets, _, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	failures, written := out.errors(listErr), 0
	var missing []*build.Target // of whose modules go.mod lacks something
	for _, target := range targets {
		err := initOne(ctx, target, o, out)
		if failures += out.errors(err); err != nil {
			continue
		}
		if written++; !requires(target) {
			missing = append(missing, target)
		}
	}
	told := map[string]bool{}
	for _, target := range missing {
		if mod := target.Module.GoMod; !told[mod] {
			told[mod] = true
			fmt.Fprintf(out.stdout, "\n%s needs:\n\n%s\n", o.relative(mod), requirement(target.Module))
		}
	}
	if failures > 0 && written == 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// initOne writes the fuzz test of one package.
func initOne(ctx context.Context, target *build.Target, o *options, out *output) error {
	place := func(msg, hint string) error { return &load.Error{Place: target.Path, Msg: msg, Hint: hint} }
	if target.Where != build.MainModule && target.Where != build.Workspace {
		return place("a package of the "+target.Where.String()+", want one of your own", "")
	}
	if target.Name == "main" {
		return place("a main package, which a test cannot import", "")
	}
	file := filepath.Join(target.Dir, fuzzTestFile)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return place(o.relative(file)+" is there already", "remove it to have it written anew")
	}
	s := newSubject(target, o)
	out.stage("loading " + target.Path)
	defer out.quiet()
	if _, err := s.find(ctx, o); err != nil {
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
	out.quiet()
	fmt.Fprintf(out.stdout, "wrote %s: %s, %s\n", o.relative(file), test.Name, plural(test.Operations, "operation"))
	if len(test.LeftOut) > 0 {
		fmt.Fprintf(out.stdout, "  not listed: %s\n", some(test.LeftOut, o.verbose))
	}
	return nil
}

// requires reports whether the module of a package requires foray.
func requires(t *build.Target) bool {
	data, err := os.ReadFile(t.Module.GoMod)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(f) > 0 && f[0] == foray.Module {
			return true
		}
	}
	return false
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
