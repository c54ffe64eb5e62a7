package driver

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/concolic"
	"foray.test/coverage"
	"foray.test/engine/seq"
)

// The package under test, and a table of it.
const source = `package gate

type Key int8

type Gate struct {
	sum int
	odd bool
}

func New(name string) *Gate { return &Gate{sum: len(name)} }

func (g *Gate) Add(k Key, f float64) {
	g.sum = g.sum*3 + int(k)
	g.odd = f == 0.25
}

func (g *Gate) Set(v any) {
	if n, ok := v.(int); ok && n*5 == 210 {
		g.sum = -1
	}
}

func (g *Gate) Turn(n int) { g.sum = g.sum ^ n }

func (g *Gate) Say(s string) { g.sum += len(s) << 8 }

func (g *Gate) Check() bool {
	if g.sum == 77 {
		return true
	}
	return false
}

func (g *Gate) Deep() bool {
	if g.sum == 0x555 {
		return true
	}
	return false
}

func (g *Gate) Even(n int) bool {
	even := n * 2
	if g.odd {
		even += n
	}
	if even&1 == 1 {
		return true
	}
	return false
}
`

const (
	typeGate seq.TypeID = iota + 1
	typeString
	typeKey
	typeFloat
	typeAny
	typeInt
	typeBool
	typeHidden
)

var table = &seq.Table{
	Package: "m.test/gate", Name: "gate", Imports: []seq.Import{{Name: "gate", Path: "m.test/gate"}, {Name: "os", Path: "os"}},
	Types: []seq.Type{
		{},
		{Name: "*gate.Gate", Nilable: true, Assignable: []seq.TypeID{typeGate}},
		{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{typeString}},
		{Name: "gate.Key", Literal: seq.Int, Bits: 8, Assignable: []seq.TypeID{typeKey}},
		{Name: "float64", Literal: seq.Float, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeFloat}},
		{Name: "any", Interface: true, Nilable: true, Assignable: []seq.TypeID{typeAny, typeInt}},
		{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
		{Name: "bool", Literal: seq.Bool, Basic: true, Assignable: []seq.TypeID{typeBool}},
		{Name: "secret", Literal: seq.Int, Hidden: true},
	},
	Ops: []seq.Operation{
		{Name: "New", Kind: seq.Func, Template: "gate.New($0)", Params: []seq.TypeID{typeString}, Results: []seq.TypeID{typeGate}, API: true},
		{Name: "new", Kind: seq.Composite, Template: "new(gate.Gate)", Results: []seq.TypeID{typeGate}},
		{Name: "Add", Kind: seq.Method, Template: "$0.Add($1, $2)", Params: []seq.TypeID{typeGate, typeKey, typeFloat}, API: true},
		{Name: "Set", Kind: seq.Method, Template: "$0.Set($1)", Params: []seq.TypeID{typeGate, typeAny}, API: true},
		{Name: "Turn", Kind: seq.Method, Template: "$0.Turn($1)", Params: []seq.TypeID{typeGate, typeInt}, API: true},
		{Name: "Say", Kind: seq.Method, Template: "$0.Say($1)", Params: []seq.TypeID{typeGate, typeString}, API: true},
		{Name: "Deep", Kind: seq.Method, Template: "$0.Deep()", Params: []seq.TypeID{typeGate}, Results: []seq.TypeID{typeBool}, API: true},
		{Name: "Even", Kind: seq.Method, Template: "$0.Even($1)", Params: []seq.TypeID{typeGate, typeInt}, Results: []seq.TypeID{typeBool}},
		{Name: "Check", Kind: seq.Method, Template: "$0.Check()", Params: []seq.TypeID{typeGate}, Results: []seq.TypeID{typeBool}, API: true},
	},
}

func parse(t *testing.T, text string) seq.Sequence {
	t.Helper()
	s, err := table.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDriver(t *testing.T) {
	s := parse(t, "v0 := gate.New(\"a\")\nv0.Add(gate.Key(3), 0.5)\nv0.Set(4)\nv0.Set(nil)\nv1 := v0.Check()\n")
	d := New(table, s)
	if !slices.Equal(d.Values, []any{"a", int64(3), int64(4)}) {
		t.Fatalf("values %v", d.Values)
	}
	for _, want := range []string{"import (\n\tgate \"m.test/gate\"\n)", "func Run(p0 string, p1 gate.Key, p2 int) {", "v0 := gate.New(p0)\nv0.Add(p1, 0.5)\nv0.Set(p2)\nv0.Set(nil)\n"} {
		if !strings.Contains(d.Source, want) {
			t.Errorf("%q is missing in:\n%s", want, d.Source)
		}
	}
	got := table.String(d.Sequence([]any{"b", int64(3), int64(-4)}))
	if want := strings.Replace(strings.Replace(table.String(s), `"a"`, `"b"`, 1), "Set(4)", "Set(-4)", 1); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if table.String(s) == got {
		t.Error("the sequence itself has changed")
	}
}

// Long text and numbers that are not solved for stay as they are.
func TestNoParameters(t *testing.T) {
	d := New(table, parse(t, "v0 := gate.New(\""+strings.Repeat("x", MaxText+1)+"\")\nv0.Set(nil)\n"))
	if len(d.Values) > 0 || !strings.Contains(d.Source, "func Run() {") {
		t.Errorf("values %v in %s", d.Values, d.Source)
	}
}

func TestLengthen(t *testing.T) {
	var got []string
	for _, s := range lengthen(table, parse(t, "v0 := gate.New(\"\")\nv1 := v0.Check()\n")) {
		got = append(got, table.OneLine(s))
	}
	var want []string
	for _, calls := range []string{"v0.Turn(0)", "v0.Say(\"\")", "v0.Turn(0); v0.Turn(0)", "v0.Turn(0); v0.Say(\"\")", "v0.Say(\"\"); v0.Turn(0)", "v0.Say(\"\"); v0.Say(\"\")"} {
		want = append(want, "v0 := gate.New(\"\"); "+calls+"; v1 := v0.Check()")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// write writes the package under test, and returns its directory.
func write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m.test/gate\n\ngo 1.24\n", "gate.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, dir string) *concolic.Program {
	t.Helper()
	prog, err := concolic.Load(concolic.Config{Dir: dir, Patterns: []string{"m.test/gate"}, Also: []string{"os"}})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// The literals of methods are solved for, through the state of an object and an interface.
func TestSearch(t *testing.T) {
	prog := load(t, write(t))
	list := []seq.Sequence{
		parse(t, "v0 := gate.New(\"\")\nv0.Add(gate.Key(3), 0)\nv0.Add(gate.Key(3), 0)\nv1 := v0.Check()\n"),
		parse(t, "v0 := gate.New(\"\")\nv0.Set(0)\nv0.Set(nil)\n"),
		parse(t, "v0 := gate.New(\"\")\nv0.Add(gate.Key(1), 0)\n"),
		parse(t, "v0 := new(gate.Gate)\nv1 := v0.Deep()\n"),
	}
	run := func() (found []string, st Stats) {
		s := NewSearch(prog, table, Options{Runs: 100, Seed: 1})
		round := Round{Stop: func() bool { return false }, Propose: func(s seq.Sequence) { found = append(found, table.String(s)) }}
		s.Run(list, round)
		proposed, runs := len(found), s.Runs
		if s.Run(list, round); len(found) > proposed || s.Runs > runs {
			t.Errorf("a second round of the same list made %d runs", s.Runs-runs)
		}
		return found, s.Stats
	}
	found, st := run()
	if st.Sequences != 4 || st.Near != 3 || len(found) != 3 {
		t.Fatalf("%+v, found %q; want 4 sequences, 3 of them near, 3 found", st, found)
	}
	if want := "v0 := gate.New(\"\")\nv0.Set(42)\nv0.Set(nil)\n"; found[0] != want {
		t.Errorf("found %q, want %q first: its run takes the fewest steps", found, want)
	}
	if !strings.Contains(found[2], "v0.Turn(1365)") || !strings.HasSuffix(found[2], "v1 := v0.Deep()\n") {
		t.Errorf("found %q, want Turn(1365) before Deep", found[2])
	}
	if again, _ := run(); !slices.Equal(found, again) {
		t.Errorf("another search finds %q", again)
	}
	if _, st := run(); st.Runs > 4*100 {
		t.Errorf("%d runs", st.Runs)
	}
}

// condition returns a comparison of the source, with the number of its first side.
func condition(dir, of string, first int) coverage.Condition {
	before := source[:strings.Index(source, of)]
	return coverage.Condition{
		Package: "m.test/gate", File: filepath.Join(dir, "gate.go"), Kind: coverage.Bool, Text: strings.NewReplacer("*", " * ", "&", " & ").Replace(of), First: first, Sides: []string{"false", "true"},
		Line: 1 + strings.Count(before, "\n"), Col: len(before) - strings.LastIndex(before, "\n"),
	}
}

// A side is impossible along its witnesses if the solver refutes it along the path of each.
func TestImpossible(t *testing.T) {
	dir := write(t)
	prog := load(t, dir)
	conds := []coverage.Condition{condition(dir, "g.sum == 77", 0), condition(dir, "g.sum == 0x555", 2), condition(dir, "even&1 == 1", 4)}
	const even, other = "v0 := gate.New(\"\")\nv0.Turn(1)\nv1 := v0.Even(3)\n", "v0 := gate.New(\"\")\nv1 := v0.Even(5)\n"
	for _, tt := range []struct {
		name string
		list []string
		want map[int]int
	}{
		{"a witness", []string{other}, map[int]int{5: 1}},
		{"two", []string{even, other}, map[int]int{5: 2}},
		// Three times a number is odd.
		{"possible along one", []string{even, other, "v0 := gate.New(\"\")\nv0.Add(gate.Key(1), 0.25)\nv1 := v0.Even(2)\n"}, map[int]int{}},
		{"no literal decides it", []string{"v0 := gate.New(\"\")\nv1 := v0.Deep()\n"}, map[int]int{}},
		{"natively taken", []string{other, "v0 := gate.New(\"\")\nv0.Turn(1)\nv1 := v0.Check()\n"}, map[int]int{5: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSearch(prog, table, Options{Runs: 100, Seed: 1, Conditions: conds})
			round := Round{Stop: func() bool { return false }, Covered: func(side int) bool { return side != 5 && side != 3 }, Propose: func(seq.Sequence) {}}
			var list []seq.Sequence
			for _, text := range tt.list {
				list = append(list, parse(t, text))
			}
			if got := s.Impossible(round); len(got) > 0 {
				t.Errorf("%v before anything has run", got)
			}
			s.Run(list, round)
			if got := s.Impossible(round); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			round.Stop = func() bool { return true }
			if got := s.Impossible(round); got != nil {
				t.Errorf("got %v of a search that is stopped", got)
			}
		})
	}
}

// Sides that are left have reasons.
func TestLeft(t *testing.T) {
	dir := write(t)
	conds := []coverage.Condition{condition(dir, "g.sum == 77", 0), condition(dir, "g.sum == 0x555", 2), condition(dir, "even&1 == 1", 4), condition(dir, "n*5 == 210", 6)}
	conds[0].Kind = coverage.Range
	s := NewSearch(load(t, dir), table, Options{Runs: 100, Seed: 1, Conditions: conds})
	round := Round{Stop: func() bool { return false }, Covered: func(side int) bool { return side%2 == 0 }, Propose: func(seq.Sequence) {}}
	s.Run([]seq.Sequence{parse(t, "v0 := gate.New(\"\")\nv1 := v0.Even(5)\n"), parse(t, "v0 := gate.New(\"\")\nv0.Set(0)\n")}, round)
	want := map[int]string{1: LeftKind, 3: LeftUnreached, 5: LeftRefuted, 7: LeftMismatched}
	if got := s.Left(round); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	round.Covered = func(int) bool { return false }
	if got := s.Left(round); len(got) > 0 {
		t.Errorf("got %v of conditions that nothing comes to", got)
	}
}

// A search goes on where the last round stopped, and leaves out what the package itself takes.
func TestRounds(t *testing.T) {
	dir := write(t)
	prog := load(t, dir)
	list := []seq.Sequence{parse(t, "v0 := gate.New(\"\")\nv0.Set(0)\n"), parse(t, "v0 := gate.New(\"\")\nv0.Add(gate.Key(3), 0)\nv1 := v0.Check()\n")}
	conds := []coverage.Condition{condition(dir, "n*5 == 210", 4)}
	for _, covered := range []bool{false, true} {
		var found []string
		s := NewSearch(prog, table, Options{Runs: 100, Seed: 1, Conditions: conds})
		for round := range 1000 {
			var head candidate
			if len(s.queue) > 0 {
				head = *s.queue[0]
			}
			steps, runs := round, s.Runs
			if round%2 > 0 {
				steps = 1 // solving is stopped before its first run
			}
			s.Run(list, Round{
				Stop:    func() bool { steps--; return steps < 0 },
				Covered: func(side int) bool { return covered && side == 5 },
				Propose: func(s seq.Sequence) { found = append(found, table.OneLine(s)) },
			})
			if len(s.queue) == 0 && len(s.fresh) == 0 {
				break
			}
			if head.driver != nil && s.Runs == runs && (s.queue[0].driver != head.driver || s.queue[0].stage != head.stage) {
				t.Fatal("a sequence was left that nothing has run of")
			}
		}
		if has := slices.Contains(found, "v0 := gate.New(\"\"); v0.Set(42)"); has == covered || s.Sequences != 2 {
			t.Errorf("covered natively: %v, found %q in %d sequences", covered, found, s.Sequences)
		}
	}
}

// A search keeps a compiled sequence only as long as it comes to a side that is left.
func TestBounds(t *testing.T) {
	dir := write(t)
	prog := load(t, dir)
	list := []seq.Sequence{
		parse(t, "v0 := gate.New(\"\")\nv1 := v0.Even(5)\n"), // comes to a side that is impossible
		parse(t, "v0 := gate.New(\"\")\nv0.Set(0)\nv0.Set(nil)\n"),
	}
	run := func(more int) (kept, added int) {
		before := prog.Added()
		s := NewSearch(prog, table, Options{Runs: 20, Seed: 1, Conditions: []coverage.Condition{condition(dir, "even&1 == 1", 4)}})
		for range more {
			list = append(list, parse(t, fmt.Sprintf("v0 := gate.New(\"\")\nv0.Turn(%d)\n", len(list))))
		}
		s.Run(list, Round{Stop: func() bool { return false }, Propose: func(seq.Sequence) {}})
		if s.Sequences != len(list) {
			t.Errorf("%d of %d sequences ran", s.Sequences, len(list))
		}
		return len(s.all), prog.Added() - before
	}
	for _, more := range []int{1, 30} {
		if kept, added := run(more); kept != 1 || added != 1 {
			t.Errorf("after %d sequences %d and %d packages are kept, want those of Even", len(list), kept, added)
		}
	}
}

// A sequence that is dropped leaves next to nothing: a search lengthens thousands of them.
func TestDroppedLeavesNothing(t *testing.T) {
	prog := load(t, write(t))
	s := NewSearch(prog, table, Options{Runs: 20, Seed: 1})
	run := func(n int) {
		for i := range n {
			steps := parse(t, fmt.Sprintf("v0 := gate.New(\"\")\nv0.Turn(%d)\nv1 := v0.Even(%d)\nv0.Say(\"%d\")\nv2 := v0.Check()\n", i, i, i))
			c := s.compile(steps)
			s.first(c)
			s.m.Drop(c.in)
			s.m.Release()
		}
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 500
	run(n)
	before := live()
	run(n)
	if each := (int64(live()) - int64(before)) / n; each > 1500 {
		t.Errorf("a dropped sequence keeps %d bytes", each)
	}
	runtime.KeepAlive(s)
}

// A search remembers the terms of one sequence at a time.
func TestTermsOfOneSequence(t *testing.T) {
	prog := load(t, write(t))
	var list []seq.Sequence
	for i := range 16 {
		text := "v0 := gate.New(\"\")\n"
		for bit := range 4 {
			text += []string{"v0.Turn(1)\n", "v0.Say(\"a\")\n"}[i>>bit&1]
		}
		list = append(list, parse(t, text+"v1 := v0.Check()\n"))
	}
	terms := func(list []seq.Sequence) int {
		s := NewSearch(prog, table, Options{Runs: 20, Seed: 1})
		s.Run(list, Round{Stop: func() bool { return false }, Propose: func(seq.Sequence) {}})
		return s.m.Terms().Len()
	}
	most := 0
	for i := range list {
		most = max(most, terms(list[i:i+1]))
	}
	if n := terms(list); n > most {
		t.Errorf("%d terms after %d sequences, at most %d after one", n, len(list), most)
	}
}
