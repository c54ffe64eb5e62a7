package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// reachCounts are the numbers of sequences after which coverage is read. The
// first gives the cost of a run that does next to nothing.
var reachCounts = []int{1, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000}

// Operations of redblacktree, of the instance for int. noFields skips
// operations that make trees that no insert or delete could make.
const (
	putGetRemove = `^New\[int, int\]$|^\(\*Tree\[int, int\]\)\.(Put|Get|Remove)$`
	allInt       = `\[int, int\]`
	noFields     = `^\(\*\w+\)\.\w+ =$|^\(\w+\)\.\w+$|^&`
)

// insertDelete are the functions that Put, Get and Remove run.
var insertDelete = regexp.MustCompile(`^\(\*Tree\)\.(Put|Get|Remove|lookup|rotate(Left|Right)|replaceNode|(insert|delete)Case\d)$|^\(\*Node\)\.(grandparent|uncle|sibling|maximumNode)$|^nodeColor$`)

// inserted returns how many branch sides of them are covered.
func inserted(p packageEvent) int {
	n := 0
	for _, f := range p.Functions {
		if insertDelete.MatchString(f.Name) {
			n += f.Covered
		}
	}
	return n
}

// A treeCase is a choice of operations.
type treeCase struct {
	name string
	args []string
}

// treeCases leave fields and literals out of the first only: they are operations
// as others are.
var treeCases = []treeCase{
	{"put/get/remove", []string{"-ops=" + putGetRemove, "-skip=" + noFields}},
	{"all operations", []string{"-ops=" + allInt}},
}

func setupReach(fs *flag.FlagSet) func(context.Context, *bench) error {
	seeds := fs.Int("seeds", 5, "start from seeds 1 to `n`")
	most := fs.Int("most", reachCounts[len(reachCounts)-1], "compose at most so `many` sequences")
	return func(ctx context.Context, b *bench) error { return benchReach(ctx, b, *seeds, *most) }
}

// benchReach looks for the number of sequences after which a run has covered as
// many branch sides of insert and delete as any run of Put, Get and Remove. It
// runs one worker with the same seed for more and more sequences. Each run
// repeats the history of the one before it.
func benchReach(ctx context.Context, b *bench, seeds, most int) error {
	t, err := b.table("reach", 3, "operations", "seed", "count", "sequences", "inserted", "sides_covered", "sides", "fuzz_cpu_s", "wall_s", "restarts", "errors")
	if err != nil {
		return err
	}
	for _, c := range treeCases {
		if !b.wants(c.name) {
			continue
		}
		for seed := 1; seed <= seeds; seed++ {
			for _, n := range reachCounts {
				key := []string{c.name, count(seed), count(n)}
				if n > most || stopped(t, key) {
					break
				}
				if t.done(key...) {
					continue
				}
				args := append(slices.Clone(c.args), fmt.Sprintf("-fuzztime=%dx", n), "-parallel=1", fmt.Sprintf("-seed=%d", seed), redBlackTree)
				r, err := b.foray.fuzz(ctx, job{args: args, limit: reachTime})
				if err != nil {
					return err
				}
				p := r.pkg()
				row := []string{
					count(p.Sequences), count(inserted(p)), count(p.SidesCovered), count(p.Sides), decimal(r.summary.CPUSeconds, 3), decimal(r.wall.Seconds(), 3),
					count(p.Restarts), r.problem(),
				}
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, seed %d, %dx: %d sides of insert and delete, %d of %d in all, %.3f s CPU, %.3f s %s", c.name, seed, n, inserted(p), p.SidesCovered, p.Sides, r.summary.CPUSeconds, r.wall.Seconds(), r.problem())
				if stopped(t, key) {
					break
				}
			}
		}
	}
	if err := b.complete(t); err != nil {
		return err
	}
	b.summary(reachSummary(t.records()))
	return nil
}

// reachTime bounds one run: a count of sequences does not bound its time, should
// many of them hang.
const reachTime = time.Minute

// stopped reports whether the table has a run that reached reachTime.
func stopped(t *table, key []string) bool {
	return slices.ContainsFunc(t.records(), func(r record) bool {
		return slices.Equal(r.cells[:t.keys], key) && strings.HasPrefix(r.get("errors"), stoppedPrefix)
	})
}

// A reached is the time at which one seed had covered every side that can be
// covered.
type reached struct {
	seed      string
	count     float64 // the first of reachCounts; 0 if it never had
	cpu, wall float64 // beyond the shortest run
}

// reach finds, for each seed, the first run that covered most sides of insert and
// delete.
func reach(records []record, most float64) (list []reached) {
	for _, g := range groups(records, "seed") {
		slices.SortFunc(g, func(x, y record) int { return int(x.num("count") - y.num("count")) })
		at := reached{seed: g[0].get("seed")}
		for _, r := range g {
			if r.num("inserted") >= most {
				at.count = r.num("count")
				at.cpu = max(r.num("fuzz_cpu_s")-g[0].num("fuzz_cpu_s"), 0)
				at.wall = max(r.num("wall_s")-g[0].num("wall_s"), 0)
				break
			}
		}
		list = append(list, at)
	}
	return list
}

// mostInserted returns the most sides of insert and delete that a run of those alone
// covers.
func mostInserted(records []record) (most float64) {
	for _, r := range records {
		if r.get("operations") == treeCases[0].name {
			most = max(most, r.num("inserted"))
		}
	}
	return most
}

// reachSummary gives the medians over the seeds, the worst first where a seed never
// got there.
func reachSummary(records []record) [][]string {
	rows := [][]string{{"operations", "sides", "seeds that reach them", "sequences, median", "CPU s, median", "wall s, median"}}
	most := mostInserted(records)
	for _, g := range groups(records, "operations") {
		list := reach(g, most)
		var counts, cpu, wall []float64
		for _, r := range list {
			if r.count > 0 {
				counts, cpu, wall = append(counts, r.count), append(cpu, r.cpu), append(wall, r.wall)
			}
		}
		row := []string{g[0].get("operations"), decimal(most, 0), fmt.Sprintf("%d of %d", len(counts), len(list))}
		// A median over the seeds that got there would hide those that did not.
		if 2*len(counts) > len(list) {
			missing := len(list) - len(counts)
			row = append(row, medianOf(counts, missing, 0), medianOf(cpu, missing, 3), medianOf(wall, missing, 3))
		} else {
			row = append(row, "never", "never", "never")
		}
		rows = append(rows, row)
	}
	return rows
}

// medianOf returns the median of values and as many endless ones as are missing.
func medianOf(values []float64, missing, digits int) string {
	const endless = 1e301 // printed as nothing
	for range missing {
		values = append(values, endless)
	}
	return decimal(median(values), digits)
}
