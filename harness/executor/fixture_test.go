package executor

import (
	"fmt"
	"reflect"
	"testing"

	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// The code under test of this package's tests: a search tree of integers that
// does not balance.
type intTree struct {
	root *intNode
	size int
}

type intNode struct {
	key, value          int
	left, right, parent *intNode
}

func newIntTree() *intTree { return &intTree{} }

// find returns the place where the node of key is or would be, and its parent.
func (t *intTree) find(key int) (place **intNode, parent *intNode) {
	place = &t.root
	for *place != nil && (*place).key != key {
		parent = *place
		if key < parent.key {
			place = &parent.left
		} else {
			place = &parent.right
		}
	}
	return place, parent
}

func (t *intTree) Put(key, value int) {
	place, parent := t.find(key)
	if *place == nil {
		*place = &intNode{key: key, parent: parent}
		t.size++
	}
	(*place).value = value
}

func (t *intTree) Get(key int) (int, bool) {
	if place, _ := t.find(key); *place != nil {
		return (*place).value, true
	}
	return 0, false
}

func (t *intTree) Node(key int) *intNode {
	place, _ := t.find(key)
	return *place
}

// Remove puts the right subtree behind the left one.
func (t *intTree) Remove(key int) {
	place, parent := t.find(key)
	n := *place
	if n == nil {
		return
	}
	t.size--
	if *place = n.left; n.left == nil {
		*place = n.right
	} else if n.right != nil {
		last := n.left
		for last.right != nil {
			last = last.right
		}
		last.right, n.right.parent = n.right, last
	}
	if *place != nil {
		(*place).parent = parent
	}
}

// Merge panics for a nil tree.
func (t *intTree) Merge(other *intTree) { t.Put(other.size, 0) }

// Swap hands its argument back.
func (t *intTree) Swap(other *intTree) *intTree { return other }

// Check fails for odd keys.
func (t *intTree) Check(key int) error {
	if key%2 != 0 {
		return fmt.Errorf("odd key %d", key)
	}
	return nil
}

const (
	typeTree seq.TypeID = iota + 1
	typeNode
	typeInt
	typeBool
	typeError
)

const (
	opNew seq.OpID = iota
	opPut
	opGet
	opRemove
	opNode
	opMerge
	opSwap
	opCheck
	opZero
)

// fixtureTable describes intTree; only the first n of its operations.
func fixtureTable(n int) (*seq.Table, Bindings) {
	method := func(name string, results []seq.TypeID, params ...seq.TypeID) seq.Operation {
		return seq.Operation{Name: name, Short: name, Member: name, Base: name, Kind: seq.Method, API: true, Params: params, Results: results}
	}
	t := &seq.Table{
		Types: []seq.Type{
			{},
			{Name: "*p.intTree", Nilable: true, Assignable: []seq.TypeID{typeTree}},
			{Name: "*p.intNode", Nilable: true, Assignable: []seq.TypeID{typeNode}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
			{Name: "bool", Literal: seq.Bool, Basic: true, Assignable: []seq.TypeID{typeBool}},
			{Name: "error", Interface: true, Form: seq.Form{Std: seq.StdError}, Nilable: true, Assignable: []seq.TypeID{typeError}},
		},
		Ops: []seq.Operation{
			{Name: "New", Short: "New", Member: "New", Base: "New", API: true, Results: []seq.TypeID{typeTree}},
			method("Put", nil, typeTree, typeInt, typeInt),
			method("Get", []seq.TypeID{typeInt, typeBool}, typeTree, typeInt),
			method("Remove", nil, typeTree, typeInt),
			method("Node", []seq.TypeID{typeNode}, typeTree, typeInt),
			method("Merge", nil, typeTree, typeTree),
			method("Swap", []seq.TypeID{typeTree}, typeTree, typeTree),
			method("Check", []seq.TypeID{typeError}, typeTree, typeInt),
			{Name: "&intTree{}", Short: "&intTree{}", Kind: seq.Composite, Template: "&intTree{}", Results: []seq.TypeID{typeTree}, Declaration: seq.Declaration{Zero: true}},
		},
	}
	t.Ops[opCheck].ReturnsError = true
	b := Bindings{
		Types: []reflect.Type{nil, reflect.TypeFor[*intTree](), reflect.TypeFor[*intNode](), reflect.TypeFor[int](), reflect.TypeFor[bool](), reflect.TypeFor[error]()},
		Ops: []Adapter{
			func(in, out []any) { out[0] = newIntTree() },
			func(in, out []any) { in[0].(*intTree).Put(in[1].(int), in[2].(int)) },
			func(in, out []any) { out[0], out[1] = in[0].(*intTree).Get(in[1].(int)) },
			func(in, out []any) { in[0].(*intTree).Remove(in[1].(int)) },
			func(in, out []any) { out[0] = in[0].(*intTree).Node(in[1].(int)) },
			func(in, out []any) { in[0].(*intTree).Merge(in[1].(*intTree)) },
			func(in, out []any) { out[0] = in[0].(*intTree).Swap(in[1].(*intTree)) },
			func(in, out []any) { out[0] = in[0].(*intTree).Check(in[1].(int)) },
			func(in, out []any) { out[0] = &intTree{} },
		},
	}
	t.Ops, b.Ops = t.Ops[:n], b.Ops[:n]
	return t, b
}

// fixture is an engine over intTree with its parts.
type fixture struct {
	table  *seq.Table
	pool   *engine.Pool
	exec   *Executor
	engine *engine.Engine
}

func newFixture(tb testing.TB, ops int, seed uint64, p engine.Params) *fixture {
	tb.Helper()
	table, bindings := fixtureTable(ops)
	f := &fixture{table: table, pool: engine.NewPool(table)}
	f.exec = New(table, bindings, newShared(), Options{})
	for _, l := range f.pool.Literals {
		f.exec.Box(l)
	}
	f.engine = f.newEngine(f.exec, seed, p)
	return f
}

func (f *fixture) newEngine(x engine.Executor, seed uint64, p engine.Params) *engine.Engine {
	return engine.New(engine.Config{
		Table: f.table, Pool: f.pool, Executor: x, Source: draw.Random(seed), Sides: Sides(), Params: p, Sink: noSink{},
	})
}

type noSink struct{}

func (noSink) Entry(engine.Entry)     {}
func (noSink) Finding(engine.Finding) {}
func (noSink) Attempt(int)            {}
func (noSink) Endless(seq.Sequence)   {}
