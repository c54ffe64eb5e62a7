package seq

import (
	"reflect"
	"slices"
	"testing"
)

// A node is a step of the naive twin of the rewriter: its arguments name the node and
// the result that they take, so that no edit has slots to renumber.
type node struct {
	op   OpID
	args []ref
}

// A ref is an argument of a node: a literal, or a result of a node.
type ref struct {
	lit    *Literal
	of     *node
	result int
}

func toNodes(t *Table, s Sequence) []*node {
	var nodes []*node
	var slots []ref
	for _, st := range s {
		n := &node{op: st.Op}
		for _, a := range st.Args {
			if a.Lit != nil {
				n.args = append(n.args, ref{lit: a.Lit})
			} else {
				n.args = append(n.args, slots[a.Slot])
			}
		}
		for k := range t.Ops[st.Op].Results {
			slots = append(slots, ref{of: n, result: k})
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func fromNodes(t *Table, nodes []*node) Sequence {
	s := Sequence{}
	first := map[*node]int{}
	slots := 0
	for _, n := range nodes {
		st := Step{Op: n.op}
		for _, r := range n.args {
			if r.lit != nil {
				st.Args = append(st.Args, Lit(r.lit))
			} else {
				st.Args = append(st.Args, Slot(first[r.of]+r.result))
			}
		}
		first[n] = slots
		slots += len(t.Ops[n.op].Results)
		s = append(s, st)
	}
	return s
}

// slotOf returns the result that a slot names.
func slotOf(t *Table, nodes []*node, slot int) ref {
	for _, n := range nodes {
		if k := len(t.Ops[n.op].Results); slot < k {
			return ref{of: n, result: slot}
		} else {
			slot -= k
		}
	}
	panic("no such slot")
}

func takes(n *node, r ref) bool { return slices.Contains(n.args, r) }

// removeNodes removes nodes, and those that take a result of a removed node.
func removeNodes(nodes []*node, remove func(i int) bool) []*node {
	var kept []*node
	for i, n := range nodes {
		if !remove(i) && !slices.ContainsFunc(n.args, func(r ref) bool { return r.of != nil && !slices.Contains(kept, r.of) }) {
			kept = append(kept, n)
		}
	}
	return kept
}

// unusedNode returns a node, but the last, with results that no node takes, or -1.
func unusedNode(t *Table, nodes []*node) int {
	for i := range nodes[:len(nodes)-1] {
		results := len(t.Ops[nodes[i].op].Results)
		used := results == 0
		for _, n := range nodes {
			for k := range results {
				used = used || takes(n, ref{of: nodes[i], result: k})
			}
		}
		if !used {
			return i
		}
	}
	return -1
}

// Each edit of a random sequence gives the steps that its naive twin does, and leaves
// its input alone.
func TestRewriteNaively(t *testing.T) {
	f := newFixture()
	f.op(Func, "queue.Pair()", nil, []string{"bool", "any"}) // the results of Get, backwards
	d := newDraw(t, f)
	for range 1000 {
		s, other := d.sequence(1+d.IntN(14)), d.sequence(1+d.IntN(6))
		before := f.String(s) + f.String(other)
		compare := func(edit string, got Sequence, want []*node) {
			t.Helper()
			if naive := fromNodes(f.Table, want); !got.Equal(naive) {
				t.Fatalf("%s of\n%sgives\n%swant\n%s", edit, f.String(s), f.String(got), f.String(naive))
			}
			if f.String(s)+f.String(other) != before {
				t.Fatalf("%s changed its input", edit)
			}
			if err := got.Check(f.Table); err != nil && edit != "ReplaceUses" {
				t.Fatalf("%s: %v", edit, err)
			}
		}
		nodes := func() []*node { return toNodes(f.Table, s) }
		i, j := d.IntN(len(s)), d.IntN(len(s))

		mask := d.Uint64()
		remove := func(i int) bool { return mask>>(i%64)&3 == 0 }
		compare("RemoveFunc", RemoveFunc(f.Table, s, remove), removeNodes(nodes(), remove))

		keep := make([]bool, len(s))
		for i := range keep {
			keep[i] = !remove(i)
		}
		kept, number := Filter(f.Table, s, keep)
		for slot := range s.Slots(f.Table) {
			maker := s.Maker(f.Table, int32(slot))
			if n := number[slot]; keep[maker] != (n >= 0) {
				t.Fatalf("slot %d has number %d, though its step is kept: %t", slot, n, keep[maker])
			} else if n >= 0 && kept[kept.Maker(f.Table, n)].Op != s[maker].Op {
				t.Fatalf("slot %d has number %d, a result of another step", slot, n)
			}
		}

		list := nodes()
		for len(list) > 0 {
			n := unusedNode(f.Table, list)
			if n < 0 {
				break
			}
			list = slices.Delete(list, n, n+1)
		}
		compare("RemoveUnused", RemoveUnused(f.Table, s), list)

		compare("Concat", Concat(f.Table, s, other), append(nodes(), toNodes(f.Table, other)...))
		shifted := Concat(f.Table, s[:i], other)[i:]
		compare("Insert", Insert(f.Table, s, i, shifted), slices.Insert(nodes(), i, toNodes(f.Table, other)...))

		list = nodes()
		moves := i < j
		for _, n := range list[i+1 : max(i, j)+1] {
			moves = moves && !slices.ContainsFunc(n.args, func(r ref) bool { return r.of == list[i] })
		}
		got, ok := Move(f.Table, s, i, j)
		if ok != moves {
			t.Fatalf("Move of step %d to %d of\n%sis %t, want %t", i, j, f.String(s), ok, moves)
		}
		if ok {
			moved := list[i]
			compare("Move", got, slices.Insert(slices.Delete(list, i, i+1), j, moved))
		}
		if slots := s.Slots(f.Table); slots > 1 {
			compareUses(t, d, s, compare)
		}
		compareReplaced(t, d, s, i, compare)
	}
}

// compareUses compares the results of the edits of uses on a random slot.
func compareUses(t *testing.T, d draw, s Sequence, compare func(string, Sequence, []*node)) {
	list := toNodes(d.Table, s)
	slot := 1 + d.IntN(s.Slots(d.Table)-1)
	by, from := d.IntN(slot), d.IntN(len(s))
	taken, earlier := slotOf(d.Table, list, slot), slotOf(d.Table, list, by)
	types := s.SlotTypes(d.Table)
	var uses []int
	fits := true
	for i, n := range list {
		if takes(n, taken) {
			uses = append(uses, i)
		}
		for j := range n.args {
			if i >= from && n.args[j] == taken {
				fits = fits && d.AssignableTo(types[by], d.Ops[n.op].Param(j))
				n.args[j] = earlier
			}
		}
	}
	if got := Uses(s, int32(slot)); !slices.Equal(got, uses) || s.Takes(int32(slot)) != (len(uses) > 0) {
		t.Fatalf("uses of slot %d are %v, want %v", slot, got, uses)
	}
	if got := FitsUses(d.Table, s, from, int32(slot), types[by]); got != fits {
		t.Fatalf("FitsUses of slot %d is %t, want %t", slot, got, fits)
	}
	got := ReplaceUses(s, from, int32(slot), Slot(by))
	compare("ReplaceUses", got, list)
	if err := got.Check(d.Table); fits && err != nil {
		t.Fatal(err)
	}
}

// compareReplaced replaces step i by a call without arguments, if its results can stand
// for those in use.
func compareReplaced(t *testing.T, d draw, s Sequence, i int, compare func(string, Sequence, []*node)) {
	calls := d.OpsThat(func(op *Operation) bool { return len(op.Params) == 0 })
	by := calls[d.IntN(len(calls))]
	results, base := make([]int, len(d.Ops[s[i].Op].Results)), s[:i].Slots(d.Table)
	for k := range results {
		slot := int32(base + k)
		results[k] = slices.IndexFunc(d.Ops[by].Results, func(ty TypeID) bool { return FitsUses(d.Table, s, i+1, slot, ty) })
		if results[k] < 0 && s.Takes(slot) {
			return
		}
	}
	list := toNodes(d.Table, s)
	replaced := list[i]
	list[i] = &node{op: by}
	for _, n := range list {
		for j, r := range n.args {
			if r.of == replaced {
				n.args[j] = ref{of: list[i], result: results[r.result]}
			}
		}
	}
	compare("ReplaceStep", ReplaceStep(d.Table, s, i, Step{Op: by}, results), list)
}

// A draft grows as sequences that are put together do.
func TestDraft(t *testing.T) {
	f := newFixture()
	d := newDraw(t, f)
	for range 500 {
		a, b := d.sequence(1+d.IntN(8)), d.sequence(1+d.IntN(8))
		draft := NewDraft(f.Table, a)
		base := draft.Put(b)
		if want := Concat(f.Table, a, b); !draft.Steps.Equal(want) || base != a.Slots(f.Table) {
			t.Fatalf("Put gives\n%sbehind slot %d, want\n%s", f.String(draft.Steps), base, f.String(want))
		}
		if !slices.Equal(draft.Types, draft.Steps.SlotTypes(f.Table)) {
			t.Fatalf("types %v of\n%s", draft.Types, f.String(draft.Steps))
		}
		if results := f.Ops[draft.Steps[len(draft.Steps)-1].Op].Results; len(results) > 0 {
			want := results[d.IntN(len(results))]
			k := slices.IndexFunc(results, func(made TypeID) bool { return f.AssignableTo(made, want) })
			if got, ok := draft.Made(want); !ok || got != Slot(len(draft.Types)-len(results)+k) {
				t.Fatalf("Made is v%d, %t, want result %d of the last step", got.Slot, ok, k)
			}
		}
		draft.Truncate(len(a))
		if !draft.Steps.Equal(a) || !slices.Equal(draft.Types, a.SlotTypes(f.Table)) {
			t.Fatalf("Truncate leaves\n%sof types %v, want\n%s", f.String(draft.Steps), draft.Types, f.String(a))
		}
	}
}

func TestDraftCall(t *testing.T) {
	f := newFixture()
	d := NewDraft(f.Table, nil)
	newQueue, put := f.ops["queue.New($0)"], f.ops["$0.Put($1)"]
	one := Lit(&Literal{Type: f.types["int"], Value: int64(1)})
	ok := d.Call(put, 2, func(i int, want TypeID) (Arg, bool) {
		if i == 0 { // an argument may add steps
			return Slot(d.Add(newQueue, []Arg{one})), want == f.types["*queue.Queue"]
		}
		return one, want == f.types["any"]
	})
	if got, want := oneLine(f, d.Steps), "v0 := queue.New(1); v0.Put(1)"; !ok || got != want {
		t.Errorf("Call gives %s, %t, want %s", got, ok, want)
	}
	if d.Call(put, 2, func(i int, _ TypeID) (Arg, bool) { return Slot(0), i == 0 }) || len(d.Steps) != 2 {
		t.Errorf("Call without an argument gives %s", oneLine(f, d.Steps))
	}
}

func TestRemove(t *testing.T) {
	f := newFixture()
	text := "v0 := queue.New(1); v1 := v0.Len(); v2 := queue.New(v1); v2.Put(1); v0.Put(v2); v0.Put(2)"
	for step, want := range []string{
		"",
		"v0 := queue.New(1); v0.Put(2)",
		"v0 := queue.New(1); v1 := v0.Len(); v0.Put(2)",
		"v0 := queue.New(1); v1 := v0.Len(); v2 := queue.New(v1); v0.Put(v2); v0.Put(2)",
		"v0 := queue.New(1); v1 := v0.Len(); v2 := queue.New(v1); v2.Put(1); v0.Put(2)",
		"v0 := queue.New(1); v1 := v0.Len(); v2 := queue.New(v1); v2.Put(1); v0.Put(v2)",
	} {
		s := mustParse(t, f, text)
		got, ok := Remove(f.Table, s, step)
		if !ok || oneLine(f, got) != want {
			t.Errorf("step %d: got %s, %t, want %s", step, oneLine(f, got), ok, want)
		}
		if oneLine(f, s) != text {
			t.Fatalf("step %d: its input is now %s", step, oneLine(f, s))
		}
	}
	for _, step := range []int{-1, 6} {
		if _, ok := Remove(f.Table, mustParse(t, f, text), step); ok {
			t.Errorf("step %d: removed", step)
		}
	}
}

func TestRemoveRenumbers(t *testing.T) {
	f := newFixture()
	s := mustParse(t, f, "v0 := queue.New(1); v1 := queue.New(2); v2 := v1.Len(); v1.Put(v2)")
	got, _ := Remove(f.Table, s, 0)
	if want := "v0 := queue.New(2); v1 := v0.Len(); v0.Put(v1)"; oneLine(f, got) != want {
		t.Errorf("got %s, want %s", oneLine(f, got), want)
	}
}

func TestConcat(t *testing.T) {
	f := newFixture()
	a := mustParse(t, f, "v0 := queue.New(1); v1, v1b := v0.Get()")
	b := mustParse(t, f, "v0 := queue.New(2); v0.Put(v0)")
	if got, want := oneLine(f, Concat(f.Table, a, b)), "v0 := queue.New(1); v1, v1b := v0.Get(); v2 := queue.New(2); v2.Put(v2)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := oneLine(f, b), "v0 := queue.New(2); v0.Put(v0)"; got != want {
		t.Errorf("the component is now %s", got)
	}
}

func TestUses(t *testing.T) {
	f := newFixture()
	s := mustParse(t, f, "v0 := queue.New(1); v0.Put(v0); v1 := queue.New(0); v1.Put(v0)")
	for slot, want := range [][]int{{1, 3}, {3}, nil} {
		if got := Uses(s, int32(slot)); !reflect.DeepEqual(got, want) {
			t.Errorf("slot %d: got %v, want %v", slot, got, want)
		}
	}
}
