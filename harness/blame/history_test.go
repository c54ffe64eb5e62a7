package blame

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestTaints(t *testing.T) {
	one := new(int)
	b := testTable()
	tests := []struct {
		name   string
		steps  string
		values []any
		want   []Taint
	}{
		{"sound", "New(1); Child(v0)", nil, []Taint{0, 0}},
		{"zero value", "Zero()", nil, []Taint{TaintZero}},
		{"made from a zero value", "Zero(); Child(v0)", nil, []Taint{TaintZero, TaintDerived}},
		{"zero value, asserted", "Zero(); Asserted(v0)", nil, []Taint{TaintZero, TaintZero}},
		{"filled with a zero value", "New(1); Zero(); Merge(v0, v1)", nil, []Taint{TaintDerived, TaintZero}},
		{"initialised", "Zero(); UnmarshalText(v0, nil)", nil, []Taint{0, 0}},
		{"nil literal", "NewWith(nil)", nil, []Taint{TaintNil}},
		{"nil taken in", "New(1); Merge(v0, nil); Child(v0)", nil, []Taint{TaintNil, TaintNil}},
		{"nil that is dealt with", "New(1); MergeNil(v0, nil)", nil, []Taint{0}},
		{"nil as any", "New(1); Put(v0, nil)", nil, []Taint{0}},
		{"fields left nil", "Partial()", nil, []Taint{TaintNil}},
		{"fields left nil, decoded into", "Partial(); UnmarshalText(v0, nil)", nil, []Taint{0, 0}},
		{"fields left nil, given nil, decoded into", "Partial(); Merge(v0, nil); UnmarshalText(v0, nil)", nil, []Taint{TaintNil, 0}},
		{"made of what left fields nil, decoded into", "Partial(); Child(v0); UnmarshalText(v1, nil)", nil, []Taint{TaintNil, TaintNil, 0}},
		{"given nil, decoded into", "New(1); Merge(v0, nil); UnmarshalText(v0, nil)", nil, []Taint{TaintNil, 0}},
		{"nil as a slice", "New(1); UnmarshalText(v0, nil)", nil, []Taint{0, 0}},
		{"nil returned, then taken in", "New(1); Child(v0); Merge(v0, v1)", []any{1, (*int)(nil)}, []Taint{TaintNil, 0}},
		{"nil given to what a call in a chain returned", "New(1); Child(v0); Merge(v1, nil)", []any{one, one}, []Taint{TaintNil, TaintNil}},
		{"nil given to another", "New(1); Child(v0); Merge(v1, nil)", []any{one, new(int)}, []Taint{0, TaintNil}},
		{"beside an error", "Open(\"x\")", []any{new(int), errors.New("no")}, []Taint{TaintFailed, 0}},
		{"beside no error", "Open(\"x\")", []any{new(int), nil}, []Taint{0, 0}},
		{"field written", "New(1); Child(v0); SetField(v1, 3)", nil, []Taint{TaintWritten, TaintWritten}},
		{"literal with a field", "Filled(3)", nil, []Taint{TaintWritten}},
		{"numbers carry nothing", "Zero(); Field(v0); New(v1)", nil, []Taint{TaintZero, 0, 0}},
		{"zero value given to the package", "Zero(); SetDefault(v0); New(1)", nil, []Taint{TaintZero | TaintVar, TaintVar}},
		{"value given to the package", "New(1); SetDefault(v0); New(1)", nil, []Taint{0, 0}},
		{"variable set", "New(1); SetVar(2)", nil, []Taint{TaintVar}},
	}
	var tainter Tainter // one for all: nothing of a sequence stays for the next
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := b.Steps(test.steps)
			checkEqual(t, "taints", tainter.Taints(&b.Table, s, test.values), test.want)
			var grown GrowingTainter
			for last := range s {
				values := test.values[:min(len(test.values), s[:last].Slots(&b.Table))]
				want := NewHistory(&b.Table, s[:last+1], values, last)
				got := grown.Taints(&b.Table, s, last, values)
				checkEqual(t, fmt.Sprintf("taints before step %d, grown", last), got[:len(want.taints)], want.taints)
			}
		})
	}
}

// NaN is not to be found where a value keeps its bits.
func TestIsMadeOfNaN(t *testing.T) {
	b := testTable()
	for _, tt := range []struct {
		steps string
		slot  int32
		want  bool
	}{
		{"OfFloat(NaN)", 0, true},
		{"OfFloat(1.5)", 0, false},
		{"OfFloat(NaN); New(1)", 1, false},
		{"OfFloat(NaN); New(1); Merge(v1, v0)", 1, true},
		{"Norm(NaN); New(1)", 1, false},
	} {
		if got := historyAbout(&b.Table, b.Steps(tt.steps), tt.slot).MadeOfNaN(); got != tt.want {
			t.Errorf("%s: v%d is made of NaN = %v", tt.steps, tt.slot, got)
		}
	}
}

// Tainters join the groups of slots only where a field is written, which taints whole groups.
func TestTaintsJoinGroupsIfNeeded(t *testing.T) {
	b := testTable()
	for steps, want := range map[string]int{"New(1); Child(v0); Merge(v0, v1)": 0, "New(1); Child(v0); SetField(v1, 3)": 3} {
		var tainter Tainter
		var grown GrowingTainter
		s := b.Steps(steps)
		tainter.Taints(&b.Table, s, nil)
		grown.Taints(&b.Table, append(s, s[0]), len(s), nil)
		if got, grew := tainter.history.joined, grown.history.joined; got != want || (grew > 0) != (want > 0) {
			t.Errorf("%s: slots of %d steps were joined, and of %d where it grows, want %d", steps, got, grew, want)
		}
	}
}

// BenchmarkTaints finds the taints of sequences that call one receiver again and again.
func BenchmarkTaints(b *testing.B) {
	for _, steps := range []int{8, 32, 128} {
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			table := testTable()
			s := table.Steps("New(1)" + strings.Repeat("; Child(v0)", steps-1))
			values := make([]any, s.Slots(&table.Table))
			for i := range values {
				values[i] = new(int)
			}
			var tainter Tainter
			b.ReportAllocs()
			for b.Loop() {
				tainter.Taints(&table.Table, s, values)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}

func historyAbout(t *seq.Table, s seq.Sequence, slots ...int32) *History {
	return NewHistory(t, s, nil, len(s)).About(slots)
}
