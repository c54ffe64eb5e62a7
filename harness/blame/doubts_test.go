package blame

import (
	"math"
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// TestDoubts sees that each doubt is found where it is one, and not beside it.
func TestDoubts(t *testing.T) {
	b := testTable()
	b.Add(seq.Func, "WithLength(int, []int) *p.T", func(op *seq.Operation) { op.Names = []string{"length", "words"} })
	b.Add(seq.Func, "OfWords([]big.Word) *p.T")
	b.Add(seq.Func, "Supply(func() *p.T) *p.T")
	b.Add(seq.Func, "ByEqual(func(any, any) bool) *p.T", func(op *seq.Operation) { op.Names = []string{"equal"} })
	b.Add(seq.FuncLit, "smaller() func(any, any) bool", seqtest.Shaped(seq.Less))
	b.Add(seq.FuncLit, "hoard(*p.T) func() *p.T", seqtest.Shaped(seq.Constant))
	b.Add(seq.Func, "Vouch(int) *p.T", func(op *seq.Operation) { op.Pre.Sentence = "n must be even." })
	b.Add(seq.Func, "Rounded(p.Ordering) *p.T")
	b.Add(seq.Func, "PutBack(*p.T)", func(op *seq.Operation) { op.Doc = "It mustn't be touched after it was put back." })
	b.Add(seq.FuncLit, "reads() func(int) int", seqtest.Shaped(seq.Constant))
	b.Add(seq.Convert, "Adapted(func(int) int) q.Reader")
	b.Add(seq.Convert, "Own(func(int) int) p.Own")
	b.Add(seq.Func, "Over(q.Reader) *p.T")
	b.Add(seq.Func, "OverOwn(p.Own) *p.T")
	found := map[string]bool{"": true, "decoded over": true, "disorder": true, "derived": true, "nil before": true, "undecoded": true} // of TestPanic
	for _, tt := range []struct{ steps, want string }{
		{"New(1); Do(v0)", ""},
		{"FromParts(1); Do(v0)", "duty"},
		{"FromParts(1); New(1); Do(v1)", ""},
		{"Vouch(1); Do(v0)", "duty"},
		{"Vouch(1)", ""}, // the call that fails, of its input
		{"New(9007199254740993); Do(v0)", "extreme"},
		{"New(9007199254740992); Do(v0)", ""},
		{"New(9007199254740993); New(1); Do(v1)", ""},
		{"Ints(); Ranked(v0, v0); Do(v1)", "given twice"},
		{"Ints(); Ints(); Ranked(v0, v1); Do(v2)", ""},
		{"WithLength(1, nil); Do(v0)", "length"},
		{"WithLength(0, nil); Do(v0)", ""},
		{"OfWords(nil); Do(v0)", "raw"},
		{"OfWords(nil); New(1); Do(v1)", ""},
		{"New(1); hoard(v0); Supply(v1); Do(v2)", "same object"},
		{"smaller(); ByEqual(v0); Do(v1)", "disorder"},
		{"reads(); Adapted(v0); Over(v1); Do(v2)", "adapter"},
		{"reads(); Own(v0); OverOwn(v1); Do(v2)", ""},
		{"New(1); PutBack(v0); Do(v0)", "variable set"},
		{"Rounded(7); Do(v0)", "enumeration"},
		{"Rounded(7); New(1); Do(v1)", ""},
	} {
		s := b.Steps(tt.steps)
		if got := NewHistory(&b.Table, s, nil, len(s)-1).Doubt().Rule; got != tt.want {
			t.Errorf("%s: doubt %q, want %q", tt.steps, got, tt.want)
		}
		found[tt.want] = true
	}
	for _, d := range doubts {
		if !found[d.name] {
			t.Errorf("doubt %q: no case needs it", d.name)
		}
	}
}

func TestExtreme(t *testing.T) {
	if !extreme(seq.Lit(&seq.Literal{Value: uint64(math.MaxUint64)})) {
		t.Error("the largest uint64 is not extreme")
	}
}
