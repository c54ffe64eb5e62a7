package executor

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/predicate"
)

// A law by name is an error only if the package keeps it, and a documented exception is
// none.
func TestLawRecordSettle(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n          int
		doc        string
		fails      func(lo, hi int64) bool
		tier       engine.Tier
		says, rule string
	}{
		{"few contexts", 20, "", func(lo, hi int64) bool { return lo == 0 }, engine.Error, "", "add-has"},
		{"kept", 1000, "", func(lo, hi int64) bool { return lo*hi == 90 }, engine.Error, "keeps it in", "add-has"},
		{"not kept", 1000, "", func(lo, hi int64) bool { return lo*hi%3 == 1 }, engine.Suspect, "keeps it in", "not kept"},
		{"a condition", 1000, "Add adds lo and hi.", func(lo, hi int64) bool { return lo >= hi }, engine.Suspect, "fails if lo >= hi: ", "not kept"},
		{"a documented condition", 1000, "Add adds the integers from lo to hi. If hi <= lo, it adds nothing.", func(lo, hi int64) bool { return lo >= hi }, engine.Illegal, "If hi <= lo, it adds nothing.", "documented exception"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &lawRecord{names: []string{"lo", "hi"}, doc: tt.doc}
			for i := range tt.n {
				lo, hi := int64(i%31), int64(i%29)
				fails := tt.fails(lo, hi)
				if r.n++; fails {
					r.broken++
				}
				r.samples = append(r.samples, predicate.Sample{Values: []int64{lo, hi}, Fails: fails})
			}
			v := &engine.Verdict{Tier: engine.Error, Rule: "add-has", Reason: "what was added is there"}
			r.settle(v)
			if v.Tier != tt.tier || v.Rule != tt.rule || !strings.Contains(v.Reason, tt.says) {
				t.Errorf("settled as %s, %s: %s; want %s, %s: %s", v.Tier, v.Rule, v.Reason, tt.tier, tt.rule, tt.says)
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
