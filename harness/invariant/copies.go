package invariant

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"foray.test/engine/seq"
)

// alias makes a call that is given its receiver as another argument, and the same call
// with an equal object in its place. The second object comes from running the steps again.
func (l *Learner) alias(c Caller, s seq.Sequence) []outcome {
	t := l.trial(c, s)
	op := t.op()
	if op.Kind != seq.Method || t.call().Args[0].Lit != nil || !l.Table.Types[op.Params[0]].IsPointer() {
		return nil
	}
	recv := t.call().Args[0].Slot
	var outcomes []outcome
	for j := 1; j < len(t.call().Args); j++ {
		if op.Param(j) != op.Params[0] {
			continue
		}
		one, context, ok1 := t.aliased(recv, j, false)
		two, _, ok2 := t.aliased(recv, j, true)
		if !ok1 || !ok2 {
			continue
		}
		o := outcome{
			name: aliased, key: fmt.Sprint(":", op.Params[0]), unit: t.call().Op, arg: -1, context: context,
			words: "methods do the same, given their own receiver or an equal object",
		}
		for k := range one {
			if one[k].text != two[k].text {
				o.breach = t.unlike(recv, j, &one[k], &two[k])
				break
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// A told is what a call told, and the text that asks for it: a result with $$ for it, or
// the receiver.
type told struct {
	look
	result int // -1 is the receiver
}

// aliased makes the call with its receiver as argument j, or with an equal object there,
// and returns what it told.
func (t *trial) aliased(recv int32, j int, copied bool) (list []told, context uint64, ok bool) {
	if !t.prefix() || isNil(t.vals[recv]) {
		return nil, 0, false
	}
	args := t.arguments(t.last())
	args[j] = args[0]
	context = t.context([]view{t.see(recv)})
	if copied {
		own := t.vals
		t.vals = nil
		if !t.prefix() {
			return nil, 0, false
		}
		args[j], t.vals = t.vals[recv], own
	}
	other := view{recv, t.looks(t.types[recv], args[j])}
	results, panicked := t.calls(t.caller, t.call().Op, args...)
	if panicked != nil {
		return nil, 0, false
	}
	results = append([]any{}, results...)
	if now := (view{recv, t.looks(t.types[recv], args[j])}); copied && other.differ(&now) >= 0 {
		return nil, 0, false // it writes to its argument, which may well be its receiver
	}
	for i, r := range results {
		if text, ok := sprint(r); ok && t.printable(t.op().Results[i]) {
			list = append(list, told{look{nil, text, r}, i})
			continue
		}
		for _, k := range t.looks(t.op().Results[i], r) {
			list = append(list, told{k, i})
		}
	}
	for _, k := range t.looks(t.types[recv], args[0]) {
		list = append(list, told{k, -1})
	}
	return list, context, len(list) > 0
}

// names finds the variables that a line of a sequence declares.
var names = regexp.MustCompile(`(?m)^(v\d+[a-z]*(?:, v\d+[a-z]*)*) := `)

// unlike returns the breach that a call tells something else of a copy.
func (t *trial) unlike(recv int32, j int, one, two *told) *breach {
	steps := t.steps[:t.last()]
	text := t.Table.String(steps)
	if strings.Contains(text, "$") {
		return nil
	}
	var vars []string
	for _, m := range names.FindAllStringSubmatch(text, -1) {
		vars = append(vars, strings.Split(m[1], ", ")...)
	}
	if len(vars) != len(t.types[:steps.Slots(t.Table)]) {
		return nil
	}
	asked := func(other string) string {
		call := t.called(func(i int) string {
			switch {
			case i == j:
				return other
			case t.call().Args[i].Lit == nil:
				return vars[t.call().Args[i].Slot]
			}
			return ""
		})
		if one.result < 0 {
			return call + "\nreturn " + t.shown(one.by, vars[recv]) + "\n"
		}
		results := make([]string, len(t.op().Results))
		for i := range results {
			results[i] = "_"
		}
		results[one.result] = "told"
		return strings.Join(results, ", ") + " := " + call + "\nreturn " + t.shown(one.by, "told") + "\n"
	}
	use := strings.Repeat("_, ", len(vars)-1) + "_ = " + strings.Join(vars, ", ") + "\n"
	assert := "func() bool {\n" +
		"own := func() string {\n" + text + use + asked(vars[recv]) + "}\n" +
		"equal := func() string {\n" + text + use + "other := func() " + t.Table.Types[t.types[recv]].Name + " {\n" + text + use + "return " + vars[recv] + "\n}()\n" + asked("other") + "}\n" +
		"return own() == equal()\n}()"
	b := t.breach(fmt.Sprintf("%s tells %s, given its own receiver, and %s, given an equal object", t.short(), one.text, two.text), "", assert)
	b.steps = len(t.steps)
	return b
}

// decode encodes the arguments of the call as JSON once it is made, decodes that into a
// new value, and compares what both show.
func (l *Learner) decode(c Caller, s seq.Sequence) []outcome {
	t := l.trial(c, s)
	if !t.prefix() || !t.run(t.last()) {
		return nil
	}
	var outcomes []outcome
	for n := len(t.vals) - 1; n >= 0; n-- {
		slot := int32(n)
		if t.call().Takes(slot) || n >= len(t.vals)-len(t.op().Results) {
			if o, ok := t.decoded(slot); ok {
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

// decoded compares a value with what its JSON decodes to.
func (t *trial) decoded(slot int32) (o outcome, ok bool) {
	ty, v := &t.Table.Types[t.types[slot]], t.vals[slot]
	r := reflect.TypeOf(v)
	if t.holdsObjects(slot) || isNil(v) || ty.Kind != seq.PointerType || ty.Hidden || r.Kind() != reflect.Pointer {
		return o, false
	}
	was := t.see(slot)
	if len(was.looks) == 0 || !utf8.ValidString(was.text()) { // JSON is UTF-8
		return o, false
	}
	part := Part(len(t.Table.Ops)) + Part(t.types[slot])
	if t.off[part] {
		return o, false
	}
	t.Running(part)
	var data []byte
	to, whole := reflect.New(r.Elem()), false
	returned := t.caller.Do(func() {
		var err error
		if data, err = json.Marshal(v); err == nil {
			whole = json.Unmarshal(data, to.Interface()) == nil
		}
	})
	if !returned || !whole {
		return o, false
	}
	is := view{slot, t.looks(t.types[slot], to.Interface())}
	if len(is.looks) != len(was.looks) {
		return o, false
	}
	o = outcome{
		name: decoded, key: ":" + ty.Name, typ: t.types[slot], unit: t.call().Op, arg: -1, context: t.context([]view{was}),
		words: "encoding/json keeps what the methods of " + ty.Name + " tell",
	}
	if k := was.differ(&is); k >= 0 {
		name, coding := t.slot(slot), t.Table.ImportName("encoding/json")
		o.breach = t.breach(fmt.Sprintf("JSON %s decodes to a value that tells %s, not %s", data, is.looks[k].text, was.looks[k].text), "",
			"func() bool {\ndata, err := "+coding+".Marshal("+name+")\nvar decoded "+ty.Elem+"\nif err != nil || "+coding+".Unmarshal(data, &decoded) != nil {\nreturn true\n}\n"+
				"return "+t.shown(was.looks[k].by, "(&decoded)")+" == "+t.shown(was.looks[k].by, name)+"\n}()")
	}
	return o, true
}

// holdsObjects reports whether the object of a slot may hold others as interfaces: JSON
// does not keep their types, and one may be the object itself.
func (t *trial) holdsObjects(slot int32) bool {
	_, steps := t.reach(slot, func(int, int32) bool { return true })
	return slices.ContainsFunc(append(steps, t.last()), func(i int) bool {
		op := &t.Table.Ops[t.steps[i].Op]
		for k, a := range t.steps[i].Args {
			if a.Lit == nil && t.Table.Types[op.Param(k)].Interface {
				return true
			}
		}
		return false
	})
}

// spareRoom is how many elements lie behind the end of a slice that a call is given.
const spareRoom = 4

// maxElements is how many elements such a slice has.
const maxElements = 16

// spare gives the call slices with room behind their end, and looks there afterwards.
func (l *Learner) spare(c Caller, s seq.Sequence) []outcome {
	t := l.trial(c, s)
	if len(t.op().Results) == 0 {
		return nil
	}
	var outcomes []outcome
	for j, a := range t.call().Args {
		id := t.op().Param(j)
		if a.Lit != nil || l.Table.Types[id].Kind != seq.SliceType || t.op().Kind == seq.Method && j == 0 || !t.prefix() {
			continue
		}
		v := reflect.ValueOf(t.vals[a.Slot])
		if v.Kind() != reflect.Slice || v.Len() == 0 || v.Len() > maxElements || !plainKind(v.Type().Elem()) {
			continue
		}
		context := t.context([]view{t.see(a.Slot)})
		room := reflect.MakeSlice(v.Type(), v.Len(), v.Len()+spareRoom)
		reflect.Copy(room, v)
		args := t.arguments(t.last())
		args[j] = room.Interface()
		if _, panicked := t.calls(c, t.call().Op, args...); panicked != nil {
			continue
		}
		o := outcome{name: spareKept, arg: j, unit: t.call().Op, context: context, words: "calls leave what lies behind the end of their slice arguments"}
		all := room.Slice3(0, room.Cap(), room.Cap())
		if behind := all.Slice(v.Len(), room.Cap()); !zero(behind) {
			text, _ := sprint(behind.Interface())
			list := t.slot(a.Slot)
			name := l.Table.Types[t.types[a.Slot]].Name
			call := t.called(func(i int) string {
				if i == j {
					return "list"
				}
				return ""
			})
			o.breach = t.breach("it writes behind the end of the slice that it is given: "+text, "",
				fmt.Sprintf("func() bool {\nlist := append(make(%s, 0, len(%s)+%d), %s...)\n%s\nfor _, x := range list[len(list):cap(list)] {\nif y := %s.ValueOf(x); y.IsValid() && !y.IsZero() {\nreturn false\n}\n}\nreturn true\n}()",
					name, list, spareRoom, list, call, l.Table.ImportName("reflect")))
			o.breach.steps = t.last()
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func zero(list reflect.Value) bool {
	for i := range list.Len() {
		if !list.Index(i).IsZero() {
			return false
		}
	}
	return true
}
