package contract

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// cursorLaws adds the laws of iterators with methods that move them.
func cursorLaws(a *api, add func(...Law)) {
	a.everyMethod("Seek", "_ -> Bool", func(seek operation) {
		if !seek.says("greater") {
			return
		}
		key := a.method(seek.Params[0], "Key", func(k *seq.Operation) bool {
			return len(k.Params) == 1 && len(k.Results) == 1 && k.Results[0] == seek.Params[1]
		})
		if k := a.t.Types[seek.Params[1]].Literal; key.exists() && (k == seq.Int || k == seq.Uint || k == seq.String) {
			add(seekLands(seek, key))
		}
	})
	a.everyMethod("First Last", "-> Bool", func(o operation) {
		w := walker{a.methodOf(o.Params[0], "Index", "-> Int"), a.methodOf(o.Params[0], "Next", "-> Bool"), a.methodOf(o.Params[0], "Begin", "->")}
		if w.index.exists() && w.next.exists() && w.begin.exists() {
			add(w.law(o))
		}
	})
}

func seekLands(seek, key operation) Law {
	law := seek.law("seek-lands", engine.ClaimPromise, "where Seek lands the key is greater or equal. "+cite(seek, key))
	atLeast := given(func(key, want any) bool { return !less(key, want) }, func(args []string) string { return args[0] + " >= " + args[1] })
	return law.checked(func(c *Call) *Breach {
		if c.failed() {
			return nil
		}
		return check5(c, property.SeekLands, term[bool]{true, c.out(0).text}, atLeast, c.any(key), c.in(0), c.in(1)).says("it says true and stands on a key that is less")
	})
}

// less compares two values of one integer or string type.
func less(x, y any) bool {
	switch a := blame.Describe(x).Value.(type) {
	case int64:
		b, ok := blame.Describe(y).Value.(int64)
		return ok && cmp.Less(a, b)
	case uint64:
		b, ok := blame.Describe(y).Value.(uint64)
		return ok && cmp.Less(a, b)
	case string:
		b, ok := blame.Describe(y).Value.(string)
		return ok && cmp.Less(a, b)
	}
	return false
}

// A walker is an iterator that counts its elements.
type walker struct{ index, next, begin operation }

// law is the law that First and Last move to the first and the last index.
func (w *walker) law(o operation) Law {
	law := o.law("iterator-index", engine.ClaimName, "an index counts the elements from zero. "+cite(o, w.index))
	first := o.Base == "First"
	law.Changes = !first
	return law.checked(func(c *Call) *Breach {
		if c.failed() {
			return nil
		}
		at, want := -1, 0
		index, next, stands := c.int(w.index), c.bool(w.next), term[bool]{true, c.out(0).text}
		asks, moves := index.value, next.value
		index.value = func(args ...any) int { at = asks(args...); return at }
		next.value = func(args ...any) bool {
			if want++; want > maxElements {
				panic(silence)
			}
			return moves(args...)
		}
		b := check3(c, property.FirstIndex, stands, index, c.in(0))
		if !first {
			b = check5(c, property.LastIndex, stands, index, c.all(w.begin), next, c.in(0))
			want -= 2 // moves that say true, and from zero
		}
		return b.says("it stands on index " + strconv.Itoa(at) + ", not " + strconv.Itoa(want))
	})
}

// iteratorLaws adds the laws of calls that return an iter.Seq or the like.
func iteratorLaws(a *api, add func(...Law)) {
	for _, o := range a.ops {
		if !callable(o.Operation) || len(o.Results) != 1 || !iterates(&a.t.Types[o.Results[0]]) {
			continue
		}
		// What reads its source has used it up. Package iter has a word for such iterators.
		if !slices.Contains(naming.Words(o.Base), "read") && !o.says("single-use") && !a.takesSource(o.Operation) {
			add(walksAgain(o))
		}
		add(walksUntil(o))
		if o.Kind != seq.Method || len(o.Params) != 1 || !naming.OneOf("All Values", o.Base) {
			continue
		}
		if length := a.elementCount(o.Params[0]); length.exists() {
			add(walksAll(o, length))
		}
	}
}

// iterates reports whether a type is an iterator: none that its package gives a name and rules of its own.
func iterates(ty *seq.Type) bool {
	return ty.Iterator && (ty.Literally(seq.FuncType) || ty.Path == "iter")
}

// takesSource reports whether op takes a source that may run dry: a reader, a channel, or an
// object whose place a method such as Next moves on.
func (a *api) takesSource(op *seq.Operation) bool {
	moves := func(next *seq.Operation) bool {
		return len(next.Params) == 1 && !slices.Contains(next.Results, next.Params[0])
	}
	return slices.ContainsFunc(op.Params, func(id seq.TypeID) bool {
		ty := &a.t.Types[id]
		return strings.Contains(ty.Name, "chan ") || ty.Path == "io" && !ty.IsPointer() || ty.Path == "bufio" && ty.IsPointer() ||
			ty.Std.Has(seq.StdReader) || a.method(id, "Next Read Scan", moves).exists()
	})
}

func walksAgain(o operation) Law {
	law := o.law("iterates-again", engine.ClaimPromise, `package iter: "Most iterators provide the ability to walk an entire sequence […]. Calling the iterator again walks the sequence again"; those that "break that convention" should say so`)
	law.Changes = true
	if o.Doc != "" {
		law.Doc += "; " + cite(o)
	}
	// A result that depends on the random order of a map may be anything.
	law.See = func(c *Call) (any, bool) {
		for i := range c.Steps {
			for _, id := range c.Table.Ops[c.Steps[i].Op].Results {
				if strings.Contains(c.Table.Types[id].Name, "map[") {
					return nil, false
				}
			}
		}
		for _, v := range c.vals { // arguments, and the values that they may hold
			if !steady(v) {
				return nil, false
			}
		}
		return nil, true
	}
	return law.checked(func(c *Call) *Breach {
		it := c.out(0)
		var b *Breach
		if reflect.TypeOf(it.value).In(0).NumIn() == 2 {
			b = check1(c, property.IteratesAgainPairs, term[iter.Seq2[any, any]]{pairs(it.value), it.text})
		} else {
			b = check1(c, property.IteratesAgain, term[iter.Seq[any]]{firsts(it.value), it.text})
		}
		return b.says("a second walk over the same iterator yields other elements")
	})
}

// walksUntil is the law that an iterator stops when yield returns false.
func walksUntil(o operation) Law {
	return o.law("iterates-until", engine.ClaimPromise, `package iter: "The iterator function stops when either yield returns false or when it reaches the end of the sequence"`).changing().checked(func(c *Call) *Breach {
		for _, v := range c.vals[:len(c.vals)-1] {
			if !obeys(v) {
				return nil // its source does not stop either
			}
		}
		if obeys(c.Results[0]) {
			return nil
		}
		return c.breach(property.IteratesUntil, c.out(0).text).says("it goes on when yield has returned false")
	})
}

// obeys reports whether v is no iterator that goes on when yield has returned false.
func obeys(v any) (ok bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Func || r.IsNil() || r.Type().NumIn() != 1 || r.Type().In(0).Kind() != reflect.Func || r.Type().In(0).NumOut() != 1 {
		return true
	}
	calls := 0
	defer func() {
		_ = recover() // ours, or another's, which is not this law's
		ok = calls < 2
	}()
	r.Call([]reflect.Value{reflect.MakeFunc(r.Type().In(0), func([]reflect.Value) []reflect.Value {
		if calls++; calls > 1 {
			panic(errGoesOn)
		}
		return []reflect.Value{reflect.ValueOf(false).Convert(r.Type().In(0).Out(0))}
	})})
	return true
}

var errGoesOn = errors.New("contract: the iterator goes on")

// steady reports whether v is no iterator that yields something else the second time.
func steady(v any) bool {
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.Kind() != reflect.Func || r.Type().NumIn() != 1 || r.Type().In(0).Kind() != reflect.Func {
		return true
	}
	first, ok := walk(v)
	second, ok2 := walk(v)
	return ok && ok2 && slices.Equal(first, second)
}

func walksAll(o, length operation) Law {
	return o.law("iterates-all", engine.ClaimName, "it yields as many elements as there are. "+cite(o, length)).changing().checked(func(c *Call) *Breach {
		of := c.int(length)
		b := check3(c, property.IteratesAll, term[iter.Seq[any]]{firsts(c.Results[0]), c.out(0).text}, of, c.in(0))
		if b != nil {
			list, _ := walk(c.Results[0])
			completes(func() { b.Detail = fmt.Sprintf("it yields %d elements of %d", len(list), of.value(c.Args[0])) })
		}
		return b
	})
}

// walk runs an iterator to its end and prints the elements. It returns false if
// there is no end, the iterator panics, or an element cannot be printed.
func walk(it any) (list []string, ok bool) {
	ok = completes(func() {
		for k, v := range pairs(it) {
			text, _ := sprint(k, v)
			list = append(list, text)
		}
	})
	return list, ok
}

// firsts returns an iterator over the first values that it yields, by reflection.
func firsts(it any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for k := range pairs(it) {
			if !yield(k) {
				return
			}
		}
	}
}

// pairs returns an iterator over the elements of it, with nil beside single values.
// It panics with silence if there is no end or an element cannot be printed.
func pairs(it any) iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		r := reflect.ValueOf(it)
		if r.Kind() != reflect.Func || r.IsNil() {
			panic(silence)
		}
		n, fine := 0, true
		r.Call([]reflect.Value{reflect.MakeFunc(r.Type().In(0), func(in []reflect.Value) []reflect.Value {
			var values [2]any
			for i, v := range in {
				values[i] = v.Interface()
			}
			_, printed := sprint(values[:]...)
			n++
			fine = printed && !noEquality(values[:]...) && n < maxElements
			return []reflect.Value{reflect.ValueOf(fine && yield(values[0], values[1]))}
		})})
		if !fine {
			panic(silence)
		}
	}
}
