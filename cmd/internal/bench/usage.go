package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// usageReaders are packages with tests that parse, decode or format, usageOthers do other
// things. No benchmark but the reading of tests has had those of the second lines before, and
// none those of the third.
var (
	usageReaders = []string{
		"github.com/tidwall/gjson@v1.20.0", "github.com/robfig/cron/v3@v3.0.1", "github.com/hashicorp/go-version@v1.9.0", "net/netip",
		"github.com/teambition/rrule-go@v1.8.2", "github.com/beevik/etree@v1.8.1", "github.com/tidwall/sjson@v1.2.7", "github.com/jinzhu/inflection@v1.0.0",
		"github.com/kballard/go-shellquote@v0.0.0-20180428030007-95032a82bc51", "github.com/BurntSushi/toml@v1.5.0", "github.com/gorilla/schema@v1.4.1",
		"github.com/mitchellh/mapstructure@v1.5.0", "github.com/araddon/dateparse@v0.0.0-20210429162001-6b43995a97de", "github.com/rivo/uniseg@v0.4.7",
		"github.com/olekukonko/tablewriter@v0.0.5",
	}
	usageOthers = []string{
		"github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha",
		"github.com/patrickmn/go-cache@v2.1.0+incompatible",
		"github.com/armon/go-radix@v1.0.0", "github.com/eapache/queue@v1.1.0", "github.com/sergi/go-diff/diffmatchpatch@v1.3.1",
	}
	// usageStrangers look at the types of their arguments. They were chosen before foray ran on
	// any of them, to see what types of tests are worth where nobody had looked.
	usageStrangers = []string{
		"gopkg.in/yaml.v3@v3.0.1", "github.com/creasty/defaults@v1.11.0", "github.com/mcuadros/go-defaults@v1.2.0", "sigs.k8s.io/yaml@v1.6.0",
		"encoding/xml", "encoding/asn1",
	}
	usagePackages = slices.Concat(usageReaders, usageOthers, usageStrangers)
)

func setupUsage(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.String("t", "10s", "fuzz so `long` with each seed, or so many sequences: 3000x")
	seeds := fs.Int("seeds", 3, "start from seeds 1 to `n`")
	modules := fs.String("modules", strings.Join(usagePackages, ","), "run on these `packages`, with commas between them")
	return func(ctx context.Context, b *bench) error {
		return benchUsage(ctx, b, strings.Split(*modules, ","), *each, *seeds)
	}
}

// benchUsage compares runs that begin with the calls of the package's tests with runs that
// do not. They take turns, so that other load on the machine, which has a column, meets both.
func benchUsage(ctx context.Context, b *bench, packages []string, each string, seeds int) error {
	t, err := b.table("usage", 3, "package", "seed", "usage", "sequences", "sides_covered", "sides", "legal", "members", "error", "suspect", "fuzz_cpu_s", "wall_s", "load", "errors", "ready_s", "first_finding_s")
	if err != nil {
		return err
	}
	for _, pkg := range b.choose(packages) {
		for seed := 1; seed <= seeds; seed++ {
			for _, mode := range []string{"off", "on"} {
				key := []string{pkg, count(seed), mode}
				if t.done(key...) {
					continue
				}
				row, err := usageRow(ctx, b, pkg, each, mode, seed)
				if err != nil {
					return err
				}
				if err := t.put(key, row); err != nil {
					return err
				}
				b.logf("%s, seed %d, usage %s: sides %s of %s, %s sequences %s", pkg, seed, mode, row[1], row[2], row[0], row[10])
			}
		}
	}
	return b.finish(usageSummary, t)
}

// usageRow runs foray on a package.
func usageRow(ctx context.Context, b *bench, pkg, each, mode string, seed int) ([]string, error) {
	load := loadAverage()
	args := []string{"-fuzztime=" + each, "-usage=" + mode, fmt.Sprintf("-seed=%d", seed), pkg}
	r, err := b.foray.fuzz(ctx, job{args: args, limit: time.Minute + buildTime})
	if err != nil {
		return nil, err
	}
	first := ""
	if r.first > 0 {
		first = decimal(r.first.Seconds(), 1)
	}
	p := r.pkg()
	return []string{
		count(p.Sequences), count(p.SidesCovered), count(p.Sides), count(p.MembersLegal), count(p.Members),
		count(r.summary.Findings.Error), count(r.summary.Findings.Suspect),
		decimal(r.summary.CPUSeconds, 1), decimal(r.wall.Seconds(), 1), load, r.problem(),
		decimal(r.summary.ReadySeconds, 2), first,
	}, nil
}

// loadAverage returns the load of the machine over the last minute, empty if it is not known.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// usageSummary gives the medians over the seeds with and without, and their ratio.
func usageSummary(records []record) [][]string {
	rows := [][]string{{"package", "sides off", "sides on", "ratio", "legal off", "legal on", "members", "findings off", "findings on", "seeds", "ready off", "ready on", "first off", "first on"}}
	var ratios, readers, strangers []float64
	for _, g := range groups(records, "package") {
		off, on := where(g, "usage", "off"), where(g, "usage", "on")
		mid := func(list []record, name string) float64 { return median(column(list, name)) }
		known := func(list []record, name string) string {
			list = slices.DeleteFunc(slices.Clone(list), func(r record) bool { return r.get(name) == "" })
			if len(list) == 0 {
				return ""
			}
			return decimal(mid(list, name), 1)
		}
		findings := func(list []record) string { return decimal(mid(list, "error")+mid(list, "suspect"), 0) }
		ratio := mid(on, "sides_covered") / mid(off, "sides_covered")
		ratios = append(ratios, ratio)
		switch pkg := g[0].get("package"); {
		case slices.Contains(usageReaders, pkg):
			readers = append(readers, ratio)
		case slices.Contains(usageStrangers, pkg):
			strangers = append(strangers, ratio)
		}
		rows = append(rows, []string{
			g[0].get("package"), decimal(mid(off, "sides_covered"), 0), decimal(mid(on, "sides_covered"), 0), decimal(ratio, 3),
			decimal(mid(off, "legal"), 0), decimal(mid(on, "legal"), 0), g[0].get("members"), findings(off), findings(on), count(len(on)),
			known(off, "ready_s"), known(on, "ready_s"), known(off, "first_finding_s"), known(on, "first_finding_s"),
		})
	}
	row := func(name string, list []float64) []string {
		if len(list) == 0 {
			return []string{name}
		}
		return []string{fmt.Sprintf("%s of %d", name, len(list)), "", "", decimal(median(list), 3), "least", decimal(slices.Min(list), 3)}
	}
	return append(rows, row("median", ratios), row("median of parsers, decoders, formatters", readers), row("median of strangers", strangers))
}
