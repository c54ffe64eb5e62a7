package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// analysis is what became of the analysis build.
type analysis struct {
	spawn worker.Spawn
	err   error
}

// buildAfter is how long a run without entries lasts before the analysis build is
// begun, beside the workers: many packages are covered by then.
const buildAfter = 250 * time.Millisecond

// A worker that ended in the midst of its sequences is followed by one that aims if
// it has run so many sequences in all its lives, or has ended so often: where
// processes end often none gets as far as to be quiet, and one that aims has fuel,
// so that loops without end do not end it. In a run that goes on from entries, which
// have brought it that far before, the first such end is enough.
const (
	aimAfterDeath  = 200
	aimAfterDeaths = 2
)

// repeats reports whether equal seeds are promised equal runs. Then the worker
// waits for the analysis build where it would go on otherwise, so that a history
// does not hang on how long a build takes.
func (r *run) repeats() bool {
	return r.config.Analysis != nil && r.config.Sequences > 0 && len(r.workers) == 1
}

// buildEarly begins the analysis build once it looks as if it will be of use.
func (r *run) buildEarly(ctx context.Context) {
	if r.config.Analysis != nil && !r.building && !r.stopping && (r.resumed() || time.Since(r.began) >= buildAfter) && r.anyFrontier() {
		r.build(ctx)
	}
}

// resumed reports whether the run goes on from what earlier ones have kept.
func (r *run) resumed() bool { return len(r.config.Entries) > 0 }

// anyFrontier reports whether there is a side to aim at.
func (r *run) anyFrontier() bool {
	return len(coverage.Frontier(r.config.Conditions, r.covered)) > 0
}

func (r *run) build(ctx context.Context) {
	r.building = true
	r.builds.Go(func() {
		s, err := r.config.Analysis(ctx)
		r.built <- analysis{s, err}
	})
}

// takeAnalysis takes in the analysis build, or that there is none.
func (r *run) takeAnalysis(ctx context.Context, a analysis) {
	if a.err != nil {
		if ctx.Err() == nil {
			r.config.Report.Note(fmt.Sprintf("no analysis build, so nothing aims at the frontier: %v", a.err))
		}
	} else {
		r.aiming = &a.spawn
		r.tell(nil, wire.Learn{UntilQuiet: true})
	}
	for _, w := range r.workers {
		if w.waits {
			w.waits, w.aims = false, a.err == nil
			r.replace(ctx, w)
		}
	}
}

// replace starts the next process of w, or has it wait for the analysis build.
func (r *run) replace(ctx context.Context, w *workerState) {
	switch {
	case !w.aims:
	case r.aiming == nil && !r.anyFrontier():
		w.aims, w.composes = false, true
	case r.aiming == nil:
		if w.waits = true; !r.building {
			r.build(ctx)
		}
		return
	case r.aimedFrom == nil:
		r.aimedFrom = r.covered.Clone()
	}
	if err := r.start(ctx, w); err != nil && ctx.Err() == nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d is gone: %v", w.index, err))
	}
}

// sides returns what is known of the sides of the frontier, in order.
func (r *run) sides() []engine.Side {
	return slices.SortedFunc(maps.Values(r.frontier), func(a, b engine.Side) int { return int(a.Side - b.Side) })
}

// countTurns counts the turns whose outcome a process did not live to tell: what ends
// processes is not to be tried first, again and again.
func (r *run) countTurns(w *workerState) {
	for _, side := range w.turns {
		s, known := r.frontier[side]
		if !known {
			s = engine.Side{Side: side, Status: engine.SideTried}
		}
		s.Turns++
		r.frontier[side] = s
	}
	w.turns = nil
}

// takeSides takes in what a worker tells of sides: what is flipped stays so, and
// of two that tried the one that tried more knows better.
func (r *run) takeSides(sides []engine.Side) {
	for _, s := range sides {
		old, known := r.frontier[s.Side]
		if !known || old.Status != engine.SideFlipped && (s.Status == engine.SideFlipped || s.Turns >= old.Turns) {
			r.frontier[s.Side] = s
		}
	}
}
