package predicate

import (
	"math/rand/v2"
	"testing"
)

func TestSeparate(t *testing.T) {
	for _, tt := range []struct {
		want  string
		fails func(x, y int64) bool
	}{
		{"x == 0", func(x, _ int64) bool { return x == 0 }},
		{"y < 0", func(_, y int64) bool { return y < 0 }},
		{"x >= y", func(x, y int64) bool { return x >= y }},
		{"x == y", func(x, y int64) bool { return x == y }},
		{"x >= 4", func(x, _ int64) bool { return x >= 4 }},
		{"y <= 3", func(_, y int64) bool { return y <= 3 }},
		{"y == 5", func(_, y int64) bool { return y == 5 }},
		{"x != 2", func(x, _ int64) bool { return x != 2 }},
		{"", func(x, y int64) bool { return x*y%3 == 1 }},
		{"", func(int64, int64) bool { return true }},
		{"", func(int64, int64) bool { return false }},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		var samples []Sample
		for range 400 {
			x, y := r.Int64N(20)-8, r.Int64N(20)-8
			samples = append(samples, Sample{[]int64{x, y}, tt.fails(x, y)})
		}
		got, ok := Separate([]string{"x", "y"}, samples)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Separate = %q, %v; want %q", got, ok, tt.want)
		}
	}
}

func TestSeparateNothing(t *testing.T) {
	if got, ok := Separate(nil, nil); ok {
		t.Errorf("Separate = %q of no samples", got)
	}
}
