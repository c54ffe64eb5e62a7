package probe

import "unsafe"

// The analysis form of instrumented code marks the same sides as the normal
// one. Each condition also passes its operands to the probe:
//
//	if n > len(s) && !quiet {
//
// becomes
//
//	if foray_probe.IntGt(3, 6, foray_probe.Int64(n), foray_probe.Int64(len(s))) && !foray_probe.Visit(4, 8, quiet) {
//
// where 3 and 4 are the indexes of the conditions. Mode selects how much of a
// visit is recorded; nothing is allocated. Every goroutine that runs the code
// under test writes the variables below. They are exact if only one goroutine
// does; with several, nothing breaks.

// Modes, in rising cost.
const (
	ModeNothing = iota
	ModeHashes  // Sums
	ModeVisits  // and Log
)

// Kinds of operands, numbered as in package coverage.
const (
	NoOperands = iota
	SignedOperands
	UnsignedOperands
	FloatOperands
	StringOperands
	PointerOperands
	TypeOperands
	KeyOperands
)

// MaxText is how many bytes of a string are recorded.
const MaxText = 256

// An Entry is the record of a visit. It holds no pointer, so that two goroutines
// that write one at a time do no harm.
type Entry struct {
	X, Y       uint64
	Condition  int32
	Side       int32
	At         uint32 // offset in Bytes of the texts, X first
	XLen, YLen uint16
	Kind       uint8
}

// A Sum summarizes all visits of a condition in a run.
type Sum struct {
	Hash   uint64 // of their operands, in order
	Set    uint64 // of their operands, be they visited once or often: a bit for each
	Visits uint32
}

// The record of a run. Its reader sizes Sums, Log and Bytes before the first
// run, and clears them after reading.
var (
	Mode   uint8
	Sums   []Sum // by condition
	Log    []Entry
	Logged int // entries of Log that hold a visit
	Bytes  []byte
	Filled int // bytes of Bytes that hold a text
)

// Unlimited is a Fuel that does not run out.
const Unlimited = 1<<63 - 1

// Fuel is counted down at conditions, loop heads and function entries. Once it
// is below zero, each of them calls Exhausted, which ends the run or raises
// Fuel.
var (
	Fuel      int64 = Unlimited
	Exhausted       = func() { Fuel = Unlimited }
)

// Burn counts Fuel down.
//
//go:norace
func Burn() {
	if Fuel--; Fuel < 0 {
		Exhausted()
	}
}

// reach marks the side that a condition takes, the second if r, burns fuel for
// it, and returns that side. It is inlined, because its callers already cost
// one call.
//
//go:norace
func reach(side int, r bool) int {
	if r {
		side++
	}
	Hits[side] = 1
	if Fuel--; Fuel < 0 {
		Exhausted()
	}
	return side
}

// Visit is Cond in the analysis form.
//
//go:norace
func Visit(c, side int, r bool) bool {
	if r {
		side++
	}
	Take(c, side)
	return r
}

// VisitBool is Visit for any boolean type.
//
//go:norace
func VisitBool[T ~bool](c, side int, r T) T {
	Visit(c, side, bool(r))
	return r
}

// Take is Hit in the analysis form.
//
//go:norace
func Take(c, side int) {
	reach(side, false)
	if Mode != ModeNothing {
		addHash(c, side, 0, 0)
		if Mode == ModeVisits {
			log(c, side, NoOperands, 0, 0)
		}
	}
}

// Nil is Visit for a comparison of something with nil that has no address to tell.
//
//go:norace
func Nil(c, side int, r bool) bool {
	return nilness(c, side, r, r)
}

// NotNil is Nil for the opposite comparison.
//
//go:norace
func NotNil(c, side int, r bool) bool {
	return nilness(c, side, r, !r)
}

//go:norace
func nilness(c, side int, r, isNil bool) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		x := uint64(1)
		if isNil {
			x = 0
		}
		record(c, side, PointerOperands, x, 0)
	}
	return r
}

//go:norace
func signed(c, side int, r bool, x, y int64) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		addHash(c, side, uint64(x), uint64(y))
		if Mode == ModeVisits {
			log(c, side, SignedOperands, uint64(x), uint64(y))
		}
	}
	return r
}

//go:norace
func unsigned(c, side int, r bool, x, y uint64) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		addHash(c, side, x, y)
		if Mode == ModeVisits {
			log(c, side, UnsignedOperands, x, y)
		}
	}
	return r
}

//go:norace
func floats(c, side int, r bool, x, y float64) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		record(c, side, FloatOperands, floatBits(x), floatBits(y))
	}
	return r
}

//go:norace
func texts(c, side int, r bool, x, y string) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		recordTexts(c, side, StringOperands, x, y)
	}
	return r
}

//go:norace
func pointers(c, side int, r bool, x, y Pointer) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		addHash(c, side, nilOrNot(uint64(uintptr(x))), nilOrNot(uint64(uintptr(y))))
		if Mode == ModeVisits {
			log(c, side, PointerOperands, uint64(uintptr(x)), uint64(uintptr(y)))
		}
	}
	return r
}

// values records the contents of two interfaces: the numbers or strings if both
// have the same basic type, else their types.
//
//go:norace
func values(c, side int, r bool, x, y any) bool {
	side = reach(side, r)
	if Mode == ModeNothing {
		return r
	}
	if typeWord(x) != typeWord(y) {
		record(c, side, TypeOperands, typeWord(x), typeWord(y))
		return r
	}
	if s, ok := x.(string); ok {
		recordTexts(c, side, StringOperands, s, y.(string))
		return r
	}
	a, kind := basic(x)
	if kind == NoOperands { // addresses, or types that have only equality
		record(c, side, PointerOperands, dataWord(x), dataWord(y))
		return r
	}
	b, _ := basic(y)
	record(c, side, kind, a, b)
	return r
}

// record records a visit as Mode asks.
//
//go:norace
func record(c, side int, kind uint8, x, y uint64) {
	a, b := x, y
	if kind == PointerOperands {
		a, b = nilOrNot(x), nilOrNot(y)
	}
	addHash(c, side, a, b)
	if Mode == ModeVisits {
		log(c, side, kind, x, y)
	}
}

// addHash adds a visit to the sum of condition c. Of addresses, which
// differ from run to run, a caller adds which are nil; the side tells the rest.
//
//go:norace
func addHash(c, side int, x, y uint64) {
	if uint(c) >= uint(len(Sums)) {
		return
	}
	s := &Sums[c]
	s.Visits++
	v := (x ^ (y<<32 | y>>32) ^ uint64(side)<<16) * factor
	s.Set |= 1 << (v >> 58)
	s.Hash = ((s.Hash<<7 | s.Hash>>57) ^ v) * factor
}

// factor is odd and has its bits all over: the golden ratio.
const factor = 0x9e3779b97f4a7c15

//go:norace
func log(c, side int, kind uint8, x, y uint64) {
	n := Logged
	if n >= len(Log) {
		return
	}
	e := &Log[n]
	e.X, e.Y, e.Condition, e.Side, e.Kind = x, y, int32(c), int32(side), kind
	e.XLen, e.YLen = 0, 0
	Logged = n + 1
}

//go:norace
func recordTexts(c, side int, kind uint8, x, y string) {
	addHash(c, side, hashText(x), hashText(y))
	if Mode != ModeVisits {
		return
	}
	n, at := Logged, Filled
	if n >= len(Log) || at > len(Bytes) {
		return
	}
	free := Bytes[at:]
	nx := put(free, x)
	ny := put(free[nx:], y)
	e := &Log[n]
	e.X, e.Y, e.Condition, e.Side, e.Kind = uint64(len(x)), uint64(len(y)), int32(c), int32(side), kind
	e.At, e.XLen, e.YLen = uint32(at), uint16(nx), uint16(ny)
	Logged, Filled = n+1, at+nx+ny
}

// put copies as much of s as fits and is recorded. The race detector would see a
// copy, which the run-time system makes.
//
//go:norace
func put(dst []byte, s string) int {
	n := min(len(s), len(dst), MaxText)
	for i := range n {
		dst[i] = s[i]
	}
	return n
}

// hashText hashes the first MaxText bytes of s, and its length.
//
//go:norace
func hashText(s string) uint64 {
	h := uint64(len(s))
	s = s[:min(len(s), MaxText)]
	for ; len(s) >= 8; s = s[8:] {
		h = (h ^ (uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)) * factor
		h ^= h >> 32
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * factor
	}
	return h ^ h>>32
}

//go:norace
func nilOrNot(x uint64) uint64 {
	if x != 0 {
		return 1
	}
	return 0
}

// textOf is the string of the bytes of b, which must not change while it is read.
//
//go:norace
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

//go:norace
func floatBits(f float64) uint64 { return *(*uint64)(unsafe.Pointer(&f)) }

// typeWord returns a word that identifies the dynamic type of x, 0 for nil.
//
//go:norace
func typeWord(x any) uint64 { return uint64((*[2]uintptr)(unsafe.Pointer(&x))[0]) }

//go:norace
func dataWord(x any) uint64 { return uint64((*[2]uintptr)(unsafe.Pointer(&x))[1]) }

// basic returns a number as an operand and its kind.
//
//go:norace
func basic(x any) (operand uint64, kind uint8) {
	switch x := x.(type) {
	case int:
		return uint64(x), SignedOperands
	case int8:
		return uint64(x), SignedOperands
	case int16:
		return uint64(x), SignedOperands
	case int32:
		return uint64(x), SignedOperands
	case int64:
		return uint64(x), SignedOperands
	case uint:
		return uint64(x), UnsignedOperands
	case uint8:
		return uint64(x), UnsignedOperands
	case uint16:
		return uint64(x), UnsignedOperands
	case uint32:
		return uint64(x), UnsignedOperands
	case uint64:
		return x, UnsignedOperands
	case uintptr:
		return uint64(x), UnsignedOperands
	case float32:
		return floatBits(float64(x)), FloatOperands
	case float64:
		return floatBits(x), FloatOperands
	}
	return 0, NoOperands
}
