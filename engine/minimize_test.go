package engine

import (
	"math"
	"strings"
	"testing"

	"foray.test/corpus"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// parseFake reads a sequence of the fake API.
func parseFake(t *testing.T, table *seq.Table, text string) seq.Sequence {
	t.Helper()
	s, err := table.Parse(text)
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return s
}

func TestMinimize(t *testing.T) {
	table := fakeTable()
	calls := func(s seq.Sequence, op seq.OpID) int {
		n := 0
		for i := range s {
			if s[i].Op == op {
				n++
			}
		}
		return n
	}
	largest := func(s seq.Sequence) (v int64) {
		for i := range s {
			for _, a := range s[i].Args {
				if a.Lit != nil {
					v = max(v, a.Lit.Value.(int64))
				}
			}
		}
		return v
	}
	for _, tt := range []struct {
		name, in, want string
		keep           func(seq.Sequence) bool
	}{
		{
			"removes unused constructor",
			"v0 := bag.New(); v1 := bag.New(); v1.Put(0)",
			"v0 := bag.New(); v0.Put(0)",
			func(s seq.Sequence) bool { return calls(s, opPut) == 1 },
		}, {
			"removes a run of steps",
			"v0 := bag.New(); v0.Put(1); v0.Put(2); v0.Put(3); v0.Put(4); v0.Put(5); v0.Put(6); v1 := v0.Get()",
			"v0 := bag.New(); v0.Put(0); v0.Put(0); v1 := v0.Get()",
			func(s seq.Sequence) bool { return calls(s, opPut) >= 2 && calls(s, opGet) == 1 },
		}, {
			"lets one value stand for two",
			"v0 := bag.New(); v1 := bag.New(); v0.Put(1); v1.Put(2)",
			"v0 := bag.New(); v0.Put(0); v0.Put(0)",
			func(s seq.Sequence) bool { return calls(s, opPut) == 2 },
		}, {
			"lets one value stand for two beside a call whose result no one takes",
			"v0 := bag.New(); v1 := bag.New(); v2 := v1.Get(); v0.Put(1)",
			"v0 := bag.New(); v1 := v0.Get(); v0.Put(0)",
			func(s seq.Sequence) bool { return calls(s, opPut) == 1 && calls(s, opGet) == 1 },
		}, {
			"gives no object to a method of its own",
			"v0 := bag.New(); v1 := bag.New(); v0.Join(v1)",
			"v0 := bag.New(); v1 := bag.New(); v0.Join(v1)",
			func(s seq.Sequence) bool { return calls(s, opJoin) == 1 },
		}, {
			"takes an object from a method of its own",
			"v0 := bag.New(); v0.Put(1); v0.Join(v0); v0.Put(2)",
			"v0 := bag.New(); v0.Put(0); v1 := bag.New(); v0.Join(v1); v0.Put(0)",
			func(s seq.Sequence) bool {
				return calls(s, opJoin) == 1 && calls(s, opPut) >= 2 && s[len(s)-1].Op == opPut
			},
		}, {
			"leaves an object to a method of its own where that is needed",
			"v0 := bag.New(); v0.Join(v0)",
			"v0 := bag.New(); v0.Join(v0)",
			func(s seq.Sequence) bool {
				i := len(s) - 1
				return s[i].Op == opJoin && s[i].Args[0] == s[i].Args[1]
			},
		}, {
			"keeps two values where two are needed",
			"v0 := bag.New(); v1 := bag.New(); v0.Join(v1)",
			"v0 := bag.New(); v1 := bag.New(); v0.Join(v1)",
			func(s seq.Sequence) bool { return calls(s, opNew) == 2 && calls(s, opJoin) == 1 },
		}, {
			"puts a literal for a result taken twice",
			"v0 := bag.New(); v1 := v0.Get(); v0.Put(v1); v0.Put(v1)",
			"v0 := bag.New(); v0.Put(0); v0.Put(0)",
			func(s seq.Sequence) bool { return calls(s, opPut) == 2 },
		}, {
			"makes numbers small",
			"v0 := bag.New(); v0.Put(4711)",
			"v0 := bag.New(); v0.Put(100)",
			func(s seq.Sequence) bool { return calls(s, opPut) == 1 && largest(s) >= 100 },
		}, {
			"makes numbers small that have to be the same",
			"v0 := bag.New(); v0.Put(4711); v0.Get(); v0.Put(4711)",
			"v0 := bag.New(); v0.Put(3); v0.Put(3)",
			func(s seq.Sequence) bool {
				return calls(s, opPut) == 2 && s[1].Args[1].Lit.Value == s[len(s)-1].Args[1].Lit.Value && largest(s) >= 3
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			got := Minimize(table, NewPool(table), parseFake(t, table, tt.in), func(s seq.Sequence) bool {
				if err := s.Check(table); err != nil {
					t.Errorf("asked about\n%s\nwhich does not check: %v", table.String(s), err)
				}
				asked++
				return tt.keep(s)
			})
			if text := strings.ReplaceAll(strings.TrimSpace(table.String(got)), "\n", "; "); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
			if asked > 200 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// One call of a function that takes literals only replaces a whole sequence.
// TestMinimizeKeepsTypes: net.IPMask is assignable to []byte, and []byte to net.IP, but
// net.IPMask is not assignable to net.IP.
func TestMinimizeKeepsTypes(t *testing.T) {
	const bytes, mask, ip = 1, 2, 3
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "[]byte", Assignable: []seq.TypeID{bytes, mask, ip}}, {Name: "net.IPMask", Assignable: []seq.TypeID{mask, bytes}}, {Name: "net.IP", Assignable: []seq.TypeID{ip, bytes}}},
		Ops: []seq.Operation{
			{Name: "net.Mask", Short: "Mask", Results: []seq.TypeID{mask}, API: true},
			{Name: "net.Bytes", Short: "Bytes", Results: []seq.TypeID{bytes}, API: true},
			{Name: "net.Take", Short: "Take", Params: []seq.TypeID{ip}, API: true},
		},
	}
	s := seq.Sequence{{Op: 0}, {Op: 1}, {Op: 2, Args: []seq.Arg{seq.Slot(1)}}}
	r := reducer{t: table, pool: NewPool(table), keep: func(s seq.Sequence) bool {
		if err := s.Check(table); err != nil {
			t.Error(err)
		}
		return s[0].Op == 0 && s[len(s)-1].Op == 2
	}}
	if got := r.minimize(s, nil); len(got) != len(s) {
		t.Errorf("minimized to %d steps, want %d", len(got), len(s))
	}
}

func TestMinimizeToDirectCall(t *testing.T) {
	table := fakeTable()
	table.Ops = append(table.Ops, seq.Operation{
		Name: "Load", Short: "Load", Kind: seq.Func, Template: "bag.Load($0)", Params: []seq.TypeID{typeInt}, Results: []seq.TypeID{typeBag}, API: true,
	})
	in := parseFake(t, table, "v0 := bag.New(); v0.Put(3); v0.Put(7)")
	const long = "v0 := bag.New()\nv0.Put(7)"
	for _, tt := range []struct {
		direct func(*seq.Step) bool
		want   string
	}{
		{func(st *seq.Step) bool { return table.Ops[st.Op].Name == "Load" }, "v0 := bag.Load(7)"},
		{func(*seq.Step) bool { return false }, long},
		{nil, long},
	} {
		r := reducer{t: table, pool: NewPool(table), direct: tt.direct, keep: func(s seq.Sequence) bool {
			last := s[len(s)-1].Args
			return len(last) > 0 && last[len(last)-1].Lit != nil && last[len(last)-1].Lit.Value == int64(7)
		}}
		if got := strings.TrimSpace(table.String(r.minimize(in, nil))); got != tt.want {
			t.Errorf("direct %v: got\n%s\nwant\n%s", tt.direct != nil, got, tt.want)
		}
	}
}

// A shorter maker from the component set replaces one that removal cannot
// shorten: the Rat and Mono example of [Pacheco09 §6.1].
func TestMinimizeReplacesMakers(t *testing.T) {
	table := fakeTable()
	table.Ops = append(table.Ops,
		seq.Operation{Name: "Load", Short: "Load", Kind: seq.Func, Template: "bag.Load($0)", Params: []seq.TypeID{typeInt}, Results: []seq.TypeID{typeBag}, API: true},
		seq.Operation{Name: "Copy", Short: "Copy", Kind: seq.Method, Template: "$0.Copy()", Params: []seq.TypeID{typeBag}, Results: []seq.TypeID{typeBag}, API: true},
	)
	comps := corpus.NewComponents(seq.NewTypeIndex(table), 8)
	src := draw.Random(1)
	short := parseFake(t, table, "v0 := bag.Load(7)")
	comps.Wants(src, typeBag)
	comps.Add(src, typeBag, corpus.Component{Steps: short, Slot: 0})
	in := parseFake(t, table, "v0 := bag.New(); v1 := v0.Copy(); v2 := v1.Copy(); v3 := v2.Get()")
	r := reducer{t: table, pool: NewPool(table), keep: func(s seq.Sequence) bool {
		// Holds for a bag that was copied twice, or loaded.
		copies, loads, gets := 0, 0, 0
		for i := range s {
			switch table.Ops[s[i].Op].Name {
			case "Copy":
				copies++
			case "Load":
				loads++
			case "Get":
				gets++
			}
		}
		return gets == 1 && (copies == 2 || loads == 1)
	}}
	got := r.minimize(in, comps)
	if text := strings.TrimSpace(table.String(got)); text != "v0 := bag.Load(0)\nv1 := v0.Get()" {
		t.Errorf("got\n%s\nwant the value loaded", text)
	}
}

// A struct literal gives way to the one without fields, if it will do, and the values made for the
// fields go, too. If the finding needs a field, the literal stays.
func TestMinimizeEmptiesStructs(t *testing.T) {
	table := fakeTable()
	config := seq.TypeID(len(table.Types))
	table.Types = append(table.Types, seq.Type{Name: "bag.Config", Assignable: []seq.TypeID{config}})
	table.Ops = append(table.Ops,
		seq.Operation{Name: "Config{Of}", Kind: seq.Composite, Shape: seq.Filled, Template: "bag.Config{Size: $0, Of: $1}", Params: []seq.TypeID{typeInt, typeBag}, Results: []seq.TypeID{config}},
		seq.Operation{Name: "Config{}", Kind: seq.Composite, Shape: seq.Empty, Template: "bag.Config{}", Results: []seq.TypeID{config}},
		seq.Operation{Name: "Make", Short: "Make", Kind: seq.Func, Template: "bag.Make($0)", Params: []seq.TypeID{config}, API: true},
	)
	const in = "v0 := bag.New()\nv1 := bag.Config{Size: 0, Of: v0}\nbag.Make(v1)"
	for _, needsField := range []bool{false, true} {
		want := "v0 := bag.Config{}\nbag.Make(v0)"
		if needsField {
			want = in
		}
		got := Minimize(table, NewPool(table), parseFake(t, table, in), func(s seq.Sequence) bool {
			if err := s.Check(table); err != nil {
				t.Error(err)
			}
			made := len(s) > 1 && table.Ops[s[len(s)-1].Op].Name == "Make"
			return made && (!needsField || table.Ops[s[len(s)-2].Op].Shape == seq.Filled)
		})
		if text := strings.TrimSpace(table.String(got)); text != want {
			t.Errorf("needs a field %v: got\n%s\nwant\n%s", needsField, text, want)
		}
	}
}

// An entry is found in its first steps, and in the steps that the last of them needs, by
// few runs.
func TestReducerIsFrugal(t *testing.T) {
	table := fakeTable()
	in := parseFake(t, table, "v0 := bag.New(); v0.Put(7)"+strings.Repeat("; v0.Put(1)", 1000))
	asked, most := 0, 1<<30
	r := reducer{t: table, spent: func() bool { return asked >= most }}
	r.keep = func(s seq.Sequence) bool {
		if asked++; asked > most {
			t.Fatal("asked though all is spent")
		}
		for _, st := range s {
			if st.Op == opPut && st.Args[1].Lit.Value == int64(7) {
				return true
			}
		}
		return false
	}
	if got := r.firstSteps(in); len(got) != 2 || asked > 12 {
		t.Errorf("the first %d steps of %d, asked %d times", len(got), len(in), asked)
	}
	asked, most = 0, 3
	r.shorten(in)
	if asked != most {
		t.Errorf("asked %d times with %d to spend", asked, most)
	}
}

// Any finite number is simpler than infinity or NaN: one that serves as well is found.
func TestSimplerThanInfinity(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		large := false
		for _, s := range simpler(v) {
			f := s.(float64)
			if large = large || math.Abs(f) > 1e30 && (v != v || f > 0 == (v > 0)); literalWeight(&seq.Literal{Value: f}) >= literalWeight(&seq.Literal{Value: v}) {
				t.Errorf("%v is no simpler than %v", f, v)
			}
		}
		if !large {
			t.Errorf("%v: no large number is tried", v)
		}
	}
}

// An argument of any type becomes the simplest literal there is, unless it matters.
func TestMinimizeToPlainArguments(t *testing.T) {
	e, _ := newOpen(draw.From(answers{}))
	for _, tt := range []struct {
		in, want string
		keep     func(seq.Sequence) bool
	}{
		{"v0 := bag.New(); v0.Put(1); bag.Both(v0, 1.5)", "v0 := bag.New(); v0.Put(0); bag.Both(0, 0.0)", func(s seq.Sequence) bool { return len(s) == 3 }},
		{"v0 := bag.New(); bag.Both(v0, v0)", "bag.Both(0, 0)", func(seq.Sequence) bool { return true }},
		{"v0 := bag.New(); bag.Both(v0, 2.5)", "v0 := bag.New(); bag.Both(v0, 0.0)", func(s seq.Sequence) bool { return s[len(s)-1].Args[0].Lit == nil }},
		{"bag.Both(2.5, 7)", "bag.Both(0.0, 0)", func(seq.Sequence) bool { return true }},
	} {
		s, want := parseFake(t, e.table, tt.in), parseFake(t, e.table, tt.want)
		got := Minimize(e.table, e.pool, s, func(s seq.Sequence) bool {
			return len(s) > 0 && s[len(s)-1].Op == opBoth && tt.keep(s)
		})
		if e.table.String(got) != e.table.String(want) {
			t.Errorf("%s\nbecomes\n%swant\n%s", tt.in, e.table.String(got), e.table.String(want))
		}
	}
}

// A doubter is sure of a failure of Must only if it is called with one number on a new bag.
type doubter struct{ *fakeExecutor }

func (x doubter) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x doubter) End(s seq.Sequence, fresh []int32) Outcome {
	out := x.fakeExecutor.End(s, fresh)
	if out.Verdict != nil {
		v := *out.Verdict
		if v.Tier = Suspect; len(s) == 2 && s[1].Args[1].Lit.Value == int64(4711) {
			v.Tier = Error
		}
		out.Verdict = &v
	}
	return out
}

// Minimizing that has come upon a sequence that fails more surely goes on to no other that does not.
func TestMinimizeKeepsTheSurest(t *testing.T) {
	x, sink := newFake(), &fakeSink{}
	pool := NewPool(x.table)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	e := New(Config{Table: x.table, Pool: pool, Executor: doubter{x}, Source: draw.Random(1), Sides: fakeSides, Params: Params{}, Sink: sink})
	s, err := x.table.Parse("v0 := bag.New(); v0.Put(4711); v0.Must(4711)")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil {
				x.Box(a.Lit)
			}
		}
	}
	if e.Add(s); len(sink.findings) != 1 {
		t.Fatalf("%d findings, want 1", len(sink.findings))
	}
	if f := sink.findings[0]; f.Verdict.Tier != Error {
		t.Errorf("tier %s of %s", f.Verdict.Tier, text(x.table, f.Steps))
	}
}
