package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
	"foray.test/harness/build"
)

// Progress counts findings of earlier runs that still fail, too, as the end of a run does.
func TestProgressCountsAllFindings(t *testing.T) {
	for _, scope := range []*engine.Scope{nil, {Calls: 1}} {
		var out bytes.Buffer
		f := &fuzzing{fuzzOptions: &fuzzOptions{common: &common{out: event.NewPrinter(&out, nil, event.Options{})}, scope: scope}}
		r := &recorder{f: f, s: &subject{common: f.common, target: &build.Target{Path: "m.test/p"}}, group: event.NewGroup(false, false)}
		r.outside[engine.Error] = 2
		s := coordinator.Snapshot{Elapsed: 5 * time.Second, Covered: coverage.NewSet(0)}
		s.Findings[engine.Panic] = 1
		r.Progress(s)
		if got := out.String(); !strings.Contains(got, ", findings: 3, ") {
			t.Errorf("got %q, want 3 findings", got)
		}
	}
}

// An entry that is there already is not counted again as one that is kept for its values.
func TestValuesCountEntries(t *testing.T) {
	dir, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := seqtest.NewBuilder()
	b.Add(seq.Func, "New(int) *p.T")
	c := &common{out: event.NewPrinter(io.Discard, io.Discard, event.Options{})}
	r := &recorder{s: &subject{common: c, target: &build.Target{Path: "m.test/p"}, table: &b.Table, store: dir}}
	r.ids, r.writer = map[string]bool{}, dir.NewWriter()
	for _, steps := range []string{"New(1)", "New(2)", "New(1)"} {
		r.store(b.Steps(steps), corpusadmin.OriginValue, 0)
	}
	if r.values != 2 || r.added != 2 {
		t.Errorf("%d of %d entries are kept for their values, want 2 of 2", r.values, r.added)
	}
}
