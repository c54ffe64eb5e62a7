package mutators

import (
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// BenchmarkEdits makes proposals for a witness of ten steps, a thousand of each edit
// at most. The cost of an edit matters beside a run of 5 to 10 µs.
func BenchmarkEdits(b *testing.B) {
	w := parse(b, `v0 := q.New(2); v1 := q.Parse("key=12;x"); `+strings.Repeat(`v0.Put("ab"); v1.Put(7); `, 3)+`v2, v2b := v0.Get(); v0.Join(v1)`)
	for _, e := range Edits {
		b.Run(strings.ReplaceAll(e.Name, " ", "-"), func(b *testing.B) {
			a := &Aim{
				Index: fixture, Source: draw.Random(1), Components: components{}, Literals: testPool, Witness: w, Positions: AllPositions(w),
				Condition: compares("=="), Want: 1, Visits: []coverage.Visit{ints(12, 5), texts("key", "KEYS")}, Nearby: []coverage.Visit{ints(2, 9)},
			}
			b.ReportAllocs()
			made := 0
			for b.Loop() {
				n := 0
				e.Propose(a, func(seq.Sequence) bool { n++; return n < 1000 })
				made += n
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "proposals/s")
		})
	}
}
