package invariant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// An observer is a method that only looks: it takes nothing but its receiver, and its
// results can be printed.
type observer struct {
	op       seq.OpID
	checked  int  // how often its receiver was digested
	changed  int  // … and had changed
	looks    int  // how often it was asked twice
	unstable int  // … and did not say the same
	off      bool // it changes its receiver, or ranges over a map
}

// Bounds on observers.
const (
	maxObservers = 5  // of a type
	checkedRuns  = 16 // a receiver is digested so often …
	recheckOneIn = 64 // … and then once in so many looks
	maxText      = 2048
)

// findObservers lists the candidates. Digests decide later.
func (l *Learner) findObservers() {
	for i := range l.Table.Ops {
		op := &l.Table.Ops[i]
		if op.Kind != seq.Method || !callable(op) || op.Pre.Panics || len(op.Params) != 1 || len(op.Results) == 0 || len(op.Results) > 2 || op.ReturnsError {
			continue
		}
		if !slices.ContainsFunc(op.Results, func(id seq.TypeID) bool { return !l.printable(id) }) {
			l.observers[op.Params[0]] = append(l.observers[op.Params[0]], &observer{op: seq.OpID(i)})
		}
	}
	for _, list := range l.observers {
		// Those that say most come first.
		slices.SortStableFunc(list, func(a, b *observer) int { return l.telling(b.op) - l.telling(a.op) })
	}
}

// telling orders observers: lists, texts, numbers, booleans.
func (l *Learner) telling(op seq.OpID) int {
	best := 0
	for _, r := range l.Table.Ops[op].Results {
		ty := &l.Table.Types[r]
		switch {
		case ty.Kind == seq.SliceType && !ty.IsBytes():
			best = max(best, 3)
		case ty.Literal == seq.String:
			best = max(best, 2)
		case ty.Literal == seq.Int || ty.Literal == seq.Uint:
			best = max(best, 4) // a size, mostly: cheap
		}
	}
	return best
}

// printable reports whether fmt prints values of a type by what they hold.
func (l *Learner) printable(id seq.TypeID) bool {
	ty := &l.Table.Types[id]
	switch {
	case ty.Literal != seq.NoLiteral, ty.IsAny():
		return true
	case ty.Kind == seq.SliceType || ty.Kind == seq.ArrayType:
		return l.basicName(ty.Elem)
	case ty.Kind == seq.MapType:
		return l.basicName(ty.Elem) && l.basicName(ty.Key)
	}
	return false
}

func (l *Learner) basicName(name string) bool {
	name = strings.TrimPrefix(name, "[]")
	return name == "any" || name == "interface{}" || slices.ContainsFunc(l.Table.Types, func(ty seq.Type) bool { return ty.Name == name && ty.Literal != seq.NoLiteral })
}

// A look is what one way to look at a value showed.
type look struct {
	by    *observer // nil for the value itself
	text  string
	value any // the first result of the observer, or the value
}

// A view is what can be seen of the value in a slot.
type view struct {
	slot  int32
	looks []look
}

func (v *view) text() string {
	var b strings.Builder
	for _, k := range v.looks {
		b.WriteString(k.text)
		b.WriteByte('|')
	}
	return b.String()
}

// differ returns the index of the first look that differs, or -1. Both views must be of
// one value: those of different lengths cannot be compared.
func (v *view) differ(w *view) int {
	for i := range v.looks {
		if i < len(w.looks) && v.looks[i].by == w.looks[i].by && v.looks[i].text != w.looks[i].text {
			return i
		}
	}
	return -1
}

// see looks at the value of a slot in all ways that there are.
func (t *trial) see(slot int32) view {
	return view{slot, t.looks(t.types[slot], t.vals[slot])}
}

// looks looks at a value of static type id. The list has the same observers each time,
// unless one panics.
func (t *trial) looks(id seq.TypeID, v any) []look {
	if isNil(v) {
		return nil
	}
	var list []look
	if t.plain(v) {
		if text, ok := sprint(v); ok {
			list = append(list, look{nil, text, v})
		}
		return list
	}
	for _, o := range t.observers[id] {
		if o.off || t.off[o.op] {
			continue
		}
		if k, ok := t.ask(o, v); ok {
			list = append(list, k)
		}
		if len(list) == maxObservers {
			break
		}
	}
	return list
}

// plain reports whether v is seen without a method: a slice or map of basic values.
func (t *trial) plain(v any) bool {
	r := reflect.TypeOf(v)
	switch r.Kind() {
	case reflect.Slice:
		return plainKind(r.Elem())
	case reflect.Map:
		return plainKind(r.Elem()) && plainKind(r.Key())
	}
	return false
}

func plainKind(r reflect.Type) bool {
	switch r.Kind() {
	case reflect.Bool, reflect.String, reflect.Interface:
		return true
	case reflect.Slice:
		return plainKind(r.Elem())
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Struct, reflect.UnsafePointer, reflect.Array:
		return false
	}
	return true // numbers
}

// iterated stands for running an iterator, which no operation does.
var iterated = &observer{}

// maxYields bounds how long an iterator runs.
const maxYields = 64

// collect runs an iterator. It reports false for a value that is none, or panics.
func (t *trial) collect(v any) (k look, ok bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Func || r.IsNil() || !r.Type().CanSeq() && !r.Type().CanSeq2() {
		return k, false
	}
	var list []any
	if !t.caller.Do(func() { list = yields(r) }) {
		return k, false
	}
	text, ok := sprint(list...)
	return look{iterated, text, v}, ok
}

// yields returns the first values that an iterator yields.
func yields(r reflect.Value) (list []any) {
	if r.Type().CanSeq() {
		for x := range r.Seq() {
			if list = append(list, x.Interface()); len(list) >= maxYields {
				break
			}
		}
		return list
	}
	for x, y := range r.Seq2() {
		if list = append(list, x.Interface(), y.Interface()); len(list) >= maxYields {
			break
		}
	}
	return list
}

// ask asks an observer, and checks from time to time that it only looks.
func (t *trial) ask(o *observer, v any) (look, bool) {
	if o == iterated {
		return t.collect(v)
	}
	watched := o.checked < checkedRuns
	if o.checked++; o.checked >= checkedRuns+recheckOneIn {
		o.checked, watched = checkedRuns, true
	}
	var before uint64
	whole := false
	if watched {
		before, whole = t.Sum(v)
	}
	results, panicked := t.calls(t.caller, o.op, v)
	if panicked != nil || len(results) == 0 {
		return look{}, false
	}
	results = slices.Clone(results)
	text, ok := sprint(results...)
	if whole {
		if now, _ := t.Sum(v); now != before {
			if o.changed++; o.changed > 1 {
				o.off = true
			}
		}
	}
	return look{o, text, results[0]}, ok
}

// sprint is fmt.Sprint, or false if a value is not simple, or the text is long.
func sprint(values ...any) (text string, ok bool) {
	for _, v := range values {
		if !simple(reflect.ValueOf(v), maxDepth) {
			return "", false
		}
	}
	text = fmt.Sprint(values...)
	return text, len(text) <= maxText
}

// maxDepth is how deep simple values lie in each other.
const maxDepth = 3

// simple reports whether v is made of basic values only. To print others would run methods
// of objects, which may contain themselves, or tell where they lie in memory.
func simple(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Invalid, reflect.Bool, reflect.String:
		return true
	case reflect.Interface:
		return simple(v.Elem(), depth)
	}
	if v.CanInt() || v.CanUint() && v.Kind() != reflect.Uintptr || v.CanFloat() || v.CanComplex() {
		return true
	}
	if v.NumMethod() > 0 || depth == 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		if v.Len() > maxText {
			return false
		}
		for i := range v.Len() {
			if !simple(v.Index(i), depth-1) {
				return false
			}
		}
		return true
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !simple(it.Key(), depth-1) || !simple(it.Value(), depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}
