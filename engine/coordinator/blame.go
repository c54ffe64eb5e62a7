package coordinator

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// How often operations may end workers, each time at the cost of a worker's life:
// after one death an operation, and those of its name but for digits, get small
// literals only, and no nil; after three it is left
// alone, after the first if it waited for ever. Writes to fields and variables,
// which may break any invariant, are left alone after one, all of them after three.
const (
	maxDeaths      = 3
	maxWriteDeaths = 3
	// What alone makes a type is worth more of them: without it there is nothing to
	// call the methods of that type on.
	maxNeededDeaths = 24
)

// hangHolds is how often an operation counts as held back, for the first time that
// it took the process with it by running on or by taking all memory: some hundred
// times as costly as a call that waits.
const hangHolds = 8

// tameSettles is how long workers may take to heed that an operation is tamed.
const tameSettles = 300 * time.Millisecond

// blame counts a death against the operations that may have caused it, and takes
// them out of composition when it comes too often. s is what ran in w, if known.
func (r *run) blame(w *workerState, s seq.Sequence, d worker.Death) {
	if r.config.Spare {
		return
	}
	var l wire.Learn
	switch {
	case d.Thrown():
		// A literal of ours was called by a goroutine where nobody recovers.
		if !r.ownPanics {
			r.ownPanics = true
			l.Ban = r.config.Table.OpsThat(func(op *seq.Operation) bool {
				return op.Kind == seq.FuncLit && strings.Contains(op.Template, engine.Throw)
			})
		}
	case r.blameWrites(s, &l):
	case strings.Contains(d.Stderr, "panic: ") && !d.Hang:
		// A goroutine that the package started; who started it is to blame.
		if member := d.Starter(); member != "" {
			ops := r.config.Table.OpsThat(func(op *seq.Operation) bool { return op.Member == member })
			if len(ops) > 0 && r.needed(ops[0]) {
				// What is small is no remedy, and nothing else is to be had meanwhile.
				r.countNeeded(&l, ops)
				r.leaveAlone(l)
				return
			}
			r.count(w, &l, ops, false)
			l.Held = append(l.Held, r.hold(ops)...)
		}
		if len(l.Ban)+len(l.Tame) == 0 && len(s) > 0 {
			r.count(w, &l, r.config.Table.Instances(s[len(s)-1].Op), false)
		}
	case len(s) > 0:
		ops := r.config.Table.Instances(s[len(s)-1].Op)
		r.count(w, &l, ops, d.Idle)
		if d.Hang || d.Memory || strings.Contains(d.Stderr, "out of memory") {
			l.Held = r.hold(ops)
		}
	}
	r.leaveAlone(l)
}

// blameWrites blames the writes of s, if it has any.
func (r *run) blameWrites(s seq.Sequence, l *wire.Learn) bool {
	isWrite := func(op *seq.Operation) bool {
		return op.Kind == seq.FieldSet || op.Kind == seq.VarSet || engine.Doubtful(r.config.Table, op)
	}
	for i := range s {
		if isWrite(&r.config.Table.Ops[s[i].Op]) {
			l.Ban = append(l.Ban, s[i].Op)
		}
	}
	if len(l.Ban) == 0 {
		return false
	}
	if r.writeDeaths++; r.writeDeaths == maxWriteDeaths {
		l.Ban = r.config.Table.OpsThat(isWrite)
	}
	return true
}

// count counts a death against ops, all instances of one member.
func (r *run) count(w *workerState, l *wire.Learn, ops []seq.OpID, atOnce bool) {
	now, first := time.Now(), false
	for _, id := range ops {
		// What a worker was started with it knows, what it was told since perhaps not yet.
		told := slices.Contains(r.tamed[:w.tamed], id)
		if !told && now.Sub(r.tamedAt[id]) < tameSettles && !atOnce {
			continue
		}
		r.deaths[id]++
		switch {
		case atOnce || r.deaths[id] >= maxDeaths:
			l.Ban = append(l.Ban, id)
		case r.deaths[id] == 1:
			first = true
		}
	}
	if first {
		for _, id := range r.config.Table.SameNameIgnoringDigits(ops[0]) {
			l.Tame = append(l.Tame, id)
			r.tamedAt[id] = now
		}
	}
}

// countNeeded counts a death against ops that are needed.
func (r *run) countNeeded(l *wire.Learn, ops []seq.OpID) {
	for _, id := range ops {
		if r.deaths[id]++; r.deaths[id] >= maxNeededDeaths {
			l.Ban = append(l.Ban, id)
		}
	}
}

// needed reports whether some operation takes a value that only instances of id
// make, as far as its package is prepared for it.
func (r *run) needed(id seq.OpID) bool {
	t := r.config.Table
	made := func(by func(*seq.Operation) bool, ty seq.TypeID) bool {
		return slices.ContainsFunc(t.Ops, func(op seq.Operation) bool {
			return by(&op) && slices.ContainsFunc(op.Results, func(got seq.TypeID) bool { return t.AssignableTo(got, ty) })
		})
	}
	own := func(op *seq.Operation) bool {
		return op.Name == t.Ops[id].Name || op.Member != "" && op.Member == t.Ops[id].Member
	}
	other := func(op *seq.Operation) bool { return !own(op) && op.Kind != seq.Convert && !engine.Doubtful(t, op) }
	for i := range t.Ops {
		for _, ty := range t.Ops[i].Params {
			if t.Types[ty].Literal == seq.NoLiteral && !t.Types[ty].Interface && made(own, ty) && !made(other, ty) {
				return true
			}
		}
	}
	return false
}

// hold has workers hold operations back for longer than before.
func (r *run) hold(ops []seq.OpID) []engine.OpCounts {
	var list []engine.OpCounts
	for _, id := range ops {
		c := &r.ops[id]
		c.Holds = max(c.Holds+1, hangHolds)
		list = append(list, engine.OpCounts{Op: id, Holds: c.Holds})
	}
	return list
}

// leaveAlone tells the workers what is news of l.
func (r *run) leaveAlone(l wire.Learn) {
	l.Ban = slices.DeleteFunc(l.Ban, func(id seq.OpID) bool { return slices.Contains(r.banned, id) })
	l.Tame = slices.DeleteFunc(l.Tame, func(id seq.OpID) bool { return slices.Contains(r.tamed, id) })
	slices.Sort(l.Ban)
	slices.Sort(l.Tame)
	l.Ban, l.Tame = slices.Compact(l.Ban), slices.Compact(l.Tame)
	r.banned, r.tamed = append(r.banned, l.Ban...), append(r.tamed, l.Tame...)
	r.dropEntriesOf(l.Ban)
	if len(l.Ban)+len(l.Tame)+len(l.Held) > 0 {
		r.tell(nil, l)
	}
}

// callers returns those of list that call a member, or all if it is not known.
func (r *run) callers(list []seq.Sequence, member string) []seq.Sequence {
	if member == "" {
		return list
	}
	return slices.DeleteFunc(list, func(s seq.Sequence) bool {
		return !slices.ContainsFunc(s, func(st seq.Step) bool { return r.config.Table.Ops[st.Op].Member == member })
	})
}

// dropEntriesOf takes sequences that call banned operations out of those that
// workers start from.
func (r *run) dropEntriesOf(banned []seq.OpID) {
	if len(banned) == 0 {
		return
	}
	r.entries = slices.DeleteFunc(r.entries, func(e []byte) bool {
		s, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, e)
		return err == nil && slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(banned, st.Op) })
	})
}

// dropEntry takes a sequence that ended a worker out of those that workers start
// from, and reports whether it was among them.
func (r *run) dropEntry(s seq.Sequence) bool {
	var steps []byte // without the count that an entry begins with: s may be the beginning of one
	for i := range s {
		steps = seq.AppendStep(steps, s[i])
	}
	n := len(r.entries)
	r.entries = slices.DeleteFunc(r.entries, func(e []byte) bool {
		_, count := binary.Uvarint(e)
		return bytes.HasPrefix(e[count:], steps)
	})
	return len(r.entries) < n
}
