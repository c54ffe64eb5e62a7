package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"time"
)

// A loopCase is a package and a choice of its operations.
type loopCase struct {
	name  string
	args  []string
	pkg   string
	plain bool // compare with a plain loop
}

// Operations of redblacktree, of the instance for int. noFields skips operations that make
// trees that no insert or delete could make.
const (
	putGetRemove = `^New\[int, int\]$|^\(\*Tree\[int, int\]\)\.(Put|Get|Remove)$`
	allInt       = `\[int, int\]`
	noFields     = `^\(\*\w+\)\.\w+ =$|^\(\w+\)\.\w+$|^&`
)

var loopCases = []loopCase{
	{"redblacktree, put/get/remove", []string{"-ops=" + putGetRemove, "-skip=" + noFields}, redBlackTree, true},
	{"redblacktree, all operations", []string{"-ops=" + allInt}, redBlackTree, true},
	{"arraylist", []string{"-ops=" + `\[int\]`}, "github.com/emirpasic/gods/v2/lists/arraylist@v2.0.0-alpha", false},
	{"container/list", nil, "container/list", false},
	{"linkedhashmap", []string{"-ops=" + allInt}, "github.com/emirpasic/gods/v2/maps/linkedhashmap@v2.0.0-alpha", false},
	{"tidwall/btree Map", []string{"-ops=" + `Map`}, "github.com/tidwall/btree@v1.8.2", false},
}

func setupLoop(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 5*time.Second, "fuzz so `long` with each seed")
	seeds := fs.Int("seeds", 5, "start from seeds 1 to `n`")
	return func(ctx context.Context, b *bench) error { return benchLoop(ctx, b, *each, *seeds) }
}

// benchLoop measures one worker. On the red-black tree a plain Go loop runs after
// it that makes the same calls in the same proportions.
func benchLoop(ctx context.Context, b *bench, each time.Duration, seeds int) error {
	t, err := b.table("loop", 2, "case", "seed", "fuzz_cpu_s", "steps", "ns_step", "plain_ns", "share", "sequences", "sequences_cpu_s", "steps_sequence",
		"distinct_share", "values", "values_cpu_s", "restarts", "findings", "errors")
	if err != nil {
		return err
	}
	for _, c := range loopCases {
		if !b.wants(c.name) {
			continue
		}
		for seed := 1; seed <= seeds; seed++ {
			key := []string{c.name, count(seed)}
			if t.done(key...) {
				continue
			}
			args := append(slices.Clone(c.args), "-fuzztime="+each.String(), "-parallel=1", "-frontier=false", fmt.Sprintf("-seed=%d", seed), c.pkg)
			r, err := b.foray.fuzz(ctx, job{args: args, limit: each + buildTime})
			if err != nil {
				return err
			}
			plain := 0.0
			if c.plain {
				if plain, err = plainLoop(ctx, r.pkg().MemberRows); err != nil {
					r.stderr = append(r.stderr, err.Error())
				}
			}
			row := loopRow(r, plain)
			if err := t.put(key, row); err != nil {
				return err
			}
			b.logf("%s, seed %d: %s ns a step, plain %s, %s sequences and %s values a second of CPU %s", c.name, seed, row[2], row[3], row[6], row[10], r.problem())
		}
	}
	return b.finish(loopSummary, t)
}

// loopRow returns the cells of one run, after its key. plain is in nanoseconds
// a call, zero if it was not measured.
func loopRow(r *report, plain float64) []string {
	p, cpu := r.pkg(), r.summary.CPUSeconds
	step := cpu * 1e9 / float64(p.Steps)
	plainText, shareText := "", ""
	if plain > 0 {
		plainText, shareText = decimal(plain, 1), share(plain, step)
	}
	return []string{
		decimal(cpu, 3), count(p.Steps), decimal(step, 1), plainText, shareText,
		count(p.Sequences), decimal(float64(p.Sequences)/cpu, 0), decimal(float64(p.Steps)/float64(p.Sequences), 1),
		share(float64(p.DistinctSequences), float64(p.Sequences)), count(p.DistinctValues), decimal(float64(p.DistinctValues)/cpu, 0),
		count(p.Restarts), count(r.summary.Findings.Total()), r.problem(),
	}
}

// loopSummary gives the medians over the seeds.
func loopSummary(records []record) [][]string {
	rows := [][]string{{"case", "ns/step", "plain ns", "share", "sequences/CPU s", "steps/sequence", "distinct", "values/CPU s", "restarts", "seeds"}}
	for _, g := range groups(records, "case") {
		mid := func(name string, digits int, suffix string) string {
			if m := median(column(g, name)); m != 0 {
				return decimal(m, digits) + suffix
			}
			return "-"
		}
		rows = append(rows, []string{
			g[0].get("case"), mid("ns_step", 0, ""), mid("plain_ns", 0, ""), mid("share", 0, "%"), mid("sequences_cpu_s", 0, ""), mid("steps_sequence", 1, ""),
			mid("distinct_share", 0, "%"), mid("values_cpu_s", 0, ""), mid("restarts", 0, ""), count(len(g)),
		})
	}
	return rows
}
