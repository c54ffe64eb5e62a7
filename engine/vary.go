package engine

import (
	"math"

	"foray.test/engine/seq"
	"foray.test/mutators"
)

// maxVaried is how many literals of an entry are edited at the most.
const maxVaried = 4

// stringShare is how many times more often a string is edited than a number: there
// is more to it.
const stringShare = 4

// vary runs an entry with some of its literals edited, mostly one.
func (e *Engine) vary() {
	c := &e.cur
	en := e.drawEntry()
	shares := 0
	for i := range en.Steps {
		for _, a := range en.Steps[i].Args {
			shares += share(a.Lit)
		}
	}
	if shares == 0 {
		e.replay(en.Steps)
		return
	}
	var at [maxVaried]int
	edits := 1
	for edits < maxVaried && e.src.OneIn("another literal", 4) {
		edits++
	}
	for i := range edits {
		at[i] = e.src.Choose("literal", shares)
	}
	passed := 0
	for i := range en.Steps {
		if c.broken || len(c.args)+len(en.Steps[i].Args) > maxArgs {
			return
		}
		from := len(c.args)
		for _, a := range en.Steps[i].Args {
			next := passed + share(a.Lit)
			for _, p := range at[:edits] {
				if passed <= p && p < next {
					a.Lit = e.variant(a.Lit)
				}
			}
			passed = next
			c.args = append(c.args, a)
		}
		if !e.run(seq.Step{Op: en.Steps[i].Op, Args: c.args[from:len(c.args):len(c.args)]}) {
			return
		}
	}
}

// share is what part a literal has in the draw of those to edit.
func share(l *seq.Literal) int {
	if l == nil {
		return 0
	}
	if _, ok := l.Value.(string); ok {
		return stringShare
	}
	return 1
}

// drawEntry draws an entry. Where some have a rank one without gives way to a second
// draw, so that the others come about twice as often: what go-fuzz makes of a rank.
func (e *Engine) drawEntry() *Entry {
	en := e.anyEntry()
	if e.ranked && en.Rank == 0 {
		en = e.anyEntry()
	}
	return en
}

// anyEntry draws an entry, every other time one of the newest: the runs before it
// have not had the chance to build on them.
func (e *Engine) anyEntry() *Entry {
	n := len(e.entries)
	if e.src.OneIn("new entry", 2) {
		newest := 1 + n/8
		return &e.entries[n-1-e.src.Choose("entry", newest)]
	}
	return &e.entries[e.src.Choose("entry", n)]
}

// variant returns a literal of l's type that differs from it a little.
func (e *Engine) variant(l *seq.Literal) *seq.Literal {
	ty := &e.table.Types[l.Type]
	v := &seq.Literal{Type: l.Type}
	switch x := l.Value.(type) {
	case string:
		v.Value = e.variantString(l.Type, x)
	case bool:
		v.Value = !x
	case int64:
		y := int64(e.variantBits(uint64(x)))
		v.Value = y << (64 - intBits(ty)) >> (64 - intBits(ty))
	case uint64:
		y := e.variantBits(x)
		v.Value = y << (64 - intBits(ty)) >> (64 - intBits(ty))
	case float64:
		if v.Value = e.variantFloat(x); ty.Bits == 32 {
			v.Value = float64(float32(v.Value.(float64)))
		}
	default:
		return l
	}
	if e.src.OneIn("pool literal", 8) {
		if p := e.pool.Draw(e.src, l.Type, smallRange, e.cur.size); p.Value != nil {
			return p
		}
	}
	e.exec.Box(v)
	return v
}

func intBits(ty *seq.Type) int {
	if ty.Bits == 0 {
		return 64
	}
	return int(ty.Bits)
}

// variantString edits s once or a few times, and takes parts from the pool and
// from the other entries.
func (e *Engine) variantString(t seq.TypeID, s string) string {
	words := func() string {
		if e.src.OneIn("part of an entry", 4) {
			if other, ok := e.entryString(); ok {
				from := e.src.Choose("from", len(other)+1)
				return other[from : from+e.src.Choose("length", len(other)-from+1)]
			}
		}
		if e.src.OneIn("any byte", 4) {
			return string([]byte{byte(e.src.Choose("byte", 256))})
		}
		return e.pool.Draw(e.src, t, smallRange, usual).Value.(string)
	}
	most := max(e.params.StringBytes, len(s))
	for again := true; again; again = !e.src.OneIn("last edit", 2) {
		if e.src.OneIn("edit of bytes", 3) {
			s = mutators.EditBytes(e.src, s)
		} else {
			s = mutators.EditString(e.src, s, words)
		}
		if len(s) > most {
			s = s[:most]
		}
	}
	return s
}

// entryString draws a string of some entry.
func (e *Engine) entryString() (string, bool) {
	en := &e.entries[e.src.Choose("entry", len(e.entries))]
	for i := range en.Steps {
		for _, a := range en.Steps[i].Args {
			if a.Lit != nil {
				if s, ok := a.Lit.Value.(string); ok {
					return s, true
				}
			}
		}
	}
	return "", false
}

// variantBits edits an integer: a step up or down, a bit, twice, half, all bits.
func (e *Engine) variantBits(x uint64) uint64 {
	switch e.src.Choose("integer edit", 8) {
	case 0, 1:
		return x + 1 + uint64(e.src.Choose("step", 16))
	case 2, 3:
		return x - 1 - uint64(e.src.Choose("step", 16))
	case 4:
		return x ^ 1<<e.src.Choose("bit", 64)
	case 5:
		return x * 2
	case 6:
		return x / 2
	}
	return -x
}

func (e *Engine) variantFloat(x float64) float64 {
	switch e.src.Choose("float edit", 6) {
	case 0:
		return x + 1
	case 1:
		return x - 1
	case 2:
		return x * 2
	case 3:
		return x / 2
	case 4:
		return math.Nextafter(x, math.Inf(1-2*e.src.Choose("direction", 2)))
	}
	return -x
}
