package main

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

// A run without findings that lost many processes says nothing about its package.
func TestUntested(t *testing.T) {
	s := &subject{table: &seq.Table{Ops: []seq.Operation{{API: true}}}}
	for _, tt := range []struct {
		name   string
		set    func(*coordinator.Result)
		tested bool
	}{
		{"all well", func(*coordinator.Result) {}, true},
		{"one process of many sequences", func(r *coordinator.Result) { r.Unexplained = 1 }, true},
		{"a process now and then", func(r *coordinator.Result) { r.Unexplained = 100 }, false},
		{"… but a finding", func(r *coordinator.Result) { r.Unexplained, r.Findings[engine.Panic] = 100, 1 }, true},
		{"a goroutine of its own that ends it", func(r *coordinator.Result) { r.AtStart = "panic: boom" }, false},
		{"no worker", func(r *coordinator.Result) { r.Stopped = "no worker left" }, false},
		{"no call left", func(r *coordinator.Result) { r.Banned = []seq.OpID{0} }, false},
		{"a test that cannot be tried", func(r *coordinator.Result) { r.Untried = 1 }, false},
	} {
		res := &coordinator.Result{}
		res.Counts.Sequences = 50_000
		tt.set(res)
		if why := (&done{s: s, res: res}).untested(); (why == "") != tt.tested {
			t.Errorf("%s: not tested, since %q; want tested: %t", tt.name, why, tt.tested)
		}
	}
}
