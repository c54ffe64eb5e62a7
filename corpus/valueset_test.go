package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveSet is the definition of a ValueSet: for each set, the hashes it holds,
// latest first, and beside that all hashes ever added.
type naiveSet struct {
	sets  int
	held  map[uint64][]uint64
	added map[uint64]bool
}

func (s *naiveSet) add(h uint64) bool {
	s.added[h] = true
	set := uint64(float64(h>>11) / (1 << 53) * float64(s.sets))
	if slices.Contains(s.held[set], h) {
		return false
	}
	s.held[set] = append([]uint64{h}, s.held[set]...)
	if len(s.held[set]) > 4 {
		s.held[set] = s.held[set][:4]
	}
	return true
}

func TestValueSetIsItsDefinition(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, sets := range []int{2, 4, 64} {
		known := make([]uint64, 12*sets)
		for i := range known {
			known[i] = r.Uint64()
		}
		known[0] = 0
		s := NewValueSet(sets * 16)
		naive := &naiveSet{sets, map[uint64][]uint64{}, map[uint64]bool{}}
		var forgot, held int
		for i := range 200 * sets {
			h := known[r.IntN(len(known))]
			if i%4 == 0 {
				h = known[r.IntN(sets)] // some come often
			}
			before := naive.added[h]
			got, want := s.Add(h), naive.add(h)
			if got != want {
				t.Fatalf("%d sets: add %d: Add(%#x) = %t, want %t", sets, i, h, got, want)
			}
			if !got && !before {
				t.Fatalf("%d sets: add %d: Add(%#x) = false, but it was never added", sets, i, h)
			}
			if got && before {
				forgot++
			}
			if !got {
				held++
			}
		}
		if forgot == 0 || held == 0 {
			t.Errorf("%d sets: forgot %d, held %d: want some of both", sets, forgot, held)
		}
	}
}

func TestValueSetSize(t *testing.T) {
	for _, tt := range []struct{ sizeBytes, want int }{{0, DefaultSetBytes}, {1, 32}, {32, 32}, {4000, 2048}, {4096, 4096}} {
		if got := len(NewValueSet(tt.sizeBytes).sets) * 16; got != tt.want {
			t.Errorf("NewValueSet(%d) has %d bytes, want %d", tt.sizeBytes, got, tt.want)
		}
	}
}

// TestValueSetRemembers: until it is half full it has forgotten little.
func TestValueSetRemembers(t *testing.T) {
	const size = 1 << 16
	r := rand.New(rand.NewPCG(1, 2))
	s := NewValueSet(size)
	hashes := make([]uint64, size/4/2)
	for i := range hashes {
		hashes[i] = r.Uint64()
		s.Add(hashes[i])
	}
	forgot := 0
	for _, h := range hashes {
		held := slices.Contains(s.sets[h>>s.shift][:], tag(h))
		if !held {
			forgot++
		}
	}
	// Of a Poisson distribution with mean 2, 2.7 % lie beyond 4 in a set.
	if limit := len(hashes) * 4 / 100; forgot > limit {
		t.Errorf("forgot %d of %d, want at most %d", forgot, len(hashes), limit)
	}
}

func BenchmarkValueSetAdd(b *testing.B) {
	for _, distinct := range []int{1 << 10, 1 << 16, 1 << 22} {
		b.Run(fmt.Sprintf("distinct=%d", distinct), func(b *testing.B) {
			s := NewValueSet(0)
			b.ReportAllocs()
			var i, absent uint64
			for b.Loop() {
				i++
				h := (i & uint64(distinct-1)) * 0x9e3779b97f4a7c15
				if s.Add(h ^ h>>29) {
					absent++
				}
			}
			b.ReportMetric(float64(absent)/float64(i), "new/add")
		})
	}
}
