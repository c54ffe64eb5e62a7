package contract

import (
	"cmp"
	"errors"
	"runtime"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// own adds the contracts that the tests of the package declare.
func own(a *api, add func(...Contract)) {
	ofCalls := map[seq.OpID]bool{}
	for _, o := range a.ops {
		for _, id := range slices.Concat(o.Requires, o.Ensures) {
			ofCalls[id] = true
		}
	}
	for _, o := range a.ops {
		if o.Kind == seq.Check && !ofCalls[o.id] {
			add(Contract{
				Name: o.Base, Arity: len(o.Params), Claim: engine.ClaimOwn, Type: o.Params[0], Op: o.id,
				Doc: ownDoc(o.Operation), Assert: func() string { return o.Template }, Cost: Linear,
				Holds: func(caller Caller, v []any) (bool, string) { return holdsOwn(caller, o.id, v) },
			})
		}
	}
}

// ownDoc returns the documentation of a contract of the package's tests.
func ownDoc(op *seq.Operation) string { return cmp.Or(op.Doc, "a contract of the package's own tests") }

// holdsOwn runs a contract of the user's. A run-time error in it says nothing about the
// values: the contract or a function that it calls is wrong, and the caller has seen it.
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
	return false, "it panics: " + blame.TextOf(panicked)
}

// Own reports whether the tests of the package declare the contract.
func (c *Contract) Own(t *seq.Table) bool { return t.Ops[c.Op].Kind == seq.Check }

// Broken returns the verdict for a contract of the tests that itself panicked,
// with a value.
func (c *Contract) Broken(t *seq.Table, s seq.Sequence, slots []int32, value any) *engine.Verdict {
	v := c.Verdict(t, s, slots, "")
	v.Message = blame.OneLine(t.Ops[c.Op].Short + " panics: " + blame.TextOf(value))
	return v.Settle(blame.Doubt("panicking check", "a contract that panics by itself is switched off"), engine.Ruling{})
}

// ensured adds the contracts on calls that the tests of the package declare.
func ensured(a *api, add func(...Law)) {
	for _, o := range a.ops {
		for _, check := range o.Ensures {
			add(ensures(o, a.ops[check]))
		}
	}
}

func ensures(o, check operation) Law {
	return o.law(check.Base, engine.ClaimOwn, ownDoc(check.Operation)).checked(func(c *Call) *Breach {
		if n, ok := c.Caller.(Namer); ok {
			n.Next(c.ensuring(check.id))
		}
		_, panicked := c.Call(check.id, slices.Concat(c.Results, c.Args)...)
		if panicked == nil || panicked == ErrRefused {
			return nil
		}
		var texts []string
		for i := range c.Results {
			texts = append(texts, c.result(i))
		}
		b := &Breach{Detail: blame.TextOf(panicked), Assert: expr(check.Operation, append(texts, c.texts(0)...)...)}
		if _, says := panicked.(string); !says {
			b.Detail, b.Doubt = "it panics: "+blame.TextOf(panicked), "a contract that panics by itself is switched off"
		}
		return b
	})
}

// A Namer is a Caller that is told the next call as a step, for the report of a call that
// does not return.
type Namer interface {
	Next(st seq.Step)
}

// ensuring returns the call of a check after the call, as a step.
func (c *Call) ensuring(check seq.OpID) seq.Step {
	st := seq.Step{Op: check}
	for i := range c.Results {
		st.Args = append(st.Args, seq.Slot(len(c.vals)-len(c.Results)+i))
	}
	st.Args = append(st.Args, c.step().Args...)
	return st
}

// ErrRefused stands for the panic of a call that is not made, because a requirement of the
// package's tests does not hold or the operation is disabled. It also stands for one that ran out of fuel.
var ErrRefused = errors.New("harness: refused")

// Refused returns the verdict on the last step of s, which did not run because check, a
// requirement of the package's tests, panicked with value.
func Refused(t *seq.Table, s seq.Sequence, check seq.OpID, value any) *engine.Verdict {
	op, required := &t.Ops[s[len(s)-1].Op], &t.Ops[check]
	name := required.Base
	v := &engine.Verdict{Claim: engine.ClaimOwn, Kind: engine.KindContract, Op: s[len(s)-1].Op, Signature: signature(name, op), Contract: name}
	if _, says := value.(string); says {
		return v.Settle(engine.Ruling{Rule: name, Reason: t.Refusal(check)}, engine.Ruling{})
	}
	v.Message = blame.OneLine(required.Short + " panics: " + blame.TextOf(value))
	c := &Call{Table: t, Steps: s}
	v.Before = expr(required, c.texts(0)...)
	v.Assert, v.Slots, v.Steps = t.VariableName("before"), c.slots, len(s)
	return v.Settle(blame.Doubt("panicking check", "a call is not made where what it requires panics"), engine.Ruling{})
}
