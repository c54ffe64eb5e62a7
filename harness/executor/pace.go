package executor

import (
	"math/bits"
	"sync/atomic"
	"time"

	"foray.test/engine"
)

// A pace tells whether sequences take so long that it is worth to time their steps.
// The usual one takes some 10 µs and is not timed but once in a while: a history
// then repeats whatever the clock says. Where they take a hundred times as long,
// what makes them so is found out, to be called less.
type pace struct {
	late  *atomic.Bool // the sequence under way has taken long already, says who watches
	slow  int          // grows by what slow sequences take, shrinks by one with each other
	skip  int          // sequences until the next that is timed
	began time.Time
}

const (
	slowSequence = 400 * time.Microsecond
	// slowSteps is how slow sequences must have been for steps to be timed: some 13 ms,
	// and none counts for more than nine, so that one that a busy machine has stopped
	// does not do.
	slowSteps   = 32
	maxSlow     = 24
	timeOneIn   = 8
	usualPanics = 28 * time.Microsecond // so long a call counts for one: ten times a panic
	slowCall    = 16 * usualPanics
)

func (p *pace) begin() {
	p.began = time.Time{}
	if p.late.Load() {
		p.late.Store(false)
	}
	if p.skip--; p.skip < 0 {
		p.began, p.skip = time.Now(), timeOneIn-1
	}
}

func (p *pace) end() {
	if p.began.IsZero() {
		return
	}
	p.took(time.Since(p.began))
}

func (p *pace) took(took time.Duration) {
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

// took returns how long the step has run or waited; nothing if what took long was
// that the machine ran something else.
func (w stopwatch) took() time.Duration {
	wall := time.Since(w.began)
	if wall < slowCall {
		return 0
	}
	return w.use.took(useOfThread(), wall)
}

// A threadUse is what a thread has had of the machine so far. Zero means that nobody
// tells.
type threadUse struct {
	thread     int
	cpu        time.Duration
	taken, put int64 // how often the processor was taken from it, and given up by it
}

// took returns what a step took in a time of wall, between u and v.
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
func (p *pace) timed() bool { return p.slow >= slowSteps || p.late.Load() }

// cost returns what unfit says of a call that took so long.
func cost(took time.Duration, unfit uint32) uint32 {
	if took < slowCall {
		return unfit
	}
	const most = 16 // 1.8 s
	n := uint32(min(bits.Len64(uint64(took/usualPanics))-1, most))
	return max(n, unfit>>engine.CostShift)<<engine.CostShift | unfit&(1<<engine.CostShift-1)
}
