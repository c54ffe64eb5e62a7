package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mutated are the packages with mutants for regression tests to kill.
var mutated = []string{redBlackTree, "container/list", "github.com/google/btree@v1.1.3"}

func setupMutants(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 15*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source, and the choice of mutants, at `n`")
	n := fs.Int("n", 200, "try so many `mutants` of all packages together")
	return func(ctx context.Context, b *bench) error { return benchMutants(ctx, b, *each, *seed, *n) }
}

// A mutant is a package with one comparison or integer constant changed.
type mutant struct {
	pkg, place string // place: base name of the file, line, column
	from, to   string // the text that is replaced
	number     int    // from 1 in its package
	change     edit
}

// Replacements of a comparison: the other side of its boundary, and its
// negation.
var comparisons = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="},
}

// mutants returns all mutants of a function: comparisons changed, and integer
// constants made larger by one.
func mutants(fset *token.FileSet, pkg string, fn *ast.FuncDecl) []mutant {
	var list []mutant
	add := func(pos token.Pos, from, to string) {
		p := fset.Position(pos)
		place := fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column)
		list = append(list, mutant{pkg: pkg, place: place, from: from, to: to, change: edit{p.Offset, len(from), to}})
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, to := range comparisons[n.Op] {
				add(n.OpPos, n.Op.String(), to)
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 62); n.Kind == token.INT && err == nil {
				add(n.Pos(), n.Value, strconv.FormatUint(v+1, 10))
			}
		}
		return true
	})
	return list
}

func benchMutants(ctx context.Context, b *bench, each time.Duration, seed uint64, n int) error {
	t, err := b.table("mutants", 4, "package", "place", "from", "to", "result", "equivalent")
	if err != nil {
		return err
	}
	reasons, err := readWritten(b.dir, "mutants", []string{"package", "place", "from", "to"}, "equivalent")
	if err != nil {
		return err
	}
	var labs []*lab
	defer func() {
		for _, l := range labs {
			_ = os.RemoveAll(l.dir) // of the cache: leftovers do no harm
		}
	}()
	var all []mutant
	for _, pkg := range b.choose(mutated) {
		l, err := newLab(ctx, b, pkg, each, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		labs = append(labs, l)
		all = append(all, l.mutants...)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	for i, m := range all {
		l := labs[slices.IndexFunc(labs, func(l *lab) bool { return l.pkg == m.pkg })]
		result, err := l.test(ctx, m.number)
		if err != nil {
			return err
		}
		key := []string{m.pkg, m.place, m.from, m.to}
		reason := ""
		if cells := reasons[strings.Join(key, "\t")]; cells != nil {
			reason = cells[0]
		}
		if result == killed && reason != "" {
			return fmt.Errorf("%q is said to be equivalent (%s), and a test fails on it", key, reason)
		}
		if err := t.put(key, []string{result, reason}); err != nil {
			return err
		}
		b.logf("[%d/%d] %s %s: %s to %s: %s", i+1, len(all), m.pkg, m.place, m.from, m.to, result)
	}
	b.summary(mutantSummary(t.records()))
	return b.complete(t)
}

// Results of a mutant.
const (
	killed = "killed"
	alive  = "alive"
)

// mutantSummary counts, by package, the mutants that are killed of those that a
// test can kill.
func mutantSummary(records []record) [][]string {
	rows := [][]string{{"package", "mutants", "equivalent", "killed", "% of the others"}}
	line := func(name string, list []record) {
		dead, equivalent := 0, 0
		for _, r := range list {
			if r.get("result") == killed {
				dead++
			} else if r.get("equivalent") != "" {
				equivalent++
			}
		}
		rows = append(rows, []string{name, count(len(list)), count(equivalent), count(dead), share(float64(dead), float64(len(list)-equivalent))})
	}
	for _, pkg := range mutated {
		line(pkg, slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.get("package") != pkg }))
	}
	line(keyTotal, records)
	return rows
}

// A lab holds regression tests of a package, compiled with all its mutants.
type lab struct {
	pkg, dir, module string
	mutants          []mutant // those that compile
	binary           string
}

// moduleEnv is the environment of the go command in a module that foray gen made.
var moduleEnv = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

func newLab(ctx context.Context, b *bench, pkg string, each time.Duration, seed uint64) (*lab, error) {
	g, err := b.generated(ctx, pkg, each, seed)
	if err != nil {
		return nil, err
	}
	l := &lab{pkg: pkg, dir: g.dir, module: g.module(), binary: filepath.Join(g.dir, "mutants.test")}
	if g.problem != "" {
		return l, errors.New(g.problem)
	}
	schemas, name, err := l.schemas(ctx)
	if err != nil {
		return l, err
	}
	if err := l.build(ctx, schemas, name); err != nil {
		return l, err
	}
	if state, err := l.test(ctx, 0); err != nil || state != alive {
		return l, fmt.Errorf("tests of the package as it is: %s: %w", state, err)
	}
	return l, nil
}

// schemas returns the files of the package and its name. Files of the module
// cache cannot be overlaid, so their module is replaced by a copy.
func (l *lab) schemas(ctx context.Context) ([]*schema, string, error) {
	path, version, at := strings.Cut(l.pkg, "@")
	if at {
		out, err := goOutput(ctx, l.module, moduleEnv, "list", "-f", "{{.Module.Path}}\t{{.Module.Dir}}", path)
		if err != nil {
			return nil, "", err
		}
		mod, src, _ := strings.Cut(strings.TrimSpace(out), "\t")
		if err := os.CopyFS(filepath.Join(l.dir, "source"), os.DirFS(src)); err != nil {
			return nil, "", err
		}
		if _, err := goOutput(ctx, l.module, moduleEnv, "mod", "edit", "-replace="+mod+"@"+version+"=../source"); err != nil {
			return nil, "", err
		}
	}
	out, err := goOutput(ctx, l.module, moduleEnv, "list", "-f", `{{.Dir}}{{"\t"}}{{.Name}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}`, path)
	if err != nil {
		return nil, "", err
	}
	words := strings.Split(strings.TrimSpace(out), "\t")
	dir, name := words[0], words[1]
	var list []*schema
	number := 1
	for _, file := range words[2:] {
		file = filepath.Join(dir, file)
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, "", err
		}
		s, err := newSchema(l.pkg, file, src, number)
		if err != nil {
			return nil, "", err
		}
		for _, fn := range s.functions {
			number += len(fn.mutants)
			l.mutants = append(l.mutants, fn.mutants...)
		}
		list = append(list, s)
	}
	return list, name, nil
}

// build compiles the tests with all mutants that compile, and leaves out the others.
func (l *lab) build(ctx context.Context, schemas []*schema, name string) error {
	for {
		spans, err := l.overlay(schemas, name)
		if err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags=all=-e", "-overlay="+filepath.Join(l.dir, "overlay.json"), "-o", l.binary, ".")
		cmd.Dir = l.module
		cmd.Env = append(os.Environ(), moduleEnv...)
		out, err := cmd.CombinedOutput()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		left := slices.DeleteFunc(slices.Clone(l.mutants), func(m mutant) bool { return complains(string(out), spans, m.number) })
		if len(left) == len(l.mutants) {
			return fmt.Errorf("compile all mutants: %w: %s", err, firstLine(string(out)))
		}
		l.mutants = left
	}
}

// overlay writes the files of the package with its mutants, and returns, by base
// name, where these are.
func (l *lab) overlay(schemas []*schema, name string) (map[string][]span, error) {
	replace := map[string]string{}
	put := func(file, text string) error {
		replace[file] = filepath.Join(l.dir, "schema-"+filepath.Base(file))
		return os.WriteFile(replace[file], []byte(text), 0o666)
	}
	if err := put(filepath.Join(filepath.Dir(schemas[0].file), "zz_mutant_number.go"), schemaSwitch(name)); err != nil {
		return nil, err
	}
	wanted := func(number int) bool {
		return slices.ContainsFunc(l.mutants, func(m mutant) bool { return m.number == number })
	}
	spans := map[string][]span{}
	for _, s := range schemas {
		text, list := s.text(wanted)
		spans[filepath.Base(s.file)] = list
		if err := put(s.file, text); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return spans, os.WriteFile(filepath.Join(l.dir, "overlay.json"), data, 0o666)
}

var position = regexp.MustCompile(`(?m)^(?:\S*/)?([^/\s:]+\.go):(\d+):`)

// complains reports whether the compiler complains of a line of the mutant.
func complains(out string, spans map[string][]span, number int) bool {
	for _, p := range position.FindAllStringSubmatch(out, -1) {
		line, _ := strconv.Atoi(p[2])
		if slices.ContainsFunc(spans[p[1]], func(s span) bool { return s.number == number && s.first <= line && line <= s.last }) {
			return true
		}
	}
	return false
}

// mutantTime is how long the tests of a mutant may wait. An endless loop uses
// up its CPU time before that, so other load on the machine does not kill
// mutants.
const mutantTime = 2 * time.Minute

// test runs the tests on a mutant, or on the package as it is if number is 0.
func (l *lab) test(ctx context.Context, number int) (string, error) {
	limited, cancel := context.WithTimeout(ctx, mutantTime)
	defer cancel()
	// A mutant may take memory without end, too: no more than 4 GB of addresses.
	cmd := exec.CommandContext(limited, "sh", "-c", `ulimit -t 5; ulimit -v 4000000; exec "$0" -test.failfast`, l.binary)
	cmd.Dir = l.module
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", schemaEnv, number))
	if err := cmd.Run(); err != nil {
		return killed, ctx.Err()
	}
	return alive, nil
}
