package concolic

import (
	"slices"
	"unicode/utf8"

	"foray.test/cmd/internal/concolic/solver"
)

// maxCompared bounds the bytes of strings that are compared as one term.
const maxCompared = 64

// byteAt returns byte i of a string as a value.
func (s *str) byteAt(i int) value {
	v := value{n: uint64(s.s[i])}
	if i < len(s.sym) {
		v.e = s.sym[i]
	}
	return v
}

// symbolic reports whether a byte of s, or its length, depends on the input.
func (s *str) symbolic() bool {
	if s.n != nil {
		return true
	}
	return slices.ContainsFunc(s.sym, func(e *solver.Term) bool { return e != nil })
}

// length returns the length of a string as a value.
func (s *str) length() value { return value{n: uint64(len(s.s)), e: s.n} }

// lengthTerm returns the length of s as a term.
func (m *Machine) lengthTerm(s *str) *solver.Term {
	if s.n != nil {
		return s.n
	}
	return m.terms.Const(64, uint64(len(s.s)))
}

// byteTerm returns byte i of s as a term, or nil if s has no such byte, not even if it
// were longer.
func (m *Machine) byteTerm(s *str, i int) *solver.Term {
	switch {
	case i < len(s.sym) && s.sym[i] != nil:
		return s.sym[i]
	case i < len(s.s):
		return m.terms.Const(8, uint64(s.s[i]))
	}
	return nil
}

// equalText compares strings. The term also holds for strings that are longer than now.
func (m *Machine) equalText(a, b *str) (bool, *solver.Term) {
	same := a.s == b.s
	if !a.symbolic() && !b.symbolic() {
		return same, nil
	}
	if a.n != nil && b.n == nil {
		a, b = b, a
	}
	n := len(a.s) // b may get the length of a
	all := m.terms.Binary(solver.Eq, m.lengthTerm(b), m.lengthTerm(a))
	for i := range n {
		p, q := m.byteTerm(a, i), m.byteTerm(b, i)
		if q == nil || i >= 4*maxCompared {
			if same {
				return same, nil
			}
			return same, concrete(m.terms.Bool(false))
		}
		all = m.terms.Binary(solver.And, all, m.terms.Binary(solver.Eq, p, q))
	}
	if a.n != nil && m.terms.Eval(m.run.Input, all)[0] != 0 != same {
		return same, nil // both lengths are symbolic: the term is not exact
	}
	return same, concrete(all)
}

// concrete drops terms that are constant.
func concrete(t *solver.Term) *solver.Term {
	if t == nil || t.Op == solver.Const {
		return nil
	}
	return t
}

// lessText compares strings in order.
func (m *Machine) lessText(a, b *str) (bool, *solver.Term) {
	less := a.s < b.s
	if !a.symbolic() && !b.symbolic() || len(a.s) > maxCompared || len(b.s) > maxCompared {
		return less, nil
	}
	n := min(len(a.s), len(b.s))
	t := m.terms.Binary(solver.SLt, m.lengthTerm(a), m.lengthTerm(b))
	for i := n - 1; i >= 0; i-- {
		p, q := m.byteTerm(a, i), m.byteTerm(b, i)
		t = m.terms.Ite(m.terms.Binary(solver.Eq, p, q), t, m.terms.Binary(solver.ULt, p, q))
	}
	return less, concrete(t)
}

// concat returns a + b.
func (m *Machine) concat(a, b *str) *str {
	m.allocate((len(a.s) + len(b.s)) / 16)
	s := &str{s: a.s + b.s}
	if a.n != nil || b.n != nil {
		s.n = m.terms.Binary(solver.Add, m.lengthTerm(a), m.lengthTerm(b))
	}
	if a.sym != nil || b.sym != nil {
		s.sym = make([]*solver.Term, len(s.s))
		copy(s.sym, a.sym[:min(len(a.sym), len(a.s))])
		copy(s.sym[len(a.s):], b.sym)
	}
	return s
}

// substring returns s[lo:hi], with n for its symbolic length.
func (s *str) substring(lo, hi int, n *solver.Term) *str {
	sub := &str{s: s.s[lo:hi], n: n}
	if n != nil {
		hi = len(s.sym)
	}
	if lo < len(s.sym) {
		sub.sym = s.sym[lo:min(max(hi, lo), len(s.sym))]
	}
	return sub
}

// bytesOf returns the bytes of a string as elements.
func (m *Machine) bytesOf(s *str) []value {
	m.allocate(len(s.s))
	list := make([]value, len(s.s))
	for i := range list {
		list[i] = s.byteAt(i)
	}
	return list
}

// textOf returns a string with given bytes.
func textOf(list []value, n *solver.Term) *str {
	b := make([]byte, len(list))
	s := &str{n: n}
	for i := range list {
		b[i] = byte(list[i].n)
		if list[i].e != nil {
			if s.sym == nil {
				s.sym = make([]*solver.Term, len(list))
			}
			s.sym[i] = list[i].e
		}
	}
	s.s = string(b)
	return s
}

// decode returns the rune at the begin of s[i:] and its width. That a symbolic byte is
// below 0x80 is a branch; longer encodings have those of models.DecodeRune.
func (m *Machine) decode(s *str, i int, site int32) (r value, width int) {
	if !s.symbolic() {
		ch, width := utf8.DecodeRuneInString(s.s[i:])
		return value{n: uint64(int64(ch))}, width
	}
	c := s.byteAt(i)
	ascii := boolean(c.n < utf8.RuneSelf)
	if c.e != nil {
		ascii.e = m.terms.Binary(solver.ULt, c.e, m.terms.Const(8, utf8.RuneSelf))
	}
	if m.decide(site, ascii) {
		r := value{n: c.n}
		if c.e != nil {
			r.e = m.terms.Convert(c.e, 32, false)
		}
		return r, 1
	}
	var n *solver.Term
	if s.n != nil {
		n = m.terms.Binary(solver.Sub, s.n, m.terms.Const(64, uint64(i)))
	}
	v := m.model("DecodeRune", value{x: s.substring(i, len(s.s), n)})
	return v.fields()[0], int(v.fields()[1].n)
}

// model calls a function of package models.
func (m *Machine) model(name string, args ...value) value {
	m.inModel++
	v := m.call(m.function(m.prog.models.Func(name)), args, nil)
	m.inModel--
	return v
}

// encode returns the string of an integer.
func (m *Machine) encode(r *value, k kind) *str {
	n := uint64(int64(int32(r.n)))
	if r.e == nil || k.width == 64 && n != r.n { // such an integer is no rune
		return &str{s: encodeRune(r.n, k)}
	}
	v := m.model("EncodeRune", value{n: n, e: concrete(m.terms.Convert(r.e, 32, k.signed))})
	return v.str()
}

func encodeRune(n uint64, k kind) string {
	if k.signed && int64(n) != int64(rune(n)) || !k.signed && n > utf8.MaxRune {
		return string(utf8.RuneError)
	}
	return string(rune(n))
}
