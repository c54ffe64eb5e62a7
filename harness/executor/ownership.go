package executor

import (
	"bytes"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
)

// An Ownership is the right of one goroutine to run sequences. It ends when a call does
// not come back: the goroutine is left where it is, another gets a turn of its
// own and goes on with all that was learnt. Should the call come back after all,
// its goroutine ends before it touches anything.
//
// The goroutine looks at doubted behind each call, which costs a load. Whoever
// doubts stops the world before it decides, so that the load sees it.
type Ownership struct {
	doubted atomic.Bool
	entered atomic.Bool // for the race detector, which does not know of the above

	ID uint64 // of the goroutine

	mu   sync.Mutex // held while doubted
	over bool
	// ended is told that a call has ended the goroutine, with its stack.
	ended func(stack []byte)
}

// Own gives the turn to the goroutine that calls it. ended is told if a call ends
// the goroutine, with its stack.
func (x *Executor) Own(ended func(stack []byte)) *Ownership {
	x.owner = newOwnership(ended)
	if x.tracer != nil {
		x.tracer.runner.Store(x.owner.ID)
	}
	return x.owner
}

// newOwnership returns the turn of the goroutine that calls it.
func newOwnership(ended func([]byte)) *Ownership { return &Ownership{ID: goroutineID(), ended: ended} }

// settle waits until a doubt is settled, behind a call that came back: it does
// not return if it came back too late.
func (t *Ownership) settle() {
	t.mu.Lock()
	over := t.over
	t.mu.Unlock()
	if over {
		runtime.Goexit()
	}
}

// Revoke ends the turn if its goroutine is stuck in a call, and reports whether it has.
// stuck is asked while the goroutine is doubted.
func (t *Ownership) Revoke(stuck func() bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	t.doubted.Store(true)
	if !stuck() {
		t.doubted.Store(false)
		return false
	}
	t.over = true
	_ = t.entered.Load()
	return true
}

// Settling reports whether the goroutine with that stack waits for a doubt to be settled.
func Settling(stack []byte) bool { return bytes.Contains(stack, settleFunc) }

// settleFunc is the name of settle in dumps.
var settleFunc = []byte(runtime.FuncForPC(reflect.ValueOf((*Ownership).settle).Pointer()).Name())

// goexit ends the turn of a goroutine that a call is ending.
func (t *Ownership) goexit() {
	t.mu.Lock()
	over := t.over
	t.over = true
	t.mu.Unlock()
	if over {
		return
	}
	stack := make([]byte, MaxStackText)
	stack = stack[:runtime.Stack(stack, false)]
	// What the call was in begins behind our deferred function and Goexit.
	if i := bytes.Index(stack, []byte("\nruntime.Goexit(")); i >= 0 {
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		stack = append(bytes.Clone(head), stack[i:]...)
	}
	t.ended(stack)
}

// MaxStackText bounds the stack that is told of a call that was given up.
const MaxStackText = 16 << 10
