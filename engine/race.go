package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// Fork returns how many steps of s run before two goroutines run the others: those up to
// the first value that goroutines may share. It is 0 if there is no such value, no call
// takes it afterwards, or only one goroutine may make these calls. Goroutines may call
// ReadAt on any value, see [ReadsAt].
func Fork(t *seq.Table, s seq.Sequence) int {
	slot := int32(0)
	last := -1 // step that must be over before
	for i := range s {
		if t.Ops[s[i].Op].Alone || t.Ops[s[i].Op].Kind == seq.FieldSet || t.Ops[s[i].Op].Kind == seq.VarSet {
			last = i
		}
	}
	for i := range s {
		for _, r := range t.Ops[s[i].Op].Results {
			from := max(i, last) + 1
			if t.Types[r].Shared != "" && usedBy(t, s[from:], slot) || ReadsAt(t, s, from, slot) {
				return from
			}
			slot++
		}
	}
	return 0
}

// usedBy reports whether a call of the API takes slot.
func usedBy(t *seq.Table, s seq.Sequence, slot int32) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return t.Ops[st.Op].API && st.Takes(slot) })
}

// ReadsAt reports whether all calls of s from step from on are of ReadAt on slot, each
// with its own bytes. Package io documents that such calls may run in parallel.
func ReadsAt(t *seq.Table, s seq.Sequence, from int, slot int32) bool {
	made := int32(s[:from].Slots(t))
	reads := false
	for i := from; i < len(s); i++ {
		switch op := &t.Ops[s[i].Op]; {
		case op.API:
			if !parallel(t, op) {
				return false
			}
			if on, p := s[i].Args[0], s[i].Args[1]; on.Lit != nil || on.Slot != slot || p.Lit != nil || p.Slot < made {
				return false
			}
			reads = true
		case op.Kind != seq.Elements && op.Kind != seq.Convert && op.Kind != seq.Const:
			return false
		}
	}
	return reads
}

// parallel reports whether op is the method of an io.ReaderAt.
func parallel(t *seq.Table, op *seq.Operation) bool {
	return op.Kind == seq.Method && op.Base == "ReadAt" && !op.Alone && len(op.Params) == 3 && len(op.Results) == 2 && op.ReturnsError &&
		t.Types[op.Params[1]].IsBytes() && t.Types[op.Params[2]].Is("", "int64")
}

// Meetings returns sequences for two goroutines. For each type that goroutines may share
// one makes a value and calls two of the type's methods on it, for each two methods, a
// method with itself included. For other types the methods are those of [parallel].
//
// Running suffixes of sequences against each other is the idea of [Pacheco09 §9.2.4].
func Meetings(t *seq.Table, pool *Pool) []seq.Sequence {
	var list []seq.Sequence
	for id := range t.Types {
		ty := seq.TypeID(id)
		methods := methodsOf(t, ty)
		if t.Types[id].Shared == "" {
			methods = slices.DeleteFunc(methods, func(m seq.OpID) bool { return !parallel(t, &t.Ops[m]) })
		}
		if len(methods) == 0 {
			continue
		}
		d := simplest{seq.NewDraft(t, nil), pool}
		shared, ok := d.value(ty, simplestDepth)
		if !ok || len(d.Steps) == 0 {
			continue
		}
		made := len(d.Steps)
		for i, a := range methods {
			for _, b := range methods[i:] {
				if d.call(a, simplestDepth-1, shared) && (a == b || d.call(b, simplestDepth-1, shared)) {
					list = append(list, d.Steps.Clone())
				}
				d.Truncate(made)
			}
		}
	}
	return list
}

// Calls returns, for each function and method of the API that does not wait by design, a
// sequence that calls it with the simplest arguments.
func Calls(t *seq.Table, pool *Pool) []seq.Sequence {
	var list []seq.Sequence
	for i := range t.Ops {
		if op := &t.Ops[i]; !op.API || op.Pre.Blocks || op.Pre.Panics || op.Spread {
			continue
		}
		d := simplest{seq.NewDraft(t, nil), pool}
		if d.call(seq.OpID(i), simplestDepth) {
			list = append(list, d.Steps)
		}
	}
	return list
}

func methodsOf(t *seq.Table, ty seq.TypeID) []seq.OpID {
	return t.OpsThat(func(op *seq.Operation) bool {
		return op.API && op.Kind == seq.Method && op.Params[0] == ty && !op.Pre.Blocks && !op.Alone && !op.Spread
	})
}

// simplest is a draft with the simplest arguments.
type simplest struct {
	seq.Draft
	pool *Pool
}

// value returns the simplest argument of type ty: a literal, the result of the first
// operation with obtainable arguments, or nil.
func (d *simplest) value(ty seq.TypeID, depth int) (seq.Arg, bool) {
	if d.Table.Types[ty].Literal != seq.NoLiteral {
		return seq.Lit(d.pool.First(ty)), true
	}
	if depth > 0 {
		before := len(d.Steps)
		for _, id := range d.pool.Index.Makers[ty] {
			op := &d.Table.Ops[id]
			if op.Kind == seq.Method || op.Zero || op.Pre.Blocks || op.Pre.Panics || op.Spread || !d.Table.AssignableTo(op.Results[0], ty) {
				continue
			}
			if d.call(id, depth) {
				return d.Made(ty)
			}
			d.Truncate(before)
		}
	}
	null := d.pool.Nil(ty)
	return seq.Arg{Lit: null}, null != nil && depth < simplestDepth
}

// call adds a call of op with the given first arguments and the simplest others.
func (d *simplest) call(op seq.OpID, depth int, first ...seq.Arg) bool {
	return d.Call(op, len(d.Table.Ops[op].Params), func(i int, want seq.TypeID) (seq.Arg, bool) {
		if i < len(first) {
			return first[i], true
		}
		return d.value(want, depth-1)
	})
}
