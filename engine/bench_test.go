package engine

import (
	"testing"

	"foray.test/engine/draw"
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
