package report

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/coverage"
)

// source is the package of the states in the tests.
const source = `package p

func Find(s []string, x string) bool {
	for _, v := range s {
		if len(v) == len(x)&&v == x {
			return true
		}
	}
	if s == nil && x < "<&>" {
		panic("héllo")
	}
	return false
}

func dead(n int) bool { return n > 0 }
`

// conditions are those of source.
func conditions() []coverage.Condition {
	list := []coverage.Condition{
		{Func: "Find", Ordinal: 1, Text: "range s", Line: 4, Col: 2, Kind: coverage.Range, Sides: []string{"empty", "non-empty"}},
		{Func: "Find", Ordinal: 2, Text: "len(v) == len(x)", Line: 5, Col: 6, Kind: coverage.Bool, Sides: []string{"false", "true"}},
		{Func: "Find", Ordinal: 3, Text: "v == x", Line: 5, Col: 24, Kind: coverage.Bool, Sides: []string{"false", "true"}},
		{Func: "Find", Ordinal: 4, Text: "s == nil", Line: 9, Col: 5, Kind: coverage.Bool, Sides: []string{"false", "true"}},
		{Func: "Find", Ordinal: 5, Text: `x < "<&>"`, Line: 9, Col: 17, Kind: coverage.Bool, Sides: []string{"false", "true"}},
		{Func: "dead", Ordinal: 1, Text: "n > 0", Line: 15, Col: 32, Kind: coverage.Bool, Sides: []string{"false", "true"}},
	}
	side := 0
	for i := range list {
		list[i].Package, list[i].File, list[i].First = "m.test/p", "/src/p/p.go", side
		side += len(list[i].Sides)
	}
	return list
}

// state returns the state of one run that took the given sides.
func state(tried map[int]Side, taken ...int) *State {
	conds := conditions()
	covered := coverage.NewSet(2 * len(conds))
	for _, side := range taken {
		covered.Add(side)
	}
	s := &State{Package: "m.test/p", Runs: 1, Sequences: 100, Files: []File{{"p.go", Sum([]byte(source))}}}
	s.Add(conds, covered, tried)
	return s
}

// sides of the conditions of Find, by number.
const (
	rangeEmpty, rangeMore   = 0, 1
	lengthFalse, lengthTrue = 2, 3
	equalFalse, equalTrue   = 4, 5
	nilFalse, nilTrue       = 6, 7
	lessFalse, lessTrue     = 8, 9
)

func TestMerge(t *testing.T) {
	taken := func(status, edit string, runs uint64) Side {
		return Side{Name: "true", Taken: true, Status: status, Edit: edit, Runs: runs}
	}
	tried := func(status string, runs uint64, witnesses int) Side {
		return Side{Name: "true", Status: status, Runs: runs, Witnesses: witnesses}
	}
	for _, tt := range []struct {
		name           string
		new, old, want Side
	}{
		{"taken before", tried("tried", 9, 1), taken("flipped", "alias", 3), taken("flipped", "alias", 3)},
		{"taken before and now", taken("", "", 0), taken("flipped", "alias", 3), taken("flipped", "alias", 3)},
		{"taken before, flipped again", taken("flipped", "splice", 5), taken("flipped", "alias", 3), taken("flipped", "splice", 5)},
		{"taken now", taken("flipped", "splice", 5), tried("tried", 100, 2), taken("flipped", "splice", 5)},
		{"tried more before", tried("untried", 0, 1), tried("no influence", 7, 3), tried("no influence", 7, 3)},
		{"tried more now", tried("tried", 8, 1), tried("no influence", 7, 3), tried("tried", 15, 3)},
		{"not searched for", tried("untried", 0, 0), tried("unstable", 0, 0), tried("untried", 0, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, old := state(map[int]Side{nilTrue: tt.new}), state(map[int]Side{nilTrue: tt.old})
			s.Conditions[3].Sides[1].Taken, old.Conditions[3].Sides[1].Taken = tt.new.Taken, tt.old.Taken
			s.Merge(old)
			if got := s.Conditions[3].Sides[1]; got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if s.Runs != 2 || s.Sequences != 200 {
				t.Errorf("%d runs and %d sequences, want 2 and 200", s.Runs, s.Sequences)
			}
		})
	}
}

// Sides go by names: numbers and lines may be others.
func TestMergeByName(t *testing.T) {
	old := state(nil, nilTrue)
	c := &old.Conditions[3]
	c.Line, c.Sides = 1, []Side{c.Sides[1], c.Sides[0], {Name: "perhaps", Taken: true}}
	old.Conditions = append(old.Conditions[3:], Condition{ID: "gone", File: "p.go", Sides: []Side{{Name: "true", Taken: true}}})
	s := state(nil, nilFalse)
	s.Merge(old)
	if got, want := s.Conditions, state(nil, nilFalse, nilTrue).Conditions; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// Results for a file do not hold once it has changed.
func TestMergeChanged(t *testing.T) {
	old := state(nil, nilTrue)
	old.Files[0].Sum = "another"
	s := state(nil, nilFalse)
	s.Merge(old)
	if got, want := s.Conditions, state(nil, nilFalse).Conditions; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if s.Runs != 2 {
		t.Errorf("%d runs, want 2", s.Runs)
	}
}

func TestTotals(t *testing.T) {
	s := state(nil, rangeMore, lengthFalse, lengthTrue, equalTrue)
	if got, want := s.Totals(), (Totals{Conditions: 6, Sides: 12, Taken: 4, Frontier: 2}); got != want || got.Unreached() != 6 {
		t.Errorf("Totals() = %+v, %d unreached, want %+v and 6", got, got.Unreached(), want)
	}
	want := []Function{
		{"Find", "p.go", 4, Totals{Conditions: 5, Sides: 10, Taken: 4, Frontier: 2}},
		{"dead", "p.go", 15, Totals{Conditions: 1, Sides: 2}},
	}
	if got := s.Functions(); !reflect.DeepEqual(got, want) {
		t.Errorf("Functions() = %+v, want %+v", got, want)
	}
	var sum Totals
	for _, f := range s.Functions() {
		sum.Conditions += f.Conditions
		sum.Sides += f.Sides
		sum.Taken += f.Taken
		sum.Frontier += f.Frontier
	}
	if sum != s.Totals() {
		t.Errorf("functions sum up to %+v, want %+v", sum, s.Totals())
	}
}

func TestChanged(t *testing.T) {
	s := state(nil)
	s.Files = append(s.Files, File{"gone.go", Sum(nil)}, File{"new.go", "old"})
	got := s.Changed(map[string][]byte{"p.go": []byte(source), "new.go": nil, "other.go": nil})
	if want := []string{"gone.go", "new.go"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Changed = %q, want %q", got, want)
	}
}

func TestStateJSON(t *testing.T) {
	s := state(map[int]Side{nilTrue: {Status: "tried", Runs: 12, Witnesses: 3}, equalTrue: {Status: "flipped", Edit: "compared"}}, nilFalse, equalTrue)
	s.Version = "v1.2.3"
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got State
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(&got, s) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, s)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"a later schema", `"schema":1`, `"schema":2`, "schema 2, want at most 1: it is of a later foray"},
		{"a later schema of other types", `"schema":1,"package":`, `"schema":2,"runs":[],"package":`, "schema 2, want at most 1"},
		{"another's file", `"schema"`, `"version"`, "cannot unmarshal"},
		{"no package", `"m.test/p"`, `""`, "it is of package"},
		{"another package", `"m.test/p"`, `"m.test/q"`, `it is of package "m.test/q", want "m.test/p"`},
		{"no run", `"runs":1`, `"runs":-1`, "no run"},
		{"a directory", `"name":"p.go"`, `"name":"../p.go"`, "perhaps behind an import path"},
		{"a file that is not listed", `"file":"p.go"`, `"file":"q.go"`, "want a place in a file"},
		{"no line", `"line":4`, `"line":0`, "want a place"},
		{"no column", `"col":2`, `"col":-2`, "want a place"},
		{"no sides", `[{"name":"empty"},{"name":"non-empty"}]`, `[]`, "0 sides"},
		{"no name of a side", `{"name":"empty"}`, `{}`, `side ""`},
		{"a negative number", `"witnesses":3`, `"witnesses":-3`, "-3 witnesses"},
		{"too large a number", `"runs":12`, `"runs":99999999999999999999`, "cannot unmarshal"},
		{"one id twice", `Find#2 \"len(v) == len(x)\"`, `Find#1 \"range s\"`, "want an id, once"},
		{"torn", `}]}]}`, `}`, "unexpected end"},
	} {
		torn := strings.Replace(string(data), tt.old, tt.new, 1)
		if torn == string(data) {
			t.Errorf("%s: %s holds no %s", tt.name, data, tt.old)
		}
		was := *s
		if err := json.Unmarshal([]byte(torn), &was); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
		if !reflect.DeepEqual(&was, s) {
			t.Errorf("%s: the state has changed to %+v", tt.name, was)
		}
	}
}

func TestStateOfNoPackage(t *testing.T) {
	var s State
	if err := json.Unmarshal([]byte(`{"schema":1,"runs":1}`), &s); err == nil {
		t.Errorf("got %+v, want an error", s)
	}
}

func FuzzState(f *testing.F) {
	data, err := json.Marshal(state(map[int]Side{nilTrue: {Status: "tried", Runs: 12}}, nilFalse, equalTrue))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"package":"p","runs":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s State
		if json.Unmarshal(data, &s) != nil {
			return
		}
		again, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		var back State
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(s, back) {
			t.Errorf("%s gives %+v, written and read %+v, %v", data, s, back, err)
		}
		// An accepted state can be merged and shown, for any source.
		old := s
		s.Merge(&old)
		sources := map[string][]byte{}
		for _, file := range s.Files {
			sources[file.Name] = []byte(source)
		}
		if err := HTML(discard{}, []Page{{State: &s, Sources: sources}}); err != nil {
			t.Error(err)
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Counts of calls add up over runs, and outlive their JSON.
func TestCalls(t *testing.T) {
	s := &State{Package: "p", Runs: 1, Calls: []Calls{{"Put", "returned", "", "", 3}, {"Get", "illegal", "nil", "nil was given", 2}}}
	s.Merge(&State{Package: "p", Runs: 1, Calls: []Calls{
		{"Get", "illegal", "", "nil was given", 5}, // before rules were stored
		{"Get", "illegal", "", "too long", 1},
		{"Get", "illegal", "nil", "an argument is nil", 6},
		{"Put", "illegal", "nil", "nil was given", 1},
		{"Get", "failed", "", "", 4},
	}})
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got := new(State)
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	want := []Calls{
		{"Get", "failed", "", "", 4}, {"Get", "illegal", "", "too long", 1}, {"Get", "illegal", "nil", "nil was given", 13},
		{"Put", "illegal", "nil", "nil was given", 1}, {"Put", "returned", "", "", 3},
	}
	if !slices.Equal(got.Calls, want) {
		t.Errorf("calls %v, want %v", got.Calls, want)
	}
}

// The course of a run has few points, which end where the run does.
func TestRunAdd(t *testing.T) {
	var r Run
	for at := time.Duration(0); at <= 10*time.Minute; at += 50 * time.Millisecond {
		if r.Due(at) {
			r.Add(at, Point{Sides: int(at / time.Second)})
		}
	}
	r.Add(10*time.Minute, Point{Sides: 601})
	n := len(r.Points)
	if n < maxPoints/2-1 || n > maxPoints || r.Points[n-1] != (Point{Seconds: 600, Sides: 601}) {
		t.Errorf("%d points, the last %+v", n, r.Points[n-1])
	}
	if err := checkHistory([]Run{r}); err != nil {
		t.Error(err)
	}
}

// The latest runs of both states stay, in order.
func TestMergeHistory(t *testing.T) {
	at := func(n int) Run {
		return Run{Start: time.Unix(int64(n), 0).UTC(), Points: []Point{{Seconds: 1, Sides: n}}}
	}
	s, old := state(nil), state(nil)
	s.History = []Run{at(100)}
	for i := range maxRuns {
		old.History = append(old.History, at(i))
	}
	s.Merge(old)
	if n := len(s.History); n != maxRuns || s.History[0].Points[0].Sides != 1 || s.History[n-1].Points[0].Sides != 100 {
		t.Errorf("history %+v", s.History)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back.History, s.History) {
		t.Errorf("read %v, %+v", err, back.History)
	}
	s.History = []Run{{}}
	if data, err = json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err == nil {
		t.Error("a run without points is read")
	}
}

// TestPrices: what attempts in vain have cost goes on from run to run, of files that stay as they were.
func TestPrices(t *testing.T) {
	files := []File{{"p.go", Sum([]byte(source))}}
	old := state(map[int]Side{3: {Status: "tried", Runs: 9, Price: 5}, 4: {Status: "tried", Price: 2}, 5: {Status: "untried"}}, 1, 2)
	want := map[int32]uint32{3: 5, 4: 2}
	if got := old.Prices(conditions(), files); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := old.Prices(conditions(), []File{{"p.go", "another"}}); len(got) > 0 {
		t.Errorf("got %v of a file that has changed", got)
	}
	s := state(map[int]Side{3: {Status: "tried", Runs: 1, Price: 9}}, 1, 2, 4)
	s.Merge(old)
	if got, want := s.Prices(conditions(), files), map[int32]uint32{3: 9}; !maps.Equal(got, want) {
		t.Errorf("after a run that took one: got %v, want %v", got, want)
	}
}

// Notes of solving belong to sides that are not taken. Those of a run that solved replace the
// ones of before.
func TestNoteImpossible(t *testing.T) {
	files := []File{{"p.go", Sum([]byte(source))}}
	notes := func(s *State) map[int]string {
		got, side := map[int]string{}, 0
		for i := range s.Conditions {
			for j := range s.Conditions[i].Sides {
				if remark := s.Conditions[i].Sides[j].Remark(); remark != "" {
					got[side] = remark
				}
				side++
			}
		}
		return got
	}
	check := func(s *State, what string, want map[int]string) {
		t.Helper()
		if got := notes(s); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	old := state(map[int]Side{3: {Status: "tried", Runs: 9}}, 1, 2)
	old.NoteImpossible(conditions(), files, map[int]int{1: 4, 3: 2, 5: 1})
	check(old, "notes", map[int]string{3: "impossible along 2 witnesses", 5: "impossible along 1 witness"})

	s := state(nil, 1, 2, 5)
	s.Merge(old)
	check(s, "a run that does not solve", map[int]string{3: "impossible along 2 witnesses"})
	for _, tt := range []struct {
		what  string
		found map[int]int
		want  map[int]string
	}{
		{"solving did not come to its end", nil, map[int]string{3: "impossible along 2 witnesses", 5: "impossible along 1 witness"}},
		{"another witness", map[int]int{3: 3}, map[int]string{3: "impossible along 3 witnesses"}},
		{"possible now", map[int]int{}, map[int]string{}},
	} {
		s := state(map[int]Side{3: {Status: "untried"}}, 1, 2)
		s.NoteImpossible(conditions(), files, tt.found)
		s.Merge(old)
		check(s, tt.what, tt.want)
	}
	check(old, "the state of before", map[int]string{3: "impossible along 2 witnesses", 5: "impossible along 1 witness"})

	old.NoteImpossible(conditions(), []File{{"p.go", "another"}}, map[int]int{3: 2})
	check(old, "a file that has changed", map[int]string{})
}
