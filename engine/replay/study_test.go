package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/corpus/store"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
)

func TestBench(t *testing.T) {
	table := workertest.Table("Crash", "Leave")
	c := config(t, table)
	workertest.LeavesNothing(t, func() {
		b := NewBench(c)
		defer b.Close()
		study := func(text string) Study {
			t.Helper()
			st, err := b.Study(t.Context(), workertest.Parse(t, table, text))
			if err != nil {
				t.Fatal(err)
			}
			return st
		}
		one := study("v0 := planted.New(); v0.Put(1)")
		if one.Verdict != nil || !slices.Contains(one.Sides, 101) || len(one.Values) != 1 || one.Values[0].Type != workertest.TypeBox || one.State == 0 {
			t.Errorf("a whole run: %+v", one)
		}
		if st := study("v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave()"); st.Verdict == nil || len(st.Values) > 0 {
			t.Errorf("the process ends: %+v, want a verdict and no values", st)
		}
		// Another process does the same.
		if st := study("v0 := planted.New(); v0.Put(1)"); st.State != one.State || !slices.Equal(st.Sides, one.Sides) {
			t.Errorf("run again: %+v, before %+v", st, one)
		}
		if st := study("v0 := planted.New(); v0.Put(2)"); st.State == one.State {
			t.Errorf("another number: %+v, before %+v", st, one)
		}
		if st := study("v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Crash()"); st.Verdict == nil || len(st.Values) > 0 {
			t.Errorf("a panic: %+v, want a verdict and no values", st)
		}
		for _, test := range []struct {
			other string
			want  bool
		}{
			{"v0 := planted.New(); v1 := planted.New(); v0.Put(1); v1.Put(1)", true},
			{"v0 := planted.New(); v0.Put(2)", false},
		} {
			alike, err := b.Alike(t.Context(), workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1)"), workertest.Parse(t, table, test.other))
			if err != nil || alike != test.want {
				t.Errorf("alike %q: %v, %v, want %v", test.other, alike, err, test.want)
			}
		}
	})
}

func TestBenchPrune(t *testing.T) {
	table := workertest.Table("Crash", "Leave")
	c := config(t, table)
	workertest.LeavesNothing(t, func() {
		b := NewBench(c)
		defer b.Close()
		for _, test := range []struct{ name, text, want string }{
			{"nothing to go", "v0 := planted.New()\nv0.Put(1)\n", "v0 := planted.New()\nv0.Put(1)\n"},
			{"twice the same", "v0 := planted.New()\nv1 := planted.New()\nv0.Put(1)\nv1.Put(1)\nv0.Put(1)\n", "v0 := planted.New()\nv0.Put(1)\n"},
			{"two sides", "v0 := planted.New()\nv0.Put(3)\nv0.Put(1)\nv0.Put(2)\n", "v0 := planted.New()\nv0.Put(3)\nv0.Put(1)\nv0.Put(2)\n"},
			{"what breaks stays", "v0 := planted.New()\nv0.Put(1)\nv0.Put(2)\nv0.Leave()\n", "v0 := planted.New()\nv0.Put(1)\nv0.Put(2)\nv0.Leave()\n"},
		} {
			s, st, err := b.Prune(t.Context(), workertest.Parse(t, table, test.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := table.String(s); got != test.want {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
			if again, err := b.Study(t.Context(), s); err != nil || !slices.Equal(again.Sides, st.Sides) || again.State != st.State {
				t.Errorf("%s: %+v, run again %+v, %v", test.name, st, again, err)
			}
		}
	})
}

// BenchmarkReplay loads, parses and runs 10,000 stored entries of 20 steps.
func BenchmarkReplay(b *testing.B) {
	table := workertest.Table()
	c := config(b, table)
	dir := b.TempDir()
	if _, err := store.Open(dir); err != nil {
		b.Fatal(err)
	}
	const entries = 10_000
	for i := range entries {
		text := "v0 := planted.New()\nv0.Put(" + strconv.Itoa(i) + ")\n" + strings.Repeat("v0.Put(1)\n", 18)
		// Not by Put: how long syncs take is not of interest here.
		if err := os.WriteFile(filepath.Join(dir, "entries", store.ID(text)), []byte("foray corpus v1\n"+text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		s, err := store.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		stored, problems, err := s.Load()
		if err != nil || len(problems) > 0 || len(stored) != entries {
			b.Fatal(len(stored), problems, err)
		}
		parser, err := seq.NewParser(table)
		if err != nil {
			b.Fatal(err)
		}
		list := make([]seq.Sequence, len(stored))
		for i, e := range stored {
			if list[i], err = parser.Parse(e.Statements); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := All(b.Context(), c, list, func(_ int, x Shown) {
			if x.Verdict != nil || x.Error != nil {
				b.Fatal(x)
			}
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*entries)/b.Elapsed().Seconds(), "entries/s")
}
