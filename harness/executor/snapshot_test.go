package executor

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// sequences of the tree of the fixture
func (f *fixture) put(tree int, keys ...int64) seq.Sequence {
	var s seq.Sequence
	for _, k := range keys {
		s = append(s, seq.Step{Op: opPut, Args: []seq.Arg{seq.Slot(tree), f.lit(k), f.lit(0)}})
	}
	return s
}

func (f *fixture) tree(keys ...int64) seq.Sequence {
	return append(seq.Sequence{{Op: opNew}}, f.put(0, keys...)...)
}

func TestStudyValues(t *testing.T) {
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	node := func(key int64) seq.Step {
		return seq.Step{Op: opNode, Args: []seq.Arg{seq.Slot(0), f.lit(key)}}
	}
	for _, test := range []struct {
		name string
		s    seq.Sequence
		want []wire.Value
	}{
		{"empty", f.tree(), []wire.Value{{Type: typeTree, Size: 2}}},
		{"one node", f.tree(1), []wire.Value{{Type: typeTree, Size: 2}}},
		{"four nodes", f.tree(2, 1, 4, 3), []wire.Value{{Type: typeTree, Size: 3}}},
		{"nil", append(f.tree(), node(1)), []wire.Value{{Type: typeTree, Size: 2}, {Type: typeNode, Size: 0}}},
		{"two sizes of a type", append(f.tree(2, 1, 4, 3), seq.Step{Op: opNew}), []wire.Value{{Type: typeTree, Size: 2}, {Type: typeTree, Size: 3}}},
		{"literals are none", append(f.tree(), seq.Step{Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}), []wire.Value{{Type: typeTree, Size: 2}}},
		{"what breaks leaves nothing", append(f.tree(), seq.Step{Op: opMerge, Args: []seq.Arg{seq.Slot(0), seq.Lit(f.pool.Intern(&seq.Literal{Type: typeTree}))}}), nil},
	} {
		f.box(test.s)
		_, left := f.exec.Study(test.s, nil)
		if left == nil {
			left = new(wire.Left)
		}
		if !slices.Equal(left.Values, test.want) {
			t.Errorf("%s: values %v, want %v", test.name, left.Values, test.want)
		}
	}
}

func (f *fixture) box(s seq.Sequence) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil {
				f.exec.Box(a.Lit)
			}
		}
	}
}

// A state is that of the values, not of the way to them.
func TestStudyState(t *testing.T) {
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	state := func(s seq.Sequence) uint64 {
		f.box(s)
		_, left := f.exec.Study(s, nil)
		return left.State
	}
	one := state(f.tree(2, 1))
	remove := seq.Step{Op: opRemove, Args: []seq.Arg{seq.Slot(0), f.lit(3)}}
	for _, test := range []struct {
		name string
		s    seq.Sequence
		same bool
	}{
		{"again", f.tree(2, 1), true},
		{"a detour", append(f.tree(2, 1, 3), remove), true},
		{"twice", append(append(f.tree(2, 1), seq.Step{Op: opNew}), f.put(1, 2, 1)...), true},
		{"another tree", f.tree(1, 2), false},
		{"another tree beside it", append(f.tree(2, 1), seq.Step{Op: opNew}), false},
	} {
		if got := state(test.s); (got == one) != test.same {
			t.Errorf("%s: state %x beside %x, same %v", test.name, got, one, test.same)
		}
	}
}

// Trees that a digest tells apart are alike if their Equal says so.
func TestStudyAlike(t *testing.T) {
	table, bindings := fixtureTable(int(opZero) + 1)
	equal := 0
	withEqual := func(says func(a, b *intTree) bool) *fixture {
		f := newFixture(t, int(opZero)+1, 1, engine.Params{})
		tab, b := *table, bindings
		tab.Ops = append(slices.Clone(table.Ops), seq.Operation{
			Name: "(*p.intTree).Equal func(*p.intTree) bool", Short: "Equal", Member: "(*intTree).Equal", Base: "Equal", Kind: seq.Method, API: true,
			Template: "$0.Equal($1)", Params: []seq.TypeID{typeTree, typeTree}, Results: []seq.TypeID{typeBool},
		})
		b.Ops = append(slices.Clone(b.Ops), func(in, out []any) {
			equal++
			out[0] = says(in[0].(*intTree), in[1].(*intTree))
		})
		f.exec = New(&tab, b, newShared(), Options{})
		return f
	}
	bySize := withEqual(func(a, b *intTree) bool { return a.size == b.size })
	panics := withEqual(func(a, b *intTree) bool { panic("no") })
	none := newFixture(t, int(opZero)+1, 1, engine.Params{})
	for _, test := range []struct {
		name string
		f    *fixture
		a, b seq.Sequence
		want bool
	}{
		{"other shape, same size", bySize, bySize.tree(2, 1), bySize.tree(1, 2), true},
		{"other size", bySize, bySize.tree(2, 1), bySize.tree(1), false},
		{"one of two has no like", bySize, append(bySize.tree(2, 1), seq.Step{Op: opNew}), bySize.tree(2, 1), false},
		{"Equal panics", panics, panics.tree(2, 1), panics.tree(1, 2), false},
		{"Equal is not asked where digests are equal", panics, panics.tree(2, 1), panics.tree(2, 1), true},
		{"no Equal", none, none.tree(2, 1), none.tree(1, 2), false},
		{"no Equal, same state", none, none.tree(2, 1), none.tree(2, 1), true},
	} {
		test.f.box(test.a)
		test.f.box(test.b)
		out, left := test.f.exec.Study(test.a, test.b)
		if left == nil || left.Alike != test.want {
			t.Errorf("%s: %+v, want alike %v", test.name, left, test.want)
		}
		if out.Verdict != nil && test.f != panics { // which a contract tells
			t.Errorf("%s: verdict %v", test.name, out.Verdict)
		}
	}
	if equal == 0 {
		t.Error("Equal was never called")
	}
}
