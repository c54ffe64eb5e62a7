package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/gentest"
	"foray.test/cmd/internal/known"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/coordinator"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/emit"
)

// recorder stores the entries and findings of a run on one package, and has them
// printed. It implements [coordinator.Reporter].
type recorder struct {
	f      *fuzzing
	s      *subject
	spawn  worker.Spawn
	writer *store.Writer
	keptEntries
	earlier map[string]corpusadmin.Stored // findings of earlier runs, by signature
	failing []seq.Sequence                // findings that need not end their process
	seen    []string                      // signatures of all findings, of earlier runs too
	warned  map[string]bool
	silence
	tally
	group  *event.Group
	told   map[string]store.Finding // of this run and those that still fail, by signature
	budget budget
	prover *gentest.Prover // nil for a fuzz target: its test is the input
	course report.Run      // of the search
}

// tally counts findings beside those of the search.
type tally struct {
	outside [engine.Tiers]int // reported before the search began and after it, less those of it that are silenced
	still   int               // of earlier runs that still fail
	fixed   int               // … and that do not
	doubted int               // after the search, that their tests do not show
}

// keptEntries are the entries of a package's corpus.
type keptEntries struct {
	corpus  string          // the directory
	entries []seq.Sequence  // of earlier runs
	ids     map[string]bool // of all entries
	added   int             // entries of this run
	sown    int             // … of sequences of the package's tests
	fresh   []seq.Sequence  // … themselves
	values  int             // entries kept for the values they make
	made    []seq.Sequence  // … that are to be stored at the end
}

// silence holds the findings that a run does not print.
type silence struct {
	known     known.List                // findings that the package's authors know of
	knownSeen map[engine.Signature]bool // … those that have shown
	knownHits uint64                    // … the sequences that ended in them
	muted     map[engine.Signature]bool // findings that a suppression of go-fuzz silences
	quiet     []string                  // findings not to search for: see engine.Verdict.DedupKey
}

// newRecorder opens the corpus and reads the entries and findings of earlier runs.
func newRecorder(ctx context.Context, f *fuzzing, s *subject, spawn worker.Spawn) (*recorder, error) {
	r := &recorder{f: f, s: s, spawn: spawn, keptEntries: keptEntries{corpus: s.dir, ids: map[string]bool{}}}
	r.course = report.Run{Start: time.Now().UTC().Truncate(time.Second), Version: s.version}
	r.makeReady()
	entries, err := s.corpus(spawn).Entries(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		r.entries = append(r.entries, e.Steps)
		r.ids[e.ID] = true
		if e.Value {
			r.values++
		}
	}
	findings, err := s.corpus(spawn).Findings()
	if err != nil {
		return nil, err
	}
	for _, st := range findings {
		if st.Cut {
			continue
		}
		r.earlier[st.Finding.Signature] = st
		r.seen = append(r.seen, st.Finding.Signature)
		if quick(st.Finding.Kind) {
			r.failing = append(r.failing, st.Steps)
		}
	}
	r.writer = s.store.NewWriter()
	f.begin(s, len(r.entries))
	return r, nil
}

// makeReady reads the findings that the package's authors know of.
func (r *recorder) makeReady() {
	r.warned, r.knownSeen, r.muted = map[string]bool{}, map[engine.Signature]bool{}, map[engine.Signature]bool{}
	r.group = event.NewGroup(r.f.verbose, r.f.strict || r.s.fuzz != "")
	r.group.Target = r.s.fuzz != ""
	r.earlier, r.told = map[string]corpusadmin.Stored{}, map[string]store.Finding{}
	r.known = r.s.readKnown()
	for _, p := range r.s.found.Problems {
		r.Warn(p)
	}
	for _, d := range r.s.worker.Dropped {
		if op := &r.s.table.Ops[d.Op]; op.Kind == seq.Check {
			r.Warn(op.Short + " does not compile: " + d.Reason)
		}
	}
	r.quiet = slices.Sorted(maps.Keys(r.known.Lines))
}

// close makes everything durable. It compares the values of sequences for at most limit.
func (r *recorder) close(limit time.Duration) error {
	r.storeMade(limit)
	r.noteUsage()
	err := r.writer.Close()
	if st, statErr := r.s.store.Stat(); err != nil && statErr == nil {
		r.added = st.Entries - len(r.entries) // the others are lost
	}
	return err
}

// storeMade stores the sequences that workers have left for the values they make. It
// leaves out those that show and leave the same as another entry.
func (r *recorder) storeMade(limit time.Duration) {
	if len(r.made) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	b := replay.NewBench(r.s.config(r.spawn))
	defer b.Close()
	known := slices.Concat(r.entries, r.fresh)
	seen := map[string]bool{}
	err := b.StudyAll(ctx, slices.Concat(known, r.made), func(i int, st replay.Study) {
		key := fmt.Sprint(st.Sides, st.Values, st.State)
		isNew := st.Verdict == nil && st.Error == nil && !seen[key]
		seen[key] = true
		if i >= len(known) && isNew && r.values < maxValues {
			r.store(r.made[i-len(known)], corpusadmin.OriginValue, 0)
		}
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.Note("no time was left to look at all sequences that make new values: the others are not stored")
	case err != nil:
		r.Note(fmt.Sprintf("entries kept for their values: %v", err))
	}
}

// settleTime is how long errors that break a promise wait for surer ones, which are shown first.
const settleTime = 15 * time.Second

// Progress implements [coordinator.Reporter].
func (r *recorder) Progress(s coordinator.Snapshot) {
	r.addOutside(&s)
	if r.course.Due(s.Elapsed) {
		r.note(&s)
	}
	if s.Elapsed > settleTime {
		r.group.Settle(r.f.out)
	}
	if r.f.scope != nil {
		r.f.out.Progress(s.Elapsed, func() string { return event.ExploreProgress(s) }, nil)
		return
	}
	now := event.Status{
		Snapshot: s, Package: r.s.name(), Conditions: r.s.found.Conditions, Sides: r.s.found.Sides, Earlier: len(r.entries),
		Time: r.budget.duration,
	}
	r.f.out.Progress(s.Elapsed, now.Line, now.Block)
}

// addOutside adds the findings beside those of the search.
func (r *recorder) addOutside(s *coordinator.Snapshot) {
	for tier, n := range r.outside {
		s.Findings[tier] += n
	}
}

// note adds a point to the course of the run.
func (r *recorder) note(s *coordinator.Snapshot) {
	p := report.Point{Sequences: s.Counts.Sequences, Values: s.Counts.Values, Sides: s.Covered.Count(), Frontier: len(coverage.Frontier(r.s.found.Conditions, s.Covered))}
	for tier := engine.Suspect; tier < engine.Tiers; tier++ {
		p.Findings += s.Findings[tier]
	}
	r.course.Add(s.Elapsed, p)
}

// Warn implements [coordinator.Reporter].
func (r *recorder) Warn(msg string) {
	if !r.warned[msg] {
		r.warned[msg] = true
		r.f.out.Warn(r.s.target.Path+": "+msg, "")
	}
}

// Note implements [coordinator.Reporter].
func (r *recorder) Note(msg string) {
	r.f.out.Note(msg)
}

// maxValues bounds the entries kept for the value they make: every run could add some.
const maxValues = 64

// Entry implements [coordinator.Reporter].
func (r *recorder) Entry(e engine.Entry) {
	if len(e.Sides) == 0 {
		r.made = append(r.made, e.Steps)
		return
	}
	origin := corpusadmin.OriginComposed
	switch {
	case e.Solved:
		origin = corpusadmin.OriginSolved
	case e.Seed:
		origin = corpusadmin.OriginTest
		r.sown++
	}
	r.store(e.Steps, origin, len(e.Sides))
}

// store stores an entry, unless it is there.
func (r *recorder) store(steps seq.Sequence, origin string, sides int) {
	e := r.s.corpus(r.spawn).Entry(steps, origin, sides)
	id := store.ID(e.Statements)
	if r.ids[id] {
		return
	}
	r.ids[id] = true
	if err := r.writer.Add(e); err != nil {
		r.Warn(err.Error())
		return
	}
	r.added++
	if origin == corpusadmin.OriginValue {
		r.values++
	}
	r.fresh = append(r.fresh, steps)
}

// Prove implements [coordinator.Reporter].
func (r *recorder) Prove(ctx context.Context, list []engine.Finding, giveWay bool, done func(int)) {
	if r.prover != nil {
		r.prover.Prove(ctx, list, giveWay, done)
		return
	}
	for i := range list {
		done(i)
	}
}

// Finding implements [coordinator.Reporter].
func (r *recorder) Finding(f engine.Finding) {
	if f.Doubt != "" {
		r.doubtful(f)
		return
	}
	r.seen = append(r.seen, f.Verdict.Signature.String())
	r.tell(r.shorter(f))
}

// doubtful has a finding printed that its test does not show. It is not stored.
func (r *recorder) doubtful(f engine.Finding) {
	test, _ := r.test(f)
	e := event.NewFinding(r.s.table, &f, r.s.target.Path)
	e.Package, e.Test = r.s.name(), string(test)
	r.f.out.Print(e)
}

// test returns the test of a finding.
func (r *recorder) test(f engine.Finding) ([]byte, error) {
	return emit.Test(r.s.table, f.Steps, f.Verdict, emit.Options{
		Package: r.s.target.Name, Version: r.s.version, Comment: f.When, Raise: r.s.target.Below(emit.Language),
	})
}

// tell stores a finding and has it printed.
func (r *recorder) tell(f engine.Finding) {
	t := r.s.table
	if quick(f.Verdict.Kind) {
		r.failing = append(r.failing, f.Steps)
	}
	test, err := r.test(f)
	if err != nil {
		r.Warn(fmt.Sprintf("finding %s: no test: %v", f.Verdict.Signature, err))
	}
	now := time.Now()
	sf := store.Finding{
		Signature: f.Verdict.Signature.String(), Tier: f.Verdict.Tier.String(), Claim: string(f.Verdict.Claim), Kind: f.Verdict.Kind,
		Operation: t.Ops[f.Verdict.Op].Short, Message: f.Verdict.Message, Rule: f.Verdict.Rule, Evidence: f.Verdict.Applies, Document: f.Verdict.Reason, When: f.When,
		Statements: t.String(f.Steps), Code: event.Code(t, &f, r.s.target.Path), Test: string(test), Stack: f.Verdict.Stack,
		Steps: f.Steps.Calls(t), OriginalSteps: f.Original.Calls(t), Flaky: f.Flaky, First: now, Last: now,
	}
	file := ""
	if err := r.s.store.PutFinding(sf); err != nil {
		r.Warn(err.Error())
	} else {
		file = r.s.store.TestFile(sf.Signature)
	}
	r.told[sf.Signature] = sf
	r.print(f, file, string(test))
}

// print prints a finding that is stored in file, with the test that shows it.
func (r *recorder) print(f engine.Finding, file, test string) {
	s := r.s
	e := event.NewFinding(s.table, &f, s.target.Path)
	e.Package, e.File, e.Test = s.name(), file, test
	if old := r.before(&f.Verdict); old != nil {
		e.News, e.Hits, e.Text.First = false, old.Hits, old.First
	}
	s.compareTests(e, &f)
	place := r.group.Add(s.table, &f)
	e.SameCauseAs, e.Text.Hidden = place.SameCauseAs, place.Hidden
	e.Text.Origin = event.Origin(s.table, &f, s.fuzz != "" && s.listed == 0)
	if r.f.scope == nil {
		e.Text.Origin = fmt.Sprintf("seed %d, %s", r.f.seed.n, e.Text.Origin)
	}
	if r.f.out.GitHub {
		e.Text.Annotation = event.Annotation(s.table, &f, s.target.Path, s.target.Dir)
	}
	switch f.Verdict.Kind {
	case engine.KindRace:
		e.Text.Rerun = s.rerunBy("fuzz", "-fuzztime", "1x")
	case engine.KindLeak:
		e.Text.Rerun = s.rerunBy("fuzz", "-leaks", "-fuzztime", "1x")
	default:
		e.Text.Rerun = s.rerun(file)
	}
	r.group.Hold(e)
	r.f.out.Print(e)
}

// before returns the stored finding of an earlier run, nil if there is none. One that
// has a higher tier now counts as new.
func (r *recorder) before(v *engine.Verdict) *store.Finding {
	old, ok := r.earlier[v.Signature.String()]
	if !ok || rises(old.Finding.Tier, v.Tier) {
		return nil
	}
	return old.Finding
}

// rises reports whether a finding stored with a tier is surer now. A finding may be stored
// as an error by a release that had fewer tiers.
func rises(stored string, now engine.Tier) bool {
	was, ok := engine.ParseTier(stored)
	return ok && now > was
}

// quick reports whether failures of this kind leave their process alive, so far as
// the kind determines it.
func quick(kind string) bool { return kind == engine.KindPanic || kind == engine.KindContract }

// shorter returns f with the calls of an earlier run, if those are fewer and fail
// in the same way still.
func (r *recorder) shorter(f engine.Finding) engine.Finding {
	old, ok := r.earlier[f.Verdict.Signature.String()]
	if !ok || !quick(f.Verdict.Kind) || f.Flaky || old.Steps.Calls(r.s.table) >= f.Steps.Calls(r.s.table) {
		return f
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.budget.shorterTime())
	defer cancel()
	_, err := replay.All(ctx, r.s.config(r.spawn), []seq.Sequence{old.Steps}, func(_ int, res replay.Shown) {
		if v := res.Verdict; v != nil && v.Signature == f.Verdict.Signature && v.Tier >= f.Verdict.Tier {
			f.Verdict, f.Steps = *v, old.Steps
		}
	})
	if err != nil && ctx.Err() == nil {
		r.Warn(err.Error())
	}
	return f
}

// review runs the findings of earlier runs again. Those that still fail are reported
// and not searched for. The others are fixed: that is reported once, and the finding
// goes to quarantine. A flaky finding may be found again. If there is no time, the rest is skipped.
func (r *recorder) review(ctx context.Context, c replay.Config) error {
	list := withoutFoundAfterRun(slices.Collect(maps.Values(r.earlier)))
	order := func(st corpusadmin.Stored) string {
		return fmt.Sprint(!quick(st.Finding.Kind), " ", st.Finding.Signature)
	} // the quick ones first
	slices.SortFunc(list, func(a, b corpusadmin.Stored) int { return cmp.Compare(order(a), order(b)) })
	findings := make([]engine.Finding, len(list))
	for i, st := range list {
		findings[i] = engine.Finding{Verdict: engine.Verdict{Signature: engine.ParseSignature(st.Finding.Signature), Kind: st.Finding.Kind}, Steps: st.Steps}
	}
	limit, most := r.budget.reviewTime()
	return confirm.Review(ctx, c, findings, limit, most, func(i int, res replay.Shown) { r.reviewed(list[i], res) })
}

// reviewed records the result of running a finding of an earlier run again.
func (r *recorder) reviewed(was corpusadmin.Stored, res replay.Shown) {
	v := res.Verdict
	shows := v != nil && v.Tier != engine.Illegal
	switch {
	case res.Error != nil:
		r.Note(was.Name + ": " + res.Error.Error())
	case shows && v.Signature.String() == was.Finding.Signature:
		r.still++
		r.showsNow(was, *v)
	case shows: // a function on its way has another name now
		r.retire(was, "it fails as "+v.Signature.String()+" now")
		r.showsNow(was, *v)
	case !was.Finding.Flaky:
		r.retire(was, "it does not fail any more")
		r.fixed++
		r.f.out.Print(&event.Fixed{Package: r.s.name(), Name: was.Name, Signature: was.Finding.Signature})
	}
}

// showsNow reports the failure of an earlier finding's sequence.
func (r *recorder) showsNow(was corpusadmin.Stored, v engine.Verdict) {
	if _, told := r.told[v.Signature.String()]; told {
		return
	}
	was.Restore(&v)
	r.quiet = append(r.quiet, v.DedupKey())
	if !r.silenced(v.Signature) {
		f := engine.Finding{Verdict: v, Steps: was.Steps, Original: was.Steps, Flaky: was.Finding.Flaky}
		r.s.weigh(&f)
		r.outside[f.Verdict.Tier]++
		r.tell(f)
	}
}

// retire moves a finding of an earlier run to quarantine.
func (r *recorder) retire(was corpusadmin.Stored, reason string) {
	if err := r.s.store.RetireFinding(was.Finding.Signature, reason); err != nil {
		r.Warn(err.Error())
	}
	delete(r.earlier, was.Finding.Signature)
}

// silenced reports whether the package's authors know of a finding, and records that
// it has shown.
func (r *recorder) silenced(signature engine.Signature) bool {
	if r.known.Lines[signature.String()] == 0 {
		return false
	}
	r.knownSeen[signature] = true
	return true
}

// count records how many sequences ended in each finding.
func (r *recorder) count(hits map[engine.Signature]uint64) {
	for signature, n := range hits {
		if n > 0 && r.silenced(signature) {
			r.knownHits += n
		}
	}
	for _, signature := range slices.Sorted(maps.Keys(r.told)) {
		if n := hits[engine.ParseSignature(signature)]; n > 0 {
			sf := r.told[signature]
			sf.Hits = n
			if err := r.s.store.PutFinding(sf); err != nil {
				r.Warn(err.Error())
			}
		}
	}
}
