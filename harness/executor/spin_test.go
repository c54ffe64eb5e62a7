package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
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
