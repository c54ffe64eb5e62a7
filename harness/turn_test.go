package harness

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
)

// others is what a dump shows beside the goroutine of interest: the reader first.
const others = `goroutine 5 [running]:
foray.test/harness.(*worker).look(0x1)

goroutine 4 gp=0x34 m=nil [IO wait, 2 minutes]:
internal/poll.runtime_pollWait(0x1)

goroutine 9 gp=0x35 m=nil [chan receive (nil chan)]:
p.leaked()
`

func TestParked(t *testing.T) {
	at := func(state string) string {
		return others + "\ngoroutine 7 gp=0x36 m=nil [" + state + "]:\np.(*T).Do(0x1)\n"
	}
	for _, tt := range []struct {
		name     string
		dump     string
		waits    bool
		patience time.Duration
	}{
		{"a lock", at("sync.Mutex.Lock"), true, lockPatience},
		{"a lock, for minutes", at("sync.RWMutex.RLock, 3 minutes, locked to thread"), true, lockPatience},
		{"a group", at("sync.WaitGroup.Wait"), true, lockPatience},
		{"nobody", at("select (no cases)"), true, lockPatience},
		{"a channel", at("chan receive"), true, talkPatience},
		{"one of several", at("select"), true, talkPatience},
		{"time", at("sleep"), true, otherPatience},
		{"the world outside", at("IO wait"), false, 0},
		{"it runs", at("running"), false, 0},
		{"it would run", at("runnable"), false, 0},
		{"a lock while another runs", at("sync.Mutex.Lock") + "\ngoroutine 8 [runnable]:\np.work()\n", true, otherPatience},
		{"a lock while another sleeps", at("sync.Mutex.Lock") + "\ngoroutine 8 [sleep]:\np.work()\n", true, otherPatience},
		{"us, behind the call", at("sync.Mutex.Lock") + string(settleFunc) + "(0x2)\n", false, lockPatience},
		{"not in the dump", others, false, 0},
		{"garbage", others + "\ngoroutine 7 ", false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := (&turn{id: 7}).parked([]byte(tt.dump), nil, 0)
			if p.waits != tt.waits || p.patience != tt.patience {
				t.Errorf("waits %v, patience %v; want %v, %v", p.waits, p.patience, tt.waits, tt.patience)
			}
			if p.waits && !bytes.HasPrefix(p.stack, []byte("goroutine 7 gp=0x36 m=nil [")) {
				t.Errorf("stack %q", p.stack)
			}
		})
	}
}

// What a sequence left behind sleeping is no reason to wait in a later one.
func TestBystanders(t *testing.T) {
	lock := others + "\ngoroutine 7 [sync.Mutex.Lock]:\np.(*T).Do(0x1)\n"
	left, started := "\ngoroutine 8 [sleep]:\np.work()\n", "\ngoroutine 11 [runnable]:\np.work()\n"
	var b bystanders
	for i, tt := range []struct {
		sequence uint64
		dump     string
		patience time.Duration
	}{
		{3, lock + left, otherPatience},
		{3, lock + left, otherPatience}, // it is its own still
		{4, lock + left, lockPatience},
		{4, lock + left + started, otherPatience},
		{5, lock + left + started, lockPatience},
		{5, lock, lockPatience},
		{6, lock + left, otherPatience}, // another one of that number
	} {
		b = b.see([]byte(tt.dump), tt.sequence)
		if p := (&turn{id: 7}).parked([]byte(tt.dump), b, tt.sequence); !p.waits || p.patience != tt.patience {
			t.Errorf("dump %d: waits %v, patience %v, want %v", i, p.waits, p.patience, tt.patience)
		}
	}
}

// A dump of the runtime's own is read as those above.
func TestParkedReal(t *testing.T) {
	var x *turn
	begun, end := make(chan struct{}), make(chan struct{})
	go func() {
		x = newTurn(nil)
		close(begun)
		<-end
	}()
	<-begun
	dump := make([]byte, dumpBytes)
	var p parking
	for p.stack == nil || !p.waits { // it is about to wait
		runtime.Gosched()
		p = x.parked(dump[:runtime.Stack(dump, true)], nil, 0)
	}
	close(end)
	if !strings.Contains(string(p.stack), "TestParkedReal") || p.patience < talkPatience {
		t.Errorf("patience %v, stack %s", p.patience, p.stack)
	}
	if x.id == 0 || x.id == newTurn(nil).id {
		t.Errorf("numbers %d and %d, want two", x.id, newTurn(nil).id)
	}
}

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
	next := x.successor(x.turn)
	in[0], out[0] = "late", "late"
	if next.in[0] != nil || next.vals[:1][0] != nil || next.judge == x.judge || next.judge.x != next {
		t.Error("the successor sees what the call writes")
	}
	if &next.ops[0] != &x.ops[0] || next.judge.byType[typeTree] == nil != (x.judge.byType[typeTree] == nil) {
		t.Error("the successor has learnt nothing")
	}
	f.engine.Abandon(next, next.taken(), true)
	f.engine.Run(100)
	if c := f.engine.Counts(); c.Sequences != 200 || c.Abandoned != 1 {
		t.Errorf("%+v, want 200 sequences and one abandoned", c)
	}
}

var fixtureParams = engine.Params{}

// Whoever sleeps will do something; whoever waits for a channel may not.
func TestJoined(t *testing.T) {
	const self = "goroutine 5 [running]:\nforay.test/harness.linger()\n\ngoroutine 7 [sleep]:\np.old()\n"
	before := bystanders(nil).see([]byte(self), 0)
	for dump, want := range map[string]bool{
		self: false,
		self + "\ngoroutine 9 [chan receive]:\np.waits()\n":           false,
		self + "\ngoroutine 9 [sleep]:\np.sleeps()\n":                 true,
		self + "\ngoroutine 9 [runnable, locked to thread]:\np.f()\n": true,
		"goroutine 5 [running]:\nforay.test/harness.linger()\n":       false,
	} {
		if got := before.joined([]byte(dump)); got != want {
			t.Errorf("joined %v, want %v:\n%s", got, want, dump)
		}
	}
}
