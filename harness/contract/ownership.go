package contract

import (
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

const cloneNames = "Clone Copy DeepCopy"

// copyLaws adds the laws that a copy and its original are independent: a call on
// one leaves the observers of the other unchanged.
func copyLaws(a *api, add func(...Law)) {
	for _, recv := range a.receivers {
		clone := a.methodOf(recv, cloneNames, "-> T")
		if !clone.exists() || clone.says("shared", "shallow") {
			continue
		}
		watch := append(a.observers(recv), a.lookUps(recv)...)
		for _, o := range a.methods[recv] {
			if len(watch) > 0 && o.id != clone.id && callable(o.Operation) && !observes(o.Base) {
				add(copyApart(o, clone, watch))
			}
		}
	}
}

// observers returns methods of type id that take nothing and say something that
// can be printed.
func (a *api) observers(id seq.TypeID) []operation {
	var list []operation
	for _, name := range strings.Fields("Keys Values ToSlice String Len Size Count Bytes Items Cap") {
		found := a.method(id, name, func(op *seq.Operation) bool {
			if len(op.Params) != 1 || len(op.Results) != 1 {
				return false
			}
			return a.t.Types[op.Results[0]].Literal != seq.NoLiteral || a.t.Types[op.Results[0]].Literally(seq.SliceType)
		})
		if found.exists() && len(list) < 3 {
			list = append(list, found)
		}
	}
	return list
}

func copyApart(o, clone operation, watch []operation) Law {
	law := o.law("copy-independent", documentedClaim(clone), "a copy is independent of its original. "+cite(clone)).blaming(clone)
	law.See = func(c *Call) (any, bool) {
		other, ok := c.counterpart(clone.id)
		if !ok {
			return nil, false
		}
		views := c.views(watch, other)
		return views, len(views) > 0
	}
	law.Check = func(c *Call, seen any) *Breach {
		return c.stillShown("a call on the one changes the other: ", seen.([]view))
	}
	return law
}

// counterpart returns the slot of the copy that clone made of the call's receiver,
// or of the original that the receiver is a copy of. It returns false if there is
// none, or if other steps connect both.
func (c *Call) counterpart(clone seq.OpID) (slot int32, ok bool) {
	recv := c.step().Args[0]
	if recv.Lit != nil {
		return 0, false
	}
	next := int32(0)
	other, at := int32(-1), -1
	for i := range c.Steps[:len(c.Steps)-1] {
		if st := &c.Steps[i]; st.Op == clone && st.Args[0].Lit == nil {
			switch {
			case next == recv.Slot:
				other, at = st.Args[0].Slot, i
			case st.Args[0].Slot == recv.Slot:
				other, at = next, i
			}
		}
		next += int32(len(c.Table.Ops[c.Steps[i].Op].Results))
	}
	if other < 0 || blame.IsNil(c.vals[other]) {
		return 0, false
	}
	// The call may well change an argument, or a part of it.
	for j, a := range c.step().Args {
		if j == 0 || a.Lit != nil || c.Table.Types[c.op().Param(j)].Literal != seq.NoLiteral {
			continue
		}
		if c.points(a.Slot, other) {
			return 0, false
		}
		if c.joined(a.Slot, other, at) {
			return 0, false
		}
	}
	// A value that both objects were given belongs to neither.
	return other, !c.joined(recv.Slot, other, at)
}

// joined reports whether slots n and m may share parts, through however many steps
// before the call, but for step except.
func (c *Call) joined(n, m int32, except int) bool {
	return blame.Connected(c.Table, c.Steps[:len(c.Steps)-1], n, m, except)
}

// partOfAnother reports whether argument j of the call may be a part of another, such as the
// receiver, or the other a part of it. Earlier steps took or made both together, directly or
// through others. The argument may be the inner writer of a receiver that wraps it.
func (c *Call) partOfAnother(j int) bool {
	a := c.step().Args[j]
	for i, other := range c.step().Args {
		if i != j && a.Lit == nil && other.Lit == nil && c.joined(a.Slot, other.Slot, -1) {
			return true
		}
	}
	return false
}

// lent reports whether argument j of the call may be in use elsewhere. An earlier function took it,
// or a method returned it and another call took the object since.
func (c *Call) lent(j int) bool {
	a := c.step().Args[j]
	if a.Lit != nil {
		return false
	}
	made, _ := c.maker(a.Slot)
	object := &c.Steps[made].Args[0]
	method := c.Table.Ops[c.Steps[made].Op].Kind == seq.Method && object.Lit == nil
	return slices.ContainsFunc(c.Steps[made+1:len(c.Steps)-1], func(st seq.Step) bool {
		op := &c.Table.Ops[st.Op]
		return op.API && (op.Kind == seq.Func && st.Takes(a.Slot) || method && st.Takes(object.Slot))
	})
}

var (
	// It is for the slice that it is given.
	inPlaceWords = naming.Set("add and append apply assign clear compact compress copy decode decrypt delete encode encrypt fill fix in init insert inverse into merge mul " +
		"normalize not parse partition pop push put read recv remove replace scale scan select set sub transform unmarshal update walk write xor zero reset")
	// A parameter with such a name is a destination.
	targetWords = naming.Set("b buf buffer dest dst out output p result target to work")
	// The documentation mentions it.
	inPlacePhrases = []string{"in place", "modif", "overwrit", "reorder", "mutat", "reuse", "stored in", "stores", "buffer", "retain", "sort", "revers", "not use", "change"}
	// The documentation mentions another slice.
	newPhrases = []string{"returns a new", "creates a new", "creates an array", "returns a copy"}
	// The documentation says that it is kept, and not that its caller must not change it.
	keptPhrases = []string{"without modifying", "does not modify", "not modified"}
)

// argumentLaws adds the laws that calls leave their slice arguments unchanged,
// unless a name or the documentation says otherwise.
func argumentLaws(a *api, add func(...Law)) {
	for _, o := range a.ops {
		if !callable(o.Operation) || o.Variadic || len(o.Results) == 0 || !slices.ContainsFunc(o.Params, a.maybeList) {
			continue
		}
		// The documentation may say of another object that it is not modified, as that of a method
		// Read does. If the new value is no slice, it may wrap the given one.
		returnsSlice, named := slices.ContainsFunc(o.Results, a.maybeList), naming.HasWord(inPlaceWords, o.Base)
		kept := o.says(keptPhrases...) && (returnsSlice || !named)
		promised := kept || returnsSlice && o.says(newPhrases...)
		if !promised && (named || o.says(inPlacePhrases...)) {
			continue
		}
		for j, id := range o.Params {
			target := j < len(o.Names) && naming.HasWord(targetWords, o.Names[j]) && !promised
			if a.maybeList(id) && !target && (j > 0 || o.Kind != seq.Method) && !a.handsOut(o.Operation, id) {
				add(a.argumentKept(o, j, promised))
			}
		}
	}
}

// handsOut reports whether op takes a function that is given the list of type id that op is given,
// or pointers to its elements. What such a function changes, the caller of op changes.
func (a *api) handsOut(op *seq.Operation, id seq.TypeID) bool {
	list := &a.t.Types[id]
	return list.Kind == seq.SliceType && slices.ContainsFunc(op.Params, func(p seq.TypeID) bool {
		takes := a.t.Types[p].Params
		return slices.Contains(takes, "*"+list.Elem) || slices.Contains(takes, list.Name)
	})
}

// maybeList reports whether values of type id may be slices.
func (a *api) maybeList(id seq.TypeID) bool {
	return a.t.Types[id].Kind == seq.SliceType || a.t.Types[id].IsAny()
}

// mayReturn reports whether a result of op may be argument j, or an object that holds it.
func (a *api) mayReturn(op *seq.Operation, j int) bool {
	return slices.ContainsFunc(op.Results, func(id seq.TypeID) bool {
		ty := &a.t.Types[id]
		return id == op.Params[j] || a.t.Types[op.Params[j]].IsAny() || a.t.Types[id].IsAny() || ty.Literal == seq.NoLiteral && ty.Path != "" && !ty.Is("", "error")
	})
}

// fills reports whether op may set elements of argument j from an object, and return how many. The
// Read of package io does so: "It returns the number of bytes read". An int may be an element of
// a list of such.
func (a *api) fills(op *seq.Operation, j int) bool {
	if len(op.Results) != 2 || !op.ReturnsError || !a.t.Types[op.Results[0]].Is("", "int") || a.t.Types[op.Params[j]].Elem == "int" {
		return false
	}
	for i, id := range op.Params {
		if i != j && a.t.Types[id].Literal == seq.NoLiteral {
			return true
		}
	}
	return false
}

// sideEffect reports whether argument j only tells op how to treat its first
// argument, so that nobody expects it to change. The function returns a value of the
// first one's type and none of argument j's type. One instance of a generic function
// is enough: in another the two types may be the same.
func (a *api) sideEffect(op *seq.Operation, j int) bool {
	if op.Kind != seq.Func || op.Doc == "" || j == 0 {
		return false
	}
	return slices.ContainsFunc(a.members[op.Member], func(o operation) bool {
		return o.Kind == op.Kind && len(o.Params) == len(op.Params) && a.t.Types[o.Params[0]].Literally(seq.SliceType) &&
			slices.Contains(o.Results, o.Params[0]) && !slices.Contains(o.Results, o.Params[j])
	})
}

func (a *api) argumentKept(o operation, j int, promised bool) Law {
	law := o.law("argument-kept", engine.ClaimPromise, "the slice given is left as it was. "+o.quote(slices.Concat(keptPhrases, newPhrases)...))
	spread := o.Spread && j == len(o.Params)-1 // few callers have a slice to give
	switch {
	case promised:
	case !spread && o.Doc != "" && (a.sideEffect(o.Operation, j) || !a.mayReturn(o.Operation, j) && !a.fills(o.Operation, j)):
		law.Doc = "what it returns is not the slice, and nothing says that the slice changes. " + cite(o)
	default:
		law.Claim, law.Doc = engine.ClaimName, "neither name nor documentation says that the slice is changed"
		law.Guess = true // what works in place may leave most slices as they were
	}
	law.See = func(c *Call) (any, bool) {
		a := c.step().Args[j]
		if a.Lit != nil || c.given(a.Slot) > 1 || c.Table.Types[c.slotType(a.Slot)].Kind != seq.SliceType {
			return nil, false
		}
		list, ok := elements(c.Args[j])
		return &look{list, property.ElementsOf, []written{c.in(j).text}}, ok && len(list) > 0 && !noEquality(list...)
	}
	law.Check = func(c *Call, seen any) *Breach {
		list, _ := elements(c.Args[j])
		b := check2(c, property.ElementsKept, term[[]any]{list, c.in(j).text}, before[[]any](seen))
		if b == nil || c.partOfAnother(j) || !promised && c.overwrites(j, seen.(*look).value.([]any), list) {
			return nil
		}
		return b.says("it changes the slice that it is given")
	}
	return law
}

// overwrites reports whether the call, which changed the elements of argument j from before to after,
// sets the same elements in any slice: it is a place for results. It runs all steps again,
// with a slice of other elements. To set all of them to zero is no result, unless the call returns
// how many it has set.
func (c *Call) overwrites(j int, before, after []any) bool {
	again := &Call{Caller: c.Caller, Table: c.Table}
	for i := range again.rerun(c.Steps) {
		if i == len(c.Steps)-1 {
			other, ok := unlike(again.Args[j], before, after)
			if other == nil || !ok && !c.counted(before, after) {
				return false
			}
			again.Args[j] = other
		}
		if !again.run(i) {
			return false
		}
	}
	now, _ := elements(again.Args[j])
	return reflect.DeepEqual(now, after)
}

// counted reports whether the call returns a number of elements, and none behind as many differ in
// before and after.
func (c *Call) counted(before, after []any) bool {
	return slices.ContainsFunc(c.Results, func(result any) bool {
		n, is := blame.Describe(result).Int()
		return is && 0 < n && n <= int64(min(len(before), len(after))) && reflect.DeepEqual(before[n:], after[n:])
	})
}

// unlike returns a copy of a slice with other elements where before and after differ. ok is false if all
// of these elements are zero in after, and if it has no copy.
func unlike(slice any, before, after []any) (other any, ok bool) {
	from := reflect.ValueOf(slice)
	if from.Kind() != reflect.Slice || from.Len() != len(after) || len(before) != len(after) {
		return nil, false
	}
	to := reflect.MakeSlice(from.Type(), from.Len(), from.Len())
	for i := range after {
		to.Index(i).Set(from.Index(i))
		if reflect.DeepEqual(before[i], after[i]) {
			continue
		}
		ok = ok || after[i] != nil && !reflect.ValueOf(after[i]).IsZero()
		if !setUnlike(to.Index(i), before[i], after[i]) {
			return nil, false
		}
	}
	return to.Interface(), ok
}

// setUnlike sets an element that is a number or a text to neither x nor y. It reports false for other
// elements.
func setUnlike(element reflect.Value, x, y any) bool {
	for n := range 3 {
		switch v := reflect.ValueOf(3 + n); {
		case element.CanInt() || element.CanUint() || element.CanFloat():
			element.Set(v.Convert(element.Type()))
		case element.Kind() == reflect.String:
			element.SetString(strings.Repeat("a", 3+n))
		default:
			return false
		}
		if now := element.Interface(); now != x && now != y {
			return true
		}
	}
	return false
}

// slotType returns the static type of slot n.
func (c *Call) slotType(n int32) seq.TypeID {
	step, result := c.maker(n)
	return c.Table.Ops[c.Steps[step].Op].Results[result]
}

// given returns how many arguments of the call are slot n.
func (c *Call) given(n int32) int {
	times := 0
	for _, a := range c.step().Args {
		if a.Lit == nil && a.Slot == n {
			times++
		}
	}
	return times
}

// alsoGiven reports whether another argument of the call is or points to the value
// of argument i.
func (c *Call) alsoGiven(i int) bool {
	args := c.step().Args
	for j, a := range args {
		if j != i && a.Lit == nil && (a.Slot == args[i].Slot || c.points(a.Slot, args[i].Slot)) {
			return true
		}
	}
	return false
}

// points reports whether two slots hold one pointer.
func (c *Call) points(n, m int32) bool {
	x, y := reflect.ValueOf(c.vals[n]), reflect.ValueOf(c.vals[m])
	return x.Kind() == reflect.Pointer && y.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}

// aliasLaws lists, for types that can be copied, that a method does the same
// whether an argument is the receiver itself or a copy of it.
func aliasLaws(a *api, add func(...Law)) {
	for _, recv := range a.receivers {
		clone := a.methodOf(recv, cloneNames, "-> T")
		if !clone.exists() || !a.t.Types[recv].IsPointer() {
			continue
		}
		// Methods that take others of the type and return the receiver.
		arithmetic := slices.DeleteFunc(slices.Clone(a.methods[recv]), func(o operation) bool {
			return len(o.Params) < 2 || o.Params[1] != recv || len(o.Results) == 0 || o.Results[0] != recv
		})
		claim := engine.ClaimName
		if len(arithmetic) >= 5 {
			claim = engine.ClaimPromise
		}
		for _, o := range arithmetic {
			if !o.Variadic && callable(o.Operation) {
				add(aliasSame(o, clone, claim))
			}
		}
	}
}

func aliasSame(o, clone operation, claim engine.Claim) Law {
	law := o.law("alias-same", claim, "operations permit aliasing of parameters unless specified otherwise, as those of package math/big. "+cite(o)).changing()
	// aliased returns the call's arguments with copies for the receiver and for
	// those that are the receiver itself.
	aliased := func(c *Call, copyOf func() (any, bool)) (args []any, texts []string, ok bool) {
		st := c.step()
		if st.Args[0].Lit != nil || c.given(st.Args[0].Slot) < 2 {
			return nil, nil, false
		}
		for i, a := range st.Args {
			v, text := c.Args[i], c.arg(i)
			if a.Lit == nil && a.Slot == st.Args[0].Slot {
				if v, ok = copyOf(); !ok {
					return nil, nil, false
				}
				text = expr(clone.Operation, text)
			} else if a.Lit == nil && c.alsoGiven(i) {
				return nil, nil, false // results in one place are no one's promise
			}
			args, texts = append(args, v), append(texts, text)
		}
		return args, texts, true
	}
	law.See = func(c *Call) (any, bool) {
		args, _, ok := aliased(c, func() (any, bool) { return said(clone.any(c), c.Args[0]) })
		if !ok {
			return nil, false
		}
		results := c.ask(law.On, args...)
		if results == nil {
			return nil, false
		}
		text, ok := sprint(results...)
		return text, ok
	}
	law.Check = func(c *Call, seen any) *Breach {
		returned, ok := c.shown()
		if !ok || noEquality(c.Results...) {
			return nil
		}
		_, texts, _ := aliased(c, func() (any, bool) { return nil, true })
		was := &look{seen, property.Returned, []written{literal("", expr(o.Operation, texts...)).text}}
		return check2(c, property.SameShown, returned, before[string](was)).
			says("given its own receiver it returns " + returned.value.(string) + ", given a copy " + seen.(string))
	}
	return law
}

// resultLaws adds the laws that a slice returned as a copy belongs to the caller.
func resultLaws(a *api, add func(...Law)) {
	for _, o := range a.ops {
		if callable(o.Operation) && o.Kind == seq.Method && len(o.Params) == 1 && len(o.Results) == 1 && a.t.Types[o.Results[0]].Literally(seq.SliceType) &&
			o.copiesAlways() {
			add(resultOwn(o))
		}
	}
}

// copiesAlways reports whether a sentence of the documentation of o says that the result is a copy,
// and not only under a condition.
func (o operation) copiesAlways() bool {
	return slices.ContainsFunc(strings.Split(o.Doc, ". "), func(sentence string) bool {
		return !naming.Mentions(strings.ToLower(sentence), "if") && naming.HasPhrase(sentence, copyPhrases...)
	})
}

// copyPhrases say that a result is a copy.
var copyPhrases = []string{"returns a copy", "returns a new slice"}

// resultOwn is the law that the receiver does not change when the caller changes its
// result.
func resultOwn(o operation) Law {
	return o.law("result-own", engine.ClaimPromise, "what is returned is a copy. "+o.quote(copyPhrases...)).changing().checked(func(c *Call) *Breach {
		list := reflect.ValueOf(c.Results[0])
		says := c.shows(o)
		look := func() (string, bool) { return shownBy(says, c.Args[0]) }
		before, ok := look()
		if list.Kind() != reflect.Slice || list.Len() == 0 || list.Len() > maxElements || !ok || !repeats(before, look) {
			return nil
		}
		kept := reflect.MakeSlice(list.Type(), list.Len(), list.Len())
		reflect.Copy(kept, list)
		cleared := given(func(...any) []any { list.Clear(); return nil }, func(args []string) string { return "clear(" + args[0] + ")" })
		b := check4(c, property.ResultOwn, says, cleared, c.in(0), c.out(0))
		reflect.Copy(list, kept)
		return b.says("it says something else when the slice that it returned before is cleared")
	})
}
