package foray_test

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	foray "foray.test"
)

// TestRuntimeIsWhatWorkersLink compares the embedded packages with what the
// harness imports, and what rewritten sources import.
func TestRuntimeIsWhatWorkersLink(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", foray.Module+"/harness/target", foray.Module+"/harness/record", foray.Module+"/harness").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	for i := range want {
		want[i] = strings.TrimPrefix(want[i], foray.Module+"/")
	}
	var got []string
	for name := range foray.Runtime() {
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("test file %s is embedded", name)
		}
		if dir := path.Dir(name); !slices.Contains(got, dir) {
			got = append(got, dir)
		}
	}
	for _, dir := range want {
		if !slices.Contains(got, dir) {
			t.Errorf("harness imports %s: add //go:embed %s/*.go to foray.go", dir, dir)
		}
	}
	for _, dir := range got {
		if !slices.Contains(want, dir) {
			t.Errorf("harness does not import %s: remove //go:embed %s/*.go from foray.go", dir, dir)
		}
	}
}
