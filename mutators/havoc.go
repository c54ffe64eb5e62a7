package mutators

import "foray.test/engine/seq"

// twoLiterals changes two literals at once, each to an operand, a word, or by a
// little: for conditions that two inputs decide together.
func twoLiterals(a *Aim, try func(seq.Sequence) bool) {
	o, places, values := a.offers(try), a.literals(), a.operandValues()
	if len(places) < 2 {
		return
	}
	for range draws {
		i, j := a.Source.Choose("first", len(places)), a.Source.Choose("second", len(places)-1)
		if j >= i {
			j++
		}
		s, ok := a.changeLiteral(a.Witness, &places[i], values)
		if !ok {
			continue
		}
		if s, ok = a.changeLiteral(s, &places[j], values); ok && !o.sequence(s) {
			return
		}
	}
}

// maxStack is how many edits havoc makes of one sequence.
const maxStack = 6

// havoc stacks a few drawn edits: of the literals while the steps are those of the
// witness, of steps, of the literals there are then.
func havoc(a *Aim, try func(seq.Sequence) bool) {
	o, places, values := a.offers(try), a.literals(), a.operandValues()
	for range draws {
		s, places, changed := a.Witness, places, false
		for range 1 + a.Source.Choose("edits", maxStack) {
			if len(places) > 0 && a.Source.Choose("literal or steps", 8) < 6 {
				p := a.place(s, places[a.Source.Choose("literal at", len(places))].Position)
				if edited, ok := a.changeLiteral(s, &p, values); ok {
					s, changed = edited, true
				}
				continue
			}
			edit := stepEdits[a.Source.Choose("step edit", len(stepEdits))]
			if edited, ok := edit(a, s); ok && len(edited) > 0 {
				s, places, changed = edited, a.literalsOf(edited), true
			}
		}
		if changed && !o.sequence(s) {
			return
		}
	}
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

// stepEdits are the edits of steps that havoc draws from.
var stepEdits = []func(a *Aim, s seq.Sequence) (seq.Sequence, bool){
	(*Aim).insertCall,
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		return seq.Remove(a.Index.Table, s, a.Source.Choose("step", len(s)))
	},
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		more := a.repeatStep(s, a.Source.Choose("step", len(s)), 1+a.Source.Choose("times", 8), a.Source.Choose("counting", 2))
		return more, more != nil
	},
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		return moved(a.Index.Table, s, a.Source.Choose("step", len(s)), a.Source.Choose("to", len(s)))
	},
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		return a.drawValue(s, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.component(want) })
	},
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		return a.drawValue(s, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.product(want, 0) })
	},
	func(a *Aim, s seq.Sequence) (seq.Sequence, bool) {
		return a.drawValue(s, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.live(want) })
	},
}

// drawValue returns s with what produce makes at a drawn position.
func (a *Aim) drawValue(s seq.Sequence, produce func(d *draft, want seq.TypeID) (seq.Arg, bool)) (seq.Sequence, bool) {
	i := a.Source.Choose("step", len(s))
	if len(s[i].Args) == 0 {
		return nil, false
	}
	p := a.place(s, Position{int32(i), int32(a.Source.Choose("argument", len(s[i].Args)))})
	return a.replaceValue(s, &p, produce)
}

// changeLiteral returns s with another literal at p, of s: an edited string, an
// operand, a word, the literal there a little changed.
func (a *Aim) changeLiteral(s seq.Sequence, p *place, values []any) (seq.Sequence, bool) {
	l := a.drawLiteral(p, values)
	if l == nil || p.arg.Lit != nil && p.arg.Lit.Equal(l) {
		return nil, false
	}
	return with(s, p.Position, seq.Lit(l)), true
}

// cut returns s, or its first n bytes if it is longer.
func cut(s string, n int) string { return s[:min(len(s), n)] }

// drawLiteral draws a literal for p. It returns nil if the draw makes none.
func (a *Aim) drawLiteral(p *place, values []any) *seq.Literal {
	table := a.Index.Table
	if s, ok := p.value().(string); ok && isBinary(s) && a.Source.OneIn("bytes", 2) {
		return &seq.Literal{Type: p.arg.Lit.Type, Value: cut(EditBytes(a.Source, s), a.maxStringBytes())}
	} else if ok && a.Source.Choose("edit", 4) > 0 {
		s = EditString(a.Source, s, func() string { return a.drawWord(p.arg.Lit.Type, nil, nil) })
		return &seq.Literal{Type: p.arg.Lit.Type, Value: cut(s, a.maxStringBytes())}
	}
	switch choice := a.Source.Choose("literal", 8); {
	case choice < 3 && len(values) > 0:
		v := values[a.Source.Choose("value", len(values))]
		for _, id := range a.typesFor(p, v) {
			if fitting, ok := fit(&table.Types[id], v); ok {
				return &seq.Literal{Type: id, Value: fitting}
			}
		}
		return nil
	case choice < 6:
		if list := changes(p.value()); len(list) > 0 {
			v := list[a.Source.Choose("change", len(list))]
			if fitting, ok := fit(&table.Types[p.arg.Lit.Type], v); ok && a.withinBounds(fitting) {
				return &seq.Literal{Type: p.arg.Lit.Type, Value: fitting}
			}
		}
	}
	takes := a.Literals.Takes(p.want)
	if len(takes) == 0 {
		return nil
	}
	return a.word(takes[a.Source.Choose("literal type", len(takes))])
}
