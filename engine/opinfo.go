package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// An opInfo holds the facts about an operation that composition needs, close together:
// the table's entry spreads over five cache lines.
type opInfo struct {
	params   []param
	results  []seq.TypeID
	variadic bool
	open     []int // which parameters are interfaces that literals of several types go into
}

// param holds the facts about a parameter that composition needs.
type param struct {
	ty       seq.TypeID
	literal  bool           // the type takes literals
	str      bool           // … of text
	duration bool           // … of time
	receiver bool           // never nil, preferably a live slot
	null     *seq.Literal   // nil if it cannot be nil
	open     bool           // an interface
	takes    []seq.TypeID   // literals of these types may stand there
	seen     []*seq.Literal // … that tests of the package hand to it, if the type takes literals
}

// param returns that of argument i.
func (op *opInfo) param(i int) *param { return &op.params[min(i, len(op.params)-1)] }

// joins reports whether argument i of a call may be, as an interface, what the call takes already: it
// has the same slot, or the receiver has its type. Methods that return their receiver fill more
// slots with it. typeOf returns the type of a slot.
func (op *opInfo) joins(args []seq.Arg, i int, typeOf func(slot int32) seq.TypeID) bool {
	if i == 0 || args[i].Lit != nil || !op.param(i).open {
		return false
	}
	to := &args[0]
	return slices.Contains(args[:i], args[i]) || op.params[0].receiver && to.Lit == nil && typeOf(to.Slot) == typeOf(args[i].Slot)
}

func newOpInfos(t *seq.Table, pool *Pool) []opInfo {
	list := make([]opInfo, len(t.Ops))
	for i := range t.Ops {
		op := &t.Ops[i]
		c := opInfo{params: make([]param, len(op.Params)), results: op.Results, variadic: op.Variadic}
		for j, id := range op.Params {
			c.params[j] = param{
				ty: id, literal: t.Types[id].Literal != seq.NoLiteral, str: t.Types[id].Literal == seq.String, duration: t.Types[id].Duration(), receiver: j == 0 && op.Kind == seq.Method,
				null: pool.Nil(id), open: t.Types[id].Interface, takes: pool.Index.Literals[id],
			}
		}
		for j := range c.params {
			if len(c.params[j].takes) > 1 && !(op.Variadic && j == len(c.params)-1) {
				c.open = append(c.open, j)
			}
		}
		list[i] = c
	}
	return list
}
