package exhaustive

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sort"
	"sync"
)

// An Enum is a finite sequence of values that is counted before it is built
// (functional enumeration, [Duregard12]). [Values], [Sum], [Pair] and [Map] make one
// of others, a [Family] makes recursive ones.
type Enum[T any] struct {
	count counter
	parts parts[T]

	once  sync.Once
	table []T // all values, shared by everything that contains them
}

// parts are the ways to make the values of an Enum.
type parts[T any] interface {
	at(i uint64) T
	atBig(i *big.Int) T
	each(yield func(T) bool) bool
}

// maxTable is the number of values up to which Shared keeps the values of a part.
const maxTable = 1 << 20

// A counter is a number of values. Few enumerations need big numbers.
type counter struct {
	small uint64
	big   *big.Int // if it does not fit into small
}

func (n counter) whole() *big.Int {
	if n.big != nil {
		return n.big
	}
	return new(big.Int).SetUint64(n.small)
}

func (n counter) plus(m counter) counter {
	if sum, carry := bits.Add64(n.small, m.small, 0); n.big == nil && m.big == nil && carry == 0 {
		return counter{small: sum}
	}
	return counter{big: new(big.Int).Add(n.whole(), m.whole())}
}

func (n counter) times(m counter) counter {
	if hi, lo := bits.Mul64(n.small, m.small); n.big == nil && m.big == nil && hi == 0 {
		return counter{small: lo}
	}
	product := new(big.Int).Mul(n.whole(), m.whole())
	if product.IsUint64() { // zero times a big number
		return counter{small: product.Uint64()}
	}
	return counter{big: product}
}

// Count returns the number of values.
func (e *Enum[T]) Count() *big.Int { return new(big.Int).Set(e.count.whole()) }

// At returns the i-th value, newly built. It panics if there are not that many.
func (e *Enum[T]) At(i uint64) T {
	if e.count.big != nil {
		return e.parts.atBig(new(big.Int).SetUint64(i))
	}
	if i >= e.count.small {
		panic(fmt.Sprintf("exhaustive: At(%d) of an Enum of %d values", i, e.count.small))
	}
	return e.parts.at(i)
}

// AtBig is At for numbers beyond 64 bits. It does not keep i.
func (e *Enum[T]) AtBig(i *big.Int) T {
	if i.Sign() < 0 || i.Cmp(e.count.whole()) >= 0 {
		panic(fmt.Sprintf("exhaustive: AtBig(%v) of an Enum of %v values", i, e.count.whole()))
	}
	return e.of(i)
}

func (e *Enum[T]) of(i *big.Int) T {
	if e.count.big == nil {
		return e.parts.at(i.Uint64())
	}
	return e.parts.atBig(i)
}

// All ranges over the values and their numbers. Each is newly built, from the values
// given to [Values].
func (e *Enum[T]) All() iter.Seq2[uint64, T] {
	return func(yield func(uint64, T) bool) {
		n := e.count.small
		if e.count.big != nil {
			n = math.MaxUint64
		}
		for i := range n {
			if !yield(i, e.At(i)) {
				return
			}
		}
	}
}

// Shared ranges over the values of All in its order, several times as fast: values
// have parts in common, up to a million of each part being kept. So they must not be
// changed.
func (e *Enum[T]) Shared() iter.Seq2[uint64, T] {
	return func(yield func(uint64, T) bool) {
		i := uint64(0)
		e.parts.each(func(v T) bool {
			i++
			return yield(i-1, v)
		})
	}
}

// share is each, by way of the table if it is not too long.
func (e *Enum[T]) share(yield func(T) bool) bool {
	table := e.values()
	if table == nil {
		return e.parts.each(yield)
	}
	return eachOf(table, yield)
}

// values returns the table, nil if it would be too long.
func (e *Enum[T]) values() []T {
	if e.count.big != nil || e.count.small > maxTable {
		return nil
	}
	e.once.Do(func() {
		table := make([]T, 0, e.count.small)
		e.parts.each(func(v T) bool {
			table = append(table, v)
			return true
		})
		e.table = table // not before all are made: a function of the caller may panic
	})
	return e.table
}

// Sample returns a value, each with the same probability. It panics if there is none.
func (e *Enum[T]) Sample(r *rand.Rand) T {
	if e.count.big == nil {
		if e.count.small == 0 {
			panic("exhaustive: Sample of an Enum without values")
		}
		return e.parts.at(r.Uint64N(e.count.small))
	}
	i, size := new(big.Int), e.count.big.BitLen()
	words := make([]byte, (size+7)/8)
	for { // twice on average
		for j := range words {
			words[j] = byte(r.Uint32())
		}
		words[0] &= byte(0xff >> (len(words)*8 - size))
		if i.SetBytes(words).Cmp(e.count.big) < 0 {
			return e.parts.atBig(i)
		}
	}
}

// Pick returns one of the values of e, as a choice of c.
func Pick[T any](c *C, e *Enum[T]) T {
	if e.count.big != nil || e.count.small > math.MaxInt64 {
		c.failf("%s: a choice among %v values: use smaller bounds, or Sample", c.place(), e.count.whole())
	}
	return e.parts.at(uint64(c.Choose("", int(e.count.small))))
}

// Values returns the enumeration of some values.
func Values[T any](values ...T) *Enum[T] {
	return &Enum[T]{count: counter{small: uint64(len(values))}, parts: list[T](values)}
}

type list[T any] []T

func (l list[T]) at(i uint64) T                { return l[i] }
func (l list[T]) atBig(i *big.Int) T           { return l[i.Uint64()] }
func (l list[T]) each(yield func(T) bool) bool { return eachOf(l, yield) }

func eachOf[T any](list []T, yield func(T) bool) bool {
	for _, v := range list {
		if !yield(v) {
			return false
		}
	}
	return true
}

// Map returns the enumeration of f of the values of e.
func Map[A, T any](e *Enum[A], f func(A) T) *Enum[T] {
	return &Enum[T]{count: e.count, parts: mapped[A, T]{e, f}}
}

type mapped[A, T any] struct {
	e *Enum[A]
	f func(A) T
}

func (m mapped[A, T]) at(i uint64) T      { return m.f(m.e.parts.at(i)) }
func (m mapped[A, T]) atBig(i *big.Int) T { return m.f(m.e.of(i)) }
func (m mapped[A, T]) each(yield func(T) bool) bool {
	return m.e.share(func(a A) bool { return yield(m.f(a)) })
}

// Sum returns the enumeration of the values of one after the other.
func Sum[T any](of ...*Enum[T]) *Enum[T] {
	s := &sum[T]{}
	var total counter
	for _, e := range of {
		if e.count.big == nil && e.count.small == 0 {
			continue
		}
		total = total.plus(e.count)
		s.of, s.ends = append(s.of, e), append(s.ends, total)
	}
	if len(s.of) == 1 {
		return s.of[0]
	}
	return &Enum[T]{count: total, parts: s}
}

type sum[T any] struct {
	of   []*Enum[T]
	ends []counter // of[k] has the numbers from ends[k-1] to before ends[k]
}

func (s *sum[T]) at(i uint64) T {
	k := 0
	for i >= s.ends[k].small {
		k++
	}
	if k > 0 {
		i -= s.ends[k-1].small
	}
	return s.of[k].parts.at(i)
}

func (s *sum[T]) atBig(i *big.Int) T {
	k := sort.Search(len(s.ends), func(k int) bool { return i.Cmp(s.ends[k].whole()) < 0 })
	if k > 0 {
		i = new(big.Int).Sub(i, s.ends[k-1].whole())
	}
	return s.of[k].of(i)
}

func (s *sum[T]) each(yield func(T) bool) bool {
	return eachOf(s.of, func(e *Enum[T]) bool { return e.share(yield) })
}

// Pair returns the enumeration of f of each value of a with each of b. The value of b
// changes first.
func Pair[A, B, T any](a *Enum[A], b *Enum[B], f func(A, B) T) *Enum[T] {
	return &Enum[T]{count: a.count.times(b.count), parts: pair[A, B, T]{a, b, f}}
}

type pair[A, B, T any] struct {
	a *Enum[A]
	b *Enum[B]
	f func(A, B) T
}

func (p pair[A, B, T]) at(i uint64) T {
	n := p.b.count.small
	if n == 1 {
		return p.f(p.a.parts.at(i), p.b.parts.at(0))
	}
	return p.f(p.a.parts.at(i/n), p.b.parts.at(i%n))
}

func (p pair[A, B, T]) atBig(i *big.Int) T {
	k, l := new(big.Int).QuoRem(i, p.b.count.whole(), new(big.Int))
	return p.f(p.a.of(k), p.b.of(l))
}

func (p pair[A, B, T]) each(yield func(T) bool) bool {
	if table := p.b.values(); table != nil {
		return p.a.share(func(x A) bool {
			return eachOf(table, func(y B) bool { return yield(p.f(x, y)) })
		})
	}
	return p.a.share(func(x A) bool {
		return p.b.parts.each(func(y B) bool { return yield(p.f(x, y)) })
	})
}

// A Family is a set of enumerations that refer to one another: of trees by their
// number of nodes, of expressions by the names in scope. Each is made once. A
// Family must not be used by several goroutines before its members are made.
type Family[K comparable, T any] struct {
	build  func(f *Family[K, T], key K) *Enum[T]
	made   map[K]*Enum[T]
	making int
}

// maxMaking is the number of members that may wait for one another.
const maxMaking = 10_000

// NewFamily returns the family of the enumerations that build makes. build asks f for
// the parts, which must be smaller in some way.
func NewFamily[K comparable, T any](build func(f *Family[K, T], key K) *Enum[T]) *Family[K, T] {
	return &Family[K, T]{build: build, made: map[K]*Enum[T]{}}
}

// Of returns the member of the family with a key.
func (f *Family[K, T]) Of(key K) *Enum[T] {
	e, ok := f.made[key]
	if ok && e == nil {
		panic(fmt.Sprintf("exhaustive: the member %v of a Family needs itself: a part must be smaller than the whole", key))
	}
	if ok {
		return e
	}
	if f.making >= maxMaking {
		panic(fmt.Sprintf("exhaustive: %d members of a Family wait for %v: the recursion has no end", maxMaking, key))
	}
	f.made[key] = nil
	f.making++
	e = f.build(f, key)
	f.making--
	f.made[key] = e
	return e
}
