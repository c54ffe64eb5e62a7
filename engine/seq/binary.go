package seq

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The binary form of a sequence is the number of its steps and the steps. A step is its
// OpID, the number of its arguments and the arguments. An argument is one of
//
//	slot<<1
//	Literal.Pool<<1 | 1
//	1, TypeID, kind of value, value: a literal that is not in the pool
//
// All numbers are varints as in encoding/binary, floats eight bytes, strings
// their length and bytes. It means something only together with one table and pool.

// The kinds of values of a literal that is not in the pool.
const (
	codeNil = iota
	codeFalse
	codeTrue
	codeInt
	codeUint
	codeFloat
	codeComplex
	codeString
)

// AppendStep appends the binary form of st to dst. It allocates nothing if dst
// has room.
func AppendStep(dst []byte, st Step) []byte {
	dst = appendUvarint(dst, uint64(st.Op))
	dst = appendUvarint(dst, uint64(len(st.Args)))
	for i := range st.Args {
		a := &st.Args[i]
		if a.Lit == nil {
			dst = appendUvarint(dst, uint64(a.Slot)<<1)
		} else if a.Lit.Pool > 0 {
			dst = appendUvarint(dst, uint64(a.Lit.Pool)<<1|1)
		} else {
			dst = appendInline(append(dst, 1), a.Lit)
		}
	}
	return dst
}

// appendUvarint is binary.AppendUvarint for numbers that mostly take a byte or two.
func appendUvarint(dst []byte, x uint64) []byte {
	if x < 1<<7 {
		return append(dst, byte(x))
	}
	if x < 1<<14 {
		return append(dst, byte(x)|1<<7, byte(x>>7))
	}
	return binary.AppendUvarint(dst, x)
}

func appendInline(dst []byte, l *Literal) []byte {
	dst = appendUvarint(dst, uint64(l.Type))
	switch v := l.Value.(type) {
	case nil:
		return append(dst, codeNil)
	case bool:
		if v {
			return append(dst, codeTrue)
		}
		return append(dst, codeFalse)
	case int64:
		return binary.AppendVarint(append(dst, codeInt), v)
	case uint64:
		return binary.AppendUvarint(append(dst, codeUint), v)
	case float64:
		return binary.LittleEndian.AppendUint64(append(dst, codeFloat), math.Float64bits(v))
	case complex128:
		dst = binary.LittleEndian.AppendUint64(append(dst, codeComplex), math.Float64bits(real(v)))
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(imag(v)))
	case string:
		dst = binary.AppendUvarint(append(dst, codeString), uint64(len(v)))
		return append(dst, v...)
	}
	panic(fmt.Sprintf("seq: literal of Go type %T", l.Value))
}

// AppendBinary appends the binary form of s to dst.
func AppendBinary(dst []byte, s Sequence) []byte {
	dst = appendUvarint(dst, uint64(len(s)))
	for i := range s {
		dst = AppendStep(dst, s[i])
	}
	return dst
}

// DecodeBinary reads the binary form of a sequence under t. Literals of the pool
// are those of pool; the Pool of each is its index plus one. The result passes Check.
func DecodeBinary(t *Table, pool []*Literal, b []byte) (Sequence, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("seq: binary form of %d bytes, want at most %d", len(b), MaxBytes)
	}
	d := decoder{t: t, pool: pool, in: b}
	n := d.number(MaxSteps, "steps")
	if n*2 > uint64(len(d.in)) {
		d.fail("%d steps in %d bytes", n, len(d.in))
		n = 0
	}
	return d.steps(int(n))
}

// DecodeSteps reads steps that AppendStep has written one behind the other, as
// a journal holds them.
func DecodeSteps(t *Table, pool []*Literal, b []byte) (Sequence, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("seq: binary form of %d bytes, want at most %d", len(b), MaxBytes)
	}
	d := decoder{t: t, pool: pool, in: b}
	return d.steps(-1)
}

// A decoder reads from in until the first error.
type decoder struct {
	t    *Table
	pool []*Literal
	in   []byte
	read int // bytes read
	err  error
}

// steps reads n steps and the end, or all there are if n is negative.
func (d *decoder) steps(n int) (Sequence, error) {
	s := make(Sequence, 0, max(n, 0))
	for d.err == nil && (len(s) < n || n < 0 && len(d.in) > 0) {
		if len(s) == MaxSteps {
			d.fail("more than %d steps", MaxSteps)
			break
		}
		s = append(s, d.step())
	}
	if d.err == nil && len(d.in) > 0 {
		d.fail("%d bytes behind the last step", len(d.in))
	}
	if d.err == nil {
		d.err = s.Check(d.t)
	}
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("seq: byte %d: %w", d.read, fmt.Errorf(format, args...))
	}
}

func (d *decoder) step() Step {
	st := Step{Op: OpID(d.number(math.MaxUint32, "an operation"))}
	n := d.number(MaxBytes, "a number of arguments")
	if n > uint64(len(d.in)) {
		d.fail("%d arguments in %d bytes", n, len(d.in))
	}
	if d.err != nil {
		return Step{}
	}
	st.Args = make([]Arg, n)
	for i := range st.Args {
		st.Args[i] = d.arg()
		if d.err != nil {
			break
		}
	}
	return st
}

func (d *decoder) arg() Arg {
	x := d.number(math.MaxUint32, "an argument")
	switch {
	case x&1 == 0:
		return Arg{Slot: int32(x >> 1)}
	case x == 1:
		return Arg{Lit: d.inline()}
	}
	if place := x>>1 - 1; place < uint64(len(d.pool)) && d.pool[place] != nil {
		return Arg{Lit: d.pool[place]}
	}
	d.fail("literal %d of a pool of %d", x>>1-1, len(d.pool))
	return Arg{}
}

func (d *decoder) inline() *Literal {
	l := &Literal{Type: TypeID(d.number(math.MaxUint32, "a type"))}
	switch code := d.number(codeString, "a kind of value"); code {
	case codeFalse, codeTrue:
		l.Value = code == codeTrue
	case codeInt:
		v, n := binary.Varint(d.in)
		d.take(n)
		l.Value = v
	case codeUint:
		l.Value = d.number(math.MaxUint64, "a value")
	case codeFloat:
		l.Value = d.float()
	case codeComplex:
		re := d.float()
		l.Value = complex(re, d.float())
	case codeString:
		n := d.number(MaxBytes, "the length of a string")
		if n > uint64(len(d.in)) {
			d.fail("a string of %d bytes in %d", n, len(d.in))
			return l
		}
		l.Value = string(d.in[:n])
		d.skip(int(n))
	}
	if d.err == nil && int(l.Type) < len(d.t.Types) && !d.t.Types[l.Type].Fits(l.Value) {
		d.fail("%v is no %s", l.Value, d.t.Types[l.Type].Name)
	}
	return l
}

func (d *decoder) float() float64 {
	if len(d.in) < 8 {
		d.fail("%w", errShort)
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.in))
	d.skip(8)
	return v
}

var errShort = errors.New("ends too early")

// number reads a varint that is at most most.
func (d *decoder) number(most uint64, what string) uint64 {
	v, n := binary.Uvarint(d.in)
	d.take(n)
	if v > most {
		d.fail("%d for %s, want at most %d", v, what, most)
		return 0
	}
	return v
}

// take moves on by the varint that took n bytes, as encoding/binary says.
func (d *decoder) take(n int) {
	switch {
	case n == 0:
		d.fail("%w", errShort)
	case n < 0:
		d.fail("a number of more than 64 bits")
	}
	if d.err != nil {
		d.in = nil
		return
	}
	d.skip(n)
}

func (d *decoder) skip(n int) {
	d.in = d.in[n:]
	d.read += n
}
