package versions

import (
	"context"
	"time"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// A peer is one of the two workers, of one version, that compose and compare.
type peer struct {
	c      *comparison
	index  int
	spawn  worker.Spawn
	p      *worker.Process
	starts int
	batch  int // sequences to ask for: the batch is lost when the process ends
}

func (p *peer) start(ctx context.Context) error {
	proc, err := p.spawn.Start(ctx)
	if err != nil {
		return err
	}
	p.p = proc
	seed := draw.Stream(draw.Stream(p.c.config.Seed, p.index), p.starts)
	p.starts++
	proc.Send(&wire.Message{Versus: &wire.Versus{Seed: seed, Learn: p.c.learn}})
	return nil
}

func (p *peer) stop() {
	if p.p != nil {
		p.p.Dispose()
		p.c.cpu += p.p.CPU()
		p.p = nil
	}
}

// An answer is the reply of a peer to a request, or the end of its process.
type answer struct {
	msg     *wire.Message
	entries []*wire.Entry
	ended   bool
	ran     seq.Sequence // when it ended; nil if nothing ran
	death   worker.Death
	sent    time.Time // when the request was sent
	err     error
}

// ask sends a request and waits for the answer. A process that hangs in a call is ended:
// the call runs in both versions, again and again, and keeps all others from being
// compared. The process is gone if it ended.
func (p *peer) ask(ctx context.Context, m *wire.Message) answer {
	if m == nil || p.p == nil {
		return answer{}
	}
	a := answer{sent: time.Now()}
	limits := worker.Limits{Compute: worker.CallCPU, Wait: worker.IdleAfter, Total: worker.Starved * worker.HangAfter}
	p.p.Send(m)
	switch p.p.Await(ctx, worker.Watch{Limits: limits, PerStep: true}, func(m *wire.Message) bool {
		if m.Entry != nil {
			a.entries = append(a.entries, m.Entry)
		}
		a.msg = m
		return m.Batch != nil || m.Compared != nil
	}) {
	case worker.Canceled:
		a.err = ctx.Err()
	case worker.Ended, worker.Overdue:
		a.ended, a.msg, a.death = true, nil, p.p.Death()
		a.ran, _ = p.p.Running(p.c.config.Table, p.c.config.Pool.Literals)
	}
	return a
}
