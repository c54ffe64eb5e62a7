package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// newBench returns a bench that writes to a directory of the test.
func newBench(t *testing.T) *bench {
	return &bench{dir: t.TempDir(), date: "2026-01-31", flags: "-t=5s", foray: program{version: "abc"}, stdout: t.Output(), stderr: t.Output()}
}

func openTable(t *testing.T, b *bench) *table {
	t.Helper()
	tab, err := b.table("demo", 1, "package", "legal", "errors")
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func TestTableResumes(t *testing.T) {
	b := newBench(t)
	tab := openTable(t, b)
	for _, row := range [][]string{{"strings", "3", "a\tb\nc"}, {"bytes", "4", ""}} {
		if err := tab.put(row[:1], row[1:]); err != nil {
			t.Fatal(err)
		}
	}
	again, newer, other := *b, *b, *b
	again.again = true
	newer.foray.version = "def"
	other.flags = "-t=15s"
	for _, c := range []struct {
		name string
		b    bench
		done bool
	}{
		{"the same", *b, true},
		{"asked to measure again", again, false},
		{"another foray", newer, false},
		{"other flags", other, false},
	} {
		tab := openTable(t, &c.b)
		if got := tab.done("strings"); got != c.done {
			t.Errorf("%s: done = %v, want %v", c.name, got, c.done)
		}
		if got := len(tab.records()) == 2; got != c.done {
			t.Errorf("%s: all rows current = %v, want %v", c.name, got, c.done)
		}
		if tab.done("maps") {
			t.Errorf("%s: a package that was not measured is done", c.name)
		}
	}
	r := openTable(t, b).records()[0]
	if r.get("errors") != "a b; c" || r.num("legal") != 3 || r.num("errors") != 0 {
		t.Errorf("row = %q", r.cells)
	}
}

func TestTablePut(t *testing.T) {
	b := newBench(t)
	tab := openTable(t, b)
	put := func(f func([]string, ...[]string) error, key string, cells ...string) {
		t.Helper()
		var rows [][]string
		for _, c := range cells {
			rows = append(rows, []string{c, ""})
		}
		if err := f([]string{key}, rows...); err != nil {
			t.Fatal(err)
		}
	}
	put(tab.last, "total", "9")
	put(tab.put, "a", "1", "2")
	put(tab.put, "b", "3")
	put(tab.put, "a", "4")
	put(tab.last, "total", "10")
	put(tab.put, "none")
	var got []string
	for _, r := range openTable(t, b).records() {
		got = append(got, r.get("package")+r.get("legal"))
	}
	if want := []string{"a4", "b3", "total10"}; !reflect.DeepEqual(got, want) {
		t.Errorf("rows = %q, want %q", got, want)
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "demo-2026-01-31.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	text := lines(string(data))
	if !regexp.MustCompile(`^# bench demo, 2026-01-31, go\S+ \w+/\w+, \d+ cores, foray abc, -t=5s$`).MatchString(text[0]) {
		t.Errorf("comment line: %s", text[0])
	}
	if want := "package\tlegal\terrors\tforay\tflags"; text[1] != want {
		t.Errorf("columns: %q, want %q", text[1], want)
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		name string
		only *regexp.Regexp
		want string
	}{
		{"all", nil, "new"},
		{"some", regexp.MustCompile("new"), "old new"},
	} {
		b := newBench(t)
		tab := openTable(t, b)
		for _, p := range []string{"old", "new"} {
			if err := tab.put([]string{p}, []string{"1", ""}); err != nil {
				t.Fatal(err)
			}
		}
		b.foray.version, b.only = "def", c.only
		tab = openTable(t, b)
		if err := tab.put([]string{"new"}, []string{"2", ""}); err != nil {
			t.Fatal(err)
		}
		if err := b.complete(tab); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range openTable(t, b).rows {
			got = append(got, r[0])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: rows = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadRows(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       [][]string
		err        string
	}{
		{"empty", "", nil, ""},
		{"comments", "# one\n# two\na\tb\n1\t2\n", [][]string{{"1", "2"}}, ""},
		{"other order", "b\ta\n1\t2\n", [][]string{{"2", "1"}}, ""},
		{"a column less", "a\n1\n", [][]string{{"1", ""}}, ""},
		{"a column more", "a\tc\tb\n1\t2\t3\n", [][]string{{"1", "3"}}, ""},
		{"a cell less", "a\tb\n1\n", nil, "line 2: 1 cells, want 2"},
	} {
		got, err := readRows(c.text, []string{"a", "b"})
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{3, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	zero := 0.0
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{1.25, 1, "1.2"}, {12, 0, "12"}, {zero / zero, 1, ""}, {1 / zero, 1, ""}, {1e301, 1, ""},
	} {
		if got := decimal(c.v, c.digits); got != c.want {
			t.Errorf("decimal(%v, %d) = %q, want %q", c.v, c.digits, got, c.want)
		}
	}
}
