package main

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadModules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "modules.txt")
	for _, c := range []struct{ text, want string }{
		{"# containers\na.org/x\n\n a.org/y/v2\n", ""},
		{"a.org/x\n# again\na.org/x\n", "modules.txt:3: a.org/x is there before"},
		{"a.org/x@v1.0.0\n", "modules.txt:1: want the import path of a package of a module, without a version"},
		{"strings\n", `got "strings"`},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := readModules(path)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.want)
			}
		case err != nil || !slices.Equal(list, []string{"a.org/x", "a.org/y/v2"}):
			t.Errorf("%q: %q, %v", c.text, list, err)
		}
	}
}

// A draw is made from packages that no other benchmark has had.
func TestModulesAreStrangers(t *testing.T) {
	list, err := readModules("../../../docs/bench/modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 400 {
		t.Errorf("%d packages, want 400 at least", len(list))
	}
	others := slices.Clone(realPackages)
	for _, name := range []string{"usage-2026-11-23", "usage-types-2026-11-23"} {
		rows, err := rowsOf("../../../docs/bench/"+name+".tsv", "package")
		if err != nil || len(rows) < 9 {
			t.Errorf("%d rows of %s, %v; want 9 at least", len(rows), name, err)
		}
		others = slices.Concat(append(rows, others)...)
	}
	for _, name := range []string{"precision", "tested"} { // which measure no more
		judged, err := readWritten("../../../docs/bench", name+"-runs", []string{"package"}, "exit")
		if err != nil || len(judged) < 28 {
			t.Errorf("%d packages of %s, %v; want 28 at least", len(judged), name, err)
		}
		others = slices.AppendSeq(others, maps.Keys(judged))
	}
	for _, p := range others {
		if path, _, _ := strings.Cut(p, "@"); slices.Contains(list, path) {
			t.Errorf("%s is of another benchmark", path)
		}
	}
}

func TestShuffled(t *testing.T) {
	list := strings.Split("abcdefghij", "")
	one, two := shuffled(list, 1), shuffled(list, 2)
	if !slices.Equal(one, shuffled(list, 1)) {
		t.Error("one seed gives two orders")
	}
	if slices.Equal(one, two) || slices.Equal(one, list) {
		t.Errorf("orders %q and %q of %q", one, two, list)
	}
	slices.Sort(one)
	if !slices.Equal(one, list) {
		t.Errorf("%q is not %q in another order", one, list)
	}
}

func TestReadBefore(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"labels.tsv":                 "# labels\ndraw\tpackage\tverdict\ndraw-1\ta.org/x\treal\ndraw-1\ta.org/x\tfalse\nbench\ta.org/x\treal\n",
		"draw-2-runs-2026-01-01.tsv": "package\tdrawn\tskipped\na.org/y\t1\t\na.org/z\t2\ttoo few operations\n",
		"draw-2-2026-01-01.tsv":      "package\tverdict\na.org/y@v1.0.0\treal\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readBefore(dir)
	if want := map[string][]string{"a.org/x": {"draw-1", "bench"}, "a.org/y": {"draw-2"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestDrawRows(t *testing.T) {
	of := func(tier, signature, sameAs string) finding {
		return finding{Tier: tier, Signature: signature, SameCauseAs: sameAs, Rule: "r", Message: "m", Sequence: "p.F()\n"}
	}
	findings := []finding{
		of("suspect", "s1", ""), of("panic", "e1", ""), of("error", "e1", ""), of("error", "e2", "e1"),
		of("suspect", "s2", ""), of("suspect", "s3", ""), of("suspect", "s4", ""), of("suspect", "s5", ""), of("suspect", "s6", ""),
		of("error", "e3", ""), of("panic", "p1", ""), of("panic", "p2", ""),
	}
	shown := []string{"e1", "e3", "p1", "s1", "s2", "s3", "s4", "s5"}
	rows := drawRows(findings, shown, "p@v1.0.0", map[string][]string{
		"p@v1.0.0\te1\terror": {"minor", "so", "e0"}, "p@v1.0.0\ts1\terror": {"real", "", ""}, "p@v2.0.0\te3\terror": {"real", "", ""},
	})
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r[0], r[1], r[5], r[2], r[4]}, " "))
	}
	want := []string{
		"s1 suspect 4  ", "e1 error 1 minor e0", "e2 error   ", "s2 suspect 5  ", "s3 suspect 6  ", "s4 suspect 7  ", "s5 suspect 8  ", "s6 suspect   ",
		"e3 error 2  ", "p1 panic 3  ", "p2 panic   ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if n := len(drawColumns) - 1; len(rows[0]) != n {
		t.Errorf("%d cells, want %d", len(rows[0]), n)
	}
}

func TestDrawSummary(t *testing.T) {
	rec := func(pkg, rank, tier, verdict, sameAs, cause string) record {
		return record{[]string{"package", "rank", "tier", "verdict", "same_as", "cause"}, []string{pkg, rank, tier, verdict, sameAs, cause}}
	}
	got := drawSummary([]record{
		rec("a", "2", "error", "false", "", ""), rec("a", "1", "error", "real", "", ""), rec("a", "", "error", "real", "x", ""), rec("a", "3", "error", "real", "", "x"),
		rec("b", "1", "suspect", "minor", "", ""), rec("b", "2", "panic", "false", "", ""), rec("c", "1", "error", "", "", ""),
	})
	want := [][]string{
		{"causes", "all", "real", "minor", "false", "to judge", "real %", "95 % interval"},
		{"first error or panic of a package", "3", "1", "0", "1", "1", "50.0", "9–91"},
		{"first shown of a package", "3", "1", "1", "0", "1", "50.0", "9–91"},
		{"tier error", "3", "1", "0", "1", "1", "50.0", "9–91"},
		{"tier panic", "1", "0", "0", "1", "0", "0.0", "0–79"},
		{"tier suspect", "1", "0", "1", "0", "0", "0.0", "0–79"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{13, 21, 0.4088, 0.7925}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {0, 0, 0, 1}} {
		low, high := wilson(c.k, c.n)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

func TestCallable(t *testing.T) {
	output := `{"event":"operation","package":"p@v1.2.3","member":"F","call":true}
{"event":"operation","package":"p@v1.2.3","member":"F","call":true}
{"event":"operation","package":"p@v1.2.3","member":"","call":false}
{"event":"excluded","package":"p@v1.2.3","member":"G","reason":"uses the network"}
`
	name, members, err := callable([]byte(output))
	if name != "p@v1.2.3" || members != 1 || err != nil {
		t.Errorf("%q, %d, %v, want p@v1.2.3, 1", name, members, err)
	}
	if _, _, err := callable([]byte("oops\n")); err == nil {
		t.Error("no error for a line that is not JSON")
	}
}
