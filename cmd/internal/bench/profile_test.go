package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"foray.test/cmd/internal/event"
)

func TestPartAndPurposeOfStacks(t *testing.T) {
	const loop = " forayrt/harness/executor.(*Executor).Append forayrt/engine.(*composer).run forayrt/engine.(*composer).compose forayrt/engine.(*Engine).Step"
	const call = " x.test/p_test.forayOp2 forayrt/harness/executor.(*Executor).call" + loop
	tests := []struct{ stack, part, purpose string }{
		{"x.test/p.Put" + call, "calls", "composing"},
		{"runtime.mallocgc runtime.newobject x.test/p.Put" + call, "calls", "composing"},
		{"runtime.mallocgc runtime.convT" + call, "adapters", "composing"},
		{"forayrt/coverage/probe.Cond x.test/p.Put" + call, "tracing operands", "composing"},
		{"runtime.gopanic x.test/p.Put" + call, "panics", "composing"},
		{"forayrt/harness/executor.(*Executor).call" + loop, "recover", "composing"},
		{"x.test/p.Len x.test/p_test.forayOp3 forayrt/harness/executor.(*judge).hold forayrt/harness/executor.(*Executor).hold forayrt/engine.(*keeper).prune forayrt/engine.(*Engine).Step",
			"contracts and laws", "pruning entries"},
		{"forayrt/harness/digest.(*Digester).walk forayrt/harness/executor.(*Executor).Digests forayrt/engine.(*composer).takeDigests forayrt/engine.(*composer).compose", "digests", "composing"},
		{"forayrt/engine/seq.AppendStep" + loop, "journal", "composing"},
		{"forayrt/coverage.HasNew forayrt/engine.(*Engine).finish forayrt/engine.(*Engine).Step", "counters", "composing"},
		{"runtime.scanobject runtime.gcBgMarkWorker", "collecting garbage", "collecting garbage"},
		{"os.(*File).Write", "other", "other"},
	}
	for _, tt := range tests {
		names := strings.Fields(tt.stack)
		if got := partOf(names); got != tt.part {
			t.Errorf("part of %s: got %q, want %q", names[0], got, tt.part)
		}
		if got := match(purposeRules, names); got != tt.purpose {
			t.Errorf("purpose of %s: got %q, want %q", names[0], got, tt.purpose)
		}
	}
}

func TestProfileTables(t *testing.T) {
	sample := func(ns int64, names ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{1, ns}}
		for _, n := range names {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: n}}}})
		}
		return s
	}
	p := &profile.Profile{SampleType: []*profile.ValueType{{}, {}}, Sample: []*profile.Sample{
		sample(3e9, "x.test/p.Put", "x.test/p_test.forayOp2", "forayrt/engine.(*composer).compose"),
		sample(1e9, "forayrt/engine.(*composer).compose"),
	}}
	r := &report{cpu: 8 * time.Second, summary: summary{CPUSeconds: 5, ConfirmCPU: 2}, packages: []packageEvent{{Package: event.Package{Steps: 1e7, Sequences: 1e6}, RestartSeconds: []float64{0.25, 0.5, 0.125}}}}
	text := ""
	for _, row := range profileTables(r, p) {
		text += strings.TrimSpace(strings.Join(row, " ")) + "\n"
	}
	for _, want := range []string{
		"composing 4.00 80.0\n", "starting, and lost with processes that died 1.00 20.0\n", "processor time of confirming 2.00\n",
		"and the tests that it runs 1.00\n", "restarts: 3, median 250 ms, by the clock 0.88\n", "calls 300.0 75.0\n", "composing 100.0 25.0\n", "all 400.0 100.0\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}
