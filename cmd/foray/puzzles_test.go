package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// puzzleBudget is how many sequences a puzzle may take, as a flag.
const puzzleBudget = "30000x"

// TestPuzzles runs the whole pipeline on packages with one planted bug each.
func TestPuzzles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	for _, tt := range []struct {
		name      string
		signature string
		calls     int // as many as a person would write
	}{
		{"alias", "panic:index:(*Node).Join", 3},
		{"magic", "panic:index:(*Door).Say", 2},
		{"repeats", "panic:index:(*Buffer).Add", 22}, // 21 would do: a result taken in several places stays
		{"callback", "panic:index:(*Words).Drop", 2},
		{"null", "panic:index:Render", 1},
		{"chain", "panic:index:(*Fleet).Second", 4},
		{"generic", "panic:index:(*Stack).Swap", 3},
		{"iface", "panic:index:First", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := 1; seed <= 3; seed++ {
				fs := fuzzFindings(t, "-fuzztime", puzzleBudget, "-parallel", "1", "-seed", fmt.Sprint(seed), "foray.test/engine/puzzles/"+tt.name)
				if len(fs) != 1 {
					t.Errorf("seed %d: got %d findings, want 1: %+v", seed, len(fs), fs)
					continue
				}
				f := fs[0]
				if f.Signature != tt.signature || f.Tier != "error" || f.Flaky || f.Steps > tt.calls {
					t.Errorf("seed %d: got %s %s (flaky %v) in %s:\n%swant error %s in %s at most",
						seed, f.Tier, f.Signature, f.Flaky, plural(f.Steps, "call"), f.Sequence, tt.signature, plural(tt.calls, "call"))
				}
			}
		})
	}
}

// fuzzFindings runs foray fuzz with a corpus of its own and returns the findings.
func fuzzFindings(t *testing.T, args ...string) []findingEvent {
	t.Helper()
	var stdout, stderr bytes.Buffer
	temps := &temps{}
	defer temps.removeAll()
	p := &process{stdout: &stdout, stderr: &stderr, temps: temps, stop: func() {}}
	code := p.run(context.Background(), append([]string{"fuzz", "-json", "-outdir", t.TempDir()}, args...))
	if code == exitUsage {
		t.Fatalf("foray fuzz %q: exit %d\n%s", args, code, &stderr)
	}
	var list []findingEvent
	sc := bufio.NewScanner(&stdout)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var f findingEvent
		if err := json.Unmarshal(sc.Bytes(), &f); err != nil {
			t.Fatalf("%s: %v", sc.Bytes(), err)
		}
		if f.Event == "finding" {
			list = append(list, f)
		}
	}
	return list
}
