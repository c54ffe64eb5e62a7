package coordinator

import (
	"context"
	"errors"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// A Replayed is what one stored sequence showed when it ran again.
type Replayed struct {
	Verdict *engine.Verdict // nil if all was well
	Error   error           // it could not be run
	Took    time.Duration   // about
}

// replayDeadline is how long a stored sequence may take.
const replayDeadline = 10 * time.Second

// Replay runs sequences one after the other, in a process that is replaced when
// it dies, and tells visit what each showed. It returns the branch sides taken.
func Replay(ctx context.Context, c Config, list []seq.Sequence, visit func(i int, r Replayed)) (*coverage.Set, error) {
	b := NewBench(c)
	defer b.Close()
	covered := coverage.NewSet(c.Sides)
	err := b.runAll(ctx, list, trial{deadline: replayDeadline}, func(i int, st Study) {
		for _, side := range st.Sides {
			covered.Add(int(side))
		}
		visit(i, Replayed{Verdict: st.Verdict, Error: st.Error, Took: st.Took})
	})
	return covered, err
}

// A Read is what an input is to a test that lists its operations, and what that showed.
type Read struct {
	Replayed
	Steps seq.Sequence // up to the end of the process, if it ended
}

// ReadInputs has inputs of such a test read and run, one after the other as Replay
// does, and tells visit of each. One without any step could not be run.
func ReadInputs(ctx context.Context, c Config, inputs []string, visit func(i int, r Read)) error {
	b := NewBench(c)
	defer b.Close()
	for i := range inputs {
		if b.p == nil {
			if err := b.start(ctx); err != nil {
				return err
			}
		}
		ex, err := b.k.exec(ctx, b.p, nil, trial{deadline: replayDeadline, input: &inputs[i]})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			b.drop()
		}
		if len(ex.steps) == 0 && ex.refused == nil {
			ex.refused = errNoStep
		}
		visit(i, Read{Replayed{Verdict: ex.verdict, Error: ex.refused}, ex.steps})
	}
	return nil
}

var errNoStep = errors.New("nothing in it can be called")

// Minimize returns f with the fewest and simplest steps found that show the same.
func Minimize(c Config, f engine.Finding) engine.Finding {
	k := newConfirmer(c)
	defer k.close()
	return k.minimizeDeath(f, trial{want: f.Verdict.Signature})[0]
}

// Review runs findings again and tells visit of each whether it shows still: first
// in the process that ran those before, and if not there in one of its own, for what
// shows may hang on a state that the first call leaves. Should only something else
// show, that is what visit is told. After limit the rest is left out.
func Review(ctx context.Context, c Config, list []engine.Finding, limit time.Duration, visit func(i int, r Replayed)) error {
	k := newConfirmer(c)
	defer k.close()
	began := time.Now()
	var p *worker.Process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	for i, f := range list {
		if time.Since(began) > limit {
			return nil
		}
		if p == nil {
			var err error
			if p, err = c.Spawn.Start(ctx); err != nil {
				return err
			}
		}
		t := again(f.Verdict)
		ex, err := k.exec(ctx, p, f.Steps, t)
		if err != nil {
			k.put(p)
			p = nil
		}
		v := ex.verdict
		for _, want := range []string{t.want, ""} {
			if shows(v, f.Verdict.Signature) || ex.refused != nil {
				break
			}
			t.want = want
			if alone := k.once(f.Steps, t); alone != nil {
				v = alone
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		visit(i, Replayed{Verdict: v, Error: ex.refused})
	}
	return nil
}

// again says how a finding is run again.
func again(v engine.Verdict) trial {
	t := trial{deadline: deathTime, want: v.Signature}
	switch v.Kind {
	case engine.KindHang:
		t.deadline = hangConfirm
	case engine.KindFatal:
		t.linger = lingerTime
	}
	return t
}

func shows(v *engine.Verdict, signature string) bool { return v != nil && v.Signature == signature }
