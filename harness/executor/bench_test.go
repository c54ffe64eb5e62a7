package executor

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// BenchmarkLoop takes the inner loop apart: the same sequences of New, Put, Get
// and Remove as calls in a plain loop, then with one part more at a time. One op
// is one sequence; compare ns/step.
func BenchmarkLoop(b *testing.B) {
	f := newFixture(b, int(opRemove)+1, 1, engine.Params{})
	list := f.record(500)
	x := f.exec
	run := func(name string, one func(s seq.Sequence)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n, steps := 0, 0
			for b.Loop() {
				s := list[n%len(list)]
				n, steps = n+1, steps+len(s)
				one(s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
		})
	}
	run("plain", plain)
	run("adapters", f.adapters)
	run("append", func(s seq.Sequence) {
		x.Begin(engine.RunOptions{})
		for i := range s {
			x.Append(s[i])
		}
		x.End(s, nil)
	})
	run("digests", func(s seq.Sequence) {
		x.Begin(engine.RunOptions{})
		for i := range s {
			x.Append(s[i])
			if i%4 == 3 || i == 1 {
				x.Digests()
			}
		}
		x.Digests()
		x.End(s, nil)
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		before := f.engine.Counts()
		for b.Loop() {
			f.engine.Run(1)
		}
		c, ns := f.engine.Counts(), float64(b.Elapsed().Nanoseconds())
		b.ReportMetric(ns/float64(c.Steps-before.Steps+c.Replayed-before.Replayed), "ns/step")
		b.ReportMetric(float64(c.Values-before.Values)*1e9/ns, "values/s")
	})
}

// record returns n sequences that the engine composes once it has run for a while.
func (f *fixture) record(n int) []seq.Sequence {
	var list []seq.Sequence
	e := f.newEngine(auditor{f.exec, func(s seq.Sequence, _ *Executor) { list = append(list, s.Clone()) }}, 1, engine.Params{})
	for len(list) < 20*n {
		e.Run(1)
	}
	return list[len(list)-n:]
}

var sink int

// plain makes the calls of s in Go.
func plain(s seq.Sequence) {
	var trees [128]*intTree
	slot := 0
	for i := range s {
		args := s[i].Args
		num := func(i int) int {
			if args[i].Lit == nil {
				return int(args[i].Slot)
			}
			return args[i].Lit.Boxed.(int)
		}
		switch s[i].Op {
		case opNew:
			trees[slot%len(trees)] = newIntTree()
			slot++
		case opPut:
			trees[int(args[0].Slot)%len(trees)].Put(num(1), num(2))
		case opGet:
			v, _ := trees[int(args[0].Slot)%len(trees)].Get(num(1))
			sink += v
			slot += 2
		case opRemove:
			trees[int(args[0].Slot)%len(trees)].Remove(num(1))
		}
	}
}

// adapters runs s by the adapters, with recover and nothing else.
func (f *fixture) adapters(s seq.Sequence) {
	x := f.exec
	x.vals = x.vals[:0]
	for i := range s {
		op := &x.ops[s[i].Op]
		in := x.in[:len(s[i].Args)]
		for j, a := range s[i].Args {
			if a.Lit != nil {
				in[j] = a.Lit.Boxed
			} else {
				in[j] = x.vals[a.Slot]
			}
		}
		base := len(x.vals)
		x.vals = x.vals[:base+op.results]
		x.call(op.adapter, in, x.vals[base:])
	}
}
