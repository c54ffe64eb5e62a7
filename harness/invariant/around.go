package invariant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// around looks at values before and after a call, and after it is repeated.
func (l *Learner) around(c Caller, s seq.Sequence) []outcome {
	t := l.trial(c, s)
	if !t.prefix() {
		return nil
	}
	e := around{trial: t}
	own, others := e.watched()
	for _, n := range slices.Concat(own, others) {
		e.before = append(e.before, t.see(n))
	}
	e.own = len(own)
	e.context = t.context(e.before)
	if !t.run(t.last()) {
		return nil
	}
	e.results = t.vals[len(t.vals)-len(t.op().Results):]
	for _, v := range e.before {
		e.after = append(e.after, t.see(v.slot))
	}
	e.seeResults()
	e.ownArguments()
	e.bystanders()
	e.looksAgain()
	e.secondCall()
	return e.outcomes
}

// An around is the experiment of looking around a call.
type around struct {
	*trial
	own           int // so many of the views are of arguments of the call
	before, after []view
	made          []view // of the results
	results       []any
	context       uint64
	outcomes      []outcome
}

// seeResults looks at the results of the call.
func (e *around) seeResults() {
	first := len(e.vals) - len(e.results)
	for i, r := range e.results {
		if slot := int32(first + i); !isNil(r) && e.Table.Types[e.types[slot]].Literal == seq.NoLiteral {
			v := e.see(slot)
			if k, ok := e.collect(r); ok {
				v.looks = append(v.looks, k)
			}
			e.made = append(e.made, v)
		}
	}
}

// maxOthers bounds the objects that are watched beside the arguments.
const maxOthers = 3

// watched returns the slots of the call's arguments, each once, and of other objects that
// were made of them or that they were made of.
func (e *around) watched() (own, others []int32) {
	for i, a := range e.call().Args {
		if a.Lit == nil && e.Table.Types[e.op().Param(i)].Literal == seq.NoLiteral && !slices.Contains(own, a.Slot) && !isNil(e.vals[a.Slot]) {
			own = append(own, a.Slot)
		}
	}
	for n := int32(len(e.vals)) - 1; n >= 0 && len(others) < maxOthers; n-- {
		if slices.ContainsFunc(own, func(m int32) bool { return m == n || same(e.vals[m], e.vals[n]) }) || isNil(e.vals[n]) || e.broken(n) || e.Table.Types[e.types[n]].Literal != seq.NoLiteral {
			continue
		}
		if _, ok := e.related(n, own); ok {
			others = append(others, n)
		}
	}
	return own, others
}

// related returns the operation that made slot n of one of the arguments, or one of the
// arguments of n. It reports false if there is none, or if the two share a part
// otherwise: another step took both, or they are one object.
func (e *around) related(n int32, own []int32) (maker seq.OpID, ok bool) {
	for _, m := range own {
		from, to := m, n
		if m > n {
			from, to = n, m
		}
		made := e.steps.Maker(e.Table, to)
		if !e.steps[made].Takes(from) || same(e.vals[n], e.vals[m]) || !e.Table.Ops[e.steps[made].Op].API {
			continue
		}
		if e.shared(n, own, made, from) {
			return 0, false
		}
		return e.steps[made].Op, true
	}
	return 0, false
}

// shared reports whether slot n may share a part with one of own, because steps took both
// or what they are made of. The step that made one of the two of the slot from is left out.
func (e *around) shared(n int32, own []int32, made int, from int32) bool {
	reached, _ := e.reach(n, func(step int, slot int32) bool { return step != made || slot != from })
	return slices.ContainsFunc(own, func(m int32) bool { return reached[m] })
}

// same reports whether two values are one object.
func same(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() == y.Kind() && x.Kind() == reflect.Pointer && x.Pointer() == y.Pointer()
}

func (e *around) add(o outcome) {
	o.unit, o.context, o.class = e.call().Op, e.context, class(e.results)
	e.outcomes = append(e.outcomes, o)
}

// changed returns the breach that view i shows, nil if the call left it as it was.
func (e *around) changed(i int, how string) *breach {
	k := e.before[i].differ(&e.after[i])
	if k < 0 {
		return nil
	}
	was, is := &e.before[i].looks[k], &e.after[i].looks[k]
	shown := e.shown(was.by, e.slot(e.before[i].slot))
	name := "it holds"
	if was.by != nil {
		name = e.Table.Ops[was.by.op].Short + " said"
	}
	return e.breach(fmt.Sprintf("%s: %s %s before, then %s", how, name, was.text, is.text), shown, shown+" == before")
}

// arguments compares the arguments that are no receiver. A call without results is made
// for what it changes.
func (e *around) ownArguments() {
	if len(e.op().Results) == 0 || e.op().ReturnsError && len(e.op().Results) == 1 {
		return
	}
	for i := range e.own {
		arg := slices.Index(e.call().Args, seq.Arg{Slot: e.before[i].slot})
		if len(e.before[i].looks) == 0 || arg == 0 && e.op().Kind == seq.Method || e.op().Param(arg) == e.op().Params[0] && e.op().Kind == seq.Method {
			continue
		}
		kind := e.Table.Types[e.types[e.before[i].slot]].Kind.String()
		if e.before[i].text() == "[]|" {
			continue
		}
		e.add(outcome{
			name: argumentKept, key: ":" + kind, arg: arg,
			words:  "calls leave their " + kind + " arguments as they were",
			breach: e.changed(i, "it changes the "+kind+" that it is given"),
		})
	}
}

// bystanders compares objects that are no arguments of the call.
func (e *around) bystanders() {
	moved := false
	for i := range e.own {
		moved = moved || e.before[i].differ(&e.after[i]) >= 0
	}
	own := make([]int32, e.own)
	for i := range own {
		own[i] = e.before[i].slot
	}
	for i := e.own; i < len(e.before); i++ {
		maker, ok := e.related(e.before[i].slot, own)
		if !ok || len(e.before[i].looks) == 0 {
			continue
		}
		b := e.changed(i, "a call changes another object than its own")
		if b == nil && !moved {
			continue // nothing happened
		}
		if e.Excuses(maker, -1) {
			continue
		}
		e.add(outcome{
			name: othersKept, key: fmt.Sprint(":", maker), arg: -1, copies: slices.ContainsFunc(own, func(m int32) bool { return e.types[m] == e.types[e.before[i].slot] }),
			words:  "calls on one of the two objects that " + e.Table.Ops[maker].Short + " leaves do not change the other",
			breach: b,
		})
	}
}

// looksAgain looks at the arguments and results a second time, in another order.
func (e *around) looksAgain() {
	for i := range e.own {
		e.lookAgain(&e.after[i])
	}
	for i := range e.made {
		e.lookAgain(&e.made[i])
	}
}

func (e *around) lookAgain(v *view) {
	for k := len(v.looks) - 1; k >= 0; k-- {
		first := &v.looks[k]
		if first.by == nil {
			continue
		}
		second, ok := e.ask(first.by, e.vals[v.slot])
		if !ok {
			continue
		}
		o := first.by
		out := outcome{name: repeats, key: fmt.Sprint(":", o.op), arg: -1}
		if o == iterated {
			out.key, out.words = ":iterator", "iterators that calls return yield the same when they run again"
		} else {
			out.words = e.Table.Ops[o.op].Short + " says the same when it is asked again, after other observers"
			if o.looks++; second.text != first.text {
				if o.unstable++; o.unstable > 2 && o.unstable*50 > o.looks {
					o.off = true // a random order
				}
			}
		}
		if second.text != first.text {
			out.breach = e.unsteady(v, k)
		}
		e.add(out)
	}
}

// unsteady returns the breach that look k of v says something else after the others.
func (e *around) unsteady(v *view, k int) *breach {
	name := e.slot(v.slot)
	shown := e.shown(v.looks[k].by, name)
	var b strings.Builder
	b.WriteString("func() bool {\nfirst := " + shown + "\n")
	for _, other := range v.looks[k+1:] {
		b.WriteString("_ = " + e.shown(other.by, name) + "\n")
	}
	b.WriteString("return " + shown + " == first\n}()")
	if v.looks[k].by == iterated {
		return e.breach("the iterator yields something else when it runs again, not "+v.looks[k].text, "", b.String())
	}
	return e.breach(e.Table.Ops[v.looks[k].by.op].Short+" says something else when it is asked again, not "+v.looks[k].text, "", b.String())
}

// secondCall makes the call again: a call that nearly always settles things changes
// nothing then.
func (e *around) secondCall() {
	if e.own == 0 || e.op().Kind != seq.Method || e.before[0].differ(&e.after[0]) < 0 {
		return
	}
	before := e.trial.see(e.before[0].slot)
	results, panicked := e.calls(e.caller, e.call().Op, e.trial.arguments(e.last())...)
	if panicked != nil {
		return
	}
	kind := class(results)
	now := e.trial.see(e.before[0].slot)
	var b *breach
	if k := before.differ(&now); k >= 0 {
		shown := e.shown(before.looks[k].by, e.slot(now.slot))
		call := e.called(func(int) string { return "" })
		b = e.breach("a second call changes it again: "+before.looks[k].text+", then "+now.looks[k].text, "",
			"func() bool {\nbefore := "+shown+"\n"+call+"\nreturn "+shown+" == before\n}()")
	}
	e.add(outcome{name: again, arg: 0, words: "a second " + e.short() + " changes nothing", breach: b})
	e.outcomes[len(e.outcomes)-1].class += kind
}
