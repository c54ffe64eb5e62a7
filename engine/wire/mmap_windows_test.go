package wire

import (
	"os"
	"strings"
	"testing"
)

// backing returns a section to map.
func backing(*testing.T) (*os.File, error) { return NewSection() }

// A worker refuses handles that it was not given.
func TestInheritRefuses(t *testing.T) {
	for _, env := range []string{"", "x", "1,2,3,4"} {
		t.Setenv(envHandles, env)
		if _, err := Inherit(); err == nil || !strings.Contains(err.Error(), envHandles) {
			t.Errorf("%q: %v, want an error that names the variable", env, err)
		}
	}
}
