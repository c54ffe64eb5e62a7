package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// analysis is the state of the analysis build, and of the frontier that it aims at.
type analysis struct {
	builds   sync.WaitGroup
	built    chan build
	building bool          // it has been asked for
	spawn    *worker.Spawn // nil until it is built
	from     *coverage.Set // the sides covered when a worker first aimed; nil if none has
	frontier map[int32]engine.Side
}

// A build is the result of building.
type build struct {
	spawn worker.Spawn
	err   error
}

// repeats reports whether equal seeds must give equal runs, so that no clock may decide
// on the history.
func (r *run) repeats() bool { return r.config.Sequences > 0 && len(r.slots) == 1 }

// awaits reports whether the worker waits for the analysis build. Then the history does
// not depend on how long the build takes.
func (r *run) awaits() bool { return r.config.Analysis != nil && r.repeats() }

// buildEarly begins the analysis build when it is likely to be used.
func (r *run) buildEarly(ctx context.Context) {
	if r.config.Analysis != nil && !r.analysis.building && !r.stopping && (r.resumed() || time.Since(r.began) >= buildAfter) && r.anyFrontier() {
		r.build(ctx)
	}
}

// resumed reports whether the run starts from the entries of earlier ones.
func (r *run) resumed() bool { return len(r.config.Entries) > 0 }

// anyFrontier reports whether there is a side to aim at.
func (r *run) anyFrontier() bool {
	return len(coverage.Frontier(r.config.Conditions, r.archive.covered)) > 0
}

func (r *run) build(ctx context.Context) {
	r.analysis.building = true
	r.analysis.builds.Go(func() {
		s, err := r.config.Analysis(ctx)
		r.analysis.built <- build{s, err}
	})
}

// takeAnalysis has workers use the analysis build, if it succeeded.
func (r *run) takeAnalysis(ctx context.Context, b build) {
	if b.err != nil {
		r.config.Analysis = nil
		if ctx.Err() == nil {
			r.config.Report.Note(fmt.Sprintf("no analysis build, so nothing aims at the frontier: %v", b.err))
		}
	} else {
		r.analysis.spawn = &b.spawn
		c := r.config.Config
		c.Spawn = b.spawn
		r.confirms.Analyze(c)
		if !r.awaits() { // or else those that are to end know
			r.tell(nil, wire.Learn{UntilQuiet: true})
		}
	}
	for _, w := range r.slots {
		if w.waits {
			w.waits, w.aims = false, b.err == nil
			r.replace(ctx, w)
		}
	}
}

// replace starts the next process of w, or has it wait for the analysis build.
func (r *run) replace(ctx context.Context, w *slot) {
	switch {
	case !w.aims:
	case (r.analysis.spawn == nil || r.awaits()) && !r.anyFrontier():
		w.aims, w.composes = false, true
	case r.analysis.spawn == nil:
		w.ended = time.Time{} // it waits for a build, not for its process
		if w.waits = true; !r.analysis.building {
			r.build(ctx)
		}
		return
	case r.analysis.from == nil:
		r.analysis.from = r.archive.covered.Clone()
	}
	if err := r.start(ctx, w); err != nil && ctx.Err() == nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d is gone: %v", w.index, err))
	}
}

// sides returns the state of the sides of the frontier, in order.
func (a *analysis) sides() []engine.Side {
	return slices.SortedFunc(maps.Values(a.frontier), func(a, b engine.Side) int { return int(a.Side - b.Side) })
}

// countAttempts counts the attempts at sides that a process did not live to report. A
// side must not come first again and again if attempts at it end processes.
func (a *analysis) countAttempts(sides []int32) {
	for _, side := range sides {
		s, known := a.frontier[side]
		if !known {
			s = engine.Side{Side: side, Status: engine.SideTried}
		}
		s.Turns++
		s.Price++
		a.frontier[side] = s
	}
}

// takeSides merges the state of sides that a worker reports. A flipped side stays so; of
// two states the one after more attempts wins.
func (a *analysis) takeSides(sides []engine.Side) {
	for _, s := range sides {
		old, known := a.frontier[s.Side]
		if !known || old.Status != engine.SideFlipped && (s.Status == engine.SideFlipped || s.Turns >= old.Turns) {
			a.frontier[s.Side] = s
		}
	}
}
