package executor

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"foray.test/engine"
	"foray.test/engine/predicate"
	"foray.test/harness/contract"
)

// A lawRecord counts the distinct contexts in which a law by name held, and did not.
type lawRecord struct {
	doc      string // of the call
	contexts map[uint64]bool
	n        int // contexts
	broken   int // … in which it did not hold
	names    []string
	samples  []predicate.Sample // of the first contexts of either kind
	kept     [2]int             // how many: of those that hold, and that do not
}

// A law by name is held if the package keeps it in 99 % of the contexts tried, once there
// are so many.
const (
	enoughContexts = 50
	brokenPercent  = 1
	maxSamples     = 1024 // of either kind: a condition is told only if it is of all contexts
	maxLawContexts = 1 << 13
)

// Count implements [contract.Counter]. It counts nothing in runs that show a finding again.
func (j *judge) Count(l *contract.Law, c *contract.Call, holds bool) {
	if !j.counting {
		return
	}
	r := j.records[l]
	if r == nil || len(r.contexts) >= maxLawContexts {
		return
	}
	h := uint64(0)
	for _, v := range c.Args {
		h = (h ^ j.x.digester.Sum(v).Hash) * 0x9e3779b97f4a7c15
	}
	if r.contexts[h] {
		return
	}
	r.contexts[h] = true
	r.n++
	kind := 0
	if !holds {
		r.broken++
		kind = 1
	}
	if r.kept[kind]++; r.kept[kind] <= maxSamples && len(c.Args) == len(c.Table.Ops[l.On].Params) {
		r.samples = append(r.samples, predicate.Sample{Values: r.measure(c), Fails: !holds})
	}
}

// measure returns the numbers that a condition sees of the arguments of a call: integers,
// and the lengths of texts, slices and maps.
func (r *lawRecord) measure(c *contract.Call) []int64 {
	op := &c.Table.Ops[c.Steps[len(c.Steps)-1].Op]
	values := make([]int64, 0, len(c.Args))
	r.names = r.names[:0]
	for i, v := range c.Args {
		name := fmt.Sprintf("argument %d", i)
		if i < len(op.Names) && op.Names[i] != "" {
			name = op.Names[i]
		}
		n := int64(0)
		switch x := reflect.ValueOf(v); x.Kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			n = x.Int()
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			n = int64(min(x.Uint(), 1<<62))
		case reflect.String, reflect.Slice, reflect.Map:
			n, name = int64(x.Len()), "len("+name+")"
		}
		values, r.names = append(values, n), append(r.names, name)
	}
	return values
}

// settle tells how rare a breach is and, if a condition on the arguments separates the
// breaches from the rest, that condition. A law that the package does not keep is no more
// than a suspicion.
func (r *lawRecord) settle(v *engine.Verdict) {
	if r.n < enoughContexts {
		return
	}
	v.Evidence = fmt.Sprintf("the package keeps it in %d of %d contexts", r.n-r.broken, r.n)
	if text, ok := predicate.Separate(r.names, r.samples); ok && r.kept[0] <= maxSamples && r.kept[1] <= maxSamples {
		v.Evidence = fmt.Sprintf("fails if %s: %d of %d; otherwise never in %d contexts", text, r.broken, r.broken, r.n-r.broken)
		if sentence := mentions(r.doc, text); sentence != "" {
			v.Settle(engine.Ruling{Tier: engine.Illegal, Rule: "documented exception", Reason: v.Evidence + "; " + sentence}, engine.Ruling{})
			return
		}
	}
	v.Reason += "; " + v.Evidence
	if r.broken*100 > r.n*brokenPercent {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "not kept", Reason: v.Reason})
	}
}

// mentions returns the sentence of a documentation that speaks of a condition, if one does.
// Such a sentence names all variables of the condition, or their state, and a case.
func mentions(doc, condition string) string {
	fields := strings.FieldsFunc(condition, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	for sentence := range strings.SplitSeq(doc, ". ") {
		words := strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		has := func(list ...string) bool {
			return slices.ContainsFunc(list, func(w string) bool { return slices.Contains(words, strings.ToLower(w)) })
		}
		all := true
		for _, name := range fields {
			if _, err := strconv.Atoi(name); err != nil && name != "len" {
				all = all && has(name)
			}
		}
		state := strings.HasPrefix(condition, "len(") && has("empty", "blank") || strings.Contains(condition, "< 0") && has("negative") || strings.Contains(condition, " 0") && has("zero")
		if (all || state) && (has("if", "when", "unless", "otherwise", "ignored", "for") || state) {
			return strings.TrimSuffix(strings.TrimSpace(sentence), ".") + "."
		}
	}
	return ""
}
