package executor

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// A throttle decides whether sequences are so slow that their steps should be timed,
// so that slow calls are made less often. A usual sequence takes some 10 µs. Only one
// in timeOneIn of those is timed, as a whole, and the clock then changes no history.
// Steps are timed where sequences take a hundred times as long.
type throttle struct {
	late  *atomic.Bool // set by the watchdog: the sequence under way has taken long already
	slow  int          // grows by the time of slow sequences, shrinks by one with each other
	skip  int          // sequences until the next that is timed
	began time.Time
}

func (p *throttle) begin() {
	p.leaveOut()
	if p.skip--; p.skip < 0 {
		p.began, p.skip = time.Now(), timeOneIn-1
	}
}

// leaveOut begins a sequence that is not to be timed.
func (p *throttle) leaveOut() {
	p.began = time.Time{}
	if p.late.Load() {
		p.late.Store(false)
	}
}

func (p *throttle) end() {
	if !p.began.IsZero() {
		p.took(time.Since(p.began))
	}
}

func (p *throttle) took(took time.Duration) {
	if took > slowSequence {
		p.slow += int(min(took/slowSequence, maxSlow))
	} else if p.slow > 0 {
		p.slow--
	}
	if p.slow > 0 {
		p.slow, p.skip = min(p.slow, 2*slowSteps), 0
	}
}

// A stopwatch measures one step.
type stopwatch struct {
	began time.Time
	use   threadUse
}

func startStopwatch() stopwatch { return stopwatch{began: time.Now(), use: useOfThread()} }

// took returns how long the step has run or waited. It returns 0 if the step was slow
// only because the machine ran something else.
func (w stopwatch) took() time.Duration {
	wall := time.Since(w.began)
	if wall < slowCall {
		return 0
	}
	return w.use.took(useOfThread(), wall)
}

// timedCall is call with a stopwatch. Most sequences have none.
func (x *Executor) timedCall(f Adapter, in, out []any) (ok bool, took time.Duration) {
	watch := startStopwatch()
	ok = x.call(f, in, out)
	return ok, watch.took()
}

// A threadUse is the processor time and the switches of a thread so far. The zero value
// means that the system does not report them.
type threadUse struct {
	thread     int
	cpu        time.Duration
	taken, put int64 // how often the processor was taken from it, and given up by it
}

// took returns how long a step took that ran between u and v, in wall time wall.
func (u threadUse) took(v threadUse, wall time.Duration) time.Duration {
	cpu := v.cpu - u.cpu
	switch {
	case u.thread != v.thread: // it has waited, and another thread went on with it
		return wall
	case cpu >= slowCall:
		return cpu
	case v.taken > u.taken && v.put == u.put:
		return 0
	}
	return wall
}

// timed reports whether the steps are to be timed.
func (p *throttle) timed() bool { return p.slow >= slowSteps || p.late.Load() }

// cost returns the cost of a call that took so long, in panics: a power of two, or zero.
func cost(took time.Duration) uint32 {
	if took < slowCall {
		return 0
	}
	return 1 << min(bits.Len64(uint64(took/usualPanics))-1, maxCostShift)
}
