package gentest

import (
	"strings"

	"foray.test/coverage"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/harness/emit"
)

// maxRows is the most rows of a table: a person reads no more.
const maxRows = 8

// choose returns the numbers of the tests to keep, ascending, so that they are at most n
// functions. groups are the tests of each function. It takes the test that shows the most
// that no test before it shows: branch sides, and behaviours of functions. A row of a function
// that is there already comes before another function, and fewer steps before more. It ends where
// no test shows anything more.
func choose(t *seq.Table, tests []emit.Regression, groups [][]int, n int) []int {
	c := newChooser(t, tests, groups)
	for i := c.next(n); i >= 0; i = c.next(n) {
		c.take(i)
	}
	var list []int
	for i, k := range c.keep {
		if k {
			list = append(list, i)
		}
	}
	return list
}

// A chooser knows the tests that are chosen so far.
type chooser struct {
	tests     []emit.Regression
	group     []int      // by test: its function
	shows     [][]string // by test: behaviours
	keep      []bool     // by test
	rows      []int      // by function: tests that are kept
	functions int        // with such
	taken     *coverage.Set
	seen      map[string]bool // behaviours
}

func newChooser(t *seq.Table, tests []emit.Regression, groups [][]int) *chooser {
	c := &chooser{
		tests: tests, group: make([]int, len(tests)), shows: make([][]string, len(tests)), keep: make([]bool, len(tests)),
		rows: make([]int, len(groups)), seen: map[string]bool{},
	}
	for g, list := range groups {
		for _, i := range list {
			c.group[i] = g
		}
	}
	sides := 0
	for i := range tests {
		c.shows[i] = behaviours(t, &tests[i].Test)
		for _, side := range tests[i].Sides {
			sides = max(sides, int(side)+1)
		}
	}
	c.taken = coverage.NewSet(sides)
	return c
}

// next returns the test to take with at most n functions, -1 if there is none.
func (c *chooser) next(n int) int {
	best, bestGain := -1, 0
	for i := range c.tests {
		if rows := c.rows[c.group[i]]; c.keep[i] || rows >= maxRows || rows == 0 && c.functions == n {
			continue
		}
		if gain := c.gain(i); gain > bestGain || gain == bestGain && gain > 0 && c.simpler(i, best) {
			best, bestGain = i, gain
		}
	}
	return best
}

// gain counts the sides and behaviours that only test i shows.
func (c *chooser) gain(i int) int {
	n := 0
	for _, side := range c.tests[i].Sides {
		if !c.taken.Has(int(side)) {
			n++
		}
	}
	for _, key := range c.shows[i] {
		if !c.seen[key] {
			n++
		}
	}
	return n
}

func (c *chooser) take(i int) {
	c.keep[i] = true
	if c.rows[c.group[i]]++; c.rows[c.group[i]] == 1 {
		c.functions++
	}
	addSides(c.taken, c.tests[i].Sides)
	for _, key := range c.shows[i] {
		c.seen[key] = true
	}
}

// simpler reports whether a person would read test i rather than j, which show equally much.
func (c *chooser) simpler(i, j int) bool {
	if a, b := c.rows[c.group[i]] > 0, c.rows[c.group[j]] > 0; a != b {
		return a
	}
	return len(c.tests[i].Steps) < len(c.tests[j].Steps)
}

// behaviours returns a name for each way in which a test shows a function of the package to
// end. The name has the kinds of results, and says true, false, zero or an error.
func behaviours(t *seq.Table, test *regression.Test) []string {
	var list []string
	for i := range test.Steps {
		op := &t.Ops[test.Steps[i].Op]
		if !op.API || test.Asserts[i] == nil {
			continue
		}
		var b strings.Builder
		b.WriteString(op.Member)
		for _, r := range test.Asserts[i] {
			b.WriteByte(' ')
			switch r.Text {
			case "true", "false", "0", `""`:
				b.WriteString(r.Text)
			default:
				b.WriteByte('a' + byte(r.How))
			}
		}
		list = append(list, b.String())
	}
	return list
}
