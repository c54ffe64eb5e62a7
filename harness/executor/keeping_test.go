package executor

import (
	"cmp"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/digest"
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
		{"kept but doubted", 1000, "", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "extreme", engine.Suspect, "keeps it in", "extreme"},
		{"not kept", 1000, "", func(lo, hi int64) bool { return lo*hi%3 == 1 }, "", engine.Suspect, "keeps it in", "not kept"},
		{"an exception", 1000, "Add adds lo and hi.", func(lo, hi int64) bool { return lo == 0 }, "", engine.Suspect, "fails if lo == 0: 4 of 4", "exception"},
		{"an exception of the state", 1000, "Delete deletes a key, if its value is short.", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Suspect, "keeps it in", "exception"},
		{"a condition of the result", 1000, "Get gets a key. It returns false if there is none.", func(lo, hi int64) bool { return lo%97 == 5 && hi%2 == 0 }, "", engine.Error, "keeps it in", "add-has"},
		{"a common exception", 1000, "Add adds lo and hi.", func(lo, hi int64) bool { return lo <= hi }, "", engine.Suspect, "fails if lo <= hi: ", "not kept"},
		{"a documented exception", 1000, "Add adds the integers from lo to hi. If lo <= hi, it adds nothing.", func(lo, hi int64) bool { return lo <= hi }, "", engine.Illegal, "If lo <= hi, it adds nothing.", "documented exception"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, op := newKeeping(tt.doc), &seq.Operation{Declaration: seq.Declaration{Names: []string{"lo", "hi"}}}
			d := digest.New(digest.Limits{MaxNodes: maxNodes})
			for i := range tt.n {
				lo, hi := int64(i%331), int64(i%29)
				if k.count(d, []any{i}, !tt.fails(lo, hi)) {
					k.sample(op, []any{lo, hi}, !tt.fails(lo, hi))
				}
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
