package contract

import (
	"slices"
	"strconv"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

// A grid is a type with elements at places: one or two indexes.
type grid struct {
	at, size operation
	places   int // indexes of an element
}

// maxSide bounds the places that are looked at: so many along each index.
const maxSide = 8

// gridLaws adds the laws that setting a place stores the element there and changes
// no other place.
func gridLaws(a *api, add func(...Law)) {
	a.everyMethod("Set", "", func(set operation) {
		g, ok := a.grid(set.Operation)
		if !ok {
			return
		}
		add(g.setAt(set).exceptNil())
	})
}

// grid returns the grid of set, a method Set(i, x) or Set(i, j, x).
func (a *api) grid(set *seq.Operation) (g grid, ok bool) {
	g.places = len(set.Params) - 2
	if set.Variadic || set.Spread || len(set.Results) > 0 || g.places < 1 || g.places > 2 || a.lossy(set.Params[0]) {
		return g, false
	}
	recv, elem := set.Params[0], set.Params[g.places+1]
	if !a.ints(set.Params[1 : g.places+1]) {
		return g, false
	}
	sizes := "Len"
	if g.places == 2 {
		sizes = "Dims"
	}
	// A place out of range panics: the laws call these for places in range.
	g.at = a.anyMethod(recv, "At", func(op *seq.Operation) bool {
		return len(op.Params) == g.places+1 && a.ints(op.Params[1:]) && len(op.Results) == 1 && op.Results[0] == elem
	})
	g.size = a.anyMethod(recv, sizes, func(op *seq.Operation) bool {
		return len(op.Params) == 1 && len(op.Results) == g.places && a.ints(op.Results)
	})
	return g, g.at.exists() && g.size.exists()
}

// ints reports whether all of list are the type int.
func (a *api) ints(list []seq.TypeID) bool {
	return !slices.ContainsFunc(list, func(id seq.TypeID) bool { return !a.t.Types[id].Is("", "int") })
}

// elements returns the elements at the places of v, in order. It returns false if
// there are too many or some cannot be compared.
func (g *grid) elements(c *Call, v any) (list []any, ok bool) {
	sides := c.ask(g.size.id, v)
	if len(sides) != g.places {
		return nil, false
	}
	n := [2]int{1, 1}
	for i, s := range sides {
		n[i], _ = s.(int)
		if n[i] < 1 || n[i] > maxSide {
			return nil, false
		}
	}
	for i := range n[0] {
		for j := range n[1] {
			x := c.ask(g.at.id, append([]any{v}, []any{i, j}[:g.places]...)...)
			if len(x) != 1 || noEquality(x[0]) {
				return nil, false
			}
			list = append(list, x[0])
		}
	}
	return list, true
}

// setAt is the law that a place holds the element set there and all other places
// keep theirs. The opposite place may change, because a matrix may be symmetric.
func (g *grid) setAt(set operation) Law {
	law := set.law("set-at", engine.ClaimName, "what was set at a place is there, and the other places keep what they have. "+cite(set, g.at))
	law.See = func(c *Call) (any, bool) {
		list, ok := g.elements(c, c.Args[0])
		return list, ok && !noEquality(c.Args[g.places+1])
	}
	law.Check = func(c *Call, seen any) *Breach {
		before := seen.([]any)
		after, ok := g.elements(c, c.Args[0])
		if !ok || len(after) != len(before) || c.persistent() {
			return nil
		}
		i, _ := c.Args[1].(int)
		place, opposite, width := i, i, 1
		if g.places == 2 {
			j, _ := c.Args[2].(int)
			sides := c.ask(g.size.id, c.Args[0])
			width = sides[1].(int)
			place, opposite = i*width+j, j*width+i
		}
		if place < 0 || place >= len(after) {
			return nil
		}
		if b := g.there(c, after[place]); b != nil {
			return b.says("the place has not what was set there")
		}
		for k := range after {
			if k == place || k == opposite {
				continue
			}
			if b := g.keeps(c, before[k], after[k], k/width, k%width); b != nil {
				return b
			}
		}
		return nil
	}
	return law
}

// there checks that the call's place has the element that the call set. has is its
// element.
func (g *grid) there(c *Call, has any) *Breach {
	at := calls(func(...any) any { return has }, g.at)
	if g.places == 1 {
		return check4(c, property.HasAt, at, c.in(0), c.in(1), c.in(2))
	}
	return check5(c, property.HasAtPlaces, at, c.in(0), c.in(1), c.in(2), c.in(3))
}

// keeps checks that another place has its element of before.
func (g *grid) keeps(c *Call, had, has any, i, j int) *Breach {
	at := calls(func(...any) any { return has }, g.at)
	place := func(n int) term[any] { return literal[any](n, strconv.Itoa(n)) }
	if g.places == 1 {
		was := &look{had, property.AtPlace, []written{at.text, c.in(0).text, place(i).text}}
		return check4(c, property.HasAt, at, c.in(0), place(i), before[any](was)).says("another place, " + strconv.Itoa(i) + ", has changed")
	}
	was := &look{had, property.AtPlaces, []written{at.text, c.in(0).text, place(i).text, place(j).text}}
	return check5(c, property.HasAtPlaces, at, c.in(0), place(i), place(j), before[any](was)).
		says("another place, " + strconv.Itoa(i) + ", " + strconv.Itoa(j) + ", has changed")
}
