package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/fuzztarget"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/profile"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/untested"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/build"
	"foray.test/harness/contract"
)

const fuzzDoc = `Fuzz composes sequences of calls on the exported API of each package, runs
them, and prints those that fail: minimized, confirmed in fresh processes, one
for each cause, with a Go test that fails until the bug is fixed.

  foray fuzz -fuzztime 10s container/list
  foray fuzz ./...
  foray fuzz github.com/google/btree@latest

A finding is an error, a panic or a suspect. An error breaks a promise: a contract
of a standard interface, a documented convention, or that a call returns. A panic
is a crash that no documented precondition excludes, or a broken promise that is less
likely a bug. One panic of a package is shown, if it is likely a bug. Others
are told in a line each, and so are suspects, which may well be misuse; -v shows all.
Calls that break a precondition are counted as illegal and not shown.

The exit status is 1 if there are errors; with -strict, for panics, too. It is 2 for
wrong usage, a package that cannot be built or tested, or such findings that there was
no time to confirm, if there are no others.

Fuzz first runs the findings of earlier runs again, and prints whether they still
fail. Findings that testdata/foray/known lists, one "signature # reason" a line,
are counted, not shown, and fail no run.

With -race, foray builds the package with the race detector. At the end of a run,
two goroutines share values of types that hold a lock, or that are documented to
be safe for concurrent use. A race is a finding.

With -leaks, foray runs the corpus again at the end of a run. The garbage collector
then names goroutines that wait for an object that nobody can reach any more.

Fuzz reads the tests and examples of the package, and runs them once, with -short
and confined, to record the calls that they make. These sequences run beside composed
ones; those that take new branches are kept. Later runs use the same recording.

Fuzz stores a corpus, where the next run starts. It writes nothing into the module.
Ctrl-C ends a run early, and keeps its findings; the exit status is then 130, or 1 if
there are findings of tier error.

The time of -fuzztime begins when the package is built, and includes running and
confirming findings. The search lasts so long, and the run ends within two seconds of
it; -race and -leaks take half a minute more. The next run begins with sequences that
failed, but that there was no time to confirm. A run that takes no branch in its first two
seconds ends there.

With -fuzz it runs a fuzz target of the package's own tests instead, with no
change to it:

  foray fuzz -fuzz FuzzParse ./pkg

It shares the corpus of go test: it begins with the seeds of f.Add and the files
of testdata/fuzz and of the go command's cache, adds to the cache what reaches new
branches, and writes inputs that fail to testdata/fuzz/FuzzParse, one for each
cause, where go test runs them. The target may fail (t.Fatal, t.Error), panic,
hang or end its process; a skipped input is no finding.

If no test has a target that -fuzz matches, it may name a function of the package as
go-fuzz takes them, func Fuzz(data []byte) int. The package is then built with the
tag gofuzz. An input for which it returns 1 is built on more often, one for which it
returns -1 is not kept; -fuzz '^Fuzz$' tells it from a FuzzParse of the tests:

  foray fuzz -fuzz '^Fuzz$' ./pkg

Its failing inputs stay in foray's store, for go test does not run such functions.
Of what a workdir of go-fuzz holds, foray corpus import takes inputs and suppressions.`

// defaultTime bounds a run without -fuzztime that reaches no plateau.
const defaultTime = 60 * time.Second

// fuzzOptions are the options of foray fuzz.
type fuzzOptions struct {
	*common
	fuzzTime     fuzzTime
	parallel     int
	seed         seed
	fuzz         string // an expression that chooses a fuzz target
	aim          bool
	solve        bool
	past         bool
	leaks        bool
	coverProfile string
	format       string        // text or github
	scope        *engine.Scope // of foray explore
	force        bool          // … which does not ask before it goes on for long
}

func newFuzz(fs *flag.FlagSet, c *common) runner {
	o := &fuzzOptions{common: c}
	fs.StringVar(&o.fuzz, "fuzz", "", "fuzz the target of the package's tests that matches `regexp`, as\ngo test does: FuzzXxx(f *testing.F), or a func Fuzz(data []byte) int\nof go-fuzz; until interrupted or -fuzztime")
	fs.Func("fuzztime", "fuzz for `60s` or, as 5000x, a number of sequences, shared over\nthe packages (default: until nothing new comes, at most 60s)", o.fuzzTime.set)
	numberFlag(fs, &o.parallel, maxNumber, "parallel", "run `n` workers (default: one for each processor)")
	fs.Func("seed", "start the random source at `n` (default: from the clock); with\n-parallel 1, equal seed, corpus and -fuzztime Nx give equal runs,\nas far as calls do not depend on time or on the order of maps", o.seed.set)
	fs.BoolVar(&o.aim, "frontier", true, "search for inputs that take missing branch sides, once random\nsequences take no new ones")
	fs.BoolVar(&o.solve, "solve", true, "after ten seconds, solve for the conditions of missing branch sides, as\nforay solve does; not with a number of sequences")
	fs.BoolVar(&o.past, "past", false, "continue a sequence after a call that its caller made panic; later\nfailures are suspects at most")
	fs.BoolVar(&o.leaks, "leaks", false, "look for goroutines that wait for ever, with the leak profile of\nGo 1.26; building the standard library for it takes 20 s once")
	usageFlag(fs, &c.use.mode)
	c.usageOfFlag(fs)
	c.operationFlags(fs)
	c.storeFlags(fs)
	c.strictFlag(fs)
	c.likelyFlag(fs)
	formatFlag(fs, &o.format)
	fs.StringVar(&o.coverProfile, "coverprofile", "", "write a coverage profile of the corpus and the findings to `file`,\nfor go tool cover")
	c.verboseFlag(fs, "build steps, counts of all operations, every suspect")
	return o.run
}

func (o *fuzzOptions) run(ctx context.Context) (int, error) {
	if err := errors.Join(o.setFormat(o.format), o.checkProfile(), checkUsage(o.use.mode)); err != nil {
		return exitUsage, err
	}
	o.parallel = cmp.Or(o.parallel, runtime.GOMAXPROCS(0))
	o.seed.setSeed()
	if o.fuzz != "" {
		return o.runTarget(ctx)
	}
	if o.leaks {
		o.env = leakEnv(os.Environ())
	}
	began := time.Now()
	targets, listErr := findTargets(ctx, o.common)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	f := &fuzzing{fuzzOptions: o}
	failures := o.out.Errors(listErr)
	stop := context.AfterFunc(ctx, o.out.Interrupted)
	defer stop()
	for i, target := range targets {
		err := f.fuzzPackage(ctx, target, len(targets)-i)
		target.Forget()
		if ctx.Err() != nil {
			f.total.Left = len(targets) - f.total.Packages - failures
			break
		}
		failures += f.failed(err, len(targets))
	}
	failures += f.uncounted + o.out.Errors(f.writeProfile(context.WithoutCancel(ctx)))
	f.summary(time.Since(began))
	switch {
	case f.total.Findings.Error > 0, f.strict && f.total.Findings.Panic > 0:
		return exitFindings, nil
	case failures > 0 || f.total.Packages == 0 || f.untested > 0:
		return exitUsage, nil
	}
	return exitClean, nil
}

// fuzzing is one run over some packages.
type fuzzing struct {
	*fuzzOptions
	spent     time.Duration // of -fuzztime
	done      uint64        // sequences
	counted   []counted     // packages with counted statements
	uncounted int           // … without, because counting failed, and packages that were not stored
	untested  int           // packages that the run says nothing reliable about
	total     event.Summary
	turn      sync.Mutex // held by builds beside the search: each is over sooner alone
}

// fuzzPackage fuzzes one package with its share of the remaining budget. left is the number
// of packages to go.
func (f *fuzzing) fuzzPackage(ctx context.Context, target *build.Target, left int) error {
	began := time.Now()
	s, err := openSubject(ctx, target, f.common)
	if err != nil {
		return err
	}
	defer s.claim()()
	s.warnOfUntested()
	ready := time.Since(began)
	f.total.ReadySeconds += event.Seconds(ready)
	f.out.Note(fmt.Sprintf("%s: ready after %v", target.Path, ready.Round(time.Millisecond)))
	dir, err := f.temps.make()
	if err != nil {
		return err
	}
	defer f.temps.remove(dir)
	spawn := s.spawn(dir)
	spawn.AfterPanic = f.past
	r, err := newRecorder(ctx, f, s, spawn)
	if err != nil {
		return err
	}
	if r.prover, err = f.newProver(s); err != nil {
		return err
	}
	past := s.config(spawn)
	past.Spawn.AfterPanic = true // the run that found them may have had it
	b := f.budget(left)
	r.prover.Time = b.duration
	r.budget = b
	if err := r.review(ctx, past); err != nil {
		return err
	}
	res, err := f.search(ctx, r, dir, b)
	f.spent += min(time.Since(b.began), b.duration)
	// An error of the store does not hide the findings.
	kept := r.close(b.closeTime())
	if err != nil {
		return &load.Error{Place: target.Path, Msg: errors.Join(err, kept).Error()}
	}
	if kept != nil {
		f.uncounted += f.out.Errors(&load.Error{Place: target.Path, Msg: kept.Error()})
	}
	f.done += res.Counts.Sequences
	return f.finish(ctx, r, res)
}

// finish looks for what only the end of a search shows, prints the outcome, and keeps it.
func (f *fuzzing) finish(ctx context.Context, r *recorder, res *coordinator.Result) error {
	if err := f.afterSearch(ctx, r); err != nil {
		return err
	}
	r.count(res.Hits)
	r.addOutside(&res.Snapshot)
	r.note(&res.Snapshot)
	d := &done{r.s, r, res, r.s.learned(res)}
	d.state.History = []report.Run{r.course}
	f.packageDone(d)
	f.tellUntested(d, r.leave(d.state, res.Left))
	if f.use.mode != usageOff {
		r.s.rememberProfile()
	}
	f.uncounted += f.out.Errors(f.profile(ctx, d))
	return nil
}

// afterSearch looks for races and leaks, if that was asked for.
func (f *fuzzing) afterSearch(ctx context.Context, r *recorder) error {
	if f.race() {
		if err := f.findRaces(ctx, r); err != nil {
			return err
		}
	}
	if f.leaks {
		return f.findLeaks(ctx, r)
	}
	return nil
}

// search runs the workers of a package. Each has a directory below dir.
func (f *fuzzing) search(ctx context.Context, r *recorder, dir string, b budget) (*coordinator.Result, error) {
	s := r.s
	c := coordinator.Config{
		Config:   s.config(r.spawn),
		Parallel: f.parallel, Seed: f.seed.n,
		Entries: r.entries, Dropped: s.dropped(), Known: r.quiet, Report: r, Proves: r.prover != nil, Weigh: s.weigh,
	}
	before := s.before()
	if f.scope == nil {
		c.Seeds = s.parse(before.Unconfirmed)
	}
	if f.use.mode != usageOff {
		c.Seeds, c.Seen = slices.Concat(c.Seeds, s.seeds()), s.seenOf(s.found.Usage)
		defer f.addRecorded(ctx, s, &c)()
	}
	if f.aim && len(s.found.Conditions) > 0 {
		c.Conditions, c.Prices = s.found.Conditions, before.Prices(s.found.Conditions, s.found.Files)
		c.Analysis = func(ctx context.Context) (worker.Spawn, error) {
			f.turn.Lock()
			defer f.turn.Unlock()
			spawn, err := s.spawnAnalysis(ctx, dir)
			spawn.AfterPanic = f.past
			return spawn, err
		}
	}
	if f.scope != nil {
		f.explore(s, &c, b)
	} else if f.solve && f.aim && s.fuzz == "" {
		c.Solve = f.solver(s)
	}
	c.Sequences, c.Duration, c.Plateau = b.sequences, b.searchTime(), b.plateau
	return coordinator.Run(ctx, c)
}

// budget is the share that a package has of the time or the sequences of a run.
type budget struct {
	sequences uint64        // 0: a time ends the run
	duration  time.Duration // 0: sequences do, or nothing
	plateau   bool
	began     time.Time
}

// budget returns the share of the next package of so many.
func (f *fuzzing) budget(left int) budget {
	b := budget{began: time.Now()}
	ft := f.fuzzTime
	switch {
	case ft.sequences > 0:
		b.sequences = max((ft.sequences-min(f.done, ft.sequences-1))/uint64(left), 1)
	case ft.duration == 0 && f.scope != nil:
	case ft.duration > 0:
		b.duration = max((ft.duration-f.spent)/time.Duration(left), minTime)
	default:
		b.plateau = true
		b.duration = max((defaultTime-f.spent)/time.Duration(left), time.Second)
	}
	return b
}

// minTime is the least time for a package, however many there are.
const minTime = 100 * time.Millisecond

// reviewTime bounds the time for running findings of earlier runs before the search: until the
// last begins, and in all. Panics and contracts take milliseconds; a hang takes seconds.
func (b *budget) reviewTime() (limit, most time.Duration) {
	const usual, hang, counted = 5 * time.Second, replay.HangTime + 500*time.Millisecond, 10 * time.Minute
	if b.duration > 0 {
		limit = min(usual, b.duration/2)
		return limit, min(limit+hang, b.duration)
	}
	return usual, counted
}

// searchTime returns what the review has left for the search.
func (b *budget) searchTime() time.Duration {
	if b.duration == 0 {
		return 0
	}
	return max(b.duration-time.Since(b.began), minTime)
}

// shorterTime bounds the time for running the sequence of an earlier finding, which takes
// milliseconds, while the search waits. Late in a run there is none.
func (b *budget) shorterTime() time.Duration {
	const most, counted, late = 500 * time.Millisecond, 10 * time.Minute, time.Second
	if b.duration == 0 {
		return counted
	}
	return min(most, b.duration+late-time.Since(b.began))
}

// closeTime bounds the time at the end of a run for comparing the values of sequences. A run
// ends within two seconds of its time, and writes its results after that.
func (b *budget) closeTime() time.Duration {
	const most, late = 3 * time.Second, 1800 * time.Millisecond
	if b.duration == 0 {
		return most
	}
	return min(most, max(b.duration+late-time.Since(b.began), minTime))
}

// done is one package at the end of its run.
type done struct {
	s     *subject
	r     *recorder
	res   *coordinator.Result
	state *report.State // of this run only
}

// packageDone prints the end of the run on a package, and adds it to the totals.
func (f *fuzzing) packageDone(d *done) {
	s, res, r := d.s, d.res, d.r
	e := &event.Package{
		Package: s.name(), Target: s.fuzz, Sequences: res.Counts.Sequences, DistinctSequences: res.Counts.Distinct,
		Steps: res.Counts.Steps, DistinctValues: res.Counts.Values, Sides: s.found.Sides, SidesCovered: res.Covered.Count(),
		LastNewSide: res.Counts.LastNew, Frontier: frontierOf(s.found.Conditions, res, d.state), CorpusEntries: d.entries(),
		Ended: res.Stopped, Discovery: res.Counts.Discovery(), Unconfirmed: res.Unconfirmed + r.doubted, Known: len(r.knownSeen) + len(r.muted),
		StillThere: r.still, Fixed: r.fixed, Hits: res.Hits, Shown: r.group.Shown(), AlsoAt: r.group.AlsoAt(), Restarts: res.Deaths, RestartTime: event.AllSeconds(res.Restarts), Abandoned: res.Counts.Abandoned,
		Operations: len(s.table.Ops), MemberRows: s.members(res), Functions: event.Functions(d.state),
		Solved: event.NewHandover(res.Solved, d.state), Small: d.small(),
		Text: event.PackageText{
			Result: res, State: d.state, Group: r.group, Dir: s.dir, Corpus: r.corpus, Earlier: len(r.entries), Values: r.values,
			KnownFile: r.known.Path, Known: len(r.knownSeen), KnownHits: r.knownHits, Suppressed: len(r.muted),
		},
	}
	if f.scope != nil {
		e.Explored = event.NewExplored(s.table, *f.scope, res, s.uncompiled())
		switch {
		case res.Explored.Full:
			e.Ended = "states"
		case e.Ended == "too long":
			f.untested++
		}
	}
	e.Members = len(e.MemberRows)
	for _, row := range e.MemberRows {
		if row.Legal > 0 {
			e.MembersLegal++
		}
	}
	if e.SidesCovered == 0 && e.Sides > 0 {
		f.out.Warn(s.target.Path+": no branch of the package was taken, so nothing was tested", "foray explain "+s.name()+" says how its calls ended")
	}
	f.out.Print(e)
	f.addTotal(d, e)
}

// tellUntested warns if a run says nothing about its package, or else of the findings that it left
// to the next one: left says so, if there are any.
func (f *fuzzing) tellUntested(d *done, left string) {
	least := engine.Error
	if f.strict {
		least = engine.Panic
	}
	msg, hint := untested.Why(d.s.table, d.res, left, least)
	if msg != "" {
		f.untested++
	}
	if msg = cmp.Or(msg, left); msg != "" {
		f.out.Warn(d.s.target.Path+": "+msg, hint)
	}
}

// addTotal adds the end of the run on a package to the totals.
func (f *fuzzing) addTotal(d *done, e *event.Package) {
	s, res, t := d.s, d.res, &f.total
	t.Packages++
	t.Sequences += e.Sequences
	t.Aimed += res.Counts.Aimed
	t.WithUse += res.Counts.WithUse
	t.Operations += e.Steps
	t.DistinctValues += e.DistinctValues
	t.CPUSeconds += event.Seconds(res.CPU)
	t.ConfirmCPU += event.Seconds(res.ConfirmCPU)
	t.RunSeconds += event.Seconds(res.Running)
	t.ContractTime += event.Seconds(res.Judging)
	t.Conditions += len(s.found.Conditions)
	t.Sides += e.Sides
	t.SidesCovered += e.SidesCovered
	t.OnFrontier += d.state.Totals().Frontier
	t.Frontier.Add(e.Frontier)
	t.CorpusEntries += e.CorpusEntries
	t.Findings.Add(res.Findings)
	t.Known += e.Known
	t.Fixed += e.Fixed
	t.Illegal += res.Counts.Illegal
}

// isCall reports whether an operation calls the API of the package.
func isCall(op *seq.Operation) bool { return op.API }

// summary prints the end of the run.
func (f *fuzzing) summary(elapsed time.Duration) {
	f.total.WallSeconds, f.total.Seed, f.total.Explores = event.Seconds(elapsed), f.seed.n, f.scope != nil
	f.total.Frontier.Add(event.Frontier{})
	f.out.Print(&f.total)
}

// members counts the calls of the exported functions and methods.
func (s *subject) members(res *coordinator.Result) []event.Member {
	why := map[string]string{}
	for _, e := range s.found.Excluded {
		why[e.Member] = e.Reason
	}
	for op, reason := range s.uncompiled() {
		why[s.table.Ops[op].Member] = reason
	}
	rows := event.Members(s.found.Members, s.table, res, why)
	nils := untested.GivenNil(s.table, s.found.Unreachable)
	for i := range rows {
		if r := &rows[i]; r.Legal == 0 {
			r.Why = cmp.Or(r.Why, nils[r.Member])
		}
	}
	return rows
}

// begin prints that a run on a package begins with so many entries.
func (f *fuzzing) begin(s *subject, entries int) {
	f.out.Quiet()
	f.out.Begin()
	calls := len(s.table.OpsThat(isCall))
	inputs := text.Plural(entries, "input") + " to begin with"
	what := fmt.Sprintf("%s: %s (%s)", s.name(), text.Plural(len(s.table.Ops), "operation"), text.Plural(calls, "call"))
	if s.listed > 0 {
		what = strings.Replace(what, ":", "."+s.fuzz+":", 1) + ", " + inputs
	} else if s.fuzz != "" {
		what = s.name() + "." + fuzztarget.Signature(s.table) + ": " + inputs
	}
	if f.scope != nil {
		f.out.Printf("explore: %s, %s; %s, %s of each parameter, %s", what, s.counted(),
			text.Plural(f.scope.Calls, "call"), text.Plural(f.scope.Values, "literal"), text.Plural(f.scope.States, "state")+" at most")
		return
	}
	f.out.Printf("fuzz: %s, %s; seed %d, %s", what, s.counted(), f.seed.n, text.Plural(f.parallel, "worker"))
}

// entries is the size of the corpus.
func (d *done) entries() int { return len(d.r.entries) + d.r.added }

// small counts the entries that make small values, nil if nothing makes any.
func (d *done) small() *event.Small {
	e := new(event.Small)
	for i := range d.s.table.Ops {
		if name := d.s.table.Ops[i].Short; slices.Contains(d.s.found.Small, name) {
			e.Functions = append(e.Functions, name)
		}
	}
	if len(e.Functions) == 0 {
		if e.Type = d.twinless(); e.Type == "" || !d.s.target.Own() || d.s.fuzz != "" || len(d.s.found.Small) > 0 {
			return nil
		}
	}
	for _, steps := range slices.Concat(d.r.entries, d.r.fresh) {
		if slices.ContainsFunc(steps, func(st seq.Step) bool { return slices.Contains(e.Functions, d.s.table.Ops[st.Op].Short) }) {
			e.Entries++
		}
	}
	return e
}

// twinless returns an exported type that has an invariant, empty if there is none.
func (d *done) twinless() string {
	for i := range d.s.table.Ops {
		op := &d.s.table.Ops[i]
		if name := profile.TypeName(d.s.table, op); name != "" && op.API && slices.Contains(strings.Fields(contract.InvariantNames), op.Base) {
			return name
		}
	}
	return ""
}

// dropped returns the operations that have no adapter.
func (s *subject) dropped() []seq.OpID {
	var ids []seq.OpID
	for _, d := range s.worker.Dropped {
		ids = append(ids, d.Op)
	}
	return ids
}

// name returns the package as it was named: with its version if it had one.
func (s *subject) name() string {
	if s.target.Where == build.ModuleCache && s.version != "" {
		return s.target.Path + "@" + s.version
	}
	return s.target.Path
}
