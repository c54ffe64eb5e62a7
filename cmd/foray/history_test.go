package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHistories holds the search still: one worker, a fixed seed and a count of
// sequences have the history that testdata/history keeps. A change that claims to
// move code only leaves it byte for byte; a change of the search rewrites it with
// -update, and the reviewer reads what moved. That of deaths is a long test.
//
// No other test runs beside it. A run beside other work may differ: a call waits for longer than
// a clock allows, or there is no time to try a test. So one equal run of three is enough.
func TestHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	const tries = 3
	for _, tt := range []struct{ pkg, sequences string }{
		{"foray.test/engine/puzzles/repeats", "2000x"}, // composing, components, repetition
		{"foray.test/engine/puzzles/locks", "3000x"},   // aiming
		{"foray.test/engine/puzzles/open", "3000x"},    // arguments of any type
		{"./testdata/deaths", "3000x"},                 // processes that end in several ways, while that is confirmed
	} {
		name := path.Base(tt.pkg)
		t.Run(name, func(t *testing.T) {
			skipLong(t)
			file := filepath.Join("testdata", "history", name+".txt")
			want, err := os.ReadFile(file)
			if err != nil && !*update {
				t.Fatal(err)
			}
			var got []byte
			for range tries {
				got = history(t, tt.sequences, tt.pkg)
				if bytes.Equal(got, want) {
					return
				}
			}
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the history of %s has changed (-want +got); -update rewrites it:\n%s", name, diffLines(want, got))
		})
	}
}

// history runs foray on a package and returns its counts, findings and entries as
// text without times.
func history(t *testing.T, sequences, pkg string) []byte {
	t.Helper()
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	temps := &temps{}
	defer temps.removeAll()
	p := &process{stdout: &stdout, stderr: &stderr, temps: temps, stop: func() {}}
	if code := p.run(context.Background(), []string{"fuzz", "-json", "-outdir", dir, "-seed", "1", "-parallel", "1", "-fuzztime", sequences, pkg}); code == exitUsage {
		t.Fatalf("foray fuzz: exit %d\n%s", code, &stderr)
	}
	var b bytes.Buffer
	for _, e := range listEvents[map[string]any](t, stdout.Bytes(), "package") {
		for _, key := range []string{"sequences", "distinct_sequences", "steps", "distinct_values", "sides", "sides_covered",
			"frontier_start", "frontier_flipped", "corpus_entries", "restarts", "hits", "member_rows"} {
			value, err := json.Marshal(e[key])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s: %s\n", key, bytes.ReplaceAll(value, []byte("},"), []byte("},\n")))
		}
	}
	var findings []string
	for _, f := range listEvents[map[string]any](t, stdout.Bytes(), "finding") {
		findings = append(findings, fmt.Sprintf("\nfinding %v %v, from %v steps\n%v", f["tier"], f["signature"], f["original_steps"], f["sequence"]))
	}
	slices.Sort(findings)
	b.WriteString(strings.Join(findings, ""))
	for _, text := range entryTexts(t, dir) {
		fmt.Fprintf(&b, "\nentry\n%s", text)
	}
	return b.Bytes()
}

// entryTexts returns the entries stored under dir, sorted.
func entryTexts(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) != "entries" {
			return err
		}
		text, err := os.ReadFile(path)
		list = append(list, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// diffLines returns the lines that only one of two texts has.
func diffLines(want, got []byte) string {
	only := func(mark string, a, b []byte) (lines []string) {
		have := map[string]bool{}
		for line := range strings.Lines(string(b)) {
			have[line] = true
		}
		for line := range strings.Lines(string(a)) {
			if !have[line] {
				lines = append(lines, mark+line)
			}
		}
		return lines
	}
	return strings.Join(append(only("-", want, got), only("+", got, want)...), "")
}
