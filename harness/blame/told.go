package blame

import (
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// tellingText is the least length in bytes of a text that tells something: the empty text and
// single characters are what a reducer ends with where any text will do.
const tellingText = 2

// givesText reports whether a literal of a step is a text of at least so many bytes.
func givesText(t *seq.Table, st seq.Step, least int) bool {
	op := &t.Ops[st.Op]
	if op.Kind == seq.Elements && len(st.Args) >= least && t.Types[op.Results[0]].IsBytes() {
		return true
	}
	return slices.ContainsFunc(st.Args, func(a seq.Arg) bool {
		if a.Lit == nil {
			return false
		}
		text, is := a.Lit.Value.(string)
		return is && len(text) >= least
	})
}

// decides reports whether a text of two bytes or more may decide how long the last call of s, which is
// minimized, runs. If that call reads no text, it may run as an object says that was made of one without an error: a
// program. A call that makes none had to keep what it was given.
func decides(t *seq.Table, s seq.Sequence) bool {
	parsed := make([]bool, len(s))
	for i, st := range s[:len(s)-1] {
		if op := &t.Ops[st.Op]; op.API && op.ReturnsError && len(op.Results) > 1 {
			for j, input := range engine.Inputs(t, s[:i+1]) {
				parsed[j] = parsed[j] || input
			}
		}
	}
	for i, input := range engine.Inputs(t, s) {
		if input && givesText(t, s[i], 0) {
			return slices.ContainsFunc(s, func(st seq.Step) bool { return givesText(t, st, tellingText) })
		}
	}
	for i, st := range s {
		if !parsed[i] && givesText(t, st, tellingText) {
			return true
		}
	}
	return false
}

// ruleNoText is the rule of a call that runs on, and of which no text decides.
const ruleNoText = "no text"

// Told returns the ruling on a finding whose sequence is minimized, which a call that runs on
// gets unless a text [decides]. It is told as an unexcused panic is. In draws 7 to 21
// (docs/bench) 11 of 20 such calls with a telling text were bugs, of those without one 6 of 25.
// Those mostly run as long as their numbers say, or objects were put into each other. Told
// returns the zero Ruling for any other finding.
func Told(t *seq.Table, v *engine.Verdict, s seq.Sequence) engine.Ruling {
	if v.Kind != engine.KindHang || v.Signature.Class != string(busy) || decides(t, s) {
		return engine.Ruling{}
	}
	return engine.Ruling{Tier: engine.Panic, Rule: ruleNoText, Reason: "no text is given that decides: calls that run on with numbers and objects alone, such as a program that was parsed, mostly do as they are told"}
}
