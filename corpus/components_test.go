package corpus

import (
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// Two types and an interface that takes both.
func componentTable() *seq.Table {
	return &seq.Table{Types: []seq.Type{
		{},
		{Name: "*p.A", Assignable: []seq.TypeID{1}},
		{Name: "*p.B", Assignable: []seq.TypeID{2}},
		{Name: "p.I", Interface: true, Assignable: []seq.TypeID{3, 1, 2}},
	}}
}

func steps(n int) seq.Sequence { return make(seq.Sequence, n) }

func TestPickFollowsSubtypes(t *testing.T) {
	c, src := NewComponents(seq.NewTypeIndex(componentTable()), 4), draw.Random(1)
	if c.Has(3) {
		t.Error("an empty set has a component")
	}
	if _, _, ok := c.Pick(src, 3); ok {
		t.Error("an empty set picks a component")
	}
	c.Add(src, 1, Component{Steps: steps(1)})
	c.Add(src, 2, Component{Steps: steps(2)})
	seen := map[int]bool{}
	for range 50 {
		comp, _, ok := c.Pick(src, 3)
		if !ok {
			t.Fatal("nothing to stand for the interface")
		}
		seen[len(comp)] = true
	}
	if !seen[1] || !seen[2] {
		t.Errorf("picked lengths %v, want both implementations", seen)
	}
	if comp, _, ok := c.Pick(src, 1); !ok || len(comp) != 1 {
		t.Errorf("*p.A: got %v %v", comp, ok)
	}
}

func TestCapPrefersShorter(t *testing.T) {
	c, src := NewComponents(seq.NewTypeIndex(componentTable()), 4), draw.Random(1)
	for range 4 {
		c.Add(src, 1, Component{Steps: steps(8)})
	}
	for range 64 {
		c.Add(src, 1, Component{Steps: steps(1)})
	}
	if got := len(c.Of(1)); got != 4 {
		t.Errorf("%d components, want the cap of 4", got)
	}
	for _, comp := range c.Of(1) {
		if len(comp.Steps) != 1 {
			t.Errorf("a component of %d steps survived 64 shorter ones", len(comp.Steps))
		}
	}
}

// Beyond the cap an offer is taken with probability cap/offers.
func TestWantsIsAReservoir(t *testing.T) {
	c, src := NewComponents(seq.NewTypeIndex(componentTable()), 10), draw.Random(1)
	taken := 0
	for range 1000 {
		if c.Wants(src, 1) {
			taken++
			c.Add(src, 1, Component{Steps: steps(1)})
		}
	}
	// 10 + sum of 10/n for n = 11 … 1000, about 56.
	if taken < 35 || taken > 80 {
		t.Errorf("%d of 1000 offers taken, want about 56", taken)
	}
}

func TestEach(t *testing.T) {
	table := &seq.Table{Types: []seq.Type{{}, {Name: "A", Assignable: []seq.TypeID{1}}, {Name: "I", Interface: true, Assignable: []seq.TypeID{1, 2}}}}
	c := NewComponents(seq.NewTypeIndex(table), 8)
	for n := range 3 {
		c.Add(nil, 1, Component{Steps: make(seq.Sequence, n+1), Slot: int32(n)})
	}
	c.Add(nil, 2, Component{Steps: make(seq.Sequence, 9), Slot: 9})
	got := func(wanted seq.TypeID, most int) (slots []int32) {
		c.Each(wanted, func(steps seq.Sequence, slot int32) bool {
			slots = append(slots, slot)
			return len(slots) < most
		})
		return slots
	}
	for _, tt := range []struct {
		wanted seq.TypeID
		most   int
		want   []int32
	}{{1, 9, []int32{2, 1, 0}}, {1, 2, []int32{2, 1}}, {2, 9, []int32{2, 1, 0, 9}}, {2, 4, []int32{2, 1, 0, 9}}} {
		if slots := got(tt.wanted, tt.most); !slices.Equal(slots, tt.want) {
			t.Errorf("at most %d for type %d: slots %v, want %v", tt.most, tt.wanted, slots, tt.want)
		}
	}
}
