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

// How long a sequence may take. It normally takes microseconds.
const (
	// HangTry holds for one of many runs: a sequence that takes longer hangs, or turns
	// out to be slow when it is confirmed.
	HangTry = 200 * time.Millisecond
	// HangTime holds for a sequence that is to be reported as a hang.
	HangTime = 2 * time.Second
	// DeathTime holds for a sequence that ends its process in another way: it leaves
	// time to fill a stack or the memory limit.
	DeathTime = 2 * time.Second
	// StoredTime holds for a sequence of an earlier run.
	StoredTime = 10 * time.Second
)

// waitFactor is how much longer than in the search a worker itself lets a call wait, if
// the sequence may take more than HangTry.
const waitFactor = 20

// A Trial says how a sequence is run, and which results are wanted besides its verdict.
type Trial struct {
	Deadline time.Duration    // after which it hangs, if Config.Patience is not longer
	Linger   time.Duration    // time after the last step, for goroutines that end the process
	Fuel     int64            // if not zero, after which it hangs, in a process of the analysis build, which goes on
	Want     engine.Signature // the signature of the finding to look for; see engine.Executor
	// Fork, if it is not zero, is the step from which on two goroutines run the steps.
	Fork int
	// Leaks asks for goroutines that wait for ever, instead of a verdict on the calls. The
	// worker must be built with GOEXPERIMENT=goroutineleakprofile.
	Leaks bool
	// Observe asks for the observable results of each step, instead of a verdict.
	Observe bool
	// Input, if not nil, is the fuzz input from which the worker decodes the sequence.
	Input *string
	// Study asks for the values that the sequence leaves, and whether Like leaves the same.
	Study bool
	Like  seq.Sequence
	// Record asks for values that a test can compare with.
	Record bool
}

// A Shown is the result of one run of a sequence.
type Shown struct {
	Verdict *engine.Verdict // nil if there is no finding, or nothing is known
	Sides   []int32         // the branch sides that were taken, in order
	Run     *difference.Run // with Trial.Observe
	Left    *wire.Left      // with Trial.Study, if no step broke
	Record  *regression.Run // with Trial.Record
	Error   error           // it could not be run
	Steps   seq.Sequence    // with Trial.Input, the sequence; after a death, the steps up to the last that ran
	Took    time.Duration   // until the answer, about
	// Died says that the process can run nothing more: it is dead, or a lost call holds
	// its locks.
	Died bool
}

// order asks p to run a sequence, after those that it was asked to run before.
func order(p *worker.Process, s seq.Sequence, t Trial) {
	m := &wire.Exec{Steps: seq.AppendBinary(nil, s), WaitFactor: 1, Linger: t.Linger, Fuel: t.Fuel, Want: t.Want, Fork: t.Fork, Leaks: t.Leaks, Observe: t.Observe, Study: t.Study, Record: t.Record}
	if t.Deadline > HangTry {
		m.WaitFactor = waitFactor
	}
	if t.Input != nil {
		m.Input = []byte(*t.Input)
	}
	if t.Like != nil {
		m.Like = seq.AppendBinary(nil, t.Like)
	}
	p.Send(&wire.Message{Exec: m})
}

// await waits for the result of the first sequence that p was asked to run and has not
// answered, which is s. It tells nothing of a sequence that ctx ends.
func (c *Config) await(ctx context.Context, p *worker.Process, s seq.Sequence, t Trial) Shown {
	deadline := max(t.Deadline, c.Patience)
	limits := worker.Limits{Compute: deadline, Wait: deadline, Total: worker.Starved * deadline}
	var result *wire.Result
	switch p.Await(ctx, worker.Watch{Limits: limits, Stack: true}, func(m *wire.Message) bool {
		result = m.Result
		return result != nil
	}) {
	case worker.Canceled:
		p.Kill()
		<-p.Exited()
		return Shown{Died: true}
	case worker.Overdue:
		return Shown{Died: true}
	case worker.Ended:
		switch {
		case t.Leaks:
			return Shown{Died: true} // a crash: judged where no profile is asked for
		case t.Fork > 0:
			return c.raced(p, s, t.Fork)
		}
		return c.ended(p, s)
	}
	if result.Lost != nil {
		return c.lost(result.Lost)
	}
	return c.told(result, t)
}

// told returns the result that a worker reports.
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
	return Shown{Verdict: &v, Steps: s, Died: !m.Endless}
}

// ended judges the end of a process that was to run s.
func (c *Config) ended(p *worker.Process, s seq.Sequence) Shown {
	if p.ExitReason().ProtocolErr != nil {
		return Shown{Died: true}
	}
	d := p.Death()
	ran, err := p.Running(c.Table, c.Pool.Literals)
	if err != nil {
		return Shown{Died: true}
	}
	if len(ran) == 0 && d.Late() {
		ran = s // all of it: a goroutine ended the process after the last step
	}
	if len(ran) == 0 {
		return Shown{Died: true} // nothing ran, or it was still to be read
	}
	v := c.JudgeDeath(ran, d)
	return Shown{Verdict: &v, Steps: ran, Died: true}
}

// raced judges the end of a process in which two goroutines ran s.
func (c *Config) raced(p *worker.Process, s seq.Sequence, fork int) Shown {
	d := p.Death()
	if d.ExitCode != worker.ExitRace {
		return Shown{Died: true} // a hang or a crash: judged where one goroutine runs s
	}
	return Shown{Verdict: c.JudgeRace(s, fork, d.Stderr), Died: true}
}
