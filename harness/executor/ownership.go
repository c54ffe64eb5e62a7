package executor

import (
	"bytes"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"foray.test/engine/godump"
)

// An Ownership is the right of one goroutine to run sequences. It is revoked when a
// call does not return. That goroutine is abandoned where it is, and another one goes
// on with an Ownership of its own and with all that was learned. If the call returns
// after all, its goroutine ends before it touches anything.
//
// The goroutine checks revoking after each call, which costs one load. The revoker
// stops the world before it decides, so the load sees the flag.
type Ownership struct {
	revoking atomic.Bool // the decision is under way, or revoked is set
	entered  atomic.Bool // orders accesses for the race detector, which does not see the stop of the world

	ID uint64 // of the goroutine

	mu      sync.Mutex // held while revoking
	revoked bool
	// ended is called if a call ends the goroutine, with its stack.
	ended func(stack []byte)
}

// Own gives the ownership of x to the goroutine that calls it. If a call ends that
// goroutine, ended is called with its stack.
func (x *Executor) Own(ended func(stack []byte)) *Ownership {
	x.owner = newOwnership(ended)
	if x.tracer != nil {
		x.tracer.runner.Store(x.owner.ID)
	}
	return x.owner
}

// newOwnership returns an ownership of the calling goroutine.
func newOwnership(ended func([]byte)) *Ownership { return &Ownership{ID: goroutineID(), ended: ended} }

// enter is to be called before any call of the code under test.
func (t *Ownership) enter() {
	if RaceEnabled {
		t.entered.Store(true)
	}
}

// keep ends the goroutine if the ownership is revoked, or about to be. It is to be called after
// any such call.
func (t *Ownership) keep() {
	if t.revoking.Load() {
		t.await()
	}
}

// await waits for the decision of Revoke, after a call has returned. It ends the
// goroutine if the ownership was revoked.
func (t *Ownership) await() {
	t.mu.Lock()
	over := t.revoked
	t.mu.Unlock()
	if over {
		runtime.Goexit()
	}
}

// Revoke takes the ownership away if its goroutine is stuck in a call, and reports
// whether it did. While stuck runs, a call that returns waits for the decision.
func (t *Ownership) Revoke(stuck func() bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revoked {
		return false
	}
	t.revoking.Store(true)
	if !stuck() {
		t.revoking.Store(false)
		return false
	}
	t.revoked = true
	_ = t.entered.Load()
	return true
}

// Awaiting reports whether a goroutine waits for a decision of Revoke.
func Awaiting(g *godump.Goroutine) bool { return g.Calls(awaitFunc) }

// awaitFunc is the name of await in dumps.
var awaitFunc = runtime.FuncForPC(reflect.ValueOf((*Ownership).await).Pointer()).Name()

// goexit ends the ownership of a goroutine that a call is ending.
func (t *Ownership) goexit() {
	t.mu.Lock()
	over := t.revoked
	t.revoked = true
	t.mu.Unlock()
	if over {
		return
	}
	stack := make([]byte, MaxStackText)
	stack = stack[:runtime.Stack(stack, false)]
	// The frames of the call follow those of our deferred function and Goexit.
	if i := bytes.Index(stack, []byte("\nruntime.Goexit(")); i >= 0 {
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		stack = append(bytes.Clone(head), stack[i:]...)
	}
	t.ended(stack)
}

// MaxStackText bounds the reported stack of an abandoned call.
const MaxStackText = 16 << 10
