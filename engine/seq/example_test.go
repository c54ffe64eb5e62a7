package seq_test

import (
	"fmt"

	"foray.test/engine/seq"
)

// A sequence is Go text and, in memory, steps that name operations of a table. Removing
// a step removes the steps that depend on its results, and renumbers the others.
func Example() {
	const (
		number seq.TypeID = iota + 1
		queue
	)
	table := &seq.Table{
		Imports: []seq.Import{{Name: "queue", Path: "example.com/queue"}},
		Types: []seq.Type{{},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{number}},
			{Name: "*queue.Queue", Nilable: true, Assignable: []seq.TypeID{queue}},
		},
		Ops: []seq.Operation{
			{Short: "New", Template: "queue.New($0)", Params: []seq.TypeID{number}, Results: []seq.TypeID{queue}},
			{Short: "(*Queue).Put", Kind: seq.Method, Template: "$0.Put($1)", Params: []seq.TypeID{queue, number}},
		},
	}
	s, err := table.Parse("v0 := queue.New(2); v1 := queue.New(3); v0.Put(1); v1.Put(7)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, st := range s {
		fmt.Println(table.Ops[st.Op].Short, len(st.Args))
	}
	shorter, _ := seq.Remove(table, s, 0)
	fmt.Print(table.String(shorter))
	// Output:
	// New 1
	// New 1
	// (*Queue).Put 2
	// (*Queue).Put 2
	// v0 := queue.New(3)
	// v0.Put(7)
}
