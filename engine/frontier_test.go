package engine

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// lock is an API of one operation with conditions that composition hardly decides:
//
//	func Open(key int, word string, turns int) {
//		if key == secret {            // sides 0, 1
//			if word == password {     // 2, 3
//			}
//		}
//		if turns < 0 {                // 4, 5
//			for {
//			}
//		}
//		if seldom {                   // 6, 7: never the same twice
//		}
//		if 1 > 2 {                    // 8, 9
//		}
//	}
//
// It implements Tracer.
type lock struct {
	table  *seq.Table
	secret int64
	word   string

	opts   RunOptions
	out    bool
	hung   bool
	hits   [10]byte
	visits []coverage.Visit
	sums   [5]coverage.Sum
	noise  *rand.Rand
	steady bool // condition 3 compares the same in each run

	history []byte
	outs    int // runs that used up their fuel
	endless int // runs that had no end and all the fuel they wanted
}

var lockConditions = []coverage.Condition{
	{Func: "Open", Ordinal: 1, Kind: coverage.Bool, First: 0, Sides: []string{"false", "true"}, Op: "=="},
	{Func: "Open", Ordinal: 2, Kind: coverage.Bool, First: 2, Sides: []string{"false", "true"}, Op: "=="},
	{Func: "Open", Ordinal: 3, Kind: coverage.Bool, First: 4, Sides: []string{"false", "true"}, Op: "<"},
	{Func: "Open", Ordinal: 4, Kind: coverage.Bool, First: 6, Sides: []string{"false", "true"}, Op: "=="},
	{Func: "Open", Ordinal: 5, Kind: coverage.Bool, First: 8, Sides: []string{"false", "true"}, Op: ">"},
}

func lockTable() *seq.Table {
	return &seq.Table{
		Package: "lock", Name: "lock", Imports: []seq.Import{{Name: "lock", Path: "lock"}},
		Types: []seq.Type{
			{},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{1}},
			{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{2}},
		},
		Ops: []seq.Operation{{
			Name: "Open", Short: "Open", Kind: seq.Func, Template: "lock.Open($0, $1, $2)", Params: []seq.TypeID{1, 2, 1},
			API: true, Member: "Open",
		}},
	}
}

func (l *lock) Begin(o RunOptions) Run {
	l.opts = o
	clear(l.hits[:])
	l.visits, l.sums, l.out, l.hung = l.visits[:0], [5]coverage.Sum{}, false, false
	return l
}

func (l *lock) Box(lit *seq.Literal) { lit.Boxed = lit.Value }

func (l *lock) visit(cond int, taken bool, v coverage.Visit) bool {
	v.Condition, v.Side = int32(cond), int32(lockConditions[cond].First)
	if taken {
		v.Side++
	}
	l.hits[v.Side] = 1
	if l.opts.Trace >= TraceHashes {
		s := &l.sums[cond]
		s.Visits++
		h := v.X*7 + v.Y
		for _, c := range []byte(v.SX) {
			h = h*131 + uint64(c)
		}
		s.Set |= 1 << (h * 0x9e3779b97f4a7c15 >> 58)
		s.Hash = s.Hash*31 + h
	}
	if l.opts.Trace >= TraceVisits {
		l.visits = append(l.visits, v)
	}
	return taken
}

func (l *lock) Append(st seq.Step) StepOutcome {
	l.history = seq.AppendStep(l.history, st)
	key, word := st.Args[0].Lit.Value.(int64), st.Args[1].Lit.Value.(string)
	turns := st.Args[2].Lit.Value.(int64)
	ints := func(x, y int64) coverage.Visit {
		return coverage.Visit{Kind: coverage.SignedOperands, X: uint64(x), Y: uint64(y)}
	}
	if l.visit(0, key == l.secret, ints(key, l.secret)) {
		l.visit(1, word == l.word, coverage.Visit{
			Kind: coverage.StringOperands, SX: word, SY: l.word, X: uint64(len(word)), Y: uint64(len(l.word)),
		})
	}
	if l.visit(2, turns < 0, ints(turns, 0)) {
		if l.out = l.opts.Fuel > 0; l.out {
			l.outs++
			return StepOutcome{Status: Broken}
		}
		l.endless++
		l.hung = true // and found: no entry ends so
		return StepOutcome{Status: Broken}
	}
	n := int64(7)
	if !l.steady {
		n = l.noise.Int64N(1 << 40)
	}
	l.visit(3, false, ints(n, -1))
	l.visit(4, false, ints(1, 2))
	return StepOutcome{}
}

func (l *lock) Digests() []SlotDigest { return nil }

func (l *lock) State([]int32, StateOptions) ([]int32, uint64, bool) { return nil, 0, true }

func (l *lock) End(seq.Sequence, []int32) Outcome {
	out := Outcome{Hits: l.hits[:], Spent: 3, OutOfFuel: l.out}
	if l.hung {
		out.Verdict = &Verdict{Tier: Illegal, Kind: KindHang, Signature: Signature{Kind: KindHang}}
	}
	return out
}

func (l *lock) Sums() []coverage.Sum       { return l.sums[:] }
func (l *lock) Logged() int                { return len(l.visits) }
func (l *lock) Visit(i int) coverage.Visit { return l.visits[i] }
func (l *lock) Find(cond int32, from int) int {
	for i := from; i < len(l.visits); i++ {
		if l.visits[i].Condition == cond {
			return i
		}
	}
	return -1
}

func newLockEngine(seed uint64, aim bool) (*Engine, *lock, *fakeSink) {
	l := &lock{table: lockTable(), secret: 0x5dee_ce66_d1ce_4e5b, word: "open sesame", noise: rand.New(rand.NewPCG(1, 2))}
	sink := &fakeSink{}
	c := Config{
		Table: l.table, Pool: NewPool(l.table), Executor: l, Source: draw.Random(seed), Sides: 10, Sink: sink,
	}
	if aim {
		c.Tracer, c.Conditions = l, lockConditions
	}
	for _, lit := range c.Pool.Literals {
		l.Box(lit)
	}
	return New(c), l, sink
}

func TestFrontierIsFlipped(t *testing.T) {
	const runs = 3000
	plain, _, _ := newLockEngine(1, false)
	plain.Run(runs)
	if plain.Covered().Has(1) {
		t.Fatal("composition alone guesses the key: the test shows nothing")
	}
	e, l, sink := newLockEngine(1, true)
	e.Run(runs)
	if c := e.Counts(); c.Sequences != runs || c.Aimed == 0 || c.Aimed == runs {
		t.Errorf("%d sequences, %d of them aimed, want %d and some", c.Sequences, c.Aimed, runs)
	}
	got := map[int32]string{}
	for _, s := range e.Frontier() {
		got[s.Side] = s.Status
		if s.Status == SideFlipped && s.Edit == "" {
			t.Errorf("side %d was flipped by nothing", s.Side)
		}
	}
	want := map[int32]string{1: SideFlipped, 3: SideFlipped, 7: SideUnstable, 9: SideNoInfluence}
	delete(got, 5) // composition or an edit: either may come first
	if !maps.Equal(got, want) {
		t.Errorf("frontier\n%v\nwant\n%v", got, want)
	}
	if !slices.ContainsFunc(sink.entries, func(en Entry) bool { return slices.Contains(en.Sides, 3) && len(en.Steps) == 1 }) {
		t.Error("what took the innermost side is no entry of one step")
	}
	if l.outs < 2 || l.endless > 0 {
		t.Errorf("%d runs out of fuel and %d without an end, want several and none", l.outs, l.endless)
	}
	if len(sink.endless) != 1 {
		t.Fatalf("%d sequences are told of as endless, want one of the operation", len(sink.endless))
	}
	if s := sink.endless[0]; s[len(s)-1].Args[2].Lit.Value.(int64) >= 0 {
		t.Errorf("%s ends", text(l.table, s))
	}
}

func TestSameSeedSameFrontier(t *testing.T) {
	history := func(seed uint64) []byte {
		e, l, _ := newLockEngine(seed, true)
		e.Run(1500)
		return l.history
	}
	if !bytes.Equal(history(3), history(3)) {
		t.Error("the same seed gives two histories")
	}
	if bytes.Equal(history(3), history(4)) {
		t.Error("seeds 3 and 4 give the same history")
	}
}

// TestResumeBeginsWithTheCheapest: a side that an earlier process tried in vain waits
// until the others are as dear.
func TestResumeBeginsWithTheCheapest(t *testing.T) {
	for _, tt := range []struct {
		tried []Side
		want  int
	}{
		{nil, 1},
		{[]Side{{Side: 1, Turns: 2, Price: 2}}, 9},
		{[]Side{{Side: 1, Price: 2}}, 9},
		{[]Side{{Side: 1, Turns: 2, Price: 2}, {Side: 9, Turns: 3, Price: 3}}, 1},
		{[]Side{{Side: 1, Turns: 2, Price: 8}, {Side: 9, Turns: 3, Price: 3}}, 9},
	} {
		e, l, _ := newLockEngine(1, true)
		e.Resume(tt.tried, []int32{5})
		s, err := l.table.Parse("lock.Open(1, \"a\", 2)")
		if err != nil {
			t.Fatal(err)
		}
		e.runner.box(s)
		e.Add(s)
		e.frontier.findWitnesses()
		if got := e.frontier.next(); got != tt.want {
			t.Errorf("with %v the next attempt is at side %d, want %d", tt.tried, got, tt.want)
		}
		for _, s := range tt.tried {
			told := slices.IndexFunc(e.Frontier(), func(now Side) bool { return now.Side == s.Side && now.Price == s.Price && now.Turns == s.Turns })
			if told < 0 {
				t.Errorf("%+v is not among what the engine tells: %+v", s, e.Frontier())
			}
		}
	}
}

// atFrontier returns an engine that has sides 1, 5 and 9 as frontier, with a witness of
// all, and conditions of its own to change.
func atFrontier(t *testing.T) (*Engine, []coverage.Condition) {
	t.Helper()
	e, l, _ := newLockEngine(1, true)
	s, err := l.table.Parse("lock.Open(1, \"a\", 2)")
	if err != nil {
		t.Fatal(err)
	}
	e.runner.box(s)
	e.Add(s)
	f := e.frontier
	f.conds = slices.Clone(f.conds)
	f.findWitnesses()
	return e, f.conds
}

// Entries that come after an operation is disabled are witnesses, too, and none that calls
// it is left.
func TestDisableKeepsTrackOfWitnesses(t *testing.T) {
	e, _ := atFrontier(t)
	f, op := e.frontier, e.archive.entries[0].Steps[0].Op
	if f.next() < 0 {
		t.Fatal("no attempt is due at first")
	}
	for i := range f.targets {
		f.targets[i].base = e.archive.entries[0].Steps
	}
	later := e.archive.entries[0]
	e.Disable(op)
	if f.witnesses.seen != 0 || f.next() >= 0 || f.targets[1].base != nil {
		t.Errorf("%d entries counted, next side %d, base %v; want nothing left", f.witnesses.seen, f.next(), f.targets[1].base)
	}
	e.archive.entries = append(e.archive.entries, later)
	if f.findWitnesses(); f.next() < 0 {
		t.Error("a later entry is no witness")
	}
}

// TestNextLeadsFurthest: of sides with as many attempts the one comes first that most
// sides lie behind.
func TestNextLeadsFurthest(t *testing.T) {
	for _, want := range []int{1, 5, 9} {
		e, conds := atFrontier(t)
		for i := range conds {
			conds[i].Successors = nil
			if side := conds[i].First + 1; side == want {
				conds[i].Successors = [][]int{nil, {1}} // which no run has reached
			}
		}
		e.frontier.weigh()
		if got := e.frontier.next(); got != want {
			t.Errorf("the first attempt is at side %d, want %d, for what lies behind it", got, want)
		}
	}
}

// TestAttemptsAreTold: of each attempt before its first run, and composition is ahead.
func TestAttemptsAreTold(t *testing.T) {
	e, _ := atFrontier(t)
	sink := e.frontier.sink.(*fakeSink)
	steps := 0
	for ; len(sink.attempts) == 0; steps++ {
		e.Step(attemptRuns)
	}
	if composed := e.runner.counts.Sequences - e.runner.counts.Aimed; steps < 2 || composed == 0 || e.runner.counts.Aimed == 0 {
		t.Errorf("the first attempt was told of after %d composed sequences, %d aimed", composed, e.runner.counts.Aimed)
	}
	attempts := uint32(0)
	for _, s := range e.Frontier() {
		attempts += s.Turns
	}
	if attempts > 1 {
		t.Errorf("%d attempts before one was told of", attempts)
	}
}

// TestForeignFlipsAreNotClaimed: a side that another worker's entry takes was not
// flipped here.
func TestForeignFlipsAreNotClaimed(t *testing.T) {
	e, _ := atFrontier(t)
	e.frontier.next() // now its sides have been aimed at
	s, err := e.runner.table.Parse("lock.Open(6768574230986378843, \"a\", 2)")
	if err != nil {
		t.Fatal(err)
	}
	e.runner.box(s)
	if e.Add(s); !e.Covered().Has(1) {
		t.Fatal("the entry does not take side 1")
	}
	for _, side := range e.Frontier() {
		if side.Side == 1 {
			t.Errorf("side 1 is listed: %+v", side)
		}
	}
}

// TestQuiet: some sequences on end without a new side, or many in all.
func TestQuiet(t *testing.T) {
	for _, tt := range []struct {
		sequences, lastNew uint64
		want               bool
	}{
		{0, 0, false},
		{99, 0, false},
		{100, 0, true},
		{150, 51, false},
		{151, 51, true},
		{100*loudAfter - 1, 100*loudAfter - 2, false},
		{100 * loudAfter, 100*loudAfter - 1, true},
	} {
		e, _, _ := newLockEngine(1, false)
		e.params.QuietAfter = 100
		e.runner.counts.Sequences, e.runner.counts.LastNew = tt.sequences, tt.lastNew
		if got := e.Quiet(); got != tt.want {
			t.Errorf("after %d sequences, %d of them since a new side: quiet = %v", tt.sequences, tt.sequences-tt.lastNew, got)
		}
		if e.params.QuietAfter = -1; e.Quiet() {
			t.Errorf("after %d sequences quiet, which is switched off", tt.sequences)
		}
	}
}

// An attempt that runs out of fuel has taken its sides all the same. The sink gets one
// such sequence, unless its operation is known to end processes. Many end the attempt.
func TestOutOfFuelInAttempt(t *testing.T) {
	number := func(n int64) seq.Arg { return seq.Lit(&seq.Literal{Type: 1, Value: n}) }
	loop := seq.Sequence{{Op: 0, Args: []seq.Arg{number(1), seq.Lit(&seq.Literal{Type: 2, Value: "a"}), number(-1)}}}
	for _, restricted := range []bool{false, true} {
		e, _, sink := newLockEngine(1, true)
		if restricted {
			e.Restrict(0)
		}
		f := e.frontier
		f.now = attempt{side: 1, left: attemptRuns, opts: RunOptions{Fuel: 100}}
		for i := range maxOuts {
			if over, want := f.step(loop), i == maxOuts-1; over != want {
				t.Fatalf("run %d: over = %v, want %v", i, over, want)
			}
		}
		if !e.Covered().Has(5) || f.targets[5].edit != 1 || e.Counts().LastNew == 0 {
			t.Errorf("side taken: %v, by edit %d, last new %d; want it taken, by the first edit", e.Covered().Has(5), f.targets[5].edit, e.Counts().LastNew)
		}
		want := 1
		if restricted {
			want = 0
		}
		if len(sink.endless) != want {
			t.Errorf("restricted %v: told of %d times, want %d", restricted, len(sink.endless), want)
		}
	}
}

// One sequence that differs from run to run, as one that ranges over a map, does not keep
// a condition from being aimed at by way of others.
func TestUnstableWitness(t *testing.T) {
	e, l, _ := newLockEngine(1, true)
	f := e.frontier
	const cond = 3
	open := func(key int64) seq.Sequence {
		number := func(n int64) seq.Arg { return seq.Lit(&seq.Literal{Type: 1, Value: n}) }
		return seq.Sequence{{Op: 0, Args: []seq.Arg{number(key), seq.Lit(&seq.Literal{Type: 2, Value: "a"}), number(1)}}}
	}
	e.archive.covered.Add(lockConditions[cond].First)
	for i, steady := range []bool{false, true, false} {
		l.steady = steady
		f.addWitness(open(int64(i)))
		if want := i == 0; f.witnesses.unstable[cond] != want {
			t.Errorf("after witness %d: unstable = %v, want %v", i, f.witnesses.unstable[cond], want)
		}
	}
	if n := len(f.witnesses.byCond[cond]); n != 1 {
		t.Errorf("%d witnesses, want the stable one", n)
	}
}

// An engine that goes on from entries is quiet sooner. Entries of other workers that
// come while it composes change nothing.
func TestResumedIsQuietSooner(t *testing.T) {
	e, _, sink := newLockEngine(1, false)
	if e.Run(50); len(sink.entries) == 0 {
		t.Fatal("no entry to go on from")
	}
	for _, tt := range []struct {
		composed, sequences uint64
		want                bool
	}{{0, 12, false}, {0, 13, true}, {5, 13, false}, {5, 105, true}} {
		e, _, _ := newLockEngine(2, false)
		e.params.QuietAfter = 100
		e.runner.counts.Sequences = tt.composed
		e.Add(sink.entries[0].Steps)
		e.runner.counts.Sequences = tt.sequences
		if got := e.Quiet(); got != tt.want {
			t.Errorf("an entry after %d sequences: quiet after %d = %v, want %v", tt.composed, tt.sequences, got, tt.want)
		}
	}
}

// TestProposalsAreBounded: a step with more than MaxStepArgs arguments is not run.
func TestProposalsAreBounded(t *testing.T) {
	e, l, _ := newLockEngine(1, true)
	args := make([]seq.Arg, MaxStepArgs+1)
	for i := range args {
		args[i] = seq.Lit(e.keeper.pool.Literals[0])
	}
	if got := e.frontier.run(seq.Sequence{{Op: 0, Args: args}}, RunOptions{}, 1, 0); got != useless || len(l.history) > 0 {
		t.Errorf("%d arguments: result %d after %d bytes of history, want useless and none", len(args), got, len(l.history))
	}
}

// TestTrimmed: of a call repeated with many keys the one that comes nearest stays.
func TestTrimmed(t *testing.T) {
	e, l, _ := newLockEngine(1, true)
	l.secret = 1000
	f := e.frontier
	s, err := l.table.Parse(`lock.Open(1, "a", 0); ` + strings.Repeat(`lock.Open(900, "a", 0); lock.Open(3, "a", 0); `, 6))
	if err != nil {
		t.Fatal(err)
	}
	f.now = attempt{side: 1, cond: 0, left: attemptRuns, opts: RunOptions{Fuel: distantFuel, Trace: TraceVisits}, base: s[:1], edit: fromPerturbing}
	f.rerun(s)
	got := f.trimmed(s, f.scoreNow())
	if want := `lock.Open(900, "a", 0)`; l.table.OneLine(got) != want {
		t.Errorf("trimmed: got %s, want %s", l.table.OneLine(got), want)
	}
	if sc := f.scoreNow(); sc.distance != 100 {
		t.Errorf("the last run is %d away, want 100: that of what is left", sc.distance)
	}
}

// Attempts do more work where they yield more than composition, less where they yield
// less, and always some.
func TestShareFollowsYield(t *testing.T) {
	const work = 1<<20 - newWork
	for _, tt := range []struct {
		name              string
		aiming, composing float64
		want              float64
	}{
		{"nothing known", 0, 0, maxShare},
		{"as much", 32 - newGain, 31, 1},
		{"half as much", 16 - newGain, 31, 0.5},
		{"attempts only", 100, 0, maxShare},
		{"composition only", 0, 100, minShare},
	} {
		f := &balance{activity: effort{work, tt.aiming}, rest: effort{work, tt.composing}}
		f.others(100, 0)
		if got := f.owed / 100; got < 0.99*tt.want || got > 1.01*tt.want {
			t.Errorf("%s: %v work of attempts for one of composition, want %v", tt.name, got, tt.want)
		}
		if f.spent(f.owed + 1); f.due() {
			t.Errorf("%s: still due when all that was owed is spent", tt.name)
		}
	}
}

// New values are a gain of composition, each counted once.
func TestValuesAreGain(t *testing.T) {
	e, _ := atFrontier(t)
	f := e.frontier
	e.values, f.rest = e.runner.counts.Values, effort{}
	for _, took := range []int{0, 2} {
		e.runner.counts.Values += valuesPerSide / 2
		e.share(1, took)
	}
	if f.rest.gain != 3 {
		t.Errorf("gain %v of %d values and 2 sides, want 3", f.rest.gain, valuesPerSide)
	}
}

// TestFuelFollowsEntries: a composed sequence may use as much fuel as an entry does.
func TestFuelFollowsEntries(t *testing.T) {
	e, _ := atFrontier(t)
	a := e.archive
	if got := a.composeFuel(); got != composeFuel {
		t.Errorf("fuel %d, want %d", got, composeFuel)
	}
	if a.costliest == 0 {
		t.Error("what an entry used is not known")
	}
	a.costliest = composeFuel
	if got := a.composeFuel(); got != 2*composeFuel {
		t.Errorf("fuel %d beside an entry that uses %d", got, composeFuel)
	}
	if got := fuelFor(&witness{spent: distantFuel}); got != 2*distantFuel {
		t.Errorf("fuel %d around a witness that uses %d", got, distantFuel)
	}
}

// An attempt at a side that nothing is known to influence counts for several: those with
// a known influence come first.
func TestGuessesAreDearer(t *testing.T) {
	e, conds := atFrontier(t)
	f := e.frontier
	side := f.next()
	cond := f.ofSide[side]
	if opaque(&conds[cond]) {
		t.Fatalf("side %d is of a bool from elsewhere", side)
	}
	w := &witness{influence: map[int32]*influence{}}
	f.now = attempt{side: side, cond: cond, w: w}
	guessed, known := &target{}, &target{}
	f.charge(guessed)
	w.influence[cond] = &influence{operands: []mutators.Position{{}}}
	f.charge(known)
	if guessed.price <= known.price || guessed.attempts != 1 || known.attempts != 1 {
		t.Errorf("price %d of a guess in %d attempts, %d of another in %d", guessed.price, guessed.attempts, known.price, known.attempts)
	}
}
