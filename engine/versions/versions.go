// Package versions compares two versions of a package. It runs the same sequences on both
// and reports the differences that callers can see, each cause once, minimized and
// confirmed in fresh processes. Package difference compares the runs.
package versions

import (
	"context"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Config says which two versions to compare. Their workers have the same table.
type Config struct {
	Old, New   worker.Spawn
	Table      *seq.Table
	Pool       *engine.Pool
	Seed       uint64
	Duration   time.Duration
	Sequences  uint64         // end after so many; zero: no bound
	Plateau    bool           // end on a plateau: see [engine.Plateau]
	Entries    []seq.Sequence // to begin with
	Dropped    []seq.OpID     // operations that one of the workers was built without
	JudgeDeath func(s seq.Sequence, d worker.Death) engine.Verdict
	// Changed lists, for each member without the star of its receiver, the declarations
	// that it reaches and that differ between the versions. Differences with the same list
	// are reported once.
	Changed map[string][]string
	Report  Reporter
}

// A Reporter is told of events, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Difference(Cause) // in the end: a cause that was found late may have shown before
	Warn(msg string)
	Note(msg string) // details
}

// A Difference is a sequence in which two versions behave differently, minimized and
// confirmed in fresh processes.
type Difference struct {
	difference.Difference
	Op       seq.OpID     // the operation to blame: the last call, or an earlier one that changed its operand
	SeenBy   []seq.OpID   // calls that show the difference, if not Op itself
	Steps    seq.Sequence // minimized
	Original seq.Sequence
	Before   difference.Run // of Steps
	After    difference.Run
}

// Snapshot is the state of a comparison.
type Snapshot struct {
	Elapsed     time.Duration
	Sequences   uint64 // run in both versions
	Steps       uint64
	Differences int
	Unstable    int // operations that do not repeat themselves
	Deaths      int
	Pending     int // mismatches that wait to be examined
}

// Result is the outcome of a comparison.
type Result struct {
	Snapshot
	Unstable []seq.OpID
	Flaky    int // differences that fresh processes did not confirm
	CPU      time.Duration
	Stopped  string // why it ended: "time", "sequences", "plateau", "interrupted", "no worker left"
}

// Compare runs sequences on two versions until the time is up or ctx is done. Even then it
// reports the differences so far. The worker of each version composes sequences, and runs
// those of the other. Beside that, two more processes examine mismatches step by step.
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

// leftOut lists the operations that are not compared. Some can only change the state that
// the package keeps between calls, such as its variables: with them the results of a
// sequence would depend on earlier sequences. Others take types of package reflect, and
// see how values are laid out.
func leftOut(t *seq.Table) []seq.OpID {
	var list []seq.OpID
	for i := range t.Ops {
		op := &t.Ops[i]
		out := op.Kind == seq.VarSet
		if op.Kind == seq.Func && len(op.Results) == 0 {
			out = !slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return t.Types[p].Literal == seq.NoLiteral })
		}
		if out || slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return t.Types[p].Path == "reflect" && !t.Types[p].IsPointer() }) {
			list = append(list, seq.OpID(i))
		}
	}
	return list
}

// calls reports whether s has a step of one of ops.
func calls(s seq.Sequence, ops []seq.OpID) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(ops, st.Op) })
}
