package mutators

import (
	"math"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// The number of proposals, the edits in their order, until one takes the wanted side,
// given the outcome of the witness. A condition stands here for its code: flips reports
// whether a run of a proposal would take the side.
func TestProposalsUntilFlip(t *testing.T) {
	const magic = 0x1234_5678_9abc_def1
	number := func(s seq.Sequence, step, arg int) int64 {
		if step >= len(s) || arg >= len(s[step].Args) || s[step].Args[arg].Lit == nil {
			return math.MinInt64
		}
		n, _ := s[step].Args[arg].Lit.Value.(int64)
		return n
	}
	text := func(s seq.Sequence, step, arg int) string {
		if step >= len(s) || arg >= len(s[step].Args) || s[step].Args[arg].Lit == nil {
			return ""
		}
		v, _ := s[step].Args[arg].Lit.Value.(string)
		return v
	}
	calls := func(s seq.Sequence, template string) (n int) {
		for _, st := range s {
			if fixture.Table.Ops[st.Op].Template == template {
				n++
			}
		}
		return n
	}
	alike := func(s seq.Sequence, template string) bool {
		for _, st := range s {
			if fixture.Table.Ops[st.Op].Template == template && st.Args[0].Lit == nil && st.Args[0] == st.Args[1] {
				return true
			}
		}
		return false
	}
	key := coverage.Visit{Kind: coverage.KeyOperands, SX: "zz"}
	for _, tt := range []struct {
		name, in string
		c        *coverage.Condition
		visit    coverage.Visit
		flips    func(seq.Sequence) bool
		within   int
	}{
		{"an empty stack through its size [Pacheco09 fig. 8-12]", "v0 := q.New(1); v1 := v0.Len()", toEqual, ints(1, 0),
			func(s seq.Sequence) bool { return number(s, 0, 0) == 0 }, 1},
		{"a power of two, n & -n == n [Pacheco09 fig. 8-12]", "v0 := q.New(100); v1 := v0.Len()", toEqual, ints(4, 100),
			func(s seq.Sequence) bool { n := number(s, 0, 0); return n > 0 && n&-n == n }, 1},
		{"equal exponents [Pacheco09 fig. 6-4]", "v0 := q.Sum(2, 1); v1 := q.Sum(1, 2)", toEqual, ints(1, 2),
			func(s seq.Sequence) bool { return number(s, 0, 1) == number(s, 1, 1) && number(s, 0, 1) >= 0 }, 2},
		{"a magic number", "v0 := q.New(7); v0.Put(3)", toEqual, ints(7, magic),
			func(s seq.Sequence) bool { return number(s, 0, 0) == magic }, 1},
		{"a magic number after an offset", "v0 := q.New(7); v0.Put(3)", toEqual, ints(1007, magic),
			func(s seq.Sequence) bool { return number(s, 0, 0)+1000 == magic }, 10},
		{"a keyword", `v0 := q.Check("x")`, toEqual, texts("x", "KEYWORDS"),
			func(s seq.Sequence) bool { return text(s, 0, 0) == "KEYWORDS" }, 1},
		{"a keyword in any case", `v0 := q.Check("mode=off;x")`, toEqual, texts("OFF", "TURBO"),
			func(s seq.Sequence) bool { return strings.Contains(strings.ToUpper(text(s, 0, 0)), "MODE=TURBO;") }, 3},
		{"a prefix", `v0 := q.Check("http://x")`, toEqual, texts("http:", "https"),
			func(s seq.Sequence) bool { return strings.HasPrefix(text(s, 0, 0), "https://") }, 5},
		{"a byte in text", `v0 := q.Check("a-b")`, toEqual, ints('-', ':'),
			func(s seq.Sequence) bool { return text(s, 0, 0) == "a:b" }, 5},
		{"a byte behind the text", `v0 := q.Check("a-b")`, toEqual, ints(-1, ';'),
			func(s seq.Sequence) bool { return text(s, 0, 0) == "a-b;" }, 10},
		{"a length", `v0 := q.Check("abc")`, compares(">"), ints(3, 12),
			func(s seq.Sequence) bool { return len(text(s, 0, 0)) == 13 }, 6},
		{"a number in text", `v0 := q.Check("n=3;")`, compares(">="), ints(3, 4096),
			func(s seq.Sequence) bool { return text(s, 0, 0) == "n=4096;" }, 5},
		{"identity", "v0 := q.New(1); v1 := q.New(1); v2 := q.Same(v0, v1)", toEqual, coverage.Visit{Kind: coverage.PointerOperands, X: 1, Y: 2},
			func(s seq.Sequence) bool { return alike(s, "q.Same($0, $1)") }, 1},
		{"a value put into itself", "v0 := q.New(1); v1 := q.New(2); v0.Join(v1)", toEqual, coverage.Visit{Kind: coverage.PointerOperands, X: 1, Y: 2},
			func(s seq.Sequence) bool { return alike(s, "$0.Join($1)") }, 1},
		{"a key that is present", `v0 := q.New(1); v0.Put("a")`, noOp, key,
			func(s seq.Sequence) bool { return text(s, 1, 1) == "zz" }, 1},
		{"an answer of a callback", `v0 := func(a string) int { return len(a) }; q.Map(v0, "n")`, toEqual, ints(1, 6),
			func(s seq.Sequence) bool {
				return fixture.Table.Ops[s[0].Op].Template == "func(string) int { return $0 }" && number(s, 0, 0) == 6
			}, 25},
		{"forty of a call", "v0 := q.New(1); v0.Put(5)", compares(">="), ints(1, 40),
			func(s seq.Sequence) bool { return calls(s, "$0.Put($1)") >= 40 }, 50},
		{"nil", "v0 := q.New(1); v0.Join(v0)", toEqual, coverage.Visit{Kind: coverage.PointerOperands, X: 1},
			func(s seq.Sequence) bool { return s[1].Args[1].Lit != nil }, 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := parse(t, tt.in)
			a := &Aim{
				Index: fixture, Source: draw.Random(1), Literals: testPool, Witness: w, Positions: AllPositions(w),
				Condition: tt.c, Want: 1, Visits: []coverage.Visit{tt.visit},
			}
			tries, by := 0, ""
			for _, e := range Edits {
				e.Propose(a, func(s seq.Sequence) bool {
					tries++
					if tt.flips(s) {
						by = e.Name
					}
					return by == ""
				})
				if by != "" {
					break
				}
			}
			t.Logf("%d proposals, by %q", tries, by)
			if by == "" || tries > tt.within {
				t.Errorf("%d proposals, by %q, want at most %d", tries, by, tt.within)
			}
		})
	}
}
