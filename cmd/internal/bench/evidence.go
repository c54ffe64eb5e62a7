package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// ridge is the weight of the penalty on squared weights. The prior of a claim has none.
const ridge = 1

func setupEvidence(*flag.FlagSet) func(context.Context, *bench) error {
	return func(_ context.Context, b *bench) error { return b.evidence() }
}

// A cause is a judged label with the rules and limits that apply to it.
type cause struct {
	module, claim, verdict string
	features               []string
}

// evidenceColumns are the cells of a feature. gain is by how much it lowers the log loss on
// modules left out, in nats over all. fate is written by hand: kept or deleted, and why.
var evidenceColumns = []string{"claim", "feature", "causes", "modules", "real", "minor", "false", "gain", "fate"}

// evidence weighs the rules and limits of the newest table of labels.
func (b *bench) evidence() error {
	causes, err := b.causes()
	if err != nil {
		return err
	}
	written, err := readWritten(b.dir, "evidence", evidenceColumns[:2], "fate")
	if err != nil {
		return err
	}
	t, err := b.table("evidence", 2, evidenceColumns...)
	if err != nil {
		return err
	}
	summary := [][]string{{"claim", "causes", "log loss of the prior", "of all features"}}
	for _, claim := range slices.Sorted(maps.Keys(byClaim(causes))) {
		of := byClaim(causes)[claim]
		for _, f := range features(of) {
			row := featureRow(of, f)
			fate := ""
			if w := written[claim+"\t"+f]; w != nil {
				fate = w[0]
			}
			if err := t.put([]string{claim, f}, append(row, fate)); err != nil {
				return err
			}
		}
		judged := decided(of)
		summary = append(summary, []string{claim, fmt.Sprint(len(judged)), fmt.Sprintf("%.1f", leftOut(judged, nil)), fmt.Sprintf("%.1f", leftOut(judged, features(judged)))})
	}
	b.summary(summary)
	return nil
}

// causes reads the newest table of labels, with the modules of labels.tsv. A table without
// evidence, or a row, has the rule that decided as its only feature.
func (b *bench) causes() ([]cause, error) {
	files, err := filepath.Glob(filepath.Join(b.dir, "labels-[0-9]*.tsv"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no table of labels: run bench labels first")
	}
	labels, err := rowsOf(filepath.Join(b.dir, "labels.tsv"), "package", "version", "module")
	if err != nil {
		return nil, err
	}
	modules := map[string]string{}
	for _, r := range labels {
		modules[label{pkg: r[0], version: r[1]}.name()] = r[2]
	}
	slices.Sort(files)
	rows, err := rowsOf(files[len(files)-1], "package", "claim", "verdict", "tier", "rule", "evidence")
	if err != nil {
		return nil, err
	}
	var list []cause
	for _, r := range rows {
		if r[1] == "" { // it is no finding any more
			continue
		}
		list = append(list, cause{modules[r[0]], r[1], r[2], featuresOf(r[3], r[4], r[5])})
	}
	return list, nil
}

// featuresOf returns the names in evidence and the rule, each once. A default is none, but that
// of a panic which the code made itself: it is a suspicion.
func featuresOf(tier, rule, evidence string) []string {
	if tier == "suspect" && rule == "other" {
		rule = "explicit"
	}
	list := slices.Compact(slices.Sorted(slices.Values(append(strings.Split(evidence, ", "), rule))))
	return slices.DeleteFunc(list, func(f string) bool { return f == "" || f == "other" })
}

func byClaim(list []cause) map[string][]cause {
	by := map[string][]cause{}
	for _, c := range list {
		by[c.claim] = append(by[c.claim], c)
	}
	return by
}

// features returns the features of causes, in order.
func features(list []cause) []string {
	seen := map[string]bool{}
	for _, c := range list {
		for _, f := range c.features {
			seen[f] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// decided returns the causes that weights are fitted to: minor ones are neither real nor false.
func decided(list []cause) []cause {
	return slices.DeleteFunc(slices.Clone(list), func(c cause) bool { return c.verdict != verdictReal && c.verdict != verdictFalse })
}

// featureRow returns the cells of a feature of the causes of one claim.
func featureRow(list []cause, feature string) []string {
	var n tally
	modules := map[string]bool{}
	causes := 0
	for _, c := range list {
		if slices.Contains(c.features, feature) {
			causes++
			modules[c.module] = true
			n.add(c.verdict)
		}
	}
	judged := decided(list)
	all := features(judged)
	gain := leftOut(judged, slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == feature })) - leftOut(judged, all)
	return []string{fmt.Sprint(causes), fmt.Sprint(len(modules)), fmt.Sprint(n.real), fmt.Sprint(n.minor), fmt.Sprint(n.false), fmt.Sprintf("%.2f", gain)}
}

// leftOut returns the log loss of each module's causes by weights that are fitted to the
// other modules.
func leftOut(list []cause, features []string) float64 {
	modules := map[string]bool{}
	for _, c := range list {
		modules[c.module] = true
	}
	loss := 0.0
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		w := fit(slices.DeleteFunc(slices.Clone(list), func(c cause) bool { return c.module == m }), features)
		for _, c := range list {
			if c.module == m {
				loss -= math.Log(probability(w, c.vector(features), c.verdict == verdictReal))
			}
		}
	}
	return loss
}

// vector returns 1 for the prior, then 1 for each feature that the cause has and 0 for others.
func (c cause) vector(features []string) []float64 {
	x := make([]float64, 1+len(features))
	x[0] = 1
	for i, f := range features {
		if slices.Contains(c.features, f) {
			x[1+i] = 1
		}
	}
	return x
}

// probability returns that of a verdict by weights w. It is at least a thousandth: no few
// labels say that a thing cannot be.
func probability(w, x []float64, real bool) float64 {
	z := 0.0
	for i := range w {
		z += w[i] * x[i]
	}
	if !real {
		z = -z
	}
	return min(max(1/(1+math.Exp(-z)), 0.001), 0.999)
}

// fit returns the weights of a ridge logistic regression, the prior first. It takes Newton's
// step on one weight after the other until none changes.
func fit(list []cause, features []string) []float64 {
	w := make([]float64, 1+len(features))
	rows := make([][]float64, len(list))
	for i, c := range list {
		rows[i] = c.vector(features)
	}
	for range 100 {
		moved := 0.0
		for k := range w {
			penalty := float64(ridge)
			if k == 0 {
				penalty = 0.01 // a claim that is always real has a finite prior
			}
			slope, curve := penalty*w[k], penalty
			for i, c := range list {
				if rows[i][k] == 0 {
					continue
				}
				p := probability(w, rows[i], true)
				slope += p
				if c.verdict == verdictReal {
					slope--
				}
				curve += p * (1 - p)
			}
			w[k] -= slope / curve
			moved = max(moved, math.Abs(slope/curve))
		}
		if moved < 1e-6 {
			break
		}
	}
	return w
}
