package harness

import (
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// boundLaw is a law with what became of it in this process.
type boundLaw struct {
	contract.Law
	signature string
	told      bool // it failed before
}

// sampleLaws is how many sequences there are to one in which a law is held: it
// runs the sequence once more.
const sampleLaws = 8

// passes reports whether a contract is left alone: another is wanted, or it is a
// suspicion that was told and would only hide what else there is.
func (j *judge) passes(signature string, tier engine.Tier, told bool) bool {
	if strings.HasPrefix(j.want, engine.KindContract+":") {
		return signature != j.want
	}
	return told && tier == engine.Suspect
}

// lawful reports whether laws may be held in s: in one of sampleLaws sequences,
// in all of a full run.
func (j *judge) lawful(s seq.Sequence, full bool) bool {
	if j.ends++; !full && j.ends%sampleLaws != 0 {
		return false
	}
	any := false
	for i := range s {
		any = any || len(j.laws[s[i].Op]) > 0
	}
	return any && !j.unfitIn(s)
}

// unfitIn reports whether s has an operation that is [contract.Unfit].
func (j *judge) unfitIn(s seq.Sequence) bool {
	for i := range s {
		if j.unfit[s[i].Op] {
			return true
		}
	}
	return false
}

// uphold holds a law against a call of s, or all laws against all calls in a full
// run, and returns the verdict of the first that does not hold.
func (j *judge) uphold(s seq.Sequence, full bool) *engine.Verdict {
	if !full {
		// The later a call, the more there was before it; but each has its turn.
		j.turn++
		for k := range s {
			i := (len(s) - 1 - k + j.turn/2*(j.turn%2)) % len(s)
			if list := j.laws[s[i].Op]; len(list) > 0 {
				return j.holdLaw(list[j.turn/2%len(list)], s[:i+1])
			}
		}
		return nil
	}
	for i := len(s) - 1; i >= 0; i-- {
		for _, l := range j.laws[s[i].Op] {
			if v := j.holdLaw(l, s[:i+1]); v != nil {
				return v
			}
		}
	}
	return nil
}

func (j *judge) holdLaw(l *boundLaw, s seq.Sequence) *engine.Verdict {
	if j.passes(l.signature, l.Tier, l.told) {
		return nil
	}
	v := l.Hold(j, j.x.table, s, j.x.tainted)
	l.told = l.told || v != nil
	return v
}
