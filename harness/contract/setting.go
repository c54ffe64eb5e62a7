package contract

import (
	"slices"
	"strings"
	"unicode"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

// settingLaws adds the laws of methods that set their receiver to a result and return it, as
// those of package math/big do. The result does not depend on the receiver's old value.
//
//	// Mul sets z to the product x*y and returns z.
//	func (z *Int) Mul(x, y *Int) *Int
func settingLaws(a *api, add func(...Law)) {
	for _, recv := range a.receivers {
		zero := a.zero(recv)
		for _, o := range a.methods[recv] {
			if zero.exists() && callable(o.Operation) && len(o.Results) == 1 && o.Results[0] == recv && setsReceiver(o) && a.takesOwn(o) {
				add(setsAnew(o, zero))
			}
		}
	}
}

// setsReceiver reports whether the documentation of o says that it sets its receiver to something,
// without its receiver among that, and returns it: "sets z to x+y and returns z".
func setsReceiver(o operation) bool {
	if len(o.Names) == 0 || o.Names[0] == "" {
		return false
	}
	is := func(w string) bool { return w == o.Names[0] }
	_, rest, sets := strings.Cut(o.Doc, " sets "+o.Names[0]+" ")
	what, rest, returns := strings.Cut(rest, " returns ")
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	returned := strings.FieldsFunc(rest, notLetter)
	return sets && returns && len(returned) > 0 && is(returned[0]) && !slices.ContainsFunc(strings.FieldsFunc(what, notLetter), is)
}

// takesOwn reports whether a parameter of o has the type of its receiver, or is a list of such.
func (a *api) takesOwn(o operation) bool {
	return slices.ContainsFunc(o.Params[1:], func(id seq.TypeID) bool {
		return id == o.Params[0] || a.t.Types[id].Of(seq.SliceType, &a.t.Types[o.Params[0]])
	})
}

func setsAnew(o, zero operation) Law {
	law := o.law("set-anew", engine.ClaimPromise, "the result does not depend on the old value of the receiver. "+cite(o)).changing()
	anew := func(c *Call) (text string, ok bool) {
		x, ok := said(zero.any(c))
		if !ok {
			return "", false
		}
		results := c.ask(o.id, append([]any{x}, c.Args[1:]...)...)
		if results == nil {
			return "", false
		}
		return sprint(results...)
	}
	law.See = func(c *Call) (any, bool) {
		if recv := c.step().Args[0]; recv.Lit != nil || c.given(recv.Slot) > 1 {
			return nil, false // the receiver is an operand
		}
		for i, a := range c.step().Args[1:] {
			if a.Lit == nil && (c.alsoGiven(i+1) || c.points(a.Slot, c.step().Args[0].Slot)) {
				return nil, false
			}
		}
		text, ok := anew(c)
		return text, ok && repeats(text, func() (string, bool) { return anew(c) })
	}
	law.Check = func(c *Call, seen any) *Breach {
		returned, ok := c.shown()
		if !ok || !identical(c.Results[0], c.Args[0]) || noEquality(c.Results...) {
			return nil
		}
		texts := append([]string{"(" + expr(zero.Operation) + ")"}, c.texts(1)...)
		was := &look{seen, property.Returned, []written{literal("", expr(o.Operation, texts...)).text}}
		return check2(c, property.SameShown, returned, before[string](was)).
			says("it returns " + returned.value.(string) + ", called on a new value " + seen.(string))
	}
	return law
}
