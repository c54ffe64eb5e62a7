package mutators

import "foray.test/engine/seq"

// words puts each word of the pool in the place of each literal, breadth first: the
// most telling word of every position comes before the next.
func words(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.places()
	for i, more := 0, true; more; i++ {
		more = false
		for j := range places {
			p := places[j]
			for _, id := range a.Index.Literals[p.want] {
				list := a.Literals.Words(id)
				if i >= len(list) {
					continue
				}
				more = true
				if a.withinBounds(list[i].Value) && !o.literal(p, list[i]) {
					return
				}
			}
		}
	}
}

// wordsIntoText puts drawn words into strings, at drawn positions: inserted, over
// the text there, in place of all the rest. Most come from the pool; some are operands of
// conditions on the way, some other strings of the witness.
func wordsIntoText(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.texts()
	if len(places) == 0 {
		return
	}
	pairs := append(a.compared(), a.nearby()...)
	for range draws {
		p := places[a.Source.Choose("text", len(places))]
		s := p.value().(string)
		at := a.Source.Choose("position", len(s)+1)
		w := a.drawWord(p.arg.Lit.Type, pairs, places)
		more := true
		switch a.Source.Choose("how", 3) {
		case 0:
			more = o.text(p, s[:at], w, s[at:])
		case 1:
			more = o.over(p, s, at, w)
		default:
			more = o.text(p, s[:at], w)
		}
		if !more {
			return
		}
	}
}

// drawWord draws a string: of the pool, of pairs, of places.
func (a *Aim) drawWord(id seq.TypeID, pairs []pair, places []place) string {
	switch choice := a.Source.Choose("word from", 8); {
	case choice < otherTextClass && len(places) > 0:
		return places[a.Source.Choose("text", len(places))].value().(string)
	case choice < operandTextClass && len(pairs) > 0:
		pr := &pairs[a.Source.Choose("pair", len(pairs))]
		if list := spelled([]any{pr.y, pr.x}); len(list) > 0 {
			return list[a.Source.Choose("spelling", len(list))]
		}
	}
	if w := a.word(id); w != nil {
		return w.Text()
	}
	return "a"
}
