package whitebox

import (
	"strings"
	"testing"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/load"
)

// There is a test for each path, or as many as take the six sides of a search, or none for
// paths beyond the budget.
func TestSolve(t *testing.T) {
	prog, err := concolic.Load(concolic.Config{Patterns: []string{"../concolic/strategy/testdata/search"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		config             Config
		paths, tests, want int
		cut                bool
	}{
		{Config{Func: "(*Tree).Contains", Objects: 2, Runs: 500, All: true}, 10, 10, 6, false},
		{Config{Func: "Tree.Contains", Objects: 2, Runs: 500}, 10, 2, 6, false},
		{Config{Func: "(*Tree).Contains", Objects: 2, Runs: 4, All: true}, 4, 4, 6, true},
	} {
		r, err := Solve(prog, prog.Targets[0], tt.config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Paths != tt.paths || len(r.Tests) != tt.tests || r.Of != tt.want || r.Cut != tt.cut || r.Pred != "RepOK" {
			t.Errorf("%+v: %d paths, %d tests, %d sides, cut %v, precondition %s", tt.config, r.Paths, len(r.Tests), r.Of, r.Cut, r.Pred)
		}
		if s := string(r.Seeds); !strings.Contains(s, "\nfunc SolvedTreeContains(i uint16) *Tree {\n") || strings.Count(s, "case ") > tt.tests {
			t.Errorf("%+v: seeds:\n%s", tt.config, s)
		}
		if n := strings.Count(string(r.File), "func TestSolvedTreeContains"); n != tt.tests {
			t.Errorf("%+v: %d tests in the file, want %d:\n%s", tt.config, n, tt.tests, r.File)
		}
	}
}

func TestFind(t *testing.T) {
	prog, err := concolic.Load(concolic.Config{Patterns: []string{"../concolic/strategy/testdata/search"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"(*Tree).Remove": "", "Tree.Remove": "", "count": "",
		"Remove": "no such function", "(*Tree).remove": "no such method", "(*Leaf).Remove": "no type Leaf", "int.String": "no type of the package", "(Tree).": "no such method",
	} {
		fn, err := Find(prog.Fset, prog.Targets[0], name)
		if want == "" && (err != nil || fn == nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v, want %q", name, fn, err, want)
		}
	}
}

// A method that is not solved for is named, with the reason.
func TestRefused(t *testing.T) {
	prog, err := concolic.Load(concolic.Config{Patterns: []string{"./testdata/refused"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"(*List).Sum":  "List is no type of the package that can have values; a generic type needs type arguments: (*Type[int]).Method",
		"(*Tree).Walk": "a parameter of type func(int) is neither a scalar, a string nor a slice of scalars; ",
	} {
		_, err := Solve(prog, prog.Targets[0], Config{Func: name, Objects: 2, Runs: 10})
		e, ok := err.(*load.Error)
		if !ok || e.Place != prog.Targets[0].Pkg.Path() || e.Msg+"; "+e.Hint != "-func "+name+": "+want {
			t.Errorf("%s: %+v, want %s", name, err, want)
		}
	}
	if _, err := Solve(prog, prog.Targets[0], Config{Func: "(*List[int8]).Sum", Objects: 2, Runs: 10}); err != nil {
		t.Error(err)
	}
}
