package engine

import (
	"sort"

	"foray.test/corpus"
	"foray.test/engine/seq"
)

// Minimize returns a sequence for which keep holds and from which no single step
// can be removed: first steps are removed, then the makers of values are replaced
// by shorter ones, of the component set or of the sequence itself
// (replacement-based simplification, [Pacheco09 §6.1]), then literals are made
// simpler, and arguments of any type plainer, until nothing helps. keep(s) must hold on entry; every candidate it is
// asked about passes Check. Cost: O(len(s)²) calls of keep, in the worst case.
func Minimize(t *seq.Table, p *Pool, s seq.Sequence, comps *corpus.Components, keep func(seq.Sequence) bool) seq.Sequence {
	r := reducer{t: t, pool: p, keep: keep}
	return r.minimize(s, comps)
}

// A reducer makes sequences smaller as long as keep holds for what is left.
type reducer struct {
	t    *seq.Table
	pool *Pool
	keep func(seq.Sequence) bool
	// spent, unless nil, says that keep would hold for nothing any more: candidates
	// cost too.
	spent func() bool
	// direct says that one call of any operation will do as well: runs are cheap.
	direct bool
}

func (r *reducer) done() bool { return r.spent != nil && r.spent() }

func (r *reducer) minimize(s seq.Sequence, comps *corpus.Components) seq.Sequence {
	if r.direct {
		s = r.directCall(s)
	}
	for {
		before := size(r.t, s)
		s = r.shorten(s)
		s = r.replaceResults(s)
		s = r.mergeSlots(s)
		s = r.replaceMakers(s, comps)
		s = r.plainArguments(s)
		s = r.minimizeLiterals(s)
		if r.done() || !size(r.t, s).less(before) {
			return s
		}
	}
}

// maxDirect bounds the operations that are tried in place of a whole sequence.
const maxDirect = 128

// directCall puts one call in place of all of s if it will do: of an operation that
// takes nothing but literals, with those of s. What is found by way of an object is
// often wrong in a function that can be called without.
func (r *reducer) directCall(s seq.Sequence) seq.Sequence {
	if len(s) < 2 {
		return s
	}
	left := maxDirect
	for id := range r.t.Ops {
		op := &r.t.Ops[id]
		if !op.API || len(op.Params) == 0 || op.Variadic {
			continue
		}
		args, ok := r.literalsOf(s, op.Params)
		if !ok {
			continue
		}
		cand := seq.Sequence{{Op: seq.OpID(id), Args: args}}
		if cand.Check(r.t) == nil && r.keep(cand) {
			return cand
		}
		if left--; left == 0 || r.done() {
			break
		}
	}
	return s
}

// literalsOf returns, for each type, the last literal of s of that type, or the simplest
// there is. It reports false if one of the types has no literals, or none is of s.
func (r *reducer) literalsOf(s seq.Sequence, types []seq.TypeID) (args []seq.Arg, ok bool) {
	for _, t := range types {
		l := r.pool.First(t)
		if l == nil {
			return nil, false
		}
		for i := range s {
			for _, a := range s[i].Args {
				if a.Lit != nil && a.Lit.Type == t {
					l, ok = a.Lit, true
				}
			}
		}
		args = append(args, seq.Lit(l))
	}
	return args, ok
}

// weight orders sequences: fewer calls, fewer steps, fewer arguments, fewer of them results
// of other steps, simpler literals.
type weight struct{ calls, steps, args, uses, literals int }

func (w weight) less(v weight) bool {
	switch {
	case w.calls != v.calls:
		return w.calls < v.calls
	case w.steps != v.steps:
		return w.steps < v.steps
	case w.args != v.args:
		return w.args < v.args
	case w.uses != v.uses:
		return w.uses < v.uses
	}
	return w.literals < v.literals
}

func size(t *seq.Table, s seq.Sequence) weight {
	w := weight{calls: s.Calls(t), steps: len(s)}
	for i := range s {
		w.args += len(s[i].Args)
		for _, a := range s[i].Args {
			if a.Lit == nil {
				w.uses++
			} else {
				w.literals += literalWeight(a.Lit)
			}
		}
	}
	return w
}

// Shorten returns s without the steps that can go, with what hangs on their
// results, while keep holds: all that the last step does not need first, then runs
// of steps in halving sizes, then single ones from the back, until none can. keep(s)
// must hold on entry. Cost: O(len(s)²) calls of keep, in the worst case.
func Shorten(t *seq.Table, s seq.Sequence, keep func(seq.Sequence) bool) seq.Sequence {
	r := reducer{t: t, keep: keep}
	return r.shorten(s)
}

func (r *reducer) shorten(s seq.Sequence) seq.Sequence {
	if cand := seq.Prune(r.t, s, nil, len(s)-1); len(cand) < len(s) && len(cand) > 0 && r.keep(cand) {
		s = cand
	}
	for n := len(s) / 2; n > 1; n /= 2 {
		for to := len(s); to-n >= 0 && !r.done(); {
			if cand, ok := seq.RemoveRange(r.t, s, to-n, to); ok && len(cand) > 0 && r.keep(cand) {
				s = cand
				to = min(to-n, len(s))
				continue
			}
			to -= n
		}
	}
	for again := true; again; {
		again = false
		for i := len(s) - 1; i >= 0 && !r.done(); i-- {
			if i >= len(s) {
				continue
			}
			if cand, ok := seq.Remove(r.t, s, i); ok && len(cand) > 0 && r.keep(cand) {
				s, again = cand, true
			}
		}
		// Variadic arguments are steps in all but name.
		for i := range s {
			for op := &r.t.Ops[s[i].Op]; op.Variadic && len(s[i].Args) > len(op.Params)-1; {
				cand := s.Clone()
				cand[i].Args = cand[i].Args[:len(cand[i].Args)-1]
				if !r.keep(cand) {
					break
				}
				s, again = cand, true
			}
		}
	}
	return s
}

// firstSteps returns the shortest beginning of s for which keep holds, where that
// it holds for one means that it does for all that are longer.
func (r *reducer) firstSteps(s seq.Sequence) seq.Sequence {
	n := 1 + sort.Search(len(s)-1, func(i int) bool { return r.keep(s[:i+1]) })
	return s[:n]
}

// replaceResults puts literals where a result is taken that could be one, so that
// its maker can go.
func (r *reducer) replaceResults(s seq.Sequence) seq.Sequence {
	for slot := int32(s.Slots(r.t)) - 1; slot >= 0 && !r.done(); slot-- {
		if int(slot) >= s.Slots(r.t) || len(seq.Uses(s, slot)) == 0 {
			continue
		}
		cand, ok := literalsFor(r.t, r.pool, s, slot)
		if !ok {
			continue
		}
		if cand = dropUnused(r.t, cand); len(cand) < len(s) && r.keep(cand) {
			s = cand
		}
	}
	return s
}

// plainArguments puts the simplest literal in each place of an interface that takes a
// value: [0], not [v0], in which v0 is what it is put into. Literals keep their types, for
// what compares them may want it, though it does not here.
func (r *reducer) plainArguments(s seq.Sequence) seq.Sequence {
	for i := 0; i < len(s); i++ {
		for j := 0; i < len(s) && j < len(s[i].Args) && !r.done(); j++ {
			p, a := r.t.Ops[s[i].Op].Param(j), s[i].Args[j]
			l := r.pool.First(p)
			if l == nil || !r.t.Types[p].Interface || a.Lit != nil {
				continue
			}
			cand := s.Clone()
			cand[i].Args[j] = seq.Lit(l)
			if cand = dropUnused(r.t, cand); cand.Check(r.t) == nil && r.keep(cand) {
				s = cand
			}
		}
	}
	return s
}

// literalsFor returns s with the simplest literal in each place that takes slot.
// It reports false if one of them takes no literal.
func literalsFor(t *seq.Table, p *Pool, s seq.Sequence, slot int32) (seq.Sequence, bool) {
	c := s.Clone()
	for i := range c {
		for j, a := range c[i].Args {
			if a.Lit != nil || a.Slot != slot {
				continue
			}
			l := p.First(t.Ops[c[i].Op].Param(j))
			if l == nil {
				return nil, false
			}
			c[i].Args[j] = seq.Lit(l)
		}
	}
	return c, true
}

// mergeSlots lets an earlier value of the same type stand for a later one, whose
// maker can then go.
func (r *reducer) mergeSlots(s seq.Sequence) seq.Sequence {
	for changed := true; changed && !r.done(); {
		changed = false
		types := s.SlotTypes(r.t)
	pairs:
		for later := len(types) - 1; later > 0 && !r.done(); later-- {
			for earlier := range later {
				if !r.t.AssignableTo(types[earlier], types[later]) || len(seq.Uses(s, int32(later))) == 0 {
					continue
				}
				merged := replaceSlot(s, int32(later), seq.Slot(earlier))
				if cand := dropUnused(r.t, merged); len(cand) < len(s) && r.keep(cand) {
					s, changed = cand, true
					break pairs
				}
				// Other results that no one takes may stand for calls that matter.
				if cand, ok := seq.Remove(r.t, merged, s.Maker(r.t, int32(later))); ok && len(cand) == len(s)-1 && r.keep(cand) {
					s, changed = cand, true
					break pairs
				}
			}
		}
	}
	return s
}

// replaceMakers puts, for each value that takes several steps to make, a shorter
// component in their place.
func (r *reducer) replaceMakers(s seq.Sequence, comps *corpus.Components) seq.Sequence {
	if comps == nil {
		return s
	}
	for changed := true; changed; {
		changed = false
		types := s.SlotTypes(r.t)
	slots:
		for slot := len(types) - 1; slot >= 0 && !r.done(); slot-- {
			if len(seq.Uses(s, int32(slot))) == 0 {
				continue
			}
			list := comps.Of(types[slot])
			for _, comp := range list[:min(len(list), 16)] {
				cand := seq.Concat(r.t, comp.Steps, s)
				base := int32(comp.Steps.Slots(r.t))
				cand = replaceSlot(cand, base+int32(slot), seq.Slot(int(comp.Slot)))
				cand = dropUnused(r.t, cand)
				if size(r.t, cand).less(size(r.t, s)) && cand.Check(r.t) == nil && r.keep(cand) {
					s, changed = cand, true
					break slots
				}
			}
		}
	}
	return s
}

// replaceSlot returns s with by in every place that takes slot.
func replaceSlot(s seq.Sequence, slot int32, by seq.Arg) seq.Sequence {
	c := s.Clone()
	for i := range c {
		for j, a := range c[i].Args {
			if a.Lit == nil && a.Slot == slot {
				c[i].Args[j] = by
			}
		}
	}
	return c
}

// dropUnused removes steps, but the last, that make values no one takes.
func dropUnused(t *seq.Table, s seq.Sequence) seq.Sequence {
	for again := true; again; {
		again = false
		slot := s.Slots(t)
		for i := len(s) - 1; i >= 0 && !again; i-- {
			n := len(t.Ops[s[i].Op].Results)
			slot -= n
			used := n == 0
			for j := range n {
				used = used || len(seq.Uses(s, int32(slot+j))) > 0
			}
			if used || i == len(s)-1 {
				continue
			}
			if cand, ok := seq.Remove(t, s, i); ok {
				s, again = cand, true
			}
		}
	}
	return s
}

// minimizeLiterals makes literals simpler: zero, one, shorter, smaller.
func (r *reducer) minimizeLiterals(s seq.Sequence) seq.Sequence {
	for i := range s {
		for j := range s[i].Args {
			if r.done() {
				return s
			}
			s = r.shortenString(s, i, j)
			for again := true; again; {
				again = false
				l := s[i].Args[j].Lit
				if l == nil {
					break
				}
				for _, v := range simpler(l.Value) {
					cand := s.Clone()
					cand[i].Args[j] = seq.Lit(r.pool.Intern(&seq.Literal{Type: l.Type, Value: v}))
					if literalWeight(cand[i].Args[j].Lit) < literalWeight(l) && cand.Check(r.t) == nil && r.keep(cand) {
						s, again = cand, true
						break
					}
				}
			}
		}
	}
	return s
}

// longString is where a string has more parts to leave out than simpler tries.
const longString = 32

// shortenString takes parts out of a long string, argument j of step i: halves
// first, at last single bytes.
func (r *reducer) shortenString(s seq.Sequence, i, j int) seq.Sequence {
	l := s[i].Args[j].Lit
	if l == nil {
		return s
	}
	text, ok := l.Value.(string)
	if !ok || len(text) <= longString {
		return s
	}
	for n := (len(text) + 1) / 2; n > 0; n /= 2 {
		for from := 0; from < len(text); {
			shorter := text[:from] + text[min(from+n, len(text)):]
			cand := s.Clone()
			cand[i].Args[j] = seq.Lit(r.pool.Intern(&seq.Literal{Type: l.Type, Value: shorter}))
			if r.keep(cand) {
				s, text = cand, shorter
				continue
			}
			from += n
		}
	}
	return s
}
