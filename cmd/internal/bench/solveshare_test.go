package main

import (
	"slices"
	"strings"
	"testing"
)

// Functions are counted by the reason, without the rows of packages that have none.
func TestSolveShareSummary(t *testing.T) {
	var list []record
	for _, cells := range [][]string{
		{"F", "50", "0", ""}, {"G", "50", "7", "memory"}, {"H", "40", "1", "steps"}, {"I", "10", "2", "steps"}, {"J", "9", "0", ""}, {"", "0", "0", "no functions"},
	} {
		list = append(list, record{[]string{"function", "runs", "lost", "reason"}, cells})
	}
	var got []string
	for _, row := range solveShareSummary(list) {
		got = append(got, strings.Join(row, " "))
	}
	want := []string{"functions runs lost reason", "5 159 10 all functions", "2 59 0 none lost", "2 50 3 steps", "1 50 7 memory"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
