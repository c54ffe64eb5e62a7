package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"foray.test/cmd/internal/farm/record"
)

// maxJob is the size in bytes of the largest job that is read.
const maxJob = 64 << 10

// Add puts a job into the queue. When it returns nil, the broker has it on disk.
func (b *Broker) Add(ctx context.Context, job *record.Job) error {
	data, err := record.Encode(job)
	if err != nil {
		return err
	}
	_, err = b.js.Publish(ctx, jobSubject+job.Target.ID(), data, jetstream.WithMsgID(job.ID.String()))
	if err != nil {
		return b.failed(err)
	}
	return nil
}

// Depth counts the jobs in the queue.
type Depth struct {
	Waiting     uint64 `json:"waiting"`
	Running     int    `json:"running"` // handed out and not finished
	Redelivered int    `json:"redelivered"`
}

// Depth returns the number of jobs in the queue. The error is ErrLost if the broker has
// lost the queue.
func (b *Broker) Depth(ctx context.Context) (Depth, error) {
	c, err := b.js.Consumer(ctx, jobsStream, consumer)
	if err != nil {
		return Depth{}, b.failed(err)
	}
	info := c.CachedInfo()
	return Depth{Waiting: info.NumPending, Running: info.NumAckPending, Redelivered: info.NumRedelivered}, nil
}

// Held is a job that this process holds until it is done, given back, or silent for
// too long.
type Held struct {
	Job        record.Job
	Deliveries uint64 // how often it has been handed out, this time included
	Err        error  // the message is no job
	msg        jetstream.Msg
	stop       func()
}

// Take waits for a job. It returns nil if there is none for some seconds. As long as the
// job is neither done nor given back, the broker is told that its worker lives.
func (b *Broker) Take(ctx context.Context, wait time.Duration) (*Held, error) {
	c, err := b.js.Consumer(ctx, jobsStream, consumer)
	if err != nil {
		return nil, b.failed(err)
	}
	batch, err := c.Fetch(1, jetstream.FetchMaxWait(wait))
	if err != nil {
		return nil, b.failed(err)
	}
	select {
	case msg, ok := <-batch.Messages():
		if !ok {
			if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
				return nil, b.failed(err)
			}
			return nil, nil
		}
		return b.hold(msg), nil
	case <-ctx.Done():
		go func() { // a job that comes now goes to somebody else at once
			for msg := range batch.Messages() {
				_ = msg.Nak()
			}
		}()
		return nil, ctx.Err()
	}
}

func (b *Broker) hold(msg jetstream.Msg) *Held {
	h := &Held{msg: msg}
	if meta, err := msg.Metadata(); err == nil {
		h.Deliveries = meta.NumDelivered
	}
	if len(msg.Data()) > maxJob {
		h.Err = fmt.Errorf("queue: job of %d bytes, want at most %d", len(msg.Data()), maxJob)
	} else if err := json.Unmarshal(msg.Data(), &h.Job); err != nil {
		h.Err = fmt.Errorf("queue: job: %w", err)
	}
	done := make(chan struct{})
	h.stop = sync.OnceFunc(func() { close(done) })
	go func() {
		tick := time.NewTicker(b.lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = msg.InProgress() // without it the job goes to another, which is harmless
			}
		}
	}()
	return h
}

// Done removes the job from the queue, once its results are stored. An error is harmless:
// the job may run once more.
func (h *Held) Done(ctx context.Context) error {
	h.stop()
	if err := h.msg.DoubleAck(ctx); err != nil {
		return fmt.Errorf("queue: job %v is done, but not off the queue: %w", h.Job.ID, err)
	}
	return nil
}

// GiveBack has the job handed to somebody else, a little later. It counts as a delivery.
func (h *Held) GiveBack() error {
	h.stop()
	return h.msg.NakWithDelay(time.Second)
}

// Drop forgets the job without a word, as a worker does that is killed.
func (h *Held) Drop() { h.stop() }

// News is a name of an object that has been stored. It says where to look, and nothing is
// lost with it.
type News struct {
	Worker string `json:"worker"`
	Object string `json:"object"`
}

// Tell publishes news.
func (b *Broker) Tell(n News) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return b.conn.Publish(newsSubject+"stored", data)
}

// Listen calls f with all news, one at a time, until stop is called.
func (b *Broker) Listen(f func(News)) (stop func(), err error) {
	sub, err := b.conn.Subscribe(newsSubject+">", func(msg *nats.Msg) {
		var n News
		if len(msg.Data) < maxJob && json.Unmarshal(msg.Data, &n) == nil {
			f(n)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Flush waits until the server has what was sent, a subscription for example.
func (b *Broker) Flush(ctx context.Context) error { return b.conn.FlushWithContext(ctx) }
