package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// TestAnalysisAgrees runs real packages in the normal and in the analysis build.
// With one worker and one seed both have the same history, so they took the same
// sides, or the forms differ. A package in which sequences hang, so that workers
// are replaced, has no such history: there the sequences that were kept run again. No
// side is taken that is said to be guarded.
//
// A run beside other work may differ, as in TestHistories: so one equal pair is enough.
func TestAnalysisAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	const tries = 5
	for _, tt := range []struct {
		pkg    string
		module bool
		hangs  bool
	}{
		{"container/list", false, false},
		{"regexp/syntax", false, false},
		{"github.com/Masterminds/semver/v3@v3.5.0", true, false},
		{"github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha", true, true},
	} {
		t.Run(tt.pkg, func(t *testing.T) {
			skipLong(t)
			if tt.module && !haveModules() {
				t.Skip("no module proxy")
			}
			s, analysis := buildBoth(t, tt.pkg)
			patience := time.Hour // no clock takes a call for hanging
			if tt.hangs {
				patience = 0
			}
			a, kept := fuzzWith(t, s, s.worker, patience)
			if len(kept) == 0 {
				t.Fatal("no sequence was kept")
			}
			for try := 1; !tt.hangs; try++ {
				b, _ := fuzzWith(t, s, analysis, patience)
				a.Counts.LastNew, b.Counts.LastNew = 0, 0 // when the coordinator heard of it
				if a.Counts == b.Counts || try == tries {
					if a.Counts != b.Counts {
						t.Errorf("counts of the normal build:   %+v\ncounts of the analysis build: %+v", a.Counts, b.Counts)
					}
					sameSides(t, s, a.Covered, b.Covered)
					break
				}
				a, kept = fuzzWith(t, s, s.worker, patience)
			}
			sameSides(t, s, replayWith(t, s, s.worker, kept), replayWith(t, s, analysis, kept))
		})
	}
}

// sameSides names the sides that only one of two builds took.
func sameSides(t *testing.T, s *subject, normal, analysis *coverage.Set) {
	t.Helper()
	for _, c := range s.found.Conditions {
		for i, name := range c.Sides {
			if n, a := normal.Has(c.First+i), analysis.Has(c.First+i); n != a {
				t.Errorf("side %s of %s: taken by the normal build %v, by the analysis build %v", name, c.ID(), n, a)
			}
		}
	}
}

// buildBoth returns a package ready to run, and its analysis worker.
func buildBoth(t *testing.T, pkg string) (*subject, *build.Worker) {
	t.Helper()
	ctx := t.Context()
	// JSON is decoded into maps, which have a random order.
	o := &common{args: []string{pkg}, skip: regexp.MustCompile("JSON"), out: event.NewPrinter(t.Output(), t.Output(), event.Options{})}
	defer o.out.Quiet()
	targets, err := findTargets(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := prepare(ctx, targets[0], o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.buildAnalysis(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// fuzzWith composes some sequences in a worker and returns those that it kept. The
// worker is told of no condition, so that the analysis build does not aim at any.
func fuzzWith(t *testing.T, s *subject, w *build.Worker, patience time.Duration) (*coordinator.Result, []seq.Sequence) {
	t.Helper()
	c := coordinator.Config{Config: configWith(t, s, w)}
	c.Spawn.Conditions = filepath.Join(t.TempDir(), "none.json")
	if err := os.WriteFile(c.Spawn.Conditions, []byte("[]"), 0o666); err != nil {
		t.Fatal(err)
	}
	var kept entries
	c.Patience = patience
	c.Seed, c.Sequences, c.Dropped, c.Report = 1, 3000, s.dropped(), &kept
	res, err := coordinator.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res, kept.list
}

// replayWith runs sequences in a worker and returns the sides they take.
func replayWith(t *testing.T, s *subject, w *build.Worker, list []seq.Sequence) *coverage.Set {
	t.Helper()
	covered, err := replay.All(t.Context(), configWith(t, s, w), list, func(i int, r replay.Shown) {
		if r.Error != nil {
			t.Errorf("sequence %d: %v", i, r.Error)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return covered
}

func configWith(t *testing.T, s *subject, w *build.Worker) replay.Config {
	spawn := s.spawn(t.TempDir())
	spawn.Binary, spawn.Conditions = w.Path, w.ConditionsPath
	return replay.Config{Spawn: spawn, Table: s.table, Pool: s.pool, Sides: s.sides(), JudgeDeath: s.judgeDeath}
}

// entries is a reporter that takes the entries.
type entries struct{ list []seq.Sequence }

func (e *entries) Entry(entry engine.Entry)                               { e.list = append(e.list, entry.Steps) }
func (*entries) Progress(coordinator.Snapshot)                            {}
func (*entries) Finding(engine.Finding)                                   {}
func (*entries) Warn(string)                                              {}
func (*entries) Prove(context.Context, []engine.Finding, bool, func(int)) {}
func (*entries) Note(string)                                              {}
