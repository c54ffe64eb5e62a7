package mutators

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestPerturb(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		at       Position
		want     []string
	}{
		{"an integer", "v0 := q.New(2)", Position{0, 0}, []string{"v0 := q.New(3)", "v0 := q.New(1)", "v0 := q.New(66)"}},
		{"at the end of a type", "q.Bits(127, 2, 3, true)", Position{0, 0}, []string{
			"q.Bits(-128, 2, 3, true)", "q.Bits(126, 2, 3, true)", "q.Bits(63, 2, 3, true)",
		}},
		{"a bool", "q.Bits(1, 2, 3, true)", Position{0, 3}, []string{"q.Bits(1, 2, 3, false)"}},
		{"a float", "v0 := q.Scale(4.0, complex(0.0, 0.0))", Position{0, 0}, []string{
			"v0 := q.Scale(5.0, complex(0.0, 0.0))", "v0 := q.Scale(2.0, complex(0.0, 0.0))", "v0 := q.Scale(4.000000000000001, complex(0.0, 0.0))",
		}},
		{"a text", `v0 := q.Parse("bd")`, Position{0, 0}, []string{
			`v0 := q.Parse("bd0")`, `v0 := q.Parse("abd")`, `v0 := q.Parse("b")`, `v0 := q.Parse("d")`, `v0 := q.Parse("cd")`, `v0 := q.Parse("bg")`,
		}},
		{"the empty text", `v0 := q.Parse("")`, Position{0, 0}, []string{`v0 := q.Parse("0")`, `v0 := q.Parse("a")`}},
		{"a slot, by others and nil", "v0 := q.New(1); v1 := q.New(2); v0.Join(v1)", Position{2, 1}, []string{
			"v0 := q.New(1); v1 := q.New(2); v0.Join(v0)", "v0 := q.New(1); v1 := q.New(2); v0.Join(nil)",
		}},
		{"nil, by slots", "v0 := q.New(1); v0.Join(nil)", Position{1, 1}, []string{"v0 := q.New(1); v0.Join(v0)"}},
		{"the only slot", "v0 := q.New(1); v1 := v0.Len()", Position{1, 0}, []string{"v0 := q.New(1); v1 := (*q.Queue)(nil).Len()"}},
		{"a callee without a like", "v0 := q.New(1); v0.Join(v0)", Position{1, -1}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Aim{Index: fixture, Literals: testPool, Witness: parse(t, tt.in)}
			var got []string
			Perturb(a, tt.at, func(s seq.Sequence) bool {
				if err := s.Check(fixture.Table); err != nil {
					t.Error(err)
				}
				got = append(got, fixture.Table.OneLine(s))
				return true
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("Perturb:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestPerturbCallee: of operations of one shape the next two take each other's place.
func TestPerturbCallee(t *testing.T) {
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "int", Literal: seq.Int, Bits: 64, Assignable: []seq.TypeID{1}}},
		Ops: []seq.Operation{
			{Short: "A", Params: []seq.TypeID{1}}, {Short: "B", Params: []seq.TypeID{1}}, {Short: "C", Params: []seq.TypeID{1, 1}},
			{Short: "D", Params: []seq.TypeID{1}}, {Short: "E", Params: []seq.TypeID{1}}, {Short: "F", Params: []seq.TypeID{1}, Results: []seq.TypeID{1}},
		},
	}
	one := seq.Lit(&seq.Literal{Type: 1, Value: int64(1)})
	a := &Aim{
		Index: seq.NewTypeIndex(table), Literals: testPool, Witness: seq.Sequence{{Op: 3, Args: []seq.Arg{one}}},
		Allowed: func(id seq.OpID) bool { return id != 4 },
	}
	var got []seq.OpID
	Perturb(a, Position{0, -1}, func(s seq.Sequence) bool {
		got = append(got, s[0].Op)
		return true
	})
	if want := []seq.OpID{0, 1}; !slices.Equal(got, want) {
		t.Errorf("in place of operation 3: %v, want %v", got, want)
	}
	if a.Witness[0].Op != 3 {
		t.Error("Perturb changed its witness")
	}
}
