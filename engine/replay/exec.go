package replay

import (
	"context"
	"errors"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// How long a sequence may take, which takes microseconds.
const (
	// HangTry is for one of many: what lasts this long hangs, or will turn out to be
	// slow when it is confirmed.
	HangTry = 200 * time.Millisecond
	// HangTime is for one that is to be called hanging, lest it was only slow.
	HangTime = 2 * time.Second
	// DeathTime is for one that ends its process in any other way, with the time to
	// fill a stack or the memory limit.
	DeathTime = 2 * time.Second
	// StoredTime is for one of an earlier run.
	StoredTime = 10 * time.Second
)

// patience is how much longer than in the search a worker itself looks on where a
// call waits, if the sequence may take more than HangTry.
const patience = 20

// watchEvery is how often a process that runs a sequence is looked at.
const watchEvery = 20 * time.Millisecond

// A Trial says how a sequence is run, and what is asked for beside its verdict.
type Trial struct {
	Deadline time.Duration // until it hangs, if Config.Patience is not longer
	Linger   time.Duration // behind the last step, for goroutines that end the process
	Want     string        // the signature of the finding that is to show again; see engine.Executor
	// Fork, if it is not zero, asks for the steps from there on in two goroutines.
	Fork int
	// Leaks asks for goroutines that wait for ever, instead of a verdict on the calls. It
	// takes a worker built with GOEXPERIMENT=goroutineleakprofile.
	Leaks bool
	// Observe asks for what could be seen of each step, instead of a verdict.
	Observe bool
	// Input is what the worker is to read the sequence from, if not nil.
	Input *string
	// Study asks for what the sequence leaves, and whether Like leaves the same.
	Study bool
	Like  seq.Sequence
	// Record asks for what a test can compare with.
	Record bool
}

// A Shown is what a process showed of a sequence.
type Shown struct {
	Verdict *engine.Verdict // nil if all was well, or if nothing is known
	Sides   []int32         // the branch sides that were taken, in order
	Run     *difference.Run // if it was to be observed
	Left    *wire.Left      // if it was to be studied, and did not break
	Record  *regression.Run // if it was to be recorded
	Error   error           // it could not be run
	Steps   seq.Sequence    // what ran, if the worker was to read it, or up to the step in which it died
	Took    time.Duration   // to the answer, about
	// Died says that the process can run nothing more: it is dead, or holds what it
	// never gives back.
	Died bool
}

// order asks p to run a sequence, behind those that it was asked to run before.
func order(p *worker.Process, s seq.Sequence, t Trial) {
	m := &wire.Exec{Steps: seq.AppendBinary(nil, s), Patience: 1, Linger: t.Linger, Want: t.Want, Fork: t.Fork, Leaks: t.Leaks, Observe: t.Observe, Study: t.Study, Record: t.Record, Input: t.Input}
	if t.Deadline > HangTry {
		m.Patience = patience
	}
	if t.Like != nil {
		m.Like = seq.AppendBinary(nil, t.Like)
	}
	p.Send(&wire.Message{Exec: m})
}

// await waits for what the first sequence shows that p was asked to run and has not
// told of, which is s. Of one that ctx ends nothing is known.
func (c *Config) await(ctx context.Context, p *worker.Process, s seq.Sequence, t Trial) Shown {
	deadline := max(t.Deadline, c.Patience)
	watch := p.Stopwatch()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	hung, late := false, false
	for {
		select {
		case m, ok := <-p.Messages():
			switch {
			case !ok && late:
				return Shown{Died: true}
			case !ok && t.Leaks:
				<-p.Exited()
				return Shown{Died: true} // as for a race
			case !ok && t.Fork > 0:
				return c.raced(p, s, t.Fork)
			case !ok:
				return c.ended(p, hung, s)
			case m.Result == nil:
				continue
			case hung:
				late = true // it was slow, and is being ended for it
				continue
			case m.Result.Lost != nil:
				return c.lost(m.Result.Lost)
			}
			return c.told(m.Result, t)
		case <-ticker.C:
			if over, idle := watch.Hangs(deadline, deadline, worker.Starved*deadline); over && !hung {
				hung = true
				go p.Quit(idle)
			}
		case <-ctx.Done():
			p.Kill()
			<-p.Exited()
			return Shown{Died: true}
		}
	}
}

// told returns what a worker says of a sequence.
func (c *Config) told(m *wire.Result, t Trial) Shown {
	x := Shown{Verdict: m.Verdict, Run: m.Run, Left: m.Left, Record: m.Record}
	for _, side := range m.Sides {
		if side >= 0 && int(side) < c.Sides {
			x.Sides = append(x.Sides, side)
		}
	}
	if m.Error != "" {
		x.Error = errors.New(m.Error)
	} else if t.Input != nil {
		x.Steps, x.Error = seq.DecodeBinary(c.Table, c.Pool.Literals, m.Steps)
	}
	return x
}

// lost judges a run that a worker gave up.
func (c *Config) lost(m *wire.Lost) Shown {
	s, err := seq.DecodeSteps(c.Table, c.Pool.Literals, m.Steps)
	if err != nil || len(s) == 0 {
		return Shown{Died: true}
	}
	v := c.JudgeDeath(s, worker.DeathOf(m))
	return Shown{Verdict: &v, Steps: s, Died: true}
}

// ended judges the end of a process that was to run s.
func (c *Config) ended(p *worker.Process, hung bool, s seq.Sequence) Shown {
	<-p.Exited()
	if _, _, garbled := p.Fate(); garbled != nil {
		return Shown{Died: true}
	}
	d := p.Death(hung)
	ran, err := p.Running(c.Table, c.Pool.Literals)
	if err != nil {
		return Shown{Died: true}
	}
	if len(ran) == 0 && d.Late() {
		ran = s // all of it: a goroutine ended the process behind the last step
	}
	if len(ran) == 0 {
		return Shown{Died: true} // nothing ran, or it was to be read yet
	}
	v := c.JudgeDeath(ran, d)
	return Shown{Verdict: &v, Steps: ran, Died: true}
}

// raced judges the end of a process in which two goroutines ran s.
func (c *Config) raced(p *worker.Process, s seq.Sequence, fork int) Shown {
	<-p.Exited()
	d := p.Death(false)
	if d.ExitCode != worker.ExitRace {
		return Shown{Died: true} // a hang or a crash: judged where one goroutine runs s
	}
	return Shown{Verdict: c.JudgeRace(s, fork, d.Stderr), Died: true}
}
