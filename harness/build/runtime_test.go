package build

import "testing"

// Sizes are few, and none is much larger than requested.
func TestRoundedUp(t *testing.T) {
	sizes := map[int]bool{}
	last := 0
	for n := range 1 << 14 {
		got := roundedUp(n)
		if got < n || got > max(n+n/4+1, 64) || got < last || roundedUp(got) != got {
			t.Fatalf("roundedUp(%d) = %d after %d", n, got, last)
		}
		last = got
		sizes[got] = true
	}
	if n := len(sizes); n > 36 {
		t.Errorf("%d sizes up to %d, want four for each doubling", n, 1<<14)
	}
}
