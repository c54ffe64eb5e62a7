package exhaustive_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/draw"
	"foray.test/harness/exhaustive"
)

// A tree is the subject of many tests: a binary tree, or a red-black tree if red
// is used.
type tree struct {
	left, right *tree
	key         int
	red         bool
}

func (t *tree) String() string {
	if t == nil {
		return "."
	}
	color := ""
	if t.red {
		color = "r"
	}
	return fmt.Sprintf("(%v%s%v)", t.left, color, t.right)
}

// shapes generates a binary tree of n nodes.
func shapes(c *exhaustive.C, n int) *tree {
	if n == 0 {
		return nil
	}
	l := c.Int(0, n-1)
	return &tree{left: shapes(c, l), right: shapes(c, n-1-l)}
}

func runs[T any](t *testing.T, s *exhaustive.Cases[T]) exhaustive.Stats {
	t.Helper()
	stats, err := s.Count()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A000108.
var catalan = []int64{1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796, 58786, 208012, 742900, 2674440}

func TestBinaryTreesAreCatalan(t *testing.T) {
	sum := int64(0)
	for n := range 12 {
		stats := runs(t, exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, n) }))
		expect(t, fmt.Sprint("cases of ", n), stats.Cases, catalan[n])
		expect(t, fmt.Sprint("runs of ", n), stats.Runs, catalan[n])
		sum += catalan[n]
	}
	expect(t, "sizes 0 to 11", runs(t, exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 11)) })).Cases, sum)
}

func TestNoCaseTwice(t *testing.T) {
	seen := map[string]bool{}
	for c, v := range exhaustive.All(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 7)) }) {
		if s := v.String(); seen[s] {
			t.Errorf("case %v: %s twice", c, s)
		} else {
			seen[s] = true
		}
	}
	expect(t, "distinct trees", len(seen), 626)
}

// A naive twin: all answers to a fixed list of questions are a mixed-radix counter.
func TestOrderIsLexicographic(t *testing.T) {
	var got, want []string
	for c, v := range exhaustive.All(func(c *exhaustive.C) string {
		return fmt.Sprint(c.Int(1, 3), c.Bool(), c.Int(7, 7), exhaustive.OneOf(c, "a", "b"))
	}) {
		got = append(got, c.String()+" "+v)
	}
	for i := range 3 {
		for j := range 2 {
			for k := range 2 {
				want = append(want, fmt.Sprintf("%d.%d.%d %d %v 7%s", i, j, k, i+1, j == 1, "ab"[k:k+1]))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAssumeAndDrop(t *testing.T) {
	even := func(drop bool) exhaustive.Stats {
		return runs(t, exhaustive.Generate(func(c *exhaustive.C) int {
			a, b := c.Int(0, 9), 0
			if drop && a%2 == 1 {
				c.Drop()
				return 0
			}
			c.Assume(a%2 == 0)
			if b = c.Int(0, 9); b > a {
				c.Drop()
			}
			return a + b
		}))
	}
	for _, drop := range []bool{false, true} {
		stats := even(drop)
		expect(t, "cases", stats.Cases, 1+3+5+7+9)
		expect(t, "runs", stats.Runs, 5+50)
	}
}

// A000170. Every prefix of a placement is checked when it is made.
func TestQueens(t *testing.T) {
	for n, want := range map[int]int64{6: 4, 7: 40, 8: 92} {
		expect(t, fmt.Sprint(n, " queens"), runs(t, exhaustive.Generate(func(c *exhaustive.C) []int {
			var at []int
			for row := range n {
				col := c.Int(0, n-1)
				for r, k := range at {
					if k == col || k-col == row-r || col-k == row-r {
						c.Drop()
						return nil
					}
				}
				at = append(at, col)
			}
			return at
		})).Cases, want)
	}
}

// A generator that was written for a random source enumerates.
func TestSource(t *testing.T) {
	dice := func(src *draw.Source) int { return src.Choose("a", 6) + src.Choose("b", 6) }
	sums := map[int]int{}
	for _, v := range exhaustive.All(func(c *exhaustive.C) int { return dice(c.Source()) }) {
		sums[v]++
	}
	expect(t, "ways to throw 5", sums[5], 6)
	expect(t, "sums", len(sums), 11)
}

func TestReplay(t *testing.T) {
	s := exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 5)) })
	for c, v := range s.All() {
		again, err := s.Replay(c.String())
		if err != nil || again.String() != v.String() {
			t.Fatalf("case %v: got %v, %v, want %v", c, again, err, v)
		}
		c2, v2, ok := s.Decode(c.Bytes())
		if !ok || v2.String() != v.String() || c2.String() != c.String() {
			t.Fatalf("case %v: bytes % x decode to %v", c, c.Bytes(), c2)
		}
	}
	none := exhaustive.Generate(func(*exhaustive.C) int { return 7 })
	for c, v := range none.All() {
		expect(t, "identity without choices", c.String(), "-")
		again, err := none.Replay(c.String())
		expect(t, "its replay", again, v)
		expect(t, "its error", err, nil)
	}
}

func TestReplayErrors(t *testing.T) {
	s := exhaustive.Generate(func(c *exhaustive.C) int {
		a := c.Int(0, 3)
		c.Assume(a != 2)
		return a
	})
	for id, want := range map[string]string{
		"x":    `identity "x": want numbers separated by dots, as in 3.0.1, or -`,
		"7":    "case 7: choice 1 of the identity is 7, but at generate_test.go:",
		"3.1":  "case 3.1: the identity has 2 choices, but the case 1",
		"2":    "case 2: the case is dropped",
		"3..1": `identity "3..1": want numbers`,
	} {
		if _, err := s.Replay(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", id, err, want)
		}
	}
}

func TestDepth(t *testing.T) {
	var digits func(c *exhaustive.C) string
	digits = func(c *exhaustive.C) string {
		if !c.Bool() {
			return ""
		}
		return string(rune('a'+c.Int(0, 2))) + digits(c)
	}
	s := exhaustive.Generate(digits)
	s.Depth = 7
	stats := runs(t, s)
	expect(t, "words of 0 to 3 letters", stats.Cases, 1+3+9+27)
	expect(t, "cut", stats.Cut, 27*1)
	s.ShortestFirst = true
	last, shortest := -1, 0
	for _, w := range s.All() {
		if len(w) < last {
			t.Errorf("%q comes after a word of %d letters", w, last)
		}
		last = len(w)
		shortest++
	}
	expect(t, "shortest first", shortest, 1+3+9+27)
}

func TestBreak(t *testing.T) {
	n := 0
	for range exhaustive.All(func(c *exhaustive.C) int { return c.Int(0, 9) }) {
		if n++; n == 3 {
			break
		}
	}
	expect(t, "cases before break", n, 3)
}

func TestEachNamesTheCase(t *testing.T) {
	bad := errors.New("bad")
	stats, err := exhaustive.Generate(func(c *exhaustive.C) int { return c.Int(0, 3)*10 + c.Int(0, 9) }).Each(func(_ *exhaustive.C, v int) error {
		if v == 17 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || err.Error() != "exhaustive: case 1.7: bad" {
		t.Errorf("got %v", err)
	}
	expect(t, "runs", stats.Runs, 18)
}

func TestWorkersVisitEveryCaseOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		s := exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 9)) })
		s.Workers = workers
		seen := make(chan string, 1<<14)
		stats, err := s.Each(func(c *exhaustive.C, v *tree) error {
			seen <- c.String()
			return nil
		})
		close(seen)
		all := map[string]bool{}
		for id := range seen {
			all[id] = true
		}
		expect(t, "error", err, nil)
		expect(t, fmt.Sprint("distinct cases of ", workers, " workers"), len(all), 6918)
		expect(t, "cases", stats.Cases, 6918)
		expect(t, "runs", stats.Runs, 6918)
	}
}

// The failure reported is the first one in the order of the walk, whichever worker
// meets one first.
func TestWorkersReportTheFirstFailure(t *testing.T) {
	for range 20 {
		s := exhaustive.Generate(func(c *exhaustive.C) int { return c.Int(0, 99)*100 + c.Int(0, 99) })
		s.Workers = 4
		_, err := s.Each(func(_ *exhaustive.C, v int) error {
			if v%1000 == 321 {
				return errors.New("bad")
			}
			return nil
		})
		expect(t, "failure", fmt.Sprint(err), "exhaustive: case 3.21: bad")
	}
}

func TestMinimize(t *testing.T) {
	s := exhaustive.Generate(func(c *exhaustive.C) []int {
		list := make([]int, c.Int(0, 8))
		for i := range list {
			list[i] = c.Int(0, 50)
		}
		return list
	})
	unsorted := func(list []int) bool { return !slices.IsSorted(list) }
	id := s.Minimize("6.3.9.12.40.7.50", unsorted)
	v, err := s.Replay(id)
	expect(t, "identity", id, "2.1.0")
	expect(t, "error", err, nil)
	expect(t, "value", fmt.Sprint(v), "[1 0]")
	expect(t, "a case that does not fail", s.Minimize("2.3.4", unsorted), "2.3.4")
}
