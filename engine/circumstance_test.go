package engine

import (
	"testing"

	"foray.test/engine/seq"
)

func TestCircumstances(t *testing.T) {
	table := fakeTable()
	put := func(s seq.Sequence, n int) int64 { return s[n].Args[1].Lit.Value.(int64) }
	for _, tt := range []struct {
		name, want string
		fails      func(s seq.Sequence) bool
	}{
		{"anything", "fails for any argument 1 of Put and argument 1 of Put in step 2: 29 of 29 runs with other literals", func(seq.Sequence) bool { return true }},
		{"one constant", "fails if argument 1 of Put < 0: 17 of 17; otherwise 0 of 13", func(s seq.Sequence) bool { return put(s, 2) < 0 }},
		{"two literals", "fails if argument 1 of Put < argument 1 of Put in step 2: 23 of 23; otherwise 0 of 7", func(s seq.Sequence) bool { return put(s, 2) < put(s, 1) }},
		{"nothing else", "only if argument 1 of Put is -3 and argument 1 of Put in step 2 is 5: 0 of 29 runs with other literals", func(s seq.Sequence) bool { return put(s, 2) == -3 && put(s, 1) == 5 }},
		{"more than the sequence", "", func(seq.Sequence) bool { return false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parseFake(t, table, "v0 := bag.New(); v0.Put(5); v0.Put(-3)")
			got := circumstances(table, NewPool(table), s, func(s seq.Sequence) (fails, ok bool) { return tt.fails(s), true })
			if got != tt.want {
				t.Errorf("circumstances = %q, want %q", got, tt.want)
			}
		})
	}
}

// The runs are bounded, by itself and by its caller.
func TestCircumstancesBounds(t *testing.T) {
	table := fakeTable()
	s := parseFake(t, table, "v0 := bag.New(); v0.Put(1); v0.Put(2); v0.Put(3); v0.Put(4); v0.Put(5); v0.Put(6)")
	runs := 0
	circumstances(table, NewPool(table), s, func(seq.Sequence) (fails, ok bool) { runs++; return true, true })
	if runs > maxAround {
		t.Errorf("%d runs, want at most %d", runs, maxAround)
	}
	runs = 0
	circumstances(table, NewPool(table), s, func(seq.Sequence) (fails, ok bool) { runs++; return true, runs < 5 })
	if runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
}
