package main

import (
	"testing"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/known"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
)

// A known finding counts once, however many entries show it as well.
func TestReplayedKnown(t *testing.T) {
	p := &replayed{
		known: known.List{Lines: map[string]int{"panic:index:F": 1, "panic:index:G": 2}}, listed: map[string]bool{},
		list: []corpusadmin.Stored{{Finding: &store.Finding{}}, {}, {}, {}}, findings: 1,
	}
	for i, name := range []string{"F", "F", "G", "F"} {
		p.take(i, replay.Shown{Verdict: &engine.Verdict{Tier: engine.Panic, Kind: engine.KindPanic, Signature: engine.ParseSignature("panic:index:" + name)}})
	}
	if p.end.Known != 2 || p.end.Failing+p.end.LessSure > 0 {
		t.Errorf("%+v, want 2 known, and none that fails", p.end)
	}
}
