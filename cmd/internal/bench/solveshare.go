package main

import (
	"cmp"
	"context"
	"flag"
	"slices"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/cmd/internal/load"
)

func setupSolveShare(fs *flag.FlagSet) func(context.Context, *bench) error {
	runs := fs.Int("runs", 50, "run each function `n` times at most")
	return func(ctx context.Context, b *bench) error { return benchSolveShare(ctx, b, *runs) }
}

// benchSolveShare interprets the exported functions with parameters that can be symbolic of
// the packages of bench frontier and bench precision, and counts the runs that are aborted.
func benchSolveShare(ctx context.Context, b *bench, runs int) error {
	t, err := b.table("solve-share", 1, "package", "function", "runs", "lost", "timeouts", "reason")
	if err != nil {
		return err
	}
	list := slices.Clone(buggyPackages)
	for _, s := range frontierSubjects {
		list = append(list, s.pkg)
	}
	slices.Sort(list)
	for _, pkg := range b.choose(slices.Compact(list)) {
		if t.done(pkg) {
			continue
		}
		rows, err := sharesOf(ctx, pkg, runs)
		if err != nil {
			rows = [][]string{{"", "0", "0", "0", "not loaded: " + err.Error()}}
		}
		if err := t.put([]string{pkg}, rows...); err != nil {
			return err
		}
		b.logf("%s: %d rows, the last: %q", pkg, len(rows), rows[len(rows)-1])
	}
	if err := b.complete(t); err != nil {
		return err
	}
	b.summary(solveShareSummary(t.records()))
	return nil
}

// sharesOf returns the cells of the functions of a package. A package without any has one
// row without a name.
func sharesOf(ctx context.Context, pkg string, runs int) ([][]string, error) {
	dir, err := emptyDir()
	if err != nil {
		return nil, err
	}
	pkgs, err := load.Load(ctx, load.Config{Dir: dir, Patterns: []string{pkg}})
	if err != nil {
		return nil, err
	}
	p := pkgs[0]
	prog, err := concolic.Load(concolic.Config{Context: ctx, Dir: p.WorkDir, Env: p.Env, Flags: p.Flags, Patterns: []string{p.Path}})
	if err != nil {
		return nil, err
	}
	list, err := strategy.Shares(prog, prog.Targets[0], runs)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{s.Function, count(s.Runs), count(s.Lost), count(s.Timeouts), s.Reason})
	}
	if rows == nil {
		rows = [][]string{{"", "0", "0", "0", "no functions"}}
	}
	return rows, nil
}

// solveShareSummary counts the functions that lose runs by the reason, the most frequent
// first, after those that lose none.
func solveShareSummary(records []record) [][]string {
	var reasons []string
	functions, runs, lost := map[string]int{}, map[string]float64{}, map[string]float64{}
	all := "all functions"
	for _, r := range records {
		if r.get("function") == "" {
			continue
		}
		why := cmp.Or(r.get("reason"), "none lost")
		if functions[why] == 0 {
			reasons = append(reasons, why)
		}
		for _, key := range []string{why, all} {
			functions[key]++
			runs[key] += r.num("runs")
			lost[key] += r.num("lost")
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return cmp.Compare(functions[b], functions[a]) })
	rows := [][]string{{"functions", "runs", "lost", "reason"}}
	for _, why := range append([]string{all}, reasons...) {
		rows = append(rows, []string{count(functions[why]), decimal(runs[why], 0), decimal(lost[why], 0), why})
	}
	return rows
}
