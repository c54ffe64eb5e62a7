package contract

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// own lists the contracts that the tests of the package declare.
func own(a *api) []Contract {
	var all []Contract
	ofCalls := map[seq.OpID]bool{}
	for i := range a.t.Ops {
		for _, id := range slices.Concat(a.t.Ops[i].Requires, a.t.Ops[i].Ensures) {
			ofCalls[id] = true
		}
	}
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if op.Kind != seq.Check || ofCalls[id] {
			continue
		}
		c := Contract{
			Name: ownName(op), Arity: len(op.Params), Tier: engine.Error, Type: op.Params[0], Op: id,
			Doc: ownDoc(op), Assert: op.Template, Cost: Linear,
		}
		c.Holds = func(caller Caller, v []any) (bool, string) { return holdsOwn(caller, id, v) }
		all = append(all, c)
	}
	return all
}

// ownName and ownDoc are of an operation of kind Check.
func ownName(op *seq.Operation) string { return strings.TrimPrefix(op.Short, "contract ") }

func ownDoc(op *seq.Operation) string { return cmp.Or(op.Doc, "a contract of the package's own tests") }

// holdsOwn runs a contract of the user's. A run-time error in it says nothing, but
// that it is wrong itself or calls what is: the caller has seen it.
func holdsOwn(c Caller, op seq.OpID, v []any) (bool, string) {
	_, panicked := c.Call(op, v...)
	switch p := panicked.(type) {
	case nil:
		return true, ""
	case runtime.Error:
		return true, ""
	case string:
		return false, p
	}
	return false, "it panics: " + text(panicked)
}

// Own reports whether the tests of the package declare the contract.
func (c *Contract) Own(t *seq.Table) bool { return t.Ops[c.Op].Kind == seq.Check }

// Broken returns the verdict for a contract of the tests that itself panicked,
// with a value.
func (c *Contract) Broken(t *seq.Table, s seq.Sequence, slots []int32, value any) *engine.Verdict {
	v := c.Verdict(t, s, slots, "")
	v.Tier, v.Document = engine.Suspect, "a contract that panics by itself is switched off"
	v.Message = line(t.Ops[c.Op].Short + " panics: " + text(value))
	return &v
}

// ensured lists what the tests of the package say of the calls of its functions.
func ensured(a *api) []Law {
	var all []Law
	for i := range a.t.Ops {
		for _, check := range a.t.Ops[i].Ensures {
			all = append(all, ensures(Law{On: seq.OpID(i), Op: seq.OpID(i)}, check, &a.t.Ops[check]))
		}
	}
	return all
}

func ensures(law Law, check seq.OpID, op *seq.Operation) Law {
	law.Name, law.Tier, law.Doc = ownName(op), engine.Error, ownDoc(op)
	law.Check = func(c *Call, _ any) *Breach {
		if n, ok := c.Caller.(Namer); ok {
			n.Next(c.ensuring(check))
		}
		_, panicked := c.Call(check, slices.Concat(c.Results, c.Args)...)
		if panicked == nil || panicked == ErrRefused {
			return nil
		}
		var texts []string
		for i := range c.Results {
			texts = append(texts, c.result(i))
		}
		for i := range c.Args {
			texts = append(texts, c.arg(i))
		}
		b := &Breach{Detail: text(panicked), Assert: expr(op, texts...)}
		if _, says := panicked.(string); !says {
			b.Detail, b.Doubt = "it panics: "+text(panicked), "a contract that panics by itself is switched off"
		}
		return b
	}
	return law
}

// A Namer is a Caller that wants to know which step of the sequence the next call would
// be, for whoever finds that it has not returned.
type Namer interface {
	Next(st seq.Step)
}

// ensuring returns as a step the call of a check behind the call.
func (c *Call) ensuring(check seq.OpID) seq.Step {
	st := seq.Step{Op: check}
	for i := range c.Results {
		st.Args = append(st.Args, seq.Slot(len(c.vals)-len(c.Results)+i))
	}
	st.Args = append(st.Args, c.step().Args...)
	return st
}

// ErrRefused is what a call that is not made seems to panic with: what the tests of
// the package require of it does not hold, or it is not to be called any more.
var ErrRefused = errors.New("harness: refused")

// Refused returns the verdict of a call that is not made, the last step of s, because
// the contract check of the tests, which requires something of it, panicked with value.
func Refused(t *seq.Table, s seq.Sequence, check seq.OpID, value any) *engine.Verdict {
	op, required := &t.Ops[s[len(s)-1].Op], &t.Ops[check]
	v := &engine.Verdict{
		Tier: engine.Illegal, Kind: engine.KindContract, Op: s[len(s)-1].Op, Signature: signature(ownName(required), op), Contract: ownName(required),
		Document: t.Refusal(check),
	}
	if _, says := value.(string); !says {
		v.Tier, v.Message = engine.Suspect, line(required.Short+" panics: "+text(value))
		v.Document = "a call is not made where what it requires panics"
		c := &Call{Table: t, Steps: s}
		var texts []string
		for i := range c.step().Args {
			texts = append(texts, c.arg(i))
		}
		v.Before, v.Assert, v.Slots, v.Steps = expr(required, texts...), "before", c.slots, len(s)
	}
	return v
}
