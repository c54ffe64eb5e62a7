package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	putNames    = "Put Set Store Upsert"
	addNames    = putNames + " Add Insert Push Append Enqueue"
	removeNames = "Remove Delete Del Discard Unset"
	getNames    = "Get Load Lookup"
	hasNames    = "Contains Has ContainsKey HasKey Exists Includes Test"
	lenNames    = "Len Size Length"
)

var (
	// A type of such a name may forget what it was given.
	lossyWords = set("arc bounded cache cached circular evict expirable expiring fifo lfu limited lossy lru mru ring timed ttl window")
	// It may hold an element several times.
	multiWords = set("bag counter counting histogram list multi multimap multiset queue slice stack vector")
	// It holds an element once, or a value for a key.
	onceWords = set("dict map set table tree trie")
)

// emptyPhrases are how documentation says that an empty key is something of its own.
var emptyPhrases = []string{"empty", "length zero", "zero length", "zero-length"}

var (
	// The key is taken apart, which not every text can be.
	pathPhrases = []string{"path", "selector", "pattern", "dotted"}
	// What is got is made of what was put.
	madePhrases = []string{"expand", "interpolat", "evaluat", "normaliz", "substitut", "converted"}
)

// A collection is what a type offers to those who look for an element of a type.
type collection struct {
	api  *api
	id   seq.TypeID
	has  seq.OpID // nil hasOp: none; else it takes an element and says whether it is there
	get  seq.OpID // nil getOp: none; else it takes a key and returns a value first
	keys seq.OpID // nil keysOp: none; else it lists what has and get may be asked for

	hasOp, getOp, keysOp *seq.Operation

	list  bool // integers are positions in it
	lossy bool // it may forget
}

// collection returns what type id offers for elements or keys of type key.
func (a *api) collection(id, key seq.TypeID) collection {
	l := collection{api: a, id: id, lossy: a.lossy(id)}
	l.has, l.hasOp = a.method(id, hasNames, func(op *seq.Operation) bool {
		return len(op.Params) == 2 && op.Params[1] == key && a.returns(op, seq.Bool)
	})
	l.get, l.getOp = a.method(id, getNames, func(op *seq.Operation) bool {
		return len(op.Params) == 2 && !op.Variadic && op.Params[1] == key && (len(op.Results) == 1 || len(op.Results) == 2)
	})
	l.keys, l.keysOp = a.method(id, "Keys Values ToSlice Members Elements", func(op *seq.Operation) bool {
		// The values of a map are not what it is asked for.
		ofMap := base(op.Member) != "Keys" && l.getOp != nil
		return len(op.Params) == 1 && len(op.Results) == 1 && a.t.Types[op.Results[0]].Name == "[]"+a.t.Types[key].Name && !ofMap
	})
	integer := a.t.Types[key].Literal == seq.Int
	l.list = integer && a.has(id, "Swap RemoveAt InsertAt PushBack Append Prepend Insert")
	return l
}

// lossy reports whether values of type id may forget what they were given: caches,
// and what has a capacity.
func (a *api) lossy(id seq.TypeID) bool {
	if a.typeNamed(id, lossyWords) || a.has(id, "Full IsFull Capacity MaxSize SetTTL SetCapacity Resize") {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(a.t.Package), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if lossyWords[w] {
			return true
		}
	}
	return false
}

// found reports whether a collection has an element; ok is false if it cannot tell.
func (l *collection) found(c *Call, of, element any) (found, ok bool) {
	if l.hasOp != nil {
		return callBool(c, l.has, of, element)
	}
	if l.getOp == nil || len(l.getOp.Results) != 2 {
		return false, false
	}
	results := c.ask(l.get, of, element)
	if results == nil {
		return false, false
	}
	if l.getOp.ReturnsError {
		return results[1] == nil, true
	}
	found, ok = Describe(results[1]).Value.(bool)
	return found, ok
}

// asksFor returns the operation that found asks, nil if there is none.
func (l *collection) asksFor() *seq.Operation {
	switch {
	case l.hasOp != nil:
		return l.hasOp
	case l.getOp != nil && len(l.getOp.Results) == 2:
		return l.getOp
	}
	return nil
}

// foundText is the Go expression for found.
func (l *collection) foundText(of, element string) string {
	switch {
	case l.hasOp != nil:
		return expr(l.hasOp, of, element)
	case l.getOp.ReturnsError:
		return "func() bool { _, err := " + expr(l.getOp, of, element) + "; return err == nil }()"
	}
	return "func() bool { _, ok := " + expr(l.getOp, of, element) + "; return ok }()"
}

// listed returns the keys of a collection as values of their own.
func (l *collection) listed(c *Call, of any) ([]any, bool) {
	results := c.ask(l.keys, of)
	if results == nil {
		return nil, false
	}
	return elements(results[0])
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

// odd reports whether v follows an equality of its own, or none: NaN, functions.
func odd(v ...any) bool { return holdsFloat(true, v...) || holdsFunc(v...) }

// elementLaws lists what holds after an element was added.
func elementLaws(a *api) []Law {
	var all []Law
	a.eachMethod(addNames, func(id seq.OpID, op *seq.Operation) {
		n := len(op.Params)
		if n < 2 || n > 3 || op.Spread || op.Variadic && n > 2 {
			return
		}
		l := a.collection(op.Params[0], op.Params[1])
		law := Law{On: id, Op: id}
		if n == 3 && named(putNames, base(op.Member)) && l.getOp != nil && l.getOp.Results[0] == op.Params[2] {
			all = append(all, putGet(law, &l, op))
		} else if l.asksFor() != nil && !l.list && !l.lossy {
			all = append(all, addHas(law, &l, op))
		}
		bidirectional := a.has(op.Params[0], "GetKey Inverse GetByValue GetInverse")
		if l.keysOp != nil && l.asksFor() != nil && !l.lossy && !l.list && !bidirectional && !op.Variadic {
			all = append(all, keepsOthers(law, &l, op, "add-keeps-others"))
		}
	})
	return all
}

// sure returns Error if the package itself says what ops do, else Suspect: names
// alone promise little.
func sure(ops ...*seq.Operation) engine.Tier {
	if documented(ops...) {
		return engine.Error
	}
	return engine.Suspect
}

func putGet(law Law, l *collection, op *seq.Operation) Law {
	law.Name, law.Tier = "put-get", sure(op, l.getOp)
	if says(op, pathPhrases...) || says(l.getOp, pathPhrases...) || says(l.getOp, madePhrases...) {
		law.Tier = engine.Suspect
	}
	law.Doc = "what was put under a key is what the key gets. " + cite(op, l.getOp)
	law.Check = func(c *Call, _ any) *Breach {
		key, value := c.Args[1], c.Args[2]
		results := c.ask(l.get, c.Args[0], key)
		if results == nil || odd(key, value) || c.persistent() || key == "" && (says(op, emptyPhrases...) || says(l.getOp, emptyPhrases...)) {
			return nil
		}
		found := true
		if len(results) == 2 {
			found, _ = Describe(results[1]).Value.(bool)
			found = found || l.getOp.ReturnsError && results[1] == nil
		}
		got := results[0]
		// What cannot be held, or was refused, need not be there.
		absent := l.lossy || l.list || c.failed()
		switch {
		case !found && absent, found && reflect.DeepEqual(got, value):
			return nil
		case len(results) == 1 && absent, got != nil && reflect.TypeOf(got) != reflect.TypeOf(value):
			return nil
		}
		ok, want := "", ""
		if len(results) == 2 {
			ok, want = ", ok", "ok && "
			if l.getOp.ReturnsError {
				ok, want = ", err", "err == nil && "
			}
		}
		detail := "the key does not get what was put under it"
		if !found {
			detail = "the key is not found after something was put under it"
		}
		return &Breach{
			Detail: detail,
			Assert: block("x"+ok+" := "+expr(l.getOp, c.arg(0), c.arg(1)), "return "+want+c.std("reflect")+"DeepEqual(x, "+c.arg(2)+")"),
		}
	}
	return law
}

func addHas(law Law, l *collection, op *seq.Operation) Law {
	law.Name, law.Tier = "add-has", sure(op, l.asksFor())
	law.Doc = "what was added is there. " + cite(op, l.asksFor())
	law.Check = func(c *Call, _ any) *Breach {
		if c.failed() || c.persistent() {
			return nil
		}
		last := len(c.Args) - 1
		if !op.Variadic {
			last = 1
		}
		for i := 1; i <= last; i++ {
			found, ok := l.found(c, c.Args[0], c.Args[i])
			if found || !ok || odd(c.Args[i]) {
				continue
			}
			return &Breach{Detail: "it is not found after it was added", Assert: l.foundText(c.arg(0), c.arg(i))}
		}
		return nil
	}
	return law
}

// keepsOthers holds of calls that take one element or key: all others that were
// there are there still.
func keepsOthers(law Law, l *collection, op *seq.Operation, name string) Law {
	law.Name, law.Tier = name, sure(op, l.asksFor())
	law.Doc = "other elements than the one it is given stay. " + cite(op, l.keysOp, l.asksFor())
	law.See = func(c *Call) (any, bool) {
		keys, ok := l.listed(c, c.Args[0])
		lost := func(k any) bool { found, _ := l.found(c, c.Args[0], k); return !found }
		return keys, ok && len(keys) > 0 && !odd(keys...) && !odd(c.Args[1]) && !slices.ContainsFunc(keys, lost)
	}
	law.Check = func(c *Call, seen any) *Breach {
		if c.persistent() {
			return nil
		}
		for _, k := range seen.([]any) {
			if reflect.DeepEqual(k, c.Args[1]) || alike(k, c.Args[1]) {
				continue
			}
			if found, ok := l.found(c, c.Args[0], k); found || !ok {
				continue
			}
			return &Breach{
				Detail: "another element that was there is not found any more",
				Before: c.std("slices") + "Clone(" + expr(l.keysOp, c.arg(0)) + ")",
				Assert: block("for _, k := range before {", "if !"+c.std("reflect")+"DeepEqual(k, "+c.arg(1)+") && !"+l.foundText(c.arg(0), "k")+" {",
					"return false", "}", "}", "return true"),
			}
		}
		return nil
	}
	return law
}

// alike reports whether two values of different types print the same: a comparison
// of anything may take them for one.
func alike(x, y any) bool {
	return reflect.TypeOf(x) != reflect.TypeOf(y) && fmt.Sprint(x) == fmt.Sprint(y)
}

// removalLaws lists what holds after an element was removed.
func removalLaws(a *api) []Law {
	var all []Law
	a.eachMethod(removeNames, func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 2 || op.Variadic || op.Spread {
			return
		}
		recv := op.Params[0]
		l := a.collection(recv, op.Params[1])
		if l.asksFor() == nil || l.list {
			return
		}
		law := Law{On: id, Op: id}
		once := a.has(recv, putNames) && l.getOp != nil || a.typeNamed(recv, onceWords)
		if once && !a.typeNamed(recv, multiWords) {
			all = append(all, removeGone(law, &l, op))
		}
		if l.keysOp != nil && !l.lossy {
			all = append(all, keepsOthers(law, &l, op, "remove-keeps-others"))
		}
	})
	return all
}

func removeGone(law Law, l *collection, op *seq.Operation) Law {
	law.Name, law.Tier = "remove-gone", sure(op, l.asksFor())
	law.Doc = "what was removed is not there. " + cite(op, l.asksFor())
	law.Check = func(c *Call, _ any) *Breach {
		if c.op().ReturnsError && c.failed() || c.persistent() {
			return nil
		}
		if found, ok := l.found(c, c.Args[0], c.Args[1]); !found || !ok || odd(c.Args[1]) {
			return nil
		}
		return &Breach{Detail: "it is found after it was removed", Assert: "!" + l.foundText(c.arg(0), c.arg(1))}
	}
	return law
}

// clearLaws lists what holds after everything was removed.
func clearLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Clear RemoveAll DeleteAll Reset", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 1 || len(op.Results) > 0 {
			return
		}
		if base(op.Member) != "Clear" && !says(op, "to be empty", "removes all", "remove all", "deletes all", "empties") {
			return
		}
		size, sizeOp := a.find(op.Params[0], lenNames, 1, seq.Int)
		// Where there is a Count too, Len may be how many there could be.
		if sizeOp == nil || a.has(op.Params[0], "Count") {
			return
		}
		all = append(all, Law{
			Name: "clear-empty", On: id, Op: id, Tier: sure(op), Doc: "what was cleared has no elements. " + cite(op, sizeOp),
			Check: func(c *Call, _ any) *Breach {
				if n, ok := callInt(c, size, c.Args[0]); !ok || n == 0 {
					return nil
				}
				return &Breach{Detail: "it has elements after it was cleared", Assert: expr(sizeOp, c.arg(0)) + " == 0"}
			},
		})
	})
	return all
}
