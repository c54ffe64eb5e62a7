package main

import (
	"slices"
	"testing"
)

// TestBalanceSummary: shares are of medians over the seeds, and spreads of the slowest seed and the fastest.
func TestBalanceSummary(t *testing.T) {
	columns := []string{"package", "mode", "values", "sides", "search_cpu_s", "confirm_cpu_s", "findings", "sequences"}
	var records []record
	for _, cells := range [][]string{
		{"p", "default", "100", "7", "2", "1", "1", "1000"}, {"p", "default", "300", "8", "4", "1", "1", "4000"}, {"p", "default", "400", "9", "3", "1", "2", "3000"},
		{"p", "composing", "600", "6", "9", "0", "0", "9000"}, {"p", "one", "200", "7", "5", "1", "1", "2000"},
		{"alone", "default", "1", "1", "1", "1", "0", "1"}, // not measured composing
	} {
		records = append(records, record{columns, cells})
	}
	got := balanceSummary(records)
	if len(got) != 3 {
		t.Fatalf("%d rows, want a head, one package and the medians: %v", len(got), got)
	}
	want := []string{"p", "300", "600", "50.0%", "25.0%", "50.0%", "8", "6", "25.0%", "1", "0", "3000", "2000", "1.50"}
	if !slices.Equal(got[1], want) || len(got[0]) != len(want) {
		t.Errorf("got  %v\nwant %v\nunder %v", got[1], want, got[0])
	}
	if want := []string{"median share", "50.0%", "median gain", "1.50"}; !slices.Equal(got[2], want) {
		t.Errorf("got %v, want %v", got[2], want)
	}
}
