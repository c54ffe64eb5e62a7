package strategy

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
)

// A Share tells how much of a function the interpreter runs.
type Share struct {
	Function   string
	Runs, Lost int
	Timeouts   int    // of the solver
	Reason     string // why most of the lost runs were aborted
}

// Shares explores the exported functions of a package whose parameters can be symbolic, for
// some runs each, by the default strategy.
func Shares(p *concolic.Program, pkg *ssa.Package, runs int) ([]Share, error) {
	m := p.NewMachine(concolic.Limits{Steps: shareSteps})
	var list []Share
	for _, name := range pkg.Pkg.Scope().Names() {
		fn := pkg.Func(name)
		if fn == nil || !token.IsExported(name) || fn.Signature.Params().Len() == 0 || concolic.Supported(fn.Signature) != nil {
			continue
		}
		in, err := m.NewInput(fn, concolic.Shape{MaxLength: 8})
		if err != nil {
			return nil, err
		}
		s := Share{Function: name}
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
		s.Runs, s.Lost, s.Timeouts = x.Runs, x.Runs-x.Aborted[concolic.ReasonNone], x.Solver().Timeouts
		list = append(list, s)
	}
	return list, nil
}

// shareSteps bounds a run of Shares: functions of a library rarely need more.
const shareSteps = 50_000
