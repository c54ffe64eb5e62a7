package coverage

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestConditionID(t *testing.T) {
	c := Condition{Package: "example.org/p", Func: "(*T).F", Ordinal: 3, Text: `s == "a"`}
	if got, want := c.ID(), `example.org/p.(*T).F#3 "s == \"a\""`; got != want {
		t.Errorf("ID: got %s, want %s", got, want)
	}
}

func TestConditionJSON(t *testing.T) {
	c := Condition{
		Package: "p", Func: "F", Ordinal: 1, Text: "switch x", File: "/p.go", Line: 2, Col: 3,
		Kind: Switch, First: 4, Sides: []string{"case 1", "no match"},
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"package":"p","func":"F","ordinal":1,"text":"switch x","file":"/p.go","line":2,"col":3,` +
		`"kind":"switch","first":4,"sides":["case 1","no match"]}`
	if string(data) != want {
		t.Errorf("Marshal:\ngot  %s\nwant %s", data, want)
	}
	var back Condition
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("Unmarshal: got %+v, %v, want %+v", back, err, c)
	}
}

func TestFrontier(t *testing.T) {
	conds := []Condition{
		{First: 0, Sides: []string{"false", "true"}},
		{First: 2, Sides: []string{"false", "true"}},
		{First: 4, Sides: []string{"case 1", "case 2", "no match"}},
		{First: 7, Sides: []string{"false", "true"}},
	}
	tests := []struct {
		name          string
		covered, want []int
	}{
		{"nothing run", nil, nil},
		{"one side of two", []int{1}, []int{0}},
		{"both sides", []int{2, 3}, nil},
		{"one of three", []int{5}, []int{4, 6}},
		{"two of three", []int{4, 5}, []int{6}},
		{"several, in order", []int{8, 0, 6, 3}, []int{1, 2, 4, 5, 7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			covered := NewSet(9)
			for _, side := range tt.covered {
				covered.Add(side)
			}
			if got := Frontier(conds, covered); !slices.Equal(got, tt.want) {
				t.Errorf("Frontier: got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestFrontierNaive compares with the definition read side by side.
func TestFrontierNaive(t *testing.T) {
	forRandomHits(t, func(t *testing.T, r *rand.Rand, hits []byte) {
		var conds []Condition
		for first := 0; first < len(hits); {
			n := min(2+r.IntN(4), len(hits)-first)
			conds = append(conds, Condition{First: first, Sides: make([]string, n)})
			first += n
		}
		reached := func(side int) bool {
			for _, c := range conds {
				if c.First <= side && side < c.First+len(c.Sides) {
					return slices.Contains(hits[c.First:c.First+len(c.Sides)], 1)
				}
			}
			return false
		}
		var want []int
		for side := range hits {
			if hits[side] == 0 && reached(side) {
				want = append(want, side)
			}
		}
		if got := Frontier(conds, setOf(hits)); !slices.Equal(got, want) {
			t.Fatalf("Frontier: got %v, want %v", got, want)
		}
	})
}
