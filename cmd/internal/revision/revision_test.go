package revision

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/harness/build"
)

// A package has another path at another major version, unless its path has that
// version already or the argument is not about the package.
func TestAtMajor(t *testing.T) {
	const none = ""
	for _, tt := range []struct{ module, path, arg, want string }{
		{"x.org/m", "x.org/m/sub", "x.org/m/sub@v2.0.0-alpha", "x.org/m/v2/sub@v2.0.0-alpha"},
		{"x.org/m", "x.org/m", "x.org/m@v3.1.0", "x.org/m/v3@v3.1.0"},
		{"x.org/m/v2", "x.org/m/v2/sub", "x.org/m/v2/sub@v3.0.0", "x.org/m/v3/sub@v3.0.0"},
		{"x.org/m/v2", "x.org/m/v2", "x.org/m/v2@v1.0.0", "x.org/m@v1.0.0"},
		{"gopkg.in/m.v2", "gopkg.in/m.v2/sub", "gopkg.in/m.v2/sub@v3.0.0", "gopkg.in/m.v3/sub@v3.0.0"},
		{"x.org/m", "x.org/m", "x.org/m@v1.2.0", none},
		{"x.org/m/v2", "x.org/m/v2", "x.org/m/v2@v2.1.0", none},
		{"x.org/m", "x.org/m", "x.org/other@v2.0.0", none},
		{"x.org/m", "x.org/m", "x.org/m@latest", none},
		{"x.org/m", "x.org/m", "HEAD", none},
	} {
		old := &build.Target{Path: tt.path, Module: &build.Module{Path: tt.module}}
		if got := AtMajor(old, tt.arg); got != tt.want {
			t.Errorf("%s of %s, %s: %q, want %q", tt.path, tt.module, tt.arg, got, tt.want)
		}
	}
}

func TestMajorless(t *testing.T) {
	for _, tt := range []struct{ module, path, want string }{
		{"x.org/m", "x.org/m/sub", "x.org/m/sub"},
		{"x.org/m/v2", "x.org/m/v2/sub", "x.org/m/sub"},
		{"gopkg.in/m.v3", "gopkg.in/m.v3", "gopkg.in/m"},
		{"x.org/m", "x.org/m/v2", "x.org/m/v2"}, // a package that is called so
	} {
		if got := Majorless(&build.Target{Path: tt.path, Module: &build.Module{Path: tt.module}}); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.path, tt.module, got, tt.want)
		}
	}
	if got := Majorless(&build.Target{Path: "strings"}); got != "strings" {
		t.Errorf("strings: %q", got)
	}
}

// CheckOut writes the files of a revision, and leaves tree and index alone.
func TestCheckOut(t *testing.T) {
	repo := t.TempDir()
	t.Chdir(repo)
	write := func(text string) {
		if err := errors.Join(os.MkdirAll("p", 0o777), os.WriteFile(filepath.Join("p", "p.go"), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Skipf("git %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	write("package p // before\n")
	run("init", "-q")
	run("add", ".")
	run("-c", "user.name=a", "-c", "user.email=a@b.test", "-c", "commit.gpgsign=false", "commit", "-qm", "the first")
	write("package p // since\n")
	run("add", ".")
	t.Chdir("p")
	dir := t.TempDir()
	prefix, err := CheckOut(t.Context(), "HEAD", dir)
	if err != nil || prefix != "p"+string(filepath.Separator) {
		t.Fatalf("%q, %v, want p", prefix, err)
	}
	for name, want := range map[string]string{filepath.Join(dir, "p", "p.go"): "before", "p.go": "since"} {
		if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %q, %v, want %s", name, data, err, want)
		}
	}
	if status := run("status", "--porcelain", ".."); status != "M  p/p.go\n" {
		t.Errorf("status %q, want the staged change", status)
	}
	if commit := Commit(t.Context(), "HEAD"); !strings.HasSuffix(commit, " the first") || Commit(t.Context(), ".") != "" || Commit(t.Context(), "m.test/p@v1.0.0") != "" {
		t.Errorf("commit %q, and of a directory %q", commit, Commit(t.Context(), "."))
	}
	if _, err := CheckOut(t.Context(), "--output=x", dir); err == nil || !strings.Contains(err.Error(), "no version") {
		t.Errorf("an option as a revision: %v", err)
	}
	if _, err := CheckOut(t.Context(), "nowhere", dir); err == nil || !strings.Contains(err.Error(), "no such directory or git revision") {
		t.Errorf("an unknown revision: %v", err)
	}
}

// What keeps git from looking for a revision is told: the name of that may be right.
func TestCheckOutTells(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Chdir(t.TempDir())
	if _, err := CheckOut(t.Context(), "HEAD", t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := CheckOut(t.Context(), "HEAD", t.TempDir()); err == nil || !strings.Contains(err.Error(), "executable file not found") || strings.HasSuffix(err.Error(), ": ") {
		t.Errorf("without git: %v", err)
	}
}
