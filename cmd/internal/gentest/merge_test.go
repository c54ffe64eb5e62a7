package gentest

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/emit"
)

const (
	crash = `package q_test

import (
	"runtime/debug"
	"testing"

	"m.test/q"
)

type heap []int

// Found by foray: panic in Get
func TestForayGetPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	q.Get(heap{1})
}
`
	hang = `package q_test

import (
	"os"
	"testing"

	"m.test/q"
)

// Found by foray: hang in Get
func TestForayGetPanic(t *testing.T) {
	if os.Getenv("FORAY_CHILD") == "TestForayGetPanic" {
		q.Get(nil)
	}
}
`
)

// Tests of several files become one file, each with a name of its own; split takes it apart.
func TestMerge(t *testing.T) {
	tests := []findingTest{{"panic:index:Get", []byte(crash), false}, {"hang:busy:Get", []byte(hang), true}, {"panic:nil:Get", []byte(crash), false}}
	src, names, err := merge("q", tests, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"TestForayGetPanic", "TestForayGetPanic2", "TestForayGetPanic3"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	text := string(src)
	for part, n := range map[string]int{
		"package q_test\n": 1, "\"m.test/q\"\n": 1, "\"testing\"\n": 1, "type heap []int\n": 1, "// Signature panic:index:Get\nfunc TestForayGetPanic(": 1,
		"== \"TestForayGetPanic2\" {": 1, "// Found by foray: panic in Get\n": 2,
	} {
		if got := strings.Count(text, part); got != n {
			t.Errorf("%d times %q, want %d in\n%s", got, part, n, text)
		}
	}
	parts, err := split(src)
	if err != nil || len(parts) != len(tests) {
		t.Fatalf("split: %d parts, %v", len(parts), err)
	}
	for i, p := range parts {
		if p.signature != tests[i].signature {
			t.Errorf("part %d is of %s, want %s", i, p.signature, tests[i].signature)
		}
	}
	again, _, err := merge("q", parts, nil, nil)
	if err != nil || string(again) != text {
		t.Errorf("merged again: %v\n%s\nwant\n%s", err, again, text)
	}
}

// A file has the build constraints of its tests, also once more, but for those of another build.
func TestMergeConstraint(t *testing.T) {
	const raised, tagged, both = "//go:build go1.23\n\n", "//go:build extra || more\n\n", "//go:build (extra || more) && go1.23\n\n"
	terms := []string{"(extra || more)", "go1.23"}
	src, _, err := merge("q", []findingTest{{"panic:index:Get", []byte(raised + crash), false}, {"hang:busy:Get", []byte(tagged + hang), true}}, nil, terms)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := split(marked(src))
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := merge("q", parts, nil, terms)
	if err != nil || string(again) != string(src) || !strings.HasPrefix(string(again), both) {
		t.Errorf("merged again: %v\n%s\nwant\n%s", err, again, src)
	}
	again, _, err = merge("q", parts, nil, terms[1:])
	if want := raised + strings.TrimPrefix(string(src), both); err != nil || string(again) != want {
		t.Errorf("merged in another build: %v\n%s\nwant\n%s", err, again, want)
	}
}

func TestMergeConflicts(t *testing.T) {
	other := strings.Replace(crash, "type heap []int", "type heap []string", 1)
	if _, _, err := merge("q", []findingTest{{"a", []byte(crash), false}, {"b", []byte(other), false}}, nil, nil); err == nil || err.Error() != "two declarations of heap" {
		t.Errorf("two types: %v", err)
	}
	if _, _, err := merge("q", []findingTest{{"a", []byte("package q_test\n"), false}}, nil, nil); err == nil || err.Error() != "no test of a" {
		t.Errorf("no test: %v", err)
	}
}

// Imports of one name, of several names, or named as something that another file declares.
func TestMergeImports(t *testing.T) {
	test := func(imports, call string) findingTest {
		return findingTest{call, []byte("package q_test\n\nimport (\n\t\"testing\"\n\t" + imports + "\n)\n\nfunc TestForayGetPanic(t *testing.T) {\n\t" + call + "\n\tvar q struct{ Get func() }\n\tq.Get()\n}\n"), false}
	}
	tests := []findingTest{
		test(`"errors"`, `errors.New("errors.New")`), test(`"m.test/errors"`, "errors.Get()"),
		test("errors2 \"m.test/errors\"\n\t\"m.test/q\"", "q.Put(errors2.Get(errors.Errors))"),
	}
	// TestForayGetPanic is a finding's test that was moved there.
	src, names, err := merge("q", tests, []string{"q", "TestForayGetPanic", "debug"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"TestForayGetPanic2", "TestForayGetPanic3", "TestForayGetPanic4"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	for _, want := range []string{
		"\t\"errors\"\n", "\terrorspkg \"m.test/errors\"\n", "\tqpkg \"m.test/q\"\n", "\t\"testing\"\n",
		`	errors.New("errors.New")`, "\terrorspkg.Get()\n", "\tqpkg.Put(errorspkg.Get(errors.Errors))\n", "\tq.Get()\n",
	} {
		if !strings.Contains(string(src), want) {
			t.Errorf("no %q in\n%s", want, src)
		}
	}
}

// The tests that show the most are chosen, rows of a table before other functions.
func TestChoose(t *testing.T) {
	table := &seq.Table{Types: make([]seq.Type, 1), Ops: []seq.Operation{{Member: "F", API: true}, {Member: "G", API: true}}}
	test := func(op seq.OpID, how regression.How, text string, sides ...int32) emit.Regression {
		return emit.Regression{Test: regression.Test{
			Steps: seq.Sequence{{Op: op}}, Asserts: [][]regression.Result{{{How: how, Text: text}}}, Sides: sides, Calls: make([]*regression.Calls, 1),
		}}
	}
	tests := []emit.Regression{
		test(0, regression.Equal, "7", 0),          // less than the next
		test(0, regression.Equal, "8", 0, 1),       // first: 2 sides and a behaviour
		test(0, regression.Equal, "9", 0, 1),       // the same again
		test(1, regression.Equal, "true", 2),       // a side and a behaviour
		test(1, regression.Equal, "false", 2),      // a behaviour
		test(0, regression.Equal, "10", 0, 1, 3),   // most of all
		test(1, regression.NotNil, "", 4, 5, 6, 7), // another function
	}
	groups := [][]int{{0, 1, 2, 5}, {3, 4}, {6}}
	for _, tt := range []struct {
		n    int
		want []int
	}{{1, []int{6}}, {2, []int{5, 6}}, {3, []int{3, 4, 5, 6}}, {9, []int{3, 4, 5, 6}}} {
		if got := choose(table, tests, groups, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%d functions: tests %v, want %v", tt.n, got, tt.want)
		}
	}
	var many []emit.Regression
	var group []int
	for i := range 20 {
		many, group = append(many, test(0, regression.Equal, "7", int32(i))), append(group, i)
	}
	if got := choose(table, many, [][]int{group}, 1); len(got) != maxRows {
		t.Errorf("%d rows, want %d", len(got), maxRows)
	}
}

// A test that an older foray has written gives way to one of a finding that is not fixed.
func TestDropConflicts(t *testing.T) {
	g := &Generator{Place: &Place{target: &build.Target{Name: "q"}}}
	other := strings.Replace(crash, "type heap []int", "type heap []string", 1)
	list := []findingTest{{"a", []byte(other), true}, {"b", []byte(crash), false}, {"c", []byte(hang), true}}
	cands := make([]candidate, len(list))
	g.dropConflicts(list, cands)
	for i, want := range []string{"its test does not fit the others: two declarations of heap", "", ""} {
		if cands[i].why != want {
			t.Errorf("test %d: %q, want %q", i, cands[i].why, want)
		}
	}
}
