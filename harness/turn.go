package harness

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"foray.test/engine/wire"
)

// A turn is the right of one goroutine to run sequences. It ends when a call does
// not come back: the goroutine is left where it is, another gets a turn of its
// own and goes on with all that was learnt. Should the call come back after all,
// its goroutine ends before it touches anything.
//
// The goroutine looks at doubted behind each call, which costs a load. Whoever
// doubts stops the world before it decides, so that the load sees it.
type turn struct {
	doubted atomic.Bool
	entered atomic.Bool // for the race detector, which does not know of the above

	id uint64 // of the goroutine

	mu   sync.Mutex // held while doubted
	over bool
	// ended is told that a call has ended the goroutine, with its stack.
	ended func(stack []byte)
}

// newTurn returns the turn of the goroutine that calls it.
func newTurn(ended func([]byte)) *turn { return &turn{id: goroutineID(), ended: ended} }

// settle waits until a doubt is settled, behind a call that came back: it does
// not return if it came back too late.
func (t *turn) settle() {
	t.mu.Lock()
	over := t.over
	t.mu.Unlock()
	if over {
		runtime.Goexit()
	}
}

// settleFunc is the name of settle in dumps.
var settleFunc = []byte(runtime.FuncForPC(reflect.ValueOf((*turn).settle).Pointer()).Name())

// goexit ends the turn of a goroutine that a call is ending.
func (t *turn) goexit() {
	t.mu.Lock()
	over := t.over
	t.over = true
	t.mu.Unlock()
	if over {
		return
	}
	stack := make([]byte, maxStackText)
	stack = stack[:runtime.Stack(stack, false)]
	// What the call was in begins behind our deferred function and Goexit.
	if i := bytes.Index(stack, []byte("\nruntime.Goexit(")); i >= 0 {
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		stack = append(bytes.Clone(head), stack[i:]...)
	}
	t.ended(stack)
}

// maxStackText bounds the stack that is told of a call that was given up.
const maxStackText = 16 << 10

// How long a call must have stood still before its goroutine is given up, if it
// waits. A lock that all others wait for, too, will not be released; a channel may
// be a timer's, though few that are worth a wait are. Who sleeps wakes up, and
// while others run or sleep they may do what the call waits for.
const (
	lookEvery     = 4 * time.Millisecond
	lockPatience  = lookEvery
	talkPatience  = 20 * time.Millisecond
	otherPatience = 100 * time.Millisecond
)

// A parking is what a dump of all goroutines says of the one that has the turn.
type parking struct {
	stack    []byte
	waits    bool // for another goroutine or for time
	patience time.Duration
}

// bystanders are the goroutines of a process, by the sequence in which a dump first had
// them. What an earlier sequence has left behind does not do what a call of a later one
// waits for.
type bystanders map[uint64]uint64

// see notes the goroutines of a dump made in a sequence, and forgets those that are gone.
func (b bystanders) see(dump []byte, sequence uint64) bystanders {
	now := make(bystanders, len(b))
	for g := range bytes.SplitSeq(dump, []byte("\n\n")) {
		id := idOf(g)
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
		if _, seen := b[idOf(g)]; !seen && isActive(stateOf(g)) {
			return true
		}
	}
	return false
}

// parked reads a dump whose first goroutine is the reader's own. In b, which may be nil,
// are those of the dump.
func (t *turn) parked(dump []byte, b bystanders, sequence uint64) parking {
	var p parking
	var state []byte
	busy := false
	name := fmt.Appendf(nil, "goroutine %d ", t.id)
	for i, g := range bytes.Split(dump, []byte("\n\n")) {
		switch s := stateOf(g); {
		case bytes.HasPrefix(g, name):
			p.stack, state = g, s
		case i > 0 && b[idOf(g)] >= sequence && isActive(s):
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
	p.waits = p.waits && !bytes.Contains(p.stack, settleFunc)
	return p
}

// isActive reports whether a goroutine in a state does something, or will by itself.
func isActive(state []byte) bool {
	return bytes.HasPrefix(state, []byte("run")) || string(state) == "preempted" || string(state) == "sleep"
}

// idOf returns the number of a goroutine from its stack, 0 if it is none.
func idOf(g []byte) uint64 {
	text, ok := bytes.CutPrefix(g, []byte("goroutine "))
	if !ok {
		return 0
	}
	return leadingNumber(text)
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

// dumpBytes bounds a dump of all goroutines. Where there are more, none is given up:
// a dump of 30,000 takes 50 ms, in which nothing else runs.
const (
	dumpBytes  = 1 << 20
	mostDumped = dumpBytes / 512
)

// watch takes the turn from goroutines whose calls wait for what will not come.
func (w *worker) watch() {
	tr := w.exec.tracer
	if tr != nil {
		tr.watcher.Store(goroutineID())
	}
	var beat uint64
	var stood, patience time.Duration // counted in looks: package time may be the one under test
	var v vigil
	var c clock
	for {
		time.Sleep(lookEvery)
		sequence, runs := w.shared.Sequences.Load(), w.shared.Length.Load() > 0
		if v.look(sequence, runs) {
			w.late.Store(true)
		}
		if tr != nil && c.over(sequence, runs, processTime()) {
			tr.cut()
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

// look ends the turn if its goroutine waits and has stood still for as long as its
// waiting is given, which it returns.
func (w *worker) look(beat uint64, stood time.Duration) (patience time.Duration) {
	t := w.turn.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return lockPatience
	}
	if runtime.NumGoroutine() > mostDumped {
		return lockPatience
	}
	t.doubted.Store(true)
	if w.dump == nil {
		w.dump = make([]byte, dumpBytes)
	}
	dump, sequence := w.dump[:runtime.Stack(w.dump, true)], w.shared.Sequences.Load()
	w.bystanders = w.bystanders.see(dump, sequence)
	p := t.parked(dump, w.bystanders, sequence)
	if !p.waits || stood < p.patience || w.shared.Beat() != beat {
		t.doubted.Store(false)
		return max(p.patience, lockPatience)
	}
	t.over = true
	_ = t.entered.Load()
	lost := &wire.Lost{Stack: string(p.stack[:min(len(p.stack), maxStackText)])}
	go w.takeOver(lost)
	return lockPatience
}
