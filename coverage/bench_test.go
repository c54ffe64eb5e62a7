package coverage

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkScan is what the inner loop does after a sequence that found nothing
// new: a third of the sides are hit, all known. The copy that marks them again is
// timed apart.
func BenchmarkScan(b *testing.B) {
	for _, n := range []int{226, 232, 4096} {
		b.Run(fmt.Sprintf("sides=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			marked := randomHits(rand.New(rand.NewPCG(1, 0)), n, 33)
			known, hits := setOf(marked), make([]byte, n)
			for b.Loop() {
				copy(hits, marked)
				if HasNew(known, hits) {
					b.Fatal("something is new")
				}
				clear(hits)
			}
		})
	}
}

func BenchmarkScanCopyOnly(b *testing.B) {
	for _, n := range []int{226, 232, 4096} {
		b.Run(fmt.Sprintf("sides=%d", n), func(b *testing.B) {
			marked := randomHits(rand.New(rand.NewPCG(1, 0)), n, 33)
			hits := make([]byte, n)
			for b.Loop() {
				copy(hits, marked)
			}
		})
	}
}

func BenchmarkAppendHits(b *testing.B) {
	for _, n := range []int{226, 4096} {
		b.Run(fmt.Sprintf("sides=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			hits := randomHits(rand.New(rand.NewPCG(1, 0)), n, 33)
			var sides []int
			for b.Loop() {
				sides = AppendHits(sides[:0], hits)
			}
		})
	}
}
