package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// TestSpins: a goroutine that computes is told from one that waits. On a busy machine it may get no
// processor time in one of the looks, so several are allowed.
func TestSpins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	stop, ended := make(chan bool), sync.WaitGroup{}
	var stopped atomic.Bool
	x := &Executor{learned: &learned{strays: strays{alone: runtime.NumGoroutine()}}}
	if x.spins() {
		t.Error("without a goroutine: one computes")
	}
	ended.Go(func() { <-stop })
	runtime.Gosched()
	if x.spins() || x.most != x.alone+1 {
		t.Errorf("with one that waits: one computes, or %d are counted, want %d", x.most, x.alone+1)
	}
	ended.Go(func() {
		for !stopped.Load() {
		}
	})
	found := false
	for range 100 {
		found = found || x.spins()
	}
	if !found {
		t.Error("with one that computes: none does")
	}
	x.opts.Untimed = true
	if x.spins() {
		t.Error("an untimed run asks the clock")
	}
	close(stop)
	stopped.Store(true)
	ended.Wait()
}

// TestOutcomeSpins: of the sequences of a search that one is told from which a goroutine computes on
// and on, and the executor is slow from then on.
func TestOutcomeSpins(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	f.exec.Search()
	var stopped atomic.Bool
	defer stopped.Store(true)
	f.exec.ops[opNew].adapter = func(_, out []any) {
		go func() {
			for !stopped.Load() {
			}
		}()
		out[0] = newIntTree()
	}
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
