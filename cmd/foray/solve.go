package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/driver"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/whitebox"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const solveDoc = `Solve looks for arguments that take branches by solving for their conditions. It
interprets exported functions whose parameters are numbers, booleans, strings or
slices of numbers and booleans, on symbols beside values.

  foray solve strconv
  foray solve -func ParseInt -v strconv

Each input that it prints was run natively by the worker that fuzz uses: it took
branch sides that no entry of the corpus takes, and became an entry of origin
"solved", or it panicked. A function is not solved for, or loses runs, for a reason
that is printed: goroutines, reflection, unsafe code, assembly.

Then it solves for the literals in the entries of the corpus, also of methods, that
come to a condition with a side that no entry takes.

-func also names a method, or a function with parameters that point to structs of the
package. These are structures: a field is chosen when it is first read, and methods
like RepOK must hold. The result is tests, from the interpreter alone. There is one for
each side that can be taken, with -all one for each path.

  foray solve -func '(*Tree).Remove' -o solved_test.go ./tree

-seeds writes the receivers for foray fuzz, which begins with them.

-strategy is one of mixed, directed, random-branch, uniform-random, depth-first,
frontier and random-input. Entries are solved for by frontier.`

// solveOptions are the options of foray solve.
type solveOptions struct {
	*common
	function string
	strategy string
	runs     positive
	seed     seed
	whiteBox
}

func newSolve(fs *flag.FlagSet, c *common) runner {
	o := &solveOptions{common: c, runs: 500, seed: seed{n: 1}}
	fs.StringVar(&o.function, "func", "", "solve for the function or method `name` only")
	o.whiteBox.flags(fs)
	fs.StringVar(&o.strategy, "strategy", strategy.All[0].Name, "how to choose branches: see above")
	fs.Var(&o.runs, "runs", "interpret each function `n` times at most (default 500)")
	fs.Var(&o.seed, "seed", "the `number` that random choices start from (default 1)")
	c.storeFlags(fs)
	c.strictFlag(fs)
	c.verboseFlag(fs, "functions not solved for, sides not taken")
	return o.run
}

func (o *solveOptions) run(ctx context.Context) (int, error) {
	i := slices.IndexFunc(strategy.All, func(s strategy.Strategy) bool { return s.Name == o.strategy })
	if i < 0 {
		return exitUsage, &load.Error{Place: "-strategy", Msg: fmt.Sprintf("no strategy %q", o.strategy), Hint: "foray solve -h lists them"}
	}
	failed := false
	code, err := o.eachPackage(ctx, func(target *build.Target, cache string) error {
		if whitebox.IsMethod(o.function) {
			return o.method(ctx, target)
		}
		s, err := openSubject(ctx, target, o.common, cache)
		if err != nil {
			return err
		}
		a, close, err := s.admission(ctx)
		if err != nil {
			return err
		}
		defer close()
		w := &solving{solveOptions: o, s: s, a: a, strategy: strategy.All[i], taken: a.Sides(), shown: map[string]bool{}}
		err = w.run(ctx)
		failed = failed || w.failed
		return err
	})
	if err == nil && code == exitClean && failed {
		code = exitFindings
	}
	return code, err
}

// solving is the solving for the functions of one package.
type solving struct {
	*solveOptions
	s        *subject
	a        *corpusadmin.Admission
	strategy strategy.Strategy
	taken    map[int32]bool  // branch sides, natively
	shown    map[string]bool // failures, by engine.Verdict.DedupKey
	summary  event.SolveSummary
	failed   bool // a finding makes the command fail
}

func (w *solving) run(ctx context.Context) error {
	t := w.s.target
	w.out.Stage("interpreting " + t.Path)
	defer w.out.Quiet()
	prog, err := w.s.interpreter(ctx)
	if err != nil {
		return &load.Error{Place: t.Path, Msg: err.Error()}
	}
	if has, err := w.hasStructures(t, prog); has || err != nil {
		if err == nil {
			err = w.structures(ctx, t, prog)
		}
		return err
	}
	fns, err := w.functions(prog.Targets[0])
	if err != nil {
		return err
	}
	w.summary = event.SolveSummary{Package: w.s.name(), Reasons: map[string]int{}, Before: len(w.taken), Sides: w.s.sides()}
	for _, fn := range fns {
		e, err := w.solve(ctx, prog, fn)
		if err != nil {
			return err
		}
		w.count(e)
		w.out.Print(e)
	}
	if w.function == "" {
		if err := w.sequences(ctx, prog); err != nil {
			return err
		}
	}
	w.summary.After = len(w.taken)
	w.out.Print(&w.summary)
	return nil
}

// sequences solves for the literals of the entries, and runs natively what that proposes.
func (w *solving) sequences(ctx context.Context, prog *concolic.Program) error {
	list := w.a.Legal()
	if len(list) == 0 {
		return nil
	}
	var proposed []seq.Sequence
	st := driver.NewSearch(prog, w.s.table, driver.Options{Runs: int(w.runs), Seed: w.seed.n, Conditions: w.s.found.Conditions})
	round := driver.Round{
		Stop:    func() bool { return ctx.Err() != nil },
		Covered: func(side int) bool { return w.taken[int32(side)] },
		Propose: func(s seq.Sequence) { proposed = append(proposed, s) },
	}
	st.Run(list, round)
	impossible := st.Impossible(round)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	e := &event.SolvedEntries{Package: w.s.name(), Entries: len(list), Interpreted: st.Sequences, Near: st.Near, Seed: w.seed.n, Proposals: newProposals(&st.Stats.Stats, st.Timeouts)}
	for _, s := range proposed {
		if err := w.confirm(ctx, &e.Proposals, s, strings.TrimSuffix(w.s.table.String(s), "\n")); err != nil {
			return err
		}
	}
	e.Impossible, e.Left = w.impossible(impossible), w.left(st.Left(round))
	w.out.Print(e)
	return w.s.noteImpossible(impossible)
}

// impossible drops the sides that were taken after all, and names the others.
func (w *solving) impossible(witnesses map[int]int) []event.Impossible {
	list := []event.Impossible{}
	w.eachSide(func(number int, side event.ConditionSide) {
		if w.taken[int32(number)] {
			delete(witnesses, number)
		}
		if n := witnesses[number]; n > 0 {
			list = append(list, event.Impossible{ConditionSide: side, Witnesses: n})
		}
	})
	return list
}

// left names the sides of the frontier that are left.
func (w *solving) left(reasons map[int]string) []event.LeftSide {
	list := []event.LeftSide{}
	w.eachSide(func(number int, side event.ConditionSide) {
		if reason := reasons[number]; reason != "" {
			list = append(list, event.LeftSide{ConditionSide: side, Reason: reason})
		}
	})
	return list
}

// eachSide calls f for the sides of the conditions, in order.
func (w *solving) eachSide(f func(number int, side event.ConditionSide)) {
	for i := range w.s.found.Conditions {
		c := &w.s.found.Conditions[i]
		for j, name := range c.Sides {
			f(c.First+j, event.ConditionSide{ID: c.ID(), Place: fmt.Sprintf("%s:%d", filepath.Base(c.File), c.Line), Text: c.Text, Side: name})
		}
	}
}

// functions returns the functions to solve for, by name.
func (w *solving) functions(pkg *ssa.Package) ([]*ssa.Function, error) {
	if w.function != "" {
		fn := pkg.Func(w.function)
		if !token.IsExported(w.function) {
			return nil, &load.Error{Place: pkg.Pkg.Path(), Msg: fmt.Sprintf("-func %s: not exported", w.function), Hint: "name an exported function that calls it: the worker must be able to run what is found"}
		}
		return []*ssa.Function{fn}, nil
	}
	var list []*ssa.Function
	for _, name := range pkg.Pkg.Scope().Names() {
		if fn := pkg.Func(name); fn != nil && token.IsExported(name) {
			list = append(list, fn)
		}
	}
	return list, nil
}

// solve explores a function, and runs natively what it proposes.
func (w *solving) solve(ctx context.Context, prog *concolic.Program, fn *ssa.Function) (*event.Solved, error) {
	e := &event.Solved{Package: w.s.name(), Function: fn.Name(), Strategy: w.strategy.Name, Seed: w.seed.n, Untaken: []string{}, Proposals: newProposals(new(strategy.Stats), 0)}
	if err := concolic.Supported(fn.Signature); err != nil {
		e.Reason = err.Error()
		return e, nil
	}
	if fn.Signature.Params().Len() == 0 || fn.Signature.Variadic() {
		e.Reason = "no parameters, or a variable number of them"
		return e, nil
	}
	m := prog.NewMachine(concolic.Limits{Steps: 200_000})
	in, err := m.NewInput(fn, concolic.Shape{})
	if err != nil {
		return nil, err
	}
	var proposed []*concolic.Run
	panics := map[string]bool{}
	x := strategy.New(m, in, strategy.Options{
		Runs: int(w.runs), Seed: w.seed.n, Idle: max(int(w.runs)/2, 20), Stop: func() bool { return ctx.Err() != nil },
		Visit: func(run *concolic.Run, news bool) {
			if news || run.Panic != "" && !panics[run.Panic] {
				proposed = append(proposed, run)
			}
			panics[run.Panic] = true
		},
	})
	w.strategy.Search(x)
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	e.Proposals = newProposals(&x.Stats, x.Solver().Timeouts)
	e.Taken, e.Sides = x.Coverage()
	for _, side := range x.Untaken() {
		e.Untaken = append(e.Untaken, place(prog, &m.Sites[side/2], side&1))
	}
	for _, run := range proposed {
		statements := in.Statements(run.Input)
		steps, err := w.s.table.Parse(statements)
		if err != nil {
			e.Refused++
			continue
		}
		if err := w.confirm(ctx, &e.Proposals, steps, statements); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func newProposals(st *strategy.Stats, timeouts int) event.Proposals {
	p := event.Proposals{Runs: st.Runs, Strayed: st.Strayed, Unsat: st.Unsat, Unknown: st.Unknown, Timeouts: timeouts, Lost: map[string]int{}, Inputs: []event.SolvedInput{}}
	for r, n := range st.Aborted {
		if n > 0 && concolic.Reason(r) != concolic.ReasonNone {
			p.Lost[concolic.Reason(r).String()] = n
		}
	}
	return p
}

// place names a side of a condition.
func place(prog *concolic.Program, site *concolic.Site, side int32) string {
	pos := prog.Fset.Position(site.Pos)
	return fmt.Sprintf("%s:%d:%d →%v", filepath.Base(pos.Filename), pos.Line, pos.Column, side == 0)
}

// confirm runs a sequence natively. It keeps it if it takes a side that none has taken.
func (w *solving) confirm(ctx context.Context, e *event.Proposals, steps seq.Sequence, statements string) error {
	res, err := w.a.Study(ctx, steps)
	if err != nil {
		return err
	}
	input := event.SolvedInput{Code: statements}
	legal := res.Verdict == nil && res.Error == nil
	for _, side := range res.Sides {
		if !w.taken[side] {
			input.NewSides++
			if legal { // a corpus holds no calls that fail
				w.taken[side] = true
			}
		}
	}
	switch {
	case res.Error != nil:
		e.Refused++
		return nil
	case res.Verdict != nil:
		if key := res.Verdict.DedupKey(); w.shown[key] {
			e.Same++
			return nil
		} else {
			w.shown[key] = true
		}
		input.Tier, input.Message = res.Verdict.Tier.String(), res.Verdict.Message
		if res.Verdict.Tier != engine.Illegal {
			w.summary.Findings++
		}
		w.failed = w.failed || w.fails(res.Verdict.Tier)
	case input.NewSides > 0:
		added, err := w.a.Admit(ctx, steps, res, corpusadmin.OriginSolved)
		if err != nil {
			return err
		}
		if added.What != event.IsKnown {
			input.ID = added.ID
			w.summary.Added++
		}
	default:
		e.Same++
		return nil
	}
	e.Inputs = append(e.Inputs, input)
	return nil
}

// count adds a function to the summary.
func (w *solving) count(e *event.Solved) {
	w.summary.Functions++
	if e.Reason != "" {
		w.summary.Reasons[e.Reason]++
		return
	}
	w.summary.Solved++
	if len(e.Lost) == 0 {
		w.summary.Lossless++
	}
	for reason := range e.Lost {
		w.summary.Reasons["runs lost: "+reason]++
	}
}
