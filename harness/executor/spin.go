package executor

import (
	"runtime"
	"time"
)

// strays are goroutines that calls have started and left behind.
type strays struct {
	own      int  // goroutines of foray's; 0 unless runs repeat themselves: see [Executor.Repeat]
	alone    int  // goroutines before the search began; 0 outside of one
	most     int  // goroutines that there were at once in it
	spun     bool // one of the run under way computes on and on
	spinning bool // see [Executor.Spins]
}

// lookForSpin looks whether a goroutine computes on and on. It does where there are more of them than
// ever, or if now: to yield has those run that would have waited, which may
// take longer than the sequence. Where runs are untimed no clock may decide.
func (x *Executor) lookForSpin(now bool) {
	n := runtime.NumGoroutine()
	if x.alone == 0 || x.spinning || x.opts.Untimed || n <= x.alone || n <= x.most && !now {
		return
	}
	x.most = max(x.most, n)
	x.spun = spins()
	x.spinning = x.spun
}

// costOfSpin returns the cost of a step after which more goroutines are left behind than ever, one of
// which computes on and on: what ends the sequence. Of several each would keep the step after it
// from getting on for 10 ms, and a dozen would make that step a call that hangs.
func (x *Executor) costOfSpin() uint32 {
	before := x.spun
	if x.lookForSpin(false); x.spun == before {
		return 0
	}
	return cost(slowCall)
}

// spins reports whether a goroutine computes on and on.
func spins() bool {
	if !takesLong() {
		return false // most often, and for less than a call of the system
	}
	for range spinLooks - 1 {
		before := ProcessTime()
		if !takesLong() || ProcessTime()-before < spinCPU {
			return false
		}
	}
	return true
}

// takesLong yields the processor, and reports whether it took long to come back.
func takesLong() bool {
	began := time.Now()
	runtime.Gosched()
	return time.Since(began) >= spinTime
}

// Spins reports whether some sequence of a search has left a goroutine behind that computes on and on.
// Everything after it is slower.
func (x *Executor) Spins() bool { return x.spinning }
