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
	echoes   []bool // by result: the receiver may stand for it
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
	holds    bool           // what is put there may be the receiver, or have it inside
	takes    []seq.TypeID   // literals of these types may stand there
	seen     []*seq.Literal // … that tests of the package hand to it, if the type takes literals
}

// param returns that of argument i.
func (op *opInfo) param(i int) *param { return &op.params[min(i, len(op.params)-1)] }

// joins reports whether argument i of a call may be, or have inside, what the call takes already.
// It has the same slot, or it may be no older than the receiver, by the step in which rootOf says that
// the object in a slot was made. Where each receiver is younger than what is put into it, nothing
// is inside itself.
func (op *opInfo) joins(args []seq.Arg, i int, rootOf func(slot int32) int32) bool {
	if i == 0 || args[i].Lit != nil || !op.param(i).holds {
		return false
	}
	to := &args[0]
	return slices.Contains(args[:i], args[i]) || op.params[0].receiver && to.Lit == nil && rootOf(args[i].Slot) >= rootOf(to.Slot)
}

// mayReturn reports whether result i of a call with args may be its receiver.
func (op *opInfo) mayReturn(args []seq.Arg, i int) bool {
	return op.echoes[i] && args[0].Lit == nil
}

func newOpInfos(t *seq.Table, pool *Pool) []opInfo {
	list, holds := make([]opInfo, len(t.Ops)), holders(t)
	for i := range t.Ops {
		op := &t.Ops[i]
		c := opInfo{params: make([]param, len(op.Params)), results: op.Results, variadic: op.Variadic}
		for j, id := range op.Params {
			c.params[j] = param{
				ty: id, literal: t.Types[id].Literal != seq.NoLiteral, str: t.Types[id].Literal == seq.String, duration: t.Types[id].Duration(), receiver: j == 0 && op.Kind == seq.Method,
				null: pool.Nil(id), takes: pool.Index.Literals[id],
			}
		}
		for j := range c.params {
			p := &c.params[j]
			p.holds = holds[p.ty] || c.params[0].receiver && p.ty == c.params[0].ty
			if len(p.takes) > 1 && !(op.Variadic && j == len(c.params)-1) {
				c.open = append(c.open, j)
			}
		}
		c.echoes = make([]bool, len(c.results))
		for j, r := range c.results {
			c.echoes[j] = len(c.params) > 0 && c.params[0].receiver && (r == c.params[0].ty || t.Types[r].Interface && t.AssignableTo(c.params[0].ty, r))
		}
		list[i] = c
	}
	return list
}

// holders reports of each type whether objects of any type may be put where it is wanted: it is an
// interface, or a slice, array or map of one.
func holders(t *seq.Table) []bool {
	open := map[string]bool{"any": true}
	for i := range t.Types {
		open[t.Types[i].Name] = open[t.Types[i].Name] || t.Types[i].Interface
	}
	list := make([]bool, len(t.Types))
	for i := range t.Types {
		list[i] = t.Types[i].Interface || open[t.Types[i].Elem]
	}
	return list
}
