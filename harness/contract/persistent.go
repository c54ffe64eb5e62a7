package contract

import (
	"slices"
	"strconv"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// persistentLaws adds the laws of methods that return another value of their receiver's type.
// If such a call leaves its receiver as it was, it leaves all earlier values of the type so.
//
//	v0 := list.New(1, 2)
//	v1 := v0.Append(3)
//	v2 := v0.Append(4)	// v1.Get(2) is still 3
func persistentLaws(a *api, add func(...Law)) {
	for _, recv := range a.receivers {
		watch := append(a.observers(recv), a.lookUps(recv)...)
		if len(watch) == 0 {
			continue
		}
		for _, o := range a.methods[recv] {
			if !callable(o.Operation) || len(o.Params) < 2 || len(o.Results) == 0 || o.Results[0] != recv || o.says(inPlacePhrases...) {
				continue
			}
			// What a method of a slice returns may share its elements, as Go's append does.
			if promised := o.says(newPhrases...); promised || a.t.Types[recv].Kind != seq.SliceType {
				add(leavesOthers(o, watch, promised))
			}
		}
	}
}

// lookUps returns a method of type id that takes a key or position and says something that
// can be printed.
func (a *api) lookUps(id seq.TypeID) []operation {
	for _, o := range a.methods[id] {
		if callable(o.Operation) && !o.Variadic && !o.Spread && len(o.Params) == 2 && len(o.Results) > 0 && a.t.Types[o.Params[1]].Literal != seq.NoLiteral && a.t.Types[o.Results[0]].Literal != seq.NoLiteral && observes(o.Base) {
			return []operation{o}
		}
	}
	return nil
}

// maxOthers is how many earlier values are looked at.
const maxOthers = 2

// leavesOthers returns the law of o, of which the documentation may promise it.
func leavesOthers(o operation, watch []operation, promised bool) Law {
	law := o.law("leaves-others", engine.ClaimName, "a call that leaves its receiver as it was, and returns another value, changes none that there was. "+cite(o))
	law.Quiet = true
	if promised {
		law.Claim = engine.ClaimPromise
	}
	law.See = func(c *Call) (any, bool) {
		var others []view
		for _, n := range c.others() {
			others = append(others, c.views(watch, n)...)
		}
		if len(others) == 0 || c.step().Args[0].Lit != nil {
			return nil, false
		}
		return [2][]view{c.views(watch, c.step().Args[0].Slot), others}, true
	}
	law.Check = func(c *Call, seen any) *Breach {
		views := seen.([2][]view)
		if len(views[0]) == 0 || slices.ContainsFunc(views[0], func(v view) bool { return v.changed(c) }) {
			return nil
		}
		return c.stillShown("it changes another value: ", views[1])
	}
	return law
}

// stillShown checks that views are as they were; detail begins the detail of a breach.
func (c *Call) stillShown(detail string, views []view) *Breach {
	i := slices.IndexFunc(views, func(v view) bool { return v.changed(c) })
	if i < 0 {
		c.answered = true
		return nil
	}
	v := views[i]
	text, _ := v.now(c)
	saying := term[func(...any) any]{func(...any) any { return text }, v.show.text}
	return check3(c, property.StillShown, saying, c.at(v.at), before[string](v.look)).says(detail + v.name + " said " + v.look.value.(string) + ", now " + text)
}

// others returns the slots of the last values of the receiver's type that earlier steps made,
// but for those that the call takes.
func (c *Call) others() []int32 {
	var list []int32
	for n := int32(len(c.vals)) - 1; n >= 0 && len(list) < maxOthers; n-- {
		if !c.step().Takes(n) && c.slotType(n) == c.op().Params[0] && !blame.IsNil(c.vals[n]) {
			list = append(list, n)
		}
	}
	return list
}

// A view is what an operation said, before the call, of the value at a slot.
type view struct {
	name string // of the operation
	at   int32
	show term[func(...any) any]
	look *look
}

// views returns what operations say of the value at slot n.
func (c *Call) views(watch []operation, n int32) []view {
	var list []view
	for _, w := range watch {
		for _, show := range c.lookers(w) {
			if seen, ok := look2(property.Shown, show, c.at(n)); ok {
				list = append(list, view{w.Base, n, show, seen.(*look)})
			}
		}
	}
	return list
}

// now returns what the operation says.
func (v view) now(c *Call) (text string, ok bool) { return shownBy(v.show, c.vals[v.at]) }

// changed reports whether the operation says something else than before, again and again.
func (v view) changed(c *Call) bool {
	text, ok := v.now(c)
	return ok && text != v.look.value.(string) && repeats(text, func() (string, bool) { return v.now(c) })
}

// lookers returns an operation as functions of its receiver: for one that takes a key, with each
// literal of the key's type in the steps, and with the first positions.
func (c *Call) lookers(w operation) []term[func(...any) any] {
	if len(w.Params) == 1 {
		return []term[func(...any) any]{c.shows(w)}
	}
	var list []term[func(...any) any]
	call := w.all(c)
	add := func(key any, text string) {
		list = append(list, given(func(args ...any) any {
			text, ok := sprint(call(args[0], key)...)
			if !ok {
				panic(silence)
			}
			return text
		}, func(args []string) string { return expr(w.Operation, args[0], text) }))
	}
	if ty := &c.Table.Types[w.Params[1]]; ty.Is("", "int") {
		for i := range positions {
			add(i, strconv.Itoa(i))
		}
		return list
	}
	for i := range c.Steps {
		for _, a := range c.Steps[i].Args {
			if a.Lit != nil && a.Lit.Type == w.Params[1] && len(list) < positions {
				add(c.value(a), c.text(a))
			}
		}
	}
	return list
}

// positions is how many keys are looked up at most.
const positions = 4
