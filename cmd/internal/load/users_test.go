package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The users of a package are read: those of its module, and those that patterns name. So are
// their tests.
func TestCheckUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module m.test\n\ngo 1.26\n",
		"q/q.go":             "package q\n\nfunc New(n int) *Q { return &Q{n} }\n\ntype Q struct{ n int }\n",
		"q/q_test.go":        "package q\n",
		"app/app.go":         "package main\n\nimport \"m.test/q\"\n\nfunc main() { _ = q.New(7) }\n",
		"app/app_test.go":    "package main\n\nimport \"testing\"\n\nfunc TestMain2(t *testing.T) {}\n",
		"other/other.go":     "package other\n",
		"ext/ext.go":         "package ext\n",
		"ext/ext_test.go":    "package ext_test\n\nimport \"m.test/q\"\n\nvar _ = q.New(8)\n",
		"app/broken_test.go": "package main\n\nfunc {\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Load(t.Context(), Config{Dir: dir, Patterns: []string{"./q"}})
	if err != nil {
		t.Fatal(err)
	}
	users, problems := list[0].CheckUsers(t.Context(), []string{"./nosuch", "strings"})
	var got []string
	for _, u := range users {
		for _, f := range u.Files {
			got = append(got, strings.TrimPrefix(list[0].Fset.File(f.Pos()).Name(), dir+string(filepath.Separator)))
		}
		if obj := u.Types.Imports(); !slices.Contains(obj, list[0].Types) {
			t.Errorf("%s imports %v, want the package as it was loaded", u.Types.Path(), obj)
		}
	}
	if want := []string{"app/app.go", "app/app_test.go", "ext/ext_test.go"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if len(problems) == 0 {
		t.Error("a pattern that matches nothing is no problem")
	}
}
