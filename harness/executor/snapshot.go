package executor

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A snapshotter is an executor that calls look with a sequence that has run, before
// contracts touch its values.
type snapshotter struct {
	*Executor
	look func(s seq.Sequence)
}

// Begin implements [engine.Executor].
func (st snapshotter) Begin(o engine.RunOptions) engine.Run {
	st.Executor.Begin(o)
	return st
}

// End implements [engine.Run].
func (st snapshotter) End(s seq.Sequence, fresh []int32) engine.Outcome {
	if !st.panicked.set && !st.void && !st.refusedLast(s) {
		st.look(s)
	}
	return st.Executor.End(s, fresh)
}

// Study runs s as [engine.Execute] does and returns the values that it leaves; none if
// it breaks. If like is not nil it is run before, to be compared with.
func (x *Executor) Study(s, like seq.Sequence) (engine.Outcome, *wire.Left) {
	var left *wire.Left
	var before []snapshot
	if like != nil {
		engine.Execute(snapshotter{x, func(s seq.Sequence) { before = x.snapshots(s) }}, x.table, like, engine.RunOptions{Want: engine.Nothing})
	}
	began := time.Now()
	out, _ := engine.Execute(snapshotter{x, func(s seq.Sequence) {
		list := x.snapshots(s)
		left = &wire.Left{Values: classes(list), State: state(list)}
		if like != nil {
			left.Alike = x.alike(list, before)
		}
	}}, x.table, s, engine.RunOptions{})
	if left != nil {
		left.Took = time.Since(began)
	}
	return out, left
}

// A snapshot is a value as it is at the end of a sequence.
type snapshot struct {
	wire.Value
	hash uint64
	v    any
}

// snapshots returns the values of s, after its steps have run, ordered by type and
// digest, equal ones once. It leaves out values that literals can express, and those
// that foray passes in itself: func literals and values of other packages.
func (x *Executor) snapshots(s seq.Sequence) []snapshot {
	var list []snapshot
	slot := 0
	for i := range s {
		op := &x.table.Ops[s[i].Op]
		own := op.Kind != seq.FuncLit && op.Kind != seq.Standard && !op.Outside()
		for _, typ := range op.Results {
			if own && x.table.Types[typ].Literal == seq.NoLiteral && !x.state[slot].void {
				list = append(list, x.snapshot(typ, x.vals[slot]))
			}
			slot++
		}
	}
	slices.SortStableFunc(list, func(a, b snapshot) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.hash, b.hash))
	})
	return slices.CompactFunc(list, func(a, b snapshot) bool { return a.Type == b.Type && a.hash == b.hash })
}

func (x *Executor) snapshot(typ seq.TypeID, v any) snapshot {
	l := snapshot{Value: wire.Value{Type: typ}, v: v}
	d := x.digester.Sum(v)
	l.hash = d.Hash
	switch {
	case isNil(v):
	case d.Truncated:
		l.Size = wire.MaxSize
	default:
		// 1, up to 4, up to 16 … up to 1,024 nodes.
		l.Size = uint8(min(1+(bits.Len(uint(d.Nodes-1))+1)/2, wire.MaxSize))
	}
	return l
}

// classes returns the classes of snapshots, each once, in order.
func classes(list []snapshot) []wire.Value {
	var values []wire.Value
	for _, l := range list {
		if !slices.Contains(values, l.Value) {
			values = append(values, l.Value)
		}
	}
	slices.SortFunc(values, func(a, b wire.Value) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Size, b.Size))
	})
	return values
}

// state returns a hash of snapshots.
func state(list []snapshot) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(len(list))
	for _, l := range list {
		h = bits.RotateLeft64((h^uint64(l.Type))*prime, 31)
		h = bits.RotateLeft64((h^l.hash)*prime, 31)
	}
	return h
}

// alike reports whether each of the values in a equals one in b, and each in b one in a.
// Values are equal if their digests are, or the method Equal of their type says so.
func (x *Executor) alike(a, b []snapshot) bool {
	return x.within(a, b) && x.within(b, a)
}

func (x *Executor) within(a, b []snapshot) bool {
	for _, l := range a {
		equal, ok := x.judge.equal(l.Type)
		if !slices.ContainsFunc(b, func(o snapshot) bool {
			if o.Type != l.Type {
				return false
			}
			return o.hash == l.hash || ok && l.Size > 0 && o.Size > 0 && x.judge.isTrue(equal, l.v, o.v)
		}) {
			return false
		}
	}
	return true
}

// equal returns the operation that compares two values of a type, if there is one.
func (j *judge) equal(typ seq.TypeID) (op seq.OpID, ok bool) {
	for _, c := range j.byType[typ] {
		if c.Name == "equal-reflexive" {
			return c.Op, true
		}
	}
	return 0, false
}

// isTrue reports whether op, called with a and b, returns true.
func (j *judge) isTrue(op seq.OpID, a, b any) bool {
	results, panicked := j.Call(op, a, b)
	if panicked != nil || len(results) != 1 {
		j.x.panicked.set = false // a panic of Equal is no verdict on the run
		return false
	}
	same, ok := results[0].(bool)
	return ok && same
}
