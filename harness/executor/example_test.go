package executor_test

import (
	"fmt"
	"reflect"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// fields is the table of strings.Fields and of an operation that returns the first field.
// A worker has such a table from harness/catalog, and generated adapters.
var fields = &seq.Table{
	Package: "example.org/text", Name: "text",
	Types: []seq.Type{
		{},
		{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}},
		{Name: "[]string", Nilable: true, Assignable: []seq.TypeID{2}},
	},
	Ops: []seq.Operation{
		{Name: "text.Fields", Short: "Fields", Kind: seq.Func, API: true, Template: "text.Fields($0)", Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
		{Name: "text.First", Short: "First", Kind: seq.Func, API: true, Template: "text.First($0)", Params: []seq.TypeID{2}, Results: []seq.TypeID{1}},
	},
}

func first(list []string) string { return list[0] }

func newExecutor() *executor.Executor {
	return executor.New(fields, executor.Bindings{
		Ops: []executor.Adapter{
			func(in, out []any) { out[0] = strings.Fields(in[0].(string)) },
			executor.Reflected(reflect.ValueOf(first), false),
		},
		Types: []reflect.Type{nil, reflect.TypeFor[string](), reflect.TypeFor[[]string]()},
	}, wire.SharedOf(make([]byte, wire.SharedBytes)), executor.Options{})
}

// sequence is v0 := text.Fields(text); v1 := text.First(v0).
func sequence(x *executor.Executor, text string) seq.Sequence {
	lit := &seq.Literal{Type: 1, Value: text}
	x.Box(lit)
	return seq.Sequence{{Op: 0, Args: []seq.Arg{seq.Lit(lit)}}, {Op: 1, Args: []seq.Arg{seq.Slot(0)}}}
}

// An executor runs sequences and judges their outcomes.
func ExampleExecutor() {
	x := newExecutor()
	for _, text := range []string{"a b", " "} {
		out, ran := engine.Execute(x, fields, sequence(x, text), engine.RunOptions{})
		fmt.Println(ran, "steps")
		if v := out.Verdict; v != nil {
			fmt.Printf("%v: %s\n", v.Tier, v.Message)
		}
	}
	// Output:
	// 2 steps
	// 2 steps
	// panic: First panics: runtime error: index out of range [0] with length 0
}

// Observe shows each result of a sequence as a caller sees it.
func ExampleExecutor_Observe() {
	x := newExecutor()
	for _, step := range x.Observe(sequence(x, "a b")).Steps {
		fmt.Println(step.Results)
	}
	// Output:
	// [["a", "b"]]
	// ["a"]
}

// An adapter takes the arguments of a call from one slice and puts its results into
// another. Generated adapters do so without reflection.
func ExampleReflected() {
	repeat := executor.Reflected(reflect.ValueOf(strings.Repeat), false)
	out := make([]any, 1)
	repeat([]any{"ab", 3}, out)
	fmt.Println(out[0])
	// Output: ababab
}
