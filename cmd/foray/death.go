package main

import (
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/contract"
)

// judgeDeath says what the end of a worker means, or of a sequence that it gave
// up. A contract of ours that does not come to its end, in no call that could be
// named, says nothing of the package.
func (s *subject) judgeDeath(steps seq.Sequence, d worker.Death) engine.Verdict {
	op := steps[len(steps)-1].Op
	how := contract.Ending{Kind: engine.KindExit, Code: d.ExitCode, Text: d.Stderr, Goroutine: d.Goroutine, Goexit: d.Goexit}
	switch {
	case d.Judging:
		return engine.Verdict{Tier: engine.Illegal, Op: op, Message: "a contract does not come to its end behind " + s.table.Ops[op].Short}
	case d.Hang:
		how.Kind = engine.KindHang
	case d.Memory || strings.Contains(d.Stderr, "out of memory") || strings.Contains(d.Stderr, "cannot allocate memory"):
		how.Kind = engine.KindMemory
	case d.Signal != "" || strings.Contains(d.Stderr, "fatal error: ") || strings.Contains(d.Stderr, "panic: ") || strings.Contains(d.Stderr, "[signal "):
		how.Kind = engine.KindFatal
	}
	v := contract.Death(contract.Facts{Table: s.table, Op: op, Steps: steps}, how)
	if s.fuzz != "" && s.listed == 0 {
		v.Tier, v.Document = engine.Error, "" // no input is an excuse
	}
	return v
}
