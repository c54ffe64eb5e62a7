package coverage_test

import (
	"fmt"

	"foray.test/coverage"
)

// conditions are those of a package with two: each has the sides "false" and "true".
var conditions = []coverage.Condition{
	{Package: "queue", Func: "New", Ordinal: 1, Text: "n > 10", Kind: coverage.Bool, First: 0, Sides: []string{"false", "true"}, Op: ">"},
	{Package: "queue", Func: "(*Queue).Put", Ordinal: 1, Text: "q.full()", Kind: coverage.Bool, First: 2, Sides: []string{"false", "true"}},
}

// A run is worth keeping if it takes a side that no run before it took. The frontier
// is the sides not taken of conditions that some run reached.
func ExampleFrontier() {
	covered := coverage.NewSet(4)
	hits := []byte{1, 0, 0, 0} // of a run that took side 0: n > 10 was false
	fmt.Println("new:", coverage.HasNew(covered, hits), covered.AddHits(hits))
	fmt.Println("new:", coverage.HasNew(covered, hits))
	for _, side := range coverage.Frontier(conditions, covered) {
		fmt.Println("frontier:", conditions[0].ID(), conditions[0].Sides[side-conditions[0].First])
	}
	// Output:
	// new: true 1
	// new: false
	// frontier: queue.New#1 "n > 10" true
}

// The distance tells which of two visits of a condition is nearer to a side.
func ExampleDistance() {
	n := &conditions[0]
	for _, x := range []uint64{2, 9, 11} {
		visit := coverage.Visit{Kind: coverage.SignedOperands, X: x, Y: 10}
		d, ok := coverage.Distance(n, n.First+1, visit)
		fmt.Println(x, coverage.Relation(n, n.First+1), visit.Y, "is", d, "away:", ok)
	}
	// Output:
	// 2 > 10 is 9 away: true
	// 9 > 10 is 2 away: true
	// 11 > 10 is 0 away: true
}
