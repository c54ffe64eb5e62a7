// Package predicate finds the simplest condition that separates the runs that fail from
// those that do not.
//
//	text, ok := predicate.Separate([]string{"lo", "hi"}, []predicate.Sample{
//		{[]int64{2, 1}, true}, {[]int64{3, 3}, true}, {[]int64{1, 2}, false}, {[]int64{0, 9}, false},
//	})
//	// lo >= hi, true
package predicate

import "strconv"

// A Sample is a run: the values of the variables, and whether it failed. A text stands for
// its length, a bool for zero or one.
type Sample struct {
	Values []int64
	Fails  bool
}

// A condition is a candidate. It is over variable i and either variable j or the constant c.
type condition struct {
	i, j int // j is -1 if there is a constant
	op   string
	c    int64
}

// Separate returns the simplest condition that holds in all samples that fail and in no
// other. Comparisons with zero are simpler than those of two variables, and these than
// comparisons with another constant. It reports false if there is none, or if all samples
// fail or none does. Cost: O(variables² · samples).
func Separate(names []string, samples []Sample) (text string, ok bool) {
	failing := 0
	for i := range samples {
		if samples[i].Fails {
			failing++
		}
	}
	if failing == 0 || failing == len(samples) {
		return "", false
	}
	for _, c := range candidates(len(names), samples) {
		if c.separates(samples) {
			return c.text(names), true
		}
	}
	return "", false
}

// candidates lists the conditions over n variables, the simplest first.
func candidates(n int, samples []Sample) []condition {
	var list []condition
	for i := range n {
		for _, op := range []string{"==", "!=", "<", ">", "<=", ">="} {
			list = append(list, condition{i, -1, op, 0})
		}
	}
	for i := range n {
		for j := range i {
			for _, op := range []string{"==", "!=", "<", ">=", ">", "<="} {
				list = append(list, condition{j, i, op, 0})
			}
		}
	}
	for i := range n {
		for _, op := range []string{"==", "<=", ">=", "!="} {
			list = append(list, condition{i, -1, op, bound(i, op, samples)})
		}
	}
	return list
}

// bound returns the constant of a condition on variable i: the least or greatest value that
// fails or, for !=, one that does not.
func bound(i int, op string, samples []Sample) int64 {
	var c int64
	first := true
	for k := range samples {
		s := &samples[k]
		if v := s.Values[i]; s.Fails == (op != "!=") && (first || op == "<=" && v > c || op != "<=" && v < c) {
			c, first = v, false
		}
	}
	return c
}

func (c *condition) separates(samples []Sample) bool {
	for i := range samples {
		if c.holds(samples[i].Values) != samples[i].Fails {
			return false
		}
	}
	return true
}

func (c *condition) holds(values []int64) bool {
	x, y := values[c.i], c.c
	if c.j >= 0 {
		y = values[c.j]
	}
	switch c.op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

func (c *condition) text(names []string) string {
	y := strconv.FormatInt(c.c, 10)
	if c.j >= 0 {
		y = names[c.j]
	}
	return names[c.i] + " " + c.op + " " + y
}
