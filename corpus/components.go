package corpus

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A Component is a kept sequence that may supply an argument: run, it leaves a
// value of a known type in Slot.
type Component struct {
	Steps seq.Sequence
	Slot  int32
	Seed  bool // a test of the package makes the value so
}

// Components is the component set: kept sequences indexed by the exact type they
// yield, the sequence map of [Pacheco09 §7.6]. Components are copies: a prefix shared
// with the sequence it comes from would pin that in memory.
type Components struct {
	index    *seq.TypeIndex
	perType  int
	byType   [][]Component
	added    []int          // by type: how many were offered, for the reservoir
	yielders [][]seq.TypeID // by wanted type: the assignable types that have a component
}

// NewComponents returns an empty set for the types of a table. It holds at most perType
// components of each type.
func NewComponents(x *seq.TypeIndex, perType int) *Components {
	n := len(x.Table.Types)
	return &Components{index: x, perType: perType, byType: make([][]Component, n), added: make([]int, n), yielders: make([][]seq.TypeID, n)}
}

// Wants reports whether to take an offered component of type ty. Below the cap
// it always does, then with falling probability, so that the set stays a fair
// sample of all offers. Callers ask before they build a component.
func (c *Components) Wants(src *draw.Source, ty seq.TypeID) bool {
	c.added[ty]++
	if len(c.byType[ty]) < c.perType {
		return true
	}
	return src.Choose("component kept", c.added[ty]) < c.perType
}

// Add keeps a component of type ty, which must not be changed afterwards. At the
// cap it takes the place of another, of two the longer.
func (c *Components) Add(src *draw.Source, ty seq.TypeID, comp Component) {
	list := c.byType[ty]
	if len(list) < c.perType {
		if len(list) == 0 {
			for _, to := range c.index.StandsFor[ty] {
				c.yielders[to] = append(c.yielders[to], ty)
			}
		}
		c.byType[ty] = append(list, comp)
		return
	}
	i, j := src.Choose("component dropped", len(list)), src.Choose("component dropped", len(list))
	if len(list[j].Steps) > len(list[i].Steps) {
		i = j
	}
	list[i] = comp
}

// Has reports whether some component may supply a value where wanted stands.
func (c *Components) Has(wanted seq.TypeID) bool { return len(c.yielders[wanted]) > 0 }

// Pick returns the parts of what Draw returns.
func (c *Components) Pick(src *draw.Source, wanted seq.TypeID) (steps seq.Sequence, slot int32, ok bool) {
	comp, ok := c.Draw(src, wanted)
	return comp.Steps, comp.Slot, ok
}

// Draw draws a component that may supply a value where wanted stands, of two the
// shorter. It reports false when there is none.
func (c *Components) Draw(src *draw.Source, wanted seq.TypeID) (comp Component, ok bool) {
	from := c.yielders[wanted]
	if len(from) == 0 {
		return Component{}, false
	}
	list := c.byType[from[src.Choose("component type", len(from))]]
	a := list[src.Choose("component", len(list))]
	b := list[src.Choose("component", len(list))]
	if len(b.Steps) < len(a.Steps) {
		a = b
	}
	return a, true
}

// Each calls f with the components that may supply a value where wanted stands, the
// latest of a type first, until f returns false.
func (c *Components) Each(wanted seq.TypeID, f func(steps seq.Sequence, slot int32) bool) {
	for _, from := range c.yielders[wanted] {
		list := c.byType[from]
		for i := len(list) - 1; i >= 0; i-- {
			if !f(list[i].Steps, list[i].Slot) {
				return
			}
		}
	}
}

// Of returns the components that yield exactly ty, oldest place first. The
// caller must not change the slice.
func (c *Components) Of(ty seq.TypeID) []Component { return c.byType[ty] }
