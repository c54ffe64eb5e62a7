package executor

import (
	"reflect"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/digest"
)

// stateBuffers are of [Executor.State].
type stateBuffers struct {
	live       []int32
	liveValues []any // that are in these slots
}

// State implements [engine.Run]. A pointer, map, channel or function is the very value of
// another if both are one reference.
func (x *Executor) State(slots []int32, o engine.StateOptions) (live []int32, hash uint64, whole bool) {
	live, values := x.live[:0], x.liveValues[:0]
	for _, slot := range slots {
		v := x.vals[slot]
		if isNil(v) || x.state[slot].void || slices.ContainsFunc(values, func(o any) bool { return sameReference(v, o) }) ||
			o.Objects > 0 && x.ofType(live, x.types[slot]) >= o.Objects {
			continue
		}
		live, values = append(live, slot), append(values, v)
	}
	x.live, x.liveValues = live, values
	digester := x.digester
	if o.Shape {
		if x.shapes == nil {
			x.shapes = digest.New(digest.Limits{MaxNodes: maxNodes, Shape: true})
		}
		digester = x.shapes
	}
	d := digester.Sum(&x.liveValues)
	clear(values)
	return live, d.Hash, !d.Truncated
}

// ofType returns how many of the slots are of type ty.
func (x *Executor) ofType(slots []int32, ty seq.TypeID) (n int) {
	for _, slot := range slots {
		if x.types[slot] == ty {
			n++
		}
	}
	return n
}

// sameReference reports whether two values are one reference.
func sameReference(a, b any) bool {
	switch reflect.TypeOf(a).Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return sameWords(a, b)
	}
	return false
}
