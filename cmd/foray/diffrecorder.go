package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/versions"
	"foray.test/harness/emit"
)

// Progress implements [versions.Reporter].
func (r *diffRecorder) Progress(s versions.Snapshot) {
	if !r.names.Markdown || r.out.Live() {
		r.out.Progress(s.Elapsed, func() string { return event.DiffProgress(s) }, nil)
	}
}

// removed prints an operation that the new version lacks, or has with another signature.
func (r *diffRecorder) removed(g gone) {
	r.sum.Differences++
	r.sum.Classes[difference.Removed]++
	r.out.Print(&event.Difference{
		Package: r.c.old.target.Path, Operation: g.Member, Class: difference.Removed,
		Old: g.Old, New: cmp.Or(g.New, "removed"), Test: g.Test, Versions: r.names,
	})
}

// Difference implements [versions.Reporter]. It prints the difference, and in JSON also the
// others that have the same cause.
func (r *diffRecorder) Difference(d versions.Cause) {
	t := r.c.old.table
	r.sum.Differences++
	r.sum.Classes[d.Class]++
	r.sum.SameCause += len(d.Also)
	e := r.event(&d.Difference)
	for _, f := range d.Also {
		if name := operationName(t, f.Op); !slices.Contains(e.AlsoAt, name) {
			e.AlsoAt = append(e.AlsoAt, name)
		}
	}
	var keep []int32
	if d.Place == difference.InSlot {
		keep = []int32{int32(d.Index)}
	}
	e.Code = emit.Statements(t, d.Steps, keep...)
	r.out.Print(e)
	for i := range d.Also {
		also := r.event(&d.Also[i])
		also.SameCauseAs = e.Operation
		r.out.Print(also)
	}
}

// event returns the event of a difference.
func (r *diffRecorder) event(d *versions.Difference) *event.Difference {
	t := r.c.old.table
	named := emit.Versions{Old: cmp.Or(r.c.old.version, r.c.oldName), New: cmp.Or(r.c.new.version, r.c.newName)}
	test, err := emit.Difference(t, d.Steps, d.Difference, d.Op, d.Before, d.After, named, emit.Options{
		Package: r.c.old.target.Name, Raise: r.c.old.target.Below(emit.Language) || r.c.new.target.Below(emit.Language),
	})
	if err != nil {
		r.Note(fmt.Sprintf("%s of %s: no test: %v", d.Class, t.Ops[d.Op].Short, err))
	}
	e := &event.Difference{
		Package: r.c.old.target.Path, Operation: operationName(t, d.Op), Class: d.Class, Where: d.Where(),
		Steps: d.Steps.Calls(t), OriginalSteps: d.Original.Calls(t), Sequence: t.String(d.Steps),
		Old: d.Old.String(), New: d.New.String(), Test: string(test), Versions: r.names,
	}
	if len(d.SeenBy) > 0 {
		e.SeenBy = operationNames(t, d.SeenBy)
	}
	return e
}

// done prints the end of a comparison.
func (r *diffRecorder) done(res *versions.Result, elapsed time.Duration) {
	s := &r.sum
	s.Sequences, s.Operations, s.Snapshot, s.Ended = res.Sequences, res.Steps, res.Snapshot, res.Stopped
	s.Unstable, s.Flaky = operationNames(r.c.old.table, res.Unstable), res.Flaky
	s.CPUSeconds, s.WallSeconds = event.Seconds(res.CPU), event.Seconds(elapsed)
	r.out.Print(s)
}

// operationName returns the name of an operation. An exported function or method goes by its
// name alone.
func operationName(t *seq.Table, op seq.OpID) string {
	return cmp.Or(t.Ops[op].Member, t.Ops[op].Short)
}

// operationNames returns the names of operations, each once.
func operationNames(t *seq.Table, ops []seq.OpID) []string {
	list := []string{}
	for _, id := range ops {
		if name := operationName(t, id); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
