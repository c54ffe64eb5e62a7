package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
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
