package engine

import (
	"strings"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// Two operations more than the fake API has: bag.Pair(int, int) *bag.Bag and
// bag.Find(string, string).
const (
	opPair seq.OpID = opMust + 1 + iota
	opFind
)

// pairs makes bags of two numbers, unless it is to refuse that.
type pairs struct {
	*fakeExecutor
	refuses bool
}

func (x *pairs) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x *pairs) Append(st seq.Step) StepOutcome {
	switch {
	case st.Op == opPair && x.refuses:
		return StepOutcome{Status: Refused, RefusedBy: opMust}
	case st.Op == opPair:
		x.step++
		x.vals = append(x.vals, &bag{items: []int64{st.Args[0].Lit.Value.(int64), st.Args[1].Lit.Value.(int64)}})
		return StepOutcome{}
	}
	return x.fakeExecutor.Append(st)
}

// answers chooses by label, 0 if it has none.
type answers map[string]int

func (a answers) Choose(label string, n int) int { return min(a[label], n-1) }

func newPairs(choices answers) (*composer, *pairs) {
	x := &pairs{fakeExecutor: newFake()}
	t := x.table
	t.Types = append(t.Types, seq.Type{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{typeFloat + 1}})
	const text = typeFloat + 1
	t.Ops = append(t.Ops,
		seq.Operation{Name: "Pair", Short: "Pair", Kind: seq.Func, Template: "bag.Pair($0, $1)", Params: []seq.TypeID{typeInt, typeInt}, Results: []seq.TypeID{typeBag}, API: true, Member: "Pair"},
		seq.Operation{Name: "Find", Short: "Find", Kind: seq.Func, Template: "bag.Find($0, $1)", Params: []seq.TypeID{text, text}, API: true, Member: "Find"},
	)
	pool := NewPool(t)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	e := New(Config{Table: t, Pool: pool, Executor: x, Source: draw.From(choices), Sides: fakeSides, Sink: &fakeSink{}})
	c := e.composer
	c.reset()
	c.runner.begin(job{purpose: composing}, RunOptions{})
	c.length = 10
	return c, x
}

func number(v int64) seq.Arg { return seq.Lit(&seq.Literal{Type: typeInt, Value: v}) }

// A sibling is made by the same call with one literal changed.
func TestVariantArg(t *testing.T) {
	for change, kept := range []int{1, 0} {
		e, _ := newPairs(answers{"argument to change": change, "literal or result": 8*literalDraws - 1})
		e.run(seq.Step{Op: opPair, Args: []seq.Arg{number(41), number(43)}})
		a, ok := e.variantArg(0, 0)
		if !ok || a.Slot != 1 || len(e.steps()) != 2 || e.steps()[1].Op != opPair {
			t.Fatalf("argument %d: slot %d, %v after %s", change, a.Slot, ok, e.table.String(e.steps()))
		}
		first, second := e.steps()[0].Args, e.steps()[1].Args
		if second[kept] != first[kept] {
			t.Errorf("argument %d: %v, want %v as before", kept, second[kept].Lit.Value, first[kept].Lit.Value)
		}
		if second[change].Lit == first[change].Lit {
			t.Errorf("argument %d is what it was", change)
		}
	}
}

// Operations that take no literals, or may not be called, have no variants.
func TestNoVariantArg(t *testing.T) {
	e, x := newPairs(nil)
	e.run(seq.Step{Op: opNew})
	if a, ok := e.variantArg(0, 0); ok {
		t.Errorf("of a bag that takes nothing: slot %d", a.Slot)
	}
	e.run(seq.Step{Op: opPair, Args: []seq.Arg{number(1), number(2)}})
	x.refuses = true
	if a, ok := e.variantArg(1, 0); ok {
		t.Errorf("of a refused call: slot %d, of %s", a.Slot, e.table.String(e.steps()))
	}
}

// An argument is made like another of its call: the value made again, a text edited.
func TestSimilarArg(t *testing.T) {
	e, _ := newPairs(answers{"string edit": 1})
	e.run(seq.Step{Op: opPair, Args: []seq.Arg{number(1), number(2)}})
	args := []seq.Arg{seq.Slot(0), seq.Slot(0)}
	e.similarArg(&e.ops[opJoin], args, 0)
	if args[0].Slot != 0 || args[1].Slot != 1 || len(e.steps()) != 2 {
		t.Errorf("slots %d and %d after %s", args[0].Slot, args[1].Slot, e.table.String(e.steps()))
	}
	word := seq.Lit(&seq.Literal{Type: typeFloat + 1, Value: "needle"})
	args = []seq.Arg{word, seq.Lit(&seq.Literal{Type: typeFloat + 1, Value: "hay"})}
	e.similarArg(&e.ops[opFind], args, 0)
	if got := args[1].Lit.Value.(string); args[0] != word || !strings.Contains(got, "needle") {
		t.Errorf("%q like needle", got)
	}
}
