package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foray.test/harness/odds"
)

func setupLabels(*flag.FlagSet) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error { return b.labels(ctx) }
}

// A label is a judged cause of labels.tsv.
type label struct {
	draw, pkg, version, tier, verdict string
	signatures                        []string // of the cause, the first of them first
	statements                        string
}

// labelColumns are the cells of a label in the table of a run. tier is the one of now, empty if
// its calls do not fail, or are illegal. simple tells that a panic is told in a line.
var labelColumns = []string{"package", "signature", "draw", "verdict", "was", "tier", "rule", "claim", "simple", "evidence"}

// labels has foray judge the calls of docs/bench/labels.tsv again, as entries of a corpus, and
// compares its tiers with the verdicts.
func (b *bench) labels(ctx context.Context) error {
	t, err := b.table("labels", 1, labelColumns...)
	if err != nil {
		return err
	}
	list, err := readLabels(filepath.Join(b.dir, "labels.tsv"))
	if err != nil {
		return err
	}
	for len(list) > 0 {
		pkg := list[0].name()
		n := slices.IndexFunc(list, func(l label) bool { return l.name() != pkg })
		if n < 0 {
			n = len(list)
		}
		if b.wants(pkg) && !t.done(pkg) {
			if err := b.judgeAgain(ctx, t, list[:n]); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	return b.finish(labelSummary, t)
}

// readLabels reads labels, those of one package and version in succession.
func readLabels(path string) ([]label, error) {
	rows, err := rowsOf(path, "draw", "package", "version", "tier", "verdict", "signature", "also", "statements")
	if err != nil {
		return nil, err
	}
	var list []label
	for _, r := range rows {
		signatures := []string{r[5]}
		if r[6] != "" {
			signatures = append(signatures, strings.Split(r[6], " | ")...)
		}
		list = append(list, label{r[0], r[1], r[2], r[3], r[4], signatures, r[7]})
	}
	slices.SortStableFunc(list, func(a, b label) int { return cmp.Compare(a.name(), b.name()) })
	return list, nil
}

// name is the package as foray takes it, with its version.
func (l label) name() string {
	if l.version == "" {
		return l.pkg
	}
	return l.pkg + "@" + l.version
}

// judgeAgain replays a corpus that consists of the calls of labels of one package.
func (b *bench) judgeAgain(ctx context.Context, t *table, list []label) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	entries := filepath.Join(dir, filepath.FromSlash(list[0].pkg), "entries")
	if err := os.MkdirAll(entries, 0o777); err != nil {
		return err
	}
	for i, l := range list {
		text := "foray corpus v1\n// origin: added\n" + strings.ReplaceAll(l.statements, "; ", "\n") + "\n"
		if err := os.WriteFile(filepath.Join(entries, fmt.Sprint("label-", i)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	name := list[0].name()
	r, err := b.foray.fuzz(ctx, job{command: "replay", args: []string{name}, corpus: dir, limit: 2*time.Minute + buildTime})
	if err != nil {
		return err
	}
	if r.exit > 1 {
		b.logf("%s: %s", name, cmp.Or(r.problem(), "no run"))
		return nil
	}
	b.logf("%s: %d of %d labels fail", name, len(r.findings), len(list))
	return t.put([]string{name}, labelRows(list, r.findings)...)
}

// labelRows returns the cells of labels, each with the surest finding of one of its signatures.
func labelRows(list []label, findings []finding) [][]string {
	var rows [][]string
	for _, l := range list {
		row := []string{l.signatures[0], l.draw, l.verdict, l.tier}
		best := -1
		for i, f := range findings {
			if slices.Contains(l.signatures, f.Signature) && (best < 0 || sureness(f.Tier) > sureness(findings[best].Tier)) {
				best = i
			}
		}
		if best < 0 {
			rows = append(rows, append(row, "", "", "", "", ""))
			continue
		}
		f := findings[best]
		simple := ""
		if f.Tier == "panic" && f.Odds < odds.Likely {
			simple = "simple"
		}
		rows = append(rows, append(row, f.Tier, f.Rule, f.Claim, simple, strings.Join(f.Evidence, ", ")))
	}
	return rows
}

func sureness(tier string) int { return slices.Index([]string{"suspect", "panic", "error"}, tier) }

// labelSummary counts the verdicts on the labels by the tier of now. Labels of bench and
// subjects are of packages that rules were written for.
func labelSummary(records []record) [][]string {
	rows := [][]string{{"tier", "all", "real", "minor", "false", "to judge", "real %", "95 % interval"}}
	for _, known := range []bool{false, true} {
		by := map[string]*tally{}
		for _, r := range records {
			if known != slices.Contains([]string{"bench", "subjects"}, r.get("draw")) {
				continue
			}
			tier := cmp.Or(r.get("tier"), "no finding")
			if r.get("simple") != "" {
				tier += " told in a line"
			}
			if by[tier] == nil {
				by[tier] = &tally{}
			}
			by[tier].add(r.get("verdict"))
		}
		for _, tier := range []string{"error", "panic", "panic told in a line", "suspect", "no finding"} {
			if t := by[tier]; t != nil {
				name := tier
				if known {
					name += ", packages looked at"
				}
				rows = append(rows, t.row(name))
			}
		}
	}
	return rows
}
