package contract

import (
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const docHeap = `package container/heap, Interface: "Push(x any) // add x as element Len()", "Pop() any // remove and return element Len() - 1"`

// heapLaws lists what package heap wants of the types that it works on: Less and Swap
// are those of package sort, and Pop takes what Push added.
func heapLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Push", func(id seq.OpID, op *seq.Operation) {
		recv := op.Params[0]
		pop, popOp := a.method(recv, "Pop", func(p *seq.Operation) bool {
			return len(p.Params) == 1 && len(p.Results) == 1 && emptyInterface(a.t, p.Results[0])
		})
		size, sizeOp := a.find(recv, "Len", 1, seq.Int)
		if len(op.Params) == 2 && len(op.Results) == 0 && emptyInterface(a.t, op.Params[1]) && popOp != nil && sizeOp != nil &&
			a.has(recv, "Swap") && a.sorts(recv) {
			all = append(all, pushesLast(Law{On: id, Op: id, Tier: engine.Error, Changes: true}, popOp, sizeOp, pop, size))
		}
	})
	return all
}

// sorts reports whether type id has a Less of two indexes.
func (a *api) sorts(id seq.TypeID) bool {
	_, op := a.method(id, "Less", func(op *seq.Operation) bool {
		return len(op.Params) == 3 && a.t.Types[op.Params[1]].Name == "int" && a.t.Types[op.Params[2]].Name == "int"
	})
	return op != nil
}

func pushesLast(law Law, popOp, sizeOp *seq.Operation, pop, size seq.OpID) Law {
	law.Name, law.Doc = "heap-push-pop", docHeap
	law.See = func(c *Call) (any, bool) {
		n, ok := callInt(c, size, c.Args[0])
		return n, ok && !odd(c.Args[1])
	}
	law.Check = func(c *Call, seen any) *Breach {
		popped, ok := one(c, pop, c.Args[0])
		if !ok {
			return nil
		}
		if n, ok := callInt(c, size, c.Args[0]); ok && n != seen.(int64) {
			count := expr(sizeOp, c.arg(0))
			return &Breach{Detail: "Pop does not remove as many elements as it adds", Before: count, Assert: block(expr(popOp, c.arg(0)), "return "+count+" == before")}
		}
		if reflect.DeepEqual(popped, c.Args[1]) {
			return nil
		}
		return &Breach{
			Detail: "Pop does not return what was pushed last",
			Assert: c.std("reflect") + "DeepEqual(" + expr(popOp, c.arg(0)) + ", any(" + c.arg(1) + "))",
		}
	}
	return law
}
