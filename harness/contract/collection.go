package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

const (
	putNames    = "Put Set Store Upsert"
	addNames    = putNames + " Add Insert Push Append"
	removeNames = "Remove Delete Del"
	getNames    = "Get Load Lookup"
	hasNames    = "Contains Has HasKey Exists Test"
	lenNames    = "Len Size Length"
	listNames   = "Keys Values ToSlice"
)

var (
	// A type with such a name may forget elements.
	lossyWords = naming.Set("cache lru")
	// It may hold an element several times.
	multiWords = naming.Set("list queue slice")
	// It holds an element once, or a value for a key.
	onceWords = naming.Set("map set tree")
)

// A collection has the operations of a type that look for an element.
type collection struct {
	has  operation // takes an element and says whether it is there
	get  operation // takes a key and returns a value first
	keys operation // lists the elements or keys that has and get take

	list  bool // integers are positions in it
	lossy bool // it may forget
}

// collection returns the collection of type id with elements or keys of type key.
func (a *api) collection(id, key seq.TypeID) collection {
	l := collection{lossy: a.lossy(id)}
	l.has = a.method(id, hasNames, func(op *seq.Operation) bool {
		return len(op.Params) == 2 && op.Params[1] == key && len(op.Results) == 1 && a.t.Types[op.Results[0]].Literal == seq.Bool
	})
	l.get = a.method(id, getNames, func(op *seq.Operation) bool {
		return len(op.Params) == 2 && !op.Variadic && op.Params[1] == key && (len(op.Results) == 1 || len(op.Results) == 2)
	})
	l.keys = a.method(id, listNames, func(op *seq.Operation) bool {
		// The values of a map are no arguments of has and get.
		ofMap := op.Base != "Keys" && l.get.exists()
		return len(op.Params) == 1 && len(op.Results) == 1 && a.t.Types[op.Results[0]].Of(seq.SliceType, &a.t.Types[key]) && !ofMap
	})
	integer := a.t.Types[key].Literal == seq.Int
	l.list = integer && a.has(id, "Append Insert")
	return l
}

// lossy reports whether values of type id may forget elements: caches, and types
// with a capacity.
func (a *api) lossy(id seq.TypeID) bool {
	if a.typeNamed(id, lossyWords) || a.has(id, "Full") {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(a.t.Package), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if lossyWords[w] {
			return true
		}
	}
	return false
}

// asksFor returns the operation that found asks, if there is one.
func (l *collection) asksFor() operation {
	switch {
	case l.has.exists():
		return l.has
	case l.get.exists() && len(l.get.Results) == 2:
		return l.get
	}
	return operation{}
}

// found returns a function of a collection and an element that reports whether the
// element is there.
func (l *collection) found(c Caller) func(...any) bool {
	if l.has.exists() {
		return l.has.bool(c)
	}
	get := l.get.all(c)
	return func(args ...any) bool {
		results := get(args...)
		if l.get.ReturnsError {
			return results[1] == nil
		}
		return converted[bool](results[1])
	}
}

// asked is how found is written.
func (l *collection) asked() property.Argument {
	if l.has.exists() {
		return l.has.argument()
	}
	found := "ok := %s; return ok"
	if l.get.ReturnsError {
		found = "err := %s; return err == nil"
	}
	return property.Argument{Call: func(args []string) string {
		return "func() bool { _, " + strings.Replace(found, "%s", expr(l.get.Operation, args...), 1) + " }()"
	}}
}

// finds returns found as a term.
func (l *collection) finds(c *Call) term[func(...any) bool] {
	return term[func(...any) bool]{l.found(c), written{Argument: l.asked()}}
}

// maxElements is how many elements of a value are looked at.
const maxElements = 64

// elements returns the elements of a slice; false if they are too many.
func elements(slice any) ([]any, bool) {
	r := reflect.ValueOf(slice)
	if r.Kind() != reflect.Slice || r.Len() > maxElements {
		return nil, false
	}
	list := make([]any, r.Len())
	for i := range list {
		list[i] = r.Index(i).Interface()
	}
	return list, true
}

// noEquality reports whether some of v holds NaN or a function, which equal nothing.
func noEquality(v ...any) bool { return holdsFloat(true, v...) || holdsFunc(v...) }

// elementLaws adds the laws of calls that add an element.
func elementLaws(a *api, add func(...Law)) {
	a.everyMethod(addNames, "", func(put operation) {
		n := len(put.Params)
		if n < 2 || n > 3 || put.Spread || put.Variadic && n > 2 {
			return
		}
		l := a.collection(put.Params[0], put.Params[1])
		if n == 3 && naming.OneOf(putNames, put.Base) && l.get.exists() && l.get.Results[0] == put.Params[2] {
			add(putGet(&l, put).exceptNil())
		} else if l.asksFor().exists() && !l.list && !l.lossy {
			add(addHas(&l, put).exceptNil())
		}
		bidirectional := a.has(put.Params[0], "GetKey")
		if l.keys.exists() && l.asksFor().exists() && !l.lossy && !l.list && !bidirectional && !put.Variadic {
			add(keepsOthers(&l, put, "add-keeps-others").exceptNil())
		}
	})
}

func putGet(l *collection, put operation) Law {
	return put.law("put-get", engine.ClaimName, "what was put under a key is what the key gets. "+cite(put, l.get)).checked(func(c *Call) *Breach {
		key, value := c.Args[1], c.Args[2]
		results := c.ask(l.get.id, c.Args[0], key)
		if results == nil || noEquality(key, value) || c.persistent() || key == "" && (put.says("empty") || l.get.says("empty")) {
			return nil
		}
		found := true
		if len(results) == 2 {
			found, _ = blame.Describe(results[1]).Value.(bool)
			found = found || l.get.ReturnsError && results[1] == nil
		}
		// An element that does not fit or was refused need not be there.
		absent := l.lossy || l.list || c.failed()
		if absent && (!found || len(results) == 1) || found && results[0] != nil && reflect.TypeOf(results[0]) != reflect.TypeOf(value) {
			return nil
		}
		b := l.gets(c, results)
		if !found {
			return b.says("the key is not found after something was put under it")
		}
		return b.says("the key does not get what was put under it")
	})
}

// gets checks that looking up a key returns the value stored under it. results are
// those of the lookup.
func (l *collection) gets(c *Call, results []any) *Breach {
	switch {
	case len(results) == 1:
		return check4(c, property.Gets, calls(func(...any) any { return results[0] }, l.get), c.in(0), c.in(1), c.in(2))
	case l.get.ReturnsError:
		return check4(c, property.GetsNoError, calls(func(...any) (any, any) { return results[0], results[1] }, l.get), c.in(0), c.in(1), c.in(2))
	}
	found, _ := blame.Describe(results[1]).Value.(bool)
	return check4(c, property.GetsFound, calls(func(...any) (any, bool) { return results[0], found }, l.get), c.in(0), c.in(1), c.in(2))
}

func addHas(l *collection, add operation) Law {
	return add.law("add-has", engine.ClaimName, "what was added is there. "+cite(add, l.asksFor())).checked(func(c *Call) *Breach {
		if c.failed() || c.persistent() {
			return nil
		}
		last := len(c.Args) - 1
		if !add.Variadic {
			last = 1
		}
		for i := 1; i <= last; i++ {
			if b := check3(c, property.Has, l.finds(c), c.in(0), c.in(i)); b != nil && !noEquality(c.Args[i]) {
				return b.says("it is not found after it was added")
			}
		}
		return nil
	})
}

// keepsOthers holds of calls that take one element or key: all others that were
// there are there still.
func keepsOthers(l *collection, op operation, name string) Law {
	law := op.law(name, engine.ClaimName, "other elements than the one it is given stay. "+cite(op, l.keys, l.asksFor()))
	law.See = func(c *Call) (any, bool) {
		found := l.found(c)
		seen, ok := look2(property.KeysOf, c.listed(l.keys), c.in(0))
		if !ok {
			return nil, false
		}
		keys := seen.(*look).value.([]any)
		lost := func(k any) bool { return fails(func() bool { return found(c.Args[0], k) }) }
		return seen, len(keys) > 0 && !noEquality(keys...) && !noEquality(c.Args[1]) && !slices.ContainsFunc(keys, lost)
	}
	law.Check = func(c *Call, seen any) *Breach {
		if c.persistent() {
			return nil
		}
		finds := l.finds(c)
		found := finds.value
		// A comparison of anything may take two values that print the same for one.
		finds.value = func(args ...any) bool {
			is := true
			completes(func() { is = alike(args[1], c.Args[1]) || found(args...) })
			return is
		}
		return check4(c, property.KeepsOthers, finds, c.in(0), c.in(1), before[[]any](seen)).says("another element that was there is not found any more")
	}
	return law
}

// alike reports whether two values of different types print the same: a comparison
// of anything may take them for one.
func alike(x, y any) bool {
	return reflect.TypeOf(x) != reflect.TypeOf(y) && fmt.Sprint(x) == fmt.Sprint(y)
}

// removalLaws adds the laws of calls that remove an element.
func removalLaws(a *api, add func(...Law)) {
	a.everyMethod(removeNames, "_ -> ...", func(remove operation) {
		if remove.Spread {
			return
		}
		recv := remove.Params[0]
		l := a.collection(recv, remove.Params[1])
		if !l.asksFor().exists() || l.list {
			return
		}
		once := a.has(recv, putNames) && l.get.exists() || a.typeNamed(recv, onceWords)
		if once && !a.typeNamed(recv, multiWords) {
			add(removeGone(&l, remove))
		}
		if l.keys.exists() && !l.lossy {
			add(keepsOthers(&l, remove, "remove-keeps-others"))
		}
	})
}

func removeGone(l *collection, remove operation) Law {
	return remove.law("remove-gone", engine.ClaimName, "what was removed is not there. "+cite(remove, l.asksFor())).checked(func(c *Call) *Breach {
		if c.op().ReturnsError && c.failed() || c.persistent() {
			return nil
		}
		if b := check3(c, property.HasNot, l.finds(c), c.in(0), c.in(1)); b != nil && !noEquality(c.Args[1]) {
			return b.says("it is found after it was removed")
		}
		return nil
	})
}

// clearLaws adds the laws of calls that remove everything.
func clearLaws(a *api, add func(...Law)) {
	a.everyMethod("Clear Reset", "->", func(empty operation) {
		if empty.Base != "Clear" && !empty.says("to be empty", "empties") {
			return
		}
		length := a.methodOf(empty.Params[0], lenNames, "-> Int")
		// Where there is a Count too, Len may be how many there could be.
		if !length.exists() || a.has(empty.Params[0], "Count") {
			return
		}
		add(empty.law("clear-empty", engine.ClaimName, "what was cleared has no elements. "+cite(empty, length)).checked(func(c *Call) *Breach {
			return check2(c, property.IsEmpty, c.int(length), c.in(0)).says("it has elements after it was cleared")
		}))
	})
}
