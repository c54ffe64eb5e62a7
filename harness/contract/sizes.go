package contract

import (
	"fmt"
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// sizes adds the contracts on the sizes of a type: its length, emptiness and count.
func sizes(a *api, add func(...Contract)) {
	a.everyMethod("Len Size", "-> Int", func(length operation) {
		if length.Pre.Panics || length.says("a negative") {
			return
		}
		// Len has one meaning in Go. A Size may be any, such as that of a file.
		d := a.draft(length, engine.ClaimPromise, "a number of elements is not negative, as for the predeclared len")
		d.Cost = Constant
		if length.Base != "Len" {
			d.Claim = engine.ClaimName
		}
		d = d.named("size-not-negative", "", nil)
		if !length.MinusOne { // else it stands for what has no size
			add(of1(d.tells("the size is %v", length), property.NotNegative, operation.int, length))
		}
		if empty := a.methodOf(d.Type, "IsEmpty Empty", "-> Bool"); empty.exists() {
			// The length of a bit set is not how many bits are set.
			d.Claim, d.Doc = engine.ClaimName, "what is empty has no elements, what has none is empty"
			d = d.named("empty-size", "", nil).tells("it says of size %v that empty is %v", length, empty)
			add(both1(d, property.EmptySize, operation.int, length, operation.bool, empty))
		}
	})
	a.everyMethod("Len", "-> Number", func(length operation) {
		if count := a.methodOf(length.Params[0], "Count", "-> Number"); !length.Pre.Panics && count.exists() {
			add(countBound(a, length, count))
		}
	})
	listings(a, add)
}

// tells returns d with a detail made of the results of ops on a value.
func (d draft) tells(format string, ops ...operation) draft {
	d.detailf = func(c Caller, v []any) string {
		said := make([]any, len(ops))
		for i, o := range ops {
			completes(func() { said[i] = o.any(c)(v[0]) })
			if list := reflect.ValueOf(said[i]); list.Kind() == reflect.Slice {
				said[i] = list.Len()
			}
		}
		return fmt.Sprintf(format, said...)
	}
	return d
}

// countBound is the contract of bit sets and the like: their length is the number of
// elements that there could be. The documentation must call both a number of the
// same thing, without an exception.
func countBound(a *api, length, count operation) Contract {
	d := a.draft(length, engine.ClaimName, "there are no more elements than there is room for").citing(length, count)
	number := func(sentence string) bool { return naming.HasPhrase(sentence, "number of") }
	if naming.States(length.Doc, number) && naming.States(count.Doc, number) && !naming.Excepts(length.Doc) && !naming.Excepts(count.Doc) {
		d.Claim = engine.ClaimPromise
	}
	d = d.named("count-within-len", "", nil).tells("it counts %v of %v", count, length)
	return both1(d, property.CountWithinLen, operation.int, length, operation.int, count)
}

// listings adds the contracts of collections with a size: a listing has as many
// elements, and the collection contains each of them.
func listings(a *api, add func(...Contract)) {
	a.everyMethod(listNames, "-> Slice", func(list operation) {
		if list.Pre.Panics {
			return
		}
		if length := a.elementCount(list.Params[0]); length.exists() {
			d := a.draft(list, engine.ClaimName, "it lists as many elements as there are").citing(list, length)
			d.Fit = true
			d = d.named("lists-all", "", nil).tells("it lists %v elements of %v", list, length)
			add(both1(d, property.ListsAll, operation.counted, list, operation.int, length))
		}
		for key := range a.t.Types {
			if !a.t.Types[list.Results[0]].Of(seq.SliceType, &a.t.Types[key]) {
				continue
			}
			if l := a.collection(list.Params[0], seq.TypeID(key)); l.asksFor().exists() && l.keys.Operation == list.Operation && !l.lossy && !l.list {
				add(listedFound(a, l))
			}
		}
	})
}

// elementCount returns the method of a collection that says how many elements it lists, if one
// does. Caches, multisets and types with a Count have several numbers.
func (a *api) elementCount(id seq.TypeID) operation {
	if a.lossy(id) || a.typeNamed(id, multiWords) || a.has(id, "Count") {
		return operation{}
	}
	return a.methodOf(id, lenNames, "-> Int")
}

// counted returns o as a function of a list, with elements left out: only the length
// counts.
func (o operation) counted(c Caller) func(...any) []struct{} {
	call := o.all(c)
	return func(args ...any) []struct{} { return make([]struct{}, blame.Describe(call(args...)[0]).Len) }
}

func listedFound(a *api, l collection) Contract {
	d := a.draft(l.keys, engine.ClaimName, "what is listed is there").citing(l.keys, l.asksFor())
	d.Fit = true
	return d.named("listed-found", "an element that it lists is not found", nil).contract(property.ListedFound, func(c Caller, v []any) bool {
		found := l.found(c)
		return property.ListedFound(l.keys.list(c), func(args ...any) bool { return found(args...) || noEquality(args[1]) }, v[0])
	}, 1, l.keys.argument(), l.asked(), slots[0])
}
