package blame

import (
	"math"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// A doubt is a reason why the caller may have broken the objects that a finding complains of.
// It looks at the calls and not at the failure. So doubts hold for crashes, hangs, contracts and
// laws alike, but for contracts of the user's own. A doubt lowers a finding to Suspect.
type doubt struct {
	name    string
	because func(*History) string // the reason, or "" if it does not apply
}

// when returns a reason that always reads the same.
func when(applies func(*History) bool, reason string) func(*History) string {
	return func(h *History) string {
		if applies(h) {
			return reason
		}
		return ""
	}
}

// doubts are asked in order; the first that applies decides.
var doubts = []doubt{
	{"variable set", when(func(h *History) bool { return h.vars },
		"a variable of the package was set before, or the package given an object that its caller may have broken, or one was used after its documented end")},
	{"after end", when((*History).ofEnded,
		"an object involved, or one that it was got from or made of, was closed, released or given back before")},
	{"derived", when(func(h *History) bool { return h.tainted(TaintDerived) },
		"an object involved was made from a zero value or from a result that stood beside an error")},
	{"nil before", when(func(h *History) bool { return h.tainted(TaintNil) },
		"nil was given when an object involved was made")},
	{"undecoded", when((*History).undecoded,
		"an object involved was decoded from text, which returned an error")},
	{"enumeration", when((*History).strayConstant,
		"a number was given for a type of which there are constants, that may be none of them")},
	{"duty", (*History).duty},
	{"disorder", when((*History).misordered,
		"a function was given that may be meant to compare, and is no ordering, or no equality")},
	{"same object", when(func(h *History) bool { return h.relatedOp(func(op *seq.Operation) bool { return hoards(h.t, op) }) },
		"a function given as an argument, which may be meant to make an object, returns the same one each time")},
	{"length", when(func(h *History) bool { return h.anyRelated(h.mismeasured) },
		"a length was given beside a slice, which need not be that of the slice")},
	{"stub", when(func(h *History) bool {
		return h.relatedOp(func(op *seq.Operation) bool { return op.Shape == seq.Stub })
	},
		"an object of foray's own stands for one that the caller implements: its methods return what it was given")},
	{"raw", when(func(h *History) bool { return h.relatedOp(func(op *seq.Operation) bool { return rawAccess(h.t, op) }) },
		"an object involved was given, or gave away, what its documentation calls unchecked or not to be used")},
}

// Doubt returns the first reason why the caller may be to blame for what h is about. It returns
// the zero Ruling if there is none.
func (h *History) Doubt() engine.Ruling {
	for _, d := range doubts {
		if why := d.because(h); why != "" {
			return Doubt(d.name, why)
		}
	}
	return engine.Ruling{}
}

// Doubt returns the ruling that the caller may be to blame for a reason. It returns the zero
// Ruling if the reason is empty.
func Doubt(rule, reason string) engine.Ruling {
	if reason == "" {
		return engine.Ruling{}
	}
	return engine.Ruling{Tier: engine.Suspect, Rule: rule, Reason: reason}
}

// tainted reports whether an object that the finding is about has one of the given taints.
func (h *History) tainted(t Taint) bool {
	found := false
	h.focus(func(n int32) { found = found || h.taints[n]&t != 0 })
	return found
}

// undecoded reports whether decoding an object involved has failed. To decode again is what a
// caller may do then.
func (h *History) undecoded() bool {
	again := 0 <= h.last && h.last < len(h.s) && Decodes(h.t, h.op(h.last))
	return !again && h.tainted(TaintUndecoded)
}

// relatedOp reports whether ok holds for the operation of a step that touches an object involved.
func (h *History) relatedOp(ok func(*seq.Operation) bool) bool {
	return h.anyRelated(func(step int) bool { return ok(h.op(step)) })
}

// duty returns what the documentation of a call on an object involved asks of its caller, which
// the call does not check, or "". Of the call that fails, and of those before a value that fails,
// only a duty that names the caller counts.
func (h *History) duty() string {
	for step := range h.related() {
		op := h.op(step)
		before := h.last < len(h.s) && step < h.last
		if op.API && naming.LeavesDuty(op.Pre.Sentence) && (before || naming.Vouches(op.Pre.Sentence)) {
			return op.Short + " leaves a duty to its caller: " + op.Pre.Sentence
		}
	}
	return ""
}

// misordered reports whether a func literal of two values of one type was given that is no ordering.
// For a parameter that is named for an equality, or stands beside one for a hash of such values, it must be
// an equality. Examples are
// "func(a, b int) bool { return true }", and a test for equality where an order is wanted.
func (h *History) misordered() bool {
	return h.anyRelated(func(step int) bool {
		return h.anyGiven(step, func(j int, slot int32) bool {
			op := h.op(step)
			equality := j < len(op.Names) && slices.Contains(naming.Words(op.Names[j]), "eq") || hashes(h.t, op, op.Param(j))
			return disorder(h.t, h.op(h.from[slot]), equality)
		})
	})
}

// hashes reports whether op takes a hash of the values of which a function of type id takes two. A hash
// is a function that returns an integer of one value.
func hashes(t *seq.Table, op *seq.Operation, id seq.TypeID) bool {
	fn := &t.Types[id]
	return len(fn.Params) == 2 && slices.ContainsFunc(op.Params, func(other seq.TypeID) bool {
		hash := &t.Types[other]
		return hash.Kind == seq.FuncType && slices.Equal(hash.Params, fn.Params[:1]) && len(hash.Results) == 1 && strings.Contains(hash.Results[0], "int")
	})
}

// disorder reports whether op makes a function that has the form of an ordering of two values of one type, or
// of their equality, and is none.
func disorder(t *seq.Table, op *seq.Operation, equality bool) bool {
	fn := literalType(t, op)
	if fn == nil || len(fn.Params) != 2 || fn.Params[0] != fn.Params[1] || len(fn.Results) != 1 {
		return false
	}
	switch fn.Results[0] {
	case "bool":
		return equality && op.Shape != seq.Same || !equality && op.Shape != seq.Less
	case "int":
		return op.Shape != seq.Compare
	}
	return false
}

// literalType returns the type of the func literal that op makes, or nil.
func literalType(t *seq.Table, op *seq.Operation) *seq.Type {
	if op.Kind != seq.FuncLit {
		return nil
	}
	return &t.Types[op.Results[0]]
}

// hoards reports whether op makes a function that takes nothing and returns an object
// that was made before.
func hoards(t *seq.Table, op *seq.Operation) bool {
	fn := literalType(t, op)
	return fn != nil && op.Shape == seq.Constant && len(op.Params) == 1 && t.Types[op.Params[0]].Nilable && len(fn.Params) == 0
}

// takes reports whether step i takes one of the objects.
func (h *History) takes(i int, objects map[int32]bool) bool {
	return slices.ContainsFunc(h.s[i].Args, func(a seq.Arg) bool { return a.Lit == nil && objects[a.Slot] })
}

// MadeOfNaN reports whether an object involved was made or changed with a literal that is NaN.
func (h *History) MadeOfNaN() bool {
	return h.anyRelated(func(step int) bool {
		return slices.ContainsFunc(h.s[step].Args, func(a seq.Arg) bool {
			if a.Lit == nil {
				return false
			}
			switch v := a.Lit.Value.(type) {
			case float64:
				return math.IsNaN(v)
			case complex128:
				return math.IsNaN(real(v)) || math.IsNaN(imag(v))
			}
			return false
		})
	})
}
