package corpus_test

import (
	"fmt"

	"foray.test/corpus"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// Distill chooses the entries that take all branch sides at the least cost.
func ExampleDistill() {
	sides := func(list ...int32) (features []corpus.Feature) {
		for _, side := range list {
			features = append(features, corpus.SideFeature(side))
		}
		return features
	}
	entries := []corpus.Item{
		{Features: sides(1, 2), Cost: 3},
		{Features: sides(2, 3), Cost: 3},
		{Features: sides(1, 2, 3), Cost: 4},
		{Features: sides(4), Cost: 1},
	}
	fmt.Println(corpus.Distill(entries, nil))
	fmt.Println(corpus.Distill(entries, sides(1, 4)), "if sides 1 and 4 are taken elsewhere")
	// Output:
	// [2 3]
	// [1] if sides 1 and 4 are taken elsewhere
}

// A component makes a value for an argument, also where an interface that its type
// implements is wanted.
func ExampleComponents() {
	const (
		queue seq.TypeID = iota + 1
		lener
	)
	table := &seq.Table{
		Imports: []seq.Import{{Name: "queue", Path: "example.com/queue"}},
		Types: []seq.Type{{},
			{Name: "*queue.Queue", Assignable: []seq.TypeID{queue}},
			{Name: "queue.Lener", Interface: true, Assignable: []seq.TypeID{lener, queue}},
		},
		Ops: []seq.Operation{
			{Short: "New", Template: "queue.New()", Results: []seq.TypeID{queue}},
			{Short: "(*Queue).Close", Template: "$0.Close()", Params: []seq.TypeID{queue}},
		},
	}
	steps, err := table.Parse("v0 := queue.New(); v0.Close()")
	if err != nil {
		fmt.Println(err)
		return
	}
	src := draw.Random(1)
	set := corpus.NewComponents(seq.NewTypeIndex(table), 8)
	fmt.Println(set.Has(lener))
	set.Add(src, queue, corpus.Component{Steps: steps, Slot: 0})
	picked, slot, ok := set.Pick(src, lener)
	fmt.Printf("v%d of %s, %t\n", slot, table.OneLine(picked), ok)
	// Output:
	// false
	// v0 of v0 := queue.New(); v0.Close(), true
}
