package worker

import (
	"context"
	"time"

	"foray.test/engine/wire"
)

// Times after which a process that makes no step is taken for hanging: a step takes
// microseconds. A call that is only slow is found out later, when more patience shows
// that it returns.
const (
	// CallCPU is the processor time of one call. Comparing had 100 ms, without a
	// measurement.
	CallCPU = 120 * time.Millisecond
	// HangAfter is the time of one call that computes now and then.
	HangAfter = 600 * time.Millisecond
	// IdleAfter is the time of one call that uses no processor.
	IdleAfter = 150 * time.Millisecond
	// Starved is how much longer a busy machine may take: a process that would run is judged by
	// its processor time, however little it gets.
	Starved = 50
)

// startLimits hold before the first step: a process has a table of a thousand operations
// to learn then.
var startLimits = Limits{Compute: 10 * time.Second, Wait: 10 * time.Second, Total: 30 * time.Second}

// Limits say how long a process may stand still.
type Limits struct {
	Compute time.Duration // processor time; where the system does not tell it, wall time
	Wait    time.Duration // wall time while it uses no processor
	Total   time.Duration // wall time; Starved times Compute, if the machine may keep it from running
}

// vitals are the signs of life of a process.
type vitals interface {
	steps() uint64              // moves with each step; 0 before the first one
	cpu() (time.Duration, bool) // processor time so far, if the system tells it
	// runnable reports whether a thread runs, or would if the machine let it. It returns
	// true, false if the system does not tell.
	runnable() (ready, known bool)
}

// A Watchdog tells whether a process hangs: whether it computes without getting on, or
// waits for an event that will not come. It must be asked now and then.
type Watchdog struct {
	vitals  vitals
	perStep bool
	last    uint64 // steps when it was last asked
	since   time.Time
	spent   time.Duration // processor time at since
}

func newWatchdog(v vitals, perStep bool) *Watchdog {
	w := &Watchdog{vitals: v, perStep: perStep}
	w.restart()
	return w
}

func (w *Watchdog) restart() {
	w.since = time.Now()
	w.spent, _ = w.vitals.cpu()
}

// idleShare is the part of the time, one in so many, that a waiting process stays
// below: threads of the runtime wake up now and then.
const idleShare = 50

// Hangs reports whether the process exceeds a limit, and if so whether it waits. With a
// limit per step each step begins anew.
func (w *Watchdog) Hangs(l Limits) (hangs, idle bool) {
	if w.perStep {
		steps := w.vitals.steps()
		if steps != w.last {
			w.last = steps
			w.restart()
			return false, false
		}
		if steps == 0 {
			l = startLimits
		}
	}
	wall := time.Since(w.since)
	if wall < min(l.Compute, l.Wait) {
		return false, false
	}
	cpu, ok := w.vitals.cpu()
	if !ok {
		return wall >= l.Compute, false
	}
	cpu -= w.spent
	ready, known := w.vitals.runnable()
	switch {
	case wall >= l.Wait && cpu < wall/idleShare && !ready:
		return true, true
	case wall >= l.Compute && cpu > l.Compute*3/4:
		return true, false
	}
	starved := ready && known && wall < Starved*l.Compute
	return wall >= l.Total && !starved, false
}

// A Watch says how a process is watched while it answers a request.
type Watch struct {
	Limits
	PerStep bool // the limits hold for each step, not for the whole request
	Stack   bool // ask a process that hangs for the stack of the call before it is ended
}

// An Outcome says how an Await ended.
type Outcome uint8

const (
	Answered Outcome = iota
	Ended            // the process ended, by itself or for hanging: see Death
	Overdue          // it answered after it was taken for hanging, and ended for that
	Canceled         // the context was done; the process runs on
)

// watchEvery is how often a process is looked at that was asked for something.
const watchEvery = 20 * time.Millisecond

// Await hands the messages of p to accept until it accepts one as the answer. A process
// that hangs meanwhile is ended. If p has ended, Await returns after it was reaped.
func (p *Process) Await(ctx context.Context, w Watch, accept func(*wire.Message) bool) Outcome {
	abort := func(idle bool) { p.Abort(idle, w.Stack) }
	o := await(ctx, p.messages, newWatchdog(p, w.PerStep), w.Limits, abort, accept)
	if o == Ended || o == Overdue {
		<-p.exited
	}
	return o
}

func await(ctx context.Context, messages <-chan *wire.Message, dog *Watchdog, l Limits, abort func(idle bool), accept func(*wire.Message) bool) Outcome {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	aborted := false
	end := Ended
	for {
		select {
		case m, open := <-messages:
			switch {
			case !open:
				return end
			case !accept(m):
			case aborted:
				end = Overdue
			default:
				return Answered
			}
		case <-ticker.C:
			if aborted || len(messages) > 0 { // this process was held up, not that one
				continue
			}
			if hangs, idle := dog.Hangs(l); hangs {
				aborted = true
				go abort(idle)
			}
		case <-ctx.Done():
			return Canceled
		}
	}
}
