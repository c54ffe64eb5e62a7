package instrument_test

import (
	"reflect"
	"testing"
)

// TestStandardLibrary compiles rewritten packages that together use most of Go,
// in both forms. Both forms have the same conditions.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("rebuilds much of the standard library")
	}
	packages := []string{
		"archive/zip", "bufio", "bytes", "container/list", "encoding/json", "go/token", "maps", "math/big",
		"net/netip", "regexp/syntax", "slices", "strings", "text/template/parse", "time",
	}
	overlay, conds := rewriteAll(t, ".", packages...)
	t.Logf("%d conditions", len(conds))
	goCommand(t, ".", append([]string{"build", overlayFlag(t, overlay)}, packages...)...)

	overlay, again := rewriteForm(t, true, ".", packages...)
	if !reflect.DeepEqual(conds, again) {
		t.Errorf("the analysis form has other conditions")
	}
	goCommand(t, ".", append([]string{"build", overlayFlag(t, overlay)}, packages...)...)
}
