package strategy

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/cmd/internal/concolic"
)

// A solved method has the runs of a method on valid structures.
type solvedMethod struct {
	*Explorer
	runs []*concolic.Run
}

// structuresOf solves for a method of a type, with up to bound objects of a type.
func structuresOf(t testing.TB, p *concolic.Program, typ, method string, bound int) *solvedMethod {
	t.Helper()
	pkg := p.Targets[0]
	fn := pkg.Prog.LookupMethod(types.NewPointer(pkg.Pkg.Scope().Lookup(typ).Type()), pkg.Pkg, method)
	m := p.NewMachine(concolic.Limits{})
	in, err := m.NewStructures(fn, concolic.Shape{}, bound)
	if err != nil {
		t.Fatal(err)
	}
	s := &solvedMethod{Explorer: New(m, in, Options{Runs: 1_000_000})}
	seen := map[string]bool{}
	Structures(s.Explorer, func(run *concolic.Run) {
		text := testOf(in.Structure(run), "Test")
		if seen[text] || !run.Valid {
			t.Errorf("%s.%s with %d objects: again, or not valid:\n%s", typ, method, bound, text)
		}
		seen[text] = true
		s.runs = append(s.runs, run)
	})
	if s.Strayed > 0 || s.Unknown > 0 {
		t.Errorf("%s.%s with %d objects: %d runs strayed, %d queries not answered", typ, method, bound, s.Strayed, s.Unknown)
	}
	return s
}

func testOf(s concolic.Structure, name string) string {
	var b strings.Builder
	s.WriteTest(&b, name, "")
	return b.String()
}

// A search compares its key with k nodes, going left or right of each but the last, or ends
// below the last: that makes 3·2ⁿ-2 paths in trees of up to n nodes. Trees are counted by the
// Catalan numbers.
func TestStructuresOfSearchTree(t *testing.T) {
	p := load(t, "search")
	trees := 0
	for n, catalan := range []int{1, 1, 2, 5, 14} {
		trees += catalan
		if s := structuresOf(t, p, "Tree", "RepOK", n); len(s.runs) != trees {
			t.Errorf("%d trees of up to %d nodes, want %d", len(s.runs), n, trees)
		}
		if s := structuresOf(t, p, "Tree", "Contains", n); len(s.runs) != 3<<n-2 {
			t.Errorf("%d paths of a search in trees of up to %d nodes, want %d", len(s.runs), n, 3<<n-2)
		}
	}
}

// Structures are the input as it was before the method changed it. There is one for each
// position of the key, and each shape that the removal distinguishes there.
func TestStructuresBeforeRemoval(t *testing.T) {
	s := structuresOf(t, load(t, "search"), "Tree", "Remove", 2)
	var got []string
	for _, run := range s.runs {
		in := s.in.Structure(run)
		got = append(got, strings.Join(append(in.Setup, in.Call), "; "))
	}
	slices.Sort(got)
	want := []string{
		"v0 := &Tree{root: &node{key: -1}, size: 1}; v0.Remove(0)",
		"v0 := &Tree{root: &node{left: &node{key: -1}}, size: 2}; v0.Remove(-1)",
		"v0 := &Tree{root: &node{left: &node{key: -1}}, size: 2}; v0.Remove(-2)",
		"v0 := &Tree{root: &node{left: &node{key: -1}}, size: 2}; v0.Remove(0)",
		"v0 := &Tree{root: &node{left: &node{key: -2}}, size: 2}; v0.Remove(-1)",
		"v0 := &Tree{root: &node{right: &node{key: -1}, key: -2}, size: 2}; v0.Remove(0)",
		"v0 := &Tree{root: &node{right: &node{key: 1}, key: -1}, size: 2}; v0.Remove(0)",
		"v0 := &Tree{root: &node{right: &node{}, key: -1}, size: 2}; v0.Remove(-1)",
		"v0 := &Tree{root: &node{right: &node{}, key: -1}, size: 2}; v0.Remove(0)",
		"v0 := &Tree{root: &node{}, size: 1}; v0.Remove(-1)",
		"v0 := &Tree{root: &node{}, size: 1}; v0.Remove(0)",
		"v0 := &Tree{}; v0.Remove(0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The numbers of red-black trees with a black root by size, and the 85 of up to seven nodes
// with any root, were counted by recurrence. The 271 of up to nine take nine seconds more.
// [Visser04 §4.2], [Gligoric09]
func TestRedBlackStructures(t *testing.T) {
	p := load(t, "treemap")
	got := make([]int, 7)
	s := structuresOf(t, p, "TreeMap", "RepOK", 6)
	for _, run := range s.runs {
		got[s.in.Structure(run).Objects-1]++
	}
	if want := []int{1, 1, 2, 2, 4, 8, 16}; !slices.Equal(got, want) {
		t.Errorf("trees with a black root by size: %v, want %v", got, want)
	}
	if testing.Short() {
		return
	}
	if s := structuresOf(t, p, "Subtree", "RepOK", 7); len(s.runs) != 85 {
		t.Errorf("%d trees with any root of up to seven nodes, want 85", len(s.runs))
	}
}

// White-box tests of TreeMap take all sides of its three helpers that can be taken, on no more
// than the 11 trees of [Visser04 table 3], of which each serves any number of calls. Sides that
// cannot be taken: of deleteEntry, that an entry with one child is red, and that an entry that is
// to be removed has lost its parent or is no child of it; of fixAfterInsertion, that x is nil, and
// twice that a red parent has none. Natively, too, the precondition holds before each test and
// after it.
func TestTreeMapCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := load(t, "treemap")
	want := map[string]int{"deleteEntry": 23, "fixAfterDeletion": 22, "fixAfterInsertion": 17}
	byTree, got := map[string]map[string]bool{}, map[string]int{}
	file, tests := "package treemap\n\nimport \"testing\"\n\n", 0
	for _, of := range []struct {
		method string
		nodes  int // with fewer not all sides are taken
	}{{"Put", 4}, {"Remove", 5}} {
		s := structuresOf(t, p, "TreeMap", of.method, of.nodes)
		helperOf := func(side int32) string { return s.m.Sites[side/2].Function.Name() }
		counts := func(side int32) bool { return want[helperOf(side)] > 0 }
		taken := map[int32]bool{}
		for _, run := range Cover(s.runs, counts) {
			tests++
			for key := range run.Sides {
				if side := int32(key & (1<<32 - 1)); counts(side) && !taken[side] {
					taken[side] = true
					got[helperOf(side)]++
				}
			}
			file += testOf(s.in.Structure(run), fmt.Sprintf("Test%s%d", of.method, tests))
		}
		for _, run := range s.runs {
			tree := withoutKeys(s.in.Structure(run))
			if byTree[tree] == nil {
				byTree[tree] = map[string]bool{}
			}
			for key := range run.Sides {
				if side := int32(key & (1<<32 - 1)); counts(side) {
					byTree[tree][fmt.Sprint(of.method, side)] = true
				}
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("sides %v, want %v", got, want)
	}
	if trees := fewest(byTree); trees > 11 {
		t.Errorf("%d trees, want 11 at most", trees)
	} else {
		t.Logf("%d tests, or all calls on %d trees", tests, trees)
	}
	runTests(t, "treemap", file)
}

var keys = regexp.MustCompile(`key: -?\d+(, )?`)

// withoutKeys returns the shape and the colors of a tree.
func withoutKeys(s concolic.Structure) string {
	return strings.ReplaceAll(keys.ReplaceAllString(strings.Join(s.Setup, "\n"), ""), ", }", "}")
}

// fewest returns how many of the sets cover all, if each time the one is taken that adds most.
func fewest(sets map[string]map[string]bool) int {
	covered := map[string]bool{}
	for n := 0; ; n++ {
		best, most := "", 0
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			adds := 0
			for side := range sets[name] {
				if !covered[side] {
					adds++
				}
			}
			if adds > most {
				best, most = name, adds
			}
		}
		if most == 0 {
			return n
		}
		maps.Copy(covered, sets[best])
	}
}

// Native runs on the structures return what the interpreter's return. The function reads its
// arguments whole and overwrites them. Fields that are no pointers, numbers, booleans or
// strings stay zero.
func TestStructuresOfAllKinds(t *testing.T) {
	p := load(t, "kinds")
	m := p.NewMachine(concolic.Limits{})
	in, err := m.NewStructures(p.Targets[0].Func("Classify"), concolic.Shape{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	x := New(m, in, Options{Runs: 100_000})
	file, all := "package kinds\n\nimport \"testing\"\n\n", 0
	Structures(x, func(run *concolic.Run) {
		if run.Results == nil || !run.Valid {
			t.Errorf("panics, or not valid: %s", run.Panic)
			return
		}
		n, err := strconv.Atoi(run.Results[0])
		if err != nil {
			t.Fatal(err)
		}
		all |= n
		s := in.Structure(run)
		s.Call = fmt.Sprintf("if got := %s; got != %d {\n\t\tt.Errorf(\"%%d, want %d\", got)\n\t}", s.Call, n, n)
		file += testOf(s, fmt.Sprintf("Test%d", strings.Count(file, "func ")))
	})
	if all != 4095 {
		t.Errorf("classes %b, want all of %b", all, 4095)
	}
	t.Logf("%d paths, %+v", strings.Count(file, "func "), x.Stats)
	if !testing.Short() {
		runTests(t, "kinds", file)
	}
}

// runTests runs a test file in a copy of a package of testdata.
func runTests(t *testing.T, pkg, file string) {
	t.Helper()
	dir := t.TempDir()
	src, err := os.ReadFile(filepath.Join("testdata", pkg, pkg+".go"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": "module m.test\n\ngo 1.26\n", pkg + ".go": string(src), "solved_test.go": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, file)
	}
}
