package concolic

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

// slice compiles x[low:high:max]. A symbolic high end stays symbolic: it is the length of
// the result. A symbolic low end is pinned.
func (c *compiler) slice(in *ssa.Slice) {
	x, d := c.reg(in.X), c.reg(in)
	var regs [3]int
	var kinds [3]kind
	for i, v := range [...]ssa.Value{in.Low, in.High, in.Max} {
		regs[i] = -1
		if v != nil {
			regs[i], kinds[i] = c.reg(v), kindOf(v.Type())
		}
	}
	bounds, pin := c.site(Bounds), c.site(Pin)
	c.emit(func(fr *frame) {
		m := fr.m
		var at [3]*value
		for i, r := range regs {
			if r >= 0 {
				v := fr.r[r]
				if v.e != nil {
					v.e = m.terms.Convert(v.e, 64, kinds[i].signed)
				}
				at[i] = &v
			}
		}
		if at[0] != nil {
			m.checkSlice(&fr.r[x], &at, bounds)
			m.pin(pin, at[0], 64)
		} else {
			m.checkSlice(&fr.r[x], &at, bounds)
		}
		fr.r[d] = m.sliced(&fr.r[x], at)
	})
}

// extent returns the length and the capacity of a value that is sliced.
func (m *Machine) extent(x *value) (length value, capacity int) {
	switch s := x.x.(type) {
	case *str:
		return s.length(), len(s.s)
	case *slice:
		return value{n: uint64(len(s.a)), e: s.n}, cap(s.a)
	case *value:
		n := len(s.fields())
		return integer(n), n
	}
	return value{}, 0
}

// checkSlice checks the ends of a slice, which are branches, and fills in those that
// miss.
func (m *Machine) checkSlice(x *value, at *[3]*value, site int32) {
	length, capacity := m.extent(x)
	if at[0] == nil {
		at[0] = new(value)
	}
	if at[1] == nil {
		at[1] = &length
	}
	limit := integer(capacity)
	if at[2] != nil {
		m.atMost(at[2], &limit, site)
		limit = *at[2]
	} else if _, ok := x.x.(*str); ok {
		limit = length
	}
	m.atMost(at[1], &limit, site)
	m.atMost(at[0], at[1], site)
}

// atMost panics unless a <= b, as unsigned numbers.
func (m *Machine) atMost(a, b *value, site int32) {
	ok := a.n <= b.n
	if (a.e != nil || b.e != nil) && a != b {
		above := m.terms.Binary(solver.ULt, m.term(b, 64), m.term(a, 64))
		m.decide(site, value{n: solver.Truth(!ok), e: above})
	}
	if !ok {
		m.throw("runtime error: slice bounds out of range")
	}
}

// sliced returns x[at[0]:at[1]:at[2]], of which the first is concrete.
func (m *Machine) sliced(x *value, at [3]*value) value {
	lo, hi := int(at[0].n), int(at[1].n)
	var n *solver.Term
	if at[1].e != nil {
		n = m.terms.Binary(solver.Sub, at[1].e, m.terms.Const(64, at[0].n))
	}
	switch s := x.x.(type) {
	case *str:
		return value{x: s.substring(lo, hi, n)}
	case *slice:
		return value{x: &slice{s.a[lo:hi:top(at[2], cap(s.a))], n}}
	case *value:
		f := s.fields()
		m.readAll(f)
		return value{x: &slice{f[lo:hi:top(at[2], len(f))], n}}
	}
	return *x // of nil, or of the empty string
}

func top(v *value, otherwise int) int {
	if v == nil {
		return otherwise
	}
	return int(v.n)
}

func (c *compiler) toArrayPointer(in *ssa.SliceToArrayPointer) {
	x, d := c.reg(in.X), c.reg(in)
	n := int(in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	c.emit(func(fr *frame) {
		list := fr.r[x].elems()
		if len(list) < n {
			fr.m.throw("runtime error: cannot convert slice to array")
		}
		if fr.r[x].x == nil {
			fr.r[d] = value{}
			return
		}
		fr.r[d] = value{x: &value{x: &aggregate{list[:n:n]}}}
	})
}

// addressSpace is how many bytes Go allocates at most on 64-bit machines.
const addressSpace = 1 << 48

func (c *compiler) makeSlice(in *ssa.MakeSlice) {
	n, capacity, d := c.reg(in.Len), c.reg(in.Cap), c.reg(in)
	elem := in.Type().Underlying().(*types.Slice).Elem()
	k, site := kindOf(in.Len.Type()), c.site(Negative)
	longest := uint64(addressSpace / max(gcSizes.Sizeof(elem), 1))
	c.emit(func(fr *frame) {
		m, l, most := fr.m, fr.r[n], fr.r[capacity]
		if l.e != nil {
			l.e = m.terms.Convert(l.e, 64, k.signed)
			m.decide(site, value{n: solver.Truth(int64(l.n) < 0), e: m.terms.Binary(solver.SLt, l.e, m.terms.Const(64, 0))})
		}
		if int64(l.n) < 0 || int64(most.n) < int64(l.n) || most.n > longest {
			m.throw("runtime error: makeslice: len out of range")
		}
		if most.n > uint64(m.limits.Cells) {
			m.abort(ReasonMemory, "make")
		}
		fr.r[d] = value{x: &slice{m.zeros(elem, int(most.n))[:l.n], l.e}}
	})
}

// maxKeys bounds the keys that a symbolic key is compared with.
const maxKeys = 64

// find looks a key up. That a symbolic key equals one of the map is a branch.
func (m *Machine) find(t *types.Map, x, key *value, site int32) (value, bool) {
	mp, _ := x.x.(*mapping)
	if mp == nil {
		m.hashKey(t.Key(), key)
		return m.zero(t.Elem()), false
	}
	i, ok := m.locate(t, mp, key, site)
	if !ok {
		return m.zero(t.Elem()), false
	}
	return clone(mp.vals[i]), true
}

func (m *Machine) locate(t *types.Map, mp *mapping, key *value, site int32) (int, bool) {
	at, found := mp.at[m.hashKey(t.Key(), key)]
	if !symbolicKey(key) {
		return at, found
	}
	tried := 0
	for i := range mp.keys {
		if mp.gone[i] || tried >= maxKeys {
			continue
		}
		tried++
		same, term := m.equal(t.Key(), key, &mp.keys[i])
		if term != nil {
			m.decide(site, value{n: solver.Truth(same), e: term})
		}
		if same {
			break
		}
	}
	return at, found
}

func symbolicKey(v *value) bool {
	if v.e != nil {
		return true
	}
	switch x := v.x.(type) {
	case *str:
		return x.symbolic()
	case *iface:
		return symbolicKey(&x.v)
	case *aggregate:
		for i := range x.f {
			if symbolicKey(&x.f[i]) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) mapUpdate(in *ssa.MapUpdate) {
	x, k, v := c.reg(in.Map), c.reg(in.Key), c.reg(in.Value)
	t, site := in.Map.Type().Underlying().(*types.Map), c.site(Key)
	c.emit(func(fr *frame) {
		m := fr.m
		mp, _ := fr.r[x].x.(*mapping)
		if mp == nil {
			m.throw("assignment to entry in nil map")
		}
		i, ok := m.locate(t, mp, &fr.r[k], site)
		m.change(mp)
		if ok {
			mp.vals[i] = clone(fr.r[v])
			return
		}
		m.allocate(2)
		mp.at[m.hashKey(t.Key(), &fr.r[k])] = len(mp.keys)
		mp.keys, mp.vals, mp.gone = append(mp.keys, fr.r[k]), append(mp.vals, clone(fr.r[v])), append(mp.gone, false)
		mp.live++
	})
}

// remove deletes a key.
func (m *Machine) remove(t *types.Map, x, key *value, site int32) {
	mp, _ := x.x.(*mapping)
	if mp == nil {
		return
	}
	i, ok := m.locate(t, mp, key, site)
	if !ok {
		return
	}
	m.change(mp)
	delete(mp.at, m.hashKey(t.Key(), key))
	mp.gone[i] = true
	mp.live--
}

// iterator is the state of a range over a string or a map.
type iterator struct {
	s  *str
	mp *mapping
	at int
}

func (c *compiler) rangeOver(in *ssa.Range) {
	x, d := c.reg(in.X), c.reg(in)
	isText := kindOf(in.X.Type()).class == stringClass
	c.emit(func(fr *frame) {
		if isText {
			fr.r[d] = value{x: &iterator{s: fr.r[x].str()}}
			return
		}
		mp, _ := fr.r[x].x.(*mapping)
		if mp == nil {
			mp = &mapping{}
		}
		fr.r[d] = value{x: &iterator{mp: mp}}
	})
}

func (c *compiler) next(in *ssa.Next) {
	x, d, site := c.reg(in.Iter), c.reg(in), c.site(Choice)
	c.emit(func(fr *frame) {
		m, it := fr.m, fr.r[x].x.(*iterator)
		if it.s == nil {
			fr.r[d] = it.nextEntry()
			return
		}
		more := boolean(it.at < len(it.s.s))
		if it.s.n != nil {
			more.e = concrete(m.terms.Binary(solver.ULt, m.terms.Const(64, uint64(it.at)), it.s.n))
		}
		if it.at >= len(it.s.s) {
			fr.r[d] = tuple(more, value{}, value{})
			return
		}
		r, width := m.decode(it.s, it.at, site)
		fr.r[d] = tuple(more, integer(it.at), r)
		it.at += width
	})
}

func (it *iterator) nextEntry() value {
	mp := it.mp
	for it.at < len(mp.keys) && mp.gone[it.at] {
		it.at++
	}
	if it.at >= len(mp.keys) {
		return tuple(value{}, value{}, value{})
	}
	it.at++
	return tuple(value{n: 1}, mp.keys[it.at-1], clone(mp.vals[it.at-1]))
}
