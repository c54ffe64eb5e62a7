package contract

import (
	"encoding/json"
	"testing"
)

// A property sees an argument of a named type as its parameter has it.
func TestInputOfNamedType(t *testing.T) {
	c := &Call{Args: []any{json.RawMessage("ab"), []byte("c"), "d", nil}}
	for i, want := range []string{"ab", "c", "", ""} {
		if got := input[[]byte](c, i); string(got.value) != want {
			t.Errorf("argument %d: %q, want %q", i, got.value, want)
		}
	}
}
