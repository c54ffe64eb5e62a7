package probe

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

type flag bool

func TestMarks(t *testing.T) {
	empty := map[string]int(nil)
	tests := []struct {
		name string
		run  func() bool // reports whether the probe returned its argument
		want int         // the only side marked
	}{
		{"Cond false", func() bool { return !Cond(10, false) }, 10},
		{"Cond true", func() bool { return Cond(10, true) }, 11},
		{"Bool false", func() bool { return Bool(10, flag(false)) == flag(false) }, 10},
		{"Bool true", func() bool { return Bool(10, flag(true)) == flag(true) }, 11},
		{"Hit", func() bool { Hit(10); return true }, 10},
		{"Slice nil", func() bool { return Slice(10, []int(nil)) == nil }, 10},
		{"Slice", func() bool { return len(Slice(10, []int{1, 2})) == 2 }, 11},
		{"Map nil", func() bool { return Map(10, empty) == nil }, 10},
		{"Map", func() bool { return len(Map(10, map[int]int{1: 2})) == 1 }, 11},
		{"String empty", func() bool { return String(10, "") == "" }, 10},
		{"String", func() bool { return String(10, "ab") == "ab" }, 11},
		{"Int zero", func() bool { return Int(10, uint8(0)) == 0 }, 10},
		{"Int negative", func() bool { return Int(10, -3) == -3 }, 10},
		{"Int", func() bool { return Int(10, int64(7)) == 7 }, 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clear(Hits[:])
			if !tt.run() {
				t.Error("another value came back")
			}
			for side, hit := range Hits {
				if want := side == tt.want; hit > 1 || (hit == 1) != want {
					t.Errorf("Hits[%d] = %d, want it marked: %v", side, hit, want)
				}
			}
		})
	}
}

func TestConstantSides(t *testing.T) {
	clear(Hits[:])
	if got := constantSides(false, true, nil, nil, "", 3); got != 4 {
		t.Errorf("constantSides: got %d, want 4", got)
	}
	want := map[int]bool{0: true, 4: true, 6: true, 8: true, 11: true, Size - 1: true}
	for side, hit := range Hits {
		if (hit == 1) != want[side] {
			t.Errorf("Hits[%d] = %d, want it marked: %v", side, hit, want[side])
		}
	}
}

// TestInlining asks the compiler for the cost of inlining, and for bounds checks
// left where sides are constant. Over 20, a function is not inlined into large ones.
func TestInlining(t *testing.T) {
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", t.TempDir()+"/probe.test", "-gcflags=-m=2 -d=ssa/check_bce", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`probe_test\.go:\d+:\d+: Found Is`).Match(out) {
		t.Errorf("the compiler says nothing of bounds checks, not even of those in this file")
	}
	for _, check := range regexp.MustCompile(`.*bounds_test\.go:\d+:\d+: Found Is.*`).FindAll(out, -1) {
		t.Errorf("bounds check: %s", check)
	}
	for _, function := range []string{"Cond", "Hit", `Bool\[go.shape.bool\]`, `Slice\[go.shape.\[\]int,go.shape.int\]`,
		`Map\[go.shape.map\[int\]int,go.shape.int,go.shape.int\]`, `String\[go.shape.string\]`, `Int\[go.shape.uint8\]`} {
		m := regexp.MustCompile(`can inline ` + function + ` with cost (\d+) `).FindSubmatch(out)
		if m == nil {
			t.Errorf("%s cannot be inlined", function)
			continue
		}
		if cost, _ := strconv.Atoi(string(m[1])); cost > 20 {
			t.Errorf("%s costs %d to inline, want at most 20", function, cost)
		}
	}
	// In the analysis form a condition costs one call: the function called
	// makes no calls.
	if !bytes.Contains(out, []byte("can inline reach with cost ")) {
		t.Error("reach cannot be inlined")
	}
}
