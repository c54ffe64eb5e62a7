package seq

import (
	"fmt"
	"slices"
)

// Literal is a value that Go can write down: a basic value or nil. It is immutable
// and shared between sequences.
type Literal struct {
	Type TypeID
	// Value is a bool, int64, uint64, float64, complex128, string, or nil for a
	// typed nil.
	Value any
	// Boxed is Value as the operation takes it, set by the executor.
	Boxed any
	// Pool is the literal's place in the pool that both ends of a worker's
	// protocol hold, plus one; zero for one that is not in the pool.
	Pool uint32
}

// Text returns the value of a literal of text, "" of any other.
func (l *Literal) Text() string {
	text, _ := l.Value.(string)
	return text
}

// Arg is one argument of a step: a literal, or an earlier result by slot.
type Arg struct {
	Lit  *Literal // nil: the argument is a slot
	Slot int32
}

// Slot returns the argument that takes earlier result number n.
func Slot(n int) Arg { return Arg{Slot: int32(n)} }

// Lit returns the argument that takes literal l.
func Lit(l *Literal) Arg { return Arg{Lit: l} }

// Step is one call: an operation and its arguments, receiver first.
type Step struct {
	Op   OpID
	Args []Arg
}

// Sequence is a list of steps. The results of its steps are numbered through as slots,
// which later steps take. It is immutable: edits copy.
type Sequence []Step

// Slots returns the number of slots that the results of s take.
func (s Sequence) Slots(t *Table) int {
	n := 0
	for i := range s {
		n += len(t.Ops[s[i].Op].Results)
	}
	return n
}

// SlotTypes returns the static type of each slot of s.
func (s Sequence) SlotTypes(t *Table) []TypeID {
	types := make([]TypeID, 0, 2*len(s))
	for i := range s {
		types = append(types, t.Ops[s[i].Op].Results...)
	}
	return types
}

// Maker returns the step that slot is a result of. It panics if s has no such slot.
func (s Sequence) Maker(t *Table, slot int32) int {
	left := slot
	for i := range s {
		if left -= int32(len(t.Ops[s[i].Op].Results)); left < 0 {
			return i
		}
	}
	panic(fmt.Sprintf("seq: no slot %d in %d steps", slot, len(s)))
}

// Calls returns how many steps of s are calls of the package under test.
func (s Sequence) Calls(t *Table) int {
	n := 0
	for i := range s {
		if t.Ops[s[i].Op].API {
			n++
		}
	}
	return n
}

// TextBytes returns how many bytes the texts of s have.
func (s Sequence) TextBytes() (n int) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil {
				n += len(a.Lit.Text())
			}
		}
	}
	return n
}

// Clone returns a copy of s that shares nothing with it but literals.
func (s Sequence) Clone() Sequence {
	nargs := 0
	for i := range s {
		nargs += len(s[i].Args)
	}
	args := make([]Arg, 0, nargs)
	c := make(Sequence, len(s))
	for i := range s {
		from := len(args)
		args = append(args, s[i].Args...)
		c[i] = Step{Op: s[i].Op, Args: args[from:len(args):len(args)]}
	}
	return c
}

// Param returns the type that argument i of op is wanted as.
func (op *Operation) Param(i int) TypeID { return op.Params[min(i, op.Fewest())] }

// AllowsNil reports whether the documentation or the body of op deals with a nil as argument i.
func (op *Operation) AllowsNil(i int) bool {
	i = min(i, op.Fewest())
	return i < len(op.Pre.NilOK) && op.Pre.NilOK[i]
}

// Accepts reports whether n arguments are a legal number for op.
func (op *Operation) Accepts(n int) bool {
	return n == len(op.Params) || op.Variadic && n >= op.Fewest()
}

// Fewest returns the fewest arguments that op takes: none for a variadic parameter.
func (op *Operation) Fewest() int {
	if op.Variadic {
		return len(op.Params) - 1
	}
	return len(op.Params)
}

// AssignableTo reports whether a value of static type from may stand where to is wanted.
func (t *Table) AssignableTo(from, to TypeID) bool {
	return from == to || slices.Contains(t.Types[to].Assignable, from)
}

// Check reports the first error of s under t, with its place: step and argument
// number, counted from one.
func (s Sequence) Check(t *Table) error {
	var slots []TypeID
	for i := range s {
		st := &s[i]
		if int(st.Op) >= len(t.Ops) {
			return fmt.Errorf("seq: step %d: operation %d, want less than %d", i+1, st.Op, len(t.Ops))
		}
		op := &t.Ops[st.Op]
		if !op.Accepts(len(st.Args)) {
			return fmt.Errorf("seq: step %d: %s: %d arguments, want %d", i+1, op.Short, len(st.Args), len(op.Params))
		}
		for j, a := range st.Args {
			want := op.Param(j)
			if a.Lit != nil {
				if err := t.checkLiteral(a.Lit, want); err != nil {
					return fmt.Errorf("seq: step %d: %s: argument %d: %w", i+1, op.Short, j+1, err)
				}
				continue
			}
			if a.Slot < 0 || int(a.Slot) >= len(slots) {
				return fmt.Errorf("seq: step %d: %s: argument %d: no value %d", i+1, op.Short, j+1, a.Slot)
			}
			if got := slots[a.Slot]; !t.AssignableTo(got, want) {
				return fmt.Errorf("seq: step %d: %s: argument %d: type %s, want %s", i+1, op.Short, j+1, t.Types[got].Name, t.Types[want].Name)
			}
		}
		slots = append(slots, op.Results...)
	}
	return nil
}

func (t *Table) checkLiteral(l *Literal, want TypeID) error {
	if int(l.Type) >= len(t.Types) || l.Type == 0 {
		return fmt.Errorf("literal of unknown type %d", l.Type)
	}
	if !t.AssignableTo(l.Type, want) {
		return fmt.Errorf("literal of type %s, want %s", t.Types[l.Type].Name, t.Types[want].Name)
	}
	ty, kind := &t.Types[l.Type], KindOf(l.Value)
	if l.Value == nil && !ty.Nilable || l.Value != nil && (kind == NoLiteral || kind != ty.Literal) {
		return fmt.Errorf("literal %v (%T) is not a value of type %s", l.Value, l.Value, ty.Name)
	}
	return nil
}
