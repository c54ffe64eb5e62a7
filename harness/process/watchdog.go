package process

import (
	"runtime"
	"time"

	"foray.test/coverage/probe"
	"foray.test/engine/godump"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// A parking is the state, in a dump of all goroutines, of the one that has the ownership.
type parking struct {
	stack    string // of it, and of one that it has started and that runs
	waits    bool   // for another goroutine or for time
	patience time.Duration
}

// bystanders map the goroutines of a process to the sequence in which a dump first had
// them. A call does not wait for a goroutine that an earlier sequence left behind.
type bystanders map[uint64]uint64

// see notes the goroutines of a dump made in a sequence, and forgets those that are gone.
func (b bystanders) see(dump []godump.Goroutine, sequence uint64) bystanders {
	now := make(bystanders, len(b))
	for _, g := range dump {
		first, seen := b[g.ID]
		if !seen {
			first = sequence
		}
		now[g.ID] = first
	}
	return now
}

// joined reports whether a dump has an active goroutine besides them.
func (b bystanders) joined(dump []godump.Goroutine) bool {
	for _, g := range dump {
		if _, seen := b[g.ID]; !seen && isActive(&g) {
			return true
		}
	}
	return false
}

// parked returns the state of a goroutine by a dump. The first goroutine of the dump is
// the caller's own. b, which may be nil, has the goroutines of the dump.
func parked(id uint64, dump []godump.Goroutine, b bystanders, sequence uint64) parking {
	var p parking
	var own godump.Goroutine
	busy := false
	for i, g := range dump {
		switch {
		case g.ID == id:
			own = g
		case i > 0 && b[g.ID] >= sequence && isActive(&g):
			busy = true
		}
	}
	p.stack = stackOf(&own, dump)
	switch own.State {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait",
		"chan receive (nil chan)", "chan send (nil chan)", "select (no cases)":
		p.waits, p.patience = true, lockPatience
	case "sync.Cond.Wait", "chan receive", "chan send", "select":
		p.waits, p.patience = true, talkPatience
	case "sleep":
		p.waits, p.patience = true, otherPatience
	}
	if busy {
		p.patience = otherPatience
	}
	p.waits = p.waits && !executor.Awaiting(&own)
	return p
}

// stackOf returns the stack of a goroutine of a dump and, behind it, of one that it has started
// and that runs: it may wait for that.
func stackOf(g *godump.Goroutine, dump []godump.Goroutine) string {
	if by := godump.RunsFor(dump, g.ID); by != nil {
		return g.Text + "\n\n" + by.Text
	}
	return g.Text
}

// isActive reports whether a goroutine does something, or will by itself.
func isActive(g *godump.Goroutine) bool { return g.Runs() || g.State == "sleep" }

// watch revokes the ownership of goroutines in calls that wait for ever.
func (w *worker) watch() {
	x := w.exec
	x.Exempt()
	var beat uint64
	var stood, patience time.Duration // counted in looks: package time may be the one under test
	var v lateWatch
	var c clock
	for {
		time.Sleep(lookEvery)
		w.tellIfAsked()
		sequence, runs := w.shared.Sequences.Load(), w.shared.Length.Load() > 0
		if v.look(sequence, runs) {
			w.late.Store(true)
		}
		factor := time.Duration(w.patience.Load())
		if probe.Analysis && c.over(sequence, runs, executor.ProcessTime(), factor*timeLimit) {
			x.Cut()
		}
		b := w.shared.Beat()
		if b != beat || w.shared.Length.Load() == 0 {
			beat, stood, patience = b, 0, lockPatience
			continue
		}
		stood += lookEvery
		if stood >= factor*patience {
			patience = w.look(beat, stood/factor)
		}
	}
}

// look abandons the goroutine that has the ownership if it waits, and has done so for
// as long as its state allows. It returns that time.
func (w *worker) look(beat uint64, stood time.Duration) (patience time.Duration) {
	t := w.owner.Load()
	if runtime.NumGoroutine() > mostDumped {
		return lockPatience
	}
	if w.dump == nil {
		w.dump = make([]byte, dumpBytes)
	}
	var p parking
	if t.Revoke(func() bool {
		dump, sequence := godump.Parse(string(w.dump[:runtime.Stack(w.dump, true)])), w.shared.Sequences.Load()
		w.bystanders = w.bystanders.see(dump, sequence)
		p = parked(t.ID, dump, w.bystanders, sequence)
		return p.waits && stood >= p.patience && w.shared.Beat() == beat
	}) {
		go w.takeOver(&wire.Lost{Stack: p.stack[:min(len(p.stack), executor.MaxStackText)]})
		return lockPatience
	}
	return p.next(stood)
}

// next returns the time for which a call that was looked at and has not been abandoned must have
// stood to be looked at again. A call that computes is looked at each time that has doubled: a dump
// walks its whole stack, and that of a recursion has a hundred thousand frames.
func (p *parking) next(stood time.Duration) time.Duration {
	if p.waits {
		return max(p.patience, lockPatience)
	}
	return max(2*stood, p.patience, lockPatience)
}

// A lateWatch finds sequences that take long. It looks every lookEvery.
type lateWatch struct {
	sequence uint64
	long     time.Duration // that it has run, counted in looks
}

// look takes in which sequence is under way, if one runs, and reports whether it is late.
func (v *lateWatch) look(sequence uint64, runs bool) bool {
	if sequence != v.sequence || !runs {
		*v = lateWatch{sequence: sequence}
		return false
	}
	v.long += lookEvery
	return v.long >= longSequence
}

// A clock finds runs that take too much processor time.
type clock struct {
	sequence uint64
	began    time.Duration // the processor time of the process when it was first seen
}

// over takes in the number of the sequence under way, if one runs, and the processor time
// of the process. It reports whether that sequence has had its limit.
func (c *clock) over(sequence uint64, runs bool, used, limit time.Duration) bool {
	if sequence != c.sequence || !runs {
		*c = clock{sequence, used}
	}
	return used-c.began >= limit
}
