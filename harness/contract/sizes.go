package contract

import (
	"strconv"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// sizes lists what the sizes that a type tells have to do with each other.
func sizes(a *api) []Contract {
	var all []Contract
	a.each("Len Size", 1, func(id seq.OpID, op *seq.Operation) {
		if op.Kind != seq.Method || op.Pre.Panics || !a.returns(op, seq.Int) {
			return
		}
		c := Contract{Type: op.Params[0], Op: id, Cost: Constant}
		all = append(all, notNegative(c, op))
		if base(op.Member) == "Len" {
			if id, cop := a.find(c.Type, "Cap", 1, seq.Int); cop != nil {
				all = append(all, capacity(c, op, id, cop))
			}
		}
		if id, eop := a.find(c.Type, "IsEmpty Empty", 1, seq.Bool); eop != nil {
			all = append(all, emptiness(c, op, id, eop))
		}
	})
	return all
}

// notNegative is an error for Len, which has one meaning in Go. A Size may be
// that of a file, of which nobody knows.
func notNegative(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "size-not-negative", 1, engine.Error
	if base(op.Member) != "Len" {
		c.Tier = engine.Suspect
	}
	c.Doc = "a number of elements is not negative, as for the predeclared len"
	c.Assert = expr(op, "$0") + " >= 0"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0])
		return !ok || n >= 0, "the size is " + strconv.FormatInt(n, 10)
	}
	return c
}

func capacity(c Contract, op *seq.Operation, capID seq.OpID, capOp *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "cap-at-least-len", 1, engine.Error
	c.Doc = "0 <= len(s) <= cap(s) (Go specification: Length and capacity)"
	c.Assert = expr(capOp, "$0") + " >= " + expr(op, "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0])
		if !ok {
			return true, ""
		}
		m, ok := callInt(caller, capID, v[0])
		return !ok || m >= n, "the capacity is " + strconv.FormatInt(m, 10) + ", the length " + strconv.FormatInt(n, 10)
	}
	return c
}

// emptiness is a suspicion: the length of a bit set is not how many bits are set.
func emptiness(c Contract, op *seq.Operation, emptyID seq.OpID, emptyOp *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "empty-size", 1, engine.Suspect
	c.Doc = "what is empty has no elements, what has none is empty"
	c.Assert = expr(emptyOp, "$0") + " == (" + expr(op, "$0") + " == 0)"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0])
		if !ok {
			return true, ""
		}
		empty, ok := callBool(caller, emptyID, v[0])
		return !ok || empty == (n == 0), "it says of size " + strconv.FormatInt(n, 10) + " that empty is " + strconv.FormatBool(empty)
	}
	return c
}
