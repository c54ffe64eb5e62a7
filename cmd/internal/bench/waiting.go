package main

import (
	"context"
	"flag"
	"fmt"
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
	each := fs.Duration("t", 10*time.Second, "fuzz so `long` with each seed")
	seeds := fs.Int("seeds", 3, "start from seeds 1 to `n`")
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
		return benchWaiting(ctx, b, programs, *each, *seeds)
	}
}

// benchWaiting measures one worker on packages that wait or end their process. Short runs
// before the others leave the workers of all programs in foray's cache.
func benchWaiting(ctx context.Context, b *bench, programs []program, each time.Duration, seeds int) error {
	t, err := b.table("waiting", 3, "package", "program", "seed", "search_cpu_s", "confirm_cpu_s", "run_s", "sequences", "sequences_s", "sequences_cpu_s",
		"sides", "legal", "members", "restarts", "restart_s", "findings", "errors")
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
				r, err := p.fuzz(ctx, job{args: []string{"-fuzztime=" + each.String(), "-parallel=1", fmt.Sprintf("-seed=%d", seed), pkg}, limit: each + buildTime})
				if err != nil {
					return err
				}
				row := waitingRow(r, each)
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, %s, seed %d: %s sequences a second, %s sides, %s of %s members %s", pkg, p.version, seed, row[4], row[6], row[7], row[8], r.problem())
			}
		}
	}
	return b.finish(waitingSummary, t)
}

// waitingRow returns the cells of one run of a given length, after its key.
func waitingRow(r *report, length time.Duration) []string {
	s, p := r.summary, r.pkg()
	rate := ""
	if s.CPUSeconds > 0 {
		rate = decimal(float64(p.Sequences)/s.CPUSeconds, 0)
	}
	return []string{
		decimal(s.CPUSeconds, 2), decimal(s.ConfirmCPU, 2), decimal(s.RunSeconds, 2), count(p.Sequences), decimal(float64(p.Sequences)/length.Seconds(), 0), rate,
		count(p.SidesCovered), count(p.MembersLegal), count(p.Members), count(p.Restarts), decimal(median(p.RestartSeconds), 3),
		count(s.Findings.Error + s.Findings.Panic + s.Findings.Suspect), r.problem(),
	}
}

// waitingSummary gives the medians over the seeds.
func waitingSummary(records []record) [][]string {
	rows := [][]string{{"package", "program", "sequences/s", "sequences/CPU s", "sides", "members", "of", "restarts", "s each", "confirming, CPU s", "seeds"}}
	for _, g := range groups(records, "package", "program") {
		mid := func(name string, digits int) string { return decimal(median(column(g, name)), digits) }
		rows = append(rows, []string{
			g[0].get("package"), g[0].get("program"), mid("sequences_s", 0), mid("sequences_cpu_s", 0), mid("sides", 0), mid("legal", 0), mid("members", 0),
			mid("restarts", 0), mid("restart_s", 3), mid("confirm_cpu_s", 1), count(len(g)),
		})
	}
	return rows
}
