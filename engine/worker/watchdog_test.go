package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"foray.test/engine/wire"
)

// fake is a process that uses a share of the time.
type fake struct {
	began time.Time
	share float64 // of the time that it computes; below 0: the system does not tell
	ready bool    // it would run if the machine let it
	mute  bool    // the system does not tell whether it would
	count uint64
}

func (f *fake) steps() uint64 { return f.count }

func (f *fake) cpu() (time.Duration, bool) {
	return time.Duration(f.share * float64(time.Since(f.began))), f.share >= 0
}

func (f *fake) runnable() (ready, known bool) { return f.ready || f.mute, !f.mute }

// TestHangs: when a process is taken for hanging, on the clock of a bubble.
func TestHangs(t *testing.T) {
	const ms = time.Millisecond
	limits := Limits{Compute: 120 * ms, Wait: 150 * ms, Total: 600 * ms}
	for _, tt := range []struct {
		name  string
		fake  fake
		whole bool          // the limits hold for the request, not for each step
		every time.Duration // a step; 0: none
		after time.Duration // when it hangs; 0: not within a minute
		idle  bool
	}{
		{"it computes", fake{share: 1, ready: true, count: 1}, false, 0, 120 * ms, false},
		{"two threads compute", fake{share: 2, ready: true, count: 1}, false, 0, 120 * ms, false},
		{"it waits", fake{share: 0.01, count: 1}, false, 0, 150 * ms, true},
		{"it has a third of a processor", fake{share: 0.3, ready: true, count: 1}, false, 0, 310 * ms, false},
		{"the machine gives it no time", fake{share: 0, ready: true, count: 1}, false, 0, 6 * time.Second, false},
		{"the machine gives it little time", fake{share: 0.05, ready: true, count: 1}, false, 0, 1810 * ms, false},
		{"it computes now and then", fake{share: 0.05, count: 1}, false, 0, 600 * ms, false},
		{"it waits or gets no time", fake{share: 0, mute: true, count: 1}, false, 0, 600 * ms, false},
		{"it gets on", fake{share: 1, ready: true, count: 1}, false, 100 * ms, 0, false},
		{"it gets on, but may not take so long in all", fake{share: 1, ready: true, count: 1}, true, 100 * ms, 120 * ms, false},
		{"it gets on slowly", fake{share: 1, ready: true, count: 1}, false, 200 * ms, 120 * ms, false},
		{"it begins, computing", fake{share: 1, ready: true}, false, 0, 10 * time.Second, false},
		{"it begins, waiting", fake{share: 0}, false, 0, 10 * time.Second, true},
		{"it begins on a busy machine", fake{share: 0, ready: true}, false, 0, 0, false},
		{"the system does not tell", fake{share: -1, count: 1}, false, 0, 120 * ms, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := tt.fake
				f.began = time.Now()
				dog := newWatchdog(&f, !tt.whole)
				dog.last = f.count
				var after time.Duration
				idle := false
				for since := 10 * ms; since <= time.Minute; since += 10 * ms {
					time.Sleep(10 * ms)
					if tt.every > 0 && since%tt.every == 0 {
						f.count++
					}
					hangs := false
					if hangs, idle = dog.Hangs(limits); hangs {
						after = since
						break
					}
				}
				if after != tt.after || idle != tt.idle {
					t.Errorf("hangs after %v, idle %v; want %v, %v", after, idle, tt.after, tt.idle)
				}
			})
		})
	}
}

// TestAwait: how a request ends, with a process that is a channel.
func TestAwait(t *testing.T) {
	answer := &wire.Message{Result: &wire.Result{}}
	noise := &wire.Message{Covered: []int32{1}}
	for _, tt := range []struct {
		name   string
		send   []*wire.Message
		after  time.Duration // the pause before them
		hangup bool          // then it ends
		cancel time.Duration
		want   Outcome
		aborts bool
	}{
		{"it answers", []*wire.Message{noise, answer}, 0, false, 0, Answered, false},
		{"it answers just in time", []*wire.Message{answer}, 90 * time.Millisecond, false, 0, Answered, false},
		{"it dies", []*wire.Message{noise}, 0, true, 0, Ended, false},
		{"it hangs", nil, time.Second, true, 0, Ended, true},
		{"it hangs and reports", []*wire.Message{noise}, time.Second, true, 0, Ended, true},
		{"it answers too late", []*wire.Message{answer, noise}, time.Second, true, 0, Overdue, true},
		{"nobody waits any more", nil, time.Second, true, 50 * time.Millisecond, Canceled, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					defer time.AfterFunc(tt.cancel, cancel).Stop()
				}
				messages := make(chan *wire.Message, len(tt.send))
				go func() {
					time.Sleep(tt.after)
					for _, m := range tt.send {
						messages <- m
					}
					if tt.hangup {
						close(messages)
					}
				}()
				aborts := 0
				dog := newWatchdog(&fake{began: time.Now(), share: 1, ready: true, count: 1}, false)
				limits := Limits{Compute: 100 * time.Millisecond, Wait: time.Second, Total: time.Second}
				got := await(ctx, messages, dog, limits, func(bool) { aborts++ }, func(m *wire.Message) bool { return m.Result != nil })
				time.Sleep(tt.after) // let the process end
				if got != tt.want || aborts > 1 || aborts == 1 != tt.aborts {
					t.Errorf("outcome %d, %d aborts; want %d, %v", got, aborts, tt.want, tt.aborts)
				}
			})
		})
	}
}

// TestAwaitHeldUp: a process that has answered in time does not hang, however late the answer is
// looked at.
func TestAwaitHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{Compute: 100 * time.Millisecond, Wait: time.Second, Total: time.Second}
		for range 50 {
			messages := make(chan *wire.Message, 2)
			messages <- &wire.Message{Covered: []int32{1}}
			messages <- &wire.Message{Result: &wire.Result{}}
			close(messages)
			dog := newWatchdog(&fake{began: time.Now(), share: 1, ready: true, count: 1}, false)
			aborts := 0
			got := await(t.Context(), messages, dog, limits, func(bool) { aborts++ }, func(m *wire.Message) bool {
				if m.Result == nil {
					time.Sleep(time.Second) // on a busy machine
				}
				return m.Result != nil
			})
			synctest.Wait()
			if got != Answered || aborts > 0 {
				t.Fatalf("outcome %d, %d aborts; want %d, none", got, aborts, Answered)
			}
		}
	})
}
