package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"foray.test/harness/odds"
)

func TestReadLabels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.tsv")
	text := "# labels\ndraw\tpackage\tversion\ttier\tverdict\tsignature\talso\tstatements\n" +
		"draw-2\ta.org/y\tv1.0.0\terror\treal\tp:F\tp:G | p:H\tF(); G()\n" +
		"draw-1\tstrings\t\tpanic\tfalse\tp:F\t\tF()\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := readLabels(path)
	want := []label{
		{"draw-2", "a.org/y", "v1.0.0", "error", "real", []string{"p:F", "p:G", "p:H"}, "F(); G()"},
		{"draw-1", "strings", "", "panic", "false", []string{"p:F"}, "F()"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got[0].name() != "a.org/y@v1.0.0" || got[1].name() != "strings" {
		t.Errorf("names %q and %q", got[0].name(), got[1].name())
	}
}

func TestLabelSummary(t *testing.T) {
	labels := []label{
		{"draw-1", "a", "", "error", "real", []string{"p:F", "p:G"}, ""},
		{"draw-1", "a", "", "panic", "false", []string{"p:H"}, ""},
		{"draw-1", "a", "", "error", "minor", []string{"p:I"}, ""},
		{"bench", "a", "", "error", "real", []string{"p:J"}, ""},
	}
	rows := labelRows(labels, []finding{
		{Signature: "p:G", Tier: "suspect"},
		{Signature: "p:G", Tier: "panic", Rule: "other", Claim: "crash", Odds: odds.Likely, Evidence: []string{"built", "number"}},
		{Signature: "p:H", Tier: "panic", Rule: "other", Claim: "crash"},
		{Signature: "p:J", Tier: "error", Rule: "hang", Claim: "hang"},
	})
	want := [][]string{
		{"p:F", "draw-1", "real", "error", "panic", "other", "crash", "", "built, number"},
		{"p:H", "draw-1", "false", "panic", "panic", "other", "crash", "simple", ""},
		{"p:I", "draw-1", "minor", "error", "", "", "", "", ""},
		{"p:J", "bench", "real", "error", "error", "hang", "hang", "", ""},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
	var records []record
	for _, r := range rows {
		records = append(records, record{labelColumns, append([]string{"a"}, r...)})
	}
	summary := labelSummary(records)
	var got [][]string
	for _, r := range summary[1:] {
		got = append(got, r[:5]) // name, all, real, minor, false
	}
	want = [][]string{
		{"panic", "1", "1", "0", "0"},
		{"panic told in a line", "1", "0", "0", "1"},
		{"no finding", "1", "0", "1", "0"},
		{"error, packages looked at", "1", "1", "0", "0"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
