// Package versions compares two versions of a package: it runs the same sequences on
// both and reports what callers can see of the difference, each cause once, minimized
// and shown again in fresh processes. What differs in a run is engine/difference's
// matter.
package versions

import (
	"context"
	"slices"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Config says which two versions to compare. Both have workers of one table.
type Config struct {
	Old, New   worker.Spawn
	Table      *seq.Table
	Pool       *engine.Pool
	Seed       uint64
	Params     engine.Params
	Duration   time.Duration
	Sequences  uint64         // end once so many were run; zero: no bound
	Plateau    bool           // end once there is nothing new: see [engine.Plateau]
	Entries    []seq.Sequence // to begin with
	Dropped    []seq.OpID     // operations that one of the workers was built without
	JudgeDeath func(s seq.Sequence, d worker.Death) engine.Verdict
	// Changed holds by member, without the star of its receiver, the declarations that
	// differ between the versions and that it reaches. What differs because of the same
	// ones is reported once.
	Changed map[string][]string
	Report  Reporter
}

// A Reporter is told what happens, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Difference(Cause) // in the end: a cause that was found late may have shown before
	Warn(msg string)
	Note(msg string) // for who wants to know it all
}

// A Difference is a sequence in which two versions behave differently, minimized
// and shown again in fresh processes.
type Difference struct {
	difference.Difference
	Op       seq.OpID     // to blame: what the sequence does last, or what brought about what the last call shows
	SeenBy   []seq.OpID   // if not Op itself: calls that show the difference
	Steps    seq.Sequence // minimized
	Original seq.Sequence
	Before   difference.Run // of Steps
	After    difference.Run
}

// Snapshot is the state of a comparison.
type Snapshot struct {
	Elapsed     time.Duration
	Sequences   uint64 // run on both sides
	Steps       uint64
	Mismatches  uint64 // told by the workers
	Differences int
	Unstable    int // operations that do not repeat themselves
	Deaths      int
	Pending     int // mismatches that wait to be looked at
}

// Result is what a comparison came to.
type Result struct {
	Snapshot
	Unstable []seq.OpID
	Flaky    int // differences that fresh processes did not show
	CPU      time.Duration
	Stopped  string // why it ended: "time", "sequences", "plateau", "interrupted", "no worker left"
}

// Compare runs sequences on two versions until the time is up or ctx is done, in
// which case what was found is still reported. Each side composes and each runs
// what the other composed; mismatches are looked at step by step, beside that, in
// two processes of their own.
func Compare(ctx context.Context, c Config) (*Result, error) {
	d := &comparison{
		config: c, began: time.Now(), requests: make(chan request), results: make(chan result), policy: restrict.New(c.Table),
		queue: queue{tries: map[uint64]int{}, examined: map[uint64]int{}}, found: map[string]bool{},
		causes: causes{table: c.Table, changed: c.Changed},
	}
	d.learn.Disable = d.policy.Disable(append(slices.Clone(c.Dropped), leftOut(c.Table)...)...).Disable
	for _, s := range c.Entries {
		if !calls(s, d.learn.Disable) {
			d.learn.Entries = append(d.learn.Entries, seq.AppendBinary(nil, s))
		}
	}
	for i, sp := range []worker.Spawn{c.Old, c.New} {
		d.peers[i] = &peer{c: d, index: i, spawn: sp, batch: batchSequences}
		if err := d.peers[i].start(ctx); err != nil {
			d.end()
			return nil, err
		}
	}
	x := newExaminer(c)
	defer x.close()
	go x.serve(d.requests, d.results)
	reason := d.loop(ctx)
	d.end()
	d.drain(ctx, reason)
	close(d.requests)
	for _, cause := range d.causes.list {
		c.Report.Difference(*cause)
	}
	return &Result{Snapshot: d.snapshot(), Unstable: d.learn.Unstable, Flaky: d.flaky, CPU: d.cpu + x.cpu(), Stopped: reason}, nil
}

// leftOut lists the operations that are not to be compared: those that can do
// nothing but change what the package keeps between calls, such as its variables,
// for with them what a sequence shows would hang on those that the process ran
// before; and those of package reflect, which see how values are laid out.
func leftOut(t *seq.Table) []seq.OpID {
	var list []seq.OpID
	for i := range t.Ops {
		op := &t.Ops[i]
		out := op.Kind == seq.VarSet
		if op.Kind == seq.Func && len(op.Results) == 0 {
			out = !slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return t.Types[p].Literal == seq.NoLiteral })
		}
		if out || slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return strings.HasPrefix(t.Types[p].Name, "reflect.") }) {
			list = append(list, seq.OpID(i))
		}
	}
	return list
}

// calls reports whether s has a step of one of ops.
func calls(s seq.Sequence, ops []seq.OpID) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(ops, st.Op) })
}
