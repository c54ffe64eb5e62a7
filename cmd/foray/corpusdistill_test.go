package main

import (
	"testing"

	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// counterTable is a package with a constructor and a method.
func counterTable() *seq.Table {
	return &seq.Table{
		Package: "m.test/c", Name: "c", Imports: []seq.Import{{Name: "c", Path: "m.test/c"}},
		Types: []seq.Type{{}, {Name: "*c.C", Nilable: true, Assignable: []seq.TypeID{1}}},
		Ops: []seq.Operation{
			{Name: "m.test/c.New func() *m.test/c.C", Short: "New", Kind: seq.Func, API: true, Template: "c.New()", Results: []seq.TypeID{1}},
			{Name: "(*m.test/c.C).Inc func()", Short: "(*C).Inc", Kind: seq.Method, API: true, Template: "$0.Inc()", Params: []seq.TypeID{1}},
		},
	}
}

// What is set aside is never what stays under the same name: an entry may be cut
// to just the steps of another that was not chosen.
func TestReplace(t *testing.T) {
	table := counterTable()
	s := &subject{table: table}
	entry := func(text string, sides ...int32) kept {
		steps, err := table.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return newKept(stored{id: store.ID(table.String(steps)), steps: steps}, replay.Study{Sides: sides})
	}
	long, short, other := entry("v0 := c.New(); v0.Inc(); v0.Inc()", 1, 2), entry("v0 := c.New(); v0.Inc()", 1, 2), entry("v0 := c.New()", 1)
	fails, illegal := entry("v0 := c.New(); v1 := c.New()", 1), entry("v0 := c.New(); v1 := c.New(); v0.Inc()", 1)
	fails.study.Verdict = &engine.Verdict{Tier: engine.Error}
	illegal.study.Verdict = &engine.Verdict{Tier: engine.Illegal, Message: "New panics"}
	d := &distillation{before: []kept{long, short, other, fails, illegal}}
	for i := range d.before {
		d.items = append(d.items, corpus.Item{Features: d.before[i].features})
	}
	d.after = []successor{{newKept(stored{steps: short.steps}, short.study), []*kept{&d.before[0]}}}
	d.fail()
	d.replace(s)
	if len(d.after) != 2 || d.after[0].id != short.id || d.after[1].id != fails.id || d.failing != 1 {
		t.Errorf("%d entries stay, %d of them fail; want the short one and the one that fails", len(d.after), d.failing)
	}
	reasons := map[string]string{}
	for _, l := range d.leave {
		reasons[l.ID] = l.Reason
	}
	want := map[string]string{
		long.id:    "entry " + short.id + " shows all that it does",
		other.id:   "its 1 branch side and 0 classes of values are in " + short.id,
		illegal.id: "breaks a precondition: New panics",
	}
	for id, reason := range want {
		if reasons[id] != reason {
			t.Errorf("entry %s leaves for %q, want %q", id, reasons[id], reason)
		}
		delete(reasons, id)
	}
	if len(reasons) > 0 {
		t.Errorf("these leave, too: %v", reasons)
	}
}

func TestPackageName(t *testing.T) {
	for _, test := range []struct{ path, statements, want string }{
		{"m.test/queue", "v0 := queue.New()", "queue"},
		{"m.test/queue/v2", "v0 := queue.New()", "queue"},
		{"m.test/queue@v1.2.3", "v0 := queue.New()", "queue"},
		{"m.test/go-ring", "v0 := ring.New()", "ring"}, // as the new one is called
		{"v2", "v0 := x.New()", "v2"},
	} {
		if got := packageName(test.path, test.statements, "ring"); got != test.want {
			t.Errorf("packageName(%q, %q) = %q, want %q", test.path, test.statements, got, test.want)
		}
	}
}

func TestModules(t *testing.T) {
	for _, test := range [][4]string{
		{"github.com/a/gods/trees/rb@v1.18.1", "github.com/a/gods/v2/trees/rb", "github.com/a/gods", "github.com/a/gods/v2"},
		{"m.test/queue", "m.test/ring", "m.test/queue", "m.test/ring"},
		{"queue", "m.test/queue", "queue", "m.test/queue"},
	} {
		if was, is := modules(test[0], test[1]); was != test[2] || is != test[3] {
			t.Errorf("modules(%q, %q) = %q, %q; want %q, %q", test[0], test[1], was, is, test[2], test[3])
		}
	}
}
