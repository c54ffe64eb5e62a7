package engine

import (
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// maxVaried bounds the literals of an entry that are edited in one run.
const maxVaried = 4

// stringShare is how many times more often a string is edited than a number, since a
// string has more parts to edit.
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

// share is the weight of a literal in the draw of the literals to edit.
func share(l *seq.Literal) int {
	if l == nil {
		return 0
	}
	if _, ok := l.Value.(string); ok {
		return stringShare
	}
	return 1
}

// drawEntry draws an entry. If some entries have a rank, an entry without one is replaced
// by a second draw, so that ranked ones come about twice as often, as in go-fuzz.
func (e *Engine) drawEntry() *Entry {
	en := e.anyEntry()
	if e.ranked && en.Rank == 0 {
		en = e.anyEntry()
	}
	return en
}

// anyEntry draws an entry, every other time one of the newest: few runs have built on
// those yet.
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
	v := mutators.EditLiteral(e.src, &e.table.Types[l.Type], l, func() string { return e.partOfString(l.Type) }, e.params.StringBytes)
	if v == l {
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

// partOfString draws text to edit a string of type t with: part of a string of an entry,
// a byte, a string of the pool.
func (e *Engine) partOfString(t seq.TypeID) string {
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

// entryString returns the first string of a drawn entry, if it has one.
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
