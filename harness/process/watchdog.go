package process

import (
	"bytes"
	"fmt"
	"runtime"
	"time"

	"foray.test/coverage/probe"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// How long a call must have waited before its goroutine is abandoned. Locks: at once,
// since a lock that all goroutines wait for is never released. Channels: 20 ms, since a
// timer may send. Sleepers, and any wait while other goroutines run or sleep: 100 ms.
const (
	lookEvery     = 4 * time.Millisecond
	lockPatience  = lookEvery
	talkPatience  = 20 * time.Millisecond
	otherPatience = 100 * time.Millisecond
)

// A parking is the state, in a dump of all goroutines, of the one that has the ownership.
type parking struct {
	stack    []byte
	waits    bool // for another goroutine or for time
	patience time.Duration
}

// Bystanders are the goroutines of a process, with the sequence in which a dump first
// showed them. A goroutine that an earlier sequence left behind does not end the wait of
// a later one.
type bystanders map[uint64]uint64

// see notes the goroutines of a dump made in a sequence, and forgets those that are gone.
func (b bystanders) see(dump []byte, sequence uint64) bystanders {
	now := make(bystanders, len(b))
	for g := range bytes.SplitSeq(dump, []byte("\n\n")) {
		id := executor.GoroutineOf(g)
		first, seen := b[id]
		if !seen {
			first = sequence
		}
		now[id] = first
	}
	return now
}

// joined reports whether a dump has an active goroutine besides them.
func (b bystanders) joined(dump []byte) bool {
	for g := range bytes.SplitSeq(dump, []byte("\n\n")) {
		if _, seen := b[executor.GoroutineOf(g)]; !seen && isActive(stateOf(g)) {
			return true
		}
	}
	return false
}

// parked reads a dump whose first goroutine is the reader's own. In b, which may be nil,
// are those of the dump.
func parked(goroutine uint64, dump []byte, b bystanders, sequence uint64) parking {
	var p parking
	var state []byte
	busy := false
	name := fmt.Appendf(nil, "goroutine %d ", goroutine)
	for i, g := range bytes.Split(dump, []byte("\n\n")) {
		switch s := stateOf(g); {
		case bytes.HasPrefix(g, name):
			p.stack, state = g, s
		case i > 0 && b[executor.GoroutineOf(g)] >= sequence && isActive(s):
			busy = true
		}
	}
	switch string(state) {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait", "semacquire",
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
	p.waits = p.waits && !executor.Awaiting(p.stack)
	return p
}

// isActive reports whether a goroutine in a state does something, or will by itself.
func isActive(state []byte) bool {
	return bytes.HasPrefix(state, []byte("run")) || string(state) == "preempted" || string(state) == "sleep"
}

// stateOf returns the state in the first line of a goroutine's stack:
// "goroutine 7 [chan receive, 2 minutes]:".
func stateOf(g []byte) []byte {
	line, _, _ := bytes.Cut(g, []byte("\n"))
	line, closed := bytes.CutSuffix(line, []byte("]:"))
	i := bytes.LastIndexByte(line, '[')
	if !closed || i < 0 {
		return nil
	}
	state, _, _ := bytes.Cut(line[i+1:], []byte(","))
	return state
}

// dumpBytes bounds a dump of all goroutines. With more than mostDumped goroutines none
// is abandoned: a dump of 30,000 stops the world for 50 ms.
const (
	dumpBytes  = 1 << 20
	mostDumped = dumpBytes / 512
)

// watch revokes the ownership of goroutines whose calls wait for ever.
func (w *worker) watch() {
	x := w.exec
	x.Exempt()
	var beat uint64
	var stood, patience time.Duration // counted in looks: package time may be the one under test
	var v lateWatch
	var c clock
	for {
		time.Sleep(lookEvery)
		sequence, runs := w.shared.Sequences.Load(), w.shared.Length.Load() > 0
		if v.look(sequence, runs) {
			w.late.Store(true)
		}
		if probe.Analysis && c.over(sequence, runs, processTime()) {
			x.Cut()
		}
		b := w.shared.Beat()
		if b != beat || w.shared.Length.Load() == 0 {
			beat, stood, patience = b, 0, lockPatience
			continue
		}
		stood += lookEvery
		if factor := w.patience.Load(); stood >= time.Duration(factor)*patience {
			patience = w.look(beat, stood/time.Duration(factor))
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
		dump, sequence := w.dump[:runtime.Stack(w.dump, true)], w.shared.Sequences.Load()
		w.bystanders = w.bystanders.see(dump, sequence)
		p = parked(t.ID, dump, w.bystanders, sequence)
		return p.waits && stood >= p.patience && w.shared.Beat() == beat
	}) {
		go w.takeOver(&wire.Lost{Stack: string(p.stack[:min(len(p.stack), executor.MaxStackText)])})
		return lockPatience
	}
	return max(p.patience, lockPatience)
}

// longSequence is how long a sequence under way must have run to be late.
const longSequence = 3 * lookEvery

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

// timeLimit is the processor time that a run with fuel may take, however little of
// that it uses: what lies between conditions may take long, such as arithmetic on
// numbers of a million digits, or the code of another package. Twice as much, and the
// coordinator calls it a hang.
const timeLimit = 60 * time.Millisecond

// A clock finds runs that take too much processor time.
type clock struct {
	sequence uint64
	began    time.Duration // the processor time of the process when it was first seen
}

// over takes in which sequence is under way, if one runs, and what processor time the
// process has taken, and reports whether that sequence has had its limit.
func (c *clock) over(sequence uint64, runs bool, used time.Duration) bool {
	if sequence != c.sequence || !runs {
		*c = clock{sequence, used}
	}
	return used-c.began >= timeLimit
}
