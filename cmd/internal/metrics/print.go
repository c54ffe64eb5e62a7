package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

func (t *tree) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "files\tcode\ttest\ttest/code\tp50\tp90\tp99\tmax\t  room\t")
	var sum room
	for _, r := range t.rooms {
		r.row(w)
		sum.files += r.files
		sum.code += r.code
		sum.test += r.test
		sum.functions = append(sum.functions, r.functions...)
	}
	sum.dir = "all"
	sum.row(w)
	w.Flush()
	fmt.Fprintf(out, "\nfunctions over %d lines: %d of %d\n", maxFunction, len(t.longFunctions), len(sum.functions))
	fmt.Fprintf(out, "structs over %d fields, options and messages left out: %d\n", maxFields, len(t.wideStructs))
	fmt.Fprintf(out, "exported declarations with a comment: %d of %d\n", t.described, t.exported)
	fmt.Fprintf(out, "what, who, whose, whatever in comments: %.2f of 1,000 words (%d of %d)\n",
		1000*float64(t.hardWords)/float64(max(t.words, 1)), t.hardWords, t.words)
	fmt.Fprintf(out, "sentences over %d words: %d of %d\n", maxSentence, len(t.longSentences), t.sentences)
}

func (r *room) row(w io.Writer) {
	slices.Sort(r.functions)
	fmt.Fprintf(w, "%d\t%d\t%d\t%.3f\t%d\t%d\t%d\t%d\t  %s\t\n", r.files, r.code, r.test, float64(r.test)/float64(max(r.code, 1)),
		percentile(r.functions, 50), percentile(r.functions, 90), percentile(r.functions, 99), percentile(r.functions, 100), r.dir)
}

// percentile returns the smallest element that at least p of 100 elements do not
// exceed; 0 for none. The list is sorted.
func percentile(list []int, p int) int {
	if len(list) == 0 {
		return 0
	}
	return list[max((len(list)*p+99)/100, 1)-1]
}

// printPast lists the places past their limits, the largest first.
func (t *tree) printPast(out io.Writer) {
	for _, l := range []struct {
		title  string
		places []place
	}{{"functions", t.longFunctions}, {"structs", t.wideStructs}, {"sentences", t.longSentences}} {
		slices.SortStableFunc(l.places, func(a, b place) int { return b.size - a.size })
		fmt.Fprintf(out, "\n%s:\n", l.title)
		for _, p := range l.places {
			fmt.Fprintf(out, "%s:%d: %d: %s\n", p.at.Filename, p.at.Line, p.size, p.text)
		}
	}
}
