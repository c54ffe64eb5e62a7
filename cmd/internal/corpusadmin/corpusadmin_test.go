package corpusadmin

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// counterTable is a package with a constructor and two methods.
func counterTable() *seq.Table {
	method := func(name string) seq.Operation {
		return seq.Operation{Name: "(*m.test/c.C)." + name + " func()", Short: "(*C)." + name, Kind: seq.Method, API: true, Template: "$0." + name + "()", Params: []seq.TypeID{1}}
	}
	return &seq.Table{
		Package: "m.test/c", Name: "c", Imports: []seq.Import{{Name: "c", Path: "m.test/c"}},
		Types: []seq.Type{{}, {Name: "*c.C", Nilable: true, Assignable: []seq.TypeID{1}}},
		Ops: []seq.Operation{
			{Name: "m.test/c.New func() *m.test/c.C", Short: "New", Kind: seq.Func, API: true, Template: "c.New()", Results: []seq.TypeID{1}},
			method("Inc"), method("Fail"), method("Misuse"),
		},
	}
}

// fakeBench runs sequences of counterTable: New takes side 0, the first Inc of a counter side 1,
// the third side 3. Fail fails, and Misuse is illegal. Entries leave the number of their calls
// of Inc, up to two.
type fakeBench struct{ table *seq.Table }

func (b fakeBench) Study(_ context.Context, s seq.Sequence) (replay.Study, error) {
	st := replay.Study{Sides: []int32{0}}
	count := map[string]int{}
	for _, step := range s {
		name := b.table.Ops[step.Op].Short
		count[name]++
		switch {
		case name == "(*C).Fail":
			st.Verdict = &engine.Verdict{Tier: engine.Error, Message: "Fail panics"}
		case name == "(*C).Misuse":
			st.Verdict = &engine.Verdict{Tier: engine.Illegal, Message: "Misuse panics"}
		case name == "(*C).Inc" && count[name]%2 == 1:
			st.Sides = append(st.Sides, int32(count[name]))
		}
	}
	st.State = uint64(min(count["(*C).Inc"], 2))
	return st, nil
}

func (b fakeBench) StudyAll(ctx context.Context, list []seq.Sequence, visit func(int, replay.Study)) error {
	for i, s := range list {
		st, _ := b.Study(ctx, s)
		visit(i, st)
	}
	return nil
}

// Prune cuts the last step as long as the features stay.
func (b fakeBench) Prune(ctx context.Context, s seq.Sequence) (seq.Sequence, replay.Study, error) {
	st, err := b.Study(ctx, s)
	for st.Verdict == nil && len(s) > 1 {
		less, _ := b.Study(ctx, s[:len(s)-1])
		if len(less.Sides) < len(st.Sides) {
			break
		}
		s = s[:len(s)-1]
	}
	return s, st, err
}

func (b fakeBench) Join(context.Context, seq.Sequence, seq.Sequence, int) (seq.Sequence, replay.Study, bool, error) {
	return nil, replay.Study{}, false, nil
}

func (b fakeBench) Alike(context.Context, seq.Sequence, seq.Sequence) (bool, error) {
	return false, nil
}

func (b fakeBench) Close() {}

// newCorpus returns a corpus with entries, and its warnings.
func newCorpus(t *testing.T, entries ...string) (*Corpus, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	table := counterTable()
	c := &Corpus{
		Path: "m.test/c", Name: "m.test/c", Dir: dir, Store: st, Table: table, NewBench: func() Bench { return fakeBench{table} },
		Out: event.NewPrinter(&errs, &errs, event.Options{Dir: dir}),
	}
	for _, e := range entries {
		if err := st.Put(c.Entry(c.steps(t, e), OriginComposed, 1)); err != nil {
			t.Fatal(err)
		}
	}
	return c, &errs
}

func (c *Corpus) steps(t *testing.T, text string) seq.Sequence {
	t.Helper()
	steps, err := c.Table.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func (c *Corpus) open(t *testing.T) *Admission {
	t.Helper()
	a, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// stored returns the statements of the entries that are stored, in one line each.
func (c *Corpus) stored(t *testing.T) map[string]bool {
	t.Helper()
	entries, _, err := c.Store.Load()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, e := range entries {
		set[strings.ReplaceAll(strings.TrimSpace(e.Statements), "\n", "; ")] = true
	}
	return set
}

func (c *Corpus) wantStored(t *testing.T, want ...string) {
	t.Helper()
	got := c.stored(t)
	for _, w := range want {
		if !got[w] {
			t.Errorf("%s is not stored", w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("stored %v, want %q", got, want)
	}
}

func TestAdd(t *testing.T) {
	c, _ := newCorpus(t, "v0 := c.New(); v0.Inc(); v0.Inc(); v0.Inc()")
	a := c.open(t)
	for _, tt := range []struct{ name, file, what, err string }{
		{"new", "v0 := c.New()\n", event.IsAdded, ""},
		{"there", "v0 := c.New()\n", event.IsKnown, ""},
		{"shows the same", "v0 := c.New(); v1 := c.New()\n", event.IsKnown, ""},
		{"smaller", "v0 := c.New(); v0.Inc()\nv0.Inc()\nv0.Inc()\nv0.Inc()\n", event.IsKnown, ""},
		{"entry of foray", "foray corpus v1\n// origin: composed\nv0 := c.New()\nv0.Inc()\n", event.IsAdded, ""},
		{"fails", "v0 := c.New(); v0.Fail()\n", "", "fails (error): Fail panics"},
		{"illegal", "v0 := c.New(); v0.Misuse()\n", "", "fails (illegal): Misuse panics"},
		{"unknown call", "v0 := c.New()\nv0.Dec()\n", "", "statement 2: "},
		{"empty", "", "", "no statement"},
		{"later version", "foray corpus v9\nv0 := c.New()\n", "", "version"},
	} {
		file := filepath.Join(t.TempDir(), "entry")
		if err := os.WriteFile(file, []byte(tt.file), 0o666); err != nil {
			t.Fatal(err)
		}
		added, err := a.Add(t.Context(), file)
		switch {
		case (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
		case err == nil && added.What != tt.what:
			t.Errorf("%s: %+v, want %s", tt.name, added, tt.what)
		}
	}
	c.wantStored(t, "v0 := c.New(); v0.Inc(); v0.Inc(); v0.Inc()", "v0 := c.New()", "v0 := c.New(); v0.Inc()")
	if _, err := a.Add(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// A smaller entry replaces one that shows the same.
func TestAddReplaces(t *testing.T) {
	c, _ := newCorpus(t, "v0 := c.New(); v1 := c.New()")
	a := c.open(t)
	steps := c.steps(t, "v0 := c.New()")
	res, _ := a.Study(t.Context(), steps)
	added, err := a.Admit(t.Context(), steps, res, originAdded)
	if err != nil || added.What != event.IsReplaced {
		t.Fatalf("%+v, %v", added, err)
	}
	c.wantStored(t, "v0 := c.New()")
}

// Of three that show the same, the smallest stays, also if it comes neither first nor last.
func TestAddReplacesOnce(t *testing.T) {
	c, _ := newCorpus(t, "v0 := c.New(); v1 := c.New(); v2 := c.New()")
	a := c.open(t)
	smallest := store.ID("v0 := c.New()\n")
	for _, tt := range []struct{ text, what, other string }{
		{"v0 := c.New()", event.IsReplaced, a.kept[0].ID},
		{"v0 := c.New(); v1 := c.New()", event.IsKnown, smallest},
		{"v0 := c.New(); v1 := c.New(); v2 := c.New()", event.IsKnown, smallest},
	} {
		steps := c.steps(t, tt.text)
		res, _ := a.Study(t.Context(), steps)
		added, err := a.Admit(t.Context(), steps, res, originAdded)
		if err != nil || added.What != tt.what || added.Other != tt.other {
			t.Errorf("%s: %+v, %v; want %s, %s", tt.text, added, err, tt.what, tt.other)
		}
	}
	c.wantStored(t, "v0 := c.New()")
}

func TestMerge(t *testing.T) {
	ours, _ := newCorpus(t, "v0 := c.New()")
	theirs, _ := newCorpus(t, "v0 := c.New(); v1 := c.New()", "v0 := c.New(); v0.Inc(); v0.Inc()", "v0 := c.New(); v0.Fail()")
	if err := theirs.Store.Put(store.Entry{Statements: "v0 := c.New()\nv0.Inc()\nv0.Inc()\nv0.Inc()\nv0.Gone()\n"}, store.Entry{Statements: "v0 := c.Old()\n"}); err != nil {
		t.Fatal(err)
	}
	for _, signature := range []string{"panic:nil:(*C).Fail", "panic:index:(*C).Fail"} {
		if err := theirs.Store.PutFinding(store.Finding{Signature: signature, Statements: "v0 := c.New()\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ours.Store.PutFinding(store.Finding{Signature: "panic:nil:(*C).Fail", Statements: "v0 := c.New()\n"}); err != nil {
		t.Fatal(err)
	}
	from, err := View(theirs.Dir, ours.Path, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ours.open(t).Merge(t.Context(), from, "dir")
	want := event.Merged{Package: "m.test/c", From: "dir", Entries: 5, Added: 1, Cut: 1, Useless: 2, Sides: 2, Findings: 1}
	if err != nil || *got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	ours.wantStored(t, "v0 := c.New()", "v0 := c.New(); v0.Inc(); v0.Inc(); v0.Inc()")
	if _, err := View(t.TempDir(), ours.Path, ""); err == nil {
		t.Error("viewed a corpus that is not there")
	}
}

func TestMove(t *testing.T) {
	c, _ := newCorpus(t)
	old, _ := newCorpus(t)
	entries := []store.Entry{
		{Statements: "v0 := counter.Make()\nv0.Inc()\n"}, {Statements: "v0 := counter.Make()\nv0.Gone()\n"}, {Statements: "v0 := counter.Make()\nv0.Fail()\n"},
		{Statements: "v0 := counter.Other()\n"}, {Statements: "v0 := counter.Make()\nv0.Misuse()\n"},
	}
	if err := old.Store.Put(entries...); err != nil {
		t.Fatal(err)
	}
	var r Renames
	if err := r.Set("Make() -> New()"); err != nil {
		t.Fatal(err)
	}
	if err := r.Set("Make()"); err == nil {
		t.Error("a rewrite without an arrow is taken")
	}
	got, err := c.open(t).Move(t.Context(), old.Store, "m.test/counter/v2", r)
	want := event.Moved{Package: "m.test/c", From: "m.test/counter/v2", Entries: 5, Whole: 1, Part: 1, Failing: 1, Useless: 2}
	if err != nil || *got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	c.wantStored(t, "v0 := c.New(); v0.Inc()", "v0 := c.New()", "v0 := c.New(); v0.Fail()")
	if left := old.stored(t); len(left) != 2 {
		t.Errorf("%v stay, want two entries", left)
	}
}

func TestDistill(t *testing.T) {
	entries := []string{
		"v0 := c.New()", "v0 := c.New(); v0.Inc()", "v0 := c.New(); v0.Inc(); v0.Inc(); v0.Inc(); v0.Inc()", "v0 := c.New(); v0.Fail()", "v0 := c.New(); v0.Misuse()",
	}
	c, _ := newCorpus(t, entries...)
	a := c.open(t)
	for _, dryRun := range []bool{true, false} {
		if len(c.stored(t)) != len(entries) {
			t.Errorf("a dry run has left %v", c.stored(t))
		}
		e, err := a.Distill(t.Context(), dryRun)
		if err != nil {
			t.Fatal(err)
		}
		if e.Entries != 5 || e.Kept != 2 || e.Cut != 1 || e.Left != 4 || e.Failing != 1 || e.Sides != 3 || e.Steps != 12 || e.StepsKept != 6 {
			t.Errorf("got %+v", e)
		}
	}
	c.wantStored(t, "v0 := c.New(); v0.Inc(); v0.Inc(); v0.Inc()", "v0 := c.New(); v0.Fail()")
}

// An entry that is set aside never has the name of one that stays: an entry may be cut to just
// the steps of another that was not chosen.
func TestReplace(t *testing.T) {
	c := &Corpus{Table: counterTable()}
	entry := func(text string, sides ...int32) kept {
		steps := c.steps(t, text)
		return newKept(Stored{ID: store.ID(c.Table.String(steps)), Steps: steps}, replay.Study{Sides: sides})
	}
	long, short, other := entry("v0 := c.New(); v0.Inc(); v0.Inc()", 1, 2), entry("v0 := c.New(); v0.Inc()", 1, 2), entry("v0 := c.New()", 1)
	fails, illegal := entry("v0 := c.New(); v1 := c.New()", 1), entry("v0 := c.New(); v1 := c.New(); v0.Inc()", 1)
	fails.study.Verdict = &engine.Verdict{Tier: engine.Error}
	illegal.study.Verdict = &engine.Verdict{Tier: engine.Illegal, Message: "New panics"}
	d := &distillation{before: []kept{long, short, other, fails, illegal}}
	for i := range d.before {
		d.items = append(d.items, corpus.Item{Features: d.before[i].features})
	}
	d.after = []successor{{newKept(Stored{Steps: short.Steps}, short.study), []*kept{&d.before[0]}}}
	d.keepFailing()
	d.replace(c)
	if len(d.after) != 2 || d.after[0].ID != short.ID || d.after[1].ID != fails.ID || d.failing != 1 {
		t.Errorf("%d entries stay, %d of them fail; want the short one and the one that fails", len(d.after), d.failing)
	}
	reasons := map[string]string{}
	for _, l := range d.leave {
		reasons[l.ID] = l.Reason
	}
	want := map[string]string{
		long.ID:    "entry " + short.ID + " shows all that it does",
		other.ID:   "its 1 branch side and 0 value classes are in " + short.ID,
		illegal.ID: "breaks a precondition: New panics",
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

// When the package changes, entries go to quarantine, and the useful rests stay. They come
// back when it changes back.
func TestDrift(t *testing.T) {
	c, errs := newCorpus(t, "v0 := c.New()", "v0 := c.New(); v0.Inc(); v0.Misuse()", "v0 := c.New(); v0.Misuse()")
	whole := c.Table
	less := counterTable()
	less.Ops = less.Ops[:3] // without Misuse
	c.Table = less
	list, err := c.Entries(t.Context())
	if err != nil || len(list) != 2 {
		t.Errorf("%d entries, %v; want the intact one and a rest", len(list), err)
	}
	if want := "foray: warning: m.test/c: corpus: 2 entries set aside in quarantine: the package has changed (entry "; !strings.HasPrefix(errs.String(), want) || !strings.Contains(errs.String(), "); a part stays of 1\n") {
		t.Errorf("told %q, want %q …", errs, want)
	}
	c.wantStored(t, "v0 := c.New()", "v0 := c.New(); v0.Inc()")
	c.Table, c.Partial = whole, true
	if _, err = c.Entries(t.Context()); err != nil || len(c.stored(t)) != 2 {
		t.Errorf("%v: a partial table restores %v", err, c.stored(t))
	}
	c.Partial = false
	if _, err = c.Entries(t.Context()); err != nil || len(c.stored(t)) != 4 {
		t.Errorf("%v: stored %v, want all four", err, c.stored(t))
	}
}

// Entries of which no part is worth keeping are told as such.
func TestDriftLeavesNothing(t *testing.T) {
	c, errs := newCorpus(t, "v0 := c.New()", "v0 := c.New(); v0.Misuse()")
	c.Table = counterTable()
	c.Table.Ops = c.Table.Ops[:3] // without Misuse
	if list, err := c.Entries(t.Context()); err != nil || len(list) != 1 || !strings.Contains(errs.String(), "); nothing of them stays\n") {
		t.Errorf("%d entries, %v, told %q; want the intact one, and that nothing stays", len(list), err, errs)
	}
}

// A corpus that is only viewed stays as it is, whatever does not fit the package.
func TestView(t *testing.T) {
	c, errs := newCorpus(t, "v0 := c.New()", "v0 := c.New(); v0.Inc(); v0.Misuse()", "v0 := c.New(); v0.Misuse()")
	before := c.stored(t)
	c.Table.Ops = c.Table.Ops[:3] // without Misuse
	var err error
	if c.Store, err = store.View(c.Dir); err != nil {
		t.Fatal(err)
	}
	e, err := c.open(t).Distill(t.Context(), true)
	if err != nil || e.Kept != 1 {
		t.Errorf("%+v, %v; want one entry that would be kept", e, err)
	}
	if after := c.stored(t); !maps.Equal(before, after) || errs.Len() > 0 {
		t.Errorf("stored %v, told %q; want %v", after, errs, before)
	}
}

// An entry comes back although one of the same text was stored since, with the signatures that
// its calls had meanwhile. That one is set aside, and comes back in turn.
func TestDriftOfSignatures(t *testing.T) {
	const text = "v0 := c.New(); v0.Inc()"
	c, _ := newCorpus(t, text)
	whole, changed := c.Table, counterTable()
	changed.Ops[1].Name = "(*m.test/c.C).Inc func(...int)"
	for i := range 6 {
		c.Table = whole
		if i%2 == 0 {
			c.Table = changed
		}
		list, err := c.Entries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(list, func(st Stored) bool { return c.Table.String(st.Steps) == c.Table.String(c.steps(t, text)) })
		if i == 0 {
			if err := c.Store.Put(c.Entry(c.steps(t, text), OriginComposed, 1)); err != nil {
				t.Fatal(err)
			}
		} else if !has {
			t.Errorf("change %d: the entry did not come back", i)
		}
	}
}

func TestFindings(t *testing.T) {
	c, errs := newCorpus(t)
	for signature, text := range map[string]string{"panic:a": "v0 := c.New()\nv0.Fail()\n", "panic:b": "v0 := c.New()\nv0.Gone()\n", "panic:c": "v0 := c.Old()\n"} {
		if err := c.Store.PutFinding(store.Finding{Signature: signature, Statements: text}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := c.Findings()
	if err != nil || len(list) != 2 {
		t.Errorf("%d findings, %v; want 2", len(list), err)
	}
	if want := "findings: 1 finding cannot be called any more, 1 finding only in part (finding panic:c: "; !strings.Contains(errs.String(), want) {
		t.Errorf("told %q, want %q", errs, want)
	}
	errs.Reset()
	c.Partial = true
	if _, err := c.Findings(); err != nil || errs.Len() > 0 {
		t.Errorf("a partial table: %v, %s", err, errs)
	}
}

func TestProblems(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		c, errs := newCorpus(t)
		c.Out.Verbose = verbose
		c.Problems(make([]store.Problem, 5))
		want := map[bool]int{false: 4, true: 5}[verbose]
		if n := strings.Count(errs.String(), "\n"); n != want || strings.Contains(errs.String(), "2 more files like these") == verbose {
			t.Errorf("verbose %v: %d lines, want %d\n%s", verbose, n, want, errs)
		}
	}
}

func TestShow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "FuzzA")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text string
		want event.Entry
	}{
		"0123456a": {"go test fuzz v1\n[]byte(\"x\")\nint(3)\n", event.Entry{Target: "FuzzA", Code: "FuzzA(t, []byte(\"x\"), int(3))\n"}},
		"0123456b": {"foray corpus v1\n// origin: added\n// sides: 2\nv0 := c.New()\n", event.Entry{Origin: "added", Sides: 2, ID: store.ID("v0 := c.New()\n"), Code: "v0 := c.New()\n"}},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		tt.want.File = file
		found, err := Find([]string{"nowhere", dir}, name)
		if err != nil || found != file {
			t.Errorf("found %s, %v; want %s", found, err, file)
			continue
		}
		if got, err := Show(found); err != nil || *got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
	for hash, want := range map[string]string{"0123": "the names of 2 entries begin with it", "abcd": "no entry of that name", "abc": "no such file, and no hash", "name": "no such file, and no hash"} {
		if _, err := Find([]string{dir}, hash); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", hash, err, want)
		}
	}
}

func TestCount(t *testing.T) {
	c, _ := newCorpus(t, "v0 := c.New()", "v0 := c.New(); v0.Inc()")
	for signature, tier := range map[string]engine.Tier{"a": engine.Error, "b": engine.Suspect, "c": engine.Suspect} {
		if err := c.Store.PutFinding(store.Finding{Signature: signature, Tier: tier.String(), Statements: "v0 := c.New()\n"}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := c.Count()
	if err != nil || e.Entries != 2 || e.Steps != 3 || e.Findings != (event.FindingsByTier{Error: 1, Suspect: 2}) || e.Package != "m.test/c" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestPackageName(t *testing.T) {
	for _, test := range []struct{ path, statements, want string }{
		{"m.test/queue", "v0 := queue.New()", "queue"},
		{"m.test/queue/v2", "v0 := queue.New()", "queue"},
		{"gopkg.in/queue.v2", "v0 := queue.New()", "queue"},
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
