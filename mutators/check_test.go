package mutators

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// randomAim draws a witness with all facts that an edit may look at.
func randomAim(src *draw.Source) *Aim {
	a := &Aim{
		Index: fixture, Source: src, Components: components{}, Literals: testPool, Want: src.Choose("side", 2),
		MaxStringBytes: 24, MaxSteps: 40, Condition: compares([]string{"", "==", "!=", "<", "<=", ">", ">="}[src.Choose("op", 7)]),
	}
	for range src.Choose("visits", 4) {
		a.Visits = append(a.Visits, randomVisit(src))
		a.Nearby = append(a.Nearby, randomVisit(src))
	}
	a.Probe = func(seq.Sequence) (visits, nearby []coverage.Visit) {
		for i := range a.Visits {
			v := a.Visits[i]
			v.X += uint64(src.Choose("change", 3))
			visits, nearby = append(visits, v), append(nearby, randomVisit(src))
		}
		nearby = append(nearby, coverage.Visit{Kind: coverage.SignedOperands, X: uint64(markers[0]), Y: 'y'})
		return visits, nearby
	}
	d := a.draft(nil)
	for n := 1 + src.Choose("steps", 8); len(d.Steps) < n; {
		d.call(seq.OpID(src.Choose("operation", len(fixture.Table.Ops))), -1, 0)
	}
	a.Witness = d.Steps
	// One operation may not come in.
	if op := seq.OpID(src.Choose("not allowed", len(fixture.Table.Ops))); !uses(a.Witness, op) && !uses(component, op) {
		a.Allowed = func(id seq.OpID) bool { return id != op }
	}
	for _, p := range AllPositions(a.Witness) {
		if src.Choose("position", 4) > 0 {
			a.Positions = append(a.Positions, p)
		}
	}
	if src.OneIn("switch", 4) {
		a.Condition = &coverage.Condition{Kind: coverage.Switch, Sides: []string{"a", "b"}, Cases: [][]string{{"3", `"x"`, "0.5"}, nil}}
	}
	return a
}

func uses(s seq.Sequence, op seq.OpID) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return st.Op == op })
}

func randomVisit(src *draw.Source) coverage.Visit {
	v := coverage.Visit{Kind: coverage.OperandKind(src.Choose("kind", int(coverage.KeyOperands)+1))}
	if src.OneIn("text", 2) {
		v.Kind = coverage.StringOperands
	}
	v.X, v.Y = src.Uint64()>>src.Choose("bits", 64), src.Uint64()>>src.Choose("bits", 64)
	if v.Kind == coverage.StringOperands || v.Kind == coverage.KeyOperands && src.OneIn("text", 2) {
		words := []string{"", "a", "GET", "GE", "12", "w"}
		v.SX, v.SY = words[src.Choose("x", len(words))], words[src.Choose("y", len(words))]
	}
	return v
}

// Each proposal of an edit is a sequence, in memory and as text, within the bounds. It
// differs from the witness, which stays as it was.
func TestProposalsPassCheck(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	src := draw.Random(seed)
	parser, err := seq.NewParser(fixture.Table)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 200
	if testing.Short() {
		rounds = 100
	}
	made := map[string]int{}
	for range rounds {
		a := randomAim(src)
		before := a.Witness.Clone()
		for _, e := range Edits {
			e.Propose(a, func(s seq.Sequence) bool {
				made[e.Name]++
				checkProposal(t, a, &e, s)
				if made[e.Name]%64 == 1 {
					checkText(t, parser, &e, s)
				}
				return !t.Failed() && src.Choose("enough", 200) > 0
			})
			if !a.Witness.Equal(before) {
				t.Fatalf("%s changed its witness\n%s\nto\n%s", e.Name, fixture.Table.OneLine(before), fixture.Table.OneLine(a.Witness))
			}
		}
	}
	for _, e := range Edits {
		if made[e.Name] == 0 {
			t.Errorf("%s has proposed nothing for %d witnesses", e.Name, rounds)
		}
	}
}

func checkProposal(t *testing.T, a *Aim, e *Edit, s seq.Sequence) {
	t.Helper()
	table := fixture.Table
	if err := s.Check(table); err != nil {
		t.Fatalf("%s of %s: %v", e.Name, table.OneLine(a.Witness), err)
	}
	if s.Equal(a.Witness) && !e.Random {
		t.Errorf("%s proposes its witness %s", e.Name, table.OneLine(s))
	}
	if len(s) > a.MaxSteps {
		t.Errorf("%s of %d steps proposes %d, want at most %d", e.Name, len(a.Witness), len(s), a.MaxSteps)
	}
	for _, st := range s {
		if a.Allowed != nil && !a.Allowed(st.Op) {
			t.Errorf("%s brings in %s, which is not allowed", e.Name, table.Ops[st.Op].Short)
		}
		for _, arg := range st.Args {
			if arg.Lit == nil {
				continue
			}
			if text, ok := arg.Lit.Value.(string); ok && len(text) > a.MaxStringBytes {
				t.Errorf("%s proposes %d bytes, want at most %d", e.Name, len(text), a.MaxStringBytes)
			}
		}
	}
}

func checkText(t *testing.T, parser *seq.Parser, e *Edit, s seq.Sequence) {
	t.Helper()
	text := fixture.Table.OneLine(s)
	if again, err := parser.Parse(text); err != nil || fixture.Table.OneLine(again) != text {
		t.Fatalf("%s proposes what is no text: %s: %v", e.Name, text, err)
	}
}

// TestLongText sees that an edit does not put together what is too long to be proposed. A test may
// give an image as a string, and an edit goes to each of its bytes.
func TestLongText(t *testing.T) {
	const size = 1 << 14
	text := strings.Repeat("12, key; ", size/9)
	w := parse(t, `v0 := q.Parse("x"); v0.Put(7)`)
	w[0].Args[0] = seq.Lit(&seq.Literal{Type: w[0].Args[0].Lit.Type, Value: text})
	for _, e := range Edits {
		a := &Aim{
			Index: fixture, Source: draw.Random(1), Components: components{}, Literals: testPool, Witness: w, Positions: AllPositions(w),
			Condition: compares("=="), Want: 1, Visits: []coverage.Visit{ints(12, 5), texts("key", "KEYS")}, Nearby: []coverage.Visit{ints(2, 9)},
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e.Propose(a, func(seq.Sequence) bool { return true })
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%s takes %d MB of a text of %d KB", e.Name, took>>20, size>>10)
		}
	}
}

// TestKeepsLength sees that edits keep the length of a text as long as the file of a test, but not
// of a longer one.
func TestKeepsLength(t *testing.T) {
	for _, tt := range []struct {
		edit string
		size int
		want bool
	}{
		{"compared in text", 1 << 12, true}, {"compared in text", 1 << 14, false}, {"bytes", 1 << 12, true}, {"bytes", 1 << 14, false},
		{"compared into text", 1 << 12, false},
	} {
		text := "12" + strings.Repeat("\x00", tt.size)
		w := parse(t, `v0 := q.Parse("x"); v0.Put(7)`)
		w[0].Args[0] = seq.Lit(&seq.Literal{Type: w[0].Args[0].Lit.Type, Value: text})
		a := &Aim{
			Index: fixture, Source: draw.Random(1), Components: components{}, Literals: testPool, Witness: w, Positions: AllPositions(w),
			Condition: compares("=="), Want: 1, Visits: []coverage.Visit{ints(12, 34)},
		}
		kept := false
		e := edit(t, tt.edit)
		e.Propose(a, func(s seq.Sequence) bool {
			have, _ := s[0].Args[0].Lit.Value.(string)
			kept = kept || len(have) == len(text)
			return !kept
		})
		if kept != tt.want {
			t.Errorf("%s, %d bytes: kept %v, want %v", tt.edit, len(text), kept, tt.want)
		}
	}
}
