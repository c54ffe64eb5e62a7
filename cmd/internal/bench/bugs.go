package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bug is one of docs/bench/bugs: version bad of a module has it, and version fixed does not.
type bug struct {
	id, half     string // half is learn or hold
	module, pkg  string
	bad, fixed   string
	kind, oracle string
	reproducer   string // a test that fails at bad and passes at fixed
}

var bugColumns = []string{"id", "half", "module", "package", "bad", "fixed", "kind", "oracle", "summary", "reference"}

// readBugs reads the list of a directory, and the reproducer of each bug beside it.
func readBugs(dir string) ([]bug, error) {
	path := filepath.Join(dir, "bugs.tsv")
	rows, err := rowsOf(path, bugColumns...)
	if err != nil {
		return nil, err
	}
	var list []bug
	for _, r := range rows {
		g := bug{id: r[0], half: r[1], module: r[2], pkg: r[3], bad: r[4], fixed: r[5], kind: r[6], oracle: r[7]}
		if i := slices.Index(r, ""); i >= 0 {
			return nil, fmt.Errorf("%s: %s: no %s", path, cmp.Or(g.id, "a bug"), bugColumns[i])
		}
		if err := g.check(list); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, g.id, err)
		}
		text, err := os.ReadFile(filepath.Join(dir, g.id+".txt"))
		if err != nil {
			return nil, err
		}
		if g.reproducer = string(text); !strings.Contains(g.reproducer, "\nfunc TestRepro(") {
			return nil, fmt.Errorf("%s.txt has no TestRepro", g.id)
		}
		list = append(list, g)
	}
	return list, nil
}

// check returns why a bug is not usable beside those before it.
func (g bug) check(before []bug) error {
	switch {
	case !slices.Contains([]string{"learn", "hold"}, g.half):
		return fmt.Errorf("half is %q, want learn or hold", g.half)
	case !slices.Contains([]string{"crash", "hang", "contract", "model"}, g.oracle):
		return fmt.Errorf("oracle is %q, want crash, hang, contract or model", g.oracle)
	case g.pkg != g.module && !strings.HasPrefix(g.pkg, g.module+"/"):
		return fmt.Errorf("package %s is not of module %s", g.pkg, g.module)
	case g.bad == g.fixed:
		return fmt.Errorf("version %s is both bad and fixed", g.bad)
	}
	for _, o := range before {
		if o.id == g.id {
			return errors.New("there twice")
		}
		if o.module == g.module && o.half != g.half {
			return fmt.Errorf("module %s is of both halves", g.module)
		}
	}
	return nil
}

func setupBugs(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 20*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source at `n`")
	mode := fs.String("mode", "fuzz", "fuzz, or only verify the reproducers: `mode`")
	return func(ctx context.Context, b *bench) error {
		list, err := readBugs(filepath.Join(b.dir, "bugs"))
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(g bug) bool { return !b.wants(g.half + "/" + g.id) })
		switch *mode {
		case "fuzz":
			return b.fuzzBugs(ctx, list, *each, *seed)
		case "verify":
			return b.verifyBugs(ctx, list)
		}
		return fmt.Errorf("-mode is %q, want fuzz or verify", *mode)
	}
}

// fuzzBugs fuzzes the bad version of each bug, and writes whether a test that foray emits
// shows the bug: it fails there and passes at the fixed version.
func (b *bench) fuzzBugs(ctx context.Context, list []bug, each time.Duration, seed uint64) error {
	t, err := b.table("bugs", 1, "id", "half", "kind", "oracle", "found", "signature", "seconds", "sequences", "tests", "failing", "exit", "load", "errors")
	if err != nil {
		return err
	}
	for i, g := range list {
		if t.done(g.id) {
			continue
		}
		load := loadAverage()
		r, err := b.foray.fuzzPackage(ctx, g.pkg+"@"+g.bad, each, seed)
		if err != nil {
			return err
		}
		tests := showable(r.findings)
		f, failing, err := g.found(tests, func(version string, sources []string) ([]string, error) { return g.run(ctx, version, sources) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.stderr = append(r.stderr, "bench: "+err.Error())
		}
		row := []string{
			g.half, g.kind, g.oracle, f.Tier, f.Signature, decimal(r.wall.Seconds(), 1), count(r.summary.Sequences), count(len(tests)), count(failing),
			count(r.exit), load, r.problem(),
		}
		if err := t.put([]string{g.id}, row); err != nil {
			return err
		}
		b.logf("[%d/%d] %s: %s %s, %d of %d tests fail %s", i+1, len(list), g.id, cmp.Or(f.Tier, "not found"), f.Signature, failing, len(tests), r.problem())
	}
	return b.finish(bugSummary, t)
}

// showable returns the findings with tests that may show a bug, the surest first. A flaky test
// may fail at one version and pass at another for no reason.
func showable(findings []finding) []finding {
	list := slices.DeleteFunc(slices.Clone(findings), func(f finding) bool { return f.Test == "" || f.Flaky || sureness(f.Tier) < 0 })
	slices.SortStableFunc(list, func(x, y finding) int { return sureness(y.Tier) - sureness(x.Tier) })
	return list
}

// found returns the first finding with a test that fails at the bad version and passes at the fixed
// one. Its tier is empty if there is none; failing counts the tests that fail at the bad version.
// run returns the results of tests at a version.
func (g bug) found(findings []finding, run func(version string, sources []string) ([]string, error)) (f finding, failing int, err error) {
	// with returns the findings with tests that have a result at a version.
	with := func(list []finding, result, version string) ([]finding, error) {
		var sources []string
		for _, f := range list {
			sources = append(sources, f.Test)
		}
		if len(sources) == 0 {
			return nil, nil
		}
		at, err := run(version, sources)
		if err != nil {
			return nil, err
		}
		var kept []finding
		for i, f := range list {
			if at[i] == result {
				kept = append(kept, f)
			}
		}
		return kept, nil
	}
	failed, err := with(findings, "fail", g.bad)
	if err != nil {
		return f, 0, err
	}
	passed, err := with(failed, "pass", g.fixed)
	if len(passed) > 0 {
		f = passed[0]
	}
	return f, len(failed), err
}

// run runs each of some tests as a package of its own, in a module that requires a version of
// the bug's. A result is pass, fail, or broken if the test was not built.
func (g bug) run(ctx context.Context, version string, sources []string) ([]string, error) {
	dir, err := os.MkdirTemp("", "bench-bug-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files := map[string]string{"go.mod": fmt.Sprintf("module scratch\n\ngo 1.26\n\nrequire %s %s\n", g.module, version)}
	for i, s := range sources {
		files[fmt.Sprintf("t%d/t_test.go", i)] = s
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			return nil, err
		}
	}
	if _, err := goOutput(ctx, dir, moduleEnv, "mod", "tidy", "-e"); err != nil {
		return nil, err
	}
	if got, err := goOutput(ctx, dir, moduleEnv, "list", "-m", "-f={{.Version}}", g.module); err != nil {
		return nil, err
	} else if got = strings.TrimSpace(got); got != version {
		return nil, fmt.Errorf("the tests require %s %s, want %s", g.module, got, version)
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-vet=off", "-timeout=30s", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), moduleEnv...)
	out, err := cmd.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return nil, err
	}
	return testResults(out, len(sources))
}

// moduleEnv is the environment of the go command in a module made for a run.
var moduleEnv = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

// testResults reads the output of go test -json on packages t0, t1 and so on. The last event of
// a package, after those of its tests, is its own.
func testResults(output []byte, n int) ([]string, error) {
	results := slices.Repeat([]string{"broken"}, n)
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var e struct{ Action, Package, FailedBuild string }
		if err := d.Decode(&e); err == io.EOF {
			return results, nil
		} else if err != nil {
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		var i int
		if _, err := fmt.Sscanf(e.Package, "scratch/t%d", &i); err != nil || e.FailedBuild != "" || i >= n {
			continue
		}
		if e.Action == "pass" || e.Action == "fail" {
			results[i] = e.Action
		}
	}
}

// verifyBugs runs the reproducers only, and prints their results at both versions.
func (b *bench) verifyBugs(ctx context.Context, list []bug) error {
	rows := [][]string{{"id", "bad", "", "fixed", ""}}
	wrong := 0
	for i, g := range list {
		at := map[string]string{}
		for _, version := range []string{g.bad, g.fixed} {
			results, err := g.run(ctx, version, []string{g.reproducer})
			if err != nil {
				return fmt.Errorf("%s at %s: %w", g.id, version, err)
			}
			at[version] = results[0]
		}
		if at[g.bad] != "fail" || at[g.fixed] != "pass" {
			wrong++
		}
		rows = append(rows, []string{g.id, g.bad, at[g.bad], g.fixed, at[g.fixed]})
		b.logf("[%d/%d] %s: %s %s, %s %s", i+1, len(list), g.id, g.bad, at[g.bad], g.fixed, at[g.fixed])
	}
	b.summary(rows)
	if wrong > 0 {
		return fmt.Errorf("%d of %d reproducers do not fail at the bad version or not pass at the fixed one", wrong, len(list))
	}
	return nil
}

// bugSummary counts the bugs found by half and oracle.
func bugSummary(records []record) [][]string {
	rows := [][]string{{"half", "oracle", "bugs", "error", "panic", "suspect"}}
	for _, half := range []string{"learn", "hold"} {
		for _, oracle := range []string{"contract", "crash", "hang", "model", "all"} {
			n, by := 0, map[string]int{}
			for _, r := range records {
				if r.get("half") == half && (oracle == "all" || r.get("oracle") == oracle) {
					n++
					by[r.get("found")]++
				}
			}
			if n > 0 {
				rows = append(rows, []string{half, oracle, count(n), count(by["error"]), count(by["panic"]), count(by["suspect"])})
			}
		}
	}
	return rows
}
