package coverage

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkScan measures the work of the inner loop after a sequence that found
// nothing new: a third of the sides are hit, all known. It clears another array
// of the same length, so that the hits need not be marked again each time.
func BenchmarkScan(b *testing.B) {
	for _, n := range []int{226, 256, 4096} {
		b.Run(fmt.Sprintf("sides=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			hits, spare := randomHits(rand.New(rand.NewPCG(1, 0)), n, 33), make([]byte, n)
			known := setOf(hits)
			for b.Loop() {
				if HasNew(known, hits) {
					b.Fatal("something is new")
				}
				clear(spare)
			}
		})
	}
}

// BenchmarkMergeHits merges the sides of one step: a sixtieth of all are hit.
func BenchmarkMergeHits(b *testing.B) {
	const n = 1536
	hits, seen := make([]byte, n), make([]byte, n)
	for i := 0; i < n/10; i += 6 {
		hits[i] = 1
	}
	for b.Loop() {
		MergeHits(seen, hits)
	}
}
