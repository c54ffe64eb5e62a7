package seq

import (
	"math"
	"slices"
)

// Equal reports whether s and o are the same steps on equal arguments.
func (s Sequence) Equal(o Sequence) bool {
	return slices.EqualFunc(s, o, func(x, y Step) bool { return x.Op == y.Op && slices.EqualFunc(x.Args, y.Args, Arg.Equal) })
}

// Equal reports whether a and b are the same slot, or literals of the same type
// and value.
func (a Arg) Equal(b Arg) bool {
	if a.Lit == nil || b.Lit == nil {
		return a == b
	}
	return a.Lit == b.Lit || a.Lit.Equal(b.Lit)
}

// Equal reports whether l and o have the same type and the same value, bit for
// bit: a NaN is equal to itself, zero is not equal to negative zero.
func (l *Literal) Equal(o *Literal) bool {
	if l.Type != o.Type {
		return false
	}
	switch v := l.Value.(type) {
	case float64:
		w, ok := o.Value.(float64)
		return ok && sameFloat(v, w)
	case complex128:
		w, ok := o.Value.(complex128)
		return ok && sameFloat(real(v), real(w)) && sameFloat(imag(v), imag(w))
	}
	return l.Value == o.Value
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
