package gentest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"foray.test/cmd/internal/event"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/harness/build"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// In a workspace the requirements of all its modules hold, and its own replacements first.
func TestModFileWorkspace(t *testing.T) {
	dir := t.TempDir()
	work := write(t, dir, "go.work", "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n\nreplace r.test/both => ./over\n")
	write(t, dir, "go.work.sum", "sum of work\n")
	a := write(t, dir, "a/go.mod", "module m.test/a\n\ngo 1.26\n\nrequire n.test/dep v1.2.0\n\nreplace r.test/both => ../under\n")
	write(t, dir, "a/go.sum", "sum of a\n")
	write(t, dir, "b/go.mod", "module m.test/b\n\ngo 1.26\n\nrequire (\n\tn.test/dep v1.10.0\n\to.test/only v0.1.0\n)\n")
	target := &build.Target{Path: "o.test/only", Where: build.ModuleCache, GoMod: a, GoWork: work, Module: &build.Module{Path: "o.test/only"}, Go: build.Toolchain{Version: "go1.26.1"}}
	got, err := modFile(target)
	if err != nil {
		t.Fatal(err)
	}
	want := mark + "\n\nmodule foray.test/gen\n\ngo 1.26\n\nrequire (\n\tn.test/dep v1.10.0\n\to.test/only v0.1.0\n)\n\nreplace r.test/both => " + filepath.Join(dir, "over") + "\n"
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, err := sums(target); err != nil || string(got) != "sum of a\nsum of work\n" {
		t.Errorf("sums %q, %v", got, err)
	}
}

// A module of tests inherits requirements, exclusions, and replacements: directories by
// absolute paths.
func TestModFile(t *testing.T) {
	dir := t.TempDir()
	gomod := write(t, dir, "go.mod", `module m.test/main

go 1.26

require (
	n.test/dep v1.2.0
	o.test/indirect v0.1.0 // indirect
)
require p.test/single v1.0.0

exclude n.test/dep v1.1.0

replace n.test/dep => ../dep
replace (
	o.test/indirect v0.1.0 => q.test/fork v0.2.0
	p.test/single => /abs/single
)
`)
	target := &build.Target{Path: "n.test/dep", Where: build.ModuleCache, GoMod: gomod, Module: &build.Module{Path: "n.test/dep"}, Go: build.Toolchain{Version: "go1.26.1"}}
	data, err := modFile(target)
	if err != nil {
		t.Fatal(err)
	}
	want := mark + `

module foray.test/gen

go 1.26

require (
	n.test/dep v1.2.0
	o.test/indirect v0.1.0 // indirect
	p.test/single v1.0.0
)

exclude n.test/dep v1.1.0

replace n.test/dep => ` + filepath.Join(filepath.Dir(dir), "dep") + `

replace o.test/indirect v0.1.0 => q.test/fork v0.2.0

replace p.test/single => /abs/single
`
	parse := func(data []byte) *modfile.File {
		f, err := modfile.Parse("go.mod", data, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	got, wanted := parse(data), parse([]byte(want))
	for name, lists := range map[string][2]int{
		"require": {len(got.Require), len(wanted.Require)}, "replace": {len(got.Replace), len(wanted.Replace)}, "exclude": {len(got.Exclude), len(wanted.Exclude)},
	} {
		if lists[0] != lists[1] {
			t.Errorf("%s: %d, want %d, in\n%s", name, lists[0], lists[1], data)
		}
	}
	for i, r := range got.Require {
		if w := wanted.Require[i]; r.Mod != w.Mod || r.Indirect != w.Indirect {
			t.Errorf("require %v, want %v", r, w)
		}
	}
	for i, r := range got.Replace {
		if w := wanted.Replace[i]; r.Old != w.Old || r.New != w.New {
			t.Errorf("replace %v, want %v", r, w)
		}
	}
	if !strings.HasPrefix(string(data), mark+"\n") {
		t.Errorf("no mark in\n%s", data)
	}
	for _, bad := range []*build.Target{
		{Where: build.ModuleCache, Go: target.Go}, {Where: build.ModuleCache, Module: target.Module, GoMod: write(t, dir, "bad.mod", "modul x\n"), Go: target.Go},
	} {
		if _, err := modFile(bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// The tests of a package that depends on a replaced module build, without a proxy.
func TestReplacedModule(t *testing.T) {
	main, dep, inner, out := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "out")
	gomod := write(t, main, "go.mod", "module m.test/main\n\ngo 1.26\n\nrequire (\n\tn.test/dep v1.2.0\n\tn.test/inner v1.0.0\n)\n\nreplace n.test/dep => "+dep+"\nreplace n.test/inner => "+inner+"\n")
	write(t, dep, "go.mod", "module n.test/dep\n\ngo 1.26\n\nrequire n.test/inner v1.0.0\n")
	write(t, dep, "dep.go", "package dep\n\nimport \"n.test/inner\"\n\nconst Two = 2 * inner.One\n")
	write(t, inner, "go.mod", "module n.test/inner\n\ngo 1.26\n")
	write(t, inner, "inner.go", "package inner\n\nconst One = 1\n")
	target := &build.Target{Path: "n.test/dep", Where: build.ModuleCache, GoMod: gomod, Module: &build.Module{Path: "n.test/dep"}, Go: build.Toolchain{Version: "go1.26.1"}}
	p, err := NewPlace(target, out, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.write(regressionFile, []byte("package dep_test\n\nimport (\n\t\"testing\"\n\n\t\"n.test/dep\"\n)\n\nfunc TestTwo(t *testing.T) {\n\tif dep.Two != 2 {\n\t\tt.Error(dep.Two)\n\t}\n}\n")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-vet=off", ".")
	cmd.Dir, cmd.Env = out, append(slices.Clip(p.env), "GOPROXY=off", "PWD="+out)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestPlace(t *testing.T) {
	own := &build.Target{Path: "m.test/p", Dir: t.TempDir(), Where: build.MainModule}
	std := &build.Target{Path: "container/list", Dir: "/go/src/container/list", Where: build.Std, Go: build.Toolchain{Version: "go1.26.1"}}
	foreign := t.TempDir()
	write(t, foreign, "go.mod", "module mine\n")
	for _, tt := range []struct {
		name   string
		target *build.Target
		out    string
		err    string
	}{
		{"own", own, "", ""},
		{"own with -o", own, foreign, "-o is for packages outside of the main module"},
		{"std without -o", std, "", "not in the main module"},
		{"std", std, filepath.Join(t.TempDir(), "new"), ""},
		{"a module of somebody else", std, foreign, "holds a module that foray gen has not written"},
	} {
		p, err := NewPlace(tt.target, tt.out, t.TempDir())
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		// Twice: files of gen may be overwritten.
		for range 2 {
			if err := p.mayWrite(failFile); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			file, err := p.write(failFile, marked([]byte("package p\n")))
			if err != nil || filepath.Dir(file) != filepath.Join(tt.target.Dir) && filepath.Dir(file) != tt.out {
				t.Errorf("%s: written to %s, %v", tt.name, file, err)
			}
		}
	}
	p, err := NewPlace(own, "", "")
	if err != nil {
		t.Fatal(err)
	}
	write(t, own.Dir, regressionFile, "package p\n")
	if err := p.mayWrite(regressionFile); err == nil {
		t.Error("a file of somebody else may be overwritten")
	}
	g := &Generator{Place: p, Failing: true}
	if err := g.MayWrite(); err != nil {
		t.Errorf("failing tests only: %v", err)
	}
	if files, err := filepath.Glob(filepath.Join(own.Dir, ".foray-*")); err != nil || len(files) > 0 {
		t.Errorf("it leaves %q", files)
	}
	// A directory in a file can be written by no user.
	p.dir = filepath.Join(own.Dir, failFile, "dir")
	if err := (&Generator{Place: p}).MayWrite(); err == nil || !strings.Contains(err.Error(), "m.test/p: cannot write into "+p.dir+": ") {
		t.Errorf("a directory that cannot be written: %v", err)
	}
	if _, err := g.Write(t.Context(), nil, nil); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing to write: %v", err)
	}
}

func TestDeclared(t *testing.T) {
	dir := t.TempDir()
	p := &Place{target: &build.Target{Files: build.Files{XTestGoFiles: []string{
		write(t, dir, "a_test.go", "package p_test\n\nfunc TestA(t *testing.T) {}\nfunc (x X) TestB() {}\nfunc helper() {}\n\nvar q, _ = 1, 2\n\ntype (\n\tX int\n)\n\nconst debug = true\n"),
		write(t, dir, failFile, "package p_test\n\nfunc TestC(t *testing.T) {}\n"),
		write(t, dir, "bad_test.go", "package\n"),
	}}}}
	if got, want := p.declared(), []string{"TestA", "helper", "q", "_", "X", "debug"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRaise(t *testing.T) {
	for version, want := range map[string]bool{"": true, "1.9": true, "1.22.3": true, "1.23": false, "1.23rc1": false, "1.26": false, "2.1": false} {
		p := &Place{target: &build.Target{Module: &build.Module{GoVersion: version}}}
		if got := p.raise(); got != want {
			t.Errorf("go %s: %v, want %v", version, got, want)
		}
	}
}

func TestBlame(t *testing.T) {
	src := []byte("package p\n\nfunc TestA(t *testing.T) {\n\tx\n}\n\nfunc TestB(t *testing.T) {\n\ty\n}\n")
	cands := []candidate{{test: "TestA/one"}, {test: "TestB"}, {test: "TestA/two"}, {test: "TestC"}}
	blame(cands, []int{0, 1, 2, 3}, testFunctions(src), []build.Complaint{{Line: 4, Msg: "undefined: x"}, {Line: 1, Msg: "elsewhere"}})
	const why = "it does not compile: undefined: x"
	want := []candidate{{test: "TestA/one", why: why}, {test: "TestB"}, {test: "TestA/two", why: why}, {test: "TestC"}}
	if !reflect.DeepEqual(cands, want) {
		t.Errorf("got %+v, want %+v", cands, want)
	}
}

// fakeTrial fails tests as a script says: a line for each run.
type fakeTrial struct {
	runs []string // names of tests that fail; "!" at the end: the process ended
	took time.Duration
	n    int
}

func (f *fakeTrial) Run(context.Context, []string, int) (build.Ran, error) {
	run, ended := strings.CutSuffix(f.runs[f.n%len(f.runs)], "!")
	f.n++
	return build.Ran{Failed: strings.Fields(run), Ended: ended, Processor: f.took}, nil
}

// A test that waits for a call has shown a hang only if that took the processor that long, or
// waited: it may be slow, on a machine that does other things.
func TestProveHang(t *testing.T) {
	for _, tt := range []struct {
		name, class string
		runs        []string
		took        time.Duration
		doubt       string
		flaky       bool
	}{
		{"an endless loop", "busy", []string{"x"}, proofProcessor, "", false},
		{"a slow machine", "busy", []string{"x"}, proofProcessor / 4, "its test does not show that the call does not return, as the machine is busy", false},
		{"a slow call", "busy", []string{""}, proofProcessor / 4, "its test passes in a fresh process", false},
		{"a lock", "blocked", []string{"x"}, proofProcessor / 100, "", false},
		{"a call that others work for", "blocked", []string{"x"}, proofProcessor, "its test shows a call that is at work, and does not wait", false},
		{"now and then", "blocked", []string{"", "x"}, 0, "", true},
		{"a panic, however slow", "", []string{"x"}, time.Minute, "", false},
	} {
		f := engine.Finding{Verdict: engine.Verdict{Kind: engine.KindHang, Signature: engine.Signature{Class: tt.class}}}
		if tt.class == "" {
			f.Verdict.Kind = engine.KindPanic
		}
		new(Prover).run(t.Context(), &fakeTrial{runs: tt.runs, took: tt.took}, "x", &f)
		if f.Doubt != tt.doubt || f.Flaky != tt.flaky || f.Returns != (tt.name == "a slow call") {
			t.Errorf("%s: doubt %q, flaky %v, returns %v; want %q, %v", tt.name, f.Doubt, f.Flaky, f.Returns, tt.doubt, tt.flaky)
		}
	}
}

// A longer run gives a call that may only be slow more time.
func TestProofProcessor(t *testing.T) {
	for run, want := range map[time.Duration]time.Duration{0: 2 * time.Second, 25 * time.Second: 2 * time.Second, 40 * time.Second: 3 * time.Second, time.Minute: 5 * time.Second, time.Hour: 5 * time.Second} {
		if got := (&Prover{Time: run}).processor(); got != want {
			t.Errorf("a run of %v: %v, want %v", run, got, want)
		}
	}
}

func TestRunTrial(t *testing.T) {
	g := &Generator{Place: &Place{target: &build.Target{Path: "m.test/p"}}, Out: event.NewPrinter(nil, io.Discard, event.Options{})}
	for _, tt := range []struct {
		name, kind string
		runs       []string
		want       []string // why tests are dropped
		n          int      // runs
	}{
		{"all pass", kindRegression, []string{""}, []string{"", ""}, flakyRuns},
		{"one fails", kindRegression, []string{"TestA"}, []string{"its test fails in a fresh process", ""}, flakyRuns},
		{"flaky", kindRegression, []string{"TestB/x", "", "", "", ""}, []string{"", "its test is flaky: it fails in 1 of 5 fresh processes"}, flakyRuns},
		{"the function of a row fails", kindRegression, []string{"TestB"}, []string{"", "its test fails in a fresh process"}, flakyRuns},
		{"ends the process", kindRegression, []string{"TestA!"}, []string{"its test fails in a fresh process", ""}, 1},
		{"failing tests fail", kindFailing, []string{"x"}, []string{"", ""}, 2 * failingRuns},
		{"a failing test passes", kindFailing, []string{"", "", "x", "x"}, []string{"its test passes in a fresh process", ""}, 2 * failingRuns},
		{"a failing test is flaky", kindFailing, []string{"x", "", "x", "x"}, []string{"its test is flaky: it fails in 1 of 2 fresh processes", ""}, 2 * failingRuns},
	} {
		cands := []candidate{{test: "TestA"}, {test: "TestB/x"}, {test: "TestDropped", why: "before"}}
		f := &fakeTrial{runs: tt.runs}
		if err := g.runTrial(t.Context(), f, tt.kind, cands, []int{0, 1}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := []string{cands[0].why, cands[1].why}; !reflect.DeepEqual(got, tt.want) || f.n != tt.n {
			t.Errorf("%s: %q after %d runs, want %q after %d", tt.name, got, f.n, tt.want, tt.n)
		}
	}
}

func TestReason(t *testing.T) {
	g := &Generator{Conditions: []coverage.Condition{
		{First: 0, Kind: coverage.Bool, Text: "n > 0", Func: "F", Sides: []string{"false", "true"}},
		{First: 2, Kind: coverage.Switch, Text: "x", Func: "G", Sides: []string{"case 1", "default"}},
	}, Out: event.NewPrinter(t.Output(), t.Output(), event.Options{})}
	for _, tt := range []struct {
		fresh []int32
		want  string
	}{
		{nil, ""}, {[]int32{9}, ""},
		{[]int32{1}, `makes "n > 0" true in F, as no test before it does`},
		{[]int32{0, 3, 2}, `makes "n > 0" false in F and takes 2 more branch sides that no test before it does`},
		{[]int32{3}, `takes the side "default" of ` + string(coverage.Switch) + ` "x" in G, as no test before it does`},
	} {
		if got := g.reason(tt.fresh); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.fresh, got, tt.want)
		}
	}
}
