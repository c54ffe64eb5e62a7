package exhaustive_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"foray.test/harness/exhaustive"
)

// cpuTime returns the processor time of the process, which other load does not count
// in.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perSecond reports the millions of things that count returns, in b.N runs and a
// second of processor time.
func perSecond(b *testing.B, unit string, count func() int64) {
	n, begun := int64(0), cpuTime()
	for b.Loop() {
		n += count()
	}
	b.ReportMetric(float64(n)/(cpuTime()-begun).Seconds()/1e6, "M"+unit+"/s")
}

// count returns the number of runs of a walk.
func count[T any](b *testing.B, s *exhaustive.Cases[T]) int64 {
	stats, err := s.Count()
	if err != nil {
		b.Fatal(err)
	}
	return stats.Runs
}

// An arena holds the nodes of one tree, which the next one overwrites.
type arena struct {
	nodes []tree
	used  int
}

func (a *arena) shapes(c *exhaustive.C, n int) *tree {
	if n == 0 {
		return nil
	}
	t := &a.nodes[a.used]
	a.used++
	l := c.Choose("", n)
	t.left = a.shapes(c, l)
	t.right = a.shapes(c, n-1-l)
	return t
}

func BenchmarkGenerateArena(b *testing.B) {
	b.ReportAllocs()
	a := &arena{nodes: make([]tree, 14)}
	trees := exhaustive.Generate(func(c *exhaustive.C) *tree {
		a.used = 0
		return a.shapes(c, 14)
	})
	perSecond(b, "structures", func() int64 { return count(b, trees) })
}

func BenchmarkGenerateFresh(b *testing.B) {
	trees := exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, 14) })
	perSecond(b, "structures", func() int64 { return count(b, trees) })
}

// The two ways to drop a case.
func BenchmarkDropped(b *testing.B) {
	for _, drop := range []bool{false, true} {
		b.Run(fmt.Sprint("drop=", drop), func(b *testing.B) {
			none := exhaustive.Generate(func(c *exhaustive.C) int {
				a := c.Int(0, 99_999)
				if drop {
					c.Drop()
					return 0
				}
				c.Assume(a < 0)
				return a
			})
			perSecond(b, "runs", func() int64 { return count(b, none) })
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{8, 9, 10} {
		b.Run(fmt.Sprint("trees=", n), func(b *testing.B) {
			b.ReportAllocs()
			perSecond(b, "candidates", func() int64 {
				got := count(b, searchTrees(n))
				if got != searchTreeCandidates[n] {
					b.Fatalf("%d candidates, want %d", got, searchTreeCandidates[n])
				}
				return got
			})
		})
	}
}

// slab hands out the nodes of one tree after the other.
type slab struct {
	nodes []tree
	used  int
}

func (s *slab) join(l, r *tree) *tree { return s.colored(l, r, false) }

func (s *slab) colored(l, r *tree, red bool) *tree {
	t := &s.nodes[s.used]
	s.used++
	*t = tree{left: l, right: r, red: red}
	return t
}

func BenchmarkEnumShared(b *testing.B) {
	for _, e := range []struct {
		name string
		enum func(s *slab) *exhaustive.Enum[*tree]
	}{
		{"binary=14", func(s *slab) *exhaustive.Enum[*tree] { return binary(join).Of(14) }},
		{"redblack=20", func(s *slab) *exhaustive.Enum[*tree] { return anyRedBlack(redBlacks(colored), 20, true) }},
		{"redblack=24", func(s *slab) *exhaustive.Enum[*tree] { return anyRedBlack(redBlacks(colored), 24, true) }},
	} {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			perSecond(b, "structures", func() (n int64) {
				for range e.enum(nil).Shared() {
					n++
				}
				return n
			})
		})
	}
}

func BenchmarkEnumAll(b *testing.B) {
	e := binary(join).Of(14)
	perSecond(b, "structures", func() (n int64) {
		for range e.All() {
			n++
		}
		return n
	})
}

// Samples beyond 64 bits: there are 9e53 binary and 6e29 red-black trees.
func BenchmarkEnumSampleLarge(b *testing.B) {
	for name, e := range map[string]*exhaustive.Enum[*tree]{"binary=95": binary(join).Of(95), "redblack=95": anyRedBlack(redBlacks(colored), 95, true)} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			perSecond(b, "samples", func() int64 {
				e.Sample(r)
				return 1
			})
		})
	}
}

func BenchmarkEnumSample(b *testing.B) {
	for _, n := range []int{14, 20, 30} {
		for _, kind := range []string{"binary", "redblack"} {
			for _, fresh := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s=%d/fresh=%v", kind, n, fresh), func(b *testing.B) {
					b.ReportAllocs()
					s := &slab{nodes: make([]tree, n)}
					two, three := s.join, s.colored
					if fresh {
						two, three = join, colored
					}
					e := binary(two).Of(n)
					if kind == "redblack" {
						e = anyRedBlack(redBlacks(three), n, true)
					}
					r := rand.New(rand.NewPCG(1, 2))
					perSecond(b, "samples", func() int64 {
						for range 1000 {
							s.used = 0
							e.Sample(r)
						}
						return 1000
					})
				})
			}
		}
	}
}

// The largest sizes of [Zaeem12 table 1], but red-black trees of 7 in place of 9.
func BenchmarkDynamicProgramming(b *testing.B) {
	for _, input := range []struct {
		name string
		dpInput
	}{{"lists=17", dpLists(17)}, {"trees=12", dpTrees(12)}, {"redblack=7", dpRedBlack(7)}, {"fibonacci=6", dpFibonacci(6)}} {
		for _, lazy := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/lazy=%v", input.name, lazy), func(b *testing.B) {
				perSecond(b, "candidates", func() int64 {
					d := &dpRun{dpInput: input.dpInput, lazy: lazy}
					d.generate()
					b.ReportMetric(float64(len(d.records)), "valid")
					return d.candidates
				})
			})
		}
	}
}

func BenchmarkSearchRedBlack(b *testing.B) {
	for _, n := range []int{9, 11} {
		b.Run(fmt.Sprint("trees=", n), func(b *testing.B) {
			perSecond(b, "candidates", func() int64 {
				got := count(b, redBlackSearch(n))
				if want := redBlackCandidates[n]; got != want {
					b.Fatalf("%d candidates, want %d", got, want)
				}
				return got
			})
		})
	}
}

// Two workers against one. The rate is a sum over both: if it is that of one, two idle
// cores take half the time.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("search/workers=", workers), func(b *testing.B) {
			s := searchTrees(8)
			s.Workers = workers
			perSecond(b, "candidates", func() int64 { return count(b, s) })
		})
		b.Run(fmt.Sprint("generate/workers=", workers), func(b *testing.B) {
			s := exhaustive.Generate(func(c *exhaustive.C) int { return shapes(c, 12).size() })
			s.Workers = workers
			perSecond(b, "structures", func() int64 { return count(b, s) })
		})
	}
}

// The search trees over eight keys, by calls. States are told apart by the whole value, or
// by a text of it.
func BenchmarkExplore(b *testing.B) {
	for name, abstract := range map[string]func(*searchTree) any{
		"whole": nil,
		"text":  func(s *searchTree) any { return string(s.root.appendShape(nil, true)) },
	} {
		b.Run("trees=8/"+name, func(b *testing.B) {
			b.ReportAllocs()
			calls := exhaustive.Explore(newSearchTree, searchTreeOps(8))
			calls.Depth, calls.Abstract = 9, abstract
			perSecond(b, "transitions", func() int64 {
				got, err := calls.Check(func(*searchTree) error { return nil })
				if err != nil || got.States != 12235 || got.Transitions != 16*12235 {
					b.Fatal(got, err)
				}
				return got.Transitions
			})
		})
	}
}
