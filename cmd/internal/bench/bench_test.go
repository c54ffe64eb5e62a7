package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// output is foray's output for one package, shortened.
const output = `{"schema":1,"event":"finding","tier":"error","kind":"panic","operation":"(*T).F","signature":"panic:nil:(*T).F","message":"m","document":"d","steps":2,"original_steps":9,"flaky":true,"package":"p@v1.0.0","file":"","sequence":"v0 := p.New()\nv0.F()\n","test":"package p"}
{"schema":1,"event":"finding","tier":"suspect","kind":"hang","operation":"G","signature":"hang:G","steps":1,"package":"p@v1.0.0","sequence":"p.G()\n"}
{"schema":1,"event":"finding","tier":"panic","kind":"panic","operation":"H","signature":"panic:nil:H","unconfirmed":"its test passes","steps":1,"package":"p@v1.0.0","sequence":"p.H()\n"}
{"event":"package","schema":1,"package":"p@v1.0.0","operations":40,"members":4,"members_legal":1,"member_rows":[{"member":"New","tried":9,"legal":9,"failed":0,"illegal":0},{"member":"(*T).F","tried":5,"legal":0,"failed":0,"illegal":5},{"member":"Open","tried":7,"legal":0,"failed":7,"illegal":0},{"member":"Exit","tried":0,"legal":0,"failed":0,"illegal":0,"why":"ends the process"}],"sequences":1000,"steps":20000,"distinct_values":5000,"distinct_sequences":900,"sides":20,"sides_covered":15,"corpus_entries":3,"ended":"time","discovery":0.1,"unconfirmed":1,"restarts":2}
{"event":"progress","schema":1}
{"event":"summary","schema":1,"packages":1,"sequences":1000,"operations":20000,"cpu_seconds":2.5,"wall_seconds":3.25,"sides":20,"sides_covered":15,"findings":{"error":1,"suspect":1},"seed":7}
`

func sampleReport(t *testing.T) *report {
	t.Helper()
	r := &report{exit: 1, stderr: lines("foray: warning: one\n\nforay: warning: two\n")}
	if err := r.parse([]byte(output)); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	r := sampleReport(t)
	if len(r.findings) != 2 || len(r.packages) != 1 {
		t.Fatalf("%d findings, %d packages, want 2 and 1", len(r.findings), len(r.packages))
	}
	f := r.findings[0]
	if f.Tier != "error" || f.Signature != "panic:nil:(*T).F" || !f.Flaky || f.Sequence == "" || f.Test != "package p" {
		t.Errorf("finding = %+v", f)
	}
	if p := r.pkg(); p.MembersLegal != 1 || p.SidesCovered != 15 || p.Restarts != 2 || len(p.MemberRows) != 4 || p.MemberRows[1].Broken != 5 {
		t.Errorf("package = %+v", p)
	}
	if s := r.summary; s.CPUSeconds != 2.5 || s.Findings.Error != 1 {
		t.Errorf("summary = %+v", s)
	}
	if got, want := r.problem(), "foray: warning: one (and 1 more)"; got != want {
		t.Errorf("problem = %q, want %q", got, want)
	}
	if err := new(report).parse([]byte("panic: oops\n")); err == nil {
		t.Error("no error for a line that is not JSON")
	}
	if got := new(report).pkg().Members; got != 0 {
		t.Errorf("%d members of no package", got)
	}
}

func TestProblems(t *testing.T) {
	got := problems("foray: building worker for p, 3s so far\n\nforay: warning: x\n  hint: y\n")
	if want := []string{"foray: warning: x", "hint: y"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPackageRow(t *testing.T) {
	got := strings.Join(packageRow(sampleReport(t)), " | ")
	want := "40 | 4 | 1 | 25.0 | 15 | 20 | 1 | 1 | 2 | 1 | 1 | 1000 | 2.5 | 0.0 | foray: warning: one (and 1 more)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNeverLegal(t *testing.T) {
	members := append(sampleReport(t).pkg().MemberRows,
		memberRow{Member: "Both", Tried: 3, Failed: 1, Broken: 2}, memberRow{Member: "Sleep", Tried: 3, Failed: 1})
	want := [][]string{
		{"(*T).F", "5", "0", "5", "always a panic"},
		{"Open", "7", "7", "0", "always an error"},
		{"Exit", "0", "0", "0", "ends the process"},
		{"Both", "3", "1", "2", "always an error or a panic"},
		{"Sleep", "3", "1", "0", "never returned"},
	}
	if got := neverLegal(members); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPackageSummary(t *testing.T) {
	rec := func(name, members, legal, share, errors string) record {
		cells := make([]string, len(packageColumns))
		cells[0], cells[2], cells[3], cells[4], cells[len(cells)-1] = name, members, legal, share, errors
		return record{packageColumns, cells}
	}
	got := packageSummary([]record{rec("good", "10", "9", "90.0", ""), rec("warned", "10", "10", "100.0", "w"), rec("low", "20", "7", "35.0", "")})
	var names []string
	for _, r := range got {
		names = append(names, r[0])
	}
	if want := []string{"package", "warned", "low", "3 packages"}; !reflect.DeepEqual(names, want) {
		t.Errorf("rows = %q, want %q", names, want)
	}
	if total := got[len(got)-1]; total[1] != "26" || total[2] != "40" || total[3] != "65.0" {
		t.Errorf("total = %q", total)
	}
}

func TestRealPackages(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range realPackages {
		path, version, at := strings.Cut(p, "@")
		if strings.Contains(strings.Split(path, "/")[0], ".") != at || at && !strings.HasPrefix(version, "v") || seen[p] {
			t.Errorf("%s: want each once, with a version if it is of a module", p)
		}
		seen[p] = true
	}
}

func TestLoopRow(t *testing.T) {
	got := strings.Join(loopRow(sampleReport(t), 50_000), " | ")
	want := "2.500 | 20000 | 125000.0 | 50000.0 | 40.0 | 1000 | 400 | 20.0 | 90.0 | 5000 | 2000 | 2 | 2 | foray: warning: one (and 1 more)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if row := loopRow(&report{}, 0); row[2] != "" || row[3] != "" || row[4] != "" {
		t.Errorf("row of no steps = %q", row)
	}
}

func TestWaitingRow(t *testing.T) {
	r := sampleReport(t)
	r.stderr = append([]string{"foray: a note"}, r.stderr...)
	got := strings.Join(waitingRow(r, "0.5"), " | ")
	want := "2.50 | 0.00 | 1000 | 400 | 100 | 15 | 1 | 4 | 2 | 0.000 | 2 | 0.5 | foray: warning: one (and 1 more)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if row := waitingRow(&report{}, ""); row[3] != "" || row[4] != "" {
		t.Errorf("row of no time = %q", row)
	}
}

// A run is interrupted once its workers have had their budget.
func TestHadProcessor(t *testing.T) {
	had := 0
	w := &lineWriter{take: func(line string) {
		if hadProcessor(line, 2*time.Second) {
			had++
		}
	}}
	for _, part := range []string{"foray: workers took 1.99 s of processor time for 7 sequences\nforay: work", "ers took 2.04 s of processor time for 9 sequences\nforay: a call took 3.00 s\n"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if had != 1 {
		t.Errorf("%d lines tell that the budget is used up, want 1", had)
	}
}

func TestPlainSource(t *testing.T) {
	var all []memberRow
	for i, c := range plainCalls {
		all = append(all, memberRow{Member: c.member, Legal: uint64(i + 1)})
	}
	for name, members := range map[string][]memberRow{
		"all calls": all,
		"few":       {{Member: "New", Legal: 1}, {Member: "(*Tree).Put", Legal: 1_000_000}, {Member: "(*Tree).Get", Tried: 4}},
		"none":      nil,
	} {
		src := plainSource(members)
		if _, err := parser.ParseFile(token.NewFileSet(), "plain_test.go", src, 0); err != nil {
			t.Errorf("%s: %v\n%s", name, err, src)
		}
		if name == "few" {
			for _, want := range []string{"\t{0, 1},\n", "\t{2, 9999},\n"} {
				if !strings.Contains(src, want) {
					t.Errorf("few: no weight %q in\n%s", want, src)
				}
			}
			if strings.Contains(src, "t.Get(") {
				t.Error("few: calls Get, which never returned")
			}
		}
	}
}

func TestParseBenchmark(t *testing.T) {
	got, err := parseBenchmark("goos: linux\nBenchmarkCalls \t25000000\t        46.25 ns/op\nPASS\n")
	if err != nil || got != 46.25 {
		t.Errorf("got %v, %v, want 46.25", got, err)
	}
	if _, err := parseBenchmark("PASS\n"); err == nil {
		t.Error("no error without a benchmark")
	}
}

func TestResident(t *testing.T) {
	dir := t.TempDir()
	for pid, p := range map[string]struct {
		parent int
		name   string
		kib    int
	}{
		"10": {1, "foray", 1000},
		"11": {10, "work) er", 200},
		"12": {11, "child", 30},
		"13": {1, "other", 4},
	} {
		sub := filepath.Join(dir, pid)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"stat":   fmt.Sprintf("%s (%s) S %d 10 10 0 -1", pid, p.name, p.parent),
			"status": fmt.Sprintf("Name:\t%s\nVmPeak:\t  999 kB\nVmRSS:\t %7d kB\n", p.name, p.kib),
		} {
			if err := os.WriteFile(filepath.Join(sub, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := resident(dir, 10)
	if err != nil || s.processes != 3 || s.bytes != 1230<<10 {
		t.Errorf("got %+v, %v, want 3 processes, %d bytes", s, err, 1230<<10)
	}
	if _, err := resident(dir, 99); err == nil {
		t.Error("no error for a process that is not there")
	}
	if got := residentOf("Name:\tzombie\n"); got != 0 {
		t.Errorf("%d bytes of a process without memory", got)
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds []float64
		values  []float64
		want    float64
	}{
		{"nothing", nil, nil, 0},
		{"one sample", []float64{5}, []float64{100}, 0},
		{"level after a steep start", []float64{0, 5, 10, 15, 20}, []float64{1, 50, 100, 100, 100}, 0},
		{"a tenth", []float64{0, 5, 10, 15, 20}, []float64{1, 50, 100, 105, 110}, 10},
		{"sawtooth", []float64{0, 5, 10, 15, 20, 25, 30, 35, 40}, []float64{0, 0, 0, 0, 100, 110, 100, 110, 100}, 0},
	} {
		if got := growth(c.seconds, c.values); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: growth = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFlagText(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"packages", nil, "-seed=1 -t=15s"},
		{"packages", []string{"-t", "5s"}, "-seed=1 -t=5s"},
		{"waiting", []string{"-before", "x"}, "-cpu=2s -seeds=5"},
		{"memory", nil, "-every=5s -package=" + miekgDNS + " -t=10m0s"},
	} {
		for _, cmd := range commands() {
			if cmd.name != c.name {
				continue
			}
			fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
			cmd.setup(fs)
			names := flagNames(fs)
			if err := fs.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			if got := flagText(fs, names); got != c.want {
				t.Errorf("%s %q: %q, want %q", c.name, c.args, got, c.want)
			}
		}
	}
}

func TestPlaceless(t *testing.T) {
	for message, want := range map[string]string{
		`m.test: reading https://proxy.test/m/@v/list: 404`:    `m.test: reading the module proxy 404`,
		`foray: /home/a/go/pkg/mod/m.test@v1.0.0/a.go:1:2: no`: `foray: m.test@v1.0.0/a.go:1:2: no`,
		`too few operations`: `too few operations`,
	} {
		if got := placeless(message); got != want {
			t.Errorf("placeless(%q) = %q, want %q", message, got, want)
		}
	}
}
