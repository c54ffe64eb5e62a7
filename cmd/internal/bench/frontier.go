package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A frontierSubject is a package to aim at the frontier of. In packages that
// work on strings, composition goes on to find sides for long.
type frontierSubject struct {
	name, pkg string
	strings   bool
}

var frontierSubjects = []frontierSubject{
	{"redblacktree", redBlackTree, false},
	{"linkedhashmap", "github.com/emirpasic/gods/v2/maps/linkedhashmap@v2.0.0-alpha", false},
	{"arraylist", "github.com/emirpasic/gods/v2/lists/arraylist@v2.0.0-alpha", false},
	{"doublylinkedlist", "github.com/emirpasic/gods/v2/lists/doublylinkedlist@v2.0.0-alpha", false},
	{"google/btree", "github.com/google/btree@v1.1.3", false},
	{"container/list", "container/list", false},
	{"math/big", "math/big", false},
	{"net/netip", "net/netip", true},
	{"apd", "github.com/cockroachdb/apd/v3@v3.2.1", true},
	{"semver", "github.com/Masterminds/semver/v3@v3.4.0", true},
	{"text/template/parse", "text/template/parse", true},
	{"regexp/syntax", "regexp/syntax", true},
	{"bitset", "github.com/bits-and-blooms/bitset@v1.24.4", false},
}

// A frontierMode is composition alone for some time, and then two runs that
// continue from its corpus: one that aims, and one that only composes.
type frontierMode struct {
	name           string
	composing, and time.Duration
}

var frontierModes = []frontierMode{
	{"early", time.Second, 4 * time.Second},
	{"plateau", 10 * time.Second, 10 * time.Second},
}

// alone is how long composition runs before aiming starts in the early mode.
const alone = 20 * time.Second

func setupFrontier(fs *flag.FlagSet) func(context.Context, *bench) error {
	seeds := fs.Int("seeds", 3, "start from seeds 1 to `n`")
	mode := fs.String("mode", "", "run this mode only: early or plateau")
	return func(ctx context.Context, b *bench) error { return benchFrontier(ctx, b, *seeds, *mode) }
}

func benchFrontier(ctx context.Context, b *bench, seeds int, mode string) error {
	t, err := b.table("frontier", 3, "subject", "mode", "seed", "sides_before", "frontier", "flipped", "random", "located",
		"sides_aiming", "sides_composing", "sides_alone", "aimed_runs", "problems")
	if err != nil {
		return err
	}
	left, err := b.table("frontier-left", 3, "subject", "mode", "seed", "id", "side", "file", "line", "status", "runs", "before")
	if err != nil {
		return err
	}
	for _, s := range frontierSubjects {
		if !b.wants(s.name) {
			continue
		}
		warm := false
		for _, m := range frontierModes {
			for seed := 1; seed <= seeds && (mode == "" || mode == m.name); seed++ {
				key := []string{s.name, m.name, count(seed)}
				if t.done(key...) {
					continue
				}
				if !warm {
					// Both builds are made here, outside of the measured time:
					// a run by number waits for them.
					if _, err := b.foray.fuzz(ctx, job{args: []string{"-parallel=1", "-seed=1", "-fuzztime=20000x", s.pkg}}); err != nil {
						return err
					}
					warm = true
				}
				row, rest, err := runFrontier(ctx, b, s, m, seed)
				if err != nil {
					return err
				}
				if err := left.put(key, rest...); err != nil {
					return err
				}
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, %s, seed %d: of %s sides of the frontier %s flipped, %s by composing on; %s and %s sides %s",
					s.name, m.name, seed, row[1], row[2], row[3], row[5], row[6], row[9])
			}
		}
	}
	return b.finish(frontierSummary, t, left)
}

// runFrontier runs one mode. It returns the cells after the key of the row, and
// the sides that aiming has left.
func runFrontier(ctx context.Context, b *bench, s frontierSubject, m frontierMode, seed int) (row []string, rest [][]string, err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	run := func(corpus string, d time.Duration, aim bool) (*report, error) {
		return b.foray.fuzz(ctx, job{
			args: []string{
				"-parallel=1", fmt.Sprintf("-seed=%d", seed), "-fuzztime=" + d.String(), fmt.Sprintf("-frontier=%t", aim), s.pkg,
			},
			corpus: filepath.Join(dir, corpus), limit: d + buildTime,
		})
	}
	before, err := run("before", m.composing, false)
	if err != nil {
		return nil, nil, err
	}
	from := os.DirFS(filepath.Join(dir, "before"))
	if err := errors.Join(os.CopyFS(filepath.Join(dir, "aiming"), from), os.CopyFS(filepath.Join(dir, "composing"), from)); err != nil {
		return nil, nil, err
	}
	aiming, err := run("aiming", m.and, true)
	if err != nil {
		return nil, nil, err
	}
	composing, err := run("composing", m.and, false)
	if err != nil {
		return nil, nil, err
	}
	long := ""
	if m.name == "early" && s.strings {
		r, err := run("alone", alone, false)
		if err != nil {
			return nil, nil, err
		}
		long = count(r.pkg().SidesCovered)
	}
	start := open(before)
	tried, rest := leftBy(aiming, start)
	flipped, random := minus(start, open(aiming)), minus(start, open(composing))
	located := len(flipped) + len(start) - len(slices.DeleteFunc(slices.Clone(start), func(id string) bool { return tried[id] }))
	return []string{
		count(before.pkg().SidesCovered), count(len(start)), count(len(flipped)), count(len(random)), count(located),
		count(aiming.pkg().SidesCovered), count(composing.pkg().SidesCovered), long, count(aiming.summary.Aimed),
		before.problem() + aiming.problem() + composing.problem(),
	}, rest, nil
}

// leftBy returns the sides that a run has tried in vain, and a row for each that it has
// left, given those it began with.
func leftBy(r *report, start []string) (tried map[string]bool, rest [][]string) {
	tried = map[string]bool{}
	for _, f := range r.frontier {
		side := f.ID + " " + f.Side
		if f.Status == "tried" {
			tried[side] = true
		}
		if f.Status != "flipped" {
			known := "" // it became a side of the frontier while aiming
			if slices.Contains(start, side) {
				known = "yes"
			}
			rest = append(rest, []string{f.ID, f.Side, f.File, count(f.Line), f.Status, count(f.Runs), known})
		}
	}
	return tried, rest
}

// open returns the sides that a run has left in the frontier.
func open(r *report) []string {
	var list []string
	for _, f := range r.frontier {
		if f.Status != "flipped" {
			list = append(list, f.ID+" "+f.Side)
		}
	}
	return list
}

// minus returns the elements of a that are not in b.
func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// frontierSummary gives the medians over the seeds, and their sums.
func frontierSummary(records []record) [][]string {
	names := []string{"frontier", "flipped", "random", "located", "sides_aiming", "sides_composing", "sides_alone"}
	rows := [][]string{append([]string{"subject", "mode"}, names...)}
	sums := map[string][]float64{}
	var modes []string
	for _, g := range groups(records, "subject", "mode") {
		mode := g[0].get("mode")
		if sums[mode] == nil {
			modes = append(modes, mode)
			sums[mode] = make([]float64, len(names))
		}
		row := []string{g[0].get("subject"), mode}
		for i, name := range names {
			m := median(column(g, name))
			sums[mode][i] += m
			row = append(row, decimal(m, 0))
		}
		rows = append(rows, row)
	}
	for _, mode := range modes {
		row := []string{"sum", mode}
		for _, v := range sums[mode] {
			row = append(row, decimal(v, 0))
		}
		rows = append(rows, row)
	}
	return rows
}
