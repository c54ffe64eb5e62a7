package strategy

import (
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

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
		list, err := shares(p, pkg, 10)
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

// A share tells how much of a function the interpreter runs.
type share struct {
	Function   string
	Runs, Lost int
	Timeouts   int    // of the solver
	Reason     string // why most of the lost runs were aborted
}

// shares explores the exported functions of a package whose parameters can be symbolic, for
// some runs each, by the default strategy.
func shares(p *concolic.Program, pkg *ssa.Package, runs int) ([]share, error) {
	m := p.NewMachine(concolic.Limits{Steps: shareSteps})
	var list []share
	for _, name := range pkg.Pkg.Scope().Names() {
		fn := pkg.Func(name)
		if fn == nil || !token.IsExported(name) || fn.Signature.Params().Len() == 0 || concolic.Supported(fn.Signature) != nil {
			continue
		}
		in, err := m.NewInput(fn, concolic.Shape{MaxLength: 8})
		if err != nil {
			return nil, err
		}
		s := share{Function: name}
		reasons := map[string]int{}
		x := New(m, in, Options{Runs: runs, Visit: func(run *concolic.Run, _ bool) {
			if run.Reason == concolic.ReasonNone {
				return
			}
			why := run.Reason.String() + ": " + strings.SplitN(run.Detail, " at ", 2)[0]
			if reasons[why]++; reasons[why] > reasons[s.Reason] {
				s.Reason = why
			}
		}})
		Mixed.Search(x)
		s.Runs, s.Lost, s.Timeouts = x.Runs, x.Runs-x.Aborted[concolic.ReasonNone], x.Timeouts()
		list = append(list, s)
	}
	return list, nil
}

// shareSteps bounds a run of shares: functions of a library rarely need more.
const shareSteps = 50_000
