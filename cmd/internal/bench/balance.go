package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"time"
)

// balancePackages are trees, caches, text and numbers; in some of them calls hang.
var balancePackages = []string{
	redBlackTree, "github.com/google/btree@v1.1.3", "github.com/tidwall/btree@v1.8.2", "container/list", "strings", "regexp/syntax",
	"text/template/parse", "github.com/Masterminds/semver/v3@v3.5.0", "github.com/gammazero/deque@v1.0.0", "github.com/hashicorp/golang-lru/v2@v2.0.7",
}

// balanceModes are the flags that are compared. The first two have a worker for each processor.
var balanceModes = []struct {
	name string
	args []string
}{{"default", nil}, {"composing", []string{"-frontier=false"}}, {"one", []string{"-parallel=1"}}}

func setupBalance(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 10*time.Second, "fuzz so `long` with each seed")
	seeds := fs.Int("seeds", 8, "start from seeds 1 to `n`")
	return func(ctx context.Context, b *bench) error { return benchBalance(ctx, b, *each, *seeds) }
}

// benchBalance measures how a run divides its time. The share of values that default flags leave
// is taken from runs that only compose, and the gain of a second worker from runs with one.
// A short run before the others leaves both builds in foray's cache.
func benchBalance(ctx context.Context, b *bench, each time.Duration, seeds int) error {
	t, err := b.table("balance", 3, "package", "mode", "seed", "search_cpu_s", "confirm_cpu_s", "sequences", "aimed", "values", "sides", "findings", "restarts", "exit", "errors")
	if err != nil {
		return err
	}
	for _, pkg := range b.choose(balancePackages) {
		warm := false
		for seed := 1; seed <= seeds; seed++ {
			for _, mode := range balanceModes {
				key := []string{pkg, mode.name, count(seed)}
				if t.done(key...) {
					continue
				}
				if !warm {
					if _, err := b.foray.fuzz(ctx, job{args: []string{"-fuzztime=5000x", "-parallel=1", "-seed=1", pkg}, limit: buildTime}); err != nil {
						return err
					}
					warm = true
				}
				args := append(slices.Clone(mode.args), "-fuzztime="+each.String(), fmt.Sprintf("-seed=%d", seed), pkg)
				r, err := b.foray.fuzz(ctx, job{args: args, limit: each + buildTime})
				if err != nil {
					return err
				}
				row := balanceRow(r)
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, %s, seed %d: %s s searching, %s s confirming, %s values, %s sides %s", pkg, mode.name, seed, row[0], row[1], row[4], row[5], r.problem())
			}
		}
	}
	return b.finish(balanceSummary, t)
}

// balanceRow returns the cells of one run, after its key.
func balanceRow(r *report) []string {
	s, p := r.summary, r.pkg()
	return []string{
		decimal(s.CPUSeconds, 2), decimal(s.ConfirmCPU, 2), count(s.Sequences), count(s.Aimed), count(p.DistinctValues),
		count(p.SidesCovered), count(s.Findings.Total()), count(p.Restarts), count(r.exit), r.problem(),
	}
}

// balanceSummary compares the modes by the medians over the seeds. A mode's share of values, and
// the gain of more workers, are by the wall clock, as confirming takes processors from all. The
// slowest seed is that with the fewest values, and by rate that with the fewest sequences a second of a processor.
func balanceSummary(records []record) [][]string {
	rows := [][]string{{"package", "values, default", "composing", "share", "slowest/fastest seed", "by rate", "sides", "composing", "confirming", "findings", "composing", "sequences", "one worker", "gain"}}
	var shares, gains []float64
	for _, g := range groups(records, "package") {
		var by [3][]record
		for i, mode := range balanceModes {
			by[i] = where(g, "mode", mode.name)
		}
		mid := func(mode int, name string) float64 { return median(column(by[mode], name)) }
		values := column(by[0], "values")
		if len(values) == 0 || len(by[1]) == 0 {
			continue
		}
		var rates []float64 // sequences a second of a processor
		for _, r := range by[0] {
			rates = append(rates, r.num("sequences")/max(r.num("search_cpu_s"), 0.01))
		}
		search, confirm := mid(0, "search_cpu_s"), mid(0, "confirm_cpu_s")
		shares = append(shares, mid(0, "values")/mid(1, "values"))
		gain := mid(0, "sequences") / mid(2, "sequences")
		if len(by[2]) > 0 {
			gains = append(gains, gain)
		}
		rows = append(rows, []string{
			g[0].get("package"), decimal(mid(0, "values"), 0), decimal(mid(1, "values"), 0), share(mid(0, "values"), mid(1, "values")) + "%",
			share(slices.Min(values), slices.Max(values)) + "%", share(slices.Min(rates), slices.Max(rates)) + "%", decimal(mid(0, "sides"), 0), decimal(mid(1, "sides"), 0),
			share(confirm, search+confirm) + "%", decimal(mid(0, "findings"), 0), decimal(mid(1, "findings"), 0),
			decimal(mid(0, "sequences"), 0), decimal(mid(2, "sequences"), 0), decimal(gain, 2),
		})
	}
	slices.SortStableFunc(rows[1:], func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return append(rows, []string{"median share", decimal(100*median(shares), 1) + "%", "median gain", decimal(median(gains), 2)})
}
