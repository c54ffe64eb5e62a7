package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/text"
)

// How many sequences a puzzle may take, as flags: one with a bug, and one of sides to aim at.
const (
	puzzleBudget   = "15000x"
	frontierBudget = "30000x"
)

// TestPuzzles runs the whole pipeline on packages with one planted bug each. All seeds but the
// first are long tests.
func TestPuzzles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	part := long(t)
	for _, tt := range []struct {
		name      string
		signature string
		calls     int // as many as a person would write
	}{
		{"alias", "panic:index:(*Node).Join", 3},
		{"magic", "panic:index:(*Door).Say", 2},
		{"repeats", "panic:index:(*Buffer).Add", 22}, // 21 would do: a result taken in several places stays
		{"callback", "panic:index:(*Words).Drop", 2},
		{"null", "panic:index:Render", 1},
		{"chain", "panic:index:(*Fleet).Second", 4},
		{"generic", "panic:index:(*Stack).Swap", 3},
		{"iface", "panic:index:First", 2},
		{"open", "panic:index:Overlap", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := 1; seed <= 3; seed++ {
				if seed > 1 && !part.has(seed) {
					continue
				}
				fs := puzzleFindings(t, tt.name, seed)
				if len(fs) != 1 {
					t.Errorf("seed %d: got %d findings, want 1: %+v", seed, len(fs), fs)
					continue
				}
				f := fs[0]
				if f.Signature != tt.signature || f.Tier != "panic" || f.Flaky || f.Steps > tt.calls {
					t.Errorf("seed %d: got %s %s (flaky %v) in %s:\n%swant panic %s in %s at most",
						seed, f.Tier, f.Signature, f.Flaky, text.Plural(f.Steps, "call"), f.Sequence, tt.signature, text.Plural(tt.calls, "call"))
				}
			}
		})
	}
}

// TestFrontierPuzzles aims at sides with keys that are nowhere in the source. Each
// side of the listed functions must be taken, with few runs of the turns at it. The
// median of the seeds counts: composition sometimes comes late, or not at all, with the values that
// a turn needs. Once three of five seeds agree, others cannot move it, and are long tests.
func TestFrontierPuzzles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	const seeds = 5
	part := long(t)
	for _, tt := range []struct {
		name string
		runs uint64 // at a side, at most
		// those of one side each that is not taken by accident
		functions []string
	}{
		{"locks", 100, []string{
			"(*Stack).Peek", "PowerOfTwo", "(*Number).Add", "Magic", "Keyword", "(*Session).Login", "(*Session).Enter", "Length",
			"Heavy", "(*Node).Join", "(*Table).Put", "(*Table).Name", "Walk",
		}},
		{"safes", 5000, []string{"Letters", "Word", "equal", "Checksum", "(*Header).Valid", "(*Set).Remove", "Window", "Scaled", "Linear"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := map[string][]uint64{} // by function: of the side that took the most, by seed
			missed := map[string]int{}    // … seeds by which not all sides are taken
			few := map[string]int{}       // … seeds by which all are taken, with few runs
			for seed := 1; seed <= seeds; seed++ {
				decided := !slices.ContainsFunc(tt.functions, func(name string) bool { return few[name] <= seeds/2 })
				if decided && !part.has(seed) {
					continue
				}
				most, taken := frontierRun(t, tt.name, seed)
				for _, name := range tt.functions {
					switch {
					case !taken[name]:
						t.Logf("seed %d: not all sides of %s are taken", seed, name)
						missed[name]++
					case most[name] < tt.runs:
						few[name]++
					}
					runs[name] = append(runs[name], most[name])
				}
			}
			for _, name := range tt.functions {
				if missed[name] > seeds/2 {
					t.Errorf("not all sides of %s are taken by %d of %d seeds", name, missed[name], seeds)
				}
				slices.Sort(runs[name])
				if median := runs[name][seeds/2]; median >= tt.runs {
					t.Errorf("%s: %d runs at a side, by seed %d, want less than %d", name, median, runs[name], tt.runs)
				}
			}
		})
	}
}

// frontierRun aims at a puzzle with nothing planted. By function, it returns the most runs at a
// side, and whether all sides are taken.
func frontierRun(t *testing.T, name string, seed int) (most map[string]uint64, taken map[string]bool) {
	t.Helper()
	lines := fuzzLines(t, "-fuzztime", frontierBudget, "-parallel", "1", "-seed", fmt.Sprint(seed), "foray.test/engine/puzzles/"+name)
	for _, f := range listEvents[event.Finding](t, lines, "finding") {
		t.Errorf("seed %d: a finding, though nothing is planted:\n%s", seed, f.Sequence)
	}
	most, taken = map[string]uint64{}, map[string]bool{}
	for _, e := range listEvents[event.FrontierSide](t, lines, "frontier") {
		function := functionOf(e.ID)
		most[function] = max(most[function], e.Runs)
		t.Logf("seed %d: %s %s → %s: %s, %s, %d runs", seed, function, e.Text, e.Side, e.Status, e.Edit, e.Runs)
	}
	for _, r := range listEvents[event.Package](t, lines, "package")[0].Functions {
		taken[r.Name] = r.Covered == r.Sides
	}
	return most, taken
}

// TestPrintedCode builds the code of all findings of puzzles and of packages, ten with -hostile:
// each compiles in a function of a file with the imports and declarations that the finding names.
func TestPrintedCode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", "module foray.test/pasted\n\ngo 1.26\n\nrequire foray.test v0.0.0\n\nreplace foray.test => "+root+"\n")
	var list []event.Finding
	for _, puzzle := range []string{"alias", "callback", "chain", "generic", "iface", "magic", "null", "open", "repeats"} {
		list = append(list, puzzleFindings(t, puzzle, 1)...)
	}
	packages := []string{"container/list", "container/ring", "text/scanner"}
	if *hostile {
		packages = append(packages, "bufio", "encoding/csv", "go/token", "image", "index/suffixarray", "regexp/syntax", "text/tabwriter")
	}
	for _, pkg := range packages {
		list = append(list, fuzzFindings(t, "-fuzztime", "5000x", "-parallel", "1", "-seed", "1", pkg)...)
	}
	for n, f := range list {
		var b strings.Builder
		b.WriteString("package pasted\n\nimport (\n")
		for _, spec := range f.Imports {
			if !strings.Contains(spec, `"`) {
				spec = strconv.Quote(spec)
			}
			b.WriteString("\t" + spec + "\n")
		}
		b.WriteString(")\n\n" + f.Decls + "\n\nfunc _() {\n" + f.Code + "}\n")
		write(fmt.Sprintf("p%d/p.go", n), b.String()) // packages of their own, for declarations may have equal names
	}
	if len(list) < 9 {
		t.Fatalf("%d findings, want some", len(list))
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet of %d findings: %v\n%s", len(list), err, out)
	}
}

// TestReadme runs the first command of the README, with a count in place of a time and without calls
// that end the process, and looks for the finding that the README shows. Neither a recording of tests nor
// aiming, which begin at a time, are part of it.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a worker")
	}
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the README shows the net/url of Go 1.26")
	}
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(data), "```\n")
	shown, _, ok := strings.Cut(shown, "```\n")
	if !ok || !strings.HasPrefix(shown, "--- FAIL: ") {
		t.Fatalf("the first block of the README is no finding:\n%s", shown)
	}
	var stdout bytes.Buffer
	temps := &temps{}
	defer temps.removeAll()
	p := &process{stdout: &stdout, stderr: t.Output(), temps: temps, stop: func() {}}
	if code := p.run(t.Context(), []string{"fuzz", "-fuzztime", "100000x", "-skip", "Error", "-usage", "off", "-frontier=false", "-parallel", "1", "-seed", "2", "-outdir", t.TempDir(), "net/url"}); code != exitFindings {
		t.Errorf("exit %d, want %d", code, exitFindings)
	}
	odds := regexp.MustCompile(`such calls \d+ in`) // they change with the labels
	got := odds.ReplaceAllString(stdout.String(), "such calls N in")
	for line := range strings.Lines(odds.ReplaceAllString(shown, "such calls N in")) {
		_, rest, found := strings.Cut(got, line)
		if !found {
			t.Fatalf("no line %qin its place in\n%s", line, &stdout)
		}
		got = rest
	}
}

// functionOf returns the function in the id of a condition: pkg.(*T).F#3 "n > 0".
func functionOf(id string) string {
	id, _, _ = strings.Cut(id[strings.LastIndex(id[:strings.IndexByte(id, '#')], "/")+1:], "#")
	_, name, _ := strings.Cut(id, ".")
	return name
}

// puzzleRuns are the findings in puzzles by name and seed: two tests look at those of one run.
var puzzleRuns sync.Map

// puzzleFindings returns the findings in a puzzle.
func puzzleFindings(t *testing.T, name string, seed int) []event.Finding {
	t.Helper()
	run, _ := puzzleRuns.LoadOrStore(fmt.Sprint(name, seed), sync.OnceValue(func() []event.Finding {
		return fuzzFindings(t, "-fuzztime", puzzleBudget, "-parallel", "1", "-seed", fmt.Sprint(seed), "foray.test/engine/puzzles/"+name)
	}))
	return run.(func() []event.Finding)()
}

// fuzzFindings runs foray fuzz with a corpus of its own and returns the findings.
func fuzzFindings(t *testing.T, args ...string) []event.Finding {
	t.Helper()
	return listEvents[event.Finding](t, fuzzLines(t, args...), "finding")
}

// fuzzLines runs foray fuzz with a corpus of its own and returns its output in JSON.
func fuzzLines(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	temps := &temps{}
	defer temps.removeAll()
	p := &process{stdout: &stdout, stderr: &stderr, temps: temps, stop: func() {}}
	code := p.run(context.Background(), append([]string{"fuzz", "-json", "-outdir", t.TempDir()}, args...))
	if code == exitUsage {
		t.Fatalf("foray fuzz %q: exit %d\n%s", args, code, &stderr)
	}
	return stdout.Bytes()
}

// listEvents returns those of a name among lines of JSON.
func listEvents[E any](t *testing.T, lines []byte, name string) []E {
	t.Helper()
	var list []E
	for line := range bytes.Lines(lines) {
		var head struct{ Event string }
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if head.Event != name {
			continue
		}
		var e E
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}
