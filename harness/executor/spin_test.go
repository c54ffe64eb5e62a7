package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// TestSpins: a goroutine that computes is told from one that waits. On a busy machine one look of a
// hundred may err in either way.
func TestSpins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	compute, stop := computing(t), make(chan bool)
	defer close(stop)
	x := &Executor{learned: &learned{strays: strays{alone: 1}}} // that of the test
	looks := func(want bool) bool {
		for range 100 {
			x.spun, x.spinning = false, false
			if x.lookForSpin(true); x.spun == want {
				return true
			}
		}
		return false
	}
	go func() { <-stop }()
	runtime.Gosched()
	if !looks(false) || x.most < 2 {
		t.Errorf("with one that waits: one computes, or %d are counted", x.most)
	}
	compute()
	if !looks(true) {
		t.Error("with one that computes: none does")
	}
	x.opts.Untimed, x.spun, x.spinning = true, false, false
	if x.lookForSpin(true); x.spun {
		t.Error("an untimed run asks the clock")
	}
}

// computing returns a function that starts a goroutine that computes until the test ends.
func computing(t *testing.T) (start func()) {
	var stopped atomic.Bool
	var ended sync.WaitGroup
	t.Cleanup(func() { stopped.Store(true); ended.Wait() })
	return func() {
		ended.Go(func() {
			for !stopped.Load() {
			}
		})
	}
}

// computes has each call of opNew leave a goroutine behind that computes on and on.
func (f *fixture) computes(t *testing.T) {
	compute := computing(t)
	f.exec.ops[opNew].adapter = func(_, out []any) {
		compute()
		out[0] = newIntTree()
	}
}

// TestOutcomeSpins: of the sequences of a search that one is told from which a goroutine computes on
// and on, and the executor is slow from then on.
func TestOutcomeSpins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	f.exec.Search()
	f.computes(t)
	run := func(op seq.OpID) bool {
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(seq.Step{Op: op})
		return f.exec.End(seq.Sequence{{Op: op}}, nil).Spins
	}
	if run(opZero) || f.exec.Spins() {
		t.Error("a sequence without goroutines spins")
	}
	found := false
	for tries := 0; tries < 100 && !found; tries++ { // on a busy machine it may get no processor time
		found = run(opNew)
	}
	if !found || !f.exec.Spins() {
		t.Errorf("outcome %v, executor %v; want that both tell of it", found, f.exec.Spins())
	}
	if run(opZero) {
		t.Error("it is told of a later sequence, too")
	}
}

// TestSpinEndsSequence: the step that starts a goroutine that computes on and on ends its sequence. If
// sixty steps did, the next would not get on for more than half a second.
func TestSpinEndsSequence(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	f.exec.Search()
	f.computes(t)
	for range 100 { // on a busy machine it may get no processor time
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(seq.Step{Op: opZero})
		spunBefore := f.exec.spun
		made := f.exec.Append(seq.Step{Op: opNew})
		if f.exec.spun {
			if spunBefore || made.Cost < cost(slowCall) {
				t.Errorf("found before: %v; the step costs %d, want %d or more", spunBefore, made.Cost, cost(slowCall))
			}
			return
		}
		f.exec.End(seq.Sequence{{Op: opZero}, {Op: opNew}}, nil)
	}
	t.Error("the step of no sequence was found")
}
