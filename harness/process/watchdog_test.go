package process

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"foray.test/engine/godump"
)

// others are the goroutines of a dump beside the one of interest: the reader first.
const others = `goroutine 5 [running]:
foray.test/harness/process.(*worker).look(0x1)

goroutine 4 gp=0x34 m=nil [IO wait, 2 minutes]:
internal/poll.runtime_pollWait(0x1)

goroutine 9 gp=0x35 m=nil [chan receive (nil chan)]:
p.leaked()
`

// TestNextLook counts the dumps of a call that computes for a second: they are few.
func TestNextLook(t *testing.T) {
	computes, waits := parking{}, parking{waits: true, patience: talkPatience}
	dumps := 0
	for stood := lockPatience; stood < time.Second; stood = max(computes.next(stood), stood+lookEvery) {
		dumps++
	}
	if dumps != 8 {
		t.Errorf("a call that computes for a second is looked at %d times, want 8", dumps)
	}
	for _, stood := range []time.Duration{lockPatience, otherPatience} {
		if got := waits.next(stood); got != talkPatience {
			t.Errorf("a call that waits is looked at after %v, want %v", got, talkPatience)
		}
	}
}

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
		{"us, behind the call", at("sync.Mutex.Lock") + "foray.test/harness/executor.(*Ownership).await(0x2)\n", false, lockPatience},
		{"not in the dump", others, false, 0},
		{"garbage", others + "\ngoroutine 7 ", false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := parked(7, godump.Parse(tt.dump), nil, 0)
			if p.waits != tt.waits || p.patience != tt.patience {
				t.Errorf("waits %v, patience %v; want %v, %v", p.waits, p.patience, tt.waits, tt.patience)
			}
			if p.waits && !strings.HasPrefix(p.stack, "goroutine 7 gp=0x36 m=nil [") {
				t.Errorf("stack %q", p.stack)
			}
		})
	}
}

// The stack that is told has the goroutine that the call waits for, if that runs.
func TestParkedForOwn(t *testing.T) {
	const own, child = "goroutine 7 [sync.WaitGroup.Wait]:\np.Do(0x1)\n", "goroutine 8 [runnable]:\np.work()\ncreated by p.Do in goroutine "
	p := parked(7, godump.Parse(others+"\n"+child+"7\n\n"+own), nil, 0)
	if want := strings.TrimSpace(own) + "\n\n" + child + "7"; p.stack != want {
		t.Errorf("%q, want %q", p.stack, want)
	}
	if p = parked(7, godump.Parse(others+"\n"+child+"6\n\n"+own), nil, 0); p.stack != strings.TrimSpace(own) {
		t.Errorf("%q, with a goroutine of another", p.stack)
	}
}

// A sleeping goroutine that a sequence left behind is no reason to wait in a later one.
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
		dump := godump.Parse(tt.dump)
		b = b.see(dump, tt.sequence)
		if p := parked(7, dump, b, tt.sequence); !p.waits || p.patience != tt.patience {
			t.Errorf("dump %d: waits %v, patience %v, want %v", i, p.waits, p.patience, tt.patience)
		}
	}
}

// A dump of the runtime's own is read as those above.
func TestParkedReal(t *testing.T) {
	var id uint64
	begun, end := make(chan struct{}), make(chan struct{})
	go func() {
		var stack [64]byte
		id = godump.Parse(string(stack[:runtime.Stack(stack[:], false)]))[0].ID
		close(begun)
		<-end
	}()
	<-begun
	var p parking
	var dump []godump.Goroutine
	for !p.waits { // it is about to wait
		runtime.Gosched()
		dump = allStacks()
		p = parked(id, dump, nil, 0)
	}
	close(end)
	if !strings.Contains(p.stack, "TestParkedReal") || p.patience < talkPatience {
		t.Errorf("patience %v, stack %s", p.patience, p.stack)
	}
	if id == 0 || id == dump[0].ID {
		t.Errorf("numbers %d and %d, want two", id, dump[0].ID)
	}
}

// A goroutine that sleeps will do something; one that waits for a channel may not.
func TestJoined(t *testing.T) {
	const self = "goroutine 5 [running]:\nforay.test/harness/process.linger()\n\ngoroutine 7 [sleep]:\np.old()\n"
	before := bystanders(nil).see(godump.Parse(self), 0)
	for dump, want := range map[string]bool{
		self: false,
		self + "\ngoroutine 9 [chan receive]:\np.waits()\n":             false,
		self + "\ngoroutine 9 [sleep]:\np.sleeps()\n":                   true,
		self + "\ngoroutine 9 [runnable, locked to thread]:\np.f()\n":   true,
		"goroutine 5 [running]:\nforay.test/harness/process.linger()\n": false,
	} {
		if got := before.joined(godump.Parse(dump)); got != want {
			t.Errorf("joined %v, want %v:\n%s", got, want, dump)
		}
	}
}

// A sequence is late that was under way in several looks, not one of several.
func TestLateWatch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		looks []uint64 // the sequence under way, 0 if none runs
		want  bool
	}{
		{"one that goes on", []uint64{7, 7, 7, 7}, true},
		{"not long enough", []uint64{7, 7, 7}, false},
		{"others", []uint64{7, 8, 9, 10, 11, 12}, false},
		{"it began of late", []uint64{7, 7, 7, 8, 8}, false},
		{"nothing ran between", []uint64{7, 7, 0, 7, 7}, false},
	} {
		var v lateWatch
		late := false
		for _, n := range tt.looks {
			late = v.look(max(n, 1), n > 0)
		}
		if late != tt.want {
			t.Errorf("%s: late %v, want %v", tt.name, late, tt.want)
		}
	}
}

func TestClock(t *testing.T) {
	const ms = time.Millisecond
	type look struct {
		sequence uint64
		runs     bool
		used     time.Duration
		over     bool
	}
	tests := []struct {
		name  string
		looks []look
	}{
		{"long", []look{{1, true, 50 * ms, false}, {1, true, 100 * ms, false}, {1, true, 110 * ms, true}, {1, true, 114 * ms, true}}},
		{"the next begins anew", []look{{1, true, 0, false}, {2, true, 70 * ms, false}, {2, true, 140 * ms, true}}},
		{"nothing runs", []look{{1, true, 0, false}, {1, false, 70 * ms, false}, {1, true, 80 * ms, false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c clock
			for i, l := range tt.looks {
				if got := c.over(l.sequence, l.runs, l.used, timeLimit); got != l.over {
					t.Errorf("look %d: over = %v, want %v", i, got, l.over)
				}
			}
		})
	}
}
