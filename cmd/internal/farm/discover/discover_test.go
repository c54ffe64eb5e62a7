package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/farm/record"
)

func TestTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, src string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	write("go.mod", "module m.test/m\n\ngo 1.26\n")
	write("a/a.go", "package a\n\nfunc F() {}\n")
	write("a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc FuzzF(f *testing.F) {}\n\nfunc FuzzNot(t *testing.T) {}\n")
	write("a/x_test.go", "package a_test\n\nimport \"testing\"\n\nfunc FuzzX(f *testing.F) {}\n")
	write("b/fuzz.go", "//go:build gofuzz\n\npackage b\n\nfunc Fuzz(data []byte) int { return 0 }\n")
	write("b/b.go", "package b\n\nfunc F() {}\n")
	write("cmd/main.go", "package main\n\nfunc main() {}\n")
	write("bad/b.go", "package bad\n\nimport \"no.test/x\"\n")
	names := func(list []record.Target) []string {
		var names []string
		for _, target := range list {
			names = append(names, target.String())
		}
		return names
	}
	list, problems := Targets(t.Context(), dir, nil, []string{"./...", "./a", "container/list"}, "v1")
	want := []string{"container/list", "m.test/m/a", "m.test/m/a.FuzzF", "m.test/m/a.FuzzX", "m.test/m/b", "m.test/m/b.Fuzz"}
	if got := names(list); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Place, "b.go:3") || !strings.Contains(problems[0].Msg, "no.test/x") {
		t.Errorf("problems %q", problems)
	}
	if i := slices.Index(names(list), "m.test/m/a.FuzzF"); i < 0 || list[i].Dir != "a" || list[i].Module != "m.test/m" {
		t.Errorf("got %+v", list)
	}
	build := func(list []record.Target, name string) string { return list[slices.Index(names(list), name)].Build }
	write("a/x_test.go", "package a_test\n\nimport \"testing\"\n\nfunc FuzzX(f *testing.F) { f.Add(1) }\n")
	later, _ := Targets(t.Context(), dir, nil, []string{"./..."}, "v1")
	if build(list, "m.test/m/a.FuzzX") == build(later, "m.test/m/a.FuzzX") || build(list, "m.test/m/b") != build(later, "m.test/m/b") {
		t.Error("a build must change with the code of its target, and with no other")
	}
}
