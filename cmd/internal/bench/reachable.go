package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func setupReachable(fs *flag.FlagSet) func(context.Context, *bench) error {
	d := fs.Duration("t", 30*time.Second, "run each seed for so `long`")
	seeds := fs.Int("seeds", 2, "run seeds 1 to `n`, each from the corpus of the one before")
	return func(ctx context.Context, b *bench) error { return benchReachable(ctx, b, *d, *seeds) }
}

// benchReachable finds the reachable sides among those that aiming has left, by
// today's table of bench frontier. A side is reachable if a longer run takes
// it, or the package's own tests under the same instrument, or a sequence
// written by hand, by the table of reasons.
func benchReachable(ctx context.Context, b *bench, each time.Duration, seeds int) error {
	frontier, err := rowsOf(filepath.Join(b.dir, "frontier-"+b.date+".tsv"), "subject", "mode", "seed", "frontier", "flipped")
	if err != nil {
		return fmt.Errorf("run bench frontier first: %w", err)
	}
	left, err := rowsOf(filepath.Join(b.dir, "frontier-left-"+b.date+".tsv"), "subject", "mode", "seed", "id", "side", "before")
	if err != nil {
		return err
	}
	hand, err := writtenByHand(b.dir)
	if err != nil {
		return err
	}
	t, err := b.table("frontier-reachable", 3, "subject", "mode", "seed", "frontier", "flipped", "left_reachable", "by_runs", "by_tests", "by_hand", "problems")
	if err != nil {
		return err
	}
	for _, s := range frontierSubjects {
		if !b.wants(s.name) {
			continue
		}
		var runs, tests map[string]bool
		problem := ""
		for _, r := range frontier {
			key := r[:3]
			if key[0] != s.name || t.done(key...) {
				continue
			}
			if runs == nil {
				if tests, problem, err = ownTests(ctx, s.pkg); err != nil {
					return err
				}
				if runs, err = longRun(ctx, b, s.pkg, each, seeds); err != nil {
					return err
				}
			}
			reachable, by := countReachable(left, key, runs, tests, hand)
			row := []string{r[3], r[4], count(reachable), count(by[0]), count(by[1]), count(by[2]), problem}
			if err := t.put(slices.Clone(key), row); err != nil {
				return err
			}
			b.logf("%s, %s, seed %s: of %s sides of the frontier %s flipped, %d of the others can be reached %s", key[0], key[1], key[2], row[0], row[1], reachable, problem)
		}
	}
	if err := b.complete(t); err != nil {
		return err
	}
	b.summary(reachableSummary(t.records()))
	return nil
}

// countReachable returns how many of the sides that the rows of a key have left are in
// any of three sets, and in each of them.
func countReachable(left [][]string, key []string, sets ...map[string]bool) (reachable int, by [3]int) {
	for _, l := range left {
		if !slices.Equal(l[:3], key) || l[5] == "" {
			continue
		}
		found := false
		for i, set := range sets {
			if set[l[3]+" "+l[4]] {
				by[i]++
				found = true
			}
		}
		if found {
			reachable++
		}
	}
	return reachable, by
}

// longRun fuzzes a package, seed by seed, and returns the sides that are taken in the
// end.
func longRun(ctx context.Context, b *bench, pkg string, each time.Duration, seeds int) (map[string]bool, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for seed := 1; seed <= seeds; seed++ {
		args := []string{fmt.Sprintf("-seed=%d", seed), "-fuzztime=" + each.String(), pkg}
		if _, err := b.foray.fuzz(ctx, job{args: args, corpus: dir, limit: each + buildTime}); err != nil {
			return nil, err
		}
	}
	return takenSides(ctx, b, pkg, dir)
}

// takenSides returns the sides that the corpus of a package in a directory takes.
func takenSides(ctx context.Context, b *bench, pkg, dir string) (map[string]bool, error) {
	out, err := b.foray.output(ctx, "report", "-json", "-outdir="+dir, pkg)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for line := range bytes.Lines(out) {
		var e struct {
			Event, ID, Side string
			Taken           bool
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if e.Event == "side" && e.Taken {
			taken[e.ID+" "+e.Side] = true
		}
	}
	return taken, nil
}

// byHand are the classes of the table of reasons in which hand-written
// sequences were run and took the side.
var byHand = map[string]bool{"value": true, "both": true, "history": true, "engine": true}

// writtenByHand returns the sides of the last table of reasons that a sequence takes.
func writtenByHand(dir string) (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, "frontier-reasons-*.tsv"))
	if err != nil || len(names) == 0 {
		return nil, err
	}
	rows, err := rowsOf(names[len(names)-1], "id", "side", "class")
	sides := map[string]bool{}
	for _, r := range rows {
		if byHand[r[2]] {
			sides[r[0]+" "+r[1]] = true
		}
	}
	return sides, err
}

// rowsOf returns the rows of a table, measured with any foray and flags.
func rowsOf(file string, columns ...string) ([][]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return readRows(string(data), columns)
}

// reachableSummary gives, by mode, the medians over the seeds, and their sums.
func reachableSummary(records []record) [][]string {
	names := []string{"frontier", "flipped", "left_reachable"}
	rows := [][]string{append(append([]string{"subject", "mode"}, names...), "share")}
	sums := map[string][]float64{}
	var modes []string
	row := func(subject, mode string, v []float64) []string {
		share := ""
		if all := v[1] + v[2]; all > 0 {
			share = fmt.Sprintf("%.0f%%", 100*v[1]/all)
		}
		return []string{subject, mode, decimal(v[0], 0), decimal(v[1], 0), decimal(v[2], 0), share}
	}
	for _, g := range groups(records, "subject", "mode") {
		subject, mode := g[0].get("subject"), g[0].get("mode")
		if sums[mode] == nil {
			modes = append(modes, mode)
			sums[mode] = make([]float64, len(names))
		}
		v := make([]float64, len(names))
		for i, n := range names {
			v[i] = median(column(g, n))
			sums[mode][i] += v[i]
		}
		rows = append(rows, row(subject, mode, v))
	}
	for _, mode := range modes {
		rows = append(rows, row("sum", mode, sums[mode]))
	}
	return rows
}
