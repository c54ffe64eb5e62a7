package executor

import (
	"runtime"
	"strings"
	"testing"

	"foray.test/engine"
)

// A call that comes back while its goroutine is doubted waits for what becomes of
// it, and does not return if the turn was taken away.
func TestSettle(t *testing.T) {
	for _, over := range []bool{false, true} {
		for name, call := range map[string]Adapter{
			"returns": func(in, out []any) {},
			"panics":  func(in, out []any) { panic("late") },
		} {
			x := newFixture(t, 1, 1, fixtureParams).exec
			x.turn.ended = func([]byte) { t.Error("taken for a call that ends its goroutine") }
			x.turn.mu.Lock()
			x.turn.doubted.Store(true)
			returned := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				x.call(call, nil, nil)
				returned = true
			}()
			x.turn.over = over
			x.turn.doubted.Store(over)
			x.turn.mu.Unlock()
			<-done
			if returned == over {
				t.Errorf("%s: turn over: %v, returned: %v", name, over, returned)
			}
		}
	}
}

// A call that ends its goroutine ends the turn; its stack is told.
func TestGoexit(t *testing.T) {
	x := newFixture(t, 1, 1, fixtureParams).exec
	var stack string
	x.turn.ended = func(b []byte) { stack = string(b) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.call(func(in, out []any) { new(thrower).unwind() }, nil, nil)
		t.Error("the call returned")
	}()
	<-done
	if !x.turn.over || !strings.HasPrefix(stack, "goroutine ") {
		t.Fatalf("over: %v, stack %q", x.turn.over, stack)
	}
	lines := strings.Split(stack, "\n")
	if !strings.HasPrefix(lines[1], "runtime.Goexit(") || !strings.Contains(lines[3], ".(*thrower).unwind(") {
		t.Errorf("stack %s", stack)
	}
}

//go:noinline
func (t *thrower) unwind() { runtime.Goexit() }

// A successor shares what was learnt, and nothing that the call left behind may
// still write.
func TestSuccessor(t *testing.T) {
	f := newFixture(t, int(opZero), 1, fixtureParams)
	f.engine.Run(100)
	x := f.exec
	in, out := x.in[:1], x.vals[:1]
	next := x.Successor()
	in[0], out[0] = "late", "late"
	if next.in[0] != nil || next.vals[:1][0] != nil || next.judge == x.judge || next.judge.x != next {
		t.Error("the successor sees what the call writes")
	}
	if &next.ops[0] != &x.ops[0] || next.judge.byType[typeTree] == nil != (x.judge.byType[typeTree] == nil) {
		t.Error("the successor has learnt nothing")
	}
	f.engine.Abandon(next, next.Taken(), true)
	f.engine.Run(100)
	if c := f.engine.Counts(); c.Sequences != 200 || c.Abandoned != 1 {
		t.Errorf("%+v, want 200 sequences and one abandoned", c)
	}
}

var fixtureParams = engine.Params{}
