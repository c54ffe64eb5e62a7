package confirm

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
)

// Review runs findings again, and calls visit with the run of each. A finding runs in the
// process of those before it. If it does not show there, it runs in a process of its own,
// as it may depend on state that a first call leaves. If it shows in neither, visit gets
// any other finding that showed. After limit Review begins with no other finding, and after most
// it ends the run of the last: a hang runs up to three times.
func Review(ctx context.Context, c replay.Config, list []engine.Finding, limit, most time.Duration, visit func(i int, x replay.Shown)) error {
	outer := ctx
	ctx, cancel := context.WithTimeout(outer, most)
	defer cancel()
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
		if ctx.Err() != nil {
			return outer.Err()
		}
		if err != nil {
			return err
		}
		for _, want := range []engine.Signature{t.Want, {}} {
			if shows(x.Verdict, f.Verdict.Signature) || x.Error != nil {
				break
			}
			t.Want = want
			if alone, _ := runner.Alone(ctx, f.Steps, t); alone.Verdict != nil {
				x = alone
			}
		}
		if ctx.Err() != nil {
			return outer.Err()
		}
		visit(i, x)
	}
	return nil
}

// again returns the trial of a stored finding.
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
