package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// buggyPackages are the latest versions of packages that are known to have had
// bugs, and packages beside them.
var buggyPackages = slices.Concat(
	[]string{
		"github.com/bits-and-blooms/bitset@v1.29.0", "github.com/robfig/cron/v3@v3.0.1",
		"github.com/derekparker/trie@v0.0.0-20230829180723-39f4de51ef7d", "github.com/gogf/gf/v2/container/gtree@v2.9.0",
		"github.com/gobwas/glob@v1.1.0",
	},
	under("github.com/emirpasic/gods/v2/", "@v2.0.0-alpha",
		"lists/arraylist", "lists/doublylinkedlist", "lists/singlylinkedlist", "maps/linkedhashmap", "sets/treeset",
		"trees/avltree", "trees/binaryheap", "trees/btree", "trees/redblacktree"),
	[]string{
		"github.com/thoas/go-funk@v0.9.3", "github.com/deckarep/golang-set/v2@v2.9.0",
		"gonum.org/v1/gonum/lapack/gonum@v0.17.0", "gonum.org/v1/gonum/mat@v0.17.0", "gonum.org/v1/gonum/stat/sampleuv@v0.17.0",
		"github.com/hashicorp/go-immutable-radix@v1.3.1",
		"github.com/samber/lo@v1.53.0", "github.com/samber/lo/it@v1.53.0", "github.com/samber/lo/parallel@v1.53.0",
		"github.com/Masterminds/semver/v3@v3.5.0", "github.com/tidwall/btree@v1.8.2", "github.com/timtadh/data-structures/trie@v0.6.2",
		"github.com/holiman/uint256@v1.3.2", "github.com/wk8/go-ordered-map/v2@v2.1.8",
	},
)

// testedPackages are packages with good tests.
var testedPackages = []string{
	"container/list", "container/heap", "strings", "bytes", "bufio", "encoding/json", "net/netip", "time", "net/url", "regexp/syntax",
	"go/token", "text/template/parse", "archive/zip", "slices", "path/filepath",
	"github.com/google/btree@v1.1.3", "github.com/hashicorp/golang-lru/v2@v2.0.7", "github.com/google/uuid@v1.6.0",
	"github.com/spf13/cast@v1.10.0", "github.com/tidwall/gjson@v1.20.0", "github.com/yuin/goldmark@v1.8.7",
	"github.com/pelletier/go-toml/v2@v2.4.3", "github.com/cockroachdb/apd/v3@v3.2.3", "github.com/bits-and-blooms/bloom/v3@v3.7.1",
	"github.com/gorilla/mux@v1.8.1", "github.com/dustin/go-humanize@v1.1.0", "github.com/shopspring/decimal@v1.6.0",
	"github.com/hashicorp/go-version@v1.9.0", "github.com/gammazero/deque@v1.2.3", "github.com/RoaringBitmap/roaring/v2@v2.30.0",
}

// Verdicts of a person on a finding of tier error. The sentence beside it quotes
// the documentation that it rests on.
const (
	verdictReal  = "real"  // the package breaks a promise of its own or of the language
	verdictMinor = "minor" // a defect, at which most maintainers shrug; of draws only
	verdictFalse = "false" // it does not: foray cried wolf
)

// setupPrecision and setupTested measure the same of two lists.
func setupPrecision(fs *flag.FlagSet) func(context.Context, *bench) error {
	return setupJudged(fs, "precision", buggyPackages)
}

func setupTested(fs *flag.FlagSet) func(context.Context, *bench) error {
	return setupJudged(fs, "tested", testedPackages)
}

func setupJudged(fs *flag.FlagSet, table string, list []string) func(context.Context, *bench) error {
	each := fs.Duration("t", 20*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source at `n`")
	modules := fs.String("modules", strings.Join(list, ","), "run on these `packages`, with commas between them")
	return func(ctx context.Context, b *bench) error {
		return benchJudged(ctx, b, table, strings.Split(*modules, ","), *each, *seed)
	}
}

func benchJudged(ctx context.Context, b *bench, table string, list []string, each time.Duration, seed uint64) error {
	runs, err := b.table(table+"-runs", 1, "package", "error", "suspect", "exit", "wall_s", "errors")
	if err != nil {
		return err
	}
	found, err := b.table(table, 1, findingColumns...)
	if err != nil {
		return err
	}
	judged, err := readJudgements(b.dir, table)
	if err != nil {
		return err
	}
	list = b.choose(list)
	for i, pkg := range list {
		if runs.done(pkg) {
			continue
		}
		r, err := b.foray.fuzzPackage(ctx, pkg, each, seed)
		if err != nil {
			return err
		}
		rows := withLost(findingRows(r.findings, pkg, judged), found, pkg)
		if err := found.put([]string{pkg}, rows...); err != nil {
			return err
		}
		row := []string{count(r.summary.Findings.Error), count(r.summary.Findings.Suspect), count(r.exit), decimal(r.wall.Seconds(), 1), r.problem()}
		if err := runs.put([]string{pkg}, row); err != nil {
			return err
		}
		b.logf("[%d/%d] %s: %d error, %d suspect, exit %d, %.0f s %s", i+1, len(list), pkg, r.summary.Findings.Error, r.summary.Findings.Suspect, r.exit, r.wall.Seconds(), r.problem())
	}
	if err := b.complete(runs, found); err != nil {
		return err
	}
	b.summary(precisionSummary(found.records()))
	return nil
}

// findingColumns are the columns of the table to be judged.
var findingColumns = []string{
	"package", "signature", "verdict", "sentence", "found", "kind", "operation", "message", "document", "steps", "flaky", "statements",
}

// findingRows returns rows, without the package's name, for the findings of
// tier error, ordered by signature, with the verdicts given before.
func findingRows(findings []finding, pkg string, judged map[judgedKey]judgement) [][]string {
	var rows [][]string
	for _, f := range findings {
		if f.Tier != "error" {
			continue
		}
		j := judged[judgedKey{pkg, cell(f.Signature)}]
		rows = append(rows, []string{
			f.Signature, j.verdict, j.sentence, "yes", f.Kind, f.Operation, f.Message, f.Document, count(f.Steps), fmt.Sprint(f.Flaky), f.Sequence,
		})
	}
	slices.SortStableFunc(rows, func(x, y []string) int { return strings.Compare(x[0], y[0]) })
	return rows
}

// withLost adds to the rows of a package the judged findings that were not
// found this time. They stay and are not counted.
func withLost(rows [][]string, t *table, pkg string) [][]string {
	for _, r := range t.rows {
		old := record{t.columns, r}
		same := func(row []string) bool { return row[0] == old.get("signature") }
		if old.get("package") != pkg || !old.judged() || slices.ContainsFunc(rows, same) {
			continue
		}
		cells := slices.Clone(r[1 : len(r)-2])
		cells[slices.Index(findingColumns, "found")-1] = "no"
		rows = append(rows, cells)
	}
	return rows
}

func (r record) judged() bool { return r.get("verdict") != "" || r.get("sentence") != "" }

// A judgement is a person's verdict on a finding.
type judgement struct{ verdict, sentence string }

type judgedKey struct{ pkg, signature string }

// readJudgements reads the verdicts in all tables of a name in dir; the newest stands.
func readJudgements(dir, table string) (map[judgedKey]judgement, error) {
	written, err := readWritten(dir, table, []string{"package", "signature"}, "verdict", "sentence")
	judged := map[judgedKey]judgement{}
	for key, cells := range written {
		pkg, signature, _ := strings.Cut(key, "\t")
		judged[judgedKey{pkg, signature}] = judgement{cells[0], cells[1]}
	}
	return judged, err
}

// precisionSummary counts verdicts by package.
func precisionSummary(records []record) [][]string {
	rows := [][]string{{"package", "findings", "real", "false", "to judge"}}
	var total [4]int
	for i := 0; i < len(records); {
		pkg := records[i].get("package")
		var n [4]int
		for ; i < len(records) && records[i].get("package") == pkg; i++ {
			if records[i].get("found") == "no" {
				continue
			}
			n[0]++
			switch records[i].get("verdict") {
			case verdictReal:
				n[1]++
			case verdictFalse:
				n[2]++
			default:
				n[3]++
			}
		}
		rows = append(rows, []string{pkg, count(n[0]), count(n[1]), count(n[2]), count(n[3])})
		for k := range n {
			total[k] += n[k]
		}
	}
	rows = append(rows, []string{keyTotal, count(total[0]), count(total[1]), count(total[2]), count(total[3])})
	if judged := total[1] + total[2]; judged > 0 {
		rows = append(rows, []string{fmt.Sprintf("false alarms: %d of %d judged (%s%%)", total[2], judged, share(float64(total[2]), float64(judged)))})
	}
	return rows
}
