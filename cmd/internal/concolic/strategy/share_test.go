package strategy

import (
	"maps"
	"slices"
	"testing"

	"foray.test/cmd/internal/concolic"
)

// libraryPackages of the standard library do no input or output.
var libraryPackages = []string{
	"bytes", "container/ring", "encoding/ascii85", "encoding/base32", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex",
	"encoding/json", "encoding/pem", "errors", "go/scanner", "go/token", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "html", "html/template",
	"image/color", "index/suffixarray", "math", "math/big", "math/bits", "math/cmplx", "mime", "net/netip", "net/url", "path", "path/filepath", "regexp",
	"regexp/syntax", "sort", "strconv", "strings", "text/scanner", "text/template", "time", "unicode", "unicode/utf16", "unicode/utf8",
}

// Most functions of the standard library whose arguments can be symbolic are explored
// without losing a run.
func TestShareOfLibrary(t *testing.T) {
	p, err := concolic.Load(concolic.Config{Patterns: libraryPackages})
	if err != nil {
		t.Fatal(err)
	}
	functions, whole, runs, lost, timeouts := 0, 0, 0, 0, 0
	reasons := map[string][]string{}
	for _, pkg := range p.Targets {
		list, err := Shares(p, pkg, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			functions++
			runs += s.Runs
			lost += s.Lost
			timeouts += s.Timeouts
			if s.Lost == 0 {
				whole++
				continue
			}
			reasons[s.Reason] = append(reasons[s.Reason], pkg.Pkg.Name()+"."+s.Function)
		}
	}
	t.Logf("%d of %d functions without losing a run; %d of %d runs lost", whole, functions, lost, runs)
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%d: %s: %v", len(reasons[why]), why, reasons[why])
	}
	if timeouts > 0 {
		t.Errorf("%d timeouts of the SAT solver, want none", timeouts)
	}
	if whole*10 < functions*7 {
		t.Errorf("%d of %d functions, want 70 %%", whole, functions)
	}
}
