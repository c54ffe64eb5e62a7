package seq

import "slices"

// A Draft is a sequence that grows at its end.
type Draft struct {
	Table *Table
	Steps Sequence
	Types []TypeID // the static type of each slot
}

// NewDraft returns a draft that begins with s. It shares the arguments of s.
func NewDraft(t *Table, s Sequence) Draft {
	return Draft{t, append(make(Sequence, 0, len(s)+8), s...), s.SlotTypes(t)}
}

// Add appends a call of op and returns the slot of its first result.
func (d *Draft) Add(op OpID, args []Arg) int {
	first := len(d.Types)
	d.Steps = append(d.Steps, Step{Op: op, Args: args})
	d.Types = append(d.Types, d.Table.Ops[op].Results...)
	return first
}

// Call appends a call of op with n arguments, which it asks argument for in order.
// argument may append steps of its own. Call reports false, without the call, when
// argument does.
func (d *Draft) Call(op OpID, n int, argument func(i int, want TypeID) (Arg, bool)) bool {
	args := make([]Arg, n)
	for i := range args {
		var ok bool
		if args[i], ok = argument(i, d.Table.Ops[op].Param(i)); !ok {
			return false
		}
	}
	d.Add(op, args)
	return true
}

// Put appends s, a sequence of its own, and returns the slot that its slot 0 becomes.
func (d *Draft) Put(s Sequence) int {
	base := len(d.Types)
	d.Steps = append(d.Steps, s...)
	shift(d.Steps[len(d.Steps)-len(s):], 0, int32(base))
	d.Types = append(d.Types, s.SlotTypes(d.Table)...)
	return base
}

// Truncate removes all steps but the first n.
func (d *Draft) Truncate(n int) {
	d.Types = d.Types[:d.Steps[:n].Slots(d.Table)]
	d.Steps = d.Steps[:n]
}

// Made returns the first result of the last step that is assignable to want.
func (d *Draft) Made(want TypeID) (Arg, bool) {
	results := d.Table.Ops[d.Steps[len(d.Steps)-1].Op].Results
	i := slices.IndexFunc(results, func(made TypeID) bool { return d.Table.AssignableTo(made, want) })
	return Slot(len(d.Types) - len(results) + i), i >= 0
}
