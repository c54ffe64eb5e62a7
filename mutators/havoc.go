package mutators

import "foray.test/engine/seq"

// twoLiterals changes two literals at once, each to an operand, a word, or by a
// little: for conditions that two inputs decide together.
func twoLiterals(a *Aim, try func(seq.Sequence) bool) {
	o, places, values := a.emitter(try), a.literals(), a.operandValues()
	if len(places) < 2 {
		return
	}
	o.draw(func() seq.Sequence {
		i, j := a.Source.Choose("first", len(places)), a.Source.Choose("second", len(places)-1)
		if j >= i {
			j++
		}
		if s := a.changeLiteral(a.Witness, places[i], values); s != nil {
			return a.changeLiteral(s, places[j], values)
		}
		return nil
	})
}

// havoc stacks a few drawn edits: of the literals while the steps are those of the
// witness, of steps, of the literals there are then.
func havoc(a *Aim, try func(seq.Sequence) bool) {
	o, witnessPlaces, values := a.emitter(try), a.literals(), a.operandValues()
	o.draw(func() seq.Sequence {
		s, places, changed := a.Witness, witnessPlaces, false
		for range 1 + a.Source.Choose("edits", maxStack) {
			if len(places) > 0 && a.Source.Choose("literal or steps", 8) < literalOf8 {
				p := a.place(s, places[a.Source.Choose("literal at", len(places))].Position)
				if edited := a.changeLiteral(s, p, values); edited != nil {
					s, changed = edited, true
				}
				continue
			}
			edit := stepEdits[a.Source.Choose("step edit", len(stepEdits))]
			if edited := edit(a, s); len(edited) > 0 {
				s, places, changed = edited, a.literalsOf(edited), true
			}
		}
		if !changed {
			return nil
		}
		return s
	})
}

// literalsOf returns the places of literals of s other than nil.
func (a *Aim) literalsOf(s seq.Sequence) []place {
	var list []place
	for _, at := range AllPositions(s) {
		if at.Arg >= 0 && s[at.Step].Args[at.Arg].Lit != nil && s[at.Step].Args[at.Arg].Lit.Value != nil {
			list = append(list, a.place(s, at))
		}
	}
	return list
}

// stepEdits are the edits of steps that havoc draws from. They return nil if they
// change nothing.
var stepEdits = []func(a *Aim, s seq.Sequence) seq.Sequence{
	(*Aim).insertCall,
	func(a *Aim, s seq.Sequence) seq.Sequence {
		s, _ = seq.Remove(a.Index.Table, s, a.Source.Choose("step", len(s)))
		return s
	},
	func(a *Aim, s seq.Sequence) seq.Sequence {
		return a.repeatStep(s, a.Source.Choose("step", len(s)), 1+a.Source.Choose("times", maxMore), a.Source.Choose("counting", 2))
	},
	func(a *Aim, s seq.Sequence) seq.Sequence {
		s, _ = seq.Move(a.Index.Table, s, a.Source.Choose("step", len(s)), a.Source.Choose("to", len(s)))
		return s
	},
	func(a *Aim, s seq.Sequence) seq.Sequence { return a.drawValue(s, (*draft).component) },
	func(a *Aim, s seq.Sequence) seq.Sequence { return a.drawValue(s, (*draft).made) },
	func(a *Aim, s seq.Sequence) seq.Sequence { return a.drawValue(s, (*draft).live) },
}

// drawValue returns s with a value of produce at a drawn position.
func (a *Aim) drawValue(s seq.Sequence, produce producer) seq.Sequence {
	i := a.Source.Choose("step", len(s))
	if len(s[i].Args) == 0 {
		return nil
	}
	p := a.place(s, Position{int32(i), int32(a.Source.Choose("argument", len(s[i].Args)))})
	return a.replaceValue(s, p, produce)
}

// changeLiteral returns s with another literal at p, of s: an edited string, an
// operand, a word, the literal there a little changed. It returns nil if it is the same.
func (a *Aim) changeLiteral(s seq.Sequence, p place, values []any) seq.Sequence {
	l := a.drawLiteral(p, values)
	if l == nil || p.arg.Lit != nil && p.arg.Lit.Equal(l) {
		return nil
	}
	return p.put(s, seq.Lit(l))
}

// cut returns s, or its first n bytes if it is longer.
func cut(s string, n int) string { return s[:min(len(s), n)] }

// drawLiteral draws a literal for p. It returns nil if the draw makes none.
func (a *Aim) drawLiteral(p place, values []any) *seq.Literal {
	table := a.Index.Table
	if s, ok := p.value().(string); ok && isBinary(s) && a.Source.OneIn("bytes", asBytesOneIn) {
		return &seq.Literal{Type: p.arg.Lit.Type, Value: cut(EditBytes(a.Source, s), a.maxBytesAt(p))}
	} else if ok && !a.Source.OneIn("edit", replacedOneIn) {
		s = EditString(a.Source, s, func() string { return a.drawWord(p.arg.Lit.Type, nil, nil) })
		return &seq.Literal{Type: p.arg.Lit.Type, Value: cut(s, a.maxBytesAt(p))}
	}
	switch choice := a.Source.Choose("literal", 8); {
	case choice < operandClass && len(values) > 0:
		v := values[a.Source.Choose("value", len(values))]
		for _, id := range a.typesFor(p, v) {
			if fitting, ok := fit(&table.Types[id], v); ok {
				return &seq.Literal{Type: id, Value: fitting}
			}
		}
		return nil
	case choice < changeClass:
		if list := changes(p.value()); len(list) > 0 {
			v := list[a.Source.Choose("change", len(list))]
			if fitting, ok := fit(&table.Types[p.arg.Lit.Type], v); ok && a.withinBounds(fitting) {
				return &seq.Literal{Type: p.arg.Lit.Type, Value: fitting}
			}
		}
	}
	takes := a.Index.Literals[p.want]
	if len(takes) == 0 {
		return nil
	}
	return a.word(takes[a.Source.Choose("literal type", len(takes))])
}
