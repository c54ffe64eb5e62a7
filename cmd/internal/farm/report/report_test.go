package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

var update = flag.Bool("update", false, "rewrite testdata")

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// input has a target of each kind and a finding in each state.
func input() Input {
	targets := []record.Target{
		{Package: "m.test/m/queue", Pattern: "m.test/m/queue", Dir: "queue"},
		{Package: "m.test/m/parse", Pattern: "m.test/m/parse", Dir: "parse", Fuzz: "FuzzParse"},
		{Package: "m.test/m/broken", Pattern: "m.test/m/broken", Dir: "broken"},
		{Package: "m.test/m/late", Pattern: "m.test/m/late", Dir: "late"},
	}
	known := []*ledger.Target{
		{Runs: 3, Counts: record.Counts{Seconds: 120.5, Sequences: 1000, Sides: 12, SidesCovered: 11, Entries: 9}},
		{Runs: 2, Counts: record.Counts{Seconds: 60, Sequences: 500, Sides: 8, SidesCovered: 8, Entries: 2}},
		{Runs: 1, Problem: "broken/b.go:2:19: too many return values | have (number)"},
		nil,
	}
	v := &farm.View{Runs: 6, Problems: []farm.Problem{{Place: "./empty", Msg: "no Go files"}}}
	for i := range targets {
		v.Targets = append(v.Targets, farm.TargetView{Target: targets[i], Name: targets[i].String(), Known: known[i]})
	}
	in := Input{View: v, Reports: map[string]*record.Report{}, Places: map[string]Place{"k-new": {"queue/queue.go", 20}}, Prefix: "sub/", Version: "v1.2.3"}
	for i, state := range []ledger.State{ledger.StateNew, ledger.StateFixed, ledger.StateReopened, ledger.StateSilenced} {
		f := ledger.Finding{
			Key: "k-" + string(state), Target: targets[i%2].ID(), State: state,
			Seen:  record.Seen{Signature: "panic:index:(*Queue).Get" + string(state), Tier: "error", Kind: "panic", Operation: "(*Queue).Get", Message: "index out of range\x01 <&>"},
			First: at, Last: at, Runs: 1 + i,
		}
		if state == ledger.StateSilenced {
			f.Reason = "issue 41"
		}
		if state == ledger.StateNew {
			f.Bisection = &record.Bisection{First: record.Commit{Hash: "0123456789abcdef", Subject: "queue: faster_Get", Author: "A", At: at}, Before: record.Passes, Or: []string{"x"}}
		}
		v.Findings = append(v.Findings, f)
		in.Reports[f.Key] = &record.Report{Sequence: "v0 := New(1)\nv0.Get()", Test: "package queue\n\n// ``` in a comment\nfunc TestForayGet(t *testing.T) {}\n"}
	}
	v.Findings = append(v.Findings, ledger.Finding{
		Key: "k-input", Target: targets[1].ID(), Seen: record.Seen{Signature: "panic:nil:FuzzParse", Tier: "panic", Kind: "panic", Operation: "FuzzParse", Message: "nil"}, State: ledger.StateNew, First: at, Last: at, Runs: 1,
	})
	in.Reports["k-input"] = &record.Report{Input: []byte("go test fuzz v1\nint(7)\n")}
	v.Findings = append(v.Findings, ledger.Finding{
		Key: "k-suspect", Target: targets[0].ID(), Seen: record.Seen{Signature: "panic:nil:F", Tier: "suspect", Kind: "panic", Operation: "F", Message: "nil"}, State: ledger.StateOpen, First: at, Last: at,
	})
	return in
}

func TestGolden(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer, Input) error{
		"report.sarif": func(b *bytes.Buffer, in Input) error { return SARIF(b, in) },
		"report.xml":   func(b *bytes.Buffer, in Input) error { return JUnit(b, in) },
		"report.md":    func(b *bytes.Buffer, in Input) error { return Markdown(b, in) },
		"report.patch": func(b *bytes.Buffer, in Input) error {
			b.WriteString(Patch(in, Open(in.View)))
			return nil
		},
		"report.txt": func(b *bytes.Buffer, in Input) error {
			Text(b, in.View, true)
			return nil
		},
	} {
		var got bytes.Buffer
		if err := write(&got, input()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s, %v: got\n%s\nwant\n%s", name, err, got.Bytes(), want)
		}
	}
}

// Texts stand in Markdown as they are: none ends a cell, is a link, or is changed.
func TestMarkdownEscapes(t *testing.T) {
	in := input()
	in.View.Targets[2].Known.Problem = `want "\|", not [x](y) or &lt;`
	in.View.Findings[0].Signature = "panic:explicit:no `x`:F"
	in.View.Findings[2].Signature = "panic:explicit:`x`"
	var b strings.Builder
	if err := Markdown(&b, in); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`| cannot run: want "\\\|", not \[x\](y) or &amp;lt; | |`, "signature ``panic:explicit:no `x`:F``\n", "signature `` panic:explicit:`x` ``\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
}

// What GitHub asks of a SARIF file: https://docs.github.com/code-security, "SARIF support".
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	in := input()
	if err := SARIF(&b, in); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool    struct{ Driver struct{ Name string } }
			Results []struct {
				RuleID, Level       string
				Message             struct{ Text string }
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				Suppressions []struct{ Kind string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "foray" {
		t.Fatalf("got %+v", log)
	}
	prints, suppressed := map[string]bool{}, 0
	for _, r := range log.Runs[0].Results {
		if r.RuleID == "" || r.Level != "error" && r.Level != "warning" || r.Message.Text == "" || len(r.Locations) != 1 || len(r.PartialFingerprints) != 1 {
			t.Errorf("result %+v", r)
		}
		at := r.Locations[0].PhysicalLocation
		if at.ArtifactLocation.URI == "" || filepath.IsAbs(at.ArtifactLocation.URI) || at.Region.StartLine < 1 {
			t.Errorf("location %+v", at)
		}
		for _, print := range r.PartialFingerprints {
			if prints[print] {
				t.Errorf("fingerprint %s twice", print)
			}
			prints[print] = true
		}
		suppressed += len(r.Suppressions)
	}
	if len(prints) != 5 || suppressed != 1 {
		t.Errorf("%d results, %d suppressed; want 5 that are not fixed, 1", len(prints), suppressed)
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := JUnit(&b, input()); err != nil {
		t.Fatal(err)
	}
	var all junitSuites
	if err := xml.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	// Four targets, and the findings that are not fixed.
	if all.Tests != 9 || all.Failures != 2 || all.Errors != 1 || len(all.Suites) != 4 {
		t.Errorf("%d tests, %d failures, %d errors in %d suites", all.Tests, all.Failures, all.Errors, len(all.Suites))
	}
}

// A report of tests has all findings for which the exit status is 1, also those of targets that the
// farm does not fuzz any more.
func TestJUnitTargetGone(t *testing.T) {
	in := input()
	in.View.Targets = in.View.Targets[2:]
	var b bytes.Buffer
	if err := JUnit(&b, in); err != nil {
		t.Fatal(err)
	}
	var all junitSuites
	if err := xml.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if all.Tests != 7 || all.Failures != 2 || all.Errors != 1 || len(all.Suites) != 4 {
		t.Errorf("%d tests, %d failures, %d errors in %d suites\n%s", all.Tests, all.Failures, all.Errors, len(all.Suites), &b)
	}
}

func TestLocate(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "queue"), 0o777); err != nil {
		t.Fatal(err)
	}
	src := "package queue\n\ntype Queue[T any] struct{}\n\nfunc (q *Queue[T]) Get() {}\n\nfunc F() {}\n"
	if err := os.WriteFile(filepath.Join(root, "queue", "queue.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	got := Locate(input().View, root)
	if got["k-new"] != (Place{"queue/queue.go", 5}) || got["k-suspect"] != (Place{"queue/queue.go", 7}) || len(got) != 3 {
		t.Errorf("got %v", got)
	}
}

// What a test declares has a name of its own in a patch, by which it may run itself in another process.
func TestPatchedNames(t *testing.T) {
	test := "package q_test\n\n// forayHeap is a heap.\ntype forayHeap []int\n\nfunc (h forayHeap) Len() int { return len(h) }\n\nfunc TestForayHang(t *testing.T) {\n\tif os.Getenv(\"FORAY_CHILD\") == \"TestForayHang\" {\n\t}\n\tcmd := exec.Command(os.Args[0], \"-test.run=^TestForayHang$\")\n\tcmd.Env = []string{\"FORAY_CHILD=TestForayHang\"}\n}\n"
	_, got := testFile(&record.Target{}, &ledger.Finding{Key: "0a1b"}, &record.Report{Test: test})
	if want := strings.NewReplacer("TestForayHang", "TestForayHang_0a1b", "forayHeap", "forayHeap_0a1b").Replace(test); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// git applies a patch, in a module below the root of its repository.
func TestPatchApplies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir, in := t.TempDir(), input()
	git := func(stdin string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("", "init", "-q")
	git(Patch(in, Open(in.View)), "apply")
	for name, want := range map[string]string{
		"foray_k-new_test.go": "func TestForayGet_k-new(", "foray_k-reopened_test.go": "```", "../parse/testdata/fuzz/FuzzParse/k-input": "int(7)\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, "sub", "queue", name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// Counts are of jobs that are done: before the first is, there are none to tell.
func TestLine(t *testing.T) {
	v := &farm.View{Targets: []farm.TargetView{{Known: &ledger.Target{Counts: record.Counts{Sequences: 9, Sides: 4, SidesCovered: 3, Entries: 2}}}}}
	v.Owner.Queue.Running, v.Owner.Queue.Waiting = 2, 1
	for runs, want := range map[int]string{
		0: "targets: 1, jobs: 2 running, 1 waiting, 0 done",
		5: "targets: 1, jobs: 2 running, 1 waiting, 5 done; of those done: sequences: 9, findings: 0 error, 0 panic, 0 suspect, 0 fixed, sides: 3/4, entries: 2",
	} {
		v.Runs = runs
		if got := Line(v); got != want {
			t.Errorf("%d runs: %q, want %q", runs, got, want)
		}
	}
}
