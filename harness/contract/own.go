package contract

import (
	"runtime"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// own lists the contracts that the tests of the package declare.
func own(a *api) []Contract {
	var all []Contract
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if op.Kind != seq.Check {
			continue
		}
		c := Contract{
			Name: strings.TrimPrefix(op.Short, "contract "), Arity: len(op.Params), Tier: engine.Error, Type: op.Params[0], Op: id,
			Doc: op.Doc, Assert: op.Template, Cost: Linear,
		}
		if c.Doc == "" {
			c.Doc = "a contract of the package's own tests"
		}
		c.Holds = func(caller Caller, v []any) (bool, string) { return holdsOwn(caller, id, v) }
		all = append(all, c)
	}
	return all
}

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

// Broken returns the verdict for a contract of the tests that itself panics.
func (c *Contract) Broken(t *seq.Table, s seq.Sequence, slots []int32, message string) *engine.Verdict {
	v := c.Verdict(t, s, slots, "")
	v.Tier, v.Message, v.Document = engine.Suspect, message, "a contract that panics by itself is switched off"
	return &v
}
