package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/driver"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/twin"
	"foray.test/cmd/internal/whitebox"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
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
	runs     int
	seed     seed
	// Of solving for structures:
	objects     int // of a type, at most
	all         bool
	file, seeds string
}

func newSolve(fs *flag.FlagSet, c *common) runner {
	o := &solveOptions{common: c, runs: 500, seed: seed{n: 1}, objects: 4}
	fs.StringVar(&o.function, "func", "", "solve for the function or method `name` only")
	numberFlag(fs, &o.objects, maxNumber, "objects", "structures have `n` objects of a type at most (default 4)")
	fs.BoolVar(&o.all, "all", false, "write a test for each path on structures, not only for sides")
	fs.StringVar(&o.file, "o", "", "write the tests on structures to `file`, beside the package")
	fs.StringVar(&o.seeds, "seeds", "", "write a function that returns the receivers to `file`, for foray fuzz")
	fs.StringVar(&o.strategy, "strategy", strategy.All[0].Name, "how to choose branches: see above")
	numberFlag(fs, &o.runs, maxNumber, "runs", "interpret each function `n` times at most (default 500)")
	fs.Func("seed", "start the random source at `n` (default 1)", o.seed.set)
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
	if o.function == "" && o.file+o.seeds != "" {
		return exitUsage, &load.Error{Msg: "-o and -seeds are for structures, want -func", Hint: "foray solve -func '(*Tree).Remove' -o solved_test.go ./tree"}
	}
	failed := false
	code, err := o.eachPackage(ctx, func(target *build.Target) error {
		if whitebox.IsMethod(o.function) {
			return o.method(ctx, target)
		}
		s, err := openSubject(ctx, target, o.common)
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
	if failed {
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
	st := driver.NewSearch(prog, w.s.table, driver.Options{Runs: w.runs, Seed: w.seed.n, Conditions: w.s.own()})
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
	own := w.s.own()
	for i := range own {
		c := &own[i]
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
		Runs: w.runs, Seed: w.seed.n, Idle: max(w.runs/2, 20), Stop: func() bool { return ctx.Err() != nil },
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
	e.Proposals = newProposals(&x.Stats, x.Timeouts())
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

// method solves for the method of -func. It needs no worker.
func (o *solveOptions) method(ctx context.Context, target *build.Target) error {
	o.out.Stage("interpreting " + target.Path)
	defer o.out.Quiet()
	prog, err := concolic.Load(concolic.Config{Context: ctx, Dir: target.WorkDir, Env: target.Env, Flags: target.Flags, Patterns: []string{target.Path}})
	if err != nil {
		return &load.Error{Place: target.Path, Msg: err.Error()}
	}
	return o.structures(ctx, target, prog)
}

// hasStructures reports whether the function of -func has structures for arguments.
func (o *solveOptions) hasStructures(target *build.Target, prog *concolic.Program) (bool, error) {
	if o.function == "" {
		return false, nil
	}
	fn, err := whitebox.Find(prog.Fset, prog.Targets[0], o.function)
	if err != nil || whitebox.HasStructures(fn) {
		return true, err
	}
	if o.file != "" || o.seeds != "" {
		err = &load.Error{Place: target.Path, Msg: "-o, -seeds: " + o.function + " has no structures for arguments", Hint: "foray gen writes tests of what is solved for"}
	}
	return false, err
}

// structures solves for the function of -func, which has structures for arguments.
func (o *solveOptions) structures(ctx context.Context, target *build.Target, prog *concolic.Program) error {
	r, err := whitebox.Solve(prog, prog.Targets[0], whitebox.Config{
		Func: o.function, Objects: o.objects, Runs: o.runs, Seed: o.seed.n, All: o.all, Stop: func() bool { return ctx.Err() != nil },
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	e := &event.Structures{
		Package: target.Path, Function: o.function, Precondition: r.Pred, Objects: o.objects, Paths: r.Paths, Completions: r.Stats.Completions,
		Unfinished: r.Stats.Unfinished, Cut: r.Cut, Taken: r.Taken, Sides: r.Of, Lost: newProposals(&r.Stats, 0).Lost, Tests: []event.StructureTest{},
	}
	for _, t := range r.Tests {
		e.Tests = append(e.Tests, event.StructureTest{Code: t.Code, Panic: t.Panic})
	}
	if o.file != "" {
		if e.File, err = o.writeFile(target, o.file, whitebox.Mark, r.File); err != nil {
			return err
		}
	}
	if o.seeds != "" {
		if r.Seeds == nil {
			return &load.Error{Place: target.Path, Msg: "-seeds: " + o.function + " is no method of an exported type", Hint: "-o writes tests"}
		}
		if e.Seeds, err = o.writeFile(target, o.seeds, twin.SolvedMark, r.Seeds); err != nil {
			return err
		}
	}
	o.out.Quiet()
	o.out.Print(e)
	return nil
}

// writeFile writes a file of a package of the user's own.
func (o *solveOptions) writeFile(target *build.Target, file, mark string, source []byte) (string, error) {
	if err := wantOwn(target, "leave out -o and -seeds"); err != nil {
		return "", err
	}
	file, err := writeGenerated(o.common, target, generated{file, mark, "solve", source})
	if err != nil {
		return "", err
	}
	return o.out.Relative(file), nil
}

// solverRuns bounds the runs of one sequence in the interpreter.
const solverRuns = 200

// solver returns a function that solves for the literals of entries, as foray solve does: see
// [coordinator.Config.Solve]. Workers run the sequences that it proposes.
func (f *fuzzing) solver(s *subject) func(context.Context, coordinator.Unsolved) coordinator.Late {
	var search *driver.Search
	var failed error
	return func(ctx context.Context, u coordinator.Unsolved) (l coordinator.Late) {
		if search == nil && failed == nil {
			prog, err := s.interpreter(ctx)
			if failed = err; err != nil {
				l.Note = fmt.Sprintf("%s: solving: %s", s.target.Path, text.OneLine(err.Error(), 200))
			} else {
				search = driver.NewSearch(prog, s.table, driver.Options{Runs: solverRuns, Seed: f.seed.n, Conditions: s.own()})
			}
		}
		if failed != nil {
			return l
		}
		before, spent, proposed := search.Stats, stopwatch(), 0
		round := driver.Round{
			Stop:    func() bool { return ctx.Err() != nil || spent() > u.Time },
			Covered: u.Covered.Has,
			Propose: func(steps seq.Sequence) {
				proposed++
				u.Propose(steps)
			},
		}
		search.Run(u.Entries, round)
		l.Impossible = search.Impossible(round)
		l.Note = fmt.Sprintf("%s: solving: %d of %s interpreted, %d near a side that none takes; %s, %s proposed%s", s.target.Path,
			search.Sequences, text.Plural(len(u.Entries), "entry"), search.Near, text.Plural(search.Runs-before.Runs, "run"), text.Plural(proposed, "sequence"),
			leftText(search.Left(round)))
		debug.FreeOSMemory() // it takes several times as much while it works as it keeps for the next round
		return l
	}
}

// leftText tells how many sides of the frontier are left, by the reason.
func leftText(left map[int]string) string {
	counts := map[string]int{}
	for _, reason := range left {
		counts[reason]++
	}
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "; %s left: %s", text.Plural(counts[reason], "side"), reason)
	}
	return b.String()
}

// maxWait is how much longer than its processor time solving may take on a busy machine.
const maxWait = 3

// stopwatch returns a function that tells how much processor time this process has taken since,
// or at least a part of the time that has passed.
func stopwatch() func() time.Duration {
	began := time.Now()
	cpu, _ := worker.OwnCPU()
	return func() time.Duration {
		passed := time.Since(began)
		if now, ok := worker.OwnCPU(); ok {
			return max(now-cpu, passed/maxWait)
		}
		return passed
	}
}

// interpreter loads the package and what its sequences name.
func (s *subject) interpreter(ctx context.Context) (*concolic.Program, error) {
	t := s.target
	var also []string
	for _, im := range s.table.Imports {
		if im.Path != t.Path {
			also = append(also, im.Path)
		}
	}
	return concolic.Load(concolic.Config{Context: ctx, Dir: t.WorkDir, Env: t.Env, Flags: t.Flags, Patterns: []string{t.Path}, Also: also})
}
