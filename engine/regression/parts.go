package regression

import (
	"slices"

	"foray.test/engine/seq"
)

// Parts splits s into sequences with no value in common, each for a test of its
// own. They must show the same as in s and take the same branch sides together.
// Else s is the only part, because something other than values connects the
// steps, such as a variable of the package.
func (b *Builder) Parts(s seq.Sequence) []seq.Sequence {
	part := b.components(s)
	if len(part) == 0 || slices.Max(part) == 0 {
		return []seq.Sequence{s}
	}
	whole, ok := b.run(s)
	if !ok || finished(whole) < len(s) {
		return []seq.Sequence{s}
	}
	var parts []seq.Sequence
	var sides []int32
	for n := range slices.Max(part) + 1 {
		keep := make([]bool, len(s))
		var want []Step
		for i := range s {
			if keep[i] = part[i] == n; keep[i] {
				want = append(want, whole.Steps[i])
			}
		}
		alone, _ := seq.Filter(b.table, s, keep)
		run, ok := b.run(alone)
		if !ok || !slices.EqualFunc(run.Steps, want, showAlike) {
			return []seq.Sequence{s}
		}
		parts, sides = append(parts, alone), append(sides, run.Sides...)
	}
	if slices.ContainsFunc(whole.Sides, func(side int32) bool { return !slices.Contains(sides, side) }) {
		return []seq.Sequence{s}
	}
	return parts
}

// components returns, for each step, which part of s it belongs to, from 0 in the
// order of first steps.
func (b *Builder) components(s seq.Sequence) []int {
	part := make([]int, len(s))
	for i := range s {
		part[i] = i
		for _, a := range s[i].Args {
			if a.Lit != nil {
				continue
			}
			from, to := part[i], part[s.Maker(b.table, a.Slot)]
			from, to = max(from, to), min(from, to)
			for j := range part[:i+1] {
				if part[j] == from {
					part[j] = to
				}
			}
		}
	}
	numbers := slices.Compact(slices.Sorted(slices.Values(part)))
	for i := range part {
		part[i] = slices.Index(numbers, part[i])
	}
	return part
}

// showAlike reports whether two runs of a step show the same, apart from the numbers
// of slots.
func showAlike(x, y Step) bool {
	return x.Status == y.Status && x.Pure == y.Pure && slices.EqualFunc(x.Results, y.Results, func(p, q Result) bool { return p.How == q.How && p.Text == q.Text })
}
