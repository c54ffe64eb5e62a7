package event

import (
	"strings"
	"testing"
)

// Versions have their commits, and results their spaces.
func TestDifferenceText(t *testing.T) {
	v := Versions{Old: "HEAD~1", New: "."}
	got, _ := printed(Options{}, &Compared{Versions: v, Commits: [2]string{"12ab34c mend", ""}, Package: "m.test/q"})
	if !strings.HasPrefix(got, "diff: m.test/q: HEAD~1 (12ab34c mend) against .; ") {
		t.Errorf("got %s", got)
	}
	got, _ = printed(Options{}, &Difference{Operation: "F", Class: "value", Old: `"a   b"`, New: "two\nlines", Versions: v})
	if want := "--- DIFF: F (value)\n    HEAD~1  \"a   b\"\n    .       two lines\n\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
