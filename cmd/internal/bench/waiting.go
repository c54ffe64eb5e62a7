package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// waitingPackages sleep, tick, start goroutines, or end processes; the largest has 1,659
// operations.
var waitingPackages = []string{
	"github.com/samber/lo@v1.53.0", "github.com/alitto/pond/v2@v2.7.1", "github.com/patrickmn/go-cache@v2.1.0+incompatible",
	"github.com/jellydator/ttlcache/v3@v3.4.1", "github.com/robfig/cron/v3@v3.0.1", "github.com/panjf2000/ants/v2@v2.12.1",
	"github.com/sourcegraph/conc@v0.3.0", "github.com/gorilla/websocket@v1.5.3",
}

func setupWaiting(fs *flag.FlagSet) func(context.Context, *bench) error {
	budget := fs.Duration("cpu", 2*time.Second, "end a run when its worker has had so `long` of a processor")
	seeds := fs.Int("seeds", 5, "start from seeds 1 to `n`")
	before := fs.String("before", "", "measure this `program` as well, in turn with the other")
	return func(ctx context.Context, b *bench) error {
		programs := []program{b.foray}
		if *before != "" {
			p, err := openProgram(ctx, "", *before)
			if err != nil {
				return err
			}
			programs = []program{p, b.foray}
		}
		return benchWaiting(ctx, b, programs, *budget, *seeds)
	}
}

// busyMachine is how much longer than its budget of processor time a run may take.
const busyMachine = 15

// benchWaiting measures one worker on packages that wait or end their process. A run ends
// with its processor time, for how far the first sequences of a run have come decides how
// fast the next ones are. Short runs before the others leave the workers of all programs in
// foray's cache.
func benchWaiting(ctx context.Context, b *bench, programs []program, budget time.Duration, seeds int) error {
	t, err := b.table("waiting", 3, "package", "program", "seed", "search_cpu_s", "confirm_cpu_s", "sequences", "sequences_cpu_s", "search_share",
		"sides", "legal", "members", "restarts", "restart_s", "findings", "load", "errors")
	if err != nil {
		return err
	}
	for _, pkg := range b.choose(waitingPackages) {
		warm := map[string]bool{}
		for seed := 1; seed <= seeds; seed++ {
			for _, p := range programs {
				key := []string{pkg, p.version, count(seed)}
				if t.done(key...) {
					continue
				}
				if !warm[p.version] {
					if _, err := p.fuzz(ctx, job{args: []string{"-fuzztime=1s", "-parallel=1", "-seed=1", pkg}, limit: buildTime}); err != nil {
						return err
					}
					warm[p.version] = true
				}
				longest := busyMachine * budget
				r, err := p.fuzz(ctx, job{
					args:   []string{"-v", "-fuzztime=" + longest.String(), "-parallel=1", fmt.Sprintf("-seed=%d", seed), pkg},
					limit:  longest + buildTime,
					stderr: func(line string) bool { return hadProcessor(line, budget) },
				})
				if err != nil {
					return err
				}
				row := waitingRow(r, loadAverage())
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, %s, seed %d: %s sequences a second of a processor, %s sides %s", pkg, p.version, seed, row[3], row[5], row[len(row)-1])
			}
		}
	}
	return b.finish(waitingSummary, t)
}

// pace matches the line in which foray tells what its workers have done by now.
var pace = regexp.MustCompile(`workers took ([0-9.]+) s of processor time`)

// hadProcessor reports whether a line tells that workers have taken their budget.
func hadProcessor(line string, budget time.Duration) bool {
	m := pace.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	took, err := strconv.ParseFloat(m[1], 64)
	return err == nil && took >= budget.Seconds()
}

// waitingRow returns the cells of one run, after its key.
func waitingRow(r *report, load string) []string {
	s, p := r.summary, r.pkg()
	rate, share := "", ""
	if s.CPUSeconds > 0 {
		rate, share = decimal(float64(p.Sequences)/s.CPUSeconds, 0), decimal(100*s.CPUSeconds/(s.CPUSeconds+s.ConfirmCPU), 0)
	}
	// With -v there are lines that tell of no problem.
	w := report{stderr: slices.DeleteFunc(slices.Clone(r.stderr), func(l string) bool {
		return strings.HasPrefix(l, "foray: ") && !strings.HasPrefix(l, "foray: warning: ")
	})}
	return []string{
		decimal(s.CPUSeconds, 2), decimal(s.ConfirmCPU, 2), count(p.Sequences), rate, share,
		count(p.SidesCovered), count(p.MembersLegal), count(p.Members), count(p.Restarts), decimal(median(p.RestartSeconds), 3),
		count(s.Findings.Total()), load, w.problem(),
	}
}

// waitingSummary gives the medians over the seeds, and the least and most of the rate.
func waitingSummary(records []record) [][]string {
	rows := [][]string{{"package", "program", "sequences/CPU s", "least", "most", "search, %", "sides", "members", "of", "restarts", "s each", "seeds"}}
	for _, g := range groups(records, "package", "program") {
		mid := func(name string, digits int) string { return decimal(median(column(g, name)), digits) }
		rates := column(g, "sequences_cpu_s")
		rows = append(rows, []string{
			g[0].get("package"), g[0].get("program"), mid("sequences_cpu_s", 0), decimal(slices.Min(rates), 0), decimal(slices.Max(rates), 0), mid("search_share", 0),
			mid("sides", 0), mid("legal", 0), mid("members", 0), mid("restarts", 0), mid("restart_s", 3), count(len(g)),
		})
	}
	return rows
}
