package blame

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

func causeTable() *seqtest.Builder {
	b := seqtest.NewBuilder()
	doc := func(text string) func(*seq.Operation) { return func(op *seq.Operation) { op.Doc = text } }
	b.Add(seq.Func, "New() *p.Q")
	b.Add(seq.Func, "OfSize(int) *p.Q")
	b.Add(seq.Composite, "Empty() *p.Q", seqtest.Shaped(seq.Empty))
	b.Add(seq.Composite, "Zero() *p.Q", func(op *seq.Operation) { op.Zero = true })
	b.Add(seq.Func, "FromParts(int) *p.Q", func(op *seq.Operation) { op.Pre.Sentence = "The caller is responsible for the length." })
	b.Add(seq.FuncLit, "lit() p.Func")
	b.Add(seq.Method, "(*Q).Each(p.Func)")
	b.Add(seq.Method, "(*Q).Put(int)")
	b.Add(seq.Method, "(*Q).Load([]byte) error")
	b.Add(seq.Method, "(*Q).UnmarshalJSON([]byte) error", func(op *seq.Operation) { op.Forwards = "(*Q).Load" })
	b.Add(seq.Method, "(*Q).Dump() []byte")
	b.Add(seq.Method, "(*Q).Get() int")
	b.Add(seq.Method, "(*Q).Len() int")
	b.Add(seq.Method, "(*Q).Iterator() *p.It")
	b.Add(seq.Method, "(*It).Next() bool")
	b.Add(seq.Method, "(*It).Value() int")
	b.Add(seq.Func, "DropInt(int) int", doc("DropInt drops n ints."))
	b.Add(seq.Func, "DropUInt64(int) int", doc("DropUInt64 drops n uint64s."))
	b.Add(seq.Func, "Fold(int) int", doc("Fold folds the first."))
	b.Add(seq.Func, "FoldString(int) int", doc("FoldString folds the first."))
	b.Add(seq.Func, "DropAll(int) int", doc("DropAll drops all."))
	b.Add(seq.Func, "ParseInt(int) int", doc("ParseInt reads a number."))
	b.Add(seq.Func, "ParseBool(int) int", doc("ParseBool reads 1, t, T, true …"))
	return b
}

// Two findings have one cause or two.
func TestCauses(t *testing.T) {
	type found struct {
		steps, signature string
		kind             string
		steps1           int // Verdict.Steps
		slots            []int32
	}
	panics := func(steps, where string) found { return found{steps: steps, signature: "panic:index:" + where} }
	helped := func(steps, where string) found {
		return found{steps: steps, signature: "panic:index:" + where, kind: engine.KindPanic}
	}
	absent := func(steps, where string) found { return found{steps: steps, signature: "panic:nil:" + where} }
	tests := []struct {
		name string
		a, b found
		want bool
	}{
		{
			"one observer and another",
			panics("New(); Put(v0, 1); Dump(v0); Load(v0, v1); Get(v0)", "(*Q).Get"),
			panics("New(); Put(v0, 1); Put(v0, 1); Dump(v0); Load(v0, v1); Put(v0, 2)", "(*Q).Put"), true,
		},
		{
			"by way of an iterator, and of a method that forwards",
			panics("New(); Put(v0, 1); Dump(v0); Load(v0, v1); Iterator(v0); Next(v3); Value(v3)", "(*It).Value"),
			panics("New(); Put(v0, 1); Dump(v0); UnmarshalJSON(v0, v1); Get(v0)", "(*Q).Get"), true,
		},
		{
			"a contract on a value",
			found{steps: "New(); Put(v0, 1); Dump(v0); Load(v0, v1)", signature: "contract:size-not-negative:(*Q).Len", slots: []int32{0}},
			panics("New(); Put(v0, 1); Dump(v0); Load(v0, v1); Get(v0)", "(*Q).Get"), true,
		},
		{
			"a contract on a call",
			found{steps: "New(); Put(v0, 1); Dump(v0); Load(v0, v1); Dump(v0)", signature: "contract:round-trip:(*Q).Load", steps1: 5},
			panics("New(); Put(v0, 1); Dump(v0); Load(v0, v1); Get(v0)", "(*Q).Get"), true,
		},
		{
			"led up to in other ways",
			panics("New(); Dump(v0); Load(v0, v1); Get(v0)", "(*Q).Get"),
			panics("New(); Put(v0, 1); Dump(v0); Load(v0, v1); Len(v0)", "(*Q).Len"), false,
		},
		{
			"filled only",
			panics("New(); Put(v0, 1); Get(v0)", "(*Q).Get"),
			panics("New(); Put(v0, 1); Len(v0)", "(*Q).Len"), false,
		},
		{
			"of another object",
			panics("New(); Dump(v0); New(); Load(v2, v1); Get(v2)", "(*Q).Get"),
			panics("New(); Dump(v0); New(); Load(v2, v1); Get(v0)", "(*Q).Len"), false,
		},
		{"zero values", panics("Zero(); Get(v0)", "(*Q).Get"), panics("Zero(); Iterator(v0); Value(v1)", "(*It).Value"), true},
		{"a maker with a duty", panics("FromParts(3); Get(v0)", "(*Q).Get"), panics("FromParts(3); Len(v0)", "(*Q).Len"), true},
		{"made of nothing", absent("OfSize(0); Get(v0)", "(*Q).Get"), absent("OfSize(0); Put(v0, 1)", "(*Q).Put"), true},
		{"made of nothing, with another argument", absent("OfSize(0); Get(v0)", "(*Q).Get"), absent("OfSize(0); lit(); Each(v0, v1)", "(*Q).Each"), true},
		{"made of something", absent("OfSize(3); Get(v0)", "(*Q).Get"), absent("OfSize(3); Put(v0, 1)", "(*Q).Put"), true},
		{"made by another function", absent("OfSize(3); Get(v0)", "(*Q).Get"), absent("New(); Put(v0, 1)", "(*Q).Put"), false},
		{"literals without fields", absent("Empty(); Get(v0)", "(*Q).Get"), absent("Empty(); Put(v0, 1)", "(*Q).Put"), true},
		{"literals without fields, of which nothing is missing", panics("Empty(); Get(v0)", "(*Q).Get"), panics("Empty(); Put(v0, 1)", "(*Q).Put"), false},
		{"divided, made of something", found{steps: "OfSize(3); Get(v0)", signature: "panic:divide:(*Q).Get"}, found{steps: "OfSize(3); Len(v0)", signature: "panic:divide:(*Q).Len"}, false},
		{"divided, made of nothing", found{steps: "OfSize(0); Get(v0)", signature: "panic:divide:(*Q).Get"}, found{steps: "OfSize(0); Len(v0)", signature: "panic:divide:(*Q).Len"}, true},
		{"made of nothing and filled", absent("OfSize(0); Get(v0)", "(*Q).Get"), absent("OfSize(0); Put(v0, 1); Len(v0)", "(*Q).Len"), false},
		{"made of nothing, of which there is none", panics("OfSize(0); Get(v0)", "(*Q).Get"), panics("OfSize(0); Len(v0)", "(*Q).Len"), false},
		{"functions of one pattern", panics("DropInt(3)", "DropInt"), panics("DropUInt64(3)", "DropUInt64"), true},
		{"another class", panics("DropInt(3)", "DropInt"), found{steps: "DropUInt64(3)", signature: "panic:nil:DropUInt64"}, false},
		{"the name only begins alike", panics("DropInt(3)", "DropInt"), panics("DropAll(3)", "DropAll"), false},
		{"the name only looks like a pattern", panics("ParseInt(3)", "ParseInt"), panics("ParseBool(3)", "ParseBool"), false},
		{"a helper of two types", helped("ParseInt(3)", "(*tableA).lookup"), helped("ParseInt(3)", "(*tableB).lookup"), true},
		{"helpers of functions of one pattern", helped("DropInt(3)", "(*tableA).lookup"), helped("DropUInt64(3)", "(*tableB).lookupString"), true},
		{"helpers of one name, of functions of none", helped("ParseInt(3)", "(*tableA).lookup"), helped("DropAll(3)", "(*tableB).lookup"), false},
		{"helpers of functions of which one is named for a type", helped("Fold(3)", "(*tableA).lookup"), helped("FoldString(3)", "(*tableA).lookupString"), true},
		{"helpers of two names", helped("ParseInt(3)", "(*tableA).lookup"), helped("ParseInt(3)", "(*tableB).find"), false},
		{
			"so much memory that it is refused, or not",
			found{steps: "DropInt(3)", signature: "panic:alloc:DropInt"}, found{steps: "DropInt(9)", signature: "memory:memory:DropInt"}, true,
		},
		{
			"what one function throws",
			found{steps: "DropInt(3)", signature: "panic:explicit:no int:check"}, found{steps: "DropAll(9)", signature: "panic:explicit:too many:check"}, true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := causeTable()
			causes := func(f found) []string {
				s := b.Steps(f.steps)
				v := engine.Verdict{Kind: f.kind, Op: s[len(s)-1].Op, Signature: engine.ParseSignature(f.signature), Steps: f.steps1, Slots: f.slots}
				if f.slots != nil || f.steps1 > 0 {
					v.Kind = engine.KindContract
				}
				return Causes(&b.Table, s, &v)
			}
			one, two := causes(test.a), causes(test.b)
			got := slices.ContainsFunc(one, func(key string) bool { return slices.Contains(two, key) })
			if got != test.want {
				t.Errorf("one cause: %v, want %v\n%q\n%q", got, test.want, one, two)
			}
		})
	}
}

// Findings of one statement, or of numbers that nobody checks, have one cause.
func TestCausesOfVerdicts(t *testing.T) {
	b := causeTable()
	stack := func(frames ...string) string {
		text := ""
		for _, f := range frames {
			name, place, _ := strings.Cut(f, " ")
			text += name + "\n\t/m/" + place + "\n"
		}
		return text
	}
	panics := func(where, stack string) engine.Verdict {
		return engine.Verdict{Kind: engine.KindPanic, Signature: engine.ParseSignature("panic:index:" + where), Stack: stack}
	}
	number := func(tier engine.Tier, rule, where string) engine.Verdict {
		v := panics(where, "")
		v.Tier, v.Rule = tier, rule
		return v
	}
	for _, tt := range []struct {
		name string
		a, b engine.Verdict
		want bool
	}{
		{"a statement of another package", panics("DropInt", stack("h.org/in.at in.go:3", "example.org/p%2ev2.DropInt p.go:1")), panics("DropAll", stack("h.org/in.at in.go:3", "example.org/p%2ev2.DropAll p.go:2")), true},
		{"another statement there", panics("DropInt", stack("h.org/in.at in.go:3", "example.org/p%2ev2.DropInt p.go:1")), panics("DropAll", stack("h.org/in.at in.go:4", "example.org/p%2ev2.DropAll p.go:2")), false},
		{"a statement of the standard library", panics("DropInt", stack("strings.Repeat s.go:3", "example.org/p%2ev2.DropInt p.go:1")), panics("DropAll", stack("strings.Repeat s.go:3", "example.org/p%2ev2.DropAll p.go:2")), false},
		{"a statement of the package", panics("DropInt", stack("example.org/p%2ev2.DropInt p.go:1")), panics("DropAll.func1", stack("example.org/p%2ev2.DropAll.func1 p.go:1")), true},
		{"numbers", number(engine.Suspect, "index", "DropInt"), number(engine.Suspect, "index", "DropAll"), true},
		{"numbers of two kinds", number(engine.Suspect, "index", "DropInt"), number(engine.Suspect, "alloc", "DropAll"), false},
		{"no numbers", number(engine.Suspect, "callee", "DropInt"), number(engine.Suspect, "callee", "DropAll"), false},
		{"surer than suspects", number(engine.Panic, "index", "DropInt"), number(engine.Panic, "index", "DropAll"), false},
	} {
		s := b.Steps("DropInt(1)")
		one, two := Causes(&b.Table, s, &tt.a), Causes(&b.Table, s, &tt.b)
		if got := slices.ContainsFunc(one, func(key string) bool { return slices.Contains(two, key) }); got != tt.want {
			t.Errorf("%s: one cause: %v, want %v\n%q\n%q", tt.name, got, tt.want, one, two)
		}
	}
}

// TestNumberRulesExist: a rule by which causes are told apart is one that judges panics.
func TestNumberRulesExist(t *testing.T) {
	rules := slices.Concat(panicRules(explicit), panicRules(indexRange), doubtRules, limits, crashLimits)
	for _, name := range numberRules {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.name == name }) {
			t.Errorf("no rule is named %q", name)
		}
		if v := (&engine.Verdict{Tier: engine.Suspect, Rule: name}); numberCause(v) == "" {
			t.Errorf("suspects of rule %q have no cause", name)
		}
	}
}
