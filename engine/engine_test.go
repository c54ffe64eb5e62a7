package engine

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

func TestCoversAndFinds(t *testing.T) {
	e, x, sink := newFakeEngine(t, 1, Params{})
	e.Run(3000)
	if got := e.Covered().Count(); got != fakeSides {
		t.Errorf("covered %d sides of %d", got, fakeSides)
	}
	if len(sink.findings) != 1 {
		t.Fatalf("%d findings, want 1: the other verdicts are illegal", len(sink.findings))
	}
	f := sink.findings[0]
	if f.Verdict.Signature.String() != "self join" {
		t.Errorf("finding %q, want self join", f.Verdict.Signature)
	}
	// Three numbers come of three calls of Put, or of one or two and doublings.
	want := regexp.MustCompile(`^v0 := bag.New\(\)\nv0.Put\(0\)\n(v0.(Put\(0\)|Join\(v0\))\n){2}v0.Join\(v0\)$`)
	if got := strings.TrimSpace(text(x.table, f.Steps)); !want.MatchString(got) {
		t.Errorf("minimized to\n%s\nwant %s", got, want)
	}
	c := e.Counts()
	if c.Sequences != 3000 || c.Illegal == 0 || c.Findings == 0 || c.Values == 0 || c.Distinct == 0 {
		t.Errorf("counts %+v: want 3000 sequences and all else above zero", c)
	}
}

func TestEntriesAreWhatTheirSidesNeed(t *testing.T) {
	e, x, sink := newFakeEngine(t, 2, Params{})
	e.Run(3000)
	seen := map[int32]bool{}
	for _, en := range sink.entries {
		if err := en.Steps.Check(x.table); err != nil {
			t.Errorf("entry %v: %v", en, err)
		}
		out, _ := Execute(x, x.table, en.Steps, RunOptions{})
		for _, side := range en.Sides {
			if out.Hits[side] == 0 {
				t.Errorf("entry\n%s\ndoes not take side %d it is kept for", text(x.table, en.Steps), side)
			}
			if seen[side] {
				t.Errorf("side %d is kept for twice", side)
			}
			seen[side] = true
		}
		for i := range en.Steps {
			cand, _ := seq.Remove(x.table, en.Steps, i)
			out, _ := Execute(x, x.table, cand, RunOptions{})
			all := true
			for _, side := range en.Sides {
				all = all && out.Hits[side] != 0
			}
			if all && len(cand) > 0 {
				t.Errorf("entry\n%s\nstands without step %d", text(x.table, en.Steps), i+1)
			}
		}
	}
	if len(seen) < fakeSides-1 { // the side of the broken run is no entry's
		t.Errorf("entries for %d sides, want %d at least", len(seen), fakeSides-1)
	}
}

func TestSameSeedSameHistory(t *testing.T) {
	history := func(seed uint64) []byte {
		e, x, _ := newFakeEngine(t, seed, Params{})
		x.record = true
		e.Run(500)
		return x.history
	}
	if !bytes.Equal(history(3), history(3)) {
		t.Error("the same seed gives two histories")
	}
	if bytes.Equal(history(3), history(4)) {
		t.Error("seeds 3 and 4 give the same history")
	}
}

func TestAddCoversWithoutComposing(t *testing.T) {
	e, _, sink := newFakeEngine(t, 5, Params{})
	e.Run(2000)
	again, _, other := newFakeEngine(t, 6, Params{})
	for _, en := range sink.entries {
		again.Add(en.Steps)
	}
	if got, want := again.Covered().Count(), e.archive.kept.Count(); got != want {
		t.Errorf("entries of one engine cover %d sides in another, want %d", got, want)
	}
	if c := again.Counts(); c.Sequences != 0 || len(other.entries) != 0 {
		t.Errorf("adding composed %d sequences and reported %d entries", c.Sequences, len(other.entries))
	}
}

// An engine that is given entries back as another has added them need not run them: it
// covers the same sides, and nothing in them is new to it.
func TestRestoreRunsNothing(t *testing.T) {
	e, _, sink := newFakeEngine(t, 5, Params{})
	e.Run(2000)
	first, _, _ := newFakeEngine(t, 6, Params{})
	second, _, other := newFakeEngine(t, 6, Params{})
	for _, en := range sink.entries {
		if en = first.Add(en.Steps); len(en.Sides) > 0 {
			second.Restore(en)
		}
	}
	if c := second.Counts(); c.Replayed != 0 {
		t.Errorf("restoring executed %d steps", c.Replayed)
	}
	if len(first.Covered().AppendMissing(nil, second.Covered()))+len(second.Covered().AppendMissing(nil, first.Covered())) > 0 {
		t.Errorf("restored entries cover %d sides, want %d", second.Covered().Count(), first.Covered().Count())
	}
	if len(second.archive.entries) != len(first.archive.entries) {
		t.Errorf("%d entries to start from, want %d", len(second.archive.entries), len(first.archive.entries))
	}
	second.Run(500)
	for _, en := range other.entries {
		for _, side := range en.Sides {
			if first.Covered().Has(int(side)) {
				t.Errorf("an entry for side %d, which a restored one takes", side)
			}
		}
	}
}

// TestDisabledBefore: of entries that come once an operation is disabled, as to a process in another's
// place, no sequence starts from one that calls it. The sides of those that another ran are covered.
func TestDisabledBefore(t *testing.T) {
	e, _, sink := newFakeEngine(t, 5, Params{})
	e.Run(2000)
	first, _, _ := newFakeEngine(t, 6, Params{})
	added, _, _ := newFakeEngine(t, 6, Params{})
	restored, _, _ := newFakeEngine(t, 6, Params{})
	added.Disable(opPut)
	restored.Disable(opPut)
	calling := 0
	for _, en := range sink.entries {
		added.Add(en.Steps)
		if en = first.Add(en.Steps); len(en.Sides) > 0 {
			restored.Restore(en)
			if calledIn(en.Steps, opPut) {
				calling++
			}
		}
	}
	if calling == 0 {
		t.Fatal("no entry calls the operation")
	}
	for _, e := range []*Engine{added, restored} {
		for _, en := range e.archive.entries {
			if calledIn(en.Steps, opPut) {
				t.Errorf("an entry to start from calls the disabled operation: %v", en.Steps)
			}
		}
	}
	if len(first.Covered().AppendMissing(nil, restored.Covered())) > 0 {
		t.Error("sides of entries that call the disabled operation are not covered")
	}
}

func TestKnownFindingIsNotReported(t *testing.T) {
	e, _, sink := newFakeEngine(t, 1, Params{})
	e.Know("self join")
	e.Run(3000)
	if len(sink.findings) != 0 {
		t.Errorf("%d findings of a known signature", len(sink.findings))
	}
	if e.Counts().Findings == 0 {
		t.Error("known findings are not counted")
	}
}

func TestDisableTakesOperationOut(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	e.Disable(opPut)
	e.Run(500)
	for _, c := range e.OpCounts() {
		if c.Op == opPut {
			t.Errorf("a disabled operation ran %d times", c.Runs)
		}
	}
}

// No component calls an operation that was disabled after it was made.
func TestDisabledRunsNoMore(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	runs := func(id seq.OpID) uint64 {
		for _, c := range e.OpCounts() {
			if c.Op == id {
				return c.Runs
			}
		}
		return 0
	}
	e.Run(500)
	before := runs(opPut)
	if e.Disable(opPut); before == 0 {
		t.Fatal("the operation has not run")
	}
	if e.Run(2000); runs(opPut) > before {
		t.Errorf("a disabled operation ran %d times", runs(opPut)-before)
	}
}

// tally counts the runs of operations.
type tally struct {
	*fakeExecutor
	runs map[seq.OpID]int
}

func (x *tally) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x *tally) Append(st seq.Step) StepOutcome {
	x.runs[st.Op]++
	return x.fakeExecutor.Append(st)
}

// No finding is minimized to a call that has ended a process.
func TestDisabledIsNoDirectCall(t *testing.T) {
	for _, disabled := range []bool{false, true} {
		table := fakeTable()
		end := seq.OpID(len(table.Ops))
		table.Ops = append(table.Ops, seq.Operation{Name: "End", Short: "End", Kind: seq.Func, Template: "bag.End($0)", Params: []seq.TypeID{typeInt}, API: true, Member: "End"})
		x, sink := &tally{&fakeExecutor{table: table}, map[seq.OpID]int{}}, &fakeSink{}
		e := New(Config{Table: table, Pool: NewPool(table), Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: sink})
		if disabled {
			e.Disable(end)
		}
		if e.Run(3000); len(sink.findings) == 0 {
			t.Fatal("no finding")
		}
		if ran := x.runs[end] > 0; ran == disabled {
			t.Errorf("disabled %v: ran %v", disabled, ran)
		}
		e.Restrict(end)
		step := seq.Step{Op: end, Args: []seq.Arg{seq.Lit(e.keeper.pool.First(typeInt))}}
		if e.schedule.harmless(&step) {
			t.Errorf("disabled %v: harmless once it is restricted", disabled)
		}
	}
}

func TestPanickingOperationIsThrottled(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	e.Run(20000)
	var must, all uint64
	for _, c := range e.OpCounts() {
		all += c.Runs
		if c.Op == opMust {
			must = c.Runs
		}
	}
	if must == 0 || must*50 > all {
		t.Errorf("an operation that always breaks ran %d of %d steps, want some and under 2 %%", must, all)
	}
}

func TestImpossible(t *testing.T) {
	table := fakeTable()
	table.Types = append(table.Types, seq.Type{Name: "bag.Secret", Assignable: []seq.TypeID{4}}, seq.Type{Name: "bag.Derived", Assignable: []seq.TypeID{5}})
	table.Ops = append(table.Ops,
		seq.Operation{Name: "Use", Params: []seq.TypeID{5}, API: true},
		seq.Operation{Name: "Derive", Params: []seq.TypeID{4}, Results: []seq.TypeID{5}, API: true},
	)
	got := Impossible(table)
	for i, want := range []bool{false, false, false, false, false, true, true} {
		if got[i] != want {
			t.Errorf("%s: impossible %v, want %v", table.Ops[i].Name, got[i], want)
		}
	}
}

func TestDiscoveryFalls(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	e.Run(8)
	early := e.Counts().Discovery()
	e.Run(20000)
	late := e.Counts().Discovery()
	if late >= early || late > 0.01 {
		t.Errorf("probability of something new: %v after 8 sequences, %v after 20008", early, late)
	}
}

// Representatives are the shortest components of each type. An engine that begins with
// them is no poorer than one that learned them.
func TestRepresentatives(t *testing.T) {
	e, x, _ := newFakeEngine(t, 5, Params{})
	e.Run(2000)
	list := e.Representatives(3, 64)
	if len(list) != 3 {
		t.Fatalf("%d representatives of one type that takes no literals, want 3", len(list))
	}
	again, _, _ := newFakeEngine(t, 6, Params{})
	for i, s := range list {
		if err := s.Check(x.table); err != nil {
			t.Errorf("representative %d: %v", i, err)
		}
		if i > 0 && len(s) < len(list[i-1]) {
			t.Errorf("representative %d has %d steps, the one before %d", i, len(s), len(list[i-1]))
		}
		again.Add(s)
	}
	if !again.archive.components.Has(typeBag) {
		t.Error("representatives leave no component behind")
	}
	if n := again.Counts().Values; n != 0 {
		t.Errorf("%d values of earlier runs counted as new", n)
	}
	if got := e.Representatives(3, 2); len(got) != 2 {
		t.Errorf("%d representatives, want the bound of 2", len(got))
	}
}

// The random walk that directed testing is compared with learns nothing
// [Pacheco09 §8.1].
func TestUndirectedLearnsNothing(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{Undirected: true})
	e.Run(2000)
	if values := e.Counts().Values; values != 0 {
		t.Errorf("an undirected run keeps %d values", values)
	}
	if e.Counts().Steps == 0 || e.Covered().Count() == 0 {
		t.Error("an undirected run calls nothing")
	}
}

// A result that is no argument to try is neither taken by a call nor kept as a
// component.
func TestUnfitResults(t *testing.T) {
	e, fake, _ := newFakeEngine(t, 1, Params{})
	x := &unfit{fakeExecutor: fake}
	e.Use(x)
	e.Run(300)
	if len(e.archive.components.Of(typeBag)) > 0 {
		t.Error("kept as a component")
	}
	if x.used {
		t.Error("taken by a call")
	}
	if e.schedule.stats[opNew].extraCost == 0 {
		t.Error("costly calls are not counted")
	}
}

// unfit makes bags that are no arguments to try.
type unfit struct {
	*fakeExecutor
	used bool
}

func (x *unfit) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x *unfit) Append(st seq.Step) StepOutcome {
	for _, a := range st.Args {
		x.used = x.used || a.Lit == nil
	}
	out := x.fakeExecutor.Append(st)
	if st.Op == opNew {
		out.Unfit, out.Cost = 1, 8
	}
	return out
}

// slow makes a call of one operation take long.
type slow struct {
	*fakeExecutor
	op     seq.OpID
	calls  int
	behind int // calls behind a slow one
	was    bool
	timed  bool // some run was not untimed
}

func (x *slow) Begin(o RunOptions) Run {
	x.was, x.timed = false, x.timed || !o.Untimed
	x.fakeExecutor.Begin(o)
	return x
}

func (x *slow) Append(st seq.Step) StepOutcome {
	if x.was {
		x.behind++
	}
	out := x.fakeExecutor.Append(st)
	if x.was = st.Op == x.op; x.was {
		x.calls++
		out.Cost = 1 << 10
	}
	return out
}

// Untimed is a parameter of all runs: composed, replayed, pruned.
func TestUntimed(t *testing.T) {
	for _, untimed := range []bool{false, true} {
		e, fake, _ := newFakeEngine(t, 1, Params{Untimed: untimed})
		x := &slow{fakeExecutor: fake, op: opMust}
		e.Use(x)
		e.Run(500)
		if x.timed == untimed || len(e.archive.entries) == 0 {
			t.Errorf("untimed %v: timed %v, %d entries", untimed, x.timed, len(e.archive.entries))
		}
	}
}

// A slow call ends its sequence, and is seldom made again: as often as a thousand
// panics would be.
func TestSlowCalls(t *testing.T) {
	calls := func(op seq.OpID) (x *slow, e *Engine) {
		e, fake, _ := newFakeEngine(t, 1, Params{QuietAfter: -1})
		x = &slow{fakeExecutor: fake, op: op}
		e.Use(x)
		e.Run(2000)
		return x, e
	}
	x, e := calls(opPut)
	if x.behind > 0 {
		t.Errorf("%d calls behind slow ones", x.behind)
	}
	if x.calls == 0 || x.calls > 10 {
		t.Errorf("%d slow calls, want a few; %d sequences", x.calls, e.runner.counts.Sequences)
	}
	for _, en := range e.archive.entries {
		for i := range en.Steps {
			if en.Steps[i].Op == opPut {
				t.Errorf("sequences start from a slow one: %s", e.runner.table.String(en.Steps))
			}
		}
	}
}

// TestErrorIsNewBesideSuspect: a finding that was reported as a suspect is reported
// again once it is an error, and not the other way round.
func TestErrorIsNewBesideSuspect(t *testing.T) {
	reported := map[string]bool{}
	for _, step := range []struct {
		v     Verdict
		isNew bool
	}{
		{Verdict{Tier: Suspect, Signature: Signature{Where: "a"}}, true},
		{Verdict{Tier: Suspect, Signature: Signature{Where: "a"}}, false},
		{Verdict{Tier: Error, Signature: Signature{Where: "a"}}, true},
		{Verdict{Tier: Error, Signature: Signature{Where: "a"}}, false},
		{Verdict{Tier: Suspect, Signature: Signature{Where: "a"}}, false},
		{Verdict{Tier: Error, Signature: Signature{Where: "b"}}, true},
		{Verdict{Tier: Suspect, Signature: Signature{Where: "b"}}, false},
	} {
		if got := step.v.IsNew(func(s string) bool { return reported[s] }); got != step.isNew {
			t.Errorf("%v %s: new: %v, want %v", step.v.Tier, step.v.Signature, got, step.isNew)
		}
		reported[step.v.DedupKey()] = true
	}
}
