package executor

import (
	"reflect"
	"slices"
	"unsafe"

	"foray.test/harness/digest"
)

// State implements [engine.Run]. A pointer, map, channel or function is the very value of
// another if both are one reference.
func (x *Executor) State(slots []int32, shape bool) (live []int32, hash uint64, whole bool) {
	values := make([]any, 0, len(slots))
	for _, slot := range slots {
		v := x.vals[slot]
		if isNil(v) || x.state[slot].void || slices.ContainsFunc(values, func(o any) bool { return sameReference(v, o) }) {
			continue
		}
		live, values = append(live, slot), append(values, v)
	}
	digester := x.digester
	if shape {
		if x.shapes == nil {
			x.shapes = digest.New(digest.Limits{MaxNodes: maxNodes, Shape: true})
		}
		digester = x.shapes
	}
	d := digester.Sum(values)
	return live, d.Hash, !d.Truncated
}

// sameReference reports whether two values are one reference.
func sameReference(a, b any) bool {
	t := reflect.TypeOf(a)
	if t != reflect.TypeOf(b) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return (*[2]unsafe.Pointer)(unsafe.Pointer(&a))[1] == (*[2]unsafe.Pointer)(unsafe.Pointer(&b))[1]
	}
	return false
}
