package contract

import (
	"sync"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// Invariant is the name of the contract that a type's own invariant holds.
const Invariant = "invariant"

// InvariantNames are the names of functions and methods that check the invariant of a type. Users are
// told to choose one, so no count of packages decides which there are.
const InvariantNames = "RepOK RepOk CheckRep CheckInvariants CheckInvariant Invariants Invariant SanityCheck"

// invariants adds the checks that the author wrote of a type's own state. A
// Validate or Valid method is none: it is about the user's input.
func invariants(a *api, add func(...Contract)) {
	a.every(InvariantNames, "-> ...", func(check operation) {
		var assert any
		switch {
		case check.Kind == seq.Func && a.t.Types[check.Params[0]].Literal != seq.NoLiteral:
			return
		case len(check.Results) == 0:
			assert = property.CheckReturns
		case len(check.Results) == 1 && a.t.Types[check.Results[0]].Literal == seq.Bool:
			assert = property.CheckHolds
		case len(check.Results) == 1 && check.ReturnsError:
			assert = property.CheckSucceeds
		default:
			return
		}
		c := a.draft(check, engine.ClaimPromise, "the type's own invariant, "+check.Short+", holds after every call").Contract
		c.Name, c.Arity = Invariant, 1
		c.Assert = sync.OnceValue(func() string { return property.Text(a.t.ImportName, assert, check.argument(), slots[0]) })
		// A panic of the check breaks the invariant. For other contracts it has no meaning.
		c.Holds = func(c Caller, v []any) (bool, string) { return holdsInvariant(c, check.id, v[0]) }
		add(c)
	})
}

func holdsInvariant(c Caller, op seq.OpID, v any) (bool, string) {
	if blame.IsNil(v) {
		return true, ""
	}
	results, panicked := c.Call(op, v)
	if panicked == ErrRefused {
		return true, ""
	}
	if panicked != nil {
		return false, "it panics: " + blame.TextOf(panicked)
	}
	if len(results) == 0 || results[0] == nil {
		return true, ""
	}
	if err, ok := results[0].(error); ok {
		return false, "it says: " + blame.TextOf(err)
	}
	holds, ok := blame.Describe(results[0]).Value.(bool)
	return holds || !ok, "it says false"
}
