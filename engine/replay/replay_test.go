package replay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
)

func TestMain(m *testing.M) { workertest.Main(m) }

func config(tb testing.TB, table *seq.Table) Config {
	tb.Helper()
	return Config{
		Spawn: workertest.Spawn(tb, table), Table: table, Pool: engine.NewPool(table), Sides: workertest.Sides,
		JudgeDeath: workertest.JudgeDeath(table),
	}
}

func TestAll(t *testing.T) {
	table := workertest.Table("Crash", "Leave", "Unwind")
	c := config(t, table)
	texts := []string{
		"v0 := planted.New(); v0.Put(1)",
		"v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave()",
		"v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Crash()",
		"v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Unwind()",
		"v0 := planted.New(); v0.Put(5); v1 := v0.Get()",
	}
	var list []seq.Sequence
	for _, text := range texts {
		list = append(list, workertest.Parse(t, table, text))
	}
	var got []string
	workertest.LeavesNothing(t, func() {
		covered, err := All(t.Context(), c, list, func(i int, x Shown) {
			kind := "ok"
			if x.Verdict != nil {
				kind = x.Verdict.Kind
			}
			if x.Error != nil {
				kind = x.Error.Error()
			}
			got = append(got, fmt.Sprint(i, " ", kind))
		})
		if err != nil {
			t.Fatal(err)
		}
		if !covered.Has(101) || !covered.Has(105) {
			t.Error("the sides of the entries are not covered")
		}
	})
	want := []string{"0 ok", "1 exit", "2 panic", "3 exit", "4 ok"}
	if !slices.Equal(got, want) {
		t.Errorf("replayed %v, want %v", got, want)
	}
}

// A contract that calls a method which does not return blames that method, as another
// step.
func TestContractThatWaits(t *testing.T) {
	table := workertest.Table("String")
	c := config(t, table)
	x, err := NewRunner(c).Alone(t.Context(), workertest.Parse(t, table, "v0 := planted.New(); v0.Put(0); v0.Put(0)"), Trial{Deadline: HangTime})
	if err != nil {
		t.Fatal(err)
	}
	if x.Verdict == nil || x.Verdict.Kind != engine.KindHang || table.Ops[x.Verdict.Op].Name != "String" {
		t.Fatalf("verdict %+v, want a hang of String", x.Verdict)
	}
	if want := "hang:blocked:lock:(*Box).Block"; x.Verdict.Signature.String() != want {
		t.Errorf("signature %s, want %s", x.Verdict.Signature, want)
	}
}

// TestPatience: a step that spins is not taken for one that hangs before its time.
func TestPatience(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a step that hangs")
	}
	table := workertest.Table("Spin")
	s := workertest.Parse(t, table, workertest.Minimal(t, table, "Spin"))
	for _, patience := range []time.Duration{0, time.Second} {
		c := config(t, table)
		c.Patience = patience
		began := time.Now()
		x, err := NewRunner(c).Alone(t.Context(), s, Trial{Deadline: HangTry})
		if err != nil {
			t.Fatal(err)
		}
		if v := x.Verdict; v == nil || v.Kind != engine.KindHang {
			t.Errorf("patience %v: verdict %+v, want a hang", patience, v)
		}
		if took := time.Since(began); took < patience {
			t.Errorf("it counts as a hang after %v, within a patience of %v", took, patience)
		}
	}
}
