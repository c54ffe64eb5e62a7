package mutators

import (
	"math"
	"reflect"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		op   string
		y    any
		want []any
	}{
		{"==", int64(5), []any{int64(5)}},
		{"<=", int64(5), []any{int64(5)}},
		{">=", uint64(5), []any{uint64(5)}},
		{"<", int64(5), []any{int64(4)}},
		{">", uint64(5), []any{uint64(6)}},
		{"!=", int64(5), []any{int64(6), int64(4)}},
		{"", int64(5), []any{int64(5), int64(6), int64(4)}},
		{"<", 2.0, []any{math.Nextafter(2, 1), 1.0}},
		{">", 1e300, []any{math.Nextafter(1e300, math.Inf(1)), 1e300 + 1}},
		{"!=", 1e300, []any{math.Nextafter(1e300, math.Inf(1)), math.Nextafter(1e300, 0)}},
		{"==", "ab", []any{"ab"}},
		{"!=", "ab", []any{"aba", "a"}},
		{"<", "ab", []any{"a"}},
		{">", "ab", []any{"aba"}},
	} {
		if got := targets(tt.op, tt.y); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("targets(%q, %v): got %v, want %v", tt.op, tt.y, got, tt.want)
		}
	}
}

func TestFit(t *testing.T) {
	int8s, uints := seq.Type{Literal: seq.Int, Bits: 8}, seq.Type{Literal: seq.Uint, Bits: 64}
	floats, strings := seq.Type{Literal: seq.Float, Bits: 32}, seq.Type{Literal: seq.String}
	for _, tt := range []struct {
		ty      *seq.Type
		v, want any // want nil: v means nothing there
	}{
		{&int8s, int64(-128), int64(-128)},
		{&int8s, int64(200), int64(-56)},
		{&int8s, uint64(1<<40 + 3), int64(3)},
		{&int8s, "0x10", int64(16)},
		{&int8s, "ten", nil},
		{&int8s, true, nil},
		{&int8s, math.NaN(), nil},
		{&int8s, 1e30, nil},
		{&uints, int64(-1), uint64(math.MaxUint64)},
		{&uints, "18446744073709551615", uint64(math.MaxUint64)},
		{&uints, 1.5, uint64(1)},
		{&uints, -1.5, uint64(math.MaxUint64)},
		{&floats, 0.1, float64(float32(0.1))},
		{&floats, int64(3), 3.0},
		{&floats, "1e3", 1000.0},
		{&strings, int64(-7), "-7"},
		{&strings, 0.5, "0.5"},
		{&strings, false, nil},
	} {
		got, ok := fit(tt.ty, tt.v)
		if ok != (tt.want != nil) || ok && got != tt.want {
			t.Errorf("fit %v (%T) to kind %d: got %v, %v, want %v", tt.v, tt.v, tt.ty.Literal, got, ok, tt.want)
		}
	}
}

// Numbers that no comparison showed stay within bounds; those that one did do not.
func TestMaxNumber(t *testing.T) {
	w := parse(t, "v0 := q.New(40000)")
	largest := func(name string) (n int64) {
		a := &Aim{
			Index: fixture, Source: draw.Random(1), Literals: testPool, Witness: w, Positions: AllPositions(w),
			Condition: toEqual, Want: 1,
		}
		a.Visits = append(a.Visits, ints(1, 1<<50))
		edit(t, name).Propose(a, func(s seq.Sequence) bool {
			n = max(n, s[0].Args[0].Lit.Value.(int64))
			return true
		})
		return n
	}
	for _, tt := range []struct {
		edit string
		want int64
	}{
		{"unary", 50000},
		{"words", 7},
		{"compared", 1<<50 + 1},
	} {
		if got := largest(tt.edit); got != tt.want {
			t.Errorf("%s: largest %d, want %d", tt.edit, got, tt.want)
		}
	}
}
