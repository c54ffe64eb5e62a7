package process

import (
	"reflect"
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// newTestSide returns one side of a comparison, of the fixture's operations.
func newTestSide(t *testing.T) *side {
	t.Helper()
	table, bindings := twoCalls()
	n := len(table.Ops)
	s := &side{
		w:        &worker{table: table, exec: executor.New(table, bindings, wire.SharedOf(make([]byte, wire.SharedBytes)), executor.Options{})},
		unstable: make([]bool, n), differ: make([]bool, n), shaky: make([]uint8, n),
		muted: map[uint64]bool{}, comparing: comparing{told: map[uint64]int{}},
	}
	s.w.exec.CompareRuns(nil)
	return s
}

const (
	opNew seq.OpID = iota
	opGet
)

const (
	typeMap seq.TypeID = iota + 1
	typeInt
	typeBool
)

// twoCalls returns the table of New, which makes a map, and Get of its elements.
func twoCalls() (*seq.Table, executor.Bindings) {
	t := &seq.Table{
		Types: []seq.Type{
			{},
			{Name: "p.Map", Nilable: true, Assignable: []seq.TypeID{typeMap}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
			{Name: "bool", Literal: seq.Bool, Basic: true, Assignable: []seq.TypeID{typeBool}},
		},
		Ops: []seq.Operation{
			{Name: "New", Short: "New", Member: "New", API: true, Results: []seq.TypeID{typeMap}},
			{Name: "Get", Short: "Get", Member: "Get", Kind: seq.Method, API: true, Params: []seq.TypeID{typeMap, typeInt}, Results: []seq.TypeID{typeInt, typeBool}},
		},
	}
	return t, executor.Bindings{
		Types: []reflect.Type{nil, reflect.TypeFor[map[int]int](), reflect.TypeFor[int](), reflect.TypeFor[bool]()},
		Ops: []executor.Adapter{
			func(_, out []any) { out[0] = map[int]int{3: 1} },
			func(in, out []any) { out[0], out[1] = get(in[0].(map[int]int), in[1].(int)) },
		},
	}
}

func get(m map[int]int, k int) (int, bool) {
	v, ok := m[k]
	return v, ok
}

func mark(hash uint32, status engine.Status) uint32 {
	return hash<<executor.StatusBits | uint32(status)
}

// getOfNew is v0 := New(); v1, v1b := v0.Get(3).
func getOfNew(s *side) seq.Sequence {
	three := &seq.Literal{Type: typeInt, Value: int64(3)}
	s.w.exec.Box(three)
	return seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), seq.Lit(three)}}}
}

// Of an unstable operation only a panic on one side counts, and not that either if its
// arguments depend on an unstable operation, too.
func TestFirstMismatch(t *testing.T) {
	normal, broken := engine.Normal, engine.Broken
	for _, tt := range []struct {
		name         string
		unstable     []seq.OpID
		mine, theirs uint32 // of the call of Get
		at           int
	}{
		{"the same", nil, mark(7, normal), mark(7, normal), -1},
		{"another result", nil, mark(7, normal), mark(8, normal), 1},
		{"another result by chance", []seq.OpID{opGet}, mark(7, normal), mark(8, normal), -1},
		{"a panic", []seq.OpID{opGet}, mark(7, normal), mark(8, broken), 1},
		{"another panic by chance", []seq.OpID{opGet}, mark(7, broken), mark(8, broken), -1},
		{"a panic of what is chance", []seq.OpID{opNew, opGet}, mark(7, normal), mark(8, broken), -1},
		{"a call that is given up", []seq.OpID{opGet}, lostMark, mark(8, broken), -1},
	} {
		s := newTestSide(t)
		for _, op := range tt.unstable {
			s.unstable[op] = true
		}
		first := mark(1, normal)
		_, at, found := s.first(getOfNew(s), []uint32{first, tt.mine}, []uint32{first, tt.theirs})
		if found != (tt.at >= 0) || found && at != tt.at {
			t.Errorf("%s: step %d, %v, want step %d", tt.name, at, found, tt.at)
		}
	}
}

// A sequence repeats itself if only unstable operations differ. Any other operation that
// differs becomes unstable.
func TestRepeats(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   int // the mark that was another before, -1 for none
		at       int
		unstable bool
		want     bool
	}{
		{"all the same", -1, 1, false, true},
		{"one that does not", 1, 1, false, false},
		{"one that is known not to", 1, 1, true, true},
		{"behind the mismatch", 1, 0, false, true},
		{"what is left behind", 2, 1, false, false},
		{"what hangs on one that is known not to", 3, 1, true, true},
	} {
		s := newTestSide(t)
		list := getOfNew(s)
		s.show(list)
		marks := slices.Clone(s.w.exec.Marks())
		if len(marks) != 5 { // of two steps and three slots
			t.Fatalf("%d marks", len(marks))
		}
		if tt.change >= 0 {
			marks[tt.change] ^= 1 << executor.StatusBits
		}
		s.unstable[opGet] = tt.unstable
		if got := s.repeats(list, marks, tt.at); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if held := s.shaky[opGet] > 0; held != (tt.name == "one that does not") {
			t.Errorf("%s: held against Get: %v", tt.name, held)
		}
	}
}

// Runs that only prune an entry leave no marks, and cost none.
func TestMarksOfArmedRuns(t *testing.T) {
	s := newTestSide(t)
	list := getOfNew(s)
	engine.Execute(s.w.exec, s.w.table, list, engine.RunOptions{})
	if n := len(s.w.exec.Marks()); n != 0 {
		t.Errorf("%d marks of a run that nobody compares, want none", n)
	}
	s.w.exec.CompareRuns(s.ended)
	s.arm(true)
	engine.Execute(s.w.exec, s.w.table, list, engine.RunOptions{})
	engine.Execute(s.w.exec, s.w.table, list, engine.RunOptions{})
	if s.batch.Sequences != 1 {
		t.Errorf("%d sequences are put in the batch, want the first", s.batch.Sequences)
	}
	steps, rest, ok := cut(s.batch.Data, 1)
	marks, _, ok2 := cut(rest, 4)
	if !ok || !ok2 || len(steps) == 0 || len(marks) != 4*5 {
		t.Errorf("the batch has %d bytes of steps and %d of marks, want those of two steps and three slots", len(steps), len(marks))
	}
}
