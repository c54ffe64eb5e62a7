package main

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestFit compares weights with those that the counts give: of a claim without features the
// prior is the log of the odds, and a feature that tells nothing has no weight.
func TestFit(t *testing.T) {
	list := make([]cause, 0, 80)
	for i := range 80 {
		c := cause{verdict: verdictFalse}
		if i < 60 {
			c.verdict = verdictReal
		}
		if i%2 == 0 { // of 40 with it 30 are real, as of the others
			c.features = []string{"idle"}
		}
		list = append(list, c)
	}
	if w := fit(list, nil); math.Abs(w[0]-math.Log(3)) > 0.01 {
		t.Errorf("prior %v, want the log of 3", w)
	}
	if w := fit(list, []string{"idle"}); math.Abs(w[1]) > 0.01 {
		t.Errorf("weights %v, want none for a feature that tells nothing", w)
	}
}

// TestLeftOut sees that a feature of all modules lowers the loss, and one of a single module
// does not, though it tells that module's verdicts.
func TestLeftOut(t *testing.T) {
	var list []cause
	for _, module := range []string{"a", "b", "c", "d"} {
		list = append(list,
			cause{module: module, verdict: verdictFalse, features: []string{"shared", "of " + module}},
			cause{module: module, verdict: verdictReal})
	}
	gain := func(f string) float64 {
		all := features(list)
		return leftOut(list, slices.DeleteFunc(slices.Clone(all), func(g string) bool { return g == f })) - leftOut(list, all)
	}
	if gain("shared") < 0.5 || gain("of a") > 0.05 {
		t.Errorf("gains %.2f of the shared, %.2f of the single one", gain("shared"), gain("of a"))
	}
}

func TestCauses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"labels.tsv":            "# labels\npackage\tversion\tmodule\na/x\tv1.0.0\ta\n",
		"labels-2026-01-01.tsv": "package\tclaim\tverdict\ttier\trule\tevidence\n",
		"labels-2026-01-02.tsv": "package\tclaim\tverdict\ttier\trule\tevidence\na/x@v1.0.0\tcrash\treal\tpanic\tother\t\n" +
			"a/x@v1.0.0\tcrash\tfalse\tsuspect\tbuilt\tbuilt, number\na/x@v1.0.0\t\tfalse\t\t\t\na/x@v1.0.0\tcrash\tminor\tsuspect\tother\t\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := (&bench{dir: dir}).causes()
	want := []cause{{"a", "crash", "real", []string{}}, {"a", "crash", "false", []string{"built", "number"}}, {"a", "crash", "minor", []string{"explicit"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	row := featureRow(got, "number")
	if want := []string{"1", "1", "0", "0", "1"}; !slices.Equal(row[:5], want) {
		t.Errorf("%q, want %q and the gain", row, want)
	}
}
