package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The complete test of docs/harness.md passes, and fails once a bug is put into its package. It
// has a model and conditions of calls in one API.
func TestDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "docs", "harness.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "## A complete test\n")
	blocks := strings.Split(text, "```go\n")
	if !ok || len(blocks) != 3 {
		t.Fatalf("%d blocks of code, want 2", len(blocks)-1)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		text, _, _ = strings.Cut(text, "```")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/queue\n\ngo 1.25\n\nrequire foray.test v0.0.0\n\nreplace foray.test => "+root+"\n")
	write("queue.go", blocks[1])
	write("queue_test.go", blocks[2])
	test := func() (string, error) {
		cmd := exec.Command("go", "test", "-vet=off", "-fuzz=FuzzQueue", "-fuzztime=3000x", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := test(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	buggy := strings.Replace(blocks[1], "q.items[1:]", "q.items[:1]", 1)
	if buggy == blocks[1] {
		t.Fatal("the line to change is not there")
	}
	write("queue.go", buggy)
	if out, err := test(); err == nil || !strings.Contains(out, "(*Queue)") {
		t.Errorf("with a bug: %v\n%s", err, out)
	}
}
