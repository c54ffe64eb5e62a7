package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Race judges what the race detector has reported of s, whose steps from fork on ran
// in two goroutines. It returns nil if the report is of no code of the package.
func Race(t *seq.Table, s seq.Sequence, fork int, report string) *engine.Verdict {
	accesses := raceAccesses(report)
	if len(accesses) < 2 {
		return nil
	}
	var where []string
	var text strings.Builder
	for _, a := range accesses[:2] {
		in := packageFrames(t, a.frames)
		if len(in) == 0 {
			return nil
		}
		where = append(where, bare(in[0].Func))
		text.WriteString(a.what + ":\n" + stack(t, untilAdapter(t, a.frames)))
	}
	op, reason := blamedForRace(t, s, fork)
	message := accesses[0].what + " in " + where[0] + " races with a " + accesses[1].what + " in " + where[1]
	slices.Sort(where)
	tier := engine.Error
	if strings.HasPrefix(reason, seq.HoldsLock) {
		tier = engine.Suspect
	}
	return &engine.Verdict{
		Tier: tier, Kind: engine.KindRace, Op: op, Fork: fork,
		Signature: engine.KindRace + ":" + strings.Join(slices.Compact(where), "|"),
		Message:   line(message), Document: reason, Stack: text.String(),
	}
}

const docReadAt = `package io, ReaderAt: "Clients of ReadAt can execute parallel ReadAt calls on the same input source"`

// blamedForRace returns the first call on the shared value, and why goroutines may
// share it.
func blamedForRace(t *seq.Table, s seq.Sequence, fork int) (op seq.OpID, reason string) {
	for i := range s[:fork] {
		for _, r := range t.Ops[s[i].Op].Results {
			reason = cmp.Or(reason, t.Types[r].Shared)
		}
	}
	for slot := range int32(s[:fork].Slots(t)) {
		if (reason == "" || strings.HasPrefix(reason, seq.HoldsLock)) && engine.ReadsAt(t, s, fork, slot) {
			reason = docReadAt
		}
	}
	for _, st := range s[fork:] {
		if t.Ops[st.Op].API {
			return st.Op, reason
		}
	}
	return s[len(s)-1].Op, reason
}

// A raceAccess is one side of a race.
type raceAccess struct {
	what   string // "read", "write"
	frames []Frame
}

// raceAccesses reads the two stacks of the first report of the race detector:
//
//	WARNING: DATA RACE
//	Write at 0x00c000112018 by goroutine 8:
//	  example.org/p.(*T).Add()
//	      /src/p/t.go:12 +0x44
//
//	Previous read at 0x00c000112018 by goroutine 7:
func raceAccesses(report string) []raceAccess {
	_, report, _ = strings.Cut(report, "WARNING: DATA RACE\n")
	var list []raceAccess
	var now *raceAccess
	for l := range strings.Lines(report) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "===="):
			return list
		case !strings.HasPrefix(l, " "):
			now = nil
			head := strings.ToLower(strings.TrimPrefix(l, "Previous "))
			if what, _, ok := strings.Cut(head, " at 0x"); ok {
				list = append(list, raceAccess{what: what})
				now = &list[len(list)-1]
			}
		case now == nil:
		case strings.HasPrefix(l, "      ") && len(now.frames) > 0:
			f := &now.frames[len(now.frames)-1]
			at, _, _ := strings.Cut(strings.TrimSpace(l), " +0x")
			if colon := strings.LastIndexByte(at, ':'); colon > 0 {
				f.File = at[:colon]
				f.Line, _ = strconv.Atoi(at[colon+1:])
			}
		default:
			now.frames = append(now.frames, Frame{Func: strings.TrimSuffix(strings.TrimSpace(l), "()")})
		}
	}
	return list
}
