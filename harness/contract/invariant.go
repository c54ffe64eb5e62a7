package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

const invariantNames = "RepOK RepOk CheckRep CheckInvariants CheckInvariant Invariants Invariant SanityCheck"

// invariants lists the checks that the author wrote of a type's own state. A
// Validate or Valid is none: it speaks of what a user put in.
func invariants(a *api) []Contract {
	var all []Contract
	a.each(invariantNames, 1, func(id seq.OpID, op *seq.Operation) {
		if op.Kind == seq.Func && basic(a.t, op.Params[0]) {
			return
		}
		c := Contract{
			Name: "invariant", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc: "the type's own invariant, " + op.Short + ", holds after every call",
		}
		text := expr(op, "$0")
		switch {
		case len(op.Results) == 0:
			c.Assert = "func() bool { " + text + "; return true }()"
		case a.returns(op, seq.Bool):
			c.Assert = text
		case len(op.Results) == 1 && op.ReturnsError:
			c.Assert = text + " == nil"
		default:
			return
		}
		c.Holds = func(c Caller, v []any) (bool, string) { return holdsInvariant(c, id, v[0]) }
		all = append(all, c)
	})
	return all
}

func holdsInvariant(c Caller, op seq.OpID, v any) (bool, string) {
	if isNil(v) {
		return true, ""
	}
	results, panicked := c.Call(op, v)
	if panicked != nil {
		return false, "it panics: " + text(panicked)
	}
	if len(results) == 0 || results[0] == nil {
		return true, ""
	}
	if err, ok := results[0].(error); ok {
		return false, "it says: " + text(err)
	}
	holds, ok := Describe(results[0]).Value.(bool)
	return holds || !ok, "it says false"
}
