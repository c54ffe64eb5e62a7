package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An ablationSubject is a package and the number of sequences to compose on it, which
// take about half a second.
type ablationSubject struct {
	name, pkg string
	sequences int
	ours      bool // a package of this module
}

// ablationSubjects returns the packages of the frontier benchmark.
func ablationSubjects() []ablationSubject {
	var list []ablationSubject
	for _, s := range frontierSubjects {
		n := 10_000
		switch s.name {
		case "math/big":
			n = 2_000
		case "text/template/parse", "regexp/syntax", "apd":
			n = 5_000
		}
		list = append(list, ablationSubject{name: s.name, pkg: s.pkg, sequences: n})
	}
	return list
}

// ablationBugs are versions of packages with known bugs that crash, hang or break a law
// of Go, and the puzzles: packages with one planted bug each.
func ablationBugs() []ablationSubject {
	var list []ablationSubject
	for _, name := range []string{"alias", "callback", "chain", "generic", "iface", "magic", "null", "open", "repeats"} {
		list = append(list, ablationSubject{name: name, pkg: "foray.test/engine/puzzles/" + name, sequences: 500, ours: true})
	}
	for _, pkg := range []string{
		"github.com/bits-and-blooms/bitset@v1.4.0", "github.com/bits-and-blooms/bitset@v1.23.0", "github.com/bits-and-blooms/bitset@v1.24.3",
		"github.com/robfig/cron/v3@v3.0.1", "github.com/derekparker/trie@v0.0.0-20180212171413-e608c2733dc7",
		"github.com/emirpasic/gods/lists/doublylinkedlist@v1.6.0", "github.com/emirpasic/gods/maps/linkedhashmap@v1.18.1",
		"github.com/emirpasic/gods/sets/treeset@v1.9.0", "github.com/thoas/go-funk@v0.4.0", "github.com/thoas/go-funk@v0.6.0",
		"github.com/deckarep/golang-set/v2@v2.3.0", "github.com/tidwall/btree@v0.4.0", "github.com/tidwall/btree@v1.2.0",
		"github.com/timtadh/data-structures/trie@v0.5.2", "github.com/holiman/uint256@v1.3.0", "github.com/wk8/go-ordered-map/v2@v2.1.1",
		"github.com/samber/lo@v1.51.0",
	} {
		list = append(list, ablationSubject{name: pkg, pkg: pkg, sequences: 5_000})
	}
	return list
}

func setupAblation(fs *flag.FlagSet) func(context.Context, *bench) error {
	seeds := fs.Int("seeds", 3, "start from seeds 1 to `n`")
	bugs := fs.Bool("bugs", false, "measure packages with known bugs instead")
	var variants *regexp.Regexp
	fs.Func("variants", "leave out only heuristics that match `regexp`", func(s string) (err error) {
		variants, err = regexp.Compile(s)
		return err
	})
	return func(ctx context.Context, b *bench) error {
		subjects := ablationSubjects()
		if *bugs {
			subjects = ablationBugs()
		}
		subjects = slices.DeleteFunc(subjects, func(s ablationSubject) bool { return !b.wants(s.name) })
		names := []string{""}
		for _, h := range heuristics {
			if variants == nil || variants.MatchString(h.name) {
				names = append(names, h.name)
			}
		}
		return benchAblation(ctx, b, subjects, names, *seeds)
	}
}

// benchAblation leaves out one heuristic of composing at a time. The first of the names
// is empty: there nothing is left out.
func benchAblation(ctx context.Context, b *bench, subjects []ablationSubject, names []string, seeds int) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	p, err := openAblated(ctx, root)
	if err != nil {
		return err
	}
	b.foray = p
	t, err := b.table("ablation", 3, "left_out", "subject", "seed", "sides", "values", "signatures", "steps", "cpu_s", "problems")
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, s := range subjects {
			for seed := 1; seed <= seeds; seed++ {
				key := []string{orNothing(name), s.name, count(seed)}
				if t.done(key...) {
					continue
				}
				row, err := runAblation(ctx, p, root, s, name, seed)
				if err != nil {
					return err
				}
				if err := t.put(key, row); err != nil {
					return err
				}
			}
		}
		b.logf("%s left out", orNothing(name))
	}
	if err := b.complete(t); err != nil {
		return err
	}
	b.summary(ablationSummary(t.records(), names))
	return nil
}

// runAblation runs a subject without a heuristic, and returns the cells after the key.
func runAblation(ctx context.Context, p program, root string, s ablationSubject, name string, seed int) ([]string, error) {
	args := []string{"-parallel=1", "-frontier=false", fmt.Sprintf("-seed=%d", seed), fmt.Sprintf("-fuzztime=%dx", s.sequences), s.pkg}
	if s.ours {
		args = slices.Insert(args, 0, "-C="+root)
	}
	r, err := p.fuzz(ctx, job{args: args, env: []string{leftOutVariable + "=" + name}, limit: buildTime})
	if err != nil {
		return nil, err
	}
	e := r.pkg()
	return []string{count(e.SidesCovered), count(e.DistinctValues), count(len(e.Hits)), count(e.Steps), decimal(r.summary.CPUSeconds, 2), r.problem()}, nil
}

func orNothing(name string) string {
	if name == "" {
		return "nothing"
	}
	return name
}

// ablationSummary compares the runs without each heuristic with those without none: the sums
// of sides and of signatures, and the mean change of values in percent. Behind each stands
// the difference in standard errors, by the spread over seeds within packages: below two,
// it may be chance.
func ablationSummary(records []record, names []string) [][]string {
	by := map[string][]record{}
	for _, r := range records {
		by[r.get("left_out")] = append(by[r.get("left_out")], r)
	}
	base := by[orNothing("")]
	rows := [][]string{{"left out", "sides", "difference", "errors", "values %", "errors", "signatures", "difference", "errors", "cpu s"}}
	log := func(v float64) float64 { return 100 * math.Log(max(v, 1)) }
	same := func(v float64) float64 { return v }
	for _, name := range names {
		list := by[orNothing(name)]
		packages := float64(len(groups(list, "subject")))
		sides, dSides, zSides := compared(base, list, "sides", same)
		_, dValues, zValues := compared(base, list, "values", log)
		sigs, dSigs, zSigs := compared(base, list, "signatures", same)
		cpu := 0.0
		for _, v := range column(list, "cpu_s") {
			cpu += v
		}
		rows = append(rows, []string{
			orNothing(name), decimal(sides, 0), decimal(dSides, 1), decimal(zSides, 1), decimal(dValues/packages, 1), decimal(zValues, 1),
			decimal(sigs, 1), decimal(dSigs, 1), decimal(zSigs, 1), decimal(cpu, 0),
		})
	}
	return rows
}

// compared returns the sum over packages of the mean over seeds of a column of list, its
// difference from that of base, and the difference in standard errors.
func compared(base, list []record, column string, scale func(float64) float64) (sum, difference, errors float64) {
	bases := map[string][]record{}
	for _, g := range groups(base, "subject") {
		bases[g[0].get("subject")] = g
	}
	var variance float64
	for _, g := range groups(list, "subject") {
		was := bases[g[0].get("subject")]
		if was == nil {
			continue
		}
		m, v := meanAndError(g, column, scale)
		m0, v0 := meanAndError(was, column, scale)
		sum, difference, variance = sum+m, difference+m-m0, variance+v+v0
	}
	if variance == 0 {
		return sum, difference, 0
	}
	return sum, difference, difference / math.Sqrt(variance)
}

// meanAndError returns the mean of a column and the square of its standard error.
func meanAndError(list []record, name string, scale func(float64) float64) (mean, variance float64) {
	values, n := column(list, name), float64(len(list))
	for _, v := range values {
		mean += scale(v) / n
	}
	if n < 2 {
		return mean, 0
	}
	for _, v := range values {
		d := scale(v) - mean
		variance += d * d / (n - 1) / n
	}
	return mean, variance
}

// openAblated builds a program in which every heuristic can be left out: by the value of
// leftOutVariable. It is built from a copy of the files concerned, laid over the tree.
func openAblated(ctx context.Context, root string) (program, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return program{}, err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeAblated(root, dir)
	if err != nil {
		return program{}, err
	}
	return buildProgram(ctx, root, "-overlay="+overlay)
}

// leftOutVariable is the environment variable that names the heuristic to leave out.
const leftOutVariable = "FORAY_BENCH_LEFT_OUT"

// leftOutSource is a file of package engine that the patches of heuristics call.
const leftOutSource = `package engine

import "os"

var leftOutName = os.Getenv("` + leftOutVariable + `")

func leftOut(name string) bool { return leftOutName == name }

// kept is a factor for numbers: 0 if the heuristic is left out.
func kept[T uint32 | uint64](name string) T {
	if leftOut(name) {
		return 0
	}
	return 1
}
`

// writeAblated writes the patched files to dir, and returns the path of an overlay for the
// go command.
func writeAblated(root, dir string) (overlay string, err error) {
	files := map[string]string{"engine/leftout.go": leftOutSource}
	apply := func(p patch) error {
		text, ok := files[p.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
			if err != nil {
				return err
			}
			text = string(data)
		}
		if n := strings.Count(text, p.old); n != 1 {
			return fmt.Errorf("%s: %d places with %q, want one", p.file, n, p.old)
		}
		files[p.file] = strings.Replace(text, p.old, p.new, 1)
		return nil
	}
	if err := apply(unconfirmed); err != nil {
		return "", err
	}
	for _, h := range heuristics {
		for _, p := range h.patches {
			if err := apply(p); err != nil {
				return "", fmt.Errorf("heuristic %s: %w", h.name, err)
			}
		}
	}
	replace := map[string]string{}
	for name, text := range files {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o666)
}
