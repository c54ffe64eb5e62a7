package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const (
	bugHeader = "id\thalf\tmodule\tpackage\tbad\tfixed\tkind\toracle\tsummary\treference\n"
	bugLine   = "1-a\tlearn\ta.org/m\ta.org/m/p\tv1.0.0\tv1.0.1\tpanic\tcrash\tF panics\ta.org/m/issues/1\n"
	bugTest   = "package repro\n\nfunc TestRepro(t *testing.T) {}\n"
)

// bugDir returns a directory with a list of bugs, and a reproducer of bug 1-a.
func bugDir(t *testing.T, list, reproducer string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"bugs.tsv": bugHeader + list, "1-a.txt": reproducer} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadBugs(t *testing.T) {
	got, err := readBugs(bugDir(t, bugLine, bugTest))
	want := []bug{{
		id: "1-a", half: "learn", module: "a.org/m", pkg: "a.org/m/p", bad: "v1.0.0", fixed: "v1.0.1", kind: "panic", oracle: "crash",
		reproducer: bugTest,
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestReadBugsErrors(t *testing.T) {
	line := func(old, new string) string { return strings.Replace(bugLine, old, new, 1) }
	for _, tt := range []struct{ list, reproducer, want string }{
		{line("crash", ""), bugTest, "1-a: no oracle"},
		{line("crash", "luck"), bugTest, `1-a: oracle is "luck", want crash, hang, contract or model`},
		{line("learn", "left"), bugTest, `1-a: half is "left", want learn or hold`},
		{line("a.org/m/p", "a.org/mp"), bugTest, "1-a: package a.org/mp is not of module a.org/m"},
		{line("v1.0.1", "v1.0.0"), bugTest, "1-a: version v1.0.0 is both bad and fixed"},
		{bugLine + bugLine, bugTest, "1-a: there twice"},
		{bugLine + strings.NewReplacer("1-a", "2-b", "learn", "hold").Replace(bugLine), bugTest, "2-b: module a.org/m is of both halves"},
		{bugLine, "package repro\n", "1-a.txt has no TestRepro"},
		{line("1-a", "2-b"), bugTest, "2-b.txt: no such file"},
		{"1-a\tlearn\n", bugTest, "line 2: 2 cells, want 10"},
	} {
		if _, err := readBugs(bugDir(t, tt.list, tt.reproducer)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.list, err, tt.want)
		}
	}
}

// The bugs of the project can be read.
func TestBugs(t *testing.T) {
	list, err := readBugs(filepath.Join("..", "..", "..", "docs", "bench", "bugs"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "bench", "bugs", "*.txt"))
	if err != nil || len(files) != len(list) {
		t.Errorf("%d reproducers of %d bugs, %v", len(files), len(list), err)
	}
}

func TestShowable(t *testing.T) {
	got := showable([]finding{
		{Tier: "suspect", Test: "a"}, {Tier: "panic", Test: "b"}, {Tier: "error", Test: ""},
		{Tier: "error", Test: "c", Flaky: true}, {Tier: "error", Test: "d"}, {Tier: "panic", Test: "e"}, {Tier: "other", Test: "f"},
	})
	var tests []string
	for _, f := range got {
		tests = append(tests, f.Test)
	}
	if want := []string{"d", "b", "e", "a"}; !slices.Equal(tests, want) {
		t.Errorf("%q, want %q", tests, want)
	}
}

// A finding shows a bug if its test fails at the bad version and passes at the fixed one.
func TestBugFound(t *testing.T) {
	g := bug{bad: "v1", fixed: "v2"}
	findings := []finding{{Signature: "a", Tier: "error"}, {Signature: "b", Tier: "panic"}, {Signature: "c", Tier: "suspect"}}
	for i := range findings {
		findings[i].Test = findings[i].Signature
	}
	for _, tt := range []struct {
		name, want string
		failing    int
		results    map[string]string // of a test at a version
	}{
		{"first of two", "b", 3, map[string]string{"a v1": "fail", "a v2": "fail", "b v1": "fail", "b v2": "pass", "c v1": "fail", "c v2": "pass"}},
		{"passes before", "", 0, map[string]string{"a v1": "pass", "b v1": "pass", "c v1": "pass", "a v2": "pass", "b v2": "pass", "c v2": "pass"}},
		{"not built", "c", 2, map[string]string{"a v1": "broken", "a v2": "pass", "b v1": "fail", "b v2": "broken", "c v1": "fail", "c v2": "pass"}},
		{"none passes", "", 1, map[string]string{"a v1": "fail", "a v2": "fail", "b v1": "pass", "b v2": "pass", "c v1": "broken"}},
	} {
		f, failing, err := g.found(findings, func(version string, sources []string) ([]string, error) {
			var results []string
			for _, s := range sources {
				results = append(results, tt.results[s+" "+version])
			}
			return results, nil
		})
		if err != nil || f.Signature != tt.want || failing != tt.failing {
			t.Errorf("%s: %q of %d failing, %v; want %q of %d", tt.name, f.Signature, failing, err, tt.want, tt.failing)
		}
	}
	if f, _, err := g.found(nil, nil); err != nil || f.Tier != "" {
		t.Errorf("no findings: %+v, %v", f, err)
	}
	gone := errors.New("no such version")
	if _, _, err := g.found(findings, func(string, []string) ([]string, error) { return nil, gone }); err != gone {
		t.Errorf("%v, want %v", err, gone)
	}
}

func TestTestResults(t *testing.T) {
	output := `{"Action":"start","Package":"scratch/t0"}
{"Action":"run","Package":"scratch/t0","Test":"TestA"}
{"Action":"pass","Package":"scratch/t0","Test":"TestA"}
{"Action":"fail","Package":"scratch/t0","Test":"TestB"}
{"Action":"fail","Package":"scratch/t0","Elapsed":0.1}
{"ImportPath":"scratch/t1 [scratch/t1.test]","Action":"build-output","Output":"undefined: x\n"}
{"ImportPath":"scratch/t1 [scratch/t1.test]","Action":"build-fail"}
{"Action":"fail","Package":"scratch/t1","FailedBuild":"scratch/t1 [scratch/t1.test]"}
{"Action":"pass","Package":"scratch/t2"}
{"Action":"skip","Package":"scratch/t3"}
`
	got, err := testResults([]byte(output), 4)
	if want := []string{"fail", "broken", "pass", "broken"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := testResults([]byte("panic"), 1); err == nil {
		t.Error("no error for text that is not JSON")
	}
}

func TestBugSummary(t *testing.T) {
	columns := []string{"id", "half", "oracle", "found"}
	var records []record
	for _, cells := range [][]string{
		{"1", "learn", "contract", "error"}, {"2", "learn", "contract", ""}, {"3", "learn", "crash", "panic"}, {"4", "hold", "model", "suspect"},
	} {
		records = append(records, record{columns, cells})
	}
	want := [][]string{
		{"half", "oracle", "bugs", "error", "panic", "suspect"},
		{"learn", "contract", "2", "1", "0", "0"},
		{"learn", "crash", "1", "0", "1", "0"},
		{"learn", "all", "3", "1", "1", "0"},
		{"hold", "model", "1", "0", "0", "1"},
		{"hold", "all", "1", "0", "0", "1"},
	}
	if got := bugSummary(records); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
