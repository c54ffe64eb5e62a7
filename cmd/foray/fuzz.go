package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/build"
)

const fuzzDoc = `Fuzz composes sequences of calls on the exported API of each package, runs
them, and prints those that fail: minimized, confirmed in fresh processes, one
for each cause, with a Go test that fails until the bug is fixed.

  foray fuzz -fuzztime 10s container/list
  foray fuzz ./...
  foray fuzz github.com/google/btree@latest

A finding is an error (a documented contract or a rule of Go is broken, or a call
crashes and no precondition excuses it) or a suspect (it may be misuse). Calls
that break a precondition are counted as illegal and not shown.

Findings of earlier runs are run again first, and said to be still there or fixed.
Those that testdata/foray/known lists, one "signature # reason" a line, are
counted, not shown, and fail no run.

With -race the worker is built with the race detector, and when a run is over two
goroutines share the values of types that hold a lock, or are documented to be
safe for concurrent use: a race is a finding with both of its sides.

With -leaks it runs what it has kept once more when a run is over, and asks the
garbage collector for goroutines that wait for what nobody can reach any more.

What fuzz learns it keeps as a corpus, where the next run starts. Nothing is
written into the module. Ctrl-C ends a run early; what was found is kept.

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

func runFuzz(ctx context.Context, o *options, out *output) (int, error) {
	if err := errors.Join(checkFormat(o), checkProfile(o)); err != nil {
		return exitUsage, err
	}
	if o.parallel == 0 {
		o.parallel = positive(runtime.GOMAXPROCS(0))
	}
	if !o.seed.given {
		o.seed.n = uint64(time.Now().UnixNano()) >> 10 & (1<<32 - 1)
	}
	if o.fuzz != "" {
		return runTarget(ctx, o, out)
	}
	if err := o.enableLeaks(); err != nil {
		return exitUsage, err
	}
	began := time.Now()
	targets, cache, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	f := &fuzzing{options: o, out: out, goCache: cache}
	failures := out.errors(listErr)
	stop := context.AfterFunc(ctx, out.interrupted)
	defer stop()
	for i, target := range targets {
		err := f.one(ctx, target, len(targets)-i)
		if ctx.Err() != nil {
			f.left = len(targets) - f.total.packages - failures
			break
		}
		failures += out.errors(err)
	}
	failures += f.uncounted + out.errors(f.writeProfile(context.WithoutCancel(ctx)))
	out.summary(f, time.Since(began))
	switch {
	case f.total.findings[engine.Error] > 0:
		return exitFindings, nil
	case failures > 0 || f.left > 0 && f.total.packages == 0:
		return exitUsage, nil
	}
	return exitClean, nil
}

// fuzzing is one run over some packages.
type fuzzing struct {
	options   *options
	out       *output
	goCache   string
	spent     time.Duration // of -fuzztime
	done      uint64        // sequences
	left      int           // packages that an interrupt has left out
	counted   []counted     // packages whose statements were counted
	uncounted int           // … were to be and could not
	total     totals
}

// totals add up over the packages.
type totals struct {
	packages   int
	counts     engine.Counts
	cpu        time.Duration
	confirmCPU time.Duration
	running    time.Duration
	judging    time.Duration
	conditions int
	sides      int
	covered    int
	frontier   int
	entries    int
	findings   [3]int // by tier, those of earlier runs that show still among them
	known      int    // findings that their packages' authors know of
	fixed      int    // … of earlier runs, that do not show any more
	aims       aims
}

// one fuzzes one package with its share of what is left of the budget.
func (f *fuzzing) one(ctx context.Context, target *build.Target, left int) error {
	began := time.Now()
	s, err := prepare(ctx, target, f.options, f.out)
	if err != nil {
		return err
	}
	if err := s.openStore(f.options, f.goCache); err != nil {
		return err
	}
	defer s.claim(f.out)()
	f.out.verbose(fmt.Sprintf("%s: ready after %v", target.Path, time.Since(began).Round(time.Millisecond)))
	dir, err := f.options.temps.make()
	if err != nil {
		return err
	}
	defer f.options.temps.remove(dir)
	spawn := s.spawn(dir)
	spawn.AfterPanic = f.options.past
	r, err := newRecorder(ctx, f, s, spawn)
	if err != nil {
		return err
	}
	c := coordinator.Config{
		Config:   s.config(spawn),
		Parallel: int(f.options.parallel), Seed: f.options.seed.n,
		Entries: r.entries, Dropped: s.dropped(), Report: r,
	}
	past := c.Config
	past.Spawn.AfterPanic = true // as the run may have had that found them
	if err := r.review(ctx, past); err != nil {
		return err
	}
	c.Known = r.quiet
	if f.options.aim && len(s.found.Conditions) > 0 {
		c.Conditions = s.found.Conditions
		c.Analysis = func(ctx context.Context) (worker.Spawn, error) {
			spawn, err := s.spawnAnalysis(ctx, f.options, dir)
			spawn.AfterPanic = f.options.past
			return spawn, err
		}
	}
	f.budget(&c, left)
	start := time.Now()
	res, err := coordinator.Run(ctx, c)
	// What a package takes beyond its share, to confirm what it found, is not
	// taken from the others.
	spent := time.Since(start)
	if c.Duration > 0 {
		spent = min(spent, c.Duration)
	}
	f.spent += spent
	if err := errors.Join(err, r.close()); err != nil {
		return &load.Error{Place: target.Path, Msg: err.Error()}
	}
	f.done += res.Counts.Sequences
	if f.options.race() {
		if err := f.races(ctx, r, c.Known); err != nil {
			return err
		}
	}
	if f.options.leaks {
		if err := f.leaks(ctx, r, c.Known); err != nil {
			return err
		}
	}
	r.count(res.Hits)
	for tier, n := range r.outside {
		res.Findings[tier] += n
	}
	d := &done{s, r, res, s.learned(res), aims{}}
	d.aims = newAims(s.found.Conditions, res, d.state)
	f.add(d)
	f.out.packageDone(d)
	s.remember(d.state, f.out)
	f.uncounted += f.out.errors(f.profile(ctx, d))
	return nil
}

// budget gives a package its share of time or sequences.
func (f *fuzzing) budget(c *coordinator.Config, left int) {
	ft := f.options.fuzzTime
	switch {
	case ft.sequences > 0:
		c.Sequences = max((ft.sequences-min(f.done, ft.sequences-1))/uint64(left), 1)
	case ft.duration > 0:
		c.Duration = max((ft.duration-f.spent)/time.Duration(left), 100*time.Millisecond)
	default:
		c.Plateau = true
		c.Duration = max((defaultTime-f.spent)/time.Duration(left), time.Second)
	}
}

// done is one package at the end of its run.
type done struct {
	s     *subject
	r     *recorder
	res   *coordinator.Result
	state *report.State // of this run only
	aims  aims
}

func (f *fuzzing) add(d *done) {
	s, res, t := d.s, d.res, &f.total
	t.packages++
	t.counts.Sequences += res.Counts.Sequences
	t.counts.Aimed += res.Counts.Aimed
	t.counts.Distinct += res.Counts.Distinct
	t.counts.Steps += res.Counts.Steps
	t.counts.Values += res.Counts.Values
	t.counts.Illegal += res.Counts.Illegal
	t.cpu += res.CPU
	t.confirmCPU += res.ConfirmCPU
	t.running += res.Running
	t.judging += res.Judging
	t.conditions += len(s.found.Conditions)
	t.sides += s.found.Sides
	t.covered += res.Covered.Count()
	t.frontier += d.state.Totals().Frontier
	t.aims.add(d.aims)
	t.entries += d.entries()
	for i, n := range res.Findings {
		t.findings[i] += n
	}
	t.known += len(d.r.knownSeen) + len(d.r.muted)
	t.fixed += d.r.fixed
}

// entries is the size of the corpus.
func (d *done) entries() int { return len(d.r.entries) + d.r.added }

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
