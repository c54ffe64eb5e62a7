package main

import (
	"slices"
	"strings"
	"testing"
)

// Every heuristic can be left out of the engine as it is: its patches apply, the engine
// builds with them, and each asks for its own name.
func TestHeuristicsApply(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := writeAblated(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := goOutput(t.Context(), root, nil, "build", "-overlay="+overlay, "./engine/..."); err != nil {
		t.Error(err)
	}
	var names []string
	text := ""
	for _, h := range heuristics {
		names = append(names, h.name)
		for _, p := range h.patches {
			text += p.new
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("two heuristics are named %s", name)
		}
		if !strings.Contains(text, `("`+name+`")`) {
			t.Errorf("no patch leaves out %s", name)
		}
	}
}

func TestPatchWithoutPlace(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	had := heuristics
	defer func() { heuristics = had }()
	for _, p := range []patch{{samplerFile, "no such text", ""}, {samplerFile, "seq.OpID", ""}} {
		heuristics = []heuristic{{"demo", "a demonstration", []patch{p}}}
		if _, err := writeAblated(root, t.TempDir()); err == nil || !strings.Contains(err.Error(), samplerFile) || !strings.Contains(err.Error(), "demo") {
			t.Errorf("a patch of %q: %v, want an error that names heuristic and file", p.old, err)
		}
	}
}

// A difference is told in standard errors, by the spread over seeds within each package.
func TestAblationSummary(t *testing.T) {
	columns := []string{"left_out", "subject", "seed", "sides", "values", "signatures", "cpu_s"}
	var list []record
	for _, r := range []string{
		"nothing a 1 100 1000 4 1", "nothing a 2 102 1000 4 1", "nothing b 1 50 10 0 1", "nothing b 2 50 10 0 1",
		"yield a 1 91 1000 4 1", "yield a 2 93 1000 4 1", "yield b 1 50 20 0 1", "yield b 2 50 20 0 1",
	} {
		list = append(list, record{columns, strings.Fields(r)})
	}
	rows := ablationSummary(list, []string{"", "yield"})
	// a: 101 and 92, with a variance of 2/2 each; b: no difference in sides, twice the values.
	want := [][]string{
		{"nothing", "151", "0.0", "0.0", "0.0", "0.0", "4.0", "0.0", "0.0", "4"},
		{"yield", "142", "-9.0", "-6.4", "34.7", "0.0", "4.0", "0.0", "0.0", "4"},
	}
	for i, w := range want {
		if !slices.Equal(rows[i+1], w) {
			t.Errorf("row %d: %q, want %q", i+1, rows[i+1], w)
		}
	}
}
