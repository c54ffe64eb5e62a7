package confirm

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
)

// Review runs findings again and tells visit of each whether it shows still: first
// in the process that ran those before, and if not there in one of its own, for what
// shows may hang on a state that the first call leaves. Should only something else
// show, that is what visit is told. After limit the rest is left out.
func Review(ctx context.Context, c replay.Config, list []engine.Finding, limit time.Duration, visit func(i int, x replay.Shown)) error {
	runner := replay.NewRunner(c)
	b := runner.Bench()
	defer b.Close()
	began := time.Now()
	for i, f := range list {
		if time.Since(began) > limit {
			return nil
		}
		t := again(f.Verdict)
		x, err := b.Run(ctx, f.Steps, t)
		if err != nil {
			return err
		}
		for _, want := range []string{t.Want, ""} {
			if shows(x.Verdict, f.Verdict.Signature) || x.Error != nil {
				break
			}
			t.Want = want
			if alone, _ := runner.Alone(ctx, f.Steps, t); alone.Verdict != nil {
				x = alone
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		visit(i, x)
	}
	return nil
}

// again says how a finding is run again.
func again(v engine.Verdict) replay.Trial {
	t := replay.Trial{Deadline: replay.DeathTime, Want: v.Signature}
	switch v.Kind {
	case engine.KindHang:
		t.Deadline = replay.HangTime
	case engine.KindFatal:
		t.Linger = lingerTime
	}
	return t
}
