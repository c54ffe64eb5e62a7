package main

import (
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/contract"
)

// judgeDeath judges the end of a worker, or of a sequence that it gave up. If a
// contract of foray does not return and its call is unknown, that is no evidence
// against the package.
func (s *subject) judgeDeath(steps seq.Sequence, d worker.Death) engine.Verdict {
	op := steps[len(steps)-1].Op
	how := contract.Ending{Kind: d.Kind(), Code: d.ExitCode, Text: d.Dump(), Goroutine: d.Goroutine, Goexit: d.Goexit, Signal: d.Signal}
	if d.Oracle != engine.NoOracle {
		v := engine.Verdict{Op: op, Message: "a contract does not return after " + s.table.Ops[op].Short}
		return *v.Settle(engine.Ruling{Rule: "judging"}, engine.Ruling{})
	}
	v := contract.Death(contract.Facts{Table: s.table, Op: op, Steps: steps}, how)
	if s.fuzz != "" && s.listed == 0 {
		v.Claim = engine.ClaimOwn
		v.Settle(engine.Ruling{Tier: engine.Error, Rule: "fuzz function"}, engine.Ruling{}) // no input is an excuse
	}
	return v
}
