package instrument_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/coverage"
)

const program = "./testdata/program"

// TestProgram runs a program before and after and looks at the sides it hits.
func TestProgram(t *testing.T) {
	before, _ := buildAndRun(t)
	overlay, conds := rewriteProgram(t, false)
	after, hits := buildAndRun(t, overlayFlag(t, overlay))
	if before != after {
		t.Errorf("output before\n%s\nafter\n%s", before, after)
	}
	want := []string{
		`n > len(s): false`,
		`n < 0: false`, `n < 0: true`,
		`s == "": true`,
		`range s: empty`, `range s: non-empty`,
		`switch n: case 3`, `switch n: case -1`,
		`range m: empty`, `range m: non-empty`,
		`ok: true`,
	}
	if got := sidesHit(conds, hits, "classify"); !slices.Equal(got, want) {
		t.Errorf("sides of classify:\ngot  %q\nwant %q", got, want)
	}
	if got, want := sidesHit(conds, hits, "main"), []string(nil); !slices.Equal(got, want) {
		t.Errorf("sides of main: got %q, want none", got)
	}
	overlay, _ = rewriteProgram(t, true)
	analysed, same := buildAndRun(t, overlayFlag(t, overlay))
	if before != analysed {
		t.Errorf("output before\n%s\nin the analysis form\n%s", before, analysed)
	}
	if !slices.Equal(hits, same) {
		t.Errorf("sides of the normal form\n%v\nof the analysis form\n%v", hits, same)
	}
}

// TestProgramRace checks that the race detector does not see the probe.
func TestProgramRace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the run-time system for the race detector")
	}
	if strings.TrimSpace(goCommand(t, ".", "env", "CGO_ENABLED")) != "1" {
		t.Skip("the race detector needs cgo")
	}
	if _, err := exec.LookPath(strings.TrimSpace(goCommand(t, ".", "env", "CC"))); err != nil {
		t.Skip("the race detector needs a C compiler")
	}
	for _, analysis := range []bool{false, true} {
		overlay, conds := rewriteProgram(t, analysis)
		_, hits := buildAndRun(t, overlayFlag(t, overlay), "-race")
		if got := sidesHit(conds, hits, "concurrent"); len(got) == 0 {
			t.Error("no sides of concurrent hit")
		}
	}
}

// rewriteProgram rewrites the program, in the analysis form or not, and makes it print, one a line, the numbers
// of the sides it hits.
func rewriteProgram(t *testing.T, analysis bool) (overlay map[string][]byte, conds []coverage.Condition) {
	t.Helper()
	overlay, conds = rewriteForm(t, analysis, ".", program)
	report, err := filepath.Abs(program + "/report.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay[report] = []byte(`package main

import (
	"os"
	"strconv"
	"` + probePath + `"
)

func report() {
	for side, hit := range probe.Hits {
		if hit != 0 {
			os.Stderr.WriteString(strconv.Itoa(side) + "\n")
		}
	}
}
`)
	return overlay, conds
}

// buildAndRun builds the program with the given flags and returns its output and
// the numbers on its standard error.
func buildAndRun(t *testing.T, flags ...string) (output string, sides []int) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	goCommand(t, ".", append(append([]string{"build", "-ldflags=-w", "-o", binary}, flags...), program)...)
	cmd := exec.Command(binary)
	var stderr strings.Builder
	cmd.Stderr, cmd.Env = &stderr, os.Environ()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("program: %v\n%s", err, stderr.String())
	}
	for _, line := range strings.Fields(stderr.String()) {
		side, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("program: standard error:\n%s", stderr.String())
		}
		sides = append(sides, side)
	}
	return string(out), sides
}

// sidesHit names the sides hit in a function, in order.
func sidesHit(conds []coverage.Condition, hits []int, function string) []string {
	var names []string
	for _, c := range conds {
		if c.Func != function {
			continue
		}
		for i, side := range c.Sides {
			if slices.Contains(hits, c.First+i) {
				names = append(names, c.Text+": "+side)
			}
		}
	}
	return names
}
