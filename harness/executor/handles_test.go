package executor

import (
	"container/list"
	"container/ring"
	"reflect"
	"testing"

	"foray.test/engine/seq"
)

type options struct {
	Limits map[string]int
}

type cache struct {
	Opts  *options
	Items map[string]int
}

type treeNode struct {
	Key                 int
	Left, Right, Parent *treeNode
}

type tree struct {
	Root *treeNode
	Size int
}

type iterator struct {
	Tree     *tree
	Node     *treeNode
	Position byte
}

// stackIterator remembers its way down.
type stackIterator struct {
	Tree  *tree
	Stack []StackItem
}

type StackItem struct {
	Node *treeNode
	At   int
}

// view consists of further views, by value.
type view struct {
	Inner []view
	Tree  *tree
}

// index consists of itself and of what grows.
type index struct {
	Inner []index
	Names map[string]*tree
}

// recorder refers to a tree, and grows on its own.
type recorder struct {
	Tree *tree
	Log  []string
}

type leaf struct{ Key int }

// handleAPI lists the operations of a table, with parameters and results.
type handleAPI struct {
	kind  seq.Kind
	takes []any
	makes []any
}

func TestHandles(t *testing.T) {
	var (
		aTree  = (*tree)(nil)
		aNode  = (*treeNode)(nil)
		anIter = (*iterator)(nil)
	)
	tests := []struct {
		name string
		api  []handleAPI
		want []any // the handles
	}{
		{"elements of a list", []handleAPI{
			{seq.Func, nil, []any{(*list.List)(nil)}},
			{seq.Method, []any{(*list.List)(nil), 0}, []any{(*list.Element)(nil)}},
			{seq.Method, []any{(*list.Element)(nil)}, []any{(*list.Element)(nil)}},
			{seq.Method, []any{(*list.List)(nil)}, []any{(*list.List)(nil)}},
			{seq.Composite, nil, []any{(*list.Element)(nil)}},
		}, []any{(*list.Element)(nil)}},
		{"nodes and iterators of a tree", []handleAPI{
			{seq.Func, nil, []any{aTree}},
			{seq.Method, []any{aTree, 0}, []any{aNode, false}},
			{seq.FieldGet, []any{aNode}, []any{aNode}},
			{seq.Method, []any{aTree}, []any{anIter}},
			{seq.Method, []any{aTree, aNode}, []any{anIter}},
			{seq.Method, []any{anIter}, []any{aNode}},
			{seq.Composite, []any{aNode}, []any{aNode}},
			{seq.Method, []any{aTree}, []any{(*stackIterator)(nil)}},
		}, []any{aNode, anIter, (*stackIterator)(nil)}},
		{"types with slices of themselves", []handleAPI{
			{seq.Func, nil, []any{aTree}},
			{seq.Method, []any{aTree}, []any{(*view)(nil)}},
			{seq.Method, []any{aTree}, []any{(*index)(nil)}},
		}, []any{(*view)(nil)}},
		{"nodes that stand alone", []handleAPI{
			{seq.Func, nil, []any{aTree}},
			{seq.Func, []any{0}, []any{aNode}},
			{seq.Method, []any{aTree, 0}, []any{aNode}},
		}, nil},
		{"what grows on its own", []handleAPI{
			{seq.Func, nil, []any{aTree}},
			{seq.Func, []any{aTree}, []any{(*recorder)(nil)}},
			{seq.Func, nil, []any{(*options)(nil)}},
			{seq.Func, []any{(*options)(nil)}, []any{(*cache)(nil)}},
		}, nil},
		{"parts that lead nowhere", []handleAPI{
			{seq.Func, nil, []any{(*struct{ leaves []*leaf })(nil)}},
			{seq.Method, []any{(*struct{ leaves []*leaf })(nil)}, []any{(*leaf)(nil)}},
		}, nil},
		{"a ring is no handle of itself", []handleAPI{
			{seq.Func, []any{0}, []any{(*ring.Ring)(nil)}},
			{seq.Method, []any{(*ring.Ring)(nil)}, []any{(*ring.Ring)(nil)}},
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, types := handleTable(tt.api)
			want := map[reflect.Type]bool{}
			for _, v := range tt.want {
				want[reflect.TypeOf(v)] = true
			}
			for id, got := range findHandles(table, types) {
				if id > 0 && got != want[types[id]] {
					t.Errorf("%v: handle %t, want %t", types[id], got, want[types[id]])
				}
			}
		})
	}
}

func handleTable(api []handleAPI) (*seq.Table, []reflect.Type) {
	types, ids := []reflect.Type{nil}, map[reflect.Type]seq.TypeID{}
	list := func(values []any) (list []seq.TypeID) {
		for _, v := range values {
			rt := reflect.TypeOf(v)
			if ids[rt] == 0 {
				ids[rt] = seq.TypeID(len(types))
				types = append(types, rt)
			}
			list = append(list, ids[rt])
		}
		return list
	}
	table := new(seq.Table)
	for _, op := range api {
		table.Ops = append(table.Ops, seq.Operation{Kind: op.kind, Params: list(op.takes), Results: list(op.makes)})
	}
	table.Types = make([]seq.Type, len(types))
	return table, types
}
