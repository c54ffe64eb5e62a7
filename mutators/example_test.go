package mutators_test

import (
	"fmt"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

const (
	number seq.TypeID = iota + 1
	queue
)

var table = &seq.Table{
	Imports: []seq.Import{{Name: "queue", Path: "example.com/queue"}},
	Types: []seq.Type{{},
		{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{number}},
		{Name: "*queue.Queue", Nilable: true, Assignable: []seq.TypeID{queue}},
	},
	Ops: []seq.Operation{
		{Short: "New", Kind: seq.Func, API: true, Template: "queue.New($0)", Params: []seq.TypeID{number}, Results: []seq.TypeID{queue}},
		{Short: "(*Queue).Put", Kind: seq.Method, API: true, Template: "$0.Put($1)", Params: []seq.TypeID{queue, number}},
	},
}

// literals is a pool of one number.
type literals struct{}

func (literals) Nil(seq.TypeID) *seq.Literal { return nil }

func (literals) Words(t seq.TypeID) []*seq.Literal {
	if t != number {
		return nil
	}
	return []*seq.Literal{{Type: number, Value: int64(0)}}
}

// The witness reached n > 10 with the operands 2 and 10. The edit "compared" puts a
// number that takes the other side where 2 came from.
func ExampleEdit() {
	witness, err := table.Parse("v0 := queue.New(2); v0.Put(1)")
	if err != nil {
		fmt.Println(err)
		return
	}
	aim := &mutators.Aim{
		Index: seq.NewTypeIndex(table), Source: draw.Random(1), Literals: literals{},
		Witness: witness, Positions: mutators.AllPositions(witness),
		Condition: &coverage.Condition{Kind: coverage.Bool, Sides: []string{"false", "true"}, Op: ">"}, Want: 1,
		Visits: []coverage.Visit{{Kind: coverage.SignedOperands, X: 2, Y: 10}},
	}
	edit := mutators.Edits[0]
	edit.Propose(aim, func(s seq.Sequence) bool {
		fmt.Printf("%s: %s\n", edit.Name, table.OneLine(s))
		return false // it is enough
	})
	// Output:
	// compared: v0 := queue.New(11); v0.Put(1)
}

// Equal sources give equal edits.
func ExampleEditString() {
	src := draw.Random(7)
	s := "key=12"
	for range 4 {
		s = mutators.EditString(src, s, func() string { return "GET" })
		fmt.Printf("%q\n", s)
	}
	// Output:
	// "key=10"
	// "key=1GET0"
	// "(key=1GET0)"
	// "((key=1GET0))"
}
