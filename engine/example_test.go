package engine_test

import (
	"fmt"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// stack is the table of a package with a stack of integers, and of a function that
// takes a type that nothing makes.
var stack = &seq.Table{
	Package: "example.org/stack", Name: "stack",
	Types: []seq.Type{
		{},
		{Name: "*stack.Stack", Nilable: true, Assignable: []seq.TypeID{1}},
		{Name: "int", Form: seq.Form{Kind: seq.BasicType}, Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{2}},
		{Name: "stack.Key", Form: seq.Form{Kind: seq.StructType}, Assignable: []seq.TypeID{3}},
	},
	Ops: []seq.Operation{
		{Name: "stack.New", Short: "New", Kind: seq.Func, API: true, Template: "stack.New()", Results: []seq.TypeID{1}},
		{Name: "(*stack.Stack).Push", Short: "(*Stack).Push", Kind: seq.Method, API: true, Template: "$0.Push($1)", Params: []seq.TypeID{1, 2}},
		{Name: "(*stack.Stack).Pop", Short: "(*Stack).Pop", Kind: seq.Method, API: true, Template: "$0.Pop()", Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
		{Name: "stack.Open", Short: "Open", Kind: seq.Func, API: true, Template: "stack.Open($0)", Params: []seq.TypeID{3}},
	},
}

// Minimize asks keep, which usually runs a candidate, whether the candidate still has
// the effect of the sequence.
func ExampleMinimize() {
	s, err := stack.Parse("v0 := stack.New(); v1 := stack.New(); v0.Push(7); v1.Push(8000); v0.Push(9); v2 := v1.Pop()")
	if err != nil {
		panic(err)
	}
	small := engine.Minimize(stack, engine.NewPool(stack), s, func(s seq.Sequence) bool {
		text := stack.String(s)
		return strings.Contains(text, "Push") && strings.Contains(text, "Pop")
	})
	fmt.Println(stack.OneLine(small))
	// Output: v0 := stack.New(); v0.Push(0); v1 := v0.Pop()
}

// An operation is impossible if nothing makes one of its arguments.
func ExampleImpossible() {
	for i, impossible := range engine.Impossible(stack) {
		if impossible {
			fmt.Println(stack.Ops[i].Short)
		}
	}
	// Output: Open
}

// A pool has the literals that arguments are drawn from. Other values stand for
// themselves.
func ExamplePool_Intern() {
	p := engine.NewPool(stack)
	for _, value := range []int64{1, 123456789} {
		own := &seq.Literal{Type: 2, Value: value}
		fmt.Println(value, p.Intern(own) != own)
	}
	// Output:
	// 1 true
	// 123456789 false
}
