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
)

// A keeping counts the distinct contexts in which the package keeps a property for which
// only names speak, and those in which it does not.
type keeping struct {
	doc      string // of the call, or the sentence of a contract
	quiet    bool   // a suspicion is not told
	contexts map[uint64]bool
	n        int // contexts
	broken   int // … in which it did not hold
	names    []string
	samples  []predicate.Sample // of the first contexts of either kind
	sampled  [2]int             // how many: of those that hold, and that do not
}

// A property for which only names speak is a promise of the package's own if the package keeps
// it in 99 % of the contexts tried. There must be enough of them. With 97 % a documented exception
// of the state was told as an error. A planted fault of Put, for one key with one value, showed in
// 0.4 to 3 % of the contexts, so 99 % hides many.
const (
	enoughContexts = 200
	brokenPercent  = 1
	maxSamples     = 1024 // of either kind
	maxContexts    = 1 << 13
)

func newKeeping(doc string) *keeping { return &keeping{doc: doc, contexts: map[uint64]bool{}} }

// Count implements [contract.Counter]. It counts nothing in runs that show a finding again.
func (j *judge) Count(l *contract.Law, c *contract.Call, holds bool) {
	k := j.keepings[l]
	if j.unkept = k; !j.counting || k == nil || !k.count(j.x.digester, c.Args, holds) {
		return
	}
	if op := &c.Table.Ops[l.On]; len(c.Args) == len(op.Params) {
		k.sample(op, c.Args, holds)
	}
}

// count counts the context that values are, and reports whether it is a new one.
func (k *keeping) count(d *digest.Digester, values []any, holds bool) bool {
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
	if k.n++; !holds {
		k.broken++
	}
	return true
}

// sample keeps the numbers that a condition sees of the arguments of a call of op: integers,
// and the lengths of texts, slices and maps.
func (k *keeping) sample(op *seq.Operation, args []any, holds bool) {
	kind := 0
	if !holds {
		kind = 1
	}
	if k.sampled[kind] == maxSamples {
		return
	}
	k.sampled[kind]++
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
	k.samples = append(k.samples, predicate.Sample{Values: values, Fails: !holds})
}

// decided reports whether the package does not keep the property, as far as can be told.
func (k *keeping) decided() bool { return k.n >= enoughContexts && !k.keeps() }

func (k *keeping) keeps() bool { return k.broken*100 <= k.n*brokenPercent }

// settle has a breach be an error if the package keeps the property, and tells how rare the
// breach is. It stays a suspicion if a condition on the arguments separates the breaches from
// the rest, or the documentation tells some exception. A documented condition is no breach.
func (k *keeping) settle(v *engine.Verdict) {
	if k.n < enoughContexts {
		return
	}
	v.Evidence = fmt.Sprintf("the package keeps it in %d of %d contexts", k.n-k.broken, k.n)
	text, separate := predicate.Separate(k.names, k.samples)
	if separate {
		v.Evidence = fmt.Sprintf("fails if %s: %d of %[2]d; otherwise never in %d contexts", text, k.sampled[1], k.sampled[0])
		if sentence := mentions(k.doc, text); sentence != "" {
			v.Settle(engine.Ruling{Tier: engine.Illegal, Rule: "documented exception", Reason: v.Evidence + "; " + sentence}, engine.Ruling{})
			return
		}
	}
	undoubted := v.Rule == v.Contract
	v.Reason += "; " + v.Evidence
	switch {
	case !k.keeps():
		v.Settle(engine.Ruling{Tier: engine.Suspect, Rule: "not kept", Reason: v.Reason}, engine.Ruling{})
	case separate, excepts(k.doc):
		v.Settle(engine.Ruling{Tier: engine.Suspect, Rule: "exception", Reason: v.Reason}, engine.Ruling{})
	case undoubted:
		v.Claim = engine.ClaimKept
		v.Settle(engine.Ruling{Tier: engine.Error, Rule: v.Rule, Reason: v.Reason}, engine.Ruling{})
	}
}

// exceptionWords are words for exceptions, in sentences that do not tell of results. Without them
// a table whose Get expands values ("If the value contains …") is told as broken.
var exceptionWords = []string{"if", "unless", "when", "only", "except", "but", "ignored", "ignores", "otherwise", "most"}

// excepts reports whether a sentence of a documentation tells an exception, of whatever kind.
func excepts(doc string) bool {
	for sentence := range strings.SplitSeq(doc, ". ") {
		words := strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) })
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(exceptionWords, w) }) &&
			!slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "return") || strings.HasPrefix(w, "report") }) {
			return true
		}
	}
	return false
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
