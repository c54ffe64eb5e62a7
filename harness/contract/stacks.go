package contract

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

// takers lists, for calls that take an element out, the calls that show which
// one it will be.
var takers = []struct{ take, look string }{
	{"Pop", "Peek"},
	{"PopFront", "Front"},
	{"PopBack", "Back"},
	{"DeleteMin", "Min"},
	{"DeleteMax", "Max"},
}

// stackLaws adds the laws of stacks, queues and heaps.
func stackLaws(a *api, add func(...Law)) {
	for _, pair := range takers {
		a.everyMethod(pair.take, "-> _, ...", func(take operation) {
			look := a.method(take.Params[0], pair.look, func(look *seq.Operation) bool {
				return len(look.Params) == 1 && slices.Equal(look.Results, take.Results)
			})
			if look.exists() {
				add(peekPop(take, look))
			}
		})
	}
	a.everyMethod("Push Enqueue PushBack PushFront", "_ -> ...", func(push operation) {
		recv := push.Params[0]
		if push.Spread || push.Pre.Panics || a.lossy(recv) {
			return
		}
		if length := a.methodOf(recv, lenNames, "-> Int"); length.exists() && !a.has(recv, hasNames+" Cap") {
			add(pushLen(push, length).exceptNil())
		}
		pop := a.method(recv, "Pop", func(pop *seq.Operation) bool {
			return len(pop.Params) == 1 && len(pop.Results) > 0 && pop.Results[0] == push.Params[1]
		})
		if push.Base == "Push" && pop.exists() && strings.Contains(strings.ToLower(a.t.Types[recv].Base), "stack") {
			add(pushPop(push, pop).exceptNil())
		}
	})
}

func peekPop(take, look operation) Law {
	law := take.law("peek-pop", engine.ClaimName, "what is shown is what is taken next. "+cite(look, take))
	law.See = func(c *Call) (any, bool) { return look2(property.Shown, c.shows(look), c.in(0)) }
	law.Check = func(c *Call, seen any) *Breach {
		taken, ok := c.shown()
		if !ok {
			return nil
		}
		showed := before[string](seen)
		return check2(c, property.SameShown, taken, showed).says("it takes " + taken.value.(string) + " after " + look.Base + " showed " + showed.value)
	}
	return law
}

func pushLen(push, length operation) Law {
	law := push.law("push-len", engine.ClaimName, "what was pushed makes one element more. "+cite(push, length))
	law.See = func(c *Call) (any, bool) { return look2(property.LengthOf, c.int(length), c.in(0)) }
	law.Check = func(c *Call, seen any) *Breach {
		if c.failed() || c.persistent() {
			return nil
		}
		return check3(c, property.PushLen, c.int(length), c.in(0), before[int](seen)).says("there is not one element more after a push")
	}
	return law
}

func pushPop(push, pop operation) Law {
	return push.law("push-pop", engine.ClaimName, "a stack returns last what it was given last. "+cite(push, pop)).changing().checked(func(c *Call) *Breach {
		if c.failed() || c.persistent() || noEquality(c.Args[1]) {
			return nil
		}
		return check3(c, property.PushPop, c.any(pop), c.in(0), c.in(1)).says("what was pushed is not what is popped")
	})
}
