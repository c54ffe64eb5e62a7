package invariant

import (
	"fmt"
	"reflect"

	"foray.test/engine/seq"
)

// A pair is two observers of a type that may tell the same fact in two ways.
type pair struct {
	words string
	x, y  seq.OpID
	// agree compares what both say. It reports false if that says nothing.
	agree func(t *trial, v any, x, y look) (is, ok bool)
	// text is a Go expression over the texts of both, and of the value.
	text func(t *trial, x, y, v string) string
	// seen counts the numbers told: two ways to say zero are not known to agree.
	seen map[string]int
	// Of the comparisons so far, those that did not agree. Most pairs say different things.
	n, unlike int
}

// off reports whether both are known to say different things.
func (p *pair) off() bool { return p.n >= rareContexts && p.unlike*100 > p.n*mixedPercent }

// findPairs lists the pairs: a number and the length of a list, a list and a look-up. A
// bool that is true of few values only seems to say whether a number is zero.
func (l *Learner) findPairs() {
	for id := range l.observers {
		for _, x := range l.observers[id] {
			for _, y := range l.observers[id] {
				if x != y {
					l.pair(seq.TypeID(id), x.op, y.op)
				}
			}
			l.lookups(seq.TypeID(id), x.op)
		}
	}
}

func (l *Learner) kinds(op seq.OpID) *seq.Type { return &l.Table.Types[l.Table.Ops[op].Results[0]] }

func (l *Learner) single(op seq.OpID) bool { return len(l.Table.Ops[op].Results) == 1 }

func (l *Learner) add(id seq.TypeID, p *pair) {
	p.seen = map[string]int{}
	l.pairs[id] = append(l.pairs[id], p)
}

func (l *Learner) pair(id seq.TypeID, x, y seq.OpID) {
	if !l.single(x) || !l.single(y) {
		return
	}
	a, b := l.kinds(x), l.kinds(y)
	name := func(op seq.OpID) string { return l.Table.Ops[op].Short }
	whole := a.Literal == seq.Int || a.Literal == seq.Uint
	switch {
	case whole && (b.Kind == seq.SliceType || b.Kind == seq.MapType):
		l.add(id, &pair{
			words: fmt.Sprintf("%s is the length of %s", name(x), name(y)), x: x, y: y,
			agree: func(_ *trial, _ any, x, y look) (is, ok bool) {
				return number(x.value) == reflect.ValueOf(y.value).Len(), true
			},
			text: func(_ *trial, x, y, _ string) string { return "int(" + x + ") == len(" + y + ")" },
		})
	}
}

// lookups pairs a list with the methods that look up an element of it.
func (l *Learner) lookups(id seq.TypeID, list seq.OpID) {
	ty := l.kinds(list)
	if ty.Kind != seq.SliceType || !l.single(list) {
		return
	}
	for i := range l.Table.Ops {
		op := &l.Table.Ops[i]
		if op.Kind != seq.Method || !callable(op) || op.Variadic || op.Pre.Panics || len(op.Params) != 2 || op.Params[0] != id || len(op.Results) == 0 {
			continue
		}
		param := &l.Table.Types[op.Params[1]]
		found := &l.Table.Types[op.Results[len(op.Results)-1]]
		if found.Literal == seq.Bool && len(op.Results) <= 2 && (param.Name == ty.Elem || param.IsAny() && ty.Elem == "interface {}" || param.IsAny() && ty.Elem == "any") {
			l.add(id, l.lookup(list, seq.OpID(i)))
		}
	}
}

// maxElements is how many elements of a list are looked up.
const maxElements = 16

func (l *Learner) lookup(list, has seq.OpID) *pair {
	op := &l.Table.Ops[has]
	return &pair{
		words: fmt.Sprintf("%s finds the elements that %s lists", op.Short, l.Table.Ops[list].Short), x: list, y: has,
		agree: func(t *trial, v any, x, _ look) (is, ok bool) {
			r := reflect.ValueOf(x.value)
			if r.Kind() != reflect.Slice || r.Len() == 0 {
				return true, false
			}
			hash, whole := t.Sum(v)
			for i := range min(r.Len(), maxElements) {
				e := r.Index(i).Interface()
				if f, is := e.(float64); is && f != f || isNil(e) {
					return true, false
				}
				results, panicked := t.calls(t.caller, has, v, e)
				if panicked != nil {
					return true, false
				}
				if found, _ := results[len(results)-1].(bool); !found {
					now, _ := t.Sum(v)
					return false, whole && now == hash
				}
			}
			now, _ := t.Sum(v)
			return true, whole && now == hash
		},
		text: func(t *trial, x, _, v string) string {
			blank := ""
			if len(op.Results) == 2 {
				blank = "_, "
			}
			call := string(t.Table.AppendCall(nil, &seq.Step{Op: has, Args: make([]seq.Arg, 2)}, func(dst []byte, i int, _ seq.Hole) []byte {
				return append(dst, []string{v, "x"}[i]...)
			}))
			return "func() bool {\nfor _, x := range " + x + " {\nif " + blank + "found := " + call + "; !found {\nreturn false\n}\n}\nreturn true\n}()"
		},
	}
}

// agreements compares what two observers tell of the arguments and results of the call.
// Where they did not agree before, the call is not to blame.
func (e *around) agreements() {
	for i := range e.own {
		if e.before[i].differ(&e.after[i]) >= 0 {
			e.agreementsOn(&e.after[i])
		}
	}
	for i := range e.made {
		e.agreementsOn(&e.made[i])
	}
}

func (e *around) agreementsOn(v *view) {
	id := e.types[v.slot]
	for k, p := range e.pairs[id] {
		if p.off() {
			continue
		}
		now, ok := e.compare(p, v)
		if !ok {
			continue
		}
		var b *breach
		if p.n++; !now {
			p.unlike++
			// The sequence without the call shows whether it held before.
			if was, known := e.heldBefore(p, v.slot); !known || !was {
				continue
			}
			name := e.slot(v.slot)
			b = e.breach("it does not hold that "+p.words, "", p.text(e.trial, e.saying(p.x, name), e.saying(p.y, name), name))
		}
		e.add(outcome{name: agree, key: fmt.Sprint(":", id, ".", k), arg: -1, words: p.words, breach: b})
	}
}

func (t *trial) saying(op seq.OpID, value string) string {
	if len(t.Table.Ops[op].Params) != 1 {
		return ""
	}
	return string(t.Table.AppendCall(nil, &seq.Step{Op: op, Args: []seq.Arg{{}}}, func(dst []byte, _ int, _ seq.Hole) []byte { return append(dst, value...) }))
}

// compare reports whether a pair agrees on the value of a view.
func (e *around) compare(p *pair, v *view) (is, ok bool) {
	x, ok := e.saw(v, p.x)
	if !ok {
		return false, false
	}
	y := look{}
	if len(e.Table.Ops[p.y].Params) == 1 {
		if y, ok = e.saw(v, p.y); !ok {
			return false, false
		}
	}
	is, ok = p.agree(e.trial, e.vals[v.slot], x, y)
	if ok {
		if len(p.seen) < maxContexts {
			p.seen[x.text]++
		}
	}
	return is, ok && (e.showing || p.telling())
}

// telling reports whether the pair was met with enough different values to mean
// something.
func (p *pair) telling() bool {
	n := 0
	for _, times := range p.seen {
		if times >= fewContexts {
			n++
		}
	}
	return n >= 2
}

// saw returns what an observer showed in a view, or asks it.
func (e *around) saw(v *view, op seq.OpID) (look, bool) {
	for _, k := range v.looks {
		if k.by != nil && k.by.op == op {
			return k, true
		}
	}
	for _, o := range e.observers[e.types[v.slot]] {
		if o.op == op && !o.off {
			return e.ask(o, e.vals[v.slot])
		}
	}
	return look{}, false
}

// heldBefore runs the steps before the call in another trial, and compares there.
func (e *around) heldBefore(p *pair, slot int32) (is, known bool) {
	t := e.Learner.trial(e.caller, e.steps)
	if !t.prefix() {
		return false, false
	}
	if int(slot) >= len(t.vals) {
		return e.heldOfOthers(p, slot)
	}
	before := around{trial: t}
	v := t.see(slot)
	return before.compare(p, &v)
}

// heldOfOthers reports whether a pair agrees on the arguments from which the call may have
// made a value of their type.
func (e *around) heldOfOthers(p *pair, slot int32) (is, known bool) {
	for i := range e.own {
		v := &e.after[i]
		if e.types[v.slot] != e.types[slot] {
			continue
		}
		if same(e.vals[v.slot], e.vals[slot]) {
			return false, false
		}
		if is, ok := e.compare(p, v); !ok || !is {
			return false, false
		}
	}
	return true, true
}

// number returns the value of an integer of any type.
func number(v any) int {
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return int(r.Int())
	case r.CanUint():
		return int(r.Uint())
	}
	return -1
}

// sizes compares the numbers that are lengths of lists before and after a call that
// takes basic values only.
func (e *around) sizes() {
	if e.op().Kind != seq.Method || e.own != 1 || e.op().Variadic || e.op().Spread {
		return
	}
	for k := range e.before[0].looks {
		if k >= len(e.after[0].looks) {
			return
		}
		was, is := &e.before[0].looks[k], &e.after[0].looks[k]
		if was.by == nil || is.by != was.by || !e.measures(was.by.op) {
			continue
		}
		d := number(is.value) - number(was.value)
		for _, up := range []int{1, -1} {
			var b *breach
			if d != 0 && d != up {
				shown := e.saying(was.by.op, e.slot(e.before[0].slot))
				b = e.breach(fmt.Sprintf("%s said %s before, then %s", e.Table.Ops[was.by.op].Short, was.text, is.text), shown,
					fmt.Sprintf("%s-before == 0 || %s-before == %d", shown, shown, up))
			}
			e.add(outcome{name: sizeBy, key: fmt.Sprint(":", was.by.op, up), arg: 0, breach: b,
				words: fmt.Sprintf("%s changes %s by 0 or %+d", e.short(), e.Table.Ops[was.by.op].Short, up)})
		}
	}
}

// measures reports whether an observer is known to tell the length of a list.
func (e *around) measures(op seq.OpID) bool {
	if e.showing {
		return true
	}
	id := e.Table.Ops[op].Params[0]
	for k, p := range e.pairs[id] {
		if p.x != op || e.kinds(p.y).Kind != seq.SliceType {
			continue
		}
		if w := e.laws[agree+fmt.Sprint(":", id, ".", k)]; w != nil && w.agreed() {
			return true
		}
	}
	return false
}
