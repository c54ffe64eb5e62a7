package engine

import (
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// Seen tells the engine of literals that the package's tests hand to a parameter of an
// operation. It draws some of the parameter's literals from them, or near them.
func (e *Engine) Seen(op seq.OpID, i int, list []*seq.Literal) {
	for _, l := range list {
		if l.Boxed == nil {
			e.runner.exec.Box(l)
		}
	}
	p := &e.composer.ops[op].params[i]
	p.seen = append(p.seen, list...)
	e.composer.usage.known = true
}

// seenLiteral draws a literal that tests hand to p, a parameter of a call with a permit, or
// an edit of one. It reports false if another is to be drawn.
func (c *composer) seenLiteral(with permit, p *param) (seq.Arg, bool) {
	if !c.use || len(p.seen) == 0 || with.size == tiny || !c.src.OneIn("seen literal", seenOneIn) {
		return seq.Arg{}, false
	}
	l := p.seen[c.src.Choose("seen", len(p.seen))]
	if _, isBool := l.Value.(bool); !isBool && c.src.OneIn("edit what was seen", editSeenOneIn) {
		l = c.near(l)
	}
	if p.duration {
		return seq.Lit(l), !with.mistimed(l)
	}
	return seq.Lit(l), magnitudeOf(l.Value) <= with.size
}

// near returns an edit of a literal that was seen.
func (c *composer) near(l *seq.Literal) *seq.Literal {
	if text, ok := l.Value.(string); ok {
		return c.editText(l.Type, text, 1, max(c.params.StringBytes, len(text)))
	}
	l = mutators.EditLiteral(c.src, &c.runner.table.Types[l.Type], l, nil, 0)
	c.runner.exec.Box(l)
	return l
}

// editText returns a literal of type t: s after some edits with strings of the pool, cut to
// maxBytes.
func (c *composer) editText(t seq.TypeID, s string, edits, maxBytes int) *seq.Literal {
	for range edits {
		s = mutators.EditString(c.src, s, func() string { return c.pool.text(c.src, t) })
	}
	l := &seq.Literal{Type: t, Value: s[:min(len(s), maxBytes)]}
	c.runner.exec.Box(l)
	return l
}
