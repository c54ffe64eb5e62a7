package catalog

import (
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// Conditions that test files declare become operations that belong to those they
// speak of, or problems.
func TestConditions(t *testing.T) {
	const pkg = `package q

type Q struct{ n int }

func New() *Q { return new(Q) }

func (q *Q) Put(words ...string) (int, error) { return len(words), nil }

func (q Q) Len() int { return q.n }

type V struct{ n int }

func (v V) Less(w V) bool { return v.n < w.n }

func Make(n int) V { return V{n} }

func Max[T int | string](x, y T) T { return max(x, y) }

func Fail() error { return nil }
`
	tests := []struct {
		name, contract string
		want           []string // "operation: template"
		problem        string
	}{
		{"a method", "Call: (*q.Q).Put, Requires: func(x *q.Q, words ...string) bool { return true }", []string{
			"(*Q).Put: forayRequiresV($0, $*)", "(*Q).Put...: forayRequiresV($0, $1...)",
		}, ""},
		{"with results", "Call: (*q.Q).Put, Ensures: func(x *q.Q, words []string, n int, err error) error { return err }", []string{
			"(*Q).Put: forayEnsuresV($2, []string{$*}, $0, $1) == nil", "(*Q).Put...: forayEnsuresV($2, $3, $0, $1) == nil",
		}, ""},
		{"both", "Call: q.Make, Requires: func(n int) bool { return n > 0 }, Ensures: func(n int, v q.V) bool { return true }", []string{
			"Make: forayRequiresV($0)", "Make: forayEnsuresV($1, $0)",
		}, ""},
		{"a method for values, called by pointer", "Call: q.Q.Len, Ensures: func(x q.Q, n int) bool { return n >= 0 }", []string{"(Q).Len: forayEnsuresV(*$1, $0)"}, ""},
		{"by the pointer itself", "Call: (*q.Q).Len, Ensures: func(x *q.Q, n int) bool { return n >= 0 }", []string{"(Q).Len: forayEnsuresV($1, $0)"}, ""},
		{"a method for values", "Call: q.V.Less, Ensures: func(v, w q.V, less bool) bool { return true }", []string{"(V).Less: forayEnsuresV($1, $2, $0)"}, ""},
		{"an instance", "Call: q.Max[int], Ensures: func(x, y, z int) bool { return z >= x }", []string{"Max[int]: forayEnsuresV($1, $2, $0)"}, ""},
		{"a function of the tests", "Call: q.Fail, Ensures: fine", []string{"Fail: forayEnsuresV($0)"}, ""},

		{"a pointer for a value", "Call: (*q.V).Less, Ensures: func(v *q.V, w q.V, less bool) bool { return true }", nil, "its Call is (*q.V).Less, want q.V.Less"},
		{"generic", "Call: q.Max, Ensures: func(x, y, z int) bool { return true }", nil, "its Call is q.Max, want it with type arguments, such as q.Max[int]"},
		{"another instance", "Call: q.Max[string], Ensures: func(x, y, z string) bool { return true }", []string{"Max[string]: forayEnsuresV($1, $2, $0)"}, ""},
		{"too few", "Call: q.Make, Requires: func() bool { return true }", nil, "Requires is a func() bool, want func(int) bool, or error"},
		{"no results", "Call: q.Make, Ensures: func(n int) bool { return true }", nil, "Ensures is a func(n int) bool, want func(int, q.V) bool, or error"},
		{"another type", "Call: q.Make, Requires: func(n int64) bool { return true }", nil, "want func(int) bool, or error"},
		{"another result", "Call: q.Make, Requires: func(n int) int { return n }", nil, "want func(int) bool, or error"},
		{"no function", "Call: q.Make, Requires: 3", nil, "want Requires to be a func literal, or a function of the tests"},
		{"no such function", "Call: q.Nothing, Requires: func(n int) bool { return true }", nil, "its Call is q.Nothing, want a function of package q, or a method expression such as (*T).M: undefined: q.Nothing"},
		{"no call", "Call: 3, Requires: func(n int) bool { return true }", nil, "its Call is 3, want a function of package q"},
		{"nothing to say", "Call: q.Make", nil, "want Requires or Ensures to say what holds of q.Make"},
		{"of nothing", "Requires: fine", nil, "want Call to name what Requires and Ensures speak of"},
		{"of values as well", "Holds: fine, Call: q.Make, Requires: fine", nil, "not both"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := findIn(t, pkg, `package q_test; import ("example.com/q"; "foray.test/harness"); var v = harness.Contract{`+test.contract+"}\nfunc fine(err error) bool { return err == nil }")
			var got []string
			ops := c.Table.Ops
			for i := range ops {
				for _, id := range ops[i].Requires {
					got = append(got, ops[i].Short+": "+ops[id].Template)
				}
				for _, id := range ops[i].Ensures {
					got = append(got, ops[i].Short+": "+ops[id].Template)
					if len(ops[id].Params) != len(ops[i].Results)+len(ops[i].Params) || ops[id].Kind != seq.Check {
						t.Errorf("%s takes %v, of %v and %v", ops[id].Name, ops[id].Params, ops[i].Results, ops[i].Params)
					}
				}
			}
			problem := strings.Join(c.Problems, "\n")
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") || !strings.Contains(problem, test.problem) || (problem == "") != (test.problem == "") {
				t.Errorf("got %q, problems %q; want %q, %q", got, problem, test.want, test.problem)
			}
		})
	}
}
