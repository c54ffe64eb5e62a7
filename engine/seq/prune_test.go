package seq

import (
	"strings"
	"testing"
)

func mustParse(t *testing.T, f *fixture, text string) Sequence {
	t.Helper()
	s, err := f.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func oneLine(f *fixture, s Sequence) string {
	return strings.TrimSuffix(strings.ReplaceAll(f.String(s), "\n", "; "), "; ")
}

func TestPrune(t *testing.T) {
	f := newFixture()
	for _, test := range []struct {
		name, text string
		slots      []int32
		step       int
		want       string
	}{
		{"keeps the producer", "v0 := queue.New(1); v1 := queue.New(2)", []int32{1}, -1, "v0 := queue.New(2)"},
		{"keeps changes", "v0 := queue.New(1); v1 := queue.New(2); v0.Put(1); v1.Put(2)", []int32{0}, -1, "v0 := queue.New(1); v0.Put(1)"},
		{"keeps no use of a basic value", "v0 := queue.Max; v1 := queue.New(v0); v2 := []int{v0}", []int32{0}, -1, "v0 := queue.Max"},
		{"a basic result sees no later change", "v0 := queue.New(1); v1 := v0.Len(); v0.Put(1)", []int32{1}, -1, "v0 := queue.New(1); v1 := v0.Len()"},
		{"a result may refer to its argument", "v0 := queue.New(1); v1, v1b := v0.Get(); v0.Put(1)", []int32{1}, -1,
			"v0 := queue.New(1); v1, v1b := v0.Get(); v0.Put(1)"},
		{"the second result alone does not", "v0 := queue.New(1); v1, v1b := v0.Get(); v0.Put(1)", []int32{2}, -1,
			"v0 := queue.New(1); v1, v1b := v0.Get()"},
		{"what is put in may change later", "v0 := queue.New(1); v1 := queue.New(2); v0.Put(v1); v1.Put(3); v2 := v1.Len()", []int32{0}, -1,
			"v0 := queue.New(1); v1 := queue.New(2); v0.Put(v1); v1.Put(3); v2 := v1.Len()"},
		{"what was put in before it is put in", "v0 := queue.New(1); v1 := queue.New(2); v1.Put(3); v0.Put(v1)", []int32{0}, -1,
			"v0 := queue.New(1); v1 := queue.New(2); v1.Put(3); v0.Put(v1)"},
		{"cuts after the step", "v0 := queue.New(1); v1 := queue.New(2); v0.Put(1); v0.Get(); v0.Put(2)", nil, 3,
			"v0 := queue.New(1); v0.Put(1); v1, v1b := v0.Get()"},
		{"a step without results", "v0 := queue.New(1); v1 := queue.New(2); v1.Put(1)", nil, 2, "v0 := queue.New(2); v0.Put(1)"},
		{"nothing", "v0 := queue.New(1)", nil, -1, ""},
		{"a slot that is cut off", "v0 := queue.New(1); v1 := queue.New(2)", []int32{1}, 0, "v0 := queue.New(1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Prune(f.Table, mustParse(t, f, test.text), test.slots, test.step)
			if err := got.Check(f.Table); err != nil {
				t.Fatal(err)
			}
			if oneLine(f, got) != test.want {
				t.Errorf("got  %s\nwant %s", oneLine(f, got), test.want)
			}
		})
	}
}

// Slices of random sequences pass Check.
func TestSlicesAreSequences(t *testing.T) {
	f := newFixture()
	d := newDraw(t, f)
	for range 2000 {
		s := d.sequence(1 + d.IntN(20))
		removed, _ := Remove(f.Table, s, d.IntN(len(s)))
		pruned := Prune(f.Table, s, []int32{int32(d.IntN(s.Slots(f.Table) + 1))}, d.IntN(len(s)+1)-1)
		for what, got := range map[string]Sequence{"Remove": removed, "Prune": pruned, "Concat": Concat(f.Table, removed, pruned)} {
			if err := got.Check(f.Table); err != nil {
				t.Fatalf("%s: %v in\n%s", what, err, f.String(got))
			}
		}
	}
}

// TestPruneToMost: with a bound, the steps are the same or none.
func TestPruneToMost(t *testing.T) {
	f := newFixture()
	d := newDraw(t, f)
	const most = 4
	for range 2000 {
		s := d.sequence(1 + d.IntN(20))
		if s.Slots(f.Table) == 0 {
			continue
		}
		slot := int32(d.IntN(s.Slots(f.Table)))
		want, to := PruneTo(f.Table, s, slot, len(s))
		if len(want) > most {
			want, to = nil, -1
		}
		if got, at := PruneTo(f.Table, s, slot, most); oneLine(f, got) != oneLine(f, want) || at != to {
			t.Fatalf("v%d of %s:\ngot  v%d of %s\nwant v%d of %s", slot, oneLine(f, s), at, oneLine(f, got), to, oneLine(f, want))
		}
	}
}
