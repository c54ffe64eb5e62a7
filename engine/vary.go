package engine

import (
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// vary runs an entry with some of its literals edited, mostly one.
func (c *composer) vary() {
	en := c.archive.drawEntry(c.src)
	shares := 0
	for i := range en.Steps {
		for _, a := range en.Steps[i].Args {
			shares += share(a.Lit)
		}
	}
	if shares == 0 {
		c.replay(en.Steps)
		return
	}
	var at [maxVaried]int
	edits := 1
	for edits < maxVaried && c.src.OneIn("another literal", variedAgainOneIn) {
		edits++
	}
	for i := range edits {
		at[i] = c.src.Choose("literal", shares)
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
					a.Lit = c.variant(a.Lit)
				}
			}
			passed = next
			c.args = append(c.args, a)
		}
		if !c.run(seq.Step{Op: en.Steps[i].Op, Args: c.args[from:len(c.args):len(c.args)]}) {
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

// variant returns a literal of l's type that differs from it a little.
func (c *composer) variant(l *seq.Literal) *seq.Literal {
	v := mutators.EditLiteral(c.src, &c.table.Types[l.Type], l, func() string { return c.partOfString(l.Type) }, c.params.StringBytes)
	if v == l {
		return l
	}
	if c.src.OneIn("pool literal", poolLiteralOneIn) {
		if p := c.pool.Draw(c.src, l.Type, smallRange, c.size); p.Value != nil {
			return p
		}
	}
	c.runner.exec.Box(v)
	return v
}

// partOfString draws text to edit a string of type t with: part of a string of an entry,
// a byte, a string of the pool.
func (c *composer) partOfString(t seq.TypeID) string {
	if c.src.OneIn("part of an entry", entryTextOneIn) {
		if other, ok := c.entryString(); ok {
			from := c.src.Choose("from", len(other)+1)
			return other[from : from+c.src.Choose("length", len(other)-from+1)]
		}
	}
	if c.src.OneIn("any byte", anyByteOneIn) {
		return string([]byte{byte(c.src.Choose("byte", 256))})
	}
	return c.pool.text(c.src, t)
}

// entryString returns the first string of a drawn entry, if it has one.
func (c *composer) entryString() (string, bool) {
	en := &c.archive.entries[c.src.Choose("entry", len(c.archive.entries))]
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
