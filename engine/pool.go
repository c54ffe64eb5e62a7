package engine

import (
	"math"
	"slices"
	"strconv"
	"time"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// Pool holds the literals that composition draws from, by type. It follows from
// the table alone, so both ends of the worker protocol build the same one and
// name a literal by its number.
type Pool struct {
	Literals []*seq.Literal // Literals[i].Pool == i+1
	Index    *seq.TypeIndex // of the table
	byType   []typePool
	plain    []seq.TypeID // by wanted type: of Index.Literals the one that is simplest to read, 0 if there is none
}

// typePool is the pool of one type, in classes drawn with different frequency.
type typePool struct {
	small   []*seq.Literal // a small shared range: calls must meet each other's values
	mined   []*seq.Literal // from the package's source, the most telling first
	special []*seq.Literal // boundary values
	large   []*seq.Literal // numbers beyond the usual size
	huge    []*seq.Literal // numbers that taken as sizes or counts take memory or time
	null    *seq.Literal
	brief   []*seq.Literal // of durations: the only ones that DrawSmall draws
	steady  []*seq.Literal // … those of small that are not hasty
	words   []*seq.Literal // all but null and most of small, the most telling first
}

// magnitude says how large the numbers of a sequence, or of a call, may be.
type magnitude int8

const (
	tiny  magnitude = iota - 1 // see DrawSmall
	usual                      // beside tiny ones those that say something of the package
	large                      // up to HugeInt
	huge                       // any
)

// NewPool builds the pool of a table.
func NewPool(t *seq.Table) *Pool {
	p := &Pool{Index: seq.NewTypeIndex(t), byType: make([]typePool, len(t.Types)), plain: make([]seq.TypeID, len(t.Types))}
	for i := 1; i < len(t.Types); i++ {
		p.fill(seq.TypeID(i), &t.Types[i])
		b := &p.byType[i]
		b.words = slices.Concat(b.mined, b.small[:min(restrictedRange, len(b.small))], b.special, b.large, b.huge)
	}
	for i := range t.Types {
		p.plain[i] = plainest(t, p.Index.Literals[i])
	}
	return p
}

// plainest returns the type of takes that a person would write a literal of: int before
// string before all else. It is zero if takes is empty.
func plainest(t *seq.Table, takes []seq.TypeID) seq.TypeID {
	for _, name := range []string{"int", "string"} {
		for _, id := range takes {
			if t.Types[id].Name == name {
				return id
			}
		}
	}
	if len(takes) == 0 {
		return 0
	}
	return takes[0]
}

// fill adds the literals of a type.
func (p *Pool) fill(id seq.TypeID, ty *seq.Type) {
	b := &p.byType[id]
	add := func(v any) *seq.Literal {
		l := &seq.Literal{Type: id, Value: v, Pool: uint32(len(p.Literals) + 1)}
		p.Literals = append(p.Literals, l)
		return l
	}
	if ty.Nilable {
		b.null = add(nil)
	}
	if ty.Duration() {
		b.fillDurations(ty, add)
		return
	}
	small, special := valuesOf(ty)
	for _, v := range small {
		b.small = append(b.small, add(v))
	}
	for _, v := range special {
		switch magnitudeOf(v) {
		case huge:
			b.huge = append(b.huge, add(v))
		case large:
			b.large = append(b.large, add(v))
		default:
			b.special = append(b.special, add(v))
		}
	}
	for _, text := range ty.Mined {
		if v, ok := minedValue(ty, text); ok && magnitudeOf(v) == huge {
			b.huge = append(b.huge, add(v))
		} else if ok {
			b.mined = append(b.mined, add(v))
		}
	}
}

// fillDurations adds the literals of time.Duration. No small one makes a ticker that takes
// all of a processor.
func (b *typePool) fillDurations(ty *seq.Type, add func(v any) *seq.Literal) {
	for _, d := range durations {
		b.small = append(b.small, add(int64(d)))
	}
	b.brief = b.small[:briefDurations]
	b.steady = slices.DeleteFunc(slices.Clone(b.small), isHasty)
	b.special = []*seq.Literal{add(int64(-1))}
	b.large = []*seq.Literal{add(int64(time.Nanosecond)), add(int64(time.Microsecond))}
	b.huge = []*seq.Literal{add(int64(math.MaxInt64)), add(int64(math.MinInt64))}
	for _, text := range ty.Mined {
		// Any small number of the source may be one of another type.
		if v, ok := minedValue(ty, text); ok && isLong(&seq.Literal{Value: v}) {
			b.mined = append(b.mined, add(v))
		}
	}
}

// isLong reports whether l, a duration, is longer than those in [typePool.brief].
func isLong(l *seq.Literal) bool {
	d, _ := l.Value.(int64)
	return time.Duration(d) > durations[briefDurations-1]
}

// Boundary values of integers.
var (
	specialInts  = []int64{-1, -2, -10, -64, 64, 65, 99, 100, 127, 128, 255, 256, 257, 1000, 1023, 1024, 4096, -128, -129, 32767, 65535, 65536, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, -1 << 31, 1<<53 + 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	specialUints = []uint64{64, 65, 99, 100, 127, 128, 129, 192, 255, 256, 257, 512, 1000, 1023, 1024, 4096, 32767, 65535, 65536, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64}
)

// isHasty reports whether l, a duration, is shorter than those in [typePool.steady].
func isHasty(l *seq.Literal) bool {
	d, _ := l.Value.(int64)
	return 0 < d && time.Duration(d) < leastSteady
}

// valuesOf returns the values of a type that calls should share, and boundary values.
func valuesOf(ty *seq.Type) (small, special []any) {
	switch ty.Literal {
	case seq.Bool:
		small = []any{false, true}
	case seq.Int:
		small, special = integers(ty, specialInts)
	case seq.Uint:
		small, special = integers(ty, specialUints)
	case seq.Float:
		small = []any{0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 10.0, 100.0}
		special = []any{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0.1, 1e-9, 1e9, 1e22, math.Pi}
		if ty.Bits == 32 {
			special = append(special, math.MaxFloat32, math.SmallestNonzeroFloat32)
		} else {
			special = append(special, math.MaxFloat64, math.SmallestNonzeroFloat64)
		}
	case seq.Complex:
		small = []any{0i, 1 + 0i, -1 + 0i, 1i, 1 + 1i}
		special = []any{complex(math.NaN(), math.Inf(1))}
	case seq.String:
		small = []any{"", "a", "b", "c", "ab", "0", "1", "abc", "ba", "aa", "A", "x", "y", "12", "-1", " "}
		special = []any{"\x00", "\xff", "é", "世界", "\n", ".", ",", ":", "/", "-", "_", "=", "+", "*", "%", "\"", "'", "\\", "(", ")", "[", "]", "{", "}", "<", ">", "1.5", "1e9", "999999999999999999999", "0x10", "true", "null", "aaaaaaaaaaaaaaaa"}
	}
	return small, special
}

// integers returns the first integers, and those of special that a type has.
func integers[T int64 | uint64](ty *seq.Type, special []T) (small, has []any) {
	for v := T(0); v < smallRange; v++ {
		small = append(small, v)
	}
	for _, v := range special {
		if ty.Fits(v) {
			has = append(has, v)
		}
	}
	return small, has
}

// sizeOf returns v without its sign if it is a whole number, else zero.
func sizeOf(v any) uint64 {
	switch v := v.(type) {
	case int64:
		if v < 0 {
			return -uint64(v)
		}
		return uint64(v)
	case uint64:
		return v
	}
	return 0
}

// magnitudeOf classes v as a number that could be taken for a size.
func magnitudeOf(v any) magnitude {
	switch n := sizeOf(v); {
	case n > HugeInt:
		return huge
	case n > largeInt:
		return large
	}
	return usual
}

// Huge reports whether an argument of s is a number that taken as a size would cost much
// time or memory.
func Huge(s seq.Sequence) bool {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil && magnitudeOf(a.Lit.Value) == huge {
				return true
			}
		}
	}
	return false
}

// minedValue reads a Go literal as a value of the type; it reports false for one that does not fit.
func minedValue(ty *seq.Type, text string) (any, bool) {
	switch ty.Literal {
	case seq.Int:
		v, err := strconv.ParseInt(text, 0, int(max(ty.Bits, 8)))
		return v, err == nil
	case seq.Uint:
		v, err := strconv.ParseUint(text, 0, int(max(ty.Bits, 8)))
		return v, err == nil
	case seq.Float:
		v, err := strconv.ParseFloat(text, int(max(ty.Bits, 32)))
		return v, err == nil
	case seq.String:
		v, err := strconv.Unquote(text)
		return v, err == nil
	}
	return nil, false
}

// Nil returns the nil of a type, or nil if it has none.
func (p *Pool) Nil(t seq.TypeID) *seq.Literal { return p.byType[t].null }

// First returns the simplest literal that may stand where t is wanted, or nil if
// there is none.
func (p *Pool) First(t seq.TypeID) *seq.Literal { return p.Zero(p.plain[t]) }

// Zero returns the zero value of exactly type t, or nil if it is no literal.
func (p *Pool) Zero(t seq.TypeID) *seq.Literal {
	if small := p.byType[t].small; len(small) > 0 {
		return small[0]
	}
	return p.Nil(t)
}

// Words returns the literals of exactly type t that edits put in, the most telling
// first: mined, small, boundary values. The caller must not change the slice.
func (p *Pool) Words(t seq.TypeID) []*seq.Literal { return p.byType[t].words }

// Draw returns a literal of exactly type t, which must take literals. Small ones
// come from the first span of their range; none is beyond size.
func (p *Pool) Draw(src *draw.Source, t seq.TypeID, span int, size magnitude) *seq.Literal {
	return p.drawn(src, t, span, size, src.Choose("literal", literalDraws))
}

// drawn is Draw behind its first choice.
func (p *Pool) drawn(src *draw.Source, t seq.TypeID, span int, size magnitude, choice int) *seq.Literal {
	b := &p.byType[t]
	class, at := choice/smallRange, choice%smallRange
	if class >= minedClass {
		switch {
		case size == huge && class >= hugeClass && len(b.huge) > 0:
			return b.huge[src.Choose("huge", len(b.huge))]
		case size >= large && class >= largeClass && len(b.large) > 0:
			return b.large[src.Choose("large", len(b.large))]
		case class >= specialClass && len(b.special) > 0:
			return b.special[src.Choose("special", len(b.special))]
		case len(b.mined) > 0:
			return b.mined[src.Choose("mined", len(b.mined))]
		}
	}
	return b.small[at*min(span, len(b.small))/smallRange]
}

// DrawSmall returns a literal of exactly type t that no call takes long over.
func (p *Pool) DrawSmall(src *draw.Source, t seq.TypeID) *seq.Literal {
	small := p.byType[t].small
	if brief := p.byType[t].brief; brief != nil {
		small = brief
	}
	return small[src.Choose("small", min(restrictedRange, len(small)))]
}

// drawDuration returns a duration of type t that an operation of such a timing is given.
func (p *Pool) drawDuration(src *draw.Source, t seq.TypeID, by timing) *seq.Literal {
	if !by.steady {
		return p.DrawSmall(src, t)
	}
	list := p.byType[t].steady
	if by.brief {
		list = list[:1] // zero
	}
	return list[src.Choose("steady", len(list))]
}

// text draws a string of type t.
func (p *Pool) text(src *draw.Source, t seq.TypeID) string {
	return p.Draw(src, t, smallRange, usual).Value.(string)
}

// Intern returns the pool's literal of l's type and value, or l if it has none.
func (p *Pool) Intern(l *seq.Literal) *seq.Literal {
	b := &p.byType[l.Type]
	for _, class := range [][]*seq.Literal{b.small, b.special, b.mined, b.large, b.huge} {
		for _, have := range class {
			if have.Value == l.Value {
				return have
			}
		}
	}
	return l
}
