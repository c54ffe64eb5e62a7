package mutators

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

var (
	toLess  = compares("<")
	toEqual = compares("==")
	noOp    = compares("")
)

// Each edit proposes exactly the list, in that order. An edit that draws does so until
// the test has enough.
func TestEdits(t *testing.T) {
	clauses := &coverage.Condition{
		Kind: coverage.Switch, Sides: []string{"case 1", "case 4, 5", "no match"}, Cases: [][]string{{"1"}, {"4", "5"}, nil},
	}
	key := coverage.Visit{Kind: coverage.KeyOperands, SX: "k"}
	float := coverage.Visit{Kind: coverage.FloatOperands, X: math.Float64bits(1), Y: math.Float64bits(2)}
	unsigned := coverage.Visit{Kind: coverage.UnsignedOperands, X: 3, Y: 250}
	tested := map[string]bool{}
	for _, tt := range []struct {
		edit, name string
		in         string
		at         []Position // all if nil
		c          *coverage.Condition
		visits     []coverage.Visit
		probed     []coverage.Visit // of each probe, at the condition and nearby
		choices    []int
		want       []string
		more       int // how many proposals follow
	}{
		{edit: "compared", name: "equal", in: "v0 := q.New(2)", c: toEqual, visits: []coverage.Visit{ints(2, 9)}, want: []string{
			"v0 := q.New(9)",
			"v0 := q.New(10)",
			"v0 := q.New(8)",
		}},
		{edit: "compared", name: "less", in: "v0 := q.New(12)", c: toLess, visits: []coverage.Visit{ints(12, 9)}, want: []string{
			"v0 := q.New(8)",
			"v0 := q.New(13)",
			"v0 := q.New(9)",
			"v0 := q.New(10)",
		}},
		{edit: "compared", name: "the other operand", in: "v0 := q.New(9)", c: toLess, visits: []coverage.Visit{ints(12, 9)}, want: []string{
			"v0 := q.New(13)",
			"v0 := q.New(8)",
			"v0 := q.New(12)",
			"v0 := q.New(10)",
		}},
		{edit: "compared", name: "the literal compared comes first", in: "v0 := q.Sum(1, 2)", c: toEqual, visits: []coverage.Visit{ints(2, 9)}, want: []string{
			"v0 := q.Sum(1, 9)",
			"v0 := q.Sum(9, 2)",
			"v0 := q.Sum(2, 2)",
			"v0 := q.Sum(10, 2)",
			"v0 := q.Sum(8, 2)",
			"v0 := q.Sum(1, 10)",
			"v0 := q.Sum(1, 8)",
		}},
		{edit: "compared", name: "wraps at the width of the type", in: "q.Bits(1, 2, 3, true)", c: toEqual, visits: []coverage.Visit{unsigned}, want: []string{
			"q.Bits(1, 2, 250, true)",
			"q.Bits(-6, 2, 3, true)",
			"q.Bits(1, 250, 3, true)",
			"q.Bits(3, 2, 3, true)",
			"q.Bits(-5, 2, 3, true)",
			"q.Bits(-7, 2, 3, true)",
			"q.Bits(1, 3, 3, true)",
			"q.Bits(1, 251, 3, true)",
			"q.Bits(1, 249, 3, true)",
			"q.Bits(1, 2, 251, true)",
			"q.Bits(1, 2, 249, true)",
		}},
		{edit: "compared", name: "floats", in: "v0 := q.Scale(1.0, complex(0.0, 0.0))", at: []Position{{0, 0}}, c: toLess, visits: []coverage.Visit{float}, want: []string{
			"v0 := q.Scale(1.9999999999999998, complex(0.0, 0.0))",
			"v0 := q.Scale(1.0000000000000002, complex(0.0, 0.0))",
			"v0 := q.Scale(2.0, complex(0.0, 0.0))",
			"v0 := q.Scale(3.0, complex(0.0, 0.0))",
		}},
		{edit: "compared", name: "text", in: `v0 := q.Check("a")`, c: toEqual, visits: []coverage.Visit{texts("a", "GET")}, want: []string{
			`v0 := q.Check("GET")`,
		}},
		{edit: "compared", name: "a number as text", in: `v0 := q.Check("2")`, c: toEqual, visits: []coverage.Visit{ints(2, 9)}, want: []string{
			`v0 := q.Check("9")`,
			`v0 := q.Check("10")`,
			`v0 := q.Check("8")`,
		}},
		{edit: "compared", name: "text as a number", in: `v0 := q.New(2)`, c: toEqual, visits: []coverage.Visit{texts("a", "17")}, want: []string{
			"v0 := q.New(17)",
		}},
		{edit: "compared", name: "another type for an interface", in: `v0 := q.New(2); v0.Put(3)`, at: []Position{{1, 1}}, c: toEqual, visits: []coverage.Visit{texts("a", "b")}, want: []string{
			`v0 := q.New(2); v0.Put("b")`,
			`v0 := q.New(2); v0.Put("a")`,
		}},
		{edit: "compared", name: "a result", in: "v0 := q.New(1); v1 := v0.Len(); v2 := q.New(v1)", at: []Position{{2, 0}}, c: toEqual, visits: []coverage.Visit{ints(0, 4)}, want: []string{
			"v0 := q.New(1); v1 := v0.Len(); v2 := q.New(4)",
			"v0 := q.New(1); v1 := v0.Len(); v2 := q.New(0)",
			"v0 := q.New(1); v1 := v0.Len(); v2 := q.New(5)",
			"v0 := q.New(1); v1 := v0.Len(); v2 := q.New(3)",
		}},
		{edit: "compared", name: "clauses of a switch", in: "v0 := q.New(9)", c: clauses, visits: []coverage.Visit{ints(9, 0)}, want: []string{
			"v0 := q.New(4)",
			"v0 := q.New(5)",
			"v0 := q.New(3)",
			"v0 := q.New(6)",
		}},
		{edit: "compared", name: "key", in: `v0 := q.New(1); v0.Put("a")`, c: noOp, visits: []coverage.Visit{key}, want: []string{
			`v0 := q.New(1); v0.Put("k")`,
		}},
		{edit: "compared in text", name: "text in text, whatever its case", in: `v0 := q.Check("a=Get;get")`, c: toEqual, visits: []coverage.Visit{texts("GET", "PUT")}, want: []string{
			`v0 := q.Check("a=PUT;get")`,
			`v0 := q.Check("a=Get;PUT")`,
		}},
		{edit: "compared in text", name: "a byte", in: `v0 := q.Check("a:b:c")`, c: toEqual, visits: []coverage.Visit{ints(':', '=')}, want: []string{
			`v0 := q.Check("a=b:c")`,
			`v0 := q.Check("a:b=c")`,
		}},
		{edit: "compared in text", name: "a number", in: `v0 := q.Check("n=12")`, c: toLess, visits: []coverage.Visit{ints(12, 7)}, want: []string{
			`v0 := q.Check("n=6")`,
		}},
		{edit: "compared in text", name: "bytes of a number", in: `v0 := q.Check("\x01\x02\x03\x04")`, c: toEqual, visits: []coverage.Visit{ints(0x0203, 0x1122)}, want: []string{
			`v0 := q.Check("\x01\x11\"\x04")`,
		}},
		{edit: "difference", name: "there and back", in: "v0 := q.New(5)", c: toEqual, visits: []coverage.Visit{ints(105, 107)}, want: []string{
			"v0 := q.New(7)",
			"v0 := q.New(3)",
		}},
		{edit: "difference", name: "of a number in text", in: `v0 := q.Check("a5b")`, c: toEqual, visits: []coverage.Visit{ints(105, 107)}, want: []string{
			`v0 := q.Check("a7b")`,
			`v0 := q.Check("a3b")`,
		}},
		{edit: "size", name: "of text", in: `v0 := q.Check("ab")`, c: toEqual, visits: []coverage.Visit{ints(2, 5)}, want: []string{
			`v0 := q.Check("abbbb")`,
			`v0 := q.Check("ababa")`,
		}},
		{edit: "size", name: "of shorter text, moved", in: `v0 := q.Check("abcd")`, c: toLess, visits: []coverage.Visit{ints(6, 5)}, want: []string{
			`v0 := q.Check("ab")`,
		}},
		{edit: "size", name: "of arguments", in: `v0 := q.Of(1, 2)`, c: toEqual, visits: []coverage.Visit{ints(2, 4)}, want: []string{
			"v0 := q.Of(1, 2, 3, 4)",
		}},
		{edit: "size", name: "of no arguments", in: `v0 := q.Of()`, c: toEqual, visits: []coverage.Visit{ints(0, 2)}, want: []string{
			"v0 := q.Of(7, 8)",
		}},
		{edit: "self-alias", in: "v0 := q.New(1); v1 := q.New(2); v0.Join(v1)", want: []string{
			"v0 := q.New(1); v1 := q.New(2); v0.Join(v0)",
			"v0 := q.New(1); v1 := q.New(2); v1.Join(v1)",
		}},
		{edit: "completion", in: `v0 := q.Check("xGEzz")`, c: toEqual, visits: []coverage.Visit{texts("GEzz", "GETS")}, want: []string{
			`v0 := q.Check("xGETSzz")`,
			`v0 := q.Check("xGETS")`,
			`v0 := q.Check("xGETzz")`,
			`v0 := q.Check("xGETz")`,
			`v0 := q.Check("xGEzzzz")`,
			`v0 := q.Check("xGEzzz")`,
		}},
		{edit: "unary", name: "bool", in: "q.Bits(1, 2, 3, true)", at: []Position{{0, 3}}, want: []string{
			"q.Bits(1, 2, 3, false)",
		}},
		{edit: "unary", name: "int8", in: "q.Bits(1, 2, 3, true)", at: []Position{{0, 0}}, want: []string{
			"q.Bits(-1, 2, 3, true)",
			"q.Bits(0, 2, 3, true)",
			"q.Bits(2, 2, 3, true)",
			"q.Bits(11, 2, 3, true)",
			"q.Bits(-9, 2, 3, true)",
			"q.Bits(101, 2, 3, true)",
			"q.Bits(-99, 2, 3, true)",
			"q.Bits(-23, 2, 3, true)",
			"q.Bits(25, 2, 3, true)",
			"q.Bits(17, 2, 3, true)",
			"q.Bits(-15, 2, 3, true)",
			"q.Bits(-2, 2, 3, true)",
		}, more: 2},
		{edit: "unary", name: "text", in: `v0 := q.Check("x")`, want: []string{
			`v0 := q.Check("")`,
		}},
		{edit: "compared into text", in: `v0 := q.Check("xyz")`, c: toEqual, visits: []coverage.Visit{texts("", "GE")}, want: []string{
			`v0 := q.Check("xyzGE")`,
			`v0 := q.Check("xyGEz")`,
			`v0 := q.Check("xyGE")`,
			`v0 := q.Check("xGEyz")`,
			`v0 := q.Check("xGE")`,
			`v0 := q.Check("GExyz")`,
			`v0 := q.Check("GEz")`,
			`v0 := q.Check("GE")`,
		}},
		{edit: "nearby", in: "v0 := q.New(2)", c: toEqual, visits: []coverage.Visit{ints(2, 9)}, want: []string{
			"v0 := q.New(9)",
			"v0 := q.New(10)",
			"v0 := q.New(8)",
			"v0 := q.New(3)",
			"v0 := q.New(1)",
		}},
		{edit: "nearby in text", in: `v0 := q.Check("a:b")`, c: toEqual, visits: []coverage.Visit{ints(':', '=')}, want: []string{
			`v0 := q.Check("a=b")`,
			`v0 := q.Check("a>b")`,
			`v0 := q.Check("a<b")`,
		}},
		{edit: "nil", in: "v0 := q.New(1); v0.Put(2); v0.Join(v0)", want: []string{
			"v0 := q.New(1); v0.Put(nil); v0.Join(v0)",
			"v0 := q.New(1); v0.Put(2); v0.Join(nil)",
			"v0 := q.New(1); (*q.Queue)(nil).Put(2); v0.Join(v0)",
			"v0 := q.New(1); v0.Put(2); (*q.Queue)(nil).Join(v0)",
		}},
		{edit: "alias", in: "v0 := q.New(1); v1 := q.New(2); v1.Put(3); v2 := v1.Len()", want: []string{
			"v0 := q.New(1); v1 := q.New(2); v0.Put(3); v2 := v0.Len()",
			"v0 := q.New(1); v1 := q.New(2); v0.Put(3); v2 := v1.Len()",
			"v0 := q.New(1); v1 := q.New(2); v1.Put(v1); v2 := v1.Len()",
			"v0 := q.New(1); v1 := q.New(2); v1.Put(v0); v2 := v1.Len()",
			"v0 := q.New(1); v1 := q.New(2); v1.Put(3); v2 := v0.Len()",
		}},
		{edit: "closure", in: `v0 := func(a string) int { return len(a) }; q.Map(v0, "n")`, c: toEqual, visits: []coverage.Visit{ints(1, 6)}, want: []string{
			`v0 := func(string) int { return 7 }; q.Map(v0, q.Name("n"))`,
			`v0 := func(string) int { return 6 }; q.Map(v0, q.Name("n"))`,
			`v0 := func(string) int { return 1 }; q.Map(v0, q.Name("n"))`,
			`v0 := func(string) int { return 5 }; q.Map(v0, q.Name("n"))`,
			`v0 := func(string) int { return 1099511627776 }; q.Map(v0, q.Name("n"))`,
		}},
		{edit: "swap", in: "v0 := q.Sum(1, 2)", want: []string{
			"v0 := q.Sum(1, 1)",
			"v0 := q.Sum(2, 2)",
			"v0 := q.Sum(2, 1)",
		}},
		{edit: "repeat step", in: `v0 := q.New(1); v0.Put("a")`, at: []Position{{1, 1}}, c: toEqual, visits: []coverage.Visit{ints(1, 3)}, want: []string{
			`v0 := q.New(1); v0.Put("a"); v0.Put("ab"); v0.Put("ac"); v0.Put("ad")`,
			`v0 := q.New(1); v0.Put("a"); v0.Put("a"); v0.Put("a"); v0.Put("a")`,
			`v0 := q.New(1); v1 := q.New(2); v2 := q.New(3); v3 := q.New(4); v0.Put("a")`,
			`v0 := q.New(1); v1 := q.New(1); v2 := q.New(1); v3 := q.New(1); v0.Put("a")`,
			`v0 := q.New(1); v0.Put("a"); v0.Put("ab"); v0.Put("ac")`,
			`v0 := q.New(1); v0.Put("a"); v0.Put("a"); v0.Put("a")`,
		}, more: 14},
		{edit: "drop", in: "v0 := q.New(1); v1 := q.New(2); v0.Put(3); v1.Put(4)", want: []string{
			"v0 := q.New(2); v0.Put(4)",
			"v0 := q.New(1); v0.Put(3)",
			"v0 := q.New(1); v1 := q.New(2); v1.Put(4)",
			"v0 := q.New(1); v1 := q.New(2); v0.Put(3)",
			"v0 := q.New(1); v1 := q.New(2)",
		}},
		{edit: "words into text", in: `v0 := q.Check("xyz")`, choices: []int{
			0, 1, 4, 0, 0, 0, // at 1, the first word, inserted
			0, 1, 4, 1, 1, 1, // … the second, over the text there
			0, 3, 0, 0, 0, // itself behind it
		}, want: []string{
			`v0 := q.Check("xGETyz")`,
		}},
		{edit: "words", in: `v0 := q.Check("x"); v1 := q.New(1)`, want: []string{
			`v0 := q.Check("GET"); v1 := q.New(1)`,
			`v0 := q.Check("x"); v1 := q.New(7)`,
			`v0 := q.Check("w"); v1 := q.New(1)`,
		}},
		{edit: "duplicate", in: "v0 := q.New(1); v0.Put(2); v0.Join(v0)", at: []Position{{2, 1}}, want: []string{
			"v0 := q.New(1); v0.Put(2); v1 := q.New(1); v1.Put(2); v0.Join(v1)",
			"v0 := q.New(1); v0.Put(2); v1 := q.New(2); v1.Put(2); v0.Join(v1)",
			"v0 := q.New(1); v0.Put(2); v1 := q.New(1); v1.Put(3); v0.Join(v1)",
		}},
		{edit: "compared", name: "by others where there are no operands", in: "v0 := q.New(2)", c: noOp, visits: []coverage.Visit{{}, ints(2, 9)}, want: []string{
			"v0 := q.New(9)",
			"v0 := q.New(10)",
			"v0 := q.New(8)",
			"v0 := q.New(3)",
			"v0 := q.New(1)",
		}},
		{edit: "dynamic type", in: "v0 := q.New(1); v0.Put(2)", at: []Position{{1, 1}}, want: []string{
			"v0 := q.New(1); v0.Put(false)",
			"v0 := q.New(1); v0.Put(int8(5))",
			"v0 := q.New(1); v0.Put(uint8(6))",
			"v0 := q.New(1); v0.Put(uint64(8))",
			"v0 := q.New(1); v0.Put(0.5)",
			"v0 := q.New(1); v0.Put(complex(0.0, 1.0))",
			`v0 := q.New(1); v0.Put("GET")`,
			`v0 := q.New(1); v0.Put(q.Name("n"))`,
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v0.Put(v1)`,
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v2 := q.Head(v1); v3, v3b := q.Walk(v2); v0.Put(v3b)`,
		}},
		{edit: "insert", in: "v0 := q.New(1); v0.Put(2)", choices: []int{1, 0, 9}, want: []string{
			"v0 := q.New(1); v1 := q.Head(v0); v0.Put(2)",
		}},
		{edit: "state", in: "v0 := q.New(1); v0.Join(v0)", c: noOp, want: []string{
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v1.Join(v0)`,
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v0.Join(v1)`,
		}},
		{edit: "state", name: "of what compares", in: "v0 := q.New(1); v0.Join(v0)", c: toEqual},
		{edit: "splice", in: "v0 := q.New(1); v0.Put(2); v0.Join(v0)", at: []Position{{1, 0}}, choices: []int{0, 0, 0, 1}, want: []string{
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v1.Put(2); v1.Join(v1)`,
		}},
		{edit: "producer", in: "v0 := q.New(1); v0.Put(2)", at: []Position{{1, 0}}, choices: []int{0, 0, 1, 0, 0, 1}, want: []string{
			"v0 := q.New(1); v1 := q.New(7); v1.Put(2)",
		}},
		{edit: "callee", name: "on the same value", in: "v0 := q.New(1); v0.Join(v0)", at: []Position{{1, -1}}, want: []string{
			"v0 := q.New(1); v1 := q.Same(v0, v0)",
			"v0 := q.New(1); v1 := q.Head(v0)",
			"v0 := q.New(1); v0.Put(v0)",
			"v0 := q.New(1); v1, v1b := v0.Get()",
			"v0 := q.New(1); v1 := v0.Len()",
			"v0 := q.New(1); v1 := v0.Swap(v0)",
			"v0 := q.New(1); v1, v1b := any(v0).(*q.Queue)",
			`v0 := q.Parse("GET"); v0.Join(v0)`,
			"v0 := q.Of(1); v0.Join(v0)",
			"v0, v0b := any(1).(*q.Queue); v0.Join(v0)",
		}},
		{edit: "callee", name: "keeps the results that are used", in: "v0 := q.New(1); v1, v1b := v0.Get(); q.Bits(1, 2, 3, v1b)", want: []string{
			`v0 := q.Parse("GET"); v1, v1b := v0.Get(); q.Bits(1, 2, 3, v1b)`,
			"v0 := q.Of(1); v1, v1b := v0.Get(); q.Bits(1, 2, 3, v1b)",
			"v0, v0b := any(1).(*q.Queue); v1, v1b := v0.Get(); q.Bits(1, 2, 3, v1b)",
			`v0 := q.New(1); v1 := q.Check("GET"); q.Bits(1, 2, 3, v1)`,
			"v0 := q.New(1); v1 := q.Same(v0, v0); q.Bits(1, 2, 3, v1)",
			"v0 := q.New(1); v1, v1b := any(v0).(*q.Queue); q.Bits(1, 2, 3, v1b)",
			"v0 := q.New(1); v1, v1b := v0.Get(); v0.Put(uint8(2))",
			"v0 := q.New(1); v1, v1b := v0.Get(); v2, v2b := any(int8(1)).(*q.Queue)",
		}},
		{edit: "move", in: "v0 := q.New(1); v1 := q.New(2); v0.Put(3); v1.Put(4)", want: []string{
			"v0 := q.New(2); v1 := q.New(1); v1.Put(3); v0.Put(4)",
			"v0 := q.New(1); v0.Put(3); v1 := q.New(2); v1.Put(4)",
			"v0 := q.New(1); v1 := q.New(2); v1.Put(4); v0.Put(3)",
		}},
		{edit: "cut", in: `v0 := q.Check("xyz")`, want: []string{
			`v0 := q.Check("")`,
			`v0 := q.Check("yz")`,
			`v0 := q.Check("x")`,
			`v0 := q.Check("z")`,
			`v0 := q.Check("xz")`,
			`v0 := q.Check("xy")`,
		}},
		{edit: "solution", in: "v0 := q.New(2)", c: toEqual, visits: []coverage.Visit{ints(5, 14)}, probed: []coverage.Visit{ints(8, 14)}, want: []string{
			"v0 := q.New(5)",
			"v0 := q.New(6)",
			"v0 := q.New(4)",
		}},
		{edit: "solution", name: "no influence", in: "v0 := q.New(2)", c: toEqual, visits: []coverage.Visit{ints(5, 14)}, probed: []coverage.Visit{ints(5, 14)}},
		{edit: "next byte", in: `v0 := q.Check("x~")`, c: toEqual, visits: []coverage.Visit{ints(2, 8)}, probed: []coverage.Visit{ints('Q', 'y'), ints('z', 'Q'), ints('a', 'b')}, want: []string{
			`v0 := q.Check("x~y")`,
			`v0 := q.Check("x~z")`,
		}},
		{edit: "borrow", in: "v0 := q.New(1); v0.Put(2)", choices: []int{0, 1, 1}, want: []string{
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v1.Put("c")`,
		}},
		{edit: "key", in: "v0 := q.New(1); v0.Put(2)", visits: []coverage.Visit{key}, c: noOp, choices: []int{0, 1, 0}, want: []string{
			`v0 := q.New(1); v1 := q.New(9); v1.Put("c"); v1.Put(9)`,
		}, more: draws - 1},
		{edit: "bytes", in: `v0 := q.Check("xyz")`, choices: []int{0, 1, 1, 1, 'b', 5, 0, 0, 'a'}, want: []string{
			`v0 := q.Check("abz")`,
		}},
		{edit: "two literals", in: "v0 := q.Sum(1, 2)", choices: []int{0, 0, 3, 2, 3, 3}, want: []string{
			"v0 := q.Sum(2, 1)",
		}},
		{edit: "havoc", in: "v0 := q.New(1); v0.Put(2)", choices: []int{1, 0, 0, 3, 2, 7, 3, 0}, want: []string{
			"v0 := q.New(2); v0.Put(2)",
		}},
	} {
		tested[tt.edit] = true
		t.Run(strings.TrimSuffix(tt.edit+"/"+tt.name, "/"), func(t *testing.T) {
			w := parse(t, tt.in)
			a := &Aim{
				Index: fixture, Source: draw.From(&draw.Tape{Choices: tt.choices}), Components: components{}, Literals: testPool,
				Witness: w, Positions: tt.at, Condition: tt.c, Want: 1, Visits: tt.visits, Nearby: tt.visits,
			}
			if tt.probed != nil {
				a.Probe = func(seq.Sequence) (visits, nearby []coverage.Visit) { return tt.probed, tt.probed }
			}
			if a.Positions == nil {
				a.Positions = AllPositions(w)
			}
			if a.Condition == nil {
				a.Condition, a.Visits = noOp, nil
			}
			e := edit(t, tt.edit)
			var got []string
			e.Propose(a, func(s seq.Sequence) bool {
				got = append(got, fixture.Table.OneLine(s))
				return !e.Random || len(got) < len(tt.want)
			})
			if n := min(len(got), len(tt.want)); !slices.Equal(got[:n], tt.want) || len(got)-n != tt.more {
				t.Errorf("%s of %s: got\n%s\nwant\n%s\nand %d more", tt.edit, tt.in, strings.Join(got, "\n"), strings.Join(tt.want, "\n"), tt.more)
			}
		})
	}
	for _, e := range Edits {
		if !tested[e.Name] {
			t.Errorf("no case for %q", e.Name)
		}
	}
}
