package main

import (
	"context"
	"errors"
	"fmt"
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

The module must require foray.test, which itself requires nothing; init says how.`

// fuzzTestFile is the base name of the file that init writes.
const fuzzTestFile = "foray_fuzz_test.go"

func runInit(ctx context.Context, o *options, out *output) (int, error) {
	targets, _, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	failures, written := out.errors(listErr), 0
	var missing *build.Target // of whose module the requirement is missing
	for _, target := range targets {
		err := initOne(ctx, target, o, out)
		if failures += out.errors(err); err != nil {
			continue
		}
		if written++; !requires(target) {
			missing = target
		}
	}
	if missing != nil {
		fmt.Fprintf(out.stdout, "\n%s does not require %s yet:\n\n%s", o.relative(missing.GoMod), foray.Module, requirement())
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
	s := &subject{target: target}
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
	data, err := os.ReadFile(t.GoMod)
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

// requirement says what go.mod needs.
func requirement() string {
	v, _, _ := strings.Cut(version(), " ")
	if !strings.HasPrefix(v, "v") {
		v = "v0.0.0"
	}
	return "\trequire " + foray.Module + " " + v + "\n\treplace " + foray.Module + " => …   // if it is a copy on disk\n"
}
