package engine

import (
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// BenchmarkCompose is composition with the fake executor. Its steps and digests are
// cheap: the result is an upper bound of the engine's own time. One op is one sequence.
func BenchmarkCompose(b *testing.B) {
	for _, bb := range []struct {
		name string
		p    Params
	}{{"directed", Params{}}, {"undirected", Params{Undirected: true}}} {
		b.Run(bb.name, func(b *testing.B) {
			e, _, _ := newFakeEngine(b, 1, bb.p)
			e.Run(2000)
			before := e.Counts()
			b.ReportAllocs()
			for b.Loop() {
				e.Run(1)
			}
			c, ns := e.Counts(), float64(b.Elapsed().Nanoseconds())
			b.ReportMetric(ns/float64(c.Steps-before.Steps), "ns/step")
			b.ReportMetric(float64(c.Values-before.Values)*1e9/ns, "values/s")
		})
	}
}

func BenchmarkPick(b *testing.B) {
	s := newSchedule(fakeTable(), make([]bool, opMust+1))
	src := draw.Random(1)
	in := new(style)
	for b.Loop() {
		s.pick(src, in)
	}
}

func BenchmarkLiteral(b *testing.B) {
	pool, src := NewPool(fakeTable()), draw.Random(1)
	for b.Loop() {
		pool.Draw(src, typeInt, 16, usual)
	}
}

// BenchmarkAttempt makes attempts at the side that nothing takes, with the fake executor:
// it measures proposing and scoring. One op is 100 sequences, most of them of attempts.
func BenchmarkAttempt(b *testing.B) {
	e, _, _ := newLockEngine(1, true)
	e.Run(5000)
	before := e.Counts().Aimed
	b.ReportAllocs()
	for b.Loop() {
		e.Run(100)
	}
	b.ReportMetric(float64(e.Counts().Aimed-before)/b.Elapsed().Seconds(), "runs/s")
}

// An idleExecutor runs nothing: each step returns normally, and nothing has a digest.
type idleExecutor struct{ hits []byte }

func (x *idleExecutor) Box(l *seq.Literal)                                  { l.Boxed = l.Value }
func (x *idleExecutor) Begin(RunOptions) Run                                { return x }
func (x *idleExecutor) Append(seq.Step) StepOutcome                         { return StepOutcome{} }
func (x *idleExecutor) Digests() []SlotDigest                               { return nil }
func (x *idleExecutor) State([]int32, StateOptions) ([]int32, uint64, bool) { return nil, 0, true }
func (x *idleExecutor) End(s seq.Sequence, fresh []int32) Outcome           { return Outcome{Hits: x.hits} }

// newIdleEngine returns an engine over an idle executor that composes calls of New and of
// methods that take numbers.
func newIdleEngine() *Engine {
	t := fakeTable()
	t.Ops = t.Ops[:opJoin] // New, Put and Get
	return New(Config{
		Table: t, Pool: NewPool(t), Executor: &idleExecutor{make([]byte, fakeSides)}, Source: draw.Random(1), Sides: fakeSides,
	})
}

// Composing calls whose arguments are literals and live values allocates nothing.
func TestComposingAllocatesNothing(t *testing.T) {
	e := newIdleEngine()
	e.Run(2000) // its buffers have grown by then
	if n := testing.AllocsPerRun(500, func() { e.Run(1) }); n != 0 {
		t.Errorf("%v allocations a sequence, want none", n)
	}
}

// BenchmarkComposeLiterals is the composer's own time for such calls.
func BenchmarkComposeLiterals(b *testing.B) {
	e := newIdleEngine()
	e.Run(2000)
	before := e.Counts()
	b.ReportAllocs()
	for b.Loop() {
		e.Run(1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(e.Counts().Steps-before.Steps), "ns/step")
}
