package blame

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// Race judges a report of the race detector on s. The steps from fork on ran in two
// goroutines. Race returns nil if the report has no code of the package.
func Race(t *seq.Table, s seq.Sequence, fork int, report string) *engine.Verdict {
	accesses := godump.ParseRace(report)
	if len(accesses) < 2 {
		return nil
	}
	var where []string
	var text strings.Builder
	for _, a := range accesses[:2] {
		in := packageFrames(t, a.Frames)
		if len(in) == 0 {
			return nil
		}
		where = append(where, godump.Member(in[0].Func))
		text.WriteString(a.Kind + ":\n" + stack(t, untilAdapter(t, a.Frames)))
	}
	op, reason, locks := blamedForRace(t, s, fork)
	message := accesses[0].Kind + " in " + where[0] + " races with a " + accesses[1].Kind + " in " + where[1]
	slices.Sort(where)
	v := &engine.Verdict{
		Claim: engine.ClaimPromise, Kind: engine.KindRace, Op: op, Fork: fork,
		Signature: engine.Signature{Kind: engine.KindRace, Where: strings.Join(slices.Compact(where), "|")},
		Message:   OneLine(message), Stack: text.String(),
	}
	var doubt engine.Ruling
	if locks {
		doubt = Doubt("holds a lock", reason)
	}
	return v.Settle(engine.Ruling{Tier: engine.Error, Rule: "race", Reason: reason}, doubt)
}

const docReadAt = `package io, ReaderAt: "Clients of ReadAt can execute parallel ReadAt calls on the same input source"`

// blamedForRace returns the first call on the shared value, and why goroutines may
// share it: locks says that it has a lock and no documentation.
func blamedForRace(t *seq.Table, s seq.Sequence, fork int) (op seq.OpID, reason string, locks bool) {
	for i := range s[:fork] {
		for _, r := range t.Ops[s[i].Op].Results {
			if reason == "" {
				reason, locks = t.Types[r].Shared, t.Types[r].Locks
			}
		}
	}
	for slot := range int32(s[:fork].Slots(t)) {
		if (reason == "" || locks) && engine.ReadsAt(t, s, fork, slot) {
			reason, locks = docReadAt, false
		}
	}
	for _, st := range s[fork:] {
		if t.Ops[st.Op].API {
			return st.Op, reason, locks
		}
	}
	return s[len(s)-1].Op, reason, locks
}
