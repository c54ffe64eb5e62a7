package executor

import (
	"fmt"
	"path"
	"runtime"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// boundLaw is a law with its state in this process.
type boundLaw struct {
	contract.Law
	id        engine.OracleID
	signature engine.Signature
	told      bool // it is a suspicion and failed before
	turns     int  // how often it was held; a try of which it says nothing counts little
}

// A lawIndex holds the laws of a table. To find them takes long, and a process that runs a
// sequence which panics or does not return needs none. So they are found when first asked for.
type lawIndex struct {
	find func(*seq.Table) []contract.Law
	laws [][]*boundLaw // by the operation that they are about; nil until they are found
	// By operation: those that only look, and the others.
	looking  [][]*contract.Law
	changing [][]*boundLaw
	looks    []engine.OracleID // by operation: of all its laws that only look
}

// findLaws finds the laws, if that is not done. Their numbers follow those of the contracts, so
// that they are the same in all processes.
func (j *rules) findLaws() {
	if j.laws != nil {
		return
	}
	n := len(j.table.Ops)
	j.laws, j.looking, j.changing, j.looks = make([][]*boundLaw, n), make([][]*contract.Law, n), make([][]*boundLaw, n), make([]engine.OracleID, n)
	if j.find == nil {
		return
	}
	for _, l := range j.find(j.table) {
		j.bind(&boundLaw{Law: l, signature: l.Signature(j.table)})
	}
}

// bind adds a law to the index.
func (j *rules) bind(b *boundLaw) {
	if b.Claim == engine.ClaimName && !b.Guess {
		k := newKeeping(documentation(j.table, b.On))
		k.law, k.quiet = b, b.Quiet
		if b.Plain || b.Op != b.On { // operations that only look have conditions of their own
			k.others = b.Doc
		}
		j.keepings[&b.Law] = k
	}
	j.laws[b.On] = append(j.laws[b.On], b)
	if b.Changes {
		b.id = j.oracle(func() { j.drop(&b.Law) })
		j.changing[b.On] = append(j.changing[b.On], b)
		return
	}
	if j.looks[b.On] == engine.NoOracle {
		j.looks[b.On] = j.oracle(func() { j.looking[b.On] = nil })
	}
	b.id = j.looks[b.On]
	j.looking[b.On] = append(j.looking[b.On], &b.Law)
}

// pay pays for the calls that contracts made after s; owed is the debt before them.
// Full runs, which hold all contracts, cost nothing.
func (j *judge) pay(s seq.Sequence, full bool, owed int) {
	if full {
		j.debt = owed
		return
	}
	j.debt = max(0, j.debt-callsPerStep*len(s))
}

// passes reports whether a contract is left alone. Another is wanted, or it is a suspicion that
// was told, or is not to be told, and would only hide others.
func (j *judge) passes(signature engine.Signature, claim engine.Claim, untold bool) bool {
	if j.want.Kind == engine.KindContract {
		return signature != j.want
	}
	return untold && claim.Tier() == engine.Suspect
}

// lawful reports whether laws may be held in s: in one of sampleLaws sequences,
// in all of a full run.
func (j *judge) lawful(s seq.Sequence, full bool) bool {
	if j.ends++; full && j.want == engine.Nothing || !full && (j.ends%sampleLaws != 0 || j.debt > 0) {
		return false
	}
	j.findLaws()
	any := false
	for i := j.firstLawful(s); i < len(s); i++ {
		any = any || len(j.laws[s[i].Op]) > 0
	}
	return any && !j.unfitIn(s)
}

// firstLawful returns the first step of s that laws are to be held against.
func (j *judge) firstLawful(s seq.Sequence) int {
	if j.x.opts.Last {
		return len(s) - 1
	}
	return 0
}

// unfitIn reports whether s has an operation that is [contract.Unfit].
func (j *judge) unfitIn(s seq.Sequence) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return j.unfit[st.Op] })
}

// guarded upholds laws. One that panics by itself is switched off: that is a fault of foray's.
func (j *judge) guarded(s seq.Sequence, full bool) (v *engine.Verdict, shows seq.Sequence) {
	defer func() {
		if p := recover(); p != nil {
			j.faults = append(j.faults, fault(p))
			j.switchOff(j.x.journal.oracle)
			j.counting, j.kept = false, kept{}
			v, shows = nil, nil
		}
	}()
	return j.uphold(s, full)
}

// fault tells a panic of a law by its text and the innermost function.
func fault(p any) string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); !isRuntime(f.Function) {
			return fmt.Sprintf("%s: %s", path.Base(f.Function), panicText(p))
		}
	}
	return panicText(p)
}

// uphold runs s again and holds laws against its calls: all laws that only look, or one
// that changes values against one call. A full run holds all laws, one by one. It returns
// the verdict of the first that does not hold, and the sequence that shows it if that is not s.
func (j *judge) uphold(s seq.Sequence, full bool) (v *engine.Verdict, shows seq.Sequence) {
	j.slots = nil // the calls of a law are no steps of s
	if full {
		for i := len(s) - 1; i >= j.firstLawful(s); i-- {
			for _, l := range j.laws[s[i].Op] {
				if !j.passes(l.signature, l.Claim, l.told || l.Quiet && (j.searching || j.want.Kind != "")) {
					j.x.journal.judging(l.id)
					if v, _ := l.Hold(j, j.x.table, s[:i+1], j.x.tainted); v != nil {
						v.Plain = j.plain
						return v, nil
					}
				}
			}
		}
		return nil, nil
	}
	j.counting = true
	if v = j.sampled(s); v == nil {
		v, shows = j.try()
	}
	j.counting, j.kept = false, kept{}
	return v, shows
}

// sampled holds some laws in a composed sequence.
func (j *judge) sampled(s seq.Sequence) *engine.Verdict {
	if j.lawRuns++; j.lawRuns%2 == 0 {
		first := slices.IndexFunc(s, func(st seq.Step) bool { return len(j.looking[st.Op]) > 0 })
		if first < 0 {
			return nil
		}
		j.x.journal.judging(j.looks[s[first].Op]) // the steps before it run, too
		v := contract.Run(j, j.x.table, s, j.x.tainted, func(i int) []*contract.Law {
			list := j.looking[s[i].Op]
			if len(list) > 0 {
				j.x.journal.judging(j.looks[s[i].Op])
			}
			j.debt += len(list) // it looks at its arguments, too
			return list
		})
		return j.mute(v, s)
	}
	// The law that had the fewest turns, and the last call of it: the more there
	// was before, the more there is to see.
	step, least := 0, (*boundLaw)(nil)
	for i := range s {
		for _, l := range j.changing[s[i].Op] {
			if least == nil || l.turns <= least.turns {
				step, least = i, l
			}
		}
	}
	if least == nil {
		return nil
	}
	j.x.journal.judging(least.id)
	v, held := least.Hold(j, j.x.table, s[:step+1], j.x.tainted)
	if least.turns++; held {
		least.turns += heldTurns
	}
	return j.mute(v, s)
}

// mute notes that a law was broken in a composed sequence: a suspicion is told once. Then it
// is held no more, unless it may yet turn out that the package keeps the law.
func (j *judge) mute(v *engine.Verdict, s seq.Sequence) *engine.Verdict {
	if v == nil {
		return v
	}
	k := j.unkept
	if v.Plain = j.plain; k != nil {
		j.spread(k, v, s)
		k.settle(v)
	}
	if v.Tier != engine.Suspect {
		return v
	}
	told := k != nil && k.quiet
	for _, list := range j.laws {
		for _, l := range list {
			if l.signature != v.Signature {
				continue
			}
			told, l.told = told || l.told, true
			if k == nil || k.decided() {
				j.drop(&l.Law)
			}
		}
	}
	if told {
		return nil
	}
	return v
}

// drop has a law be held in composed sequences no more.
func (j *rules) drop(l *contract.Law) {
	j.looking[l.On] = slices.DeleteFunc(slices.Clone(j.looking[l.On]), func(x *contract.Law) bool { return x == l })
	j.changing[l.On] = slices.DeleteFunc(j.changing[l.On], func(x *boundLaw) bool { return &x.Law == l })
}
