package contract

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

var inversePlantings = []Planting{
	{`v0 := planted.Ints(1, 1, 2); v1 := planted.WriteList(v0)`, "inverse"},
	{`v0 := planted.EncodeDigits("a")`, "inverse"},
	{`v0 := planted.Bytes(2); v1 := planted.BytesToPairs(v0, 1)`, "inverse"},
	{`v0 := planted.Ints(1, 1, 2); v1 := planted.EscapePairs(v0)`, "inverse"},
	{`v0, v1 := planted.Dump("ab")`, "inverse"},
	{`v0 := planted.NewGaugeFromInt(300)`, "inverse"},
	{`v0 := planted.Whole64(-3); v1, v2 := planted.NewPurseFromBig(v0, "a")`, "inverse"},
	{`v0, v1 := planted.Dump(4)`, "inverse"},
	{`v0 := planted.NewDay(20, 3); v1 := v0.Pack()`, "inverse"},
	{`v0 := planted.NewDay(20, 3); v1 := v0.ToWord()`, "inverse"},
}

var inverseCases = []lawCase{
	{"inverse", "with options", "", ops("Pack(int, ...int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "Unpack(string, ...int) int", func(a []any) any { return len(a[0].(string)) }), "Pack(7)", false},
	{"inverse", "of an accessor", "", ops("NewPotFromInt64(int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).InexactInt() int", func(a []any) any { return po(a).n }), "NewPotFromInt64(7)", true},
	{"inverse", "of an accessor that forgets", "", ops("NewPotFromInt(int, string) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).Int() int", func(a []any) any { return po(a).n % 5 }), `NewPotFromInt(7, "a")`, false},
	{"inverse", "of an accessor, of a number that another scales", "", ops("NewPotFromInt(int, int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).Int() int", func(a []any) any { return po(a).n % 5 }), "NewPotFromInt(7, 2)", true},
	{"inverse", "of an accessor of something else", "", ops("NewPotFromInt(int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).HalfInt() int", func(a []any) any { return po(a).n / 2 }), "NewPotFromInt(7)", true},
	{"inverse", "with an option", "", ops("Pack(int, ...int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "Unpack(string, ...int) int", func(a []any) any { return len(a[0].(string)) }), "Pack(7, 2)", true},
	{"inverse", "good", "", ops("EncodeN(int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "DecodeN(string) (int, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{n, err}
	}), "EncodeN(7)", true},
	{"inverse", "another number", "", ops("EncodeN(int) string", func(a []any) any { return strconv.Itoa(at(a, 0) / 2) }, "DecodeN(string) (int, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{n, err}
	}), "EncodeN(7)", false},
	{"inverse", "one value of many texts", "", ops("HexToNum(string) int", func(a []any) any { return 0 }, "NumToHex(int) string", func(a []any) any { return "0" }), `HexToNum("00")`, true},
	{"inverse", "one map of many lists", "", ops("PackList([]int) map[int]int", func(a []any) any { return map[int]int{1: 1} }, "UnpackList(map[int]int) []int", func(a []any) any { return []int{1} }, "Some() []int", func(a []any) any { return []int{1, 1} }), "Some(); PackList(v0)", true},
	{"inverse", "with another key", "", ops("Pack(int, int) string", func(a []any) any { return strconv.Itoa(at(a, 0) + at(a, 1)) }, "Unpack(string, int) int", func(a []any) any {
		n, _ := strconv.Atoi(a[0].(string))
		return n - at(a, 1)
	}), "Pack(7, 2)", true},
	{"inverse", "of other types", "", ops("Pack(int, int) string", func(a []any) any { return "" }, "Unpack(string) int", func(a []any) any { return 0 }), "Pack(7, 2)", true},
	{"inverse", "no text for no value", "", ops("Pack(int) string", func(a []any) any { return "" }, "Unpack(string) int", func(a []any) any { return 3 }), "Pack(7)", true},
	{"inverse", "no text for a text", "", ops("Pack(string) string", func(a []any) any { return "" }, "Unpack(string) string", func(a []any) any { return "" }), `Pack("a")`, false},
	{"inverse", "refused", "", ops("Pack(int) (string, error)", func(a []any) any { return many{"", errors.New("no")} }, "Unpack(string) int", func(a []any) any { return 0 }), "Pack(7)", true},
	{"inverse", "an empty list for none", "", ops("Pack([]int) string", func(a []any) any { return "x" }, "Unpack(string) []int", func(a []any) any { return []int(nil) }, "None() []int", func(a []any) any { return []int{} }), "None(); Pack(v0)", true},
	{"inverse", "into a pointer", "", ops("Marshal(any) (string, error)", func(a []any) any { return many{fmt.Sprint(a[0]), nil} }, "Unmarshal(string, any) error", func(a []any) any {
		*a[1].(*int), _ = strconv.Atoi(a[0].(string))
		return many{nil}
	}), "Marshal(7)", true},
	{"inverse", "another into a pointer", "", ops("Marshal(any) (string, error)", func(a []any) any { return many{fmt.Sprint(a[0]), nil} }, "Unmarshal(string, any) error", func(a []any) any { return many{nil} }), "Marshal(7)", false},
}

// naiveInverse returns the operations that are inverse to each other, by comparing all pairs.
func naiveInverse(a *api) (pairs [][2]seq.OpID) {
	turns := func(do, undo operation) int {
		from, to := fixed(do.Operation), fixed(undo.Operation)
		if returnsValue(do) && returnsValue(undo) {
			for at, id := range from {
				params := slices.Clone(from)
				params[at] = do.Results[0]
				if undo.Results[0] == id && (slices.Equal(params, to) || undo.Kind == seq.Method && slices.Equal(to, []seq.TypeID{do.Results[0]})) && (at == len(params)-1 || id != do.Results[0]) {
					return at
				}
			}
		}
		return -1
	}
	for i := range a.t.Ops {
		for j := range a.t.Ops {
			do, undo := operation{&a.t.Ops[i], seq.OpID(i)}, operation{&a.t.Ops[j], seq.OpID(j)}
			if i == j || !convertible(do.Operation) || !convertible(undo.Operation) || do.Callback || !undoes(do.Base, undo.Base) {
				continue
			}
			at := turns(do, undo)
			if at >= 0 && a.comparable(do.Params[at]) && !a.merges(do.Params[at], do.Results[0]) || a.fillsAny(do, undo) {
				pairs = append(pairs, [2]seq.OpID{do.id, undo.id})
				break
			}
		}
	}
	return pairs
}

// The laws of all pairs are those that a plain comparison of all pairs finds, in its order.
func TestInverseLawsOfAllPairs(t *testing.T) {
	names := []string{"Encode", "Decode", "Pack", "Unpack", "Marshal", "Unmarshal", "Wrap", "Sum", "NewFromText", "ToText"}
	params := []string{"int", "string", "int, string", "string, int", "string, string", "string, ...int", "any", "string, any"}
	results := []string{"int", "string", "error", "(string, error)"}
	found := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		b := seqtest.NewBuilder()
		for _, name := range names {
			for range r.IntN(6) {
				b.Add(seq.Func, fmt.Sprintf("%s(%s) %s", name, params[r.IntN(len(params))], results[r.IntN(len(results))]))
			}
		}
		a := newAPI(&b.Table)
		var got [][2]seq.OpID
		inverseLaws(a, func(list ...Law) {
			for _, l := range list {
				got = append(got, [2]seq.OpID{l.On, l.Op})
			}
		})
		if want := naiveInverse(a); !slices.Equal(got, want) {
			t.Errorf("seed %d: pairs %v, want %v", seed, got, want)
		}
		found += len(got)
	}
	if found < 50 {
		t.Errorf("%d pairs in all, want 50 at least: the test shows nothing", found)
	}
}

// manyFunctions returns a table of n documented functions, all of which make a value of one
// other type.
func manyFunctions(n int) *seq.Table {
	b := seqtest.NewBuilder()
	for i := range n {
		id := b.Add(seq.Func, fmt.Sprintf("EncodePartOfName%d([]int) string", i))
		b.Table.Ops[id].Doc = "It makes text of a list of numbers, in the order in which they are given."
	}
	return &b.Table
}

// Every process that runs sequences binds the laws. Names are read only of functions whose
// types agree: a package of 1,659 operations took 0.8 s of processor time a process.
func TestLawsReadFewNames(t *testing.T) {
	const n = 200
	a := newAPI(manyFunctions(n))
	if per := testing.AllocsPerRun(1, func() { inverseLaws(a, func(...Law) {}) }) / n; per > 20 {
		t.Errorf("%v allocations an operation, want 20 at most", per)
	}
}

// BenchmarkLaws binds the laws of many functions, as each process does when it starts.
func BenchmarkLaws(b *testing.B) {
	for _, n := range []int{100, 400, 1600} {
		b.Run(fmt.Sprintf("ops=%d", n), func(b *testing.B) {
			t := manyFunctions(n)
			b.ReportAllocs()
			for b.Loop() {
				Laws(t)
			}
		})
	}
}
