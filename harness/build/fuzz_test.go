package build

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goroot returns the root of the toolchain that the go command runs.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The edited files of this release parse, and no line has moved.
func TestEditsOfThisRelease(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func([]byte) ([]byte, error)
		want []string
	}{
		{"testing/internal/testdeps/deps.go", editDeps, []string{
			`forayTarget "forayrt/harness/target"`, "return forayTarget.Serve(func(args []any) error { return fn(fuzz.CorpusEntry{Values: args}) });",
			"range seed {", "forayTarget.Describe(foraySeeds, types)", "return nil, nil;", "WrapFuzz(ff any) any",
		}},
		{"testing/fuzz.go", editFuzz, []string{"f.fstate.deps.(interface{ WrapFuzz(any) any }); ok { ff = w.WrapFuzz(ff) };"}},
	} {
		src, err := os.ReadFile(filepath.Join(goroot(t), "src", tt.name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tt.edit(src)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: no %s", tt.name, want)
			}
		}
		if _, err := parser.ParseFile(token.NewFileSet(), tt.name, got, 0); err != nil {
			t.Error(err)
		}
		before, after := strings.Split(string(src), "\n"), strings.Split(string(got), "\n")
		for i, line := range before {
			if line != "" && !strings.HasPrefix(after[i], line) && !strings.HasSuffix(after[i], strings.TrimSpace(line)) {
				t.Errorf("%s:%d: %q became %q", tt.name, i+1, line, after[i])
			}
		}
	}
}

// A release that has the functions otherwise is refused.
func TestEditsOfOtherReleases(t *testing.T) {
	const deps = `package testdeps
import (
	"internal/fuzz"
)
func (TestDeps) RunFuzzWorker(fn func(fuzz.CorpusEntry) error) error { return nil }
func (TestDeps) CoordinateFuzzing(a int, seed []fuzz.CorpusEntry, types []reflect.Type) error { return nil }
func (TestDeps) ReadCorpus(dir string) ([]fuzz.CorpusEntry, error) { return nil, nil }
`
	const fuzz = `package testing
type F struct { common; fstate *fuzzState }
type fuzzState struct { deps testDeps }
func (f *F) Fuzz(ff any) {}
`
	for _, tt := range []struct {
		name     string
		edit     func([]byte) ([]byte, error)
		src      string
		old, new string
		want     string
	}{
		{"as they are", editDeps, deps, "", "", ""},
		{"no function", editDeps, deps, "RunFuzzWorker", "RunWorker", "no method TestDeps.RunFuzzWorker(func(fuzz.CorpusEntry) error)"},
		{"another parameter", editDeps, deps, "func(fuzz.CorpusEntry) error", "func(fuzz.Entry) error", "no method TestDeps.RunFuzzWorker"},
		{"two of a type", editDeps, deps, "seed []fuzz", "cached, seed []fuzz", "no method TestDeps.CoordinateFuzzing"},
		{"one import", editDeps, deps, "(\n\t\"internal/fuzz\"\n)", "\"internal/fuzz\"", "no imports in parentheses"},
		{"no Go", editDeps, deps, "package", "pakage", "expected 'package'"},
		{"as it is", editFuzz, fuzz, "", "", ""},
		{"another field", editFuzz, fuzz, "fstate", "state", "no field F.fstate"},
		{"another type", editFuzz, fuzz, "deps testDeps", "d testDeps", "no field fuzzState.deps"},
		{"another function", editFuzz, fuzz, "ff any", "ff func(*T)", "no method F.Fuzz(any)"},
	} {
		_, err := tt.edit([]byte(strings.Replace(tt.src, tt.old, tt.new, 1)))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}
