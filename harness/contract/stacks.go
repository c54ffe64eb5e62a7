package contract

import (
	"reflect"
	"strings"

	"foray.test/engine/seq"
)

// takers lists, for calls that take an element out, the calls that show which
// one it will be.
var takers = []struct{ take, look string }{
	{"Pop", "Peek Top"},
	{"Dequeue", "Peek Front"},
	{"Poll", "Peek"},
	{"PopFront", "Front PeekFront"},
	{"PopBack", "Back PeekBack"},
	{"PopFirst", "First PeekFirst"},
	{"PopLast", "Last PeekLast"},
	{"PopMin", "Min PeekMin"},
	{"PopMax", "Max PeekMax"},
	{"DeleteMin", "Min"},
	{"DeleteMax", "Max"},
	{"ExtractMin", "Min FindMin"},
	{"ExtractMax", "Max FindMax"},
}

// stackLaws lists what stacks, queues and heaps do.
func stackLaws(a *api) []Law {
	var all []Law
	for _, pair := range takers {
		a.eachMethod(pair.take, func(id seq.OpID, op *seq.Operation) {
			look, lookOp := a.method(op.Params[0], pair.look, func(look *seq.Operation) bool {
				return len(look.Params) == 1 && reflect.DeepEqual(look.Results, op.Results)
			})
			if len(op.Params) == 1 && len(op.Results) > 0 && lookOp != nil && !says(op, "random", "arbitrary") {
				all = append(all, peekPop(Law{On: id, Op: id}, op, look, lookOp))
			}
		})
	}
	a.eachMethod("Push Enqueue PushBack PushFront", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 2 || op.Variadic || op.Spread || op.Pre.Panics || a.lossy(op.Params[0]) {
			return
		}
		if size, sizeOp := a.find(op.Params[0], lenNames, 1, seq.Int); sizeOp != nil && !a.has(op.Params[0], hasNames+" Cap") {
			all = append(all, pushLen(Law{On: id, Op: id}, op, size, sizeOp))
		}
		pop, popOp := a.method(op.Params[0], "Pop", func(pop *seq.Operation) bool {
			return len(pop.Params) == 1 && len(pop.Results) > 0 && pop.Results[0] == op.Params[1]
		})
		if base(op.Member) == "Push" && popOp != nil && strings.Contains(strings.ToLower(a.t.Types[op.Params[0]].Base), "stack") {
			all = append(all, pushPop(Law{On: id, Op: id}, op, pop, popOp))
		}
	})
	return all
}

func peekPop(law Law, op *seq.Operation, look seq.OpID, lookOp *seq.Operation) Law {
	law.Name, law.Tier = "peek-pop", sure(op, lookOp)
	law.Doc = "what is shown is what is taken next. " + cite(lookOp, op)
	law.See = func(c *Call) (any, bool) {
		text, ok := c.print(look, c.Args[0])
		return text, ok
	}
	law.Check = func(c *Call, seen any) *Breach {
		text, ok := sprint(c.Results...)
		if !ok || text == seen {
			return nil
		}
		var results []string
		for i := range c.Results {
			results = append(results, c.result(i))
		}
		return &Breach{
			Detail: "it takes " + text + " after " + base(lookOp.Member) + " showed " + seen.(string),
			Before: c.show(expr(lookOp, c.arg(0))), Assert: c.show(results...) + " == before",
		}
	}
	return law
}

func pushLen(law Law, op *seq.Operation, size seq.OpID, sizeOp *seq.Operation) Law {
	law.Name, law.Tier = "push-len", sure(op, sizeOp)
	law.Doc = "what was pushed makes one element more. " + cite(op, sizeOp)
	law.See = func(c *Call) (any, bool) {
		n, ok := callInt(c, size, c.Args[0])
		return n, ok
	}
	law.Check = func(c *Call, seen any) *Breach {
		n, ok := callInt(c, size, c.Args[0])
		if !ok || c.failed() || c.persistent() || n == seen.(int64)+1 {
			return nil
		}
		return &Breach{Detail: "there is not one element more after a push", Before: expr(sizeOp, c.arg(0)), Assert: expr(sizeOp, c.arg(0)) + " == before + 1"}
	}
	return law
}

func pushPop(law Law, op *seq.Operation, pop seq.OpID, popOp *seq.Operation) Law {
	law.Name, law.Tier, law.Changes = "push-pop", sure(op, popOp), true
	law.Doc = "a stack returns last what it was given last. " + cite(op, popOp)
	law.Check = func(c *Call, _ any) *Breach {
		results := c.ask(pop, c.Args[0])
		if results == nil || c.failed() || c.persistent() || odd(c.Args[1]) || reflect.DeepEqual(results[0], c.Args[1]) {
			return nil
		}
		blanks := strings.Repeat(", _", len(results)-1)
		return &Breach{
			Detail: "what was pushed is not what is popped",
			Assert: block("x"+blanks+" := "+expr(popOp, c.arg(0)), "return "+c.std("reflect")+"DeepEqual(x, "+c.arg(1)+")"),
		}
	}
	return law
}
