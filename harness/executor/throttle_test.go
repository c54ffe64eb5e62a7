package executor

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Steps are timed where sequences are slow, not where the machine once had no time
// for one.
func TestThrottle(t *testing.T) {
	const usual, slow, stopped = 10 * time.Microsecond, 5 * time.Millisecond, time.Second
	p := throttle{late: new(atomic.Bool)}
	for i := range 100 {
		p.took(usual)
		if i%30 == 0 {
			p.took(stopped)
		}
		if p.timed() {
			t.Fatalf("timed after %d usual ones", i)
		}
	}
	for range 3 {
		p.took(slow)
	}
	if !p.timed() {
		t.Error("not timed where all are slow")
	}
	for range 2 * slowSteps {
		p.took(usual)
	}
	if p.timed() {
		t.Error("timed long after the last slow one")
	}
	p.late.Store(true)
	if !p.timed() {
		t.Error("not timed though the sequence is late")
	}
	if p.begin(); p.timed() {
		t.Error("timed because another sequence was late")
	}
}

// One sequence in timeOneIn is timed until one is slow, then each.
func TestThrottleSamples(t *testing.T) {
	p := throttle{late: new(atomic.Bool)}
	timed := func() (n int) {
		for range 4 * timeOneIn {
			p.begin()
			if !p.began.IsZero() {
				n++
			}
		}
		return n
	}
	if n := timed(); n != 4 {
		t.Errorf("%d of %d timed, want one in %d", n, 4*timeOneIn, timeOneIn)
	}
	for p.slow = 1; p.slow > 0; {
		p.begin()
		if p.began.IsZero() {
			t.Fatal("not timed behind a slow one")
		}
		p.began = time.Now().Add(time.Hour) // it takes no time
		p.end()
	}
}

// A sequence that is left out makes nothing later timed, however long it took.
func TestThrottleLeavesOut(t *testing.T) {
	p := throttle{late: new(atomic.Bool)}
	for range 10 * timeOneIn {
		p.leaveOut()
		p.late.Store(true)
		p.end()
	}
	p.leaveOut()
	if p.timed() || p.slow != 0 {
		t.Errorf("timed %v, slow %d, want neither", p.timed(), p.slow)
	}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		took time.Duration
		want uint32
	}{
		{0, 0},
		{slowCall - 1, 0},
		{slowCall, 16},
		{time.Second, 1 << 15},
		{time.Hour, 1 << 16},
	} {
		if got := cost(tt.took); got != tt.want {
			t.Errorf("cost(%v) = %d, want %d", tt.took, got, tt.want)
		}
	}
}

// The time of a call counts if the call computed or waited, not if the machine ran
// something else meanwhile.
func TestThreadUse(t *testing.T) {
	const wall = 20 * time.Millisecond
	before := threadUse{thread: 1, cpu: time.Second, taken: 5, put: 5}
	for _, tt := range []struct {
		name  string
		after threadUse
		want  time.Duration
	}{
		{"computed", threadUse{1, time.Second + wall/2, 9, 5}, wall / 2},
		{"slept", threadUse{1, time.Second, 5, 6}, wall},
		{"slept on a busy machine", threadUse{1, time.Second, 6, 6}, wall},
		{"goes on in another thread", threadUse{2, 0, 0, 0}, wall},
		{"had no processor", threadUse{1, time.Second, 6, 5}, 0},
	} {
		if got := before.took(tt.after, wall); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := (threadUse{}).took(threadUse{}, wall); got != wall {
		t.Errorf("where nobody tells: %v, want %v", got, wall)
	}
}

// A stopwatch takes the use of its thread from the system. The kernel may count a
// thread's time in steps of some milliseconds, so the loop goes on until both clocks
// have passed the limit.
func TestStopwatch(t *testing.T) {
	runtime.LockOSThread() // another thread has used another time
	defer runtime.UnlockOSThread()
	w := startStopwatch()
	if w.use == (threadUse{}) {
		t.Skip("the system does not tell what a thread has used")
	}
	for time.Since(w.began) < slowCall || useOfThread().cpu-w.use.cpu < slowCall {
	}
	if took := w.took(); took < slowCall {
		t.Errorf("at least %v of computing took %v", slowCall, took)
	}
}
