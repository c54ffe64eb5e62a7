package main

import (
	"strings"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// judgeDeath says what the end of a worker means.
func (s *subject) judgeDeath(steps seq.Sequence, d coordinator.Death) engine.Verdict {
	how := contract.Ending{Kind: engine.KindExit, Code: d.ExitCode, Text: d.Stderr}
	switch {
	case d.Hang:
		how.Kind = engine.KindHang
	case strings.Contains(d.Stderr, "out of memory") || strings.Contains(d.Stderr, "cannot allocate memory"):
		how.Kind = engine.KindMemory
	case d.Signal != "" || strings.Contains(d.Stderr, "fatal error: ") || strings.Contains(d.Stderr, "panic: ") || strings.Contains(d.Stderr, "[signal "):
		how.Kind = engine.KindFatal
	}
	v := contract.Death(contract.Facts{Table: s.table, Op: steps[len(steps)-1].Op, Steps: steps}, how)
	if s.fuzz != "" {
		v.Tier, v.Document = engine.Error, "" // no input is an excuse
	}
	return v
}
