package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// printed returns the text or the JSON of an event, and what goes to stderr.
func printed(o Options, e Event) (stdout, stderr string) {
	var out, errs bytes.Buffer
	NewPrinter(&out, &errs, o).Print(e)
	return out.String(), errs.String()
}

// queue is a table with a function, a method, and an operation that only makes values.
func queue() *seq.Table {
	return &seq.Table{
		Package: "m.test/q", Name: "q", Imports: []seq.Import{{Name: "q", Path: "m.test/q"}},
		Types: []seq.Type{{}, {Name: "*q.Q", Nilable: true, Assignable: []seq.TypeID{1}}, {Name: "int", Literal: seq.Int}},
		Ops: []seq.Operation{
			{Name: "m.test/q.New func() *m.test/q.Q", Short: "New", Member: "New", Kind: seq.Func, API: true, Template: "q.New()", Results: []seq.TypeID{1}},
			{Name: "(*m.test/q.Q).Put func(int)", Short: "(*Q).Put", Member: "(*Q).Put", Kind: seq.Method, API: true, Template: "$0.Put($1)", Params: []seq.TypeID{1, 2},
				Pre: seq.Precondition{Sentence: "Put panics if q is full."}},
			{Name: "m.test/q.Q{}", Short: "&q.Q{}", Kind: seq.Composite, Template: "&q.Q{}", Results: []seq.TypeID{1}},
		},
	}
}

// Each event is one line of JSON that begins with the schema and its name.
func TestJSON(t *testing.T) {
	state := &report.State{Package: "m.test/q", Conditions: []report.Condition{{ID: "c", Sides: []report.Side{{Name: "true", Taken: true}, {Name: "false", Status: "tried"}}}}}
	res := &coordinator.Result{}
	res.Covered = coverage.NewSet(2)
	for _, tt := range []struct {
		e    Event
		want string // the events
	}{
		{&Finding{}, "finding"}, {&Replayed{}, "replayed"}, {&Fixed{}, "fixed"}, {&Replay{}, "replay"}, {&Explained{}, "explained"},
		{&Package{Text: PackageText{State: state, Result: res}}, "frontier package"}, {&Summary{}, "summary"},
		{NewReport("m.test/q", state, nil), "side side report"}, {&Decisions{}, "operation"}, {&TypeUse{}, "type"},
		{&Listing{Table: queue(), Excluded: []seq.Excluded{{}}, Unreachable: []catalog.Unreachable{{}}}, "operation operation operation excluded unreachable"},
		{&Compared{}, ""}, {&Difference{}, "difference"}, {&DiffSummary{}, "summary"},
		{Corpora{{}, {}}, "corpus corpus"}, {&Entry{}, "entry"}, {&Added{}, "added"}, {&Merged{}, "merged"}, {&Moved{}, "moved"}, {&Distilled{}, "distilled"},
		{&Pruned{}, "pruned"}, {&Undone{}, "undone"}, {&ImportedInputs{}, "imported"}, {&ImportedValues{}, "imported"}, {&Exported{}, "exported"},
		{&Generated{Files: make([]TestFile, 1), Drops: make([]Drop, 1)}, "file drop summary"}, {&Generated{Drops: make([]Drop, 1)}, "drop"},
	} {
		out, _ := printed(Options{JSON: true}, tt.e)
		var names []string
		for line := range strings.Lines(out) {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil || e["schema"] != 1.0 || !strings.HasPrefix(line, `{"schema":1,"event":"`) {
				t.Errorf("%T: %s: %v", tt.e, line, err)
			}
			names = append(names, fmt.Sprint(e["event"]))
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%T: events %q, want %q", tt.e, got, tt.want)
		}
	}
}

// Names of fields are part of schema 1.
func TestFields(t *testing.T) {
	for _, tt := range []struct {
		e    Event
		want string
	}{
		{&Fixed{"p", "finding s", "s"}, `{"schema":1,"event":"fixed","package":"p","name":"finding s","signature":"s"}`},
		{&Added{"p", "f", IsKnown, "1", "2", 3, 4}, `{"schema":1,"event":"added","package":"p","file":"f","what":"known","id":"1","other":"2","steps":3,"original_steps":4}`},
		{&Merged{Package: "p", From: "<d>", Cut: 1}, `{"schema":1,"event":"merged","package":"p","from":"<d>","entries":0,"added":0,"cut":1,"useless":0,"sides":0,"findings":0}`},
		{&Exported{"p", "FuzzA", "d", 1, 2, 3}, `{"schema":1,"event":"exported","package":"p","target":"FuzzA","dir":"d","written":1,"known":2,"crashers":3}`},
		{&DiffSummary{CPUSeconds: Seconds(1500 * time.Millisecond)}, `{"schema":1,"event":"summary","package":"","old":"","new":"","sequences":0,"operations":0,"differences":0,"same_cause":0,"classes":null,"unstable":null,"flaky":0,"cpu_seconds":1.5,"wall_seconds":0,"ended":"","seed":0}`},
	} {
		if got, _ := printed(Options{JSON: true}, tt.e); got != tt.want+"\n" {
			t.Errorf("got  %swant %s", got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name         string
		o            Options
		e            Event
		want, stderr string
	}{
		{"known entry", Options{}, &Added{File: "f", What: IsKnown, Other: "0123456789abcdef", Steps: 1, OriginalSteps: 2}, "f: not added: entry 0123456789ab shows the same, cut from 2 steps to 1\n", ""},
		{"replaced entry", Options{}, &Added{File: "f", What: IsReplaced, ID: "1", Other: "2"}, "f: entry 1, in place of 2, which is larger\n", ""},
		{"merge", Options{}, &Merged{Package: "p", From: "d", Entries: 3, Added: 1, Sides: 2, Useless: 1, Findings: 1}, "p: 1 of 3 entries from d added, with 2 branch sides that were not there, and 1 finding\n  0 can be called only in part, 1 not at all\n", ""},
		{"move", Options{}, &Moved{Package: "p", From: "old", Entries: 2, Whole: 1, Failing: 1}, "p: 2 entries of old: 1 whole, 0 in part; 0 show nothing here and stay\n", "foray: warning: p: failing entries: 1\n  hint: foray replay -v p shows how they fail\n"},
		{"dry run", Options{Verbose: true}, &Distilled{Package: "p", Entries: 2, Kept: 1, Steps: 4, StepsKept: 3, Sides: 1, DryRun: true, Departures: []store.Departure{{ID: "0", Reason: "why"}}},
			"p: 1 of 2 entries would be kept, 3 of 4 steps: 1 branch side and 0 value classes as before\n", "foray: entry 0: why\n"},
		{"undo", Options{}, &Undone{Package: "p", Entries: 2, Lost: 1}, "p: 2 entries back\n", "foray: warning: p: 1 entry not brought back: no longer in quarantine\n"},
		{"stat", Options{}, Corpora{{Package: "p", Entries: 1, Sides: 4, SidesCovered: 2, Findings: FindingsByTier{1, 0, 1}}, {Package: "long"}},
			"package  entries  steps  bytes  sides   findings       quarantine  generations\np        1        0      0      2 of 4  2 (1 suspect)  0           0\nlong     0        0      0      ?       0              0           0\n", ""},
		{"entry", Options{Dir: "/a/b"}, &Entry{File: "/a/b/e", Origin: "added", Sides: 1, Code: "v0 := 1"}, "// e, added, 1 branch side\nv0 := 1\n", ""},
		{"import", Options{}, &ImportedInputs{Package: "p", Target: "F", Dir: "d", Added: 1, Large: 2, MaxBytes: 2048}, "p.F: 1 input added to d, 0 were there\n", "foray: warning: 2 inputs left out that would take more than 2 KiB\n"},
		{"values", Options{}, &ImportedValues{Package: "p", Type: "T", Dir: "d", Known: 1, Short: 1}, "p.T: 0 values added to d/entries, 1 were there\n", "foray: warning: 1 input left out: the data ends before the value does\n"},
		{"gen", Options{}, &Generated{Package: "p", Files: []TestFile{{Kind: "regression", File: "a/b_test.go", Tests: 2, Functions: 1, Assertions: 1, Sides: 3, SidesCorpus: 4}}, Drops: []Drop{{Name: "x", Why: "flaky: 1"}, {Name: "y", Why: "flaky: 2"}, {Name: "z", Why: "twice", Quiet: true}}},
			"gen: p: no test of x: flaky: 1\ngen: p: no test of y: flaky: 2\ngen: p: wrote a/b_test.go (1 test of 2 cases, 1 assertion, 3 of 4 branch sides); left out 3 (2: flaky, 1: twice)\n", ""},
		{"replay", Options{}, &Replay{Package: "p", Entries: 1, Failing: 2, LessSure: 3, Known: 1, Sides: 4, SidesCovered: 2, Group: NewGroup(false, true)}, "FAIL\tp\t1 entry, 0 findings, 2 failing, 1 known, 3 panics or suspects that fail no run; 2 of 4 branch sides\n", ""},
		{"replay, one less sure", Options{}, &Replay{Package: "p", Findings: 1, LessSure: 1, Group: NewGroup(false, true)}, "ok\tp\t0 entries, 1 finding, 0 failing, 1 panic or suspect that fails no run\n", ""},
		{"summary of one", Options{}, &Summary{Packages: 1}, "", ""},
		{"summary", Options{}, &Summary{Packages: 2, Sequences: 9, Left: 1, WallSeconds: Seconds(1234 * time.Millisecond)}, "fuzz: interrupted, with 1 package not done\nfuzz: 2 packages, 9 sequences, findings: 0 error, 0 panic, 0 suspect, in 1.2s\n", ""},
		{"nothing to explain", Options{}, &Decisions{Operation: "F", Calls: []report.Calls{{End: EndReturned}}}, "", ""},
		{"explain", Options{}, &Decisions{Operation: "F", Decisions: []string{"d"}, Calls: []report.Calls{{End: EndIllegal, Rule: "nil", Reason: "r", Sequences: 7}}}, "F\n    d\n         7 illegal: r (rule nil)\n\n", ""},
		{"comparison", Options{}, &Compared{Versions{"v1", "v2", false}, [2]string{}, "p", 3, 1, 7}, "diff: p: v1 against v2; 3 operations (1 call) in common; seed 7\n", ""},
		{"comparison in Markdown", Options{}, &Compared{Versions{"v1", "v2", true}, [2]string{}, "p", 3, 1, 7}, "## `p`: v1 → v2\n\n", ""},
		{"difference", Options{}, &Difference{Operation: "F", Class: "value", Code: "F()", Old: "1", New: "2", Where: "result 0", SeenBy: []string{"G"}, AlsoAt: []string{"H"}, Test: "t", Versions: Versions{Old: "v1", New: "master"}},
			"--- DIFF: F (value)\n        F()\n    v1      1 (result 0)\n    master  2\n    seen by G\n    also seen at: H\n    | t\n\n", ""},
		{"added entry", Options{}, &Added{File: "f", ID: "0123456789abcdef", Steps: 2, OriginalSteps: 2}, "f: entry 0123456789ab\n", ""},
		{"merge of nothing", Options{Dir: "/a"}, &Merged{Package: "p", From: "/a/d", Entries: 1}, "p: 0 of 1 entry from d added, with 0 branch sides that were not there\n", ""},
		{"distill", Options{}, &Distilled{Package: "p", Entries: 1, Kept: 1, Steps: 1, StepsKept: 1, ValueClasses: 1, Failing: 2, Departures: []store.Departure{{ID: "0", Reason: "why"}}},
			"p: 1 of 1 entry kept, 1 of 1 step: 0 branch sides and 1 value class as before\n", "foray: warning: p: failing entries: 2, all kept\n  hint: foray replay -v p shows how they fail\n"},
		{"prune", Options{}, &Pruned{Package: "p", Entries: 1}, "p: 1 entry deleted\n", ""},
		{"undo all", Options{}, &Undone{Package: "p", Entries: 1}, "p: 1 entry back\n", ""},
		{"no corpus", Options{}, Corpora{}, "", ""},
		{"suspects", Options{}, Corpora{{Package: "p", Findings: FindingsByTier{0, 0, 2}, Quarantine: 3, Generations: 4}},
			"package  entries  steps  bytes  sides  findings        quarantine  generations\np        0        0      0      ?      2 (2 suspects)  3           4\n", ""},
		{"input", Options{}, &Entry{File: "e", Comment: "at most 2 bytes", Sides: 2, Code: "f()"}, "// e, 2 branch sides, at most 2 bytes\nf()\n", ""},
		{"import with suppressions", Options{Dir: "/a"}, &ImportedInputs{Package: "p", Target: "F", Dir: "/a/d", Added: 2, Known: 1, Suppressions: 1}, "p.F: 2 inputs added to d, 1 were there, and 1 suppression\n", ""},
		{"bad values", Options{}, &ImportedValues{Package: "p", Type: "T", Dir: "d", Added: 1, Bad: 1, Cut: 2, Large: 1, MaxBytes: 1024}, "p.T: 1 value added to d/entries, 0 were there\n",
			"foray: warning: 1 input left out: no operation makes such a value\nforay: warning: 2 inputs taken in part: no operation makes the rest; foray list -v lists the operations\n" +
				"foray: warning: 1 input left out that would take more than 1 KiB\n"},
		{"export", Options{}, &Exported{Package: "p", Target: "F", Dir: "d", Written: 1, Known: 2}, "p.F: 1 input written to d, 2 were there\n", ""},
		{"export of crashers", Options{}, &Exported{Package: "p", Target: "F", Dir: "d", Written: 3, Crashers: 1}, "p.F: 3 inputs written to d, 0 were there, 1 of them crashers\n", ""},
		{"gen, quietly dropped", Options{Verbose: true}, &Generated{Package: "p", Files: []TestFile{{Kind: "failing", File: "f", Tests: 1, Functions: 1, Assertions: 2}, {Kind: "regression", File: "r", Tests: 1, Functions: 1, Assertions: 2}}, Drops: []Drop{{Name: "z", Why: "twice", Quiet: true}}},
			"gen: p: wrote f (1 test), r (1 test, 2 assertions); left out 1: twice\n", "foray: p: no test of z: twice\n"},
		{"gen, one reason", Options{}, &Generated{Package: "p", Files: []TestFile{{Kind: "regression", File: "r", Tests: 1, Functions: 1, Assertions: 2}}, Drops: []Drop{{Kind: "regression", Name: "x", Why: "flaky: 1"}, {Kind: "regression", Name: "y", Why: "flaky: 2"}}},
			"gen: p: wrote r (1 test, 2 assertions); left out 2: flaky\n", ""},
		{"gen, all silenced", Options{}, &Generated{Package: "p", Files: []TestFile{{Kind: "failing", File: "f"}}, Drops: []Drop{{Name: "x", Why: "known", Quiet: true}}}, "gen: p: removed f: no test is left\n", ""},
		{"gen of nothing", Options{}, &Generated{Package: "p", Drops: []Drop{{Name: "x", Why: "flaky: 1"}}}, "gen: p: no test of x: flaky: 1\n", ""},
		{"fixed", Options{}, &Fixed{Package: "p", Name: "finding s"}, "p: finding s does not fail any more\n", ""},
		{"replay without failure", Options{}, &Replay{Package: "p", Entries: 2, Findings: 1, Group: NewGroup(false, true)}, "ok\tp\t2 entries, 1 finding, 0 failing\n", ""},
		{"summary of many", Options{}, &Summary{Packages: 3, Sequences: 1, Findings: FindingsByTier{1, 3, 2}, Left: 2, Explores: true}, "explore: interrupted, with 2 packages not done\nexplore: 3 packages, 1 sequence, findings: 1 error, 3 panic, 2 suspect, in 0s\n", ""},
		{"same difference", Options{}, &Difference{Operation: "F", SameCauseAs: "G"}, "", ""},
		{"no difference", Options{}, &DiffSummary{Sequences: 3, Ended: "sequences", Markdown: true}, "no difference in 3 sequences\n", ""},
	} {
		out, errs := printed(tt.o, tt.e)
		if out != tt.want || errs != tt.stderr {
			t.Errorf("%s: got\n%s%swant\n%s%s", tt.name, out, errs, tt.want, tt.stderr)
		}
	}
}

func TestMarkdown(t *testing.T) {
	e := &Difference{Operation: "F", Class: "value", Code: "F()\n", Old: "a|b", New: "`", Test: "t\n", Versions: Versions{"v1", "v2", true}}
	const want = "### `F`: value\n\n```go\nF()\n```\n\n| version | result |\n| --- | --- |\n| v1 | `a\\|b` |\n| v2 | `` ` `` |\n\n" +
		"<details><summary>test that passes on v1 only</summary>\n\n```go\nt\n```\n\n</details>\n\n"
	if got, _ := printed(Options{}, e); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	e.Where = "result 1[5]"
	if got, _ := printed(Options{}, e); !strings.Contains(got, "\n| version | result 1[5] |\n") {
		t.Errorf("got\n%swant the place at the head of the results", got)
	}
}

func TestListing(t *testing.T) {
	e := &Listing{Package: "m.test/q", Table: queue(), Excluded: []seq.Excluded{{Member: "Exit", Reason: "ends the process"}}, Unreachable: []catalog.Unreachable{{Type: "q.R", Reason: "no maker", Wanted: []string{"Use"}}}}
	const want = `package m.test/q

calls:
  New() *q.Q
  (*Q).Put(int)   // Put panics if q is full.

and 1 operation that only make values

types and what makes them:
  *q.Q  New, &q.Q{}

types that nothing makes:
  q.R  no maker; wanted by Use

excluded:
  Exit  ends the process

`
	if got, _ := printed(Options{}, e); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestDecisionsOf(t *testing.T) {
	table := queue()
	op := &table.Ops[1]
	op.Pre.Panics, op.Pre.Blocks, op.ReturnsError, op.Ignore = true, true, true, []string{"put-get"}
	op.Pre.NilOK = []bool{true, false}
	want := []string{
		`documented: "Put panics if q is full.": a panic is illegal`, "nil for argument 0 is dealt with",
		"it returns errors: results beside an error are not used", "it may wait by design: that is no hang", "contracts that are not checked: put-get",
	}
	if got := DecisionsOf(table, op); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestMembers(t *testing.T) {
	table := queue()
	res := &coordinator.Result{Banned: []seq.OpID{1}}
	res.Ops = []engine.OpCounts{{Op: 0, Runs: 5, Normal: 4, Failed: 1}, {Op: 2, Runs: 9}}
	got := Members([]string{"(*Q).Put", "Exit", "Idle", "New"}, table, res, map[string]string{"Exit": "ends the process"})
	want := []Member{
		{Member: "New", Tried: 5, Legal: 4, Failed: 1}, {Member: "(*Q).Put", Why: "disabled: it ended too many processes"},
		{Member: "Exit", Why: "ends the process"}, {Member: "Idle", Why: "not tried"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// put is a finding in a call of Put.
func put() *engine.Finding {
	table := queue()
	steps, err := table.Parse("v0 := q.New(); v0.Put(1)")
	if err != nil {
		panic(err)
	}
	longer, err := table.Parse("v0 := q.New(); v0.Put(1); v0.Put(2)")
	if err != nil {
		panic(err)
	}
	v := engine.Verdict{Tier: engine.Error, Kind: engine.KindPanic, Op: 1, Signature: engine.ParseSignature("panic:index:(*Q).Put"), Message: "Put panics: 50%", Reason: "doc", Stack: "m.test/q.(*Q).Put\n\t/m/q.go:7\n"}
	return &engine.Finding{Verdict: v, Steps: steps, Original: longer}
}

func TestFinding(t *testing.T) {
	table, f := queue(), put()
	e := NewFinding(table, f, "m.test/q")
	e.File, e.Text.Rerun, e.Text.Origin = "/m/t_test.go", "foray replay", Origin(table, f, false)
	out, _ := printed(Options{Dir: "/m"}, e)
	for _, want := range []string{
		"--- FAIL: (*Q).Put (error: panic)\n    Put panics: 50%\n    doc\n        ", "v0.Put(int(1))", "\n    m.test/q.(*Q).Put\n    \t/m/q.go:7\n    minimized from 3 calls to 2\n",
		"\n    signature panic:index:(*Q).Put\n    written to t_test.go\n    re-run: foray replay\n\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%swant in it\n%s", out, want)
		}
	}
	e.News, e.Hits, e.Text.First = false, 3, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	const still = "--- still there: (*Q).Put (error: panic)\n    Put panics: 50%\n        v0 := q.New()\n        v0.Put(int(1))\n    found 2026-01-02, 3 sequences ended in it since\n    signature panic:index:(*Q).Put\n    written to t_test.go\n\n"
	if out, _ := printed(Options{Dir: "/m"}, e); out != still {
		t.Errorf("got\n%swant\n%s", out, still)
	}
	if out, _ := printed(Options{Verbose: true}, e); !strings.HasPrefix(out, "--- FAIL") {
		t.Errorf("with -v: %s", out)
	}
	if e.Text.Hidden = true; e.Text.Hidden {
		if out, _ := printed(Options{}, e); out != "" {
			t.Errorf("hidden, but printed\n%s", out)
		}
	}
}

func TestAnnotation(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "/m")
	table, f := queue(), put()
	got := Annotation(table, f, "m.test/q", "/m")
	if want := "::error file=q.go,line=7,title=(*Q).Put (panic)::Put panics: 50%25%0Adoc%0A%0A"; !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
		t.Errorf("got %q, want %q …", got, want)
	}
	f.Verdict.Tier, f.Verdict.Stack = engine.Suspect, ""
	table.Ops[1].File, table.Ops[1].Line = "put,1.go", 3
	if got, want := Annotation(table, f, "m.test/q", "/m"), "::warning file=put%2C1.go,line=3,title="; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q …", got, want)
	}
}

func TestShorten(t *testing.T) {
	frame := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, "%s\n\t/src/x.go:1\n", n)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, stack, want string }{
		{"empty", "", ""},
		{"short", frame("m.test/p.F"), frame("m.test/p.F")},
		{"leaves out frames of others", frame("sync.fatal", "sync.unlock", "m.test/p.F"), frame("sync.fatal") + "… 1 frame\n" + frame("m.test/p.F")},
		{"leaves out a recursion", frame("m.test/p.F", "m.test/p.F", "m.test/p.F", "m.test/p.G"), frame("m.test/p.F") + "… 2 frames\n" + frame("m.test/p.G")},
		{"leaves out far frames", frame("m.test/p.A", "m.test/p.B", "m.test/p.C", "m.test/p.D", "m.test/p.E", "m.test/p.F"), frame("m.test/p.A", "m.test/p.B", "m.test/p.C", "m.test/p.D", "m.test/p.E") + "… 1 frame\n"},
		{"another package", frame("m.test/q.F", "m.test/pp.F"), frame("m.test/q.F") + "… 1 frame\n"},
	} {
		if got := shorten(tt.stack, "m.test/p"); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	a := &load.Error{Place: "a", Msg: "one", Hint: "do"}
	n := PrintError(&b, errors.Join(a, errors.Join(errors.New("two"), &load.Error{Place: "c", Msg: "three", Hint: "don't"})))
	const want = "foray: a: one\n  hint: do\nforay: two\nforay: c: three\n  hint: don't\n"
	if got := b.String(); got != want || n != 3 {
		t.Errorf("got %d errors\n%swant 3\n%s", n, got, want)
	}
}

// Lines on a terminal are never longer than it, and are removed before other output.
func TestLive(t *testing.T) {
	var b bytes.Buffer
	p := NewPrinter(&b, io.Discard, Options{})
	p.fd, p.live = -1, true
	snap := coordinator.Snapshot{Elapsed: time.Second, Counts: engine.Counts{Sequences: 123456789012, Values: 123456789012}, Covered: coverage.NewSet(1), Deaths: 1000}
	s := Status{Snapshot: snap, Sides: 1, Earlier: 1, Package: strings.Repeat("p", 90)}
	draw := func(elapsed time.Duration, block func() []string, begin string) {
		t.Helper()
		b.Reset()
		p.Progress(elapsed, s.Line, block)
		drawn, ok := strings.CutPrefix(b.String(), begin)
		if !ok {
			t.Errorf("drew %q, want it to begin with %q", b.String(), begin)
		}
		for line := range strings.Lines(drawn) {
			if n := len([]rune(line)); n > 79 {
				t.Errorf("%d wide: %s", n, line)
			}
		}
	}
	draw(s.Elapsed, nil, "\r\x1b[J")
	draw(s.Elapsed+liveEvery, s.Block, "\r\x1b[J")
	if n := strings.Count(b.String(), "\n"); n != 3 {
		t.Errorf("%d lines, want 4: %q", n+1, b.String())
	}
	draw(s.Elapsed+2*liveEvery, s.Block, "\r\x1b[3A\x1b[J")
	b.Reset()
	p.Progress(s.Elapsed+2*liveEvery+time.Millisecond, s.Line, s.Block)
	p.Printf("done")
	p.Printf("more")
	if got, want := b.String(), "\r\x1b[3A\x1b[Jdone\nmore\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where there is no terminal, the first line comes after a second.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := NewPrinter(&b, io.Discard, Options{})
	for i := range 80 {
		p.Progress(time.Duration(i)*time.Second/10, func() string { return fmt.Sprint(i) }, func() []string { panic("a block") })
	}
	if got, want := b.String(), "10\n40\n70\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// In hours there is a line a minute, and in a minute as many as ever.
func TestProgressOfHours(t *testing.T) {
	lines := 0
	p := NewPrinter(io.Discard, io.Discard, Options{})
	until := func(from, to time.Duration) int {
		lines = 0
		for now := from; now < to; now += time.Second {
			p.Progress(now, func() string { lines++; return "" }, nil)
		}
		return lines
	}
	for _, tt := range []struct {
		from, to time.Duration
		want     int
	}{{0, time.Minute, 20}, {time.Minute, 10 * time.Minute, 44}, {time.Hour, 2 * time.Hour, 60}} {
		if got := until(tt.from, tt.to); got > tt.want || got < tt.want-3 {
			t.Errorf("%v to %v: %d lines, want about %d", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		c        Color
		terminal bool
		no       string
		want     bool
	}{
		{"", true, "", true}, {ColorAuto, true, "", true}, {ColorAuto, true, "1", false}, {ColorAuto, false, "", false},
		{ColorAlways, false, "1", true}, {ColorNever, true, "", false},
	} {
		if got := tt.c.on(tt.terminal, tt.no); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	var c Color
	if err := c.Set("blue"); err == nil || err.Error() != "want auto, always or never" {
		t.Errorf("blue: %v", err)
	}
	for tier, want := range map[string]string{"error": "\x1b[1;31m--- FAIL: F (error: panic)\x1b[0m\n", "suspect": "\x1b[1;33m--- SUSPECT: F (suspect: panic)\x1b[0m\n"} {
		e := &Finding{Operation: "F", Tier: tier, Kind: "panic", News: true}
		if got, _ := printed(Options{Color: ColorAlways}, e); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", tier, got)
		}
		if got, _ := printed(Options{Color: ColorAlways, JSON: true}, e); strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", tier, got)
		}
	}
}

// A reader that goes away ends the run.
func TestStop(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	stopped := false
	NewPrinter(w, io.Discard, Options{JSON: true, Stop: func() { stopped = true }}).Print(&Fixed{})
	if !stopped {
		t.Error("not stopped")
	}
}

// Findings that are less sure than errors are shown at the end, the surest first. Broken promises
// wait until then, or until the errors settle.
func TestHeld(t *testing.T) {
	list := func() []*Finding {
		return []*Finding{
			{Operation: "S", Tier: "suspect", News: true}, {Operation: "P", Signature: "p", Tier: "panic", News: true},
			{Operation: "B", Signature: "b", Claim: "promise", Tier: "error", News: true}, {Operation: "E", Signature: "e", Tier: "error", News: true},
		}
	}
	shown := func(print func(p *Printer)) string {
		var b bytes.Buffer
		print(NewPrinter(&b, io.Discard, Options{}))
		return strings.Join(regexp.MustCompile(`(?m)^--- \w+: (\w)`).FindAllString(b.String(), -1), " ")
	}
	for _, settles := range []bool{false, true} {
		g := NewGroup(false, true)
		early := shown(func(p *Printer) {
			for _, e := range list() {
				g.Hold(e)
				p.Print(e)
			}
		})
		then := ""
		if settles {
			then = shown(g.Settle)
			then += shown(func(p *Printer) { // the same promise again
				e := list()[2]
				g.Hold(e)
				p.Print(e)
			})
		}
		late, order := "--- FAIL: B --- PANIC: P", "e b p"
		if settles {
			late, order = "--- PANIC: P", "e b b p"
		}
		if got := strings.Join(g.Shown(), " "); got != order {
			t.Errorf("settles %v: order %q, want %q", settles, got, order)
		}
		if got := shown(func(p *Printer) { g.rest(p, "dir") }); early != "--- FAIL: E" || settles != (then == "--- FAIL: B--- FAIL: B") || got != late {
			t.Errorf("settles %v: first %q, then %q, at the end %q", settles, early, then, got)
		}
	}
}

// Panics that are less likely bugs are told in a line, or as others are. Of many none is.
func TestSimplePanics(t *testing.T) {
	for _, c := range []struct {
		panics int
		likely bool // one of them
		plain  bool
		shown  string
		told   int
	}{
		{3, false, true, "p0", 0}, {4, false, true, "", 0}, {4, true, true, "p1", 0},
		{3, false, false, "", 3}, {3, true, false, "p1", 2}, {4, false, false, "", 0}, {4, true, false, "p1", 0},
	} {
		g := NewGroup(false, c.plain)
		for i := range c.panics {
			signature := fmt.Sprint("p", i)
			g.add([]string{signature}, signature, engine.Panic)
			likely := c.likely && i == 1
			g.Hold(&Finding{Signature: signature, Message: "message " + signature, Tier: engine.Panic.String(), Claim: string(engine.ClaimCrash), News: true,
				Odds: map[bool]float64{true: 1}[likely], Text: Shown{Unlikely: !likely, Code: []string{"p.F(nil)\n", "// imports fmt\nv0 := p.New()\nv0.F()\n"}[i%2]}})
		}
		var b bytes.Buffer
		list := strings.Join(g.Shown(), " ")
		g.rest(NewPrinter(&b, io.Discard, Options{}), "dir")
		shown := ""
		if m := regexp.MustCompile(`signature (\w+)`).FindStringSubmatch(b.String()); m != nil {
			shown = m[1]
		}
		told := regexp.MustCompile(`(?m)^    message p\d \(p\d\)$`).FindAllString(b.String(), -1)
		if c.shown != "" {
			told = slices.DeleteFunc(told, func(s string) bool { return strings.Contains(s, c.shown) })
		}
		if shown != c.shown || list != c.shown || len(told) != c.told || c.panics > maxPanics != strings.Contains(b.String(), "so many panics") {
			t.Errorf("%+v: %q is shown, %q told:\n%s", c, shown, told, b.String())
		}
		// The code stands below its message, in a line.
		if lines := "    message p0 (p0)\n        p.F(nil)\n    message p1 (p1)\n        v0 := p.New(); v0.F()\n    message p2 (p2)\n"; c.told == 3 && !strings.Contains(b.String(), lines) {
			t.Errorf("told:\n%swant\n%s", b.String(), lines)
		}
	}
}

// A broken promise that is less likely a bug is told beside panics of which there are so many that
// none is, with its odds.
func TestUnlikelyPromise(t *testing.T) {
	g := NewGroup(false, false)
	for i, claim := range []engine.Claim{engine.ClaimCrash, engine.ClaimCrash, engine.ClaimCrash, engine.ClaimCrash, engine.ClaimPromise} {
		signature := fmt.Sprint("p", i)
		g.add([]string{signature}, signature, engine.Panic)
		g.Hold(&Finding{Signature: signature, Message: "m", Tier: engine.Panic.String(), Claim: string(claim), News: true, Odds: 0.36, Text: Shown{Unlikely: true}})
	}
	var b bytes.Buffer
	g.rest(NewPrinter(&b, io.Discard, Options{}), "dir")
	const want = "1 less sure finding; -v shows all, and foray replay SIGNATURE one of them:\n    m (p4; of findings with such calls 36 in 100 were bugs)\n\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// A finding that a rule lowered is told with the reason, and without odds, which do not know of it. One
// of a fuzz target is told without foray replay, which does not know it.
func TestLowered(t *testing.T) {
	g := NewGroup(false, false)
	e := &Finding{Signature: "p", Message: "m", Document: "it fails with any text", Tier: engine.Panic.String(), News: true, Odds: 0.57, Text: Shown{Unlikely: true, Lowered: true}}
	g.add([]string{"p"}, "p", engine.Panic)
	g.Hold(e)
	var line, whole bytes.Buffer
	g.Target = true
	g.rest(NewPrinter(&line, io.Discard, Options{}), "dir")
	if want := "1 less sure finding; -v shows all:\n    m (p; it fails with any text)\n"; !strings.Contains(line.String(), want) {
		t.Errorf("got\n%swant\n%s", &line, want)
	}
	e.Text.Hidden = false
	if e.text(NewPrinter(&whole, io.Discard, Options{Verbose: true})); strings.Contains(whole.String(), "in 100") {
		t.Errorf("with -v:\n%s", &whole)
	}
}

// A suspect that is found again as an error is shown once.
func TestGroupRises(t *testing.T) {
	g := NewGroup(false, true)
	for _, tier := range []engine.Tier{engine.Suspect, engine.Error} {
		g.add([]string{"a"}, "a", tier)
		g.Hold(&Finding{Signature: "a", Message: "message " + tier.String(), Tier: tier.String(), News: true})
	}
	if got := g.Shown(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("shown: %q, want a once", got)
	}
	var b bytes.Buffer
	if g.rest(NewPrinter(&b, io.Discard, Options{}), "dir"); b.Len() > 0 {
		t.Errorf("told at the end:\n%s", &b)
	}
}

func TestGroup(t *testing.T) {
	g := NewGroup(false, true)
	add := func(keys, signature string, tier engine.Tier, want Place) {
		t.Helper()
		got := g.add(strings.Fields(keys), signature, tier)
		if got != want {
			t.Errorf("%s: %+v, want %+v", signature, got, want)
		}
		e := &Finding{Signature: signature, Tier: tier.String(), Claim: string(engine.ClaimCrash), News: true, Text: Shown{Hidden: got.Hidden}}
		if signature == "p4" {
			e.Odds = 0.6
		}
		g.Hold(e)
	}
	add("a s1", "s1", engine.Suspect, Place{})
	add("a e1", "e1", engine.Error, Place{}) // an error does not hide behind a suspect
	add("a s2", "s2", engine.Suspect, Place{"e1", true})
	add("b s3", "s3", engine.Suspect, Place{})
	add("s4", "s4", engine.Suspect, Place{})
	add("s5", "s5", engine.Suspect, Place{})
	add("s6", "s6", engine.Suspect, Place{})
	add("c s7", "s7", engine.Suspect, Place{}) // one suspect too many
	add("c s8", "s8", engine.Suspect, Place{"s7", true})
	add("p1", "p1", engine.Panic, Place{})
	add("p2", "p2", engine.Panic, Place{})
	add("p3", "p3", engine.Panic, Place{})
	add("p4", "p4", engine.Panic, Place{}) // the likeliest bug
	for i := range 7 {
		add("b", fmt.Sprint("t", i), engine.Suspect, Place{"s3", true})
	}
	if got, want := strings.Join(g.Shown(), " "), "e1 p4"; got != want {
		t.Errorf("shown: %s, want %s", got, want)
	}
	var b bytes.Buffer
	g.rest(NewPrinter(&b, io.Discard, Options{}), "dir")
	const want = `p4
5 suspects that may well be misuse; -v shows all, and foray replay SIGNATURE one of them:
     (s1)
     (s3)
     (s4)
     (s5)
     (s6)
    of such suspects 22 of 208 were bugs, in packages that foray was not made with

and 1 more way to see e1; -v shows all:
    s2
3 more panics and 9 more suspects not shown; -v shows all, and all are stored in dir
a package with so many panics mostly leaves it to its callers to check what they give
`
	_, counted, _ := strings.Cut(b.String(), "\n\n5 ")
	var list []string
	for _, m := range regexp.MustCompile(`signature (\w+)`).FindAllStringSubmatch(b.String(), -1) {
		list = append(list, m[1])
	}
	if got := strings.Join(list, " ") + "\n5 " + counted; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	g.Target, b = true, bytes.Buffer{} // what is not shown of a fuzz target is stored as inputs, elsewhere
	if g.rest(NewPrinter(&b, io.Discard, Options{}), "dir"); !strings.Contains(b.String(), "9 more suspects not shown; -v shows all\n") {
		t.Errorf("of a fuzz target:\n%s", &b)
	}
	also := map[string][]string{"e1": {"s2"}, "s3": {"t0", "t1", "t2", "t3", "t4", "t5", "t6"}, "s7": {"s8"}}
	if got := g.AlsoAt(); !reflect.DeepEqual(got, also) {
		t.Errorf("also at %v, want %v", got, also)
	}
	g, b = NewGroup(true, true), bytes.Buffer{}
	for i := range 9 {
		add("a", fmt.Sprint(i), engine.Suspect, map[bool]Place{true: {}, false: {SameCauseAs: "0"}}[i == 0])
	}
	if g.rest(NewPrinter(&b, io.Discard, Options{}), "dir"); b.Len() > 0 {
		t.Errorf("with -v: %s", &b)
	}
}
