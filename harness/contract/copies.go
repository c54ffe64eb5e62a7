package contract

import (
	"slices"

	"foray.test/engine"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// copies adds for types with Equal: a copy is equal to its original, if that is equal to itself.
// That it is independent is for the digests of the executor to see.
func copies(a *api, add func(...Contract)) {
	a.everyMethod(cloneNames, "-> T", func(clone operation) {
		equal := a.equal(clone.Params[0])
		if clone.Pre.Panics || !equal.exists() {
			return
		}
		d := a.draft(clone, engine.ClaimPromise, "a copy is equal to what it was copied from, as of slices.Clone and maps.Clone")
		add(d.named("copy-equal", "the copy is not equal to its original", noEquality).contract(property.CopyEqual, func(c Caller, v []any) bool {
			is, copied := equal.bool(c), clone.any(c)(v[0])
			return !is(v[0], v[0]) || !blame.IsNil(copied) && property.CopyEqual(is, func(...any) any { return copied }, v[0])
		}, 1, equal.argument(), clone.argument(), slots[0]))
	})
}

// copiedLaws adds the laws that a copy shows what its original does.
func copiedLaws(a *api, add func(...Law)) {
	a.everyMethod(cloneNames, "-> T", func(clone operation) {
		recv := clone.Params[0]
		watch := slices.DeleteFunc(append(a.observers(recv), a.lookUps(recv)...), func(o operation) bool { return o.Base == "Cap" })
		if len(watch) == 0 {
			return
		}
		add(clone.law("copy-shows", documentedClaim(clone), "a copy shows what its original does. "+cite(clone)).checked(func(c *Call) *Breach {
			if blame.IsNil(c.Results[0]) {
				return nil
			}
			for _, w := range watch {
				for _, show := range c.lookers(w) {
					if b := c.copyShows(show); b != nil {
						return b.says("of the copy " + w.Base + b.Detail)
					}
				}
			}
			return nil
		}))
	})
}

// copyShows checks that an operation says the same of the call's result and its receiver.
func (c *Call) copyShows(show term[func(...any) any]) *Breach {
	b := check3(c, property.ShownAlike, show, c.out(0), c.in(0))
	if b == nil {
		return nil
	}
	was, _ := shownBy(show, c.Args[0])
	is, _ := shownBy(show, c.Results[0])
	if was == is || !repeats(was, func() (string, bool) { return shownBy(show, c.Args[0]) }) || !repeats(is, func() (string, bool) { return shownBy(show, c.Results[0]) }) {
		return nil
	}
	return b.says(" says " + is + ", of its original " + was)
}
