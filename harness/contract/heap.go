package contract

import (
	"foray.test/engine"
	"foray.test/harness/contract/property"
)

const docHeap = `package container/heap, Interface: "Push(x any) // add x as element Len()", "Pop() any // remove and return element Len() - 1"`

// heapLaws adds the demands of package heap on its types. Less and Swap are those
// of package sort, and Pop removes the element that Push added.
func heapLaws(a *api, add func(...Law)) {
	a.everyMethod("Push", "any ->", func(push operation) {
		recv := push.Params[0]
		pop, length := a.methodOf(recv, "Pop", "-> any"), a.methodOf(recv, "Len", "-> Int")
		if pop.exists() && length.exists() && a.has(recv, "Swap") && a.methodOf(recv, "Less", "int, int -> ...").exists() {
			add(pushesLast(push, pop, length))
		}
	})
}

func pushesLast(push, pop, length operation) Law {
	law := push.law("heap-push-pop", engine.ClaimPromise, docHeap).changing()
	law.See = func(c *Call) (any, bool) {
		seen, ok := look2(property.LengthOf, c.int(length), c.in(0))
		return seen, ok && !noEquality(c.Args[1])
	}
	law.Check = func(c *Call, seen any) *Breach {
		popped, ok := said(pop.any(c), c.Args[0])
		if !ok {
			return nil
		}
		pops := calls(func(...any) any { return popped }, pop)
		if b := check4(c, property.PopsAsMany, pops, c.int(length), c.in(0), before[int](seen)); b != nil {
			return b.says("Pop does not remove as many elements as it adds")
		}
		return check3(c, property.PopsLast, pops, c.in(0), c.in(1)).says("Pop does not return what was pushed last")
	}
	return law
}
