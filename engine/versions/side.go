package versions

import (
	"context"
	"time"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// side is one of the two workers that compose and compare.
type side struct {
	d     *comparison
	index int
	spawn worker.Spawn
	p     *worker.Process
	life  int
	batch int // how many sequences to ask for: what a process composed is lost when it ends
}

func (s *side) start(ctx context.Context) error {
	p, err := s.spawn.Start(ctx)
	if err != nil {
		return err
	}
	s.p = p
	seed := draw.Stream(draw.Stream(s.d.config.Seed, s.index), s.life)
	s.life++
	p.Send(&wire.Message{Versus: &wire.Versus{Seed: seed, Params: s.d.config.Params, Learn: s.d.learn}})
	return nil
}

func (s *side) stop() {
	if s.p != nil {
		s.p.Dispose()
		s.d.cpu += s.p.CPU()
		s.p = nil
	}
}

// watchEvery is how often a worker that has an order is looked at.
const watchEvery = 25 * time.Millisecond

// patience returns how long a process may compute, wait and stand still, see
// [worker.Stopwatch.Hangs], that has taken so many steps.
func patience(steps uint64) (limit, idleLimit, longest time.Duration) {
	if steps == 0 {
		return startTime, startTime, 2 * startTime
	}
	return hangCPU, worker.IdleAfter, worker.Starved * worker.HangAfter
}

// answer is what a side said to an order, or how its process ended.
type answer struct {
	msg     *wire.Message
	entries []*wire.Entry
	ended   bool
	ran     seq.Sequence // when it ended; nil if nothing did
	death   worker.Death // how
	err     error
}

// hangCPU is how much processor time one call may take: it is run in both versions,
// again and again, and one that takes longer keeps all others from being compared.
const hangCPU = 100 * time.Millisecond

// startTime is how long a process may take to its first step, with a table of a thousand
// operations to learn and a busy machine.
const startTime = 5 * time.Second

// ask gives an order and waits for the answer. The process is gone if it ended.
func (s *side) ask(ctx context.Context, m *wire.Message) answer {
	if m == nil || s.p == nil {
		return answer{}
	}
	var a answer
	p := s.p
	p.Send(m)
	still, beat := p.Stopwatch(), uint64(0)
	hung, idle := false, false
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case m, ok := <-p.Messages():
			switch {
			case !ok:
				<-p.Exited()
				a.ended, a.death = true, p.Death(hung)
				a.death.Idle = idle
				a.ran, _ = p.Running(s.d.config.Table, s.d.config.Pool.Literals)
				return a
			case m.Entry != nil:
				a.entries = append(a.entries, m.Entry)
			case m.Batch != nil || m.Compared != nil:
				a.msg = m
				return a
			}
		case <-ticker.C:
			if now := p.Shared().Beat(); now != beat {
				beat = now
				still.Restart()
			} else if !hung {
				if hung, idle = still.Hangs(patience(beat)); hung {
					p.Kill() // what its goroutines are at is of no use here
				}
			}
		case <-ctx.Done():
			a.err = ctx.Err()
			return a
		}
	}
}
