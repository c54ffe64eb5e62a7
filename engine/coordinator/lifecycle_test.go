package coordinator

import (
	"slices"
	"testing"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
)

// A run of one worker that ends by a count times no step: its history must repeat itself.
func TestCountedRunIsUntimed(t *testing.T) {
	for _, test := range []struct {
		sequences uint64
		parallel  int
		want      bool
	}{{1000, 1, true}, {1000, 2, false}, {0, 1, false}} {
		c, _ := config(t, workertest.Table())
		c.Sequences = test.sequences
		r := newRun(c)
		for range test.parallel {
			r.slots = append(r.slots, &slot{})
		}
		if got := r.params().Untimed; got != test.want {
			t.Errorf("%d workers, %d sequences: untimed %v, want %v", test.parallel, test.sequences, got, test.want)
		}
	}
}

// TestCalling: of sequences with a late panic, those that call who started it, and all with calls
// added as contracts may have made them.
func TestCalling(t *testing.T) {
	table := workertest.Table("Get", "Leave")
	c, _ := config(t, table)
	r := newRun(c)
	defer r.confirms.Close()
	parse := func(text string) seq.Sequence { return workertest.Parse(t, table, text) }
	list := []seq.Sequence{parse("v0 := planted.New(); v0.Put(0); v0.Get(); v1 := planted.New()"), parse("v0 := planted.New(); v0.Leave()")}
	want := [2][]string{
		{"v0 := planted.New(); v0.Leave()"},
		{
			"v0 := planted.New(); v0.Leave(); v0.Put(0); v0.Leave(); v0.Get(); v0.Leave(); v1 := planted.New(); v1.Leave()",
			"v0 := planted.New(); v0.Leave(); v0.Leave(); v0.Leave()",
		},
	}
	calls, added := r.calling(list, "(*Box).Leave")
	for i, got := range [][]seq.Sequence{calls, added} {
		var texts []string
		for _, s := range got {
			if err := s.Check(table); err != nil {
				t.Error(err)
			}
			texts = append(texts, table.OneLine(s))
		}
		var wants []string
		for _, text := range want[i] {
			wants = append(wants, table.OneLine(parse(text)))
		}
		if !slices.Equal(texts, wants) {
			t.Errorf("%q, want %q", texts, wants)
		}
	}
	if calls, added = r.calling(list, "goexit"); len(calls) != 2 || added != nil {
		t.Errorf("of no operation: %d and %d sequences, want all and none", len(calls), len(added))
	}
}
