package engine

import (
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// Fork returns how many steps of s run before two goroutines run the others: up to
// the one that makes the first value that goroutines may share. It is 0 if there is
// none, nothing is called on it afterwards, or what follows is for one goroutine. Values
// that they may not share otherwise they may read by ReadAt, see [ReadsAt].
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
	for i := range s {
		for _, a := range s[i].Args {
			if t.Ops[s[i].Op].API && a.Lit == nil && a.Slot == slot {
				return true
			}
		}
	}
	return false
}

// ReadsAt reports whether the calls of s from a step on are all of ReadAt on a slot, with
// bytes of their own: such calls may run in parallel, as package io documents.
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
	return op.Kind == seq.Method && strings.HasSuffix(op.Member, ".ReadAt") && !op.Alone && len(op.Params) == 3 && len(op.Results) == 2 && op.ReturnsError &&
		t.Types[op.Params[1]].IsBytes() && t.Types[op.Params[2]].Name == "int64"
}

// Meetings returns sequences for two goroutines: for each type whose values they may
// share one that makes a value, followed by the calls of each two methods of the
// type, or ReadAt of any. "Any two" includes one and itself. Arguments are what is nearest at hand.
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
		m := meeting{t: t, pool: pool}
		shared, ok := m.value(ty, meetingDepth)
		if !ok || len(m.steps) == 0 {
			continue
		}
		for i, a := range methods {
			for _, b := range methods[i:] {
				two := m
				two.steps = m.steps.Clone()
				if two.call(a, shared) && (a == b || two.call(b, shared)) {
					list = append(list, two.steps)
				}
			}
		}
	}
	return list
}

// Calls returns, for each function and method of the API that does not wait by design, a
// sequence that calls it. Arguments are what is nearest at hand.
func Calls(t *seq.Table, pool *Pool) []seq.Sequence {
	var list []seq.Sequence
	for i := range t.Ops {
		m := meeting{t: t, pool: pool}
		if op := &t.Ops[i]; !op.API || op.Pre.Blocks || op.Pre.Panics || op.Spread {
			continue
		}
		if _, ok := m.make(seq.OpID(i), meetingDepth); ok {
			list = append(list, m.steps)
		}
	}
	return list
}

// meetingDepth bounds how far what a call takes is made from other calls.
const meetingDepth = 3

func methodsOf(t *seq.Table, ty seq.TypeID) []seq.OpID {
	var list []seq.OpID
	for i := range t.Ops {
		op := &t.Ops[i]
		if op.API && op.Kind == seq.Method && op.Params[0] == ty && !op.Pre.Blocks && !op.Alone && !op.Spread {
			list = append(list, seq.OpID(i))
		}
	}
	return list
}

// meeting is a sequence that grows at its end.
type meeting struct {
	t     *seq.Table
	pool  *Pool
	steps seq.Sequence
	slots int
}

// value returns an argument of type ty, making it if it must.
func (m *meeting) value(ty seq.TypeID, depth int) (seq.Arg, bool) {
	if m.t.Types[ty].Literal != seq.NoLiteral {
		return seq.Lit(m.pool.First(ty)), true
	}
	if depth > 0 {
		for i := range m.t.Ops {
			op := &m.t.Ops[i]
			usable := op.Kind != seq.Method && !op.Zero && !op.Pre.Blocks && !op.Pre.Panics && !op.Spread
			if !usable || len(op.Results) == 0 || !m.t.AssignableTo(op.Results[0], ty) {
				continue
			}
			try := *m
			try.steps = m.steps.Clone()
			if slot, ok := try.make(seq.OpID(i), depth); ok {
				*m = try
				return seq.Slot(slot), true
			}
		}
	}
	if null := m.pool.Nil(ty); null != nil && depth < meetingDepth {
		return seq.Lit(null), true
	}
	return seq.Arg{}, false
}

// make appends a call of op and returns its first result.
func (m *meeting) make(op seq.OpID, depth int) (slot int, ok bool) {
	args, ok := m.arguments(op, 0, depth)
	if !ok {
		return 0, false
	}
	slot = m.slots
	m.append(op, args)
	return slot, true
}

// call appends a call of a method on a value.
func (m *meeting) call(op seq.OpID, on seq.Arg) bool {
	args, ok := m.arguments(op, 1, meetingDepth-1)
	if ok {
		m.append(op, append([]seq.Arg{on}, args...))
	}
	return ok
}

func (m *meeting) arguments(op seq.OpID, from, depth int) ([]seq.Arg, bool) {
	var args []seq.Arg
	for _, p := range m.t.Ops[op].Params[from:] {
		a, ok := m.value(p, depth-1)
		if !ok {
			return nil, false
		}
		args = append(args, a)
	}
	return args, true
}

func (m *meeting) append(op seq.OpID, args []seq.Arg) {
	m.steps = append(m.steps, seq.Step{Op: op, Args: args})
	m.slots += len(m.t.Ops[op].Results)
}
