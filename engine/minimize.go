package engine

import (
	"slices"
	"sort"

	"foray.test/corpus"
	"foray.test/engine/seq"
)

// Minimize returns a sequence for which keep holds and from which no single step can be
// removed. Until nothing helps it removes steps, makes literals simpler, empties
// structs, and replaces the makers of values by earlier ones. Within an engine, components replace them, too.
// This is replacement-based simplification, [Pacheco09 §6.1]. keep(s) must hold on entry; every
// candidate passes Check. Cost: O(len(s)²) calls of keep, in the worst case.
func Minimize(t *seq.Table, p *Pool, s seq.Sequence, keep func(seq.Sequence) bool) seq.Sequence {
	r := reducer{t: t, pool: p, keep: keep}
	return r.minimize(s, nil)
}

// A reducer makes sequences smaller as long as keep holds for the rest.
type reducer struct {
	t    *seq.Table
	pool *Pool
	keep func(seq.Sequence) bool
	// spent, unless nil, reports that the budget is used up and keep holds for nothing
	// any more: candidates cost too.
	spent func() bool
	// direct, unless nil, reports whether one step may run in place of the sequence: runs are
	// cheap.
	direct func(*seq.Step) bool
}

func (r *reducer) done() bool { return r.spent != nil && r.spent() }

// minimize replaces makers by components, too, unless comps is nil.
func (r *reducer) minimize(s seq.Sequence, comps *corpus.Components) seq.Sequence {
	if r.direct != nil {
		s = r.directCall(s)
	}
	for {
		before := size(r.t, s)
		s = r.shorten(s)
		s = r.replaceResults(s)
		s = r.mergeSlots(s)
		s = r.replaceMakers(s, comps)
		s = r.emptyStructs(s)
		s = r.plainArguments(s)
		s = r.minimizeLiterals(s)
		if r.done() || !size(r.t, s).less(before) {
			return r.separate(s)
		}
	}
}

// separate gives methods another object than their own if keep holds for that, too: one made by
// the same steps. A caller may have had a reason not to expect the object itself, so such a
// sequence tells more, though it is longer.
func (r *reducer) separate(s seq.Sequence) seq.Sequence {
	cand := s
	for i := len(s) - 1; i >= 0; i-- {
		if !r.selfish(s[i]) {
			continue
		}
		made, at := seq.PruneTo(r.t, s[:i], s[i].Args[0].Slot, i)
		made = seq.Concat(r.t, s[:i], made)[i:]
		cand = seq.Insert(r.t, cand, i, made)
		for j, a := range s[i].Args[1:] {
			if a == s[i].Args[0] {
				cand = cand.With(i+len(made), j+1, seq.Slot(s[:i].Slots(r.t)+int(at)))
			}
		}
	}
	if len(cand) > len(s) && !r.done() && cand.Check(r.t) == nil && r.keep(cand) {
		return r.shorten(cand)
	}
	return s
}

// selfish reports whether a step gives an object to a method of its own.
func (r *reducer) selfish(st seq.Step) bool {
	op := &r.t.Ops[st.Op]
	return op.API && op.Kind == seq.Method && st.Args[0].Lit == nil && r.t.Types[op.Params[0]].Literal == seq.NoLiteral &&
		slices.Contains(st.Args[1:], st.Args[0])
}

// directCall replaces all of s by one call, if keep holds for it, of an operation that
// takes only literals, with literals of s. A bug that is found through an object is
// often one of a function that can be called without it.
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
		if r.direct(&cand[0]) && cand.Check(r.t) == nil && r.keep(cand) {
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

// A weight orders sequences: by the number of calls, steps, arguments, slots among the
// arguments, and by how complex the literals are.
type weight [5]int

func (w weight) less(v weight) bool { return slices.Compare(w[:], v[:]) < 0 }

func size(t *seq.Table, s seq.Sequence) weight {
	args, slots, literals := 0, 0, 0
	for i := range s {
		args += len(s[i].Args)
		for _, a := range s[i].Args {
			if a.Lit == nil {
				slots++
			} else {
				literals += literalWeight(a.Lit)
			}
		}
	}
	return weight{s.Calls(t), len(s), args, slots, literals}
}

// Shorten removes steps of s, and those that depend on them, while keep holds. It removes
// all that the last step does not need, then runs of steps in halving sizes, then
// single steps from the back. keep(s) must hold on entry. Cost: O(len(s)²) calls of
// keep, in the worst case.
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
			for op := &r.t.Ops[s[i].Op]; len(s[i].Args) > op.Fewest(); {
				cand := s.WithArgs(i, slices.Clone(s[i].Args[:len(s[i].Args)-1]))
				if !r.keep(cand) {
					break
				}
				s, again = cand, true
			}
		}
	}
	return s
}

// firstSteps returns the shortest beginning of s for which keep holds. If it holds for
// one it must hold for all that are longer.
func (r *reducer) firstSteps(s seq.Sequence) seq.Sequence {
	n := 1 + sort.Search(len(s)-1, func(i int) bool { return r.keep(s[:i+1]) })
	return s[:n]
}

// replaceResults replaces slots by literals, so that the steps that make them can go.
func (r *reducer) replaceResults(s seq.Sequence) seq.Sequence {
	for slot := int32(s.Slots(r.t)) - 1; slot >= 0 && !r.done(); slot-- {
		if int(slot) >= s.Slots(r.t) || !s.Takes(slot) {
			continue
		}
		cand, ok := r.literalsFor(s, slot)
		if !ok {
			continue
		}
		if cand = seq.RemoveUnused(r.t, cand); len(cand) < len(s) && r.keep(cand) {
			s = cand
		}
	}
	return s
}

// plainArguments replaces each slot passed as an interface by the simplest literal:
// v0.Put(0), not v0.Put(v0). Literals keep their types: other runs of the code that
// compares them may depend on the type.
func (r *reducer) plainArguments(s seq.Sequence) seq.Sequence {
	for i := 0; i < len(s); i++ {
		for j := 0; i < len(s) && j < len(s[i].Args) && !r.done(); j++ {
			p, a := r.t.Ops[s[i].Op].Param(j), s[i].Args[j]
			l := r.pool.First(p)
			if l == nil || !r.t.Types[p].Interface || a.Lit != nil {
				continue
			}
			if cand := seq.RemoveUnused(r.t, s.With(i, j, seq.Lit(l))); cand.Check(r.t) == nil && r.keep(cand) {
				s = cand
			}
		}
	}
	return s
}

// literalsFor returns s with the simplest literal wherever a step takes slot. It reports
// false if one of the parameters takes no literal.
func (r *reducer) literalsFor(s seq.Sequence, slot int32) (seq.Sequence, bool) {
	for i, st := range s {
		for j, a := range st.Args {
			if a != (seq.Arg{Slot: slot}) {
				continue
			}
			l := r.pool.First(r.t.Ops[st.Op].Param(j))
			if l == nil {
				return nil, false
			}
			s = s.With(i, j, seq.Lit(l))
		}
	}
	return s, true
}

// mergeSlots replaces values by earlier ones of their type, so that the steps that make
// them can go. It does not begin to give objects to methods of their own.
func (r *reducer) mergeSlots(s seq.Sequence) seq.Sequence {
	for changed := true; changed && !r.done(); {
		changed = false
		types := s.SlotTypes(r.t)
	pairs:
		for later := len(types) - 1; later > 0 && !r.done(); later-- {
			for earlier := range later {
				if !r.t.AssignableTo(types[earlier], types[later]) || !s.Takes(int32(later)) ||
					!seq.FitsUses(r.t, s, 0, int32(later), types[earlier]) { // assignability is not transitive
					continue
				}
				merged := seq.ReplaceUses(s, 0, int32(later), seq.Slot(earlier))
				if slices.ContainsFunc(merged, r.selfish) && !slices.ContainsFunc(s, r.selfish) {
					continue
				}
				if cand := seq.RemoveUnused(r.t, merged); len(cand) < len(s) && r.keep(cand) {
					s, changed = cand, true
					break pairs
				}
				// Steps without a taken result may matter: remove the maker alone.
				if cand, ok := seq.Remove(r.t, merged, s.Maker(r.t, int32(later))); ok && len(cand) == len(s)-1 && r.keep(cand) {
					s, changed = cand, true
					break pairs
				}
			}
		}
	}
	return s
}

// replaceMakers replaces the steps that make a value by a shorter component.
func (r *reducer) replaceMakers(s seq.Sequence, comps *corpus.Components) seq.Sequence {
	for changed := comps != nil; changed; {
		changed = false
		types := s.SlotTypes(r.t)
	slots:
		for slot := len(types) - 1; slot >= 0 && !r.done(); slot-- {
			if !s.Takes(int32(slot)) {
				continue
			}
			list := comps.Of(types[slot])
			for _, comp := range list[:min(len(list), maxReplacements)] {
				cand := seq.Concat(r.t, comp.Steps, s)
				base := int32(comp.Steps.Slots(r.t))
				cand = seq.RemoveUnused(r.t, seq.ReplaceUses(cand, 0, base+int32(slot), seq.Arg{Slot: comp.Slot}))
				if size(r.t, cand).less(size(r.t, s)) && cand.Check(r.t) == nil && r.keep(cand) {
					s, changed = cand, true
					break slots
				}
			}
		}
	}
	return s
}

// emptyStructs replaces struct literals with fields by those without, together with the values made for the
// fields. T{A: 0} and T{} are equal, but a rule that asks for fields sees the first only.
func (r *reducer) emptyStructs(s seq.Sequence) seq.Sequence {
	for i := len(s) - 1; i >= 0 && !r.done(); i-- {
		empty, ok := r.emptyOf(&r.t.Ops[s[i].Op])
		if !ok {
			continue
		}
		cand := slices.Clone(s)
		cand[i] = seq.Step{Op: empty}
		if cand = seq.RemoveUnused(r.t, cand); cand.Check(r.t) == nil && r.keep(cand) {
			s, i = cand, min(i, len(cand))
		}
	}
	return s
}

// emptyOf returns the literal without fields of the type that a literal with fields makes.
func (r *reducer) emptyOf(filled *seq.Operation) (seq.OpID, bool) {
	if filled.Kind != seq.Composite || filled.Shape != seq.Filled {
		return 0, false
	}
	for id := range r.t.Ops {
		if op := &r.t.Ops[id]; op.Kind == seq.Composite && op.Shape == seq.Empty && slices.Equal(op.Results, filled.Results) {
			return seq.OpID(id), true
		}
	}
	return 0, false
}

// minimizeLiterals makes literals simpler: zero, one, shorter, smaller.
func (r *reducer) minimizeLiterals(s seq.Sequence) seq.Sequence {
	s = s.Clone() // candidates share arguments with it, and should pin no longer sequence
	for i := range s {
		for j := range s[i].Args {
			if r.done() {
				return s
			}
			s = r.shortenString(s, i, j)
			for l := s[i].Args[j].Lit; l != nil; {
				simplified := r.simplify(s, i, j, l)
				if simplified == nil {
					break
				}
				s, l = simplified, simplified[i].Args[j].Lit
			}
		}
	}
	return s
}

// simplify returns s with a simpler literal than l, argument j of step i, or nil if
// keep holds for none. If it holds for none there alone, l may have to be the same in all places,
// as a name that is given twice.
func (r *reducer) simplify(s seq.Sequence, i, j int, l *seq.Literal) seq.Sequence {
	alone := func(by *seq.Literal) seq.Sequence { return s.With(i, j, seq.Lit(by)) }
	if cand := r.simplifyBy(l, alone); cand != nil {
		return cand
	}
	twice := false
	everywhere := func(by *seq.Literal) seq.Sequence {
		cand := s
		for m := range s {
			for n, a := range s[m].Args {
				if a.Lit != nil && a.Lit.Type == l.Type && a.Lit.Value == l.Value {
					twice = twice || m != i || n != j
					cand = cand.With(m, n, seq.Lit(by))
				}
			}
		}
		return cand
	}
	if everywhere(l); !twice {
		return nil
	}
	return r.simplifyBy(l, everywhere)
}

// simplifyBy returns the first sequence that replace makes with a simpler literal than l and for
// which keep holds, nil if there is none.
func (r *reducer) simplifyBy(l *seq.Literal, replace func(by *seq.Literal) seq.Sequence) seq.Sequence {
	for _, v := range simpler(l.Value) {
		by := r.pool.Intern(&seq.Literal{Type: l.Type, Value: v})
		if literalWeight(by) >= literalWeight(l) {
			continue
		}
		if cand := replace(by); cand.Check(r.t) == nil && r.keep(cand) {
			return cand
		}
	}
	return nil
}

// shortenString removes parts of a long string, argument j of step i.
func (r *reducer) shortenString(s seq.Sequence, i, j int) seq.Sequence {
	if l := s[i].Args[j].Lit; l == nil || len(l.Text()) <= longString {
		return s
	}
	return ShortenText(s, i, j, 1, r.pool.Intern, r.keep)
}

// ShortenText removes runs of bytes of a text, argument j of step i, while keep holds: halves
// first, at last runs of least bytes. literal returns the literal to use for a new one, such as
// [Pool.Intern]. Cost: O(n) calls of keep for n bytes that stay.
func ShortenText(s seq.Sequence, i, j, least int, literal func(*seq.Literal) *seq.Literal, keep func(seq.Sequence) bool) seq.Sequence {
	l := s[i].Args[j].Lit
	text := l.Text()
	for n := (len(text) + 1) / 2; n >= least; n /= 2 {
		for from := 0; from < len(text); {
			shorter := text[:from] + text[min(from+n, len(text)):]
			cand := s.With(i, j, seq.Lit(literal(&seq.Literal{Type: l.Type, Value: shorter})))
			if keep(cand) {
				s, text = cand, shorter
				continue
			}
			from += n
		}
	}
	return s
}
