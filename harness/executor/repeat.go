package executor

import "runtime"

// Repeat has runs depend on their steps alone, if one thread at a time runs Go code.
// Goroutines that calls start or wake run between the steps: one that panics ends the
// process in the step that has started it. The goroutines that are there now do not count.
func (x *Executor) Repeat() { x.own = runtime.NumGoroutine() }

// giveWay lets the goroutines of calls run until they wait, if there are any.
func (x *Executor) giveWay() {
	if x.own == 0 || runtime.NumGoroutine() <= x.own {
		return
	}
	for range turns {
		runtime.Gosched()
	}
}
