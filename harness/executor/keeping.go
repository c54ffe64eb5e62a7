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
	"foray.test/engine/seq"
	"foray.test/harness/contract"
	"foray.test/harness/digest"
	"foray.test/harness/naming"
)

// A keeping counts the distinct contexts in which the package keeps a property for which
// only names speak, and those in which it does not.
type keeping struct {
	law      *boundLaw
	spreads  int                // how often it was held with other literals, after a breach
	tries    int                // … after it held
	tried    [1 << allKinds]int // of these, with data of such kinds
	least    engine.Plainness   // contexts count in tallies that are at least so plain
	doc      string             // of the call, or of the operations of a contract and its sentence
	others   string             // of the other operations that keep the property together with the call
	quiet    bool               // a suspicion is not told
	contexts map[uint64]bool
	names    []string                  // of what a condition sees
	tallies  [engine.Plainnesses]tally // of contexts that are so plain, or plainer
}

// A tally is of contexts of one kind.
type tally struct {
	n       int // contexts
	broken  int // … in which the property did not hold
	samples []predicate.Sample
	sampled [2]int // how many: of contexts in which it held, and did not
}

// newKeeping returns a keeping with nothing counted. Exceptions are looked for in the documentation.
func newKeeping(doc ...string) *keeping {
	return &keeping{doc: strings.Join(doc, ". "), contexts: map[uint64]bool{}}
}

// documentation returns that of operations, as sentences.
func documentation(t *seq.Table, ops ...seq.OpID) string {
	var list []string
	for _, id := range ops {
		list = append(list, strings.TrimSuffix(t.Ops[id].Doc, "."))
	}
	return strings.Join(list, ". ")
}

// Count implements [contract.Counter]. It counts nothing in runs that show a finding again.
func (j *judge) Count(l *contract.Law, c *contract.Call, holds bool) {
	j.x.owner.keep() // the law may have called methods by itself
	k := j.keepings[l]
	if j.unkept, j.plain = k, engine.Strange; k == nil || holds && !j.counting {
		return
	}
	isNew := j.counting && k.isNew(j.x.digester, c.Args, holds)
	plain := engine.Strange
	if l.Plain && (isNew || !holds) {
		plain = plainness(c.Args)
	}
	if !holds {
		j.plain = plain
	}
	if isNew {
		k.count(plain, holds, k.conditions(&c.Table.Ops[l.On], c.Args))
	}
	if isNew && holds && plain != engine.Strange {
		j.notes(k, c)
	}
}

// isNew reports whether values are a context that was not met before.
func (k *keeping) isNew(d *digest.Digester, values []any, holds bool) bool {
	if holds && len(k.contexts) >= maxContexts {
		return false
	}
	h := uint64(0)
	for _, v := range values {
		h = (h ^ d.Sum(v).Hash) * 0x9e3779b97f4a7c15
	}
	if k.contexts[h] {
		return false
	}
	k.contexts[h] = true
	return true
}

// meet counts a context of objects, of which nothing is known but whether it is new.
func (k *keeping) meet(d *digest.Digester, objects []any, holds bool) {
	if k.isNew(d, objects, holds) {
		k.count(engine.Strange, holds, nil)
	}
}

// count counts a new context, of which numbers are what a condition sees.
func (k *keeping) count(plain engine.Plainness, holds bool, numbers []int64) {
	for p := k.least; p <= plain; p++ {
		k.tallies[p].count(holds, numbers)
	}
}

func (t *tally) count(holds bool, numbers []int64) {
	kind := 0
	if t.n++; !holds {
		t.broken++
		kind = 1
	}
	if numbers != nil && t.sampled[kind] < maxSamples {
		t.sampled[kind]++
		t.samples = append(t.samples, predicate.Sample{Values: numbers, Fails: !holds})
	}
}

// conditions returns the numbers that a condition sees of the arguments of a call of op:
// integers, and the lengths of texts, slices and maps.
func (k *keeping) conditions(op *seq.Operation, args []any) []int64 {
	if len(args) != len(op.Params) {
		return nil
	}
	values := make([]int64, 0, len(args))
	k.names = k.names[:0]
	for i, v := range args {
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
		values, k.names = append(values, n), append(k.names, name)
	}
	return values
}

// decided reports whether the package does not keep the property, as far as can be told.
func (k *keeping) decided() bool {
	if plain := k.law != nil && k.law.Plain; plain && len(k.contexts) < maxContexts && !k.tallies[engine.Words].breaks() {
		return false
	}
	return k.tallies[engine.Strange].breaks()
}

// keeps reports whether the package keeps the property, of whatever data.
func (k *keeping) keeps() bool { return k.tallies[engine.Strange].keeps() }

// keeps and breaks report whether the property is kept in enough contexts, or is not.
func (t *tally) keeps() bool  { return t.n >= enoughContexts && t.broken*100 <= t.n*brokenPercent }
func (t *tally) breaks() bool { return t.n >= enoughContexts && !t.keeps() }

// fitting returns the tally that settles a breach of data so plain. It is the widest in which the
// package keeps the property, or else that of the plainest contexts.
func (k *keeping) fitting(plain engine.Plainness) (*tally, engine.Plainness) {
	best := engine.Strange
	for p := range plain + 1 {
		if t := &k.tallies[p]; t.keeps() {
			return t, p
		} else if t.n >= enoughContexts {
			best = p
		}
	}
	return &k.tallies[best], best
}

// settle has a breach be an error if the package keeps the property, and tells how rare the
// breach is. It stays a suspicion if a condition on the arguments separates the breaches from
// the rest, or the documentation tells some exception. A documented condition is no breach.
func (k *keeping) settle(v *engine.Verdict) {
	t, plain := k.fitting(v.Plain)
	v.Plain = plain
	if t.n < enoughContexts {
		return
	}
	v.Evidence = fmt.Sprintf("the package keeps it in %d of %d contexts%s", t.n-t.broken, t.n, plain)
	text, separate := predicate.Separate(k.names, t.samples)
	if separate {
		v.Evidence = fmt.Sprintf("fails if %s: %d of %[2]d; otherwise never in %d contexts%s", text, t.sampled[1], t.sampled[0], plain)
		if sentence := mentions(k.doc, text); sentence != "" {
			v.Settle(engine.Ruling{Tier: engine.Illegal, Rule: "documented exception", Reason: v.Evidence + "; " + sentence}, engine.Ruling{})
			return
		}
	}
	undoubted := v.Rule == v.Contract
	v.Reason += "; " + v.Evidence
	switch {
	case !t.keeps():
		v.Settle(engine.Ruling{Tier: engine.Suspect, Rule: "not kept", Reason: v.Reason}, engine.Ruling{})
	case separate, k.law != nil && k.law.Excepted, naming.Excepts(k.doc), naming.Excepts(k.others):
		v.Settle(engine.Ruling{Tier: engine.Suspect, Rule: "exception", Reason: v.Reason}, engine.Ruling{})
	case undoubted:
		v.Claim = engine.ClaimKept
		v.Settle(engine.Ruling{Tier: engine.Error, Rule: v.Rule, Reason: v.Reason}, engine.Ruling{})
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
