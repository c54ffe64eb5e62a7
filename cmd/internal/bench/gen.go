package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// containers are the packages that regression tests are measured on.
var containers = slices.Concat(
	[]string{"container/list", "container/ring", "container/heap"},
	slices.DeleteFunc(slices.Clone(realPackages), func(p string) bool { return !strings.Contains(p, "/gods/") }),
)

// repeats is how often emitted tests run, each time in a fresh process.
const repeats = 10

func setupRegression(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 5*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source at `n`")
	return func(ctx context.Context, b *bench) error { return benchRegression(ctx, b, *each, *seed) }
}

// benchRegression writes regression tests of a corpus and runs them.
func benchRegression(ctx context.Context, b *bench, each time.Duration, seed uint64) error {
	t, err := b.table("regression", 1, "package", "entries", "tests", "functions", "assertions", "dropped", "sides", "sides_corpus", "vet", "failed", "gen_s", "errors")
	if err != nil {
		return err
	}
	list := b.choose(containers)
	for i, pkg := range list {
		if t.done(pkg) {
			continue
		}
		g, err := b.generated(ctx, pkg, each, seed)
		if err != nil {
			return err
		}
		vet, failed := "", 0
		if g.files > 0 {
			vet, failed, err = g.rerun(ctx)
		}
		err = errors.Join(err, os.RemoveAll(g.dir))
		if err != nil {
			return err
		}
		row := []string{count(g.tests + g.dropped), count(g.tests), count(g.functions), count(g.assertions), count(g.dropped), count(g.sides), count(g.sidesCorpus), vet, count(failed), decimal(g.wall.Seconds(), 1), g.problem}
		if err := t.put([]string{pkg}, row); err != nil {
			return err
		}
		b.logf("[%d/%d] %s: %d tests, %d assertions, sides %d/%d, %d failed %s", i+1, len(list), pkg, g.tests, g.assertions, g.sides, g.sidesCorpus, failed, g.problem)
	}
	records := slices.DeleteFunc(t.records(), func(r record) bool { return r.get("package") == keyTotal })
	sum := func(name string) string { return decimal(total(column(records, name)), 0) }
	if err := t.last([]string{keyTotal}, []string{sum("entries"), sum("tests"), sum("functions"), sum("assertions"), sum("dropped"), sum("sides"), sum("sides_corpus"), "", sum("failed"), sum("gen_s"), ""}); err != nil {
		return err
	}
	b.summary([][]string{
		{"tests", sum("tests"), "of entries", sum("entries")},
		{"assertions", sum("assertions")},
		{"sides", sum("sides"), "of the corpus", sum("sides_corpus")},
		{"failed in " + count(repeats) + " repeats", sum("failed")},
	})
	return b.complete(t)
}

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// generation is the result of foray gen on a package.
type generation struct {
	dir                                                              string // of the module
	files, tests, functions, assertions, dropped, sides, sidesCorpus int
	wall                                                             time.Duration
	problem                                                          string
}

// generated fuzzes a package and has regression tests of it written into a module of
// its own, in a fresh directory.
func (b *bench) generated(ctx context.Context, pkg string, each time.Duration, seed uint64) (*generation, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(cache, "gen-")
	if err != nil {
		return nil, err
	}
	g := &generation{dir: dir}
	corpus := filepath.Join(dir, "corpus")
	if _, err := b.foray.output(ctx, "fuzz", "-fuzztime="+each.String(), fmt.Sprintf("-seed=%d", seed), "-outdir="+corpus, pkg); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	began := time.Now()
	out, err := b.foray.output(ctx, "gen", "-regression", "-n=0", "-json", "-outdir="+corpus, "-o", g.module(), pkg)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		g.problem = err.Error()
	}
	g.wall = time.Since(began)
	for line := range bytes.Lines(out) {
		var e struct {
			Event                               string
			Tests, Functions, Assertions, Sides int
			SidesCorpus                         int `json:"sides_corpus"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		switch e.Event {
		case "file":
			g.files++
			g.tests, g.functions, g.assertions, g.sides, g.sidesCorpus = e.Tests, e.Functions, e.Assertions, e.Sides, e.SidesCorpus
		case "drop":
			g.dropped++
		}
	}
	return g, nil
}

func (g *generation) module() string { return filepath.Join(g.dir, "module") }

// rerun runs go vet on the tests, and the tests in fresh processes. It returns
// the message of go vet and the number of failed runs.
func (g *generation) rerun(ctx context.Context) (vet string, failed int, err error) {
	env := []string{"GOWORK=off"}
	vet = "clean"
	if _, err := goOutput(ctx, g.module(), env, "vet", "."); err != nil {
		vet = err.Error()
	}
	binary := filepath.Join(g.dir, "repeats.test")
	if _, err := goOutput(ctx, g.module(), env, "test", "-c", "-vet=off", "-o", binary, "."); err != nil {
		return vet, repeats, ctx.Err()
	}
	for range repeats {
		cmd := exec.CommandContext(ctx, binary, "-test.shuffle=on")
		cmd.Dir = g.module()
		if err := cmd.Run(); err != nil {
			failed++
		}
	}
	return vet, failed, ctx.Err()
}

// output runs foray outside of any module and returns its standard output.
func (p program) output(ctx context.Context, args ...string) ([]byte, error) {
	dir, err := emptyDir()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		lines := problems(stderr.String())
		if len(lines) > 0 {
			err = fmt.Errorf("%w: %s", err, lines[0])
		}
	}
	return out, err
}
