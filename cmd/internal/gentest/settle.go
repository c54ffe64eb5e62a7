package gentest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/harness/build"
)

// The number of fresh processes in which regression tests must pass, and tests of findings
// must fail. Each has its own map seeds and order. A test of a hang takes ten seconds.
const (
	flakyRuns   = 5
	failingRuns = 2
)

// marked returns a file with its first line, by which gen knows its own files.
func marked(src []byte) []byte { return append([]byte(mark+"\n\n"), src...) }

// settle drops tests until the rest compile, please go vet, and behave alike in fresh
// processes. source returns a file of some tests, without the first line, and their names.
func (g *Generator) settle(ctx context.Context, kind, file string, cands []candidate, source func(keep []int) ([]byte, []string, error)) ([]int, error) {
	var keep []int
	for i := range cands {
		if cands[i].why == "" {
			keep = append(keep, i)
		}
	}
	trial := &build.Trial{Dir: g.tryDir, Env: g.env, Flags: g.Flags, Go: g.target.Go, Temp: filepath.Join(g.Temp, kind), Unconfined: g.Unconfined}
	for len(keep) > 0 {
		g.Out.Stage(fmt.Sprintf("trying %s of %s", text.Plural(len(keep), kind+" test"), g.target.Path))
		src, names, err := source(keep)
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			cands[keep[i]].test = name
		}
		src = marked(src)
		g.files[file] = src
		trial.Files = g.files
		complaints, err := trial.Check(ctx, file)
		if err != nil {
			return nil, asLoadError(g.target.Path, err)
		}
		if len(complaints) > 0 {
			blame(cands, keep, testFunctions(src), complaints)
		} else if err := g.runTrial(ctx, trial, kind, cands, keep); err != nil {
			return nil, err
		}
		left := slices.DeleteFunc(slices.Clone(keep), func(k int) bool { return cands[k].why != "" })
		if len(left) == len(keep) {
			if len(complaints) > 0 {
				return nil, &load.Error{Place: g.target.Path, Msg: fmt.Sprintf("%s: line %d: %s", file, complaints[0].Line, complaints[0].Msg)}
			}
			return keep, nil
		}
		for _, k := range keep {
			if cands[k].why != "" {
				g.drop(kind, cands[k].name, cands[k].why, false)
			}
		}
		keep = left
	}
	g.files[file] = nil
	return nil, nil
}

// pick returns the elements of a list with some numbers.
func pick[T any](list []T, numbers []int) []T {
	var picked []T
	for _, i := range numbers {
		picked = append(picked, list[i])
	}
	return picked
}

// A trial runs tests of a file: see [build.Trial].
type trial interface {
	Run(ctx context.Context, names []string, procs int) (build.Ran, error)
}

// blame marks the tests that complaints are about.
func blame(cands []candidate, keep []int, funcs []testFunction, complaints []build.Complaint) {
	for _, c := range complaints {
		for _, f := range funcs {
			if c.Line < f.first || c.Line > f.last {
				continue
			}
			for _, k := range keep {
				if top, _, _ := strings.Cut(cands[k].test, "/"); top == f.name && cands[k].why == "" {
					cands[k].why = "it does not compile: " + text.OneLine(c.Msg, 120)
				}
			}
		}
	}
}

// runTrial runs the tests in fresh processes and marks those to be dropped:
// regression tests that fail, failing ones that do not.
func (g *Generator) runTrial(ctx context.Context, t trial, kind string, cands []candidate, keep []int) error {
	if kind == kindFailing {
		return g.runFailing(ctx, t, cands, keep)
	}
	names := make([]string, len(keep))
	for i, k := range keep {
		names[i] = cands[k].test
	}
	failed, runs := map[string]int{}, 0
	// A test that ends its process keeps others from running: these are tried again without
	// it.
	for ended := false; runs < flakyRuns && !ended; runs++ {
		ran, err := t.Run(ctx, names, 1+runs%2)
		if err != nil {
			return &load.Error{Place: g.target.Path, Msg: err.Error()}
		}
		ended = ran.Ended
		for _, name := range ran.Failed {
			failed[name]++
		}
	}
	for i, k := range keep {
		n := failed[names[i]]
		if top, _, row := strings.Cut(names[i], "/"); row {
			n += failed[top]
		}
		switch {
		case n == runs:
			cands[k].why = "its test fails in a fresh process"
		case n > 0:
			cands[k].why = fmt.Sprintf("its test is flaky: it fails in %d of %d fresh processes", n, runs)
		}
	}
	return nil
}

// runFailing runs each test in processes of its own, for some may end them.
func (g *Generator) runFailing(ctx context.Context, t trial, cands []candidate, keep []int) error {
	for i, k := range keep {
		g.Out.Stage(fmt.Sprintf("trying failing test %d of %d of %s", i+1, len(keep), g.target.Path))
		n := 0
		for run := range failingRuns {
			ran, err := t.Run(ctx, []string{cands[k].test}, 1+run%2)
			if err != nil {
				return &load.Error{Place: g.target.Path, Msg: err.Error()}
			}
			n += min(len(ran.Failed), 1)
		}
		switch {
		case n == 0 && !cands[k].fixed:
			cands[k].why = "its test passes in a fresh process"
		case 0 < n && n < failingRuns:
			cands[k].why = fmt.Sprintf("its test is flaky: it fails in %d of %d fresh processes", n, failingRuns)
		}
	}
	return nil
}

// asLoadError returns err as an error with a place.
func asLoadError(path string, err error) error {
	if ce, ok := errors.AsType[*build.CompileError](err); ok {
		return &load.Error{Place: ce.Pos, Msg: ce.Msg, Hint: "the tests of the package must compile: go vet shows everything"}
	}
	return &load.Error{Place: path, Msg: err.Error()}
}

// testFunction is a test function in a file, with its first and last line.
type testFunction struct {
	name        string
	first, last int
}

// testFunctions returns the test functions of a file, in order.
func testFunctions(src []byte) []testFunction {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		panic(fmt.Sprintf("gen: a file of its own does not parse: %v", err))
	}
	var list []testFunction
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
			list = append(list, testFunction{fn.Name.Name, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
		}
	}
	return list
}
