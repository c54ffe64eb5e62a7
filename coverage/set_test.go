package coverage

import (
	"bytes"
	"encoding/binary"
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

func (s naiveSet) sides() (sides []int) {
	for i, h := range s {
		if h != 0 {
			sides = append(sides, i)
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
	if s.Len() != 70 || s.Count() != 4 {
		t.Errorf("Len %d, Count %d, want 70, 4", s.Len(), s.Count())
	}
}

func TestAll(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, hits []byte) {
		s, want := setOf(hits), naiveSet(hits).sides()
		if got := slices.Collect(s.All()); !slices.Equal(got, want) {
			t.Fatalf("All: got %v, want %v", got, want)
		}
		if s.Count() != len(want) {
			t.Fatalf("Count: got %d, want %d", s.Count(), len(want))
		}
		for range s.All() {
			break // stopping early must not panic
		}
	})
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
		if got := slices.Collect(s.All()); !slices.Equal(got, naive.sides()) {
			t.Fatalf("AddHits(%v) to %v: got %v", hits, have, got)
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

func TestUnionAndDiff(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, a []byte) {
		b := randomHits(r, len(a), r.IntN(101))
		sa, sb := setOf(a), setOf(b)

		var onlyA []int
		for i := range a {
			if a[i] != 0 && b[i] == 0 {
				onlyA = append(onlyA, i)
			}
		}
		if got := slices.Collect(sa.Diff(sb).All()); !slices.Equal(got, onlyA) {
			t.Fatalf("Diff of %v and %v: got %v, want %v", a, b, got, onlyA)
		}

		union, naive := sa.Clone(), naiveSet(bytes.Clone(a))
		if got, want := union.Union(sb), naive.add(b); got != want {
			t.Fatalf("Union of %v and %v: %d new, want %d", a, b, got, want)
		}
		if got := slices.Collect(union.All()); !slices.Equal(got, naive.sides()) {
			t.Fatalf("Union of %v and %v: got %v", a, b, got)
		}
		if got := slices.Collect(sa.All()); !slices.Equal(got, naiveSet(a).sides()) {
			t.Fatalf("Union changed the set that was cloned")
		}
	})
}

func TestSetPanics(t *testing.T) {
	s := NewSet(9)
	mustPanic(t, "Has(9) of 9", func() { s.Has(9) })
	mustPanic(t, "Add(-1)", func() { s.Add(-1) })
	mustPanic(t, "Union with 10 sides", func() { s.Union(NewSet(10)) })
	mustPanic(t, "Diff with 8 sides", func() { s.Diff(NewSet(8)) })
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

func TestEncodeRoundTrip(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, hits []byte) {
		s := setOf(hits)
		data, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if limit := 1 + len(binary.AppendUvarint(nil, uint64(len(hits)))) + (len(hits)+7)/8; len(data) > limit {
			t.Fatalf("%d bytes for %d sides, want at most %d", len(data), len(hits), limit)
		}
		var back Set
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatalf("UnmarshalBinary(%x): %v", data, err)
		}
		if back.Len() != s.Len() || !slices.Equal(back.words, s.words) {
			t.Fatalf("UnmarshalBinary(%x): got %v, want %v", data, back, s)
		}
	})
}

func TestEncode(t *testing.T) {
	tests := []struct {
		name  string
		sides int
		in    []int
		want  string
	}{
		{"empty universe", 0, nil, "\x00\x00"},
		{"empty", 300, nil, "\x01\xac\x02"},
		{"bits", 10, []int{0, 2, 9}, "\x00\x0a\x05\x02"},
		{"runs", 300, []int{5, 6, 7, 200}, "\x01\xac\x02\x05\x03\xc0\x01\x01"},
		{"a run to the end", 64, []int{62, 63}, "\x01\x40\x3e\x02"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSet(tt.sides)
			for _, side := range tt.in {
				s.Add(side)
			}
			if got, _ := s.MarshalBinary(); string(got) != tt.want {
				t.Errorf("MarshalBinary: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"nothing", "", "coverage: encoded set is empty"},
		{"no size", "\x00", "coverage: encoded set has a bad number of sides, want at most 16777216"},
		{"size too large", "\x01\x81\x80\x80\x08", "coverage: encoded set has a bad number of sides, want at most 16777216"},
		{"form", "\x02\x00", "coverage: encoded set has form 2, want 0 or 1"},
		{"short bits", "\x00\x09\x01", "coverage: encoded set has 1 bytes of bits, want 2 for 9 sides"},
		{"long bits", "\x00\x01\x01\x00", "coverage: encoded set has 2 bytes of bits, want 1 for 1 sides"},
		{"bits after the end", "\x00\x0a\x05\x04", "coverage: encoded set has bits after side 9"},
		{"run after the end", "\x01\x40\x3e\x03", "coverage: encoded set has a bad run after side 62 of 64"},
		{"run cut off", "\x01\x40\x80", "coverage: encoded set has a bad run after side 0 of 64"},
		{"absent run at the end", "\x01\x40\x3e", "coverage: encoded set is not in the shorter form"},
		{"empty run", "\x01\x40\x01\x01\x00\x01", "coverage: encoded set is not in the shorter form"},
		{"bits for one side of many", "\x00\x40\x01\x00\x00\x00\x00\x00\x00\x00", "coverage: encoded set is not in the shorter form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := setOf([]byte{1, 0, 1})
			if err := s.UnmarshalBinary([]byte(tt.data)); err == nil || err.Error() != tt.want {
				t.Errorf("UnmarshalBinary: error %v, want %s", err, tt.want)
			}
			if s.Len() != 3 || s.Count() != 2 {
				t.Errorf("UnmarshalBinary changed the set")
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, hits := range [][]byte{{}, {1, 0, 1}, make([]byte, 300), bytes.Repeat([]byte{1}, 100)} {
		data, _ := setOf(hits).MarshalBinary()
		f.Add(data)
	}
	f.Add([]byte("\x01\x40\x3e\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Set
		if s.UnmarshalBinary(data) != nil {
			return
		}
		again, err := s.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("UnmarshalBinary(%x), then MarshalBinary: %x, %v", data, again, err)
		}
		n := 0
		for side := range s.All() {
			if n++; side >= s.Len() {
				t.Errorf("side %d of %d", side, s.Len())
			}
		}
		if n != s.Count() {
			t.Errorf("All yields %d sides, Count is %d", n, s.Count())
		}
	})
}
