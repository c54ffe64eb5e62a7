package executor

import (
	"runtime"
	"time"
)

// A goroutine that was left behind and computes keeps the only processor for Go code for 10 ms each
// time that it is yielded. Of that a busy machine leaves it a part. One that does so spinLooks times
// counts: others come to their end, and so does a collection of garbage.
const (
	spinLooks = 3
	spinTime  = 5 * time.Millisecond // by the clock
	spinCPU   = time.Millisecond
)

// spins reports whether a goroutine of a sequence computes on and on. It takes a microsecond, and
// some 30 ms if there is one: that is known then. Where runs are untimed no clock may decide.
func (x *Executor) spins() bool {
	if x.alone == 0 || x.spinning || x.opts.Untimed || runtime.NumGoroutine() <= x.alone {
		return false
	}
	for range spinLooks {
		began, before := time.Now(), ProcessTime()
		runtime.Gosched()
		if time.Since(began) < spinTime || ProcessTime()-before < spinCPU {
			return false
		}
	}
	return true
}

// Spins reports whether some sequence of a search has left a goroutine behind that computes on and on.
// Everything after it is slower.
func (x *Executor) Spins() bool { return x.spinning }
