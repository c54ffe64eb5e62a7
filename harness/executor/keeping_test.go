package executor

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
	"foray.test/harness/contract"
	"foray.test/harness/naming"
)

// A property by name is an error only if the package keeps it and nothing speaks against the
// calls. An exception may be meant, and a documented one is none.
func TestKeepingSettle(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          int // contexts
		doc        string
		fails      func(lo, hi int64) bool
		doubt      string // the rule of one
		tier       engine.Tier
		says, rule string
	}{
		{"few contexts", 150, "", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Suspect, "", "add-has"},
		{"kept", 1000, "", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Error, "keeps it in", "add-has"},
		{"kept but doubted", 1000, "", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "duty", engine.Suspect, "keeps it in", "duty"},
		{"not kept", 1000, "", func(lo, hi int64) bool { return lo*hi%3 == 1 }, "", engine.Suspect, "keeps it in", "not kept"},
		{"an exception", 1000, "Add adds lo and hi.", func(lo, hi int64) bool { return lo == 0 }, "", engine.Suspect, "fails if lo == 0: 4 of 4", "exception"},
		{"an exception of the state", 1000, "Delete deletes a key, if its value is short.", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Suspect, "keeps it in", "exception"},
		{"a condition of the result", 1000, "Get gets a key. It returns false if there is none.", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Error, "keeps it in", "add-has"},
		{"a common exception", 1000, "Add adds lo and hi.", func(lo, hi int64) bool { return lo <= hi }, "", engine.Suspect, "fails if lo <= hi: ", "not kept"},
		{"a documented exception", 1000, "Add adds the integers from lo to hi. If lo <= hi, it adds nothing.", func(lo, hi int64) bool { return lo <= hi }, "", engine.Illegal, "If lo <= hi, it adds nothing.", "documented exception"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, op := newKeeping(tt.doc), &seq.Operation{Declaration: seq.Declaration{Names: []string{"lo", "hi"}}, Params: make([]seq.TypeID, 2)}
			for i := range tt.n {
				lo, hi := int64(i%331), int64(i%29)
				k.count(engine.Strange, !tt.fails(lo, hi), k.conditions(op, []any{lo, hi}))
			}
			rule := cmp.Or(tt.doubt, "add-has")
			v := &engine.Verdict{Claim: engine.ClaimName, Tier: engine.Suspect, Contract: "add-has", Rule: rule, Reason: "what was added is there"}
			k.settle(v)
			if v.Tier != tt.tier || v.Rule != tt.rule || !strings.Contains(v.Reason, tt.says) {
				t.Errorf("settled as %s, %s: %s; want %s, %s: %s", v.Tier, v.Rule, v.Reason, tt.tier, tt.rule, tt.says)
			}
			if kept := v.Claim == engine.ClaimKept; kept != (tt.tier == engine.Error) {
				t.Errorf("claim %s of tier %s", v.Claim, v.Tier)
			}
		})
	}
}

// An exception may stand in the documentation of the operation that undoes the call.
func TestKeepingOthers(t *testing.T) {
	for others, want := range map[string]engine.Tier{`String: "String returns the name. The note is ignored"`: engine.Suspect, `String: "String returns the name"`: engine.Error} {
		k := newKeeping("Parse parses a tag.")
		k.others = others
		for i := range 1000 {
			k.count(engine.Strange, i%101 != 5, nil)
		}
		v := &engine.Verdict{Claim: engine.ClaimName, Tier: engine.Suspect, Contract: "parse-equal", Rule: "parse-equal"}
		if k.settle(v); v.Tier != want {
			t.Errorf("%s: settled as %s, want %s", others, v.Tier, want)
		}
		k.law = &boundLaw{Law: contract.Law{Excepted: true}}
		v = &engine.Verdict{Claim: engine.ClaimName, Tier: engine.Suspect, Contract: "parse-equal", Rule: "parse-equal"}
		if k.settle(v); v.Tier != engine.Suspect {
			t.Errorf("%s: settled as %s, though the documentation denies the law", others, v.Tier)
		}
	}
}

// A property that breaks where data are strange, and hardly ever where they are plain, is an
// error if it breaks of plain ones.
func TestKeepingPlain(t *testing.T) {
	count := func(words, broken, marked, strange int) *keeping {
		k := newKeeping("")
		k.law = &boundLaw{Law: contract.Law{Plain: true}}
		for i := range words {
			k.count(engine.Words, i >= broken, nil)
		}
		for range marked {
			k.count(engine.Plain, false, nil)
		}
		for range strange {
			k.count(engine.Strange, false, nil)
		}
		return k
	}
	for _, tt := range []struct {
		name    string
		k       *keeping
		breach  engine.Plainness
		tier    engine.Tier
		settled engine.Plainness
		decided bool
	}{
		{"strange data", count(1000, 4, 0, 900), engine.Strange, engine.Suspect, engine.Strange, false},
		{"plain data", count(1000, 4, 0, 900), engine.Plain, engine.Error, engine.Plain, false},
		{"words", count(1000, 4, 0, 900), engine.Words, engine.Error, engine.Plain, false},
		{"words, marks break it", count(1000, 4, 300, 900), engine.Words, engine.Error, engine.Words, false},
		{"marks that break it", count(1000, 4, 300, 900), engine.Plain, engine.Suspect, engine.Plain, false},
		{"few plain data", count(150, 1, 0, 900), engine.Words, engine.Suspect, engine.Strange, false},
		{"not kept of plain data, either", count(1000, 40, 0, 900), engine.Words, engine.Suspect, engine.Words, true},
		{"kept of all", count(1000, 4, 0, 0), engine.Strange, engine.Error, engine.Strange, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &engine.Verdict{Claim: engine.ClaimName, Tier: engine.Suspect, Contract: "inverse", Rule: "inverse", Plain: tt.breach}
			if tt.k.settle(v); v.Tier != tt.tier || v.Plain != tt.settled || tt.k.decided() != tt.decided {
				t.Errorf("tier %s (%s), of plainness %d, decided %t; want %s, %d, %t", v.Tier, v.Reason, v.Plain, tt.k.decided(), tt.tier, tt.settled, tt.decided)
			}
		})
	}
}

// Contexts are wanted with marks until the package turns out to break those, then without.
func TestTryingPlainness(t *testing.T) {
	k := newKeeping("")
	k.tried[ofText] = 1
	for _, step := range []struct {
		plain    engine.Plainness
		n        int
		holds    bool
		then     engine.Plainness
		contexts string
	}{
		{engine.Words, 100, true, engine.Plain, "few"},
		{engine.Plain, 100, false, engine.Words, "marks that break it"},
		{engine.Words, tryContexts, true, engine.Strange, "enough words"},
	} {
		for range step.n {
			k.count(step.plain, step.holds, nil)
		}
		if got := k.trying(ofText); got != step.then {
			t.Errorf("%s: trying %d, want %d", step.contexts, got, step.then)
		}
	}
}

// Contexts that a spread has made say nothing of strange data.
func TestSpreadCounts(t *testing.T) {
	k := newKeeping("")
	k.law = &boundLaw{Law: contract.Law{Plain: true}}
	k.count(engine.Strange, false, nil)
	k.least = engine.Words
	for range 400 {
		k.count(engine.Words, true, nil)
	}
	k.least = engine.Strange
	k.count(engine.Words, true, nil)
	if got, want := [...]int{k.tallies[0].n, k.tallies[1].n, k.tallies[2].n}, [...]int{2, 1, 401}; got != want {
		t.Errorf("%v contexts by plainness, want %v", got, want)
	}
	v := &engine.Verdict{Claim: engine.ClaimName, Tier: engine.Suspect, Contract: "inverse", Rule: "inverse"}
	if k.settle(v); v.Tier != engine.Suspect {
		t.Errorf("a breach of strange data is settled as %s: %s", v.Tier, v.Reason)
	}
}

// A suspicion that was told is not put into words again.
func TestToldSuspicionIsNotWorded(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	worded := 0
	f.exec.judge.rules = newRules(f.table, []contract.Contract{{
		Name: "test", Arity: 1, Claim: engine.ClaimName, Type: typeTree, Op: opGet, Assert: func() string { worded++; return "" },
		Holds: func(contract.Caller, []any) (bool, string) { return false, "no" },
	}}, nil)
	s, told := seq.Sequence{{Op: opNew}}, 0
	for range 20 {
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(s[0])
		if f.exec.End(s, []int32{0, 0}).Verdict != nil {
			told++
		}
	}
	if told != 1 || worded != 1 {
		t.Errorf("told %d times, put into words %d times; want once", told, worded)
	}
}

func TestPlainness(t *testing.T) {
	type object struct{ text string }
	for _, tt := range []struct {
		value any
		want  engine.Plainness
	}{
		{"a1B", engine.Words}, {"a1.B-_", engine.Plain}, {"", 0}, {"a b", 0}, {"é", 0}, {[]byte("ab"), engine.Words}, {[]byte{0}, 0}, {[]byte{}, 0},
		{7, engine.Words}, {-1_000_001, 0}, {uint64(1_000_001), 0}, {0.5, engine.Words}, {math.NaN(), 0}, {math.Inf(1), 0}, {true, engine.Words},
		{[]string{"a", "b"}, engine.Words}, {[]string{"a.", "b"}, engine.Plain}, {[]string{"a", ""}, 0}, {[]string{}, 0}, {[2]int{}, engine.Words},
		{make([]int, maxPlain-2), engine.Words}, {make([]int, maxPlain), 0}, {make([]int, 10*maxPlain), 0},
		{map[string]int{"a": 1}, engine.Words}, {map[string]any{"a": "\n"}, 0}, {map[string]any{"a": nil}, 0}, {map[string]int{}, 0},
		{&object{"\n"}, engine.Words}, {object{}, engine.Words}, {nil, 0},
	} {
		if got := plainness([]any{1, tt.value}); got != tt.want {
			t.Errorf("plainness(%.60q) = %d, want %d", fmt.Sprint(tt.value), got, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct{ doc, condition, want string }{
		{"Put stores v. A value of \"\" deletes the key; an empty v is no value.", "len(v) == 0", "A value of \"\" deletes the key; an empty v is no value."},
		{"Add adds x. Blank tags are ignored.", "len(tag) == 0", "Blank tags are ignored."},
		{"Drop drops the smallest if there are more than n.", "n <= 3", "Drop drops the smallest if there are more than n."},
		{"Resize sets the size. Negative sizes are clipped.", "size < 0", "Negative sizes are clipped."},
		{"Add adds x.", "x == 0", ""},
		{"Add adds x to the set.", "len(key) == 0", ""},
		{"", "x == 0", ""},
	} {
		if got := mentions(tt.doc, tt.condition); got != tt.want {
			t.Errorf("mentions(%q, %q) = %q, want %q", tt.doc, tt.condition, got, tt.want)
		}
	}
}

// TestContractReadsAllDocumentation: exceptions of a contract are looked for in all that its
// operations are documented to do, also in sentences that no finding quotes.
func TestContractReadsAllDocumentation(t *testing.T) {
	b := seqtest.NewBuilder()
	b.Add(seq.Method, "(*S).Keys() []string", func(op *seq.Operation) {
		op.Doc = "Keys lists the keys. " + strings.Repeat("It takes care of this and of that, too. ", 40) + "Blank ones are ignored."
	})
	b.Add(seq.Method, "(*S).Len() int")
	for _, c := range contract.Bind(&b.Table) {
		if c.Name == "lists-all" {
			if k := newRules(&b.Table, []contract.Contract{c}, nil).byType[c.Type][0].keeping; !naming.Excepts(k.doc) {
				t.Errorf("no exception in %q", k.doc)
			}
			return
		}
	}
	t.Error("no contract lists-all")
}
