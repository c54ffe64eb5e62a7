package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"time"
)

// realPackages are packages without preparation, at the versions that were the
// latest when they were listed. gods is at its version with type parameters.
var realPackages = slices.Concat(
	[]string{
		"container/list", "container/ring", "container/heap", "strings", "bytes", "bufio", "text/template/parse", "encoding/json",
		"math/big", "net/netip", "time", "regexp/syntax", "go/token", "archive/zip", "slices", "maps",
	},
	under("github.com/emirpasic/gods/v2/", "@v2.0.0-alpha",
		"lists/arraylist", "lists/doublylinkedlist", "lists/singlylinkedlist",
		"maps/hashbidimap", "maps/hashmap", "maps/linkedhashmap", "maps/treebidimap", "maps/treemap",
		"queues/arrayqueue", "queues/circularbuffer", "queues/linkedlistqueue", "queues/priorityqueue",
		"sets/hashset", "sets/linkedhashset", "sets/treeset", "stacks/arraystack", "stacks/linkedliststack",
		"trees/avltree", "trees/binaryheap", "trees/btree", "trees/redblacktree"),
	[]string{
		"github.com/google/btree@v1.1.3", "github.com/tidwall/btree@v1.8.2", "github.com/cockroachdb/apd/v3@v3.2.3",
		"github.com/Masterminds/semver/v3@v3.5.0", "github.com/bits-and-blooms/bitset@v1.29.0", "github.com/bits-and-blooms/bloom/v3@v3.7.1",
		"github.com/hashicorp/golang-lru/v2@v2.0.7", "github.com/hashicorp/golang-lru/v2/simplelru@v2.0.7", "github.com/hashicorp/golang-lru/v2/expirable@v2.0.7",
		"github.com/hashicorp/go-immutable-radix/v2@v2.1.0", "github.com/wk8/go-ordered-map/v2@v2.1.8", "github.com/holiman/uint256@v1.3.2",
		"github.com/spf13/cast@v1.10.0", "github.com/samber/lo@v1.53.0", "github.com/google/uuid@v1.6.0", "github.com/gobwas/glob@v1.1.0",
		"github.com/yuin/goldmark@v1.8.7", miekgDNS, "github.com/pelletier/go-toml/v2@v2.4.3", "github.com/tidwall/gjson@v1.20.0",
		"gonum.org/v1/gonum/graph/simple@v0.17.0", "gonum.org/v1/gonum/mat@v0.17.0",
	},
)

// Packages that several benchmarks use.
const (
	miekgDNS     = "github.com/miekg/dns@v1.1.73"
	redBlackTree = "github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha"
)

// under returns names, each between prefix and suffix.
func under(prefix, suffix string, names ...string) []string {
	var list []string
	for _, n := range names {
		list = append(list, prefix+n+suffix)
	}
	return list
}

// goalShare is the share of members, in percent, that ought to return normally.
const goalShare = 85

// buildTime is the time that foray may take besides fuzzing: to fetch and
// build, and to confirm findings.
const buildTime = 5 * time.Minute

const keyTotal = "total"

func setupPackages(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 15*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source at `n`")
	return func(ctx context.Context, b *bench) error {
		return benchPackages(ctx, b, *each, *seed)
	}
}

func benchPackages(ctx context.Context, b *bench, each time.Duration, seed uint64) error {
	main, err := b.table("packages", 1, packageColumns...)
	if err != nil {
		return err
	}
	rest, err := b.table("packages-members", 1, "package", "member", "tried", "failed", "illegal", "why")
	if err != nil {
		return err
	}
	list := b.choose(realPackages)
	for i, pkg := range list {
		if main.done(pkg) {
			continue
		}
		r, err := b.foray.fuzzPackage(ctx, pkg, each, seed)
		if err != nil {
			return err
		}
		if err := rest.put([]string{pkg}, neverLegal(r.pkg().MemberRows)...); err != nil {
			return err
		}
		row := packageRow(r)
		if err := main.put([]string{pkg}, row); err != nil {
			return err
		}
		b.logf("[%d/%d] %s: %d of %d members legal, sides %d/%d, %d error, %d suspect, exit %d, %.0f s %s",
			i+1, len(list), pkg, r.pkg().MembersLegal, r.pkg().Members, r.pkg().SidesCovered, r.pkg().Sides,
			r.summary.Findings.Error, r.summary.Findings.Suspect, r.exit, r.wall.Seconds(), r.problem())
	}
	records := slices.DeleteFunc(main.records(), func(r record) bool { return r.get("package") == keyTotal })
	if err := main.last([]string{keyTotal}, totalRow(records)); err != nil {
		return err
	}
	if err := b.complete(main, rest); err != nil {
		return err
	}
	b.summary(packageSummary(records))
	return nil
}

var packageColumns = []string{
	"package", "operations", "members", "legal", "share", "sides_covered", "sides", "error", "suspect",
	"restarts", "unconfirmed", "exit", "sequences", "fuzz_cpu_s", "wall_s", "errors",
}

// packageRow returns the cells of one package, after its name.
func packageRow(r *report) []string {
	p := r.pkg()
	return []string{
		count(p.Operations), count(p.Members), count(p.MembersLegal), share(float64(p.MembersLegal), float64(p.Members)),
		count(p.SidesCovered), count(p.Sides), count(r.summary.Findings.Error), count(r.summary.Findings.Suspect),
		count(p.Restarts), count(p.Unconfirmed), count(r.exit), count(p.Sequences),
		decimal(r.summary.CPUSeconds, 1), decimal(r.wall.Seconds(), 1), r.problem(),
	}
}

// share returns a part of a whole in percent.
func share(part, whole float64) string { return decimal(100*part/whole, 1) }

// neverLegal returns a row, without the package's name, for each member that
// never returned normally with a nil error. Each has a reason.
func neverLegal(members []memberRow) [][]string {
	var rows [][]string
	for _, m := range members {
		if m.Legal == 0 {
			rows = append(rows, []string{m.Member, count(m.Tried), count(m.Failed), count(m.Broken), reason(m)})
		}
	}
	return rows
}

// reason says why a member was never legal. Foray names the reason if it did not
// try; otherwise the counts are it.
func reason(m memberRow) string {
	switch {
	case m.Why != "" || m.Tried == 0:
		return m.Why
	case m.Failed == m.Tried:
		return "always an error"
	case m.Broken == m.Tried:
		return "always a panic"
	case m.Failed+m.Broken == m.Tried:
		return "always an error or a panic"
	}
	return "never returned"
}

// totalRow adds up the rows of packages.
func totalRow(records []record) []string {
	sum := func(name string) float64 { return sum(column(records, name)) }
	whole := func(name string) string { return decimal(sum(name), 0) }
	return []string{
		whole("operations"), whole("members"), whole("legal"), share(sum("legal"), sum("members")), whole("sides_covered"), whole("sides"),
		whole("error"), whole("suspect"), whole("restarts"), whole("unconfirmed"), "", whole("sequences"), whole("fuzz_cpu_s"), whole("wall_s"), "",
	}
}

// packageSummary lists the packages below the goal or with a problem, and the
// total.
func packageSummary(records []record) [][]string {
	rows := [][]string{{"package", "legal", "members", "share", "sides", "error", "suspect", "exit", "errors"}}
	line := func(r record) []string {
		return []string{
			r.get("package"), r.get("legal"), r.get("members"), r.get("share"), share(r.num("sides_covered"), r.num("sides")) + "%",
			r.get("error"), r.get("suspect"), r.get("exit"), r.get("errors"),
		}
	}
	for _, r := range records {
		if r.num("share") < goalShare || r.get("errors") != "" || r.num("exit") > 1 {
			rows = append(rows, line(r))
		}
	}
	total := append([]string{fmt.Sprintf("%d packages", len(records))}, totalRow(records)...)
	return append(rows, line(record{packageColumns, total}))
}
