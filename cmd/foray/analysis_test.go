package main

import (
	"context"
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/harness/build"
)

// TestAnalysisAgrees runs real packages in the normal and in the analysis build:
// with one worker and one seed both have the same history, so they took the same
// sides, or the forms differ.
func TestAnalysisAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	packages := []string{"container/list", "net/netip", "strings", "text/template/parse"}
	if haveModules() {
		packages = append(packages, "github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha", "github.com/Masterminds/semver/v3@v3.5.0")
	}
	for _, pkg := range packages {
		t.Run(pkg, func(t *testing.T) {
			normal, analysis := buildBoth(t, pkg)
			a, b := fuzzWith(t, normal, normal.worker), fuzzWith(t, normal, analysis)
			if a.Counts != b.Counts {
				t.Errorf("counts of the normal build:   %+v\ncounts of the analysis build: %+v", a.Counts, b.Counts)
			}
			for _, d := range []struct {
				name  string
				sides []int
			}{{"normal", slices.Collect(a.Covered.Diff(b.Covered).All())}, {"analysis", slices.Collect(b.Covered.Diff(a.Covered).All())}} {
				for _, side := range d.sides {
					for _, c := range normal.found.Conditions {
						if at := side - c.First; at >= 0 && at < len(c.Sides) {
							t.Errorf("only the %s build took side %s of %s", d.name, c.Sides[at], c.ID())
						}
					}
				}
			}
			if a.Covered.Count() == 0 {
				t.Error("no side taken")
			}
		})
	}
}

// buildBoth returns a package ready to run, and its analysis worker.
func buildBoth(t *testing.T, pkg string) (*subject, *build.Worker) {
	t.Helper()
	ctx := t.Context()
	out := newOutput(&options{}, &process{stdout: t.Output(), stderr: t.Output(), stop: func() {}})
	o := &options{args: []string{pkg}}
	targets, _, err := findTargets(ctx, o, out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := prepare(ctx, targets[0], o, out)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.buildAnalysis(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// fuzzWith runs some sequences in a worker.
func fuzzWith(t *testing.T, s *subject, w *build.Worker) *coordinator.Result {
	t.Helper()
	spawn := s.spawn(t.TempDir())
	spawn.Binary, spawn.Conditions = w.Path, w.ConditionsPath
	res, err := coordinator.Run(context.Background(), coordinator.Config{
		Spawn: spawn, Table: s.table, Pool: s.pool, Sides: s.sides(),
		Seed: 1, Sequences: 3000, Dropped: s.dropped(), JudgeDeath: s.judgeDeath, Report: noReport{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A noReport is told and does nothing.
type noReport struct{}

func (noReport) Progress(coordinator.Snapshot) {}
func (noReport) Entry(engine.Entry)            {}
func (noReport) Finding(coordinator.Finding)   {}
func (noReport) Warn(string)                   {}
func (noReport) Note(string)                   {}
