package blame

import (
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// TestDoubts sees that each doubt is found where it is one, and not beside it.
func TestDoubts(t *testing.T) {
	b := testTable()
	b.Add(seq.Func, "WithLength(int, []int) *p.T", func(op *seq.Operation) { op.Names = []string{"length", "words"} })
	b.Add(seq.Func, "OfWords([]big.Word) *p.T")
	b.Add(seq.Func, "ParseUnsafe(int) *p.T")
	b.Add(seq.Func, "Supply(func() *p.T) *p.T")
	b.Add(seq.Func, "ByEqual(func(any, any) bool) *p.T", func(op *seq.Operation) { op.Names = []string{"eq"} })
	b.Add(seq.FuncLit, "smaller() func(any, any) bool", seqtest.Shaped(seq.Less))
	b.Add(seq.FuncLit, "alike() func(any, any) bool", seqtest.Shaped(seq.Same))
	b.Add(seq.FuncLit, "hash() func(any) uint64", seqtest.Shaped(seq.Hash))
	b.Add(seq.FuncLit, "keep() func(int, any) bool", seqtest.Shaped(seq.Constant))
	b.Add(seq.FuncLit, "found() func(any, any, bool) bool", seqtest.Shaped(seq.Constant))
	b.Add(seq.Func, "Keeping(func(int, any) bool, func(any, any, bool) bool) *p.T")
	b.Add(seq.Func, "Hashed(func(any, any) bool, func(any) uint64) *p.T")
	b.Add(seq.Func, "Ordered(func(any, any) bool, func(any) string) *p.T")
	b.Add(seq.FuncLit, "hoard(*p.T) func() *p.T", seqtest.Shaped(seq.Constant))
	b.Add(seq.Func, "Vouch(int) *p.T", func(op *seq.Operation) { op.Pre.Sentence = "n must be even." })
	b.Add(seq.Func, "Rounded(p.Ordering) *p.T")
	b.Add(seq.Composite, "NewDay() *p.Weekday", func(op *seq.Operation) { op.Shape = seq.New })
	b.Add(seq.Composite, "NewOrder() *p.Ordering", func(op *seq.Operation) { op.Shape = seq.New })
	b.Type("p.Weekday")
	b.Add(seq.Standard, "Stub(int) p.I", seqtest.Shaped(seq.Stub))
	b.Add(seq.Func, "Admit(p.I) *p.T")
	b.Add(seq.Method, "(*Weekday).Text() string")
	b.Add(seq.Method, "(*Ordering).Name() string")
	b.Add(seq.Func, "PutBack(*p.T)", func(op *seq.Operation) { op.Doc = "It must not be used after it was put back." })
	b.Add(seq.Method, "(*T).Piece() *p.Part")
	b.Add(seq.Method, "(*T).Fault() error")
	b.Add(seq.Method, "(*T).Hold(*p.Part)", func(op *seq.Operation) { op.SetsReceiver = true })
	b.Add(seq.Method, "(*T).Reset()")
	b.Add(seq.Method, "(*Part).Use()")
	b.Add(seq.Method, "(*Part).Shut()", func(op *seq.Operation) { op.Doc = "Shut ends it. It must not be used after it." })
	b.Add(seq.Func, "Around(*p.Part) *p.T")
	b.Add(seq.Func, "Wrap(*p.T) *p.T")
	b.Add(seq.Func, "Snap(int) *p.T", func(op *seq.Operation) { op.Doc = "Returned Ts may be invalid." })
	b.Add(seq.Func, "Heed(error)")
	found := map[string]bool{"": true, "disorder": true, "derived": true, "nil before": true, "undecoded": true} // of TestPanic
	for _, tt := range []struct{ steps, want string }{
		{"New(1); Do(v0)", ""},
		{"FromParts(1); Do(v0)", "duty"},
		{"FromParts(1); New(1); Do(v1)", ""},
		{"Vouch(1); Do(v0)", "duty"},
		{"Vouch(1)", ""}, // the call that fails, of its input
		{"WithLength(1, nil); Do(v0)", "length"},
		{"WithLength(0, nil); Do(v0)", ""},
		{"OfWords(nil); Do(v0)", "raw"},
		{"ParseUnsafe(1); Do(v0)", "raw"},
		{"OfWords(nil); New(1); Do(v1)", ""},
		{"Snap(1); Do(v0)", "raw"},
		{"New(1); hoard(v0); Supply(v1); Do(v2)", "same object"},
		{"smaller(); ByEqual(v0); Do(v1)", "disorder"},
		{"smaller(); hash(); Hashed(v0, v1); Do(v2)", "disorder"},
		{"alike(); hash(); Hashed(v0, v1); Do(v2)", ""},
		{"keep(); found(); Keeping(v0, v1); Do(v2)", ""},
		{"smaller(); Ordered(v0, nil); Do(v1)", "nil before"},
		{"New(1); PutBack(v0); Do(v0)", "variable set"},
		{"New(1); Piece(v0); PutBack(v0); Use(v1)", "after end"},
		{"New(1); Piece(v0); Use(v1); PutBack(v0)", ""},
		{"New(1); Piece(v0); Close(v0); Use(v1)", "after end"},
		{"New(1); Piece(v0); New(1); Close(v2); Use(v1)", ""},
		{"New(1); Piece(v0); Around(v1); Close(v0); Do(v2)", "after end"},
		{"New(1); Wrap(v0); Close(v1); Do(v0)", "after end"},
		{"New(1); Wrap(v0); Do(v0)", ""},
		{"New(1); Piece(v0); Around(v1); Close(v2); Use(v1)", ""}, // a Part has no Close
		{"New(1); Piece(v0); New(1); Hold(v2, v1); Shut(v1); Do(v2)", "after end"},
		{"New(1); Part(v0); New(1); Merge(v2, v0); Close(v0); Do(v2)", ""},
		{"New(1); Child(v0); Close(v0); Do(v1)", ""},
		{"New(1); Fault(v0); Close(v0); Heed(v1)", ""},
		{"New(1); Piece(v0); Shut(v1); Do(v0)", ""},
		{"New(1); Close(v0); Reset(v0); Piece(v0); Use(v2)", ""},
		{"Rounded(7); Do(v0)", "enumeration"},
		{"Rounded(7); New(1); Do(v1)", ""},
		{"NewDay(); Text(v0)", "enumeration"},
		{"NewOrder(); Name(v0)", ""},
		{"Stub(1); Admit(v0)", "stub"},
		{"Stub(1); Admit(v0); Do(v1)", "stub"},
		{"Stub(1); New(1); Do(v1)", ""},
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

// A contract of a value that was closed is its caller's, as that of a part of it.
func TestContractAfterEnd(t *testing.T) {
	b := testTable()
	b.Add(seq.Method, "(*T).Piece() *p.Part")
	for steps, want := range map[string]bool{"New(1); Piece(v0)": false, "New(1); Piece(v0); Close(v0)": true} {
		s := b.Steps(steps)
		for slot := range int32(2) {
			if got := NewHistory(&b.Table, s, nil, len(s)).About([]int32{slot}).Doubt().Rule == "after end"; got != want {
				t.Errorf("%s: a doubt of v%d is %v, want %v", steps, slot, got, want)
			}
		}
	}
}
