package replay

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
)

// TestReduction: the search keeps the shortest sequence that was accepted, as far as the
// budget goes, together with its result. No process runs.
func TestReduction(t *testing.T) {
	table := workertest.Table("Leave")
	s := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(7); v0.Put(9); v0.Put(3); v0.Leave()")
	leaves := func(s seq.Sequence) bool { return len(s) > 0 && table.Ops[s[len(s)-1].Op].Name == "Leave" }
	for _, tt := range []struct {
		name    string
		maxRuns int
		over    bool
		steps   int // 0: any number
	}{
		{"no bound", 0, false, 2},
		{"enough runs", 1000, false, 2},
		{"few runs", 3, false, 0},
		{"no time", 0, true, 5},
	} {
		runs := 0
		r := Reduction[int]{Steps: s, MaxRuns: tt.maxRuns, Over: func() bool { return tt.over }, Try: func(s seq.Sequence) (int, bool) {
			runs++
			return len(s), leaves(s)
		}}
		got := engine.Minimize(table, engine.NewPool(table), s, r.Keep)
		if table.String(got) != table.String(r.Steps) {
			t.Errorf("%s: kept\n%s\nwhile the reducer ended at\n%s", tt.name, table.String(r.Steps), table.String(got))
		}
		if tt.steps > 0 && len(r.Steps) != tt.steps || tt.maxRuns > 0 && runs > tt.maxRuns || tt.over && runs > 0 {
			t.Errorf("%s: %d steps after %d runs", tt.name, len(r.Steps), runs)
		}
		if shorter := len(r.Steps) < len(s); shorter && r.Shown != len(r.Steps) {
			t.Errorf("%s: %d steps with the result of %d", tt.name, len(r.Steps), r.Shown)
		}
	}
}
