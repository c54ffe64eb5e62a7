package coverage

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// A naiveSet is a Set without cleverness: hits as the probe writes them.
type naiveSet []byte

func (s naiveSet) add(hits []byte) (newSides int) {
	for i, h := range hits {
		if h != 0 && s[i] == 0 {
			s[i] = 1
			newSides++
		}
	}
	return newSides
}

func (s naiveSet) sides() (sides []int32) {
	for i, h := range s {
		if h != 0 {
			sides = append(sides, int32(i))
		}
	}
	return sides
}

// sizes are numbers of sides around those at which the code changes its way.
var sizes = []int{0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 127, 128, 130, 226, 1000}

// forRandomHits calls f with hits of all sizes and densities.
func forRandomHits(t *testing.T, f func(t *testing.T, r *rand.Rand, hits []byte)) {
	t.Helper()
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, n := range sizes {
		for _, percent := range []int{0, 1, 10, 50, 99, 100} {
			for range 10 {
				f(t, r, randomHits(r, n, percent))
			}
		}
	}
}

func randomHits(r *rand.Rand, n, percent int) []byte {
	hits := make([]byte, n)
	for i := range hits {
		if r.IntN(100) < percent {
			hits[i] = 1
		}
	}
	return hits
}

func setOf(hits []byte) *Set {
	s := NewSet(len(hits))
	for i, h := range hits {
		if h != 0 {
			s.Add(i)
		}
	}
	return s
}

func TestAdd(t *testing.T) {
	s := NewSet(70)
	for _, side := range []int{0, 63, 64, 69} {
		if s.Has(side) {
			t.Errorf("Has(%d) of an empty set", side)
		}
		if !s.Add(side) {
			t.Errorf("Add(%d): false, want true the first time", side)
		}
		if s.Add(side) {
			t.Errorf("Add(%d): true, want false the second time", side)
		}
		if !s.Has(side) {
			t.Errorf("Has(%d): false after Add", side)
		}
	}
	if s.Count() != 4 {
		t.Errorf("Count %d, want 4", s.Count())
	}
}

func TestHits(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, have []byte) {
		s, naive := setOf(have), naiveSet(bytes.Clone(have))
		hits := randomHits(r, r.IntN(len(have)+1), r.IntN(101))
		hasNew := HasNew(s, hits)
		got, want := s.AddHits(hits), naive.add(hits)
		if got != want || hasNew != (want != 0) {
			t.Fatalf("AddHits(%v) to %v: %d new, HasNew %v, want %d", hits, have, got, hasNew, want)
		}
		if got := s.AppendMissing(nil, NewSet(len(have))); !slices.Equal(got, naive.sides()) {
			t.Fatalf("AddHits(%v) to %v: got %v", hits, have, got)
		}
	})
}

func TestMergeHits(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, have []byte) {
		hits, seen := randomHits(r, len(have), r.IntN(101)), bytes.Clone(have)
		MergeHits(seen, hits)
		for i := range have {
			if want := have[i] | hits[i]; seen[i] != want {
				t.Fatalf("side %d of %d: %d, want %d", i, len(have), seen[i], want)
			}
		}
	})
}

// TestHitsRoundedUp gives hits as long as a probe array that was rounded up.
func TestHitsRoundedUp(t *testing.T) {
	s := NewSet(9)
	hits := make([]byte, 64)
	hits[8] = 1
	if !HasNew(s, hits) || s.AddHits(hits) != 1 || !s.Has(8) || HasNew(s, hits) {
		t.Error("side 8 of 9 in 64 bytes was not found")
	}
	mustPanic(t, "HasNew with 65 bytes", func() { HasNew(s, make([]byte, 65)) })
	mustPanic(t, "AddHits with 65 bytes", func() { s.AddHits(make([]byte, 65)) })
}

func TestSetPanics(t *testing.T) {
	s := NewSet(9)
	mustPanic(t, "Has(9) of 9", func() { s.Has(9) })
	mustPanic(t, "Add(-1)", func() { s.Add(-1) })
	mustPanic(t, "AppendMissing with 10 sides", func() { s.AppendMissing(nil, NewSet(10)) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}
