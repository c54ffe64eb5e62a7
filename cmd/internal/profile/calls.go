package profile

import (
	"cmp"
	"go/constant"
	"slices"
	"strconv"
)

// Calls are calls of one operation: those in the source from one place, or those of a run.
type Calls struct {
	From   string   `json:"from,omitempty"`   // Tests, Examples, Fuzz, or the import path of a user
	Stamp  string   `json:"stamp,omitempty"`  // of the package and its tests when they ran
	Places int      `json:"places,omitempty"` // of the source
	At     string   `json:"at,omitempty"`     // the first of them, as file:line
	Times  int      `json:"times,omitempty"`  // that the places were read, or the calls were made
	Caught int      `json:"caught,omitempty"` // of these end in a panic that a test expects, or survives
	Args   []Values `json:"args,omitempty"`   // of the others, by parameter
	// CaughtArgs are the arguments of calls that end in a caught panic.
	CaughtArgs []Values   `json:"caught_args,omitempty"`
	Relations  []Relation `json:"relations,omitempty"`
	Results    []Values   `json:"results,omitempty"`
	// Before are the calls that came before on the same receiver, in a run.
	Before []Count `json:"before,omitempty"`
}

// Values counts the values of a parameter or a result.
type Values struct {
	Known    int `json:"known,omitempty"` // those of which anything is known
	Nil      int `json:"nil,omitempty"`
	True     int `json:"true,omitempty"`
	Zero     int `json:"zero,omitempty"` // numbers
	Negative int `json:"negative,omitempty"`
	Numbers  int `json:"numbers,omitempty"`
	// Least and Greatest are the bounds of numbers, as Go writes them.
	Least    string `json:"least,omitempty"`
	Greatest string `json:"greatest,omitempty"`
	Empty    int    `json:"empty,omitempty"` // texts, lists and maps
	Lengths  int    `json:"lengths,omitempty"`
	Shortest int    `json:"shortest,omitempty"`
	Longest  int    `json:"longest,omitempty"`
	Cut      bool   `json:"cut,omitempty"` // a value was too long to be recorded: it is at least so long
	// Examples are the first constants, as Go writes them. More says that there are others.
	Examples []string `json:"examples,omitempty"`
	More     bool     `json:"more,omitempty"`
}

// A Relation compares two parameters, each by its number or its length.
type Relation struct {
	A, B                 int // parameters, A before B
	Less, Equal, Greater int // how often A is less than B …
	Next, Last           int // A is B-1, A is B+1
}

// A Count is a function or method, and how often it came.
type Count struct {
	Operation string `json:"operation"`
	Times     int    `json:"times"`
	Made      bool   `json:"made,omitempty"` // it made the value on which the call was the first
}

// A Call is one call that is observed.
type Call struct {
	Args, Results []Value
	Caught        bool // it ends in a panic, and the test goes on
	Before        Count
}

// A Value is what is known of a value. Nothing is known of the zero Value.
type Value struct {
	Known bool
	Nil   bool
	Const constant.Value // a number, a text or a bool; nil if it is another, or not known
	Sized bool           // its length is known
	Len   int
	Cut   bool // it is longer
}

const (
	maxExamples = 3  // of one parameter
	maxExample  = 24 // bytes of an example
	maxPairs    = 6  // parameters that are compared with each other
)

// Constant returns the Value of a constant, the zero Value if there is none.
func Constant(c constant.Value) Value {
	v := Value{Known: true, Const: c}
	switch {
	case c == nil || c.Kind() == constant.Unknown:
		return Value{}
	case c.Kind() == constant.String:
		v.Sized, v.Len = true, len(constant.StringVal(c))
	}
	return v
}

// Length returns the Value of a list, a map or a text of which nothing but its length is known.
func Length(n int) Value { return Value{Known: true, Sized: true, Len: n} }

// Add observes a call.
func (c *Calls) Add(call Call) {
	c.Times++
	if call.Caught {
		c.Caught++
		c.CaughtArgs = addValues(c.CaughtArgs, call.Args)
		return
	}
	c.Args = addValues(c.Args, call.Args)
	c.Results = addValues(c.Results, call.Results)
	for a := range call.Args[:min(len(call.Args), maxPairs)] {
		for b := range call.Args[:a] {
			c.relate(b, a, &call.Args[b], &call.Args[a])
		}
	}
	if call.Before.Operation != "" {
		c.Before = addCount(c.Before, call.Before, 1)
	}
}

func addValues(list []Values, values []Value) []Values {
	for len(list) < len(values) {
		list = append(list, Values{})
	}
	for i := range values {
		list[i].add(&values[i])
	}
	return list
}

// add observes a value.
func (s *Values) add(v *Value) {
	if !v.Known {
		return
	}
	s.Known++
	if v.Nil {
		s.Nil++
	}
	if v.Sized {
		one := Values{Lengths: 1, Shortest: v.Len, Longest: v.Len, Cut: v.Cut}
		if v.Len == 0 {
			one.Empty = 1
		}
		s.mergeLengths(&one)
	}
	if v.Const == nil {
		return
	}
	example := exampleOf(v.Const)
	if v.Const.Kind() == constant.Bool {
		if constant.BoolVal(v.Const) {
			s.True++
		}
		return
	}
	if v.Const.Kind() != constant.String && example != "" {
		one := Values{Numbers: 1, Least: example, Greatest: example}
		switch constant.Sign(v.Const) {
		case 0:
			one.Zero = 1
		case -1:
			one.Negative = 1
		}
		s.mergeNumbers(&one)
	}
	s.example(example)
}

// exampleOf writes a constant as Go does; empty if that is long.
func exampleOf(c constant.Value) string {
	text := ""
	switch c.Kind() {
	case constant.String:
		if s := constant.StringVal(c); len(s) <= maxExample {
			return strconv.Quote(s)
		}
	case constant.Int:
		text = c.ExactString()
	case constant.Float:
		f, _ := constant.Float64Val(c)
		text = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if len(text) > maxExample || len(text) > 0 && !isNumber(text) {
		return ""
	}
	return text
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

func (s *Values) example(text string) {
	switch {
	case slices.Contains(s.Examples, text):
	case text != "" && len(s.Examples) < maxExamples:
		s.Examples = append(s.Examples, text)
	default:
		s.More = true
	}
}

// merge adds the counts of other.
func (s *Values) merge(other *Values) {
	s.Known += other.Known
	s.Nil += other.Nil
	s.True += other.True
	if other.Numbers > 0 {
		s.mergeNumbers(other)
	}
	if other.Lengths > 0 {
		s.mergeLengths(other)
	}
	for _, text := range other.Examples {
		s.example(text)
	}
	s.More = s.More || other.More
}

func (s *Values) mergeNumbers(other *Values) {
	if s.Numbers == 0 {
		s.Least, s.Greatest = other.Least, other.Greatest
	}
	s.Numbers += other.Numbers
	s.Zero += other.Zero
	s.Negative += other.Negative
	if compareNumbers(other.Least, s.Least) < 0 {
		s.Least = other.Least
	}
	if compareNumbers(other.Greatest, s.Greatest) > 0 {
		s.Greatest = other.Greatest
	}
}

func (s *Values) mergeLengths(other *Values) {
	if s.Lengths == 0 {
		s.Shortest = other.Shortest
	}
	s.Lengths += other.Lengths
	s.Cut = s.Cut || other.Cut
	s.Empty += other.Empty
	s.Shortest, s.Longest = min(s.Shortest, other.Shortest), max(s.Longest, other.Longest)
}

// compareNumbers compares numbers as Go writes them.
func compareNumbers(a, b string) int {
	i, err1 := strconv.ParseInt(a, 10, 64)
	j, err2 := strconv.ParseInt(b, 10, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(i, j)
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y)
}

// size returns the length of a value, or the integer that it is.
func (v *Value) size() (n int64, ok bool) {
	if v.Cut {
		return 0, false
	}
	if v.Sized {
		return int64(v.Len), true
	}
	if v.Const != nil && v.Const.Kind() == constant.Int {
		return constant.Int64Val(v.Const)
	}
	return 0, false
}

// relate compares two arguments, parameter a before b.
func (c *Calls) relate(a, b int, x, y *Value) {
	n, ok1 := x.size()
	m, ok2 := y.size()
	if !ok1 || !ok2 {
		return
	}
	r := Relation{A: a, B: b}
	switch {
	case n < m:
		r.Less = 1
	case n == m:
		r.Equal = 1
	default:
		r.Greater = 1
	}
	if n+1 == m {
		r.Next = 1
	}
	if m+1 == n {
		r.Last = 1
	}
	c.mergeRelation(&r)
}

func (c *Calls) mergeRelation(r *Relation) {
	i := slices.IndexFunc(c.Relations, func(x Relation) bool { return x.A == r.A && x.B == r.B })
	if i < 0 {
		c.Relations = append(c.Relations, *r)
		return
	}
	s := &c.Relations[i]
	s.Less += r.Less
	s.Equal += r.Equal
	s.Greater += r.Greater
	s.Next += r.Next
	s.Last += r.Last
}

// addCount counts an operation n more times. The most frequent come first.
func addCount(list []Count, c Count, n int) []Count {
	i := slices.IndexFunc(list, func(x Count) bool { return x.Operation == c.Operation && x.Made == c.Made })
	if i < 0 {
		i = len(list)
		list = append(list, Count{Operation: c.Operation, Made: c.Made})
	}
	list[i].Times += n
	for ; i > 0 && list[i-1].Times < list[i].Times; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	return list
}

// merge adds the calls of other.
func (c *Calls) merge(other *Calls) {
	c.Places += other.Places
	c.At = cmp.Or(c.At, other.At)
	c.Times += other.Times
	c.Caught += other.Caught
	for _, m := range []struct{ to, from *[]Values }{{&c.Args, &other.Args}, {&c.CaughtArgs, &other.CaughtArgs}, {&c.Results, &other.Results}} {
		for i := range *m.from {
			if i == len(*m.to) {
				*m.to = append(*m.to, Values{})
			}
			(*m.to)[i].merge(&(*m.from)[i])
		}
	}
	for i := range other.Relations {
		c.mergeRelation(&other.Relations[i])
	}
	for _, b := range other.Before {
		c.Before = addCount(c.Before, b, b.Times)
	}
}
