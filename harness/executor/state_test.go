package executor

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// State tells sharing from equality, and leaves out nil and second references.
func TestState(t *testing.T) {
	type node struct{ next *node }
	a, b := &node{}, &node{}
	x := newFixture(t, 1, 1, engine.Params{}).exec
	state := func(values ...any) ([]int32, uint64) {
		x.vals, x.state = values, make([]slotState, len(values))
		var slots []int32
		for i := range values {
			slots = append(slots, int32(i))
		}
		live, hash, whole := x.State(slots, engine.StateOptions{})
		if !whole {
			t.Errorf("State(%v) is not whole", values)
		}
		return live, hash
	}
	live, one := state(a)
	if !slices.Equal(live, []int32{0}) {
		t.Errorf("live %v, want slot 0", live)
	}
	if live, hash := state(a, (*node)(nil), a); hash != one || !slices.Equal(live, []int32{0}) {
		t.Errorf("live %v, want slot 0 and the state of one node", live)
	}
	_, two := state(a, b)
	if _, other := state(b, a); two == one || other != two {
		t.Error("two nodes: want another state than of one, in any order")
	}
	_, linked := state(&node{next: a}, a)
	if _, apart := state(&node{next: b}, a); linked == apart {
		t.Error("a node that is shared and one that is not: equal states")
	}
	x.vals, x.state, x.types = []any{a, b, 1}, make([]slotState, 3), []seq.TypeID{1, 1, 2}
	if live, _, _ := x.State([]int32{0, 1, 2}, engine.StateOptions{Objects: 1}); !slices.Equal(live, []int32{0, 2}) {
		t.Errorf("live %v, want the first slot of each type", live)
	}
	type item struct{ value int }
	shape := func(value any) uint64 {
		x.vals, x.state = []any{value}, make([]slotState, 1)
		_, hash, _ := x.State([]int32{0}, engine.StateOptions{Shape: true})
		return hash
	}
	if shape(&item{1}) != shape(&item{2}) || shape([]int{1}) == shape([]int{1, 2}) {
		t.Error("shapes: want equal ones of items, and different ones of slices")
	}
	long := &node{}
	for range 2 * maxNodes {
		long = &node{next: long}
	}
	x.vals, x.state = []any{long}, make([]slotState, 1)
	if _, _, whole := x.State([]int32{0}, engine.StateOptions{}); whole {
		t.Error("a state beyond the limit is whole")
	}
}
