package coverage

import "strings"

// OperandKind is the kind of the operands of a visited condition.
type OperandKind uint8

// The kinds of operands.
const (
	NoOperands       OperandKind = iota // a bool that comes from elsewhere
	SignedOperands                      // integers, lengths: X and Y are int64
	UnsignedOperands                    // X and Y are uint64
	FloatOperands                       // X and Y are math.Float64bits
	StringOperands                      // strings and byte slices: SX and SY, X and Y their lengths
	PointerOperands                     // pointers, maps, channels, interfaces: addresses, 0 for nil
	TypeOperands                        // X stands for a dynamic type, 0 for a nil interface
	KeyOperands                         // the key of a map read: X if it is an integer, else SX
)

// A Visit is one evaluation of a condition: the side it took and its operands.
// Y and SY are zero if there is no second operand, as for the tag of a switch
// or a key.
type Visit struct {
	Condition int32 // index in the table of conditions
	Side      int32
	Kind      OperandKind
	X, Y      uint64
	SX, SY    string // the first MaxOperandBytes
}

// A Sum summarizes all visits of a condition in a run.
type Sum struct {
	Hash   uint64 // of their operands, in order
	Set    uint64 // of their operands, be they visited once or often: a bit for each
	Visits uint32
}

// Clone returns a copy of v that shares nothing with the trace it is of.
func (v Visit) Clone() Visit {
	v.SX, v.SY = strings.Clone(v.SX), strings.Clone(v.SY)
	return v
}

// MaxOperandBytes bounds how much of a string operand a Visit holds.
const MaxOperandBytes = 256
