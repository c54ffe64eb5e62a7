package strategy

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"foray.test/cmd/internal/concolic"
)

// The interpreter allocates much. To collect garbage rarely saves a quarter of the processor time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// explorer explores a function of a package of testdata.
func explorer(t testing.TB, p *concolic.Program, name string, s concolic.Shape, o Options) *Explorer {
	t.Helper()
	m := p.NewMachine(concolic.Limits{})
	in, err := m.NewInput(p.Targets[0].Func(name), s)
	if err != nil {
		t.Fatal(err)
	}
	return New(m, in, o)
}

// programs are the packages of testdata that load has loaded.
var programs = map[string]*concolic.Program{}

// load loads a package of testdata, once for all tests.
func load(t testing.TB, pkg string) *concolic.Program {
	t.Helper()
	if programs[pkg] == nil {
		p, err := concolic.Load(concolic.Config{Patterns: []string{"./testdata/" + pkg}})
		if err != nil {
			t.Fatal(err)
		}
		programs[pkg] = p
	}
	return programs[pkg]
}

func pathOf(run *concolic.Run) string {
	s := ""
	for _, c := range run.Path {
		s += fmt.Sprint(2*c.Site+int32(c.Side), " ")
	}
	return s
}

// Depth-first search finds each path once. For keys that go into a search tree they are
// the weak orders of the keys: the ordered Bell numbers.
func TestPathsOfTree(t *testing.T) {
	p := load(t, "tree")
	for _, tt := range []struct {
		name string
		want int
	}{{"Four", 75}, {"Six", 4683}} {
		paths := map[string]bool{}
		x := explorer(t, p, tt.name, concolic.Shape{}, Options{Runs: 10_000, Visit: func(run *concolic.Run, _ bool) { paths[pathOf(run)] = true }})
		DepthFirst.Search(x)
		if x.Runs != tt.want || len(paths) != tt.want {
			t.Errorf("%s: %d runs, %d paths, want %d", tt.name, x.Runs, len(paths), tt.want)
		}
		if x.Strayed > 0 || x.Unknown > 0 {
			t.Errorf("%s: %d strayed, %d unknown", tt.name, x.Strayed, x.Unknown)
		}
	}
}

// Arithmetic, keywords, symbolic lengths, indices and divisors are solved for; panics on
// the way are found.
func TestSolves(t *testing.T) {
	p := load(t, "tree")
	for _, tt := range []struct {
		name   string
		runs   int
		panics int // at least
	}{{"Magic", 20, 0}, {"Keyword", 200, 2}, {"Straight", 10, 0}} {
		panics := map[string]bool{}
		x := explorer(t, p, tt.name, concolic.Shape{MaxLength: 8}, Options{Runs: tt.runs, Visit: func(run *concolic.Run, _ bool) {
			if run.Panic != "" {
				panics[run.Panic] = true
			}
		}})
		Mixed.Search(x)
		if taken, of := x.Coverage(); taken != of {
			t.Errorf("%s: %d of %d sides in %d runs, want all", tt.name, taken, of, x.Runs)
		}
		if len(panics) < tt.panics {
			t.Errorf("%s: panics %v, want %d", tt.name, panics, tt.panics)
		}
	}
}

// Frontier decides a condition by the branches of a function that was called before it,
// though all of their sides are taken.
func TestApproach(t *testing.T) {
	x := explorer(t, load(t, "tree"), "Digits", concolic.Shape{}, Options{Runs: 50})
	Frontier.Search(x)
	if taken, of := x.Coverage(); taken != of {
		t.Errorf("%d of %d sides in %d runs, want all", taken, of, x.Runs)
	}
}

// Branches far before a condition are forced, even if all tries at those near it are used up.
func TestApproachFar(t *testing.T) {
	for distance := range 2 {
		found := false
		x := explorer(t, load(t, "tree"), "Distant", concolic.Shape{}, Options{Runs: 50, Part: Approach, Distance: distance, Visit: func(run *concolic.Run, _ bool) {
			found = found || slices.Equal(run.Results, []string{"100"})
		}})
		for _, side := range x.flow().sides {
			x.approaches[side] = reach * maxFrontierTries
		}
		if Frontier.Search(x); found != (distance == 1) {
			t.Errorf("at distance %d: found %v in %d runs", distance, found, x.Runs)
		}
	}
}

// Sweeping comes to a condition behind a side that only failing calls have taken.
func TestSweep(t *testing.T) {
	for _, part := range []Part{Whole, Sweep} {
		x := explorer(t, load(t, "tree"), "Nested", concolic.Shape{}, Options{Runs: 50, Part: part})
		inner := x.flow().sides[2]
		x.Ask(func(side int32) bool { return side != inner })
		Frontier.Search(x)
		if x.Ran()[inner] != (part == Sweep) {
			t.Errorf("part %d: side taken: %v in %d runs, want that by sweeping alone", part, x.Ran()[inner], x.Runs)
		}
	}
}

// A search for a byte in constant text is one branch.
func TestMember(t *testing.T) {
	x := explorer(t, load(t, "tree"), "Member", concolic.Shape{}, Options{Runs: 50})
	for _, a := range []uint64{'_', 'x', 'c'} {
		run, _ := x.Run(x.in.Model([]any{a}))
		if len(run.Path) != 1 || (run.Path[0].Side == 0) != (a == 'c') {
			t.Errorf("%q: path %v, want one branch", rune(a), run.Path)
		}
	}
}

// An input for one branch alone may take its side on another path.
func TestRelax(t *testing.T) {
	x := explorer(t, load(t, "tree"), "Detour", concolic.Shape{}, Options{Runs: 50})
	run, _ := x.Run(x.in.Zero())
	if next, _, _ := x.Force(run, 1); next != nil || x.Unsat != 1 {
		t.Fatalf("%d paths refuted, want the one to n == 40", x.Unsat)
	}
	c := &run.Path[1]
	x.Relax(run, 1)
	if side := 2*c.Site + 1 - int32(c.Side); x.Taken(side) || x.Runs != 2 {
		t.Errorf("taken: %v, in %d runs, want 2; 40 leads to 80", x.Taken(side), x.Runs)
	}
	Frontier.Search(x)
	if taken, of := x.Coverage(); taken != of {
		t.Errorf("%d of %d sides in %d runs, want all", taken, of, x.Runs)
	}
}

// subject is a program of [Burnim08 §5], with the sizes of its arguments there.
type subject struct {
	pkg, name      string
	lengths, short []int // short: for depth-first search
	depth          int
}

var (
	replaceSubject = subject{"replace", "Replace", []int{10, 10, 20}, []int{5, 5, 20}, 14}
	grepSubject    = subject{"grep", "Grep", []int{20, 40}, []int{5, 40}, 12}
)

// sides returns how many sides a strategy takes, of how many.
func (s *subject) sides(t testing.TB, p *concolic.Program, st Strategy, runs int, seed uint64) (taken, of int) {
	lengths := s.lengths
	if st.Name == DepthFirst.Name {
		lengths = s.short
	}
	x := explorer(t, p, s.name, concolic.Shape{Lengths: lengths}, Options{Runs: runs, Seed: seed, Depth: s.depth})
	st.Search(x)
	if x.Aborted[concolic.ReasonNone] != x.Runs || x.Timeouts() > 0 {
		t.Errorf("%s, %s: runs by reason %v, %d timeouts, want none aborted", s.name, st.Name, x.Aborted, x.Timeouts())
	}
	return x.Coverage()
}

// After 300 runs, the strategies that solve for single branches have covered more of a
// matcher than random input, and depth-first search less: [Burnim08 figure 2].
func TestOrderOfStrategies(t *testing.T) {
	p := load(t, "grep")
	taken := map[string]int{}
	for _, st := range All {
		n, of := grepSubject.sides(t, p, st, 300, 1)
		if again, _ := grepSubject.sides(t, p, st, 300, 1); again != n {
			t.Errorf("%s: %d sides, and %d with the same seed", st.Name, n, again)
		}
		t.Logf("%s: %d of %d", st.Name, n, of)
		taken[st.Name] = n
	}
	random := taken[RandomInput.Name]
	for _, st := range []Strategy{Mixed, Directed} {
		if taken[st.Name]*10 < random*13 {
			t.Errorf("%s: %d sides, random input %d, want 1.3 times as many", st.Name, taken[st.Name], random)
		}
	}
	if n := taken[RandomBranch.Name]; n <= random {
		t.Errorf("%s: %d sides, random input %d, want more", RandomBranch.Name, n, random)
	}
	if n := taken[DepthFirst.Name]; n >= random {
		t.Errorf("%s: %d sides, random input %d, want fewer", DepthFirst.Name, n, random)
	}
}

// BenchmarkStrategies prints the figures that docs/papers.md has beside those of
// [Burnim08 §5]: sides taken, mean of three seeds.
//
//	go test -run - -bench Strategies -benchtime 1x
func BenchmarkStrategies(b *testing.B) {
	for _, s := range []subject{replaceSubject, grepSubject} {
		p := load(b, s.pkg)
		for _, st := range All {
			for _, runs := range []int{300, 3000} {
				b.Run(fmt.Sprintf("%s/%s/runs=%d", s.pkg, st.Name, runs), func(b *testing.B) {
					sum, of := 0, 0
					for range b.N {
						sum = 0
						for seed := range uint64(3) {
							var n int
							n, of = s.sides(b, p, st, runs, seed)
							sum += n
						}
					}
					b.ReportMetric(float64(sum)/3, "sides")
					b.ReportMetric(float64(of), "all")
					b.ReportMetric(float64(3*runs*b.N)/b.Elapsed().Seconds(), "runs/s")
				})
			}
		}
	}
}
