package concolic

import (
	"math"
	"testing"
)

// Literals of floating point stand for their value in a Go program.
func TestFloatLiteral(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "math.Copysign(0, -1)": math.Copysign(0, -1), "-0.5": -0.5, "math.NaN()": math.NaN(), "math.Inf(1)": math.Inf(1), "math.Inf(-1)": math.Inf(-1),
	} {
		if got := floatLiteral(f, 64); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}
