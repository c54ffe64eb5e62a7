package instrument_test

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestStandardLibrary compiles rewritten packages that together use most of Go,
// in both forms. Both forms have the same conditions.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("rebuilds some of the standard library")
	}
	packages := []string{
		"archive/zip", "bufio", "bytes", "container/list", "encoding/json", "go/token", "maps", "math/big",
		"net/netip", "regexp/syntax", "slices", "strings", "text/template/parse",
	}
	overlay, conds := rewriteAll(t, ".", packages...)
	t.Logf("%d conditions", len(conds))
	compile := func() {
		t.Helper()
		copies := moveMuchUsed(t, overlay)
		goCommand(t, ".", slices.Concat([]string{"build", overlayFlag(t, overlay)}, packages, copies)...)
	}
	compile()

	overlay, again := rewriteForm(t, true, ".", packages...)
	if !reflect.DeepEqual(conds, again) {
		t.Errorf("the analysis form has other conditions")
	}
	compile()
}

// moveMuchUsed moves rewritten packages that most others use to other paths, which it returns.
// In their places the others would be compiled anew, too, and none of those is rewritten.
func moveMuchUsed(t *testing.T, overlay map[string][]byte) (paths []string) {
	t.Helper()
	for _, l := range goList(t, ".", "bufio", "bytes", "maps", "slices", "strings") {
		if l.DepOnly {
			continue
		}
		moved := path.Join("forayrt", "moved", l.ImportPath)
		dir := filepath.Join(goroot(t), "src", filepath.FromSlash(moved))
		rewritten := 0
		for _, name := range l.GoFiles {
			file := filepath.Join(l.Dir, name)
			src, ok := overlay[file]
			if ok {
				rewritten++
				delete(overlay, file)
			} else {
				var err error
				if src, err = os.ReadFile(file); err != nil {
					t.Fatal(err)
				}
			}
			overlay[filepath.Join(dir, name)] = src
		}
		if rewritten == 0 {
			t.Fatalf("no file of %s is rewritten", l.ImportPath)
		}
		paths = append(paths, moved)
	}
	return paths
}
