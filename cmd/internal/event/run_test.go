package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/versions"
	"foray.test/harness/catalog"
)

func snapshot() coordinator.Snapshot {
	s := coordinator.Snapshot{Elapsed: 2500 * time.Millisecond, Covered: coverage.NewSet(4), Entries: 2}
	s.Counts.Sequences, s.Counts.Values = 100, 7
	s.Findings[engine.Error], s.Findings[engine.Suspect] = 1, 2
	s.Covered.Add(1)
	return s
}

func TestStatus(t *testing.T) {
	const want = "fuzz: elapsed: 2s, sequences: 100 (40/sec), findings: 3, sides: 1/4, values: 7, new entries: 2 (total: 5)"
	s := Status{Snapshot: snapshot(), Package: "m.test/q", Sides: 4, Earlier: 3, Conditions: []coverage.Condition{{First: 0, Sides: []string{"false", "true"}}, {First: 2, Sides: []string{"false", "true"}}}}
	if got := s.Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	check := func(want ...string) {
		t.Helper()
		if got := s.Block(); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	check("m.test/q  composing sequences, 2s", "sequences 100 (40/s), values 7, entries 5 (2 new)", "sides     1 of 4, frontier 1", "findings  1 error, 0 panic, 2 suspect")
	s.Pending, s.Deaths = 1, 2
	if got, want := s.Line(), want+", to confirm: 1, restarts: 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Findings[engine.Error] += 4
	s.Aiming, s.Time = true, 10*time.Second
	if got := s.Line(); !strings.Contains(got, ", findings: 7, ") {
		t.Errorf("got  %s\nwant 7 findings", got)
	}
	check("m.test/q  aiming at the frontier, 2s of 10s", "sequences 100 (40/s), values 7, entries 5 (2 new)", "sides     1 of 4, frontier 1", "findings  5 error, 0 panic, 2 suspect, 1 to confirm, 2 restarts")
}

func TestDiffProgress(t *testing.T) {
	s := versions.Snapshot{Elapsed: 4 * time.Second, Sequences: 10, Differences: 1}
	const want = "diff: elapsed: 4s, sequences: 10 (2/sec), differences: 1"
	if got := DiffProgress(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Unstable, s.Pending = 3, 5
	if got, want := DiffProgress(s), want+", unstable operations: 3, to look at: 5"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e := &DiffSummary{Sequences: 1, Differences: 2, Unstable: []string{"F", "G"}, Ended: "time", Snapshot: s}
	const summary = ", unstable operations: 3, to look at: 5\nleft out, since they do not repeat themselves: F, G\n2 differences in 1 sequence\nended: the time was up\n"
	if got, _ := printed(Options{}, e); got != want+summary {
		t.Errorf("got\n%swant\n%s", got, want+summary)
	}
}

func TestFrontier(t *testing.T) {
	var sum Frontier
	sum.Add(Frontier{Start: 2, Flipped: 1, Status: map[string]int{engine.SideFlipped: 1, "tried": 1}})
	if got, want := sum.String(), "1 of 2 sides taken since it was aimed at; left: 1 tried"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	sum.Add(Frontier{Start: 3, Status: map[string]int{"tried": 2, "exhausted": 1}})
	if got, want := sum.String(), "1 of 5 sides taken since it was aimed at; left: 1 exhausted, 3 tried"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (Frontier{Start: 1, Flipped: 1}).String(), "1 of 1 side taken since it was aimed at"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFindingsByTier(t *testing.T) {
	var f FindingsByTier
	f.Add([engine.Tiers]int{engine.Illegal: 9, engine.Suspect: 2, engine.Panic: 5, engine.Error: 1})
	f.Add([engine.Tiers]int{engine.Error: 3})
	if want := (FindingsByTier{Error: 4, Panic: 5, Suspect: 2}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}

// Times are read as they are written, in whole milliseconds.
func TestSeconds(t *testing.T) {
	for _, want := range []time.Duration{0, 34 * time.Millisecond, 2*time.Second + 999*time.Millisecond, 29 * time.Hour} {
		data, err := json.Marshal(Seconds(want))
		if err != nil {
			t.Fatal(err)
		}
		var got Seconds
		if err := json.Unmarshal(data, &got); err != nil || time.Duration(got) != want {
			t.Errorf("%v is written as %s and read as %v (%v)", want, data, time.Duration(got), err)
		}
	}
	if err := new(Seconds).UnmarshalJSON([]byte(`"x"`)); err == nil {
		t.Error("text is read as a time")
	}
}

func TestEnded(t *testing.T) {
	for stopped, want := range map[string]string{
		"time": "the time was up", "sequences": "all sequences were run", "interrupted": "interrupted",
		"plateau": "nothing new came for as long as the run had taken to get there",
	} {
		if got := ended(stopped); got != want {
			t.Errorf("%s: %q, want %q", stopped, got, want)
		}
	}
}

// The estimate of a search that stopped names the calls that fit.
func TestExpected(t *testing.T) {
	res := &coordinator.Result{}
	res.Explored = engine.Explored{Depth: 1, States: 40, Open: 9, Transitions: 130}
	res.Expected = coordinator.Expected{PerSecond: 1000, Forecast: engine.Forecast{Depths: []float64{10, 2e5, 4e6, 8e12}, States: []float64{4, 1e4, 2e5, 4e11}}}
	for _, tt := range []struct {
		stopped string
		states  int
		want    string
	}{
		{"too long", 100_000, "stopped: it would go on for more than an hour; 9 states to extend: not all sequences of 2 calls\nexpected: about 8e+12 transitions and 4e+11 states of at most 4 calls, 2.5e+02 years at 1000 a second: -depth 2 fits, -force goes on\nexplored: "},
		{"time", 1 << 20, ": -depth 2 fits\n"}, // three calls take more than an hour
		{"states", 4, ": fewer -values or -ops may fit\n"},
	} {
		var b strings.Builder
		p := NewPrinter(&b, &b, Options{})
		NewExplored(&seq.Table{}, engine.Scope{Calls: 4, States: tt.states}, res, nil).text(p, tt.stopped)
		if !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s: got\n%swant\n%s", tt.stopped, &b, tt.want)
		}
	}
	res.Explored.Depth = 4
	if e := NewExplored(&seq.Table{}, engine.Scope{Calls: 4, States: 9}, res, nil); e.Expected != nil {
		t.Errorf("%+v is expected of a search that has come to its end", e.Expected)
	}
}

// The end of a run on a package, with few parts and with all of them.
func TestPackage(t *testing.T) {
	progress := (&Status{Snapshot: snapshot(), Sides: 0, Earlier: 0}).Line() + "\n"
	few := &Package{Package: "m/p", CorpusEntries: 1, Small: &Small{Type: "T"}, Ended: "time", Text: PackageText{Group: NewGroup(false, true), Corpus: "/m/corpus", Result: &coordinator.Result{Snapshot: snapshot()}}}
	want := progress + "operations: 0 of 0 exported functions and methods returned normally at least once\nsmall values: none, though T has an invariant; foray twin T m/p writes a function that makes them\ncorpus: 1 entry in corpus\nended: the time was up\n\n"
	if got, _ := printed(Options{Dir: "/m"}, few); got != want {
		t.Errorf("few parts: got\n%swant\n%s", got, want)
	}

	res := &coordinator.Result{Snapshot: snapshot(), AimedFrom: coverage.NewSet(4)}
	res.Counts.Once, res.Counts.Sampled, res.Late = 1, 50, 2
	full := &Package{Target: "FuzzF", Sides: 4, SidesCovered: 1, Unconfirmed: 3, CorpusEntries: 2, Ended: "plateau", Frontier: Frontier{Start: 2}, Small: &Small{Functions: []string{"SmallT", "SmallU"}, Entries: 1}}
	full.Text = PackageText{
		Result: res, Group: NewGroup(false, true), Corpus: "/far/away/c", Earlier: 3, Values: 1, KnownFile: "/m/a/b/foray.known", Known: 1, KnownHits: 2, Suppressed: 2,
		State: &report.State{Conditions: []report.Condition{{Sides: []report.Side{{Taken: true}, {}}}}},
	}
	want = (&Status{Snapshot: snapshot(), Sides: 4, Earlier: 3}).Line() + `
known: 1 finding listed in foray.known, in which 2 sequences ended
suppressed: 2 findings, by suppressions of go-fuzz
coverage: 1 of 4 branch sides (25.0%), 1 on the frontier
frontier: 0 of 2 sides taken since it was aimed at
estimate: the next sequence takes a new branch side with probability 0.02 (Good-Turing)
unconfirmed: 1 finding, which no test in a fresh process has shown; -v shows them
small values: 1 of 2 entries make one, by SmallT, SmallU
corpus: 2 entries (1 for the values they make) in /far/away/c
ended: nothing new came for as long as the run had taken to get there

`
	if got, _ := printed(Options{Dir: "/m/a/b", Verbose: true}, full); strings.Contains(got, "-v shows") {
		t.Errorf("with -v: got\n%swant no hint at -v", got)
	}
	if got, _ := printed(Options{Dir: "/m/a/b"}, full); got != want {
		t.Errorf("all parts: got\n%swant\n%s", got, want)
	}
}

// An estimate from few sequences, and solving that proposed nothing, are not told of.
func TestPackageLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		sampled, proposed uint64
		want              bool
	}{{minSampled - 1, 0, false}, {minSampled, 1, true}} {
		res := &coordinator.Result{Snapshot: snapshot()}
		res.Counts.Once, res.Counts.Sampled = tt.sampled, tt.sampled
		e := &Package{Sides: 4, Ended: "time", Solved: &Handover{Proposed: int(tt.proposed)}, Text: PackageText{Result: res, Group: NewGroup(false, true), State: &report.State{}}}
		got, _ := printed(Options{}, e)
		for _, line := range []string{"estimate: the next sequence", "solving: 1 sequence"} {
			if strings.Contains(got, line) != tt.want || !tt.want && strings.Contains(got, "solving") {
				t.Errorf("%d sampled, %d proposed: %q told: %v, want %v:\n%s", tt.sampled, tt.proposed, line, !tt.want, tt.want, got)
			}
		}
	}
}

// A probability of zero is not known, only a bound.
func TestDiscovery(t *testing.T) {
	for _, tt := range []struct {
		once, sampled uint64
		want          string
	}{{0, 0, "1"}, {0, 500, "below 0.002"}, {3, 1000, "0.003"}} {
		if got := discovery(engine.Counts{Once: tt.once, Sampled: tt.sampled}); got != tt.want {
			t.Errorf("%d of %d: %s, want %s", tt.once, tt.sampled, got, tt.want)
		}
	}
}

func TestMemberTable(t *testing.T) {
	rows := []Member{{Member: "New", Tried: 12, Legal: 10, Failed: 1, Broken: 1}, {Member: "(*Q).Gét", Tried: 3, Broken: 3}, {Member: "Exit", Why: "os.Exit"}, {Member: "Odd", Why: "takes a raw pointer"}, {Member: "Other", Why: catalog.NotChosen}}
	const first = "operations: 1 of 5 exported functions and methods returned normally at least once; 1 were not chosen by -ops and -skip\n"
	for _, tt := range []struct {
		name string
		o    Options
		rows []Member
		want string
	}{
		{"all legal", Options{}, rows[:1], "operations: 1 of 1 exported functions and methods returned normally at least once\n"},
		{"some not", Options{}, rows, first +
			"              tried  legal  error  panic\n" +
			"    (*Q).Gét      3      0      0      3\n" +
			"    Exit          0      0      0      0  not called: it uses os.Exit\n" +
			"    Odd           0      0      0      0  takes a raw pointer\n"},
		{"verbose", Options{Verbose: true}, rows, first +
			"              tried  legal  error  panic\n" +
			"    New          12     10      1      1\n" +
			"    (*Q).Gét      3      0      0      3\n" +
			"    Exit          0      0      0      0  not called: it uses os.Exit\n" +
			"    Odd           0      0      0      0  takes a raw pointer\n"},
	} {
		var b strings.Builder
		(&Package{MemberRows: tt.rows}).memberTable(NewPrinter(&b, nil, tt.o))
		if b.String() != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, &b, tt.want)
		}
	}
	var many []Member
	for i := range 42 {
		many = append(many, Member{Member: fmt.Sprint("F", i), Tried: 1})
	}
	var b strings.Builder
	(&Package{MemberRows: many}).memberTable(NewPrinter(&b, nil, Options{}))
	lines := strings.Split(b.String(), "\n")
	if n := len(lines); n != 44 || lines[41] != "    F39      1      0      0      0" || lines[42] != "  … 2 more; -v shows all" {
		t.Errorf("42 members: %d lines\n%s", n, &b)
	}
}
