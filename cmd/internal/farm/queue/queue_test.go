package queue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"foray.test/cmd/internal/farm/record"
)

// embedded returns an empty queue in this process.
func embedded(t *testing.T) *Broker {
	t.Helper()
	b, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func job(seq uint64) *record.Job {
	return &record.Job{ID: record.JobID{Epoch: 1, Seq: seq}, Target: record.Target{Package: "m.test/p"}, Version: "v1"}
}

func add(t *testing.T, b *Broker, seqs ...uint64) {
	t.Helper()
	for _, seq := range seqs {
		if err := b.Add(t.Context(), job(seq)); err != nil {
			t.Fatal(err)
		}
	}
}

// take takes the next job, which must be there.
func take(t *testing.T, b *Broker) *Held {
	t.Helper()
	held, err := b.Take(t.Context(), time.Minute)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	return held
}

// wantDepth waits until the queue says that it has so many jobs: it counts a little later than
// it answers.
func wantDepth(t *testing.T, b *Broker, waiting uint64, running int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		d, err := b.Depth(ctx)
		if err != nil {
			t.Fatalf("depth %+v, %v; want %d waiting, %d running", d, err, waiting, running)
		}
		if d.Waiting == waiting && d.Running == running {
			return
		}
	}
}

// Jobs are handed out in order, each once until it is done.
func TestOrder(t *testing.T) {
	b := embedded(t)
	add(t, b, 1, 2, 2, 3) // a job that is added twice is there once
	wantDepth(t, b, 3, 0)
	for seq := uint64(1); seq <= 3; seq++ {
		held := take(t, b)
		if held.Err != nil || held.Job.ID.Seq != seq || held.Deliveries != 1 {
			t.Errorf("got job %v, delivery %d, %v; want %d for the first time", held.Job.ID, held.Deliveries, held.Err, seq)
		}
		wantDepth(t, b, 3-seq, 1)
		if err := held.Done(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wantDepth(t, b, 0, 0)
	if held, err := b.Take(t.Context(), time.Second); held != nil || err != nil {
		t.Errorf("an empty queue gives %v, %v", held, err)
	}
}

// A job comes round again if it is given back, or its worker is silent for longer than the lease.
func TestAgain(t *testing.T) {
	b := embedded(t)
	b.SetLease(300 * time.Millisecond)
	if err := b.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, b, 1)
	if err := take(t, b).GiveBack(); err != nil {
		t.Fatal(err)
	}
	held := take(t, b)
	if held.Deliveries != 2 {
		t.Errorf("delivery %d after it was given back, want 2", held.Deliveries)
	}
	held.Drop()
	if held = take(t, b); held.Deliveries != 3 || held.Job.ID.Seq != 1 {
		t.Errorf("job %v, delivery %d after the lease, want 1, 3", held.Job.ID, held.Deliveries)
	}
	if err := held.Done(t.Context()); err != nil {
		t.Error(err)
	}
}

// The jobs that wait can be removed without those that run, and all with them.
func TestClear(t *testing.T) {
	b := embedded(t)
	add(t, b, 1, 2, 3)
	held := take(t, b)
	if err := b.ClearWaiting(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantDepth(t, b, 0, 1)
	add(t, b, 4)
	if next := take(t, b); next.Job.ID.Seq != 4 {
		t.Errorf("next is %v, want 4", next.Job.ID)
	}
	if err := b.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantDepth(t, b, 0, 0)
	_ = held.Done(t.Context()) // of a job that is gone: harmless, whatever it says
	add(t, b, 5)
	if next := take(t, b); next.Job.ID.Seq != 5 {
		t.Errorf("next is %v, want 5", next.Job.ID)
	}
}

// A wait for a job ends with its context, and the job that comes then goes to the next.
func TestTakeEnds(t *testing.T) {
	b := embedded(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if held, err := b.Take(ctx, time.Minute); held != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", held, err)
	}
	add(t, b, 1)
	if held := take(t, b); held.Job.ID.Seq != 1 {
		t.Errorf("got %v", held.Job.ID)
	}
}

// Messages that are no jobs come out with an error, and can be taken off.
func TestNoJobs(t *testing.T) {
	b := embedded(t)
	for _, data := range []string{"{", strings.Repeat("x", maxJob+1)} {
		if _, err := b.js.Publish(t.Context(), jobSubject+"x", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"queue: job: unexpected end", "queue: job of 65537 bytes"} {
		held := take(t, b)
		if held.Err == nil || !strings.HasPrefix(held.Err.Error(), want) {
			t.Errorf("got %v, want %s", held.Err, want)
		}
		if err := held.Done(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wantDepth(t, b, 0, 0)
}

// A queue that was there and is gone is told from other errors, and can be made again.
func TestLost(t *testing.T) {
	b := embedded(t)
	if err := b.js.DeleteStream(t.Context(), jobsStream); err != nil {
		t.Fatal(err)
	}
	_, depth := b.Depth(t.Context())
	_, taken := b.Take(t.Context(), time.Second)
	for what, err := range map[string]error{"depth": depth, "take": taken, "clear": b.Clear(t.Context()), "clear waiting": b.ClearWaiting(t.Context())} {
		if !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v, want %v", what, err, ErrLost)
		}
	}
	if err := b.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, b, 1)
	wantDepth(t, b, 1, 0)
}

// What is in the queue is there after a restart.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	for start := range 2 {
		b, err := Embed(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if start == 0 {
			add(t, b, 1, 2)
		}
		wantDepth(t, b, 2, 0)
		b.Close()
	}
}

// All listeners are told of a change. They are not told of anything else, nor after stop.
func TestNews(t *testing.T) {
	b := embedded(t)
	heard := make(chan News, 10)
	stop, err := b.Listen(func(n News) { heard <- n })
	if err != nil {
		t.Fatal(err)
	}
	want := []News{{Worker: "w", Object: "runs/a/1"}, {Worker: "w", Object: "runs/a/2"}}
	for i, n := range want {
		if err := b.conn.Publish(newsSubject+"stored", fmt.Append(nil, "no news ", i)); err != nil {
			t.Fatal(err)
		}
		if err := b.Tell(n); err != nil {
			t.Fatal(err)
		}
	}
	if got := []News{<-heard, <-heard}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
	stop()
	if err := errors.Join(b.Tell(want[0]), b.conn.Flush()); err != nil {
		t.Fatal(err)
	}
	if len(heard) > 0 {
		t.Errorf("heard %v after stop", <-heard)
	}
}

// An error of a server that does not answer, and of one without queues, says so.
func TestErrors(t *testing.T) {
	b := embedded(t)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{jetstream.ErrStreamNotFound, "the queue is gone"},
		{jetstream.ErrConsumerDeleted, "the queue is gone"},
		{jetstream.ErrJetStreamNotEnabled, "start it with -js"},
		{context.DeadlineExceeded, "the server does not answer"},
		{errors.New("other"), "queue: other"},
	} {
		if got := b.failed(tt.err).Error(); !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
			t.Errorf("%v becomes %q, want %q", tt.err, got, tt.want)
		}
	}
	file := filepath.Join(t.TempDir(), "none.creds")
	for _, c := range []Connection{{URL: "nats://127.0.0.1:1"}, {URL: "nats://user:secret@127.0.0.1:1"}, {URL: "nats://127.0.0.1:1", Credentials: file}, {URL: "::"}} {
		b, err := Connect(c)
		if err == nil {
			b.Close()
			t.Errorf("%s: connected", c.URL)
		} else if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, "secret") {
			t.Errorf("%s: %s", c.URL, text)
		}
	}
}

// A queue is one farm's, until that releases it.
func TestClaim(t *testing.T) {
	b := embedded(t)
	claim := func(farm string) error {
		err := b.Claim(t.Context(), farm, "v"+farm)
		if err == nil {
			err = b.Setup(t.Context())
		}
		return err
	}
	if err := claim("one"); err != nil {
		t.Fatal(err)
	}
	whose := func(farm, version string) {
		t.Helper()
		if f, v, err := b.Farm(t.Context()); f != farm || v != version || err != nil {
			t.Errorf("it is the queue of %q, %q, %v; want %q, %q", f, v, err, farm, version)
		}
	}
	whose("one", "vone")
	add(t, b, 1)
	if err := claim("one"); err != nil {
		t.Errorf("the same farm again: %v", err)
	}
	if err := claim("two"); !errors.Is(err, ErrClaimed) || strings.Contains(err.Error(), "\n") {
		t.Errorf("another farm: %v, want %v", err, ErrClaimed)
	}
	wantDepth(t, b, 1, 0)
	if err := b.Release(t.Context()); err != nil {
		t.Error(err)
	}
	whose("", "")
	if err := claim("two"); err != nil {
		t.Errorf("after the release: %v", err)
	}
	whose("two", "vtwo")
	if err := claim("one"); !errors.Is(err, ErrClaimed) {
		t.Errorf("the first farm: %v", err)
	}
	if !claimed("two", "one", claimAfter-1) || claimed("two", "one", claimAfter) {
		t.Error("the queue of a farm that has ended without a word cannot be claimed after ten minutes, or before")
	}
}
