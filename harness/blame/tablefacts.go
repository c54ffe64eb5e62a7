package blame

import (
	"reflect"
	"sync"
	"sync/atomic"

	"foray.test/engine/seq"
)

// tableFacts are the facts about a table that histories ask for at every step. They are kept
// close together: an operation of the table takes eight cache lines, and a type four.
type tableFacts struct {
	basic []bool         // by type
	keeps []atomic.Int32 // by type: two more than what [KeepsError] says of its values; 0 if that is not known, or differs
	ops   []opFacts
}

type opFacts struct {
	kind         seq.Kind
	receiver     bool // see hasReceiver
	returnsError bool
	denies       bool  // the last of several results is a bool
	taints       Taint // of its results, whatever it is given
	traits       atomic.Uint32
	results      []seq.TypeID
	nils         []nilRule // by parameter
}

// A nilRule says which nils given to a parameter are nils that its operation does not deal with.
type nilRule uint8

const (
	noNil   nilRule = iota
	eachNil         // all
	someNil         // all but keys of a map
)

// The traits of an operation, which take longer to find: see [tableFacts.trait].
const (
	traitsKnown = 1 << iota
	traitEnds
	traitDecodes
	traitInitializes
)

// factsByTable has the facts about each table. A process has one; in tests it may grow.
var factsByTable sync.Map

func factsOf(t *seq.Table) *tableFacts {
	if v, known := factsByTable.Load(t); known {
		if f := v.(*tableFacts); len(f.ops) == len(t.Ops) && len(f.basic) == len(t.Types) {
			return f
		}
	}
	f := newTableFacts(t)
	factsByTable.Store(t, f)
	return f
}

func newTableFacts(t *seq.Table) *tableFacts {
	f := &tableFacts{basic: make([]bool, len(t.Types)), keeps: make([]atomic.Int32, len(t.Types)), ops: make([]opFacts, len(t.Ops))}
	for i := range t.Types {
		f.basic[i] = basic(t, seq.TypeID(i))
	}
	for i := range t.Ops {
		op, o := &t.Ops[i], &f.ops[i]
		n := len(op.Results)
		o.kind, o.receiver, o.results, o.returnsError = op.Kind, hasReceiver(op), op.Results, op.ReturnsError && n > 0
		o.denies = n > 1 && t.Types[op.Results[n-1]].Literal == seq.Bool
		if op.Zero {
			o.taints |= TaintZero
		}
		if op.Incomplete {
			o.taints |= TaintNil
		}
		o.nils = make([]nilRule, len(op.Params))
		for j := range o.nils {
			o.nils[j] = nilRuleOf(t, op, j)
		}
	}
	return f
}

func nilRuleOf(t *seq.Table, op *seq.Operation, j int) nilRule {
	switch {
	case plainNil(t, op.Params[j]), op.AllowsNil(j):
		return noNil
	case op.Kind == seq.Composite:
		return someNil
	}
	return eachNil
}

// trait reports whether an operation has a trait.
func (f *tableFacts) trait(t *seq.Table, id seq.OpID, trait uint32) bool {
	o := &f.ops[id]
	have := o.traits.Load()
	if have == 0 {
		op := &t.Ops[id]
		have = traitsKnown
		if Ends(op) {
			have |= traitEnds
		}
		if op.API && hasReceiver(op) && len(op.Params) > 0 && initializes(t, op) {
			have |= traitInitializes
			if Decodes(t, op) {
				have |= traitDecodes
			}
		}
		o.traits.Store(have)
	}
	return have&trait != 0
}

// keptError reports whether v, a value of type id, says by a field that the call that made it failed.
func (f *tableFacts) keptError(t *seq.Table, id seq.TypeID, v any) bool {
	keeps := &f.keeps[id]
	if v == nil || keeps.Load() == 1 {
		return false
	}
	if keeps.Load() == 0 && !t.Types[id].Interface {
		keeps.Store(int32(KeepsError(reflect.TypeOf(v)) + 2))
	}
	return keptError(v)
}
