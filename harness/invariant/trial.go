package invariant

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// A trial is a sequence that runs anew, up to a call, and the texts that show it.
type trial struct {
	*Learner
	caller Caller
	steps  seq.Sequence // the call is the last
	vals   []any        // by slot
	types  []seq.TypeID
	slots  []int32 // what the texts of a breach refer to, in order
}

func (l *Learner) trial(c Caller, s seq.Sequence) *trial {
	return &trial{Learner: l, caller: c, steps: s, types: s.SlotTypes(l.Table)}
}

// prefix runs all but the call, and reports whether they returned.
func (t *trial) prefix() bool {
	t.vals = t.vals[:0]
	for i := range t.steps[:len(t.steps)-1] {
		if !t.run(i) {
			return false
		}
	}
	return true
}

// run runs step i and reports whether it returned.
func (t *trial) run(i int) bool {
	results, panicked := t.calls(t.caller, t.steps[i].Op, t.arguments(i)...)
	if panicked != nil || len(results) != len(t.Table.Ops[t.steps[i].Op].Results) {
		return false
	}
	t.vals = append(t.vals, results...)
	return true
}

func (t *trial) arguments(i int) []any {
	args := make([]any, 0, len(t.steps[i].Args))
	for _, a := range t.steps[i].Args {
		if a.Lit != nil {
			args = append(args, a.Lit.Boxed)
		} else {
			args = append(args, t.vals[a.Slot])
		}
	}
	return args
}

// reach returns the objects that slot n may share a part with, and the steps that linked
// them: those that took or made two of them. Links reports the arguments of a step that count.
func (t *trial) reach(n int32, links func(step int, slot int32) bool) (slots map[int32]bool, steps []int) {
	slots = map[int32]bool{n: true}
	taken := make([]bool, t.last())
	for more := true; more; {
		more = false
		slot := int32(0)
		for i := range taken {
			var linked []int32
			for _, a := range t.steps[i].Args {
				if a.Lit == nil && links(i, a.Slot) {
					linked = append(linked, a.Slot)
				}
			}
			for range t.Table.Ops[t.steps[i].Op].Results {
				linked = append(linked, slot)
				slot++
			}
			linked = slices.DeleteFunc(linked, func(m int32) bool { return t.Table.Types[t.types[m]].Literal != seq.NoLiteral })
			if taken[i] || !slices.ContainsFunc(linked, func(m int32) bool { return slots[m] }) {
				continue
			}
			taken[i], more = true, true
			steps = append(steps, i)
			for _, m := range linked {
				slots[m] = true
			}
		}
	}
	return slots, steps
}

func (t *trial) last() int          { return len(t.steps) - 1 }
func (t *trial) call() *seq.Step    { return &t.steps[len(t.steps)-1] }
func (t *trial) op() *seq.Operation { return &t.Table.Ops[t.call().Op] }
func (t *trial) short() string      { return t.op().Short }

// context returns a hash of the values before the call: of the arguments, and of what
// can be seen of them.
func (t *trial) context(views []view) uint64 {
	h := fnv(0, t.op().Name)
	for _, a := range t.call().Args {
		if a.Lit != nil {
			text, _ := sprint(a.Lit.Value)
			h = fnv(h, text)
		}
	}
	for i := range views {
		h = fnv(h, views[i].text())
	}
	return h
}

func fnv(h uint64, s string) uint64 {
	h ^= 14695981039346656037
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// class returns the class of the results of a call: which are true, and which nil.
func class(results []any) string {
	var b strings.Builder
	for _, r := range results {
		v := reflect.ValueOf(r)
		switch {
		case isNil(r):
			b.WriteByte('0')
		case v.Kind() == reflect.Bool:
			b.WriteString(strconv.FormatBool(v.Bool())[:1])
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// The texts of a breach.

func (t *trial) slot(n int32) string {
	i := slices.Index(t.slots, n)
	if i < 0 {
		i = len(t.slots)
		t.slots = append(t.slots, n)
	}
	return "$" + strconv.Itoa(i)
}

// shown returns the text that prints what an observer says of a value with a text.
func (t *trial) shown(o *observer, value string) string {
	if o == iterated {
		return t.collected(value)
	}
	if o != nil {
		value = string(t.Table.AppendCall(nil, &seq.Step{Op: o.op, Args: []seq.Arg{{}}}, func(dst []byte, _ int, _ seq.Hole) []byte { return append(dst, value...) }))
	}
	return t.Table.ImportName("fmt") + ".Sprint(" + value + ")"
}

// collected returns the text that prints what an iterator yields.
func (t *trial) collected(value string) string {
	vars := "x"
	if i, err := strconv.Atoi(value[1:]); err == nil && strings.Count(t.Table.Types[t.types[t.slots[i]]].Name, "Seq2") > 0 {
		vars = "x, y"
	}
	return fmt.Sprintf("func() string {\nvar list []any\nfor %s := range %s {\nif list = append(list, %s); len(list) >= %d {\nbreak\n}\n}\nreturn %s.Sprint(list...)\n}()",
		vars, value, vars, maxYields, t.Table.ImportName("fmt"))
}

// called returns the text of the call, with arg in the place of its arguments, or false
// if one cannot be written.
func (t *trial) called(arg func(i int) string) string {
	return string(t.Table.AppendCall(nil, t.call(), func(dst []byte, i int, h seq.Hole) []byte {
		a := t.call().Args[i]
		if text := arg(i); text != "" {
			return append(dst, text...)
		}
		if a.Lit != nil {
			text := string(t.Table.AppendLiteral(nil, a.Lit, t.op().Param(i), h))
			return append(dst, strings.ReplaceAll(text, "$", `\x24`)...)
		}
		return append(dst, t.slot(a.Slot)...)
	}))
}

// breach returns a breach with the texts so far.
func (t *trial) breach(detail, before, assert string) *breach {
	b := &breach{detail: line(detail), before: before, assert: assert, slots: t.slots, steps: len(t.steps)}
	t.slots = nil
	return b
}

// line returns a text on one line, and not too long.
func line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxDetail {
		s = strings.ToValidUTF8(s[:maxDetail], "") + " …"
	}
	return s
}

const maxDetail = 300
