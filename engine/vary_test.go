package engine

import (
	"math"
	"strings"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// The target of these tests takes one step a correct byte of a keyword that no
// dictionary holds, and breaks on an int8 behind it.
const keyword = "qZ#"

const (
	typeText seq.TypeID = iota + 1
	typeInt8
	typeFloat32
)

func targetTable() *seq.Table {
	return &seq.Table{
		Package: "p", Name: "p",
		Types: []seq.Type{
			{},
			{Name: "[]byte", Literal: seq.String, Assignable: []seq.TypeID{typeText}},
			{Name: "int8", Literal: seq.Int, Bits: 8, Basic: true, Assignable: []seq.TypeID{typeInt8}},
			{Name: "float32", Literal: seq.Float, Bits: 32, Basic: true, Assignable: []seq.TypeID{typeFloat32}},
		},
		Ops: []seq.Operation{{
			Name: "p.FuzzX", Short: "FuzzX", Member: "FuzzX", Kind: seq.Func, API: true,
			Template: "FuzzX($0, $1, $2)", Params: []seq.TypeID{typeText, typeInt8, typeFloat32},
		}},
	}
}

// targetExecutor runs the target.
type targetExecutor struct {
	fakeExecutor
	t       *testing.T
	hits    [len(keyword) + 1]byte
	longest int
	runs    int
	rank    func(s string) int8 // if set
	ranked  int8
}

func (x *targetExecutor) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	clear(x.hits[:])
	return x
}

func (x *targetExecutor) Append(st seq.Step) StepOutcome {
	x.runs++
	if err := (seq.Sequence{st}).Check(targetTable()); err != nil {
		x.t.Fatal(err)
	}
	for _, a := range st.Args {
		if a.Lit.Boxed == nil {
			x.t.Fatalf("%v is not boxed", a.Lit.Value)
		}
	}
	s, n, f := st.Args[0].Lit.Value.(string), st.Args[1].Lit.Value.(int64), st.Args[2].Lit.Value.(float64)
	if n < math.MinInt8 || n > math.MaxInt8 || math.Abs(f) > math.MaxFloat32 && !math.IsInf(f, 0) {
		x.t.Fatalf("arguments %d and %v do not fit their types", n, f)
	}
	x.longest = max(x.longest, len(s))
	if x.rank != nil {
		x.ranked = x.rank(s)
	}
	x.hits[0] = 1
	matched := 0
	for matched < len(keyword) && matched < len(s) && s[matched] == keyword[matched] {
		matched++
		x.hits[matched] = 1
	}
	if matched == len(keyword) && n == 12 {
		x.verdict = &Verdict{Tier: Error, Kind: KindFail, Signature: Signature{Kind: KindFail}}
		return StepOutcome{Status: Broken}
	}
	return StepOutcome{}
}

func (x *targetExecutor) End(seq.Sequence, []int32) Outcome {
	return Outcome{Hits: x.hits[:], Verdict: x.verdict, Rank: x.ranked}
}

func newTargetEngine(t *testing.T, p Params) (*Engine, *targetExecutor, *fakeSink) {
	table := targetTable()
	x, sink := &targetExecutor{t: t}, &fakeSink{}
	pool := NewPool(table)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	return New(Config{Table: table, Pool: pool, Executor: x, Source: draw.Random(7), Sides: len(x.hits), Params: p, Sink: sink}), x, sink
}

// Entries are stepping stones: a keyword is found byte by byte, and the input that
// breaks is as short and as simple as can be.
func TestVaryClimbs(t *testing.T) {
	e, x, sink := newTargetEngine(t, TargetParams())
	for i := 0; i < 400 && len(sink.findings) == 0; i++ {
		e.Run(1000)
	}
	if len(sink.findings) != 1 {
		t.Fatalf("%d findings after %d runs, want one", len(sink.findings), x.runs)
	}
	if got, want := text(e.runner.table, sink.findings[0].Steps), "FuzzX([]byte(\"qZ#\"), 12, 0)\n"; got != want && got != strings.Replace(want, ", 0)", ", 0.0)", 1) {
		t.Errorf("minimized to %s, want %s", got, want)
	}
	for _, en := range sink.entries {
		if s := en.Steps[0].Args[0].Lit.Value.(string); len(en.Steps) != 1 || !strings.HasPrefix(keyword, s) {
			t.Errorf("entry %s, want a single call with a prefix of the keyword", text(e.runner.table, en.Steps))
		}
	}
	if x.longest > TargetParams().StringBytes {
		t.Errorf("a string of %d bytes, want at most %d", x.longest, TargetParams().StringBytes)
	}
}

// An input that is ranked below zero is not kept, though the sides that it takes
// count.
func TestRank(t *testing.T) {
	e, x, sink := newTargetEngine(t, TargetParams())
	x.rank = func(s string) int8 {
		if strings.HasPrefix(s, keyword[:2]) {
			return -1
		}
		return 0
	}
	e.Run(200_000)
	if !e.Covered().Has(2) {
		t.Error("the side of two correct bytes is not covered")
	}
	for _, en := range sink.entries {
		if s := en.Steps[0].Args[0].Lit.Value.(string); x.rank(s) < 0 {
			t.Errorf("entry %q is ranked below zero", s)
		}
	}
	n := len(sink.entries)
	for _, s := range []string{"qZ", "qZ# of another worker"} {
		e.Add(literals(e, s))
	}
	if len(e.archive.entries) > n {
		t.Error("an input that is ranked below zero was added")
	}
}

// A sequence ranked above zero keeps its rank when it is cut.
func TestPruneRanked(t *testing.T) {
	e, x, _ := newTargetEngine(t, TargetParams())
	x.rank = func(s string) int8 {
		if len(s) >= 4 {
			return 1
		}
		return 0
	}
	for rank, want := range []int{1, 4} {
		en := &Entry{Steps: literals(e, "q as in query"), Sides: []int32{1}, Rank: int8(rank)}
		e.keeper.prune(en, 0)
		if got := en.Steps[0].Args[0].Lit.Value.(string); len(got) != want || got[0] != 'q' {
			t.Errorf("ranked %d it is cut to %q, want %d bytes", rank, got, want)
		}
	}
}

// literals returns the call of the target with text and zeros.
func literals(e *Engine, text string) seq.Sequence {
	args := []seq.Arg{}
	for i, v := range []any{text, int64(0), float64(0)} {
		l := &seq.Literal{Type: seq.TypeID(i + 1), Value: v}
		e.runner.exec.Box(l)
		args = append(args, seq.Lit(l))
	}
	return seq.Sequence{{Args: args}}
}

// Entries that are ranked above the others are drawn about twice as often.
func TestDrawRanked(t *testing.T) {
	e, _, _ := newTargetEngine(t, TargetParams())
	for i := range 32 {
		en := Entry{Steps: literals(e, strings.Repeat("x", i))}
		if i == 7 {
			en.Rank = 1
		}
		e.archive.add(en)
	}
	const draws = 32_000
	n := 0
	for range draws {
		if e.archive.drawEntry(e.composer.src).Rank > 0 {
			n++
		}
	}
	// It is not among the newest eighth, which come every other time: once in 64, twice.
	if want := draws / 32; n < want*9/10 || n > want*11/10 {
		t.Errorf("drawn %d of %d times, want about %d", n, draws, want)
	}
}

// Without variation the same number of runs does not get there.
func TestComposeAloneDoesNotClimb(t *testing.T) {
	p := TargetParams()
	p.VaryOf8 = 0
	e, _, sink := newTargetEngine(t, p)
	e.Run(50_000)
	if len(sink.findings) != 0 {
		t.Error("the keyword is found without variation: the other test shows nothing")
	}
}

// One sequence is one call, each sequence is run, and equal seeds give equal runs.
func TestTargetParams(t *testing.T) {
	e, x, _ := newTargetEngine(t, TargetParams())
	e.Run(5000)
	c := e.Counts()
	if c.Sequences != 5000 || c.Steps != 5000 {
		t.Errorf("%d sequences of %d steps in all, want one step each", c.Sequences, c.Steps)
	}
	if c.Distinct < 1500 {
		t.Errorf("%d of 5000 sequences are distinct", c.Distinct)
	}
	again, y, _ := newTargetEngine(t, TargetParams())
	again.Run(5000)
	if x.runs != y.runs || again.Counts() != c {
		t.Errorf("histories differ: %+v and %+v", c, again.Counts())
	}
}

// An operation that mostly breaks is throttled, unless it is the only one.
func TestOnlyOperationIsNotThrottled(t *testing.T) {
	table := targetTable()
	for _, ops := range []int{1, 2} {
		for len(table.Ops) < ops {
			table.Ops = append(table.Ops, table.Ops[0])
		}
		s := newSchedule(table, make([]bool, ops))
		s.stats[0] = opStats{Runs: 1000, Broken: 900}
		src, allowed := draw.Random(1), 0
		for range 1000 {
			if s.allowed(0, src) {
				allowed++
			}
		}
		if (allowed == 1000) != (ops == 1) {
			t.Errorf("with %d operations one that mostly breaks is allowed %d times of 1000", ops, allowed)
		}
	}
}

func TestShortenString(t *testing.T) {
	table := targetTable()
	pool := NewPool(table)
	call := func(s string) seq.Sequence {
		arg := func(ty seq.TypeID, v any) seq.Arg { return seq.Lit(&seq.Literal{Type: ty, Value: v}) }
		return seq.Sequence{{Args: []seq.Arg{arg(typeText, s), arg(typeInt8, int64(0)), arg(typeFloat32, 0.0)}}}
	}
	value := func(s seq.Sequence) string { return s[0].Args[0].Lit.Value.(string) }
	// Single bytes far apart, of which none may go.
	long := strings.Repeat("x", 500) + "A" + strings.Repeat("y", 300) + "B" + strings.Repeat("z", 100)
	tries := 0
	got := Minimize(table, pool, call(long), func(s seq.Sequence) bool {
		tries++
		i := strings.Index(value(s), "A")
		return i >= 0 && strings.Contains(value(s)[i:], "B")
	})
	if value(got) != "AB" {
		t.Errorf("minimized to %q, want \"AB\"", value(got))
	}
	if tries > 1000 {
		t.Errorf("%d tries for 902 bytes, of which 2 matter", tries)
	}
}
