package contract

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// cursorLaws lists what holds of iterators with methods that move them.
func cursorLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Seek SeekGE", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) != 2 || !a.returns(op, seq.Bool) || !says(op, "greater") || says(op, "less", "smaller", "descend") {
			return
		}
		key, keyOp := a.method(op.Params[0], "Key", func(k *seq.Operation) bool {
			return len(k.Params) == 1 && len(k.Results) == 1 && k.Results[0] == op.Params[1]
		})
		if k := a.t.Types[op.Params[1]].Literal; keyOp != nil && (k == seq.Int || k == seq.Uint || k == seq.String) {
			all = append(all, seekLands(Law{On: id, Op: id}, op, key, keyOp))
		}
	})
	a.eachMethod("First Last", func(id seq.OpID, op *seq.Operation) {
		recv := op.Params[0]
		index, indexOp := a.find(recv, "Index", 1, seq.Int)
		next, nextOp := a.find(recv, "Next", 1, seq.Bool)
		begin, beginOp := a.method(recv, "Begin", func(b *seq.Operation) bool { return len(b.Params) == 1 && len(b.Results) == 0 })
		if len(op.Params) == 1 && a.returns(op, seq.Bool) && indexOp != nil && nextOp != nil && beginOp != nil {
			w := walker{index: index, next: next, begin: begin, indexOp: indexOp, nextOp: nextOp, beginOp: beginOp}
			all = append(all, w.law(Law{On: id, Op: id}, op))
		}
	})
	return all
}

func seekLands(law Law, op *seq.Operation, key seq.OpID, keyOp *seq.Operation) Law {
	law.Name, law.Tier = "seek-lands", engine.Error
	law.Doc = "where Seek lands the key is greater or equal. " + cite(op, keyOp)
	law.Check = func(c *Call, _ any) *Breach {
		at, ok := one(c, key, c.Args[0])
		if c.failed() || !ok || !less(at, c.Args[1]) {
			return nil
		}
		return &Breach{Detail: "it says true and stands on a key that is less", Assert: "!" + c.result(0) + " || " + expr(keyOp, c.arg(0)) + " >= " + c.arg(1)}
	}
	return law
}

// less compares two values of one integer or string type.
func less(x, y any) bool {
	switch a := Describe(x).Value.(type) {
	case int64:
		b, ok := Describe(y).Value.(int64)
		return ok && cmp.Less(a, b)
	case uint64:
		b, ok := Describe(y).Value.(uint64)
		return ok && cmp.Less(a, b)
	case string:
		b, ok := Describe(y).Value.(string)
		return ok && cmp.Less(a, b)
	}
	return false
}

// A walker is an iterator that counts its elements.
type walker struct {
	index, next, begin       seq.OpID
	indexOp, nextOp, beginOp *seq.Operation
}

// law is that First and Last stand on the first and the last index.
func (w *walker) law(law Law, op *seq.Operation) Law {
	law.Name, law.Tier = "iterator-index", sure(op, w.indexOp)
	law.Doc = "an index counts the elements from zero. " + cite(op, w.indexOp)
	first := base(op.Member) == "First"
	law.Changes = !first
	law.Check = func(c *Call, _ any) *Breach {
		at, ok := callInt(c, w.index, c.Args[0])
		if c.failed() || !ok {
			return nil
		}
		want := int64(0)
		if !first {
			if want, ok = w.count(c); !ok {
				return nil
			}
			want--
		}
		if at == want {
			return nil
		}
		b := &Breach{Detail: "it stands on index " + strconv.FormatInt(at, 10) + ", not " + strconv.FormatInt(want, 10)}
		if b.Assert = "!" + c.result(0) + " || " + expr(w.indexOp, c.arg(0)) + " == 0"; !first {
			b.Assert = block("i, n := "+expr(w.indexOp, c.arg(0))+", 0", "for "+expr(w.beginOp, c.arg(0))+"; "+expr(w.nextOp, c.arg(0))+"; {", "n++", "}", "return !"+c.result(0)+" || i == n-1")
		}
		return b
	}
	return law
}

// count returns how many elements the call's receiver walks over from the beginning.
func (w *walker) count(c *Call) (int64, bool) {
	if c.ask(w.begin, c.Args[0]) == nil {
		return 0, false
	}
	for n := range int64(maxElements) {
		more, ok := callBool(c, w.next, c.Args[0])
		if !ok || !more {
			return n, ok
		}
	}
	return 0, false
}

// What comes out of these is gone, or different each time.
var onceOnlyWords = set("buffer chan channel consume decode drain generate line lines pop rand random read reader receive recv rows sample scan shuffle stream tokens walk")

// iteratorLaws lists what holds of calls that return an iter.Seq or the like.
func iteratorLaws(a *api) []Law {
	var all []Law
	for i := range a.t.Ops {
		op := &a.t.Ops[i]
		if !callable(op) || len(op.Results) != 1 || !iterates(a.t.Types[op.Results[0]].Name) {
			continue
		}
		law := Law{On: seq.OpID(i), Op: seq.OpID(i)}
		if !any1(onceOnlyWords, base(op.Member)) && !says(op, "single-use", "single use", "once", "random", "drain", "consum") && !a.takesSource(op) {
			all = append(all, walksAgain(law, op))
		}
		all = append(all, walksUntil(law, op))
		if op.Kind != seq.Method {
			continue
		}
		size, sizeOp := a.find(op.Params[0], lenNames, 1, seq.Int)
		if sizeOp != nil && len(op.Params) == 1 && named("All Values Keys Backward", base(op.Member)) && !a.lossy(op.Params[0]) &&
			!a.typeNamed(op.Params[0], multiWords) && !a.has(op.Params[0], "Count") {
			all = append(all, walksAll(law, op, size, sizeOp))
		}
	}
	return all
}

// iterates reports whether a type's name is that of an iterator.
func iterates(name string) bool {
	return strings.HasPrefix(name, "iter.Seq") || strings.HasPrefix(name, "func(func(") || strings.HasPrefix(name, "func(yield func(")
}

// takesSource reports whether op takes what may run dry: a reader, a channel.
func (a *api) takesSource(op *seq.Operation) bool {
	for _, p := range op.Params {
		if name := a.t.Types[p].Name; strings.Contains(name, "chan ") || strings.HasPrefix(name, "io.") || strings.HasPrefix(name, "*bufio.") {
			return true
		}
	}
	return false
}

func walksAgain(law Law, op *seq.Operation) Law {
	law.Name, law.Tier, law.Changes = "iterates-again", engine.Error, true
	law.Doc = `package iter: "Most iterators provide the ability to walk an entire sequence […]. Calling the iterator again walks the sequence again"; those that "break that convention" should say so`
	if op.Doc != "" {
		law.Doc += "; " + cite(op)
	}
	// What it makes of an order of chance may be anything.
	law.See = func(c *Call) (any, bool) {
		for i := range c.Steps {
			for _, id := range c.Table.Ops[c.Steps[i].Op].Results {
				if strings.Contains(c.Table.Types[id].Name, "map[") {
					return nil, false
				}
			}
		}
		for _, v := range c.vals { // arguments, and what they may hold
			if !steady(v) {
				return nil, false
			}
		}
		return nil, true
	}
	law.Check = func(c *Call, _ any) *Breach {
		first, ok := walk(c.Results[0])
		if !ok {
			return nil
		}
		second, ok := walk(c.Results[0])
		if !ok || sameCounts(first, second) {
			return nil
		}
		of := "x"
		if reflect.TypeOf(c.Results[0]).In(0).NumIn() == 2 {
			of = "k, v"
		}
		count := func(step string) string {
			return "for " + of + " := range " + c.result(0) + " {\ncount[" + c.show(of) + "]" + step + "\n}"
		}
		return &Breach{
			Detail: "a second walk over the same iterator yields other elements",
			Assert: block("count := map[string]int{}", count("++"), count("--"), "for _, n := range count {", "if n != 0 {", "return false", "}", "}", "return true"),
		}
	}
	return law
}

// walksUntil is that an iterator stops when it is told to.
func walksUntil(law Law, op *seq.Operation) Law {
	law.Name, law.Tier, law.Changes = "iterates-until", engine.Error, true
	law.Doc = `package iter: "The iterator function stops when either yield returns false or when it reaches the end of the sequence"`
	law.Check = func(c *Call, _ any) *Breach {
		for _, v := range c.vals[:len(c.vals)-1] {
			if !obeys(v) {
				return nil // what it walks over does not stop either
			}
		}
		if obeys(c.Results[0]) {
			return nil
		}
		return &Breach{
			Detail: "it goes on when yield has returned false",
			Assert: block("for range "+c.result(0)+" {", "break // panics if the iterator goes on", "}", "return true"),
		}
	}
	return law
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

func sameCounts(x, y []string) bool {
	if len(x) != len(y) {
		return false
	}
	count := map[string]int{}
	for i := range x {
		count[x[i]]++
		count[y[i]]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func walksAll(law Law, op *seq.Operation, size seq.OpID, sizeOp *seq.Operation) Law {
	law.Name, law.Tier, law.Changes = "iterates-all", sure(op, sizeOp), true
	law.Doc = "it yields as many elements as there are. " + cite(op, sizeOp)
	law.Check = func(c *Call, _ any) *Breach {
		n, ok := callInt(c, size, c.Args[0])
		list, ok2 := walk(c.Results[0])
		if !ok || !ok2 || int64(len(list)) == n {
			return nil
		}
		return &Breach{
			Detail: "it yields " + strconv.Itoa(len(list)) + " elements of " + strconv.FormatInt(n, 10),
			Assert: block("n := 0", "for range "+c.result(0)+" {", "n++", "}", "return n == "+expr(sizeOp, c.arg(0))),
		}
	}
	return law
}

// walk runs an iterator to its end and prints what it yields; false if that has no
// end, panics, or cannot be printed.
func walk(it any) (list []string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	r := reflect.ValueOf(it)
	if r.Kind() != reflect.Func || r.IsNil() {
		return nil, false
	}
	ok = true
	yield := reflect.MakeFunc(r.Type().In(0), func(in []reflect.Value) []reflect.Value {
		var values []any
		for _, v := range in {
			values = append(values, v.Interface())
		}
		text, fine := sprint(values...)
		list = append(list, text)
		ok = ok && fine && !odd(values...) && len(list) < maxElements
		return []reflect.Value{reflect.ValueOf(ok)}
	})
	r.Call([]reflect.Value{yield})
	return list, ok
}
