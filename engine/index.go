package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// An index lists the makers of each type that operations take.
type index struct {
	makers [][]seq.OpID   // by wanted type: operations with results that may stand there, but disabled ones
	wanted [][]seq.TypeID // by result type: parameter types it may stand for
}

// newIndex returns the index of a table, of which x is the index of types.
func newIndex(t *seq.Table, x *seq.TypeIndex) index {
	in := index{makers: make([][]seq.OpID, len(t.Types)), wanted: x.Wanted}
	for to, isParam := range x.IsParam {
		if isParam {
			in.makers[to] = slices.Clone(x.Makers[to])
		}
	}
	return in
}

// Doubtful reports whether op makes a value that its package may not expect. That is the
// zero value of a type that offers a constructor, or a literal with pointers set, such as
// a tree put together from another's nodes.
func Doubtful(t *seq.Table, op *seq.Operation) bool {
	if op.Kind != seq.Composite {
		return false
	}
	return op.Zero || slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return t.Types[p].IsPointer() })
}
