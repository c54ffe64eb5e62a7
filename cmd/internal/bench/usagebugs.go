package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func setupUsageBugs(fs *flag.FlagSet) func(context.Context, *bench) error {
	n := fs.Int("n", 20_000, "compose so `many` sequences with each seed")
	seeds := fs.Int("seeds", 3, "start from seeds 1 to `n`")
	return func(ctx context.Context, b *bench) error { return benchUsageBugs(ctx, b, *n, *seeds) }
}

// usageModes are the ways in which a package is fuzzed: without use, with it, and with all
// sequences taking it up, the tests' own first.
var usageModes = []string{"off", "on", "always"}

// benchUsageBugs composes on the bad version of each bug of which a signature is known, with
// one worker, and counts the sequences that end in that signature. Counts of sequences do not
// depend on the load of the machine. Findings are not confirmed.
func benchUsageBugs(ctx context.Context, b *bench, n, seeds int) error {
	list, err := readBugs(filepath.Join(b.dir, "bugs"))
	if err != nil {
		return err
	}
	known, err := readWritten(b.dir, "bugs", []string{"id"}, "signature")
	if err != nil {
		return err
	}
	if b.foray, err = openPatched(ctx); err != nil {
		return err
	}
	t, err := b.table("usage-bugs", 3, "id", "seed", "usage", "oracle", "signature", "hits", "signatures", "sides_covered", "sides", "values", "sequences", "with_use", "steps", "cpu_s", "load", "errors")
	if err != nil {
		return err
	}
	for _, g := range list {
		if len(known[g.id]) == 0 || !b.wants(g.half+"/"+g.id) {
			continue
		}
		for i := range seeds * len(usageModes) {
			seed, mode := 1+i/len(usageModes), usageModes[i%len(usageModes)]
			key := []string{g.id, count(seed), mode}
			if t.done(key...) {
				continue
			}
			row, err := b.usageBug(ctx, g, known[g.id][0], mode, seed, n)
			if err != nil {
				return err
			}
			if err := t.put(key, row); err != nil {
				return err
			}
			b.logf("%s, seed %d, usage %s: %s of %s, %s signatures, sides %s %s", g.id, seed, mode, row[2], row[1], row[3], row[4], row[12])
		}
	}
	return b.finish(usageBugSummary, t)
}

// usageBug returns the cells of a run on a bug that a finding of a signature shows.
func (b *bench) usageBug(ctx context.Context, g bug, signature, mode string, seed, n int) ([]string, error) {
	load, flag := loadAverage(), mode
	var env []string
	if mode == "always" {
		flag, env = "on", []string{alwaysVariable + "=1"}
	}
	args := []string{"-parallel=1", "-frontier=false", fmt.Sprintf("-fuzztime=%dx", n), "-usage=" + flag, fmt.Sprintf("-seed=%d", seed), g.pkg + "@" + g.bad}
	r, err := b.foray.fuzz(ctx, job{args: args, env: env, limit: 4 * buildTime})
	if err != nil {
		return nil, err
	}
	p := r.pkg()
	return []string{
		g.oracle, signature, count(p.Hits[signature]), count(len(p.Hits)), count(p.SidesCovered), count(p.Sides), count(p.DistinctValues),
		count(p.Sequences), count(r.summary.WithUse), count(p.Steps), decimal(r.summary.CPUSeconds, 1), load, r.problem(),
	}, nil
}

// A patch replaces the only occurrence of a text in a file of the tree.
type patch struct{ file, old, new string }

// patches have all sequences take up use if alwaysVariable is set. Findings are dropped unseen,
// counted by signature before: to confirm them costs more than all else, and tells nothing of
// composing.
var patches = []patch{
	{"engine/composer.go", "c.use = c.usage.due()", "c.use = c.usage.due() || alwaysUse"},
	{"engine/learn.go", "return u.balance.due() ||", "return u.balance.due() || alwaysUse ||"},
	{"engine/coordinator/findings.go", "r.findings.pending[key] = j.Finding\n\tr.confirms.Add(j)", ""},
}

const alwaysVariable = "FORAY_BENCH_ALWAYS"

// alwaysSource is a file of package engine that the patches refer to.
const alwaysSource = "package engine\n\nimport \"os\"\n\nvar alwaysUse = os.Getenv(\"" + alwaysVariable + "\") != \"\"\n"

// openPatched builds a program with patches, which are laid over the tree.
func openPatched(ctx context.Context) (program, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return program{}, err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return program{}, err
	}
	defer os.RemoveAll(dir)
	overlay, err := writePatched(root, dir)
	if err != nil {
		return program{}, err
	}
	return buildProgram(ctx, root, "-overlay="+overlay)
}

// writePatched writes the patched files to dir, and returns the path of an overlay for the go
// command.
func writePatched(root, dir string) (overlay string, err error) {
	files := map[string]string{filepath.Join(root, "engine", "always.go"): alwaysSource}
	for _, p := range patches {
		name := filepath.Join(root, filepath.FromSlash(p.file))
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(text), p.old); n != 1 {
			return "", fmt.Errorf("%s: %d places with %q, want one", p.file, n, p.old)
		}
		files[name] = strings.Replace(string(text), p.old, p.new, 1)
	}
	return writeOverlay(dir, files)
}

// usageBugSummary counts, of the runs on each bug, those that show it. The last rows count the
// bugs that some run shows, and the signatures of findings in the mean over the seeds.
func usageBugSummary(records []record) [][]string {
	rows := [][]string{slices.Concat([]string{"id", "oracle"}, usageModes)}
	bugs, signatures := map[string]int{}, map[string]float64{}
	for _, g := range groups(records, "id") {
		row := []string{g[0].get("id"), g[0].get("oracle")}
		for _, mode := range usageModes {
			list := where(g, "usage", mode)
			shown := 0
			for _, r := range list {
				if r.num("hits") > 0 {
					shown++
				}
				signatures[mode] += r.num("signatures") / float64(len(list))
			}
			bugs[mode] += min(shown, 1)
			row = append(row, fmt.Sprintf("%d of %d", shown, len(list)))
		}
		rows = append(rows, row)
	}
	last := []string{"bugs that some run shows", ""}
	mean := []string{"signatures", ""}
	for _, mode := range usageModes {
		last, mean = append(last, count(bugs[mode])), append(mean, decimal(signatures[mode], 1))
	}
	return append(rows, last, mean)
}
