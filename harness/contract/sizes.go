package contract

import (
	"reflect"
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
	a.each("Len", 1, func(id seq.OpID, op *seq.Operation) {
		count, countOp := a.find(op.Params[0], "Count", 1, seq.Int, seq.Uint)
		if countOp != nil && op.Kind == seq.Method && !op.Pre.Panics && a.returns(op, seq.Int, seq.Uint) {
			all = append(all, countBound(Contract{Type: op.Params[0], Op: id, Cost: Linear}, op, count, countOp))
		}
	})
	return append(all, listings(a)...)
}

// countBound is of bit sets and the like, whose length is how many elements there
// could be. A count of other things than the length is of is not documented as a
// number of the same.
func countBound(c Contract, op *seq.Operation, countID seq.OpID, countOp *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "count-within-len", 1, engine.Suspect
	if says(op, "number of") && says(countOp, "number of") {
		c.Tier = engine.Error
	}
	c.Doc = "there are no more elements than there is room for. " + cite(op, countOp)
	c.Assert = expr(countOp, "$0") + " <= " + expr(op, "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0])
		if !ok {
			return true, ""
		}
		m, ok := callInt(caller, countID, v[0])
		return !ok || m <= n, "it counts " + strconv.FormatInt(m, 10) + " of " + strconv.FormatInt(n, 10)
	}
	return c
}

// listings lists, for collections with a size, that what lists the elements lists
// as many, and that what is listed is found.
func listings(a *api) []Contract {
	var all []Contract
	a.eachMethod("Keys Values ToSlice Members Elements", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 1 || len(op.Results) != 1 || op.Pre.Panics || !isSlice(a.t, op.Results[0]) {
			return
		}
		c := Contract{Arity: 1, Type: op.Params[0], Op: id, Cost: Linear, Fit: true}
		size, sizeOp := a.find(c.Type, lenNames, 1, seq.Int)
		if sizeOp != nil && !a.lossy(c.Type) && !a.typeNamed(c.Type, multiWords) && !a.has(c.Type, "Count") {
			all = append(all, listsAll(c, op, size, sizeOp))
		}
		for key := range a.t.Types {
			if a.t.Types[op.Results[0]].Name == "[]"+a.t.Types[key].Name {
				if l := a.collection(c.Type, seq.TypeID(key)); l.asksFor() != nil && l.keysOp == op && !l.lossy && !l.list {
					all = append(all, listedFound(c, l))
				}
			}
		}
	})
	return all
}

func listsAll(c Contract, op *seq.Operation, size seq.OpID, sizeOp *seq.Operation) Contract {
	c.Name, c.Tier = "lists-all", sure(op, sizeOp)
	c.Doc = "it lists as many elements as there are. " + cite(op, sizeOp)
	c.Assert = "len(" + expr(op, "$0") + ") == " + expr(sizeOp, "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		list, ok := one(caller, c.Op, v[0])
		if !ok {
			return true, ""
		}
		listed := Describe(list).Len
		n, ok := callInt(caller, size, v[0])
		return !ok || n == int64(listed), "it lists " + strconv.Itoa(listed) + " elements of " + strconv.FormatInt(n, 10)
	}
	return c
}

func listedFound(c Contract, l collection) Contract {
	c.Name, c.Tier = "listed-found", sure(l.keysOp, l.asksFor())
	c.Doc = "what is listed is there. " + cite(l.keysOp, l.asksFor())
	c.Assert = block("for _, k := range "+expr(l.keysOp, "$0")+" {", "if !"+l.foundText("$0", "k")+" {", "return false", "}", "}", "return true")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		call := &Call{Caller: caller}
		list, ok := l.listed(call, v[0])
		if !ok {
			return true, ""
		}
		for _, k := range list {
			if found, ok := l.found(call, v[0], k); ok && !found && !odd(k) {
				return false, "an element that it lists is not found"
			}
		}
		return true, ""
	}
	return c
}

// notNegative is an error for Len, which has one meaning in Go. A Size may be
// that of a file, of which nobody knows. What its caller has made to end before it begins
// has no elements to count.
func notNegative(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "size-not-negative", 1, engine.Error
	if base(op.Member) != "Len" {
		c.Tier = engine.Suspect
	}
	c.Doc = "a number of elements is not negative, as for the predeclared len"
	c.Assert = expr(op, "$0") + " >= 0"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0])
		return !ok || n >= 0 || isReversed(reflect.ValueOf(v[0])), "the size is " + strconv.FormatInt(n, 10)
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
