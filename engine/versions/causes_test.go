package versions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

// causesTable has a member for each name, and last an operation that is none.
func causesTable(members ...string) *seq.Table {
	t := &seq.Table{Types: []seq.Type{{Name: "int", Literal: seq.Int}}}
	for _, m := range members {
		t.Ops = append(t.Ops, seq.Operation{Member: m, Short: m, API: true})
	}
	t.Ops = append(t.Ops, seq.Operation{Short: "json.Marshal"})
	return t
}

// brokeAt returns a run of so many steps. The last panics at the place, or returns if the
// place is empty.
func brokeAt(steps int, place string) difference.Run {
	r := difference.Run{Steps: make([]difference.Step, steps)}
	if place != "" {
		r.Steps[steps-1] = difference.Step{Status: engine.Broken, Panic: "boom", Place: place}
	}
	return r
}

// shown returns the causes as "first (also: others)" by the names of operations.
func shown(t *seq.Table, list []*Cause) []string {
	var texts []string
	for _, c := range list {
		text := t.Ops[c.Op].Short
		if len(c.Also) > 0 {
			var also []string
			for _, f := range c.Also {
				also = append(also, t.Ops[f.Op].Short)
			}
			text += " (also: " + strings.Join(also, ", ") + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestCauses(t *testing.T) {
	table := causesTable("New", "(*List).Add", "(*List).Sum", "Zip2", "Zip3", "Other")
	const newList, add, sum, zip2, zip3, other, marshal = 0, 1, 2, 3, 4, 5, 6
	value := func(op seq.OpID, steps ...seq.OpID) Difference {
		f := Difference{Difference: difference.Difference{Class: difference.ValueChanges, Place: difference.InResult}, Op: op}
		for _, id := range append(steps, op) {
			f.Steps = append(f.Steps, seq.Step{Op: id})
		}
		f.Step = len(f.Steps) - 1
		return f
	}
	panics := func(place string, op seq.OpID, steps ...seq.OpID) Difference {
		f := value(op, steps...)
		f.Class, f.Place = difference.PanicAppears, difference.InOutcome
		f.Before, f.After = brokeAt(len(f.Steps), ""), brokeAt(len(f.Steps), place)
		return f
	}
	dies := func(kind string, op seq.OpID) Difference {
		f := panics("", op)
		f.After = difference.Run{Death: "it died", Place: kind}
		return f
	}
	errs := value(zip2)
	errs.Class = difference.ErrorChanges
	for _, tt := range []struct {
		name    string
		changed map[string][]string
		list    []Difference
		want    []string
	}{
		{"nothing is known", nil, []Difference{value(add), value(sum)}, []string{"(*List).Add", "(*List).Sum"}},
		{
			"one changed helper", map[string][]string{"(List).Add": {"grow"}, "(List).Sum": {"grow"}, "Other": {"grow"}},
			[]Difference{value(add, newList), value(sum), value(other, newList, newList)},
			[]string{"(*List).Sum (also: (*List).Add, Other)"}, // the shortest
		},
		{
			"others are reached, too", map[string][]string{"(List).Add": {"grow"}, "(List).Sum": {"(List).Sum", "grow"}},
			[]Difference{value(add), value(sum)}, []string{"(*List).Add", "(*List).Sum"},
		},
		{
			"what it is shown by has not changed", map[string][]string{"New": {"New"}},
			[]Difference{value(add, newList), value(sum, newList, newList)}, []string{"(*List).Add (also: (*List).Sum)"},
		},
		{
			"of another class", map[string][]string{"Other": {"Other"}, "Zip2": {"Other"}},
			[]Difference{value(other), errs}, []string{"Other", "Zip2"},
		},
		{
			"siblings", map[string][]string{"Zip2": {"Zip2"}, "Zip3": {"Zip3"}},
			[]Difference{value(zip2), value(zip3)}, []string{"Zip2 (also: Zip3)"},
		},
		{
			"what is no member may reach anything", map[string][]string{"New": {"New"}},
			[]Difference{value(marshal, newList), value(add, newList)}, []string{"json.Marshal", "(*List).Add"},
		},
		{
			"panics in one place", map[string][]string{"(List).Add": {"a"}, "(List).Sum": {"b"}, "Other": {"a"}},
			[]Difference{panics("index:grow", add), panics("index:grow", sum), panics("nil:grow", other)},
			[]string{"(*List).Add (also: (*List).Sum)", "Other"},
		},
		{
			"panics outside of the package", map[string][]string{"(List).Add": {"a"}, "(List).Sum": {"a"}, "Other": {"b"}},
			[]Difference{panics("", add), panics("", sum), panics("", other)}, []string{"(*List).Add (also: (*List).Sum)", "Other"},
		},
		{
			"deaths", nil,
			[]Difference{dies("fatal:stack overflow:grow", add), dies("fatal:stack overflow:grow", sum), dies("exit", other)},
			[]string{"(*List).Add (also: (*List).Sum)", "Other"},
		},
	} {
		c := causes{table: table, changed: tt.changed}
		for _, f := range tt.list {
			c.add(f)
		}
		if got := shown(table, c.list); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// In any order, differences share a group if they pairwise have the same class and
// changed declarations. The one that is shown has the fewest calls of its group.
func TestCausesPairwise(t *testing.T) {
	table := causesTable("A", "B", "C", "D", "E", "F")
	declarations := []string{"x", "y", "x", "z", "y", "x"} // by operation: the declaration that it reaches
	changed := map[string][]string{}
	for op, name := range declarations {
		changed[table.Ops[op].Member] = []string{name}
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := causes{table: table, changed: changed}
		var list []Difference
		for _, op := range r.Perm(len(declarations)) {
			f := Difference{Difference: difference.Difference{Class: []string{difference.ValueChanges, difference.OrderChanges}[r.IntN(2)], Place: difference.InResult}, Op: seq.OpID(op)}
			for range 1 + r.IntN(3) {
				f.Steps = append(f.Steps, seq.Step{Op: seq.OpID(op)})
			}
			list = append(list, f)
			c.add(f)
		}
		same := func(a, b *Difference) bool { return a.Class == b.Class && declarations[a.Op] == declarations[b.Op] }
		var want []string
		for i := range list {
			var group []*Difference
			for j := range list {
				if same(&list[i], &list[j]) {
					group = append(group, &list[j])
				}
			}
			if group[0] != &list[i] {
				continue // told with the first
			}
			first := slices.MinFunc(group, func(a, b *Difference) int { return len(a.Steps) - len(b.Steps) })
			want = append(want, fmt.Sprintf("%d of %d", first.Op, len(group)))
		}
		var got []string
		for _, cause := range c.list {
			got = append(got, fmt.Sprintf("%d of %d", cause.Op, 1+len(cause.Also)))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
}
