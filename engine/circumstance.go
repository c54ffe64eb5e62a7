package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/predicate"
	"foray.test/engine/seq"
)

// A place is a literal of a sequence: argument arg of a step.
type place struct {
	step, arg int
	lit       *seq.Literal
	name      string // of the parameter, and the operation
	text      bool   // it is a text, or a byte of one
	input     bool   // … that decides: see placesOf
}

// An around is what runs with other literals tell of the failure of a sequence.
type around struct {
	when     string // it fails, in words
	position bool   // the last call takes a number like a position: see positional
	anyText  bool   // text was given that may decide, and the last call fails of any that is not empty
	anyLong  bool   // … of any that is at least as long
}

// circumstances runs a minimized sequence with other literals, and tells in words when it
// fails. That is the simplest condition on the literals that separates the runs that fail,
// or else the literals that may be anything and those that may not. shows reports whether a
// sequence shows the finding, and false if no more are to run.
func circumstances(t *seq.Table, p *Pool, s seq.Sequence, shows func(seq.Sequence) (fails, ok bool)) (a around) {
	s = spelled(t, p, s)
	v := &variation{table: t, pool: p, steps: s, shows: shows, places: placesOf(t, s), left: maxAround}
	if len(v.places) == 0 || !v.run(v.own()) {
		return a // it depends on more than the sequence
	}
	var anything, fixed, texts []string // names of places; texts are inputs
	a.anyText, a.anyLong = true, true
	for i, at := range v.places {
		before := len(v.samples)
		failed := v.alone(i)
		same := v.same(i)
		if failed == 0 && len(same) > 1 { // they may have to be the same
			before = len(v.samples)
			if failed = v.alone(same...); failed > 0 {
				at.name = v.names(same)
			}
		}
		tried := len(v.samples) - before
		a.position = a.position || at.step == len(s)-1 && isNumber(at.lit) && positional(slices.Concat(v.samples[:1], v.samples[before:]), i)
		if at.input {
			texts = append(texts, at.name)
			own, _ := at.lit.Value.(string)
			a.anyText = a.anyText && v.ofAnyText(i, before, 1)
			a.anyLong = a.anyLong && v.ofAnyText(i, before, len(own))
		}
		switch {
		case slices.Contains(anything, at.name): // told of with another
		case tried > 0 && failed == tried:
			anything = append(anything, at.name)
		case tried > 0 && failed == 0:
			fixed = append(fixed, at.name+" is "+plainText(at.lit.Value))
		}
	}
	told := v.told(anything, fixed)
	v.together()
	if a.when = v.condition(); a.when == "" {
		a.when = told
	}
	a.anyText, a.anyLong = a.anyText && len(texts) > 0, a.anyLong && len(texts) > 0
	if a.when == "" && (a.anyText || a.anyLong) {
		a.when = failsForAny(texts) + ", but perhaps for shorter ones"
	}
	return a
}

// spelled returns s with []byte("") in place of each []byte{}, which has no literal to vary.
func spelled(t *seq.Table, p *Pool, s seq.Sequence) seq.Sequence {
	for i, st := range s {
		made := &t.Ops[st.Op]
		if made.Kind != seq.Elements || len(st.Args) > 0 || !t.Types[made.Results[0]].IsBytes() {
			continue
		}
		for id := range t.Ops {
			op := &t.Ops[id]
			if op.Kind != seq.Convert || op.Results[0] != made.Results[0] || t.Types[op.Params[0]].Literal != seq.String {
				continue
			}
			empty := p.Intern(&seq.Literal{Type: op.Params[0], Value: ""})
			s = slices.Replace(slices.Clone(s), i, i+1, seq.Step{Op: seq.OpID(id), Args: []seq.Arg{seq.Lit(empty)}})
			break
		}
	}
	return s
}

// ofAnyText reports whether the runs from one on, in which place i alone has another text or
// byte, fail of each text of a least length.
func (v *variation) ofAnyText(i, from, least int) bool {
	texts := 0
	for k, with := range v.tried[from:] {
		if text, is := with[i].Value.(string); is && len(text) < least {
			continue
		}
		if texts++; !v.samples[from+k].Fails {
			return false
		}
	}
	return texts >= fewTexts
}

// A variation runs a sequence with other literals in some places.
type variation struct {
	table   *seq.Table
	pool    *Pool
	steps   seq.Sequence
	shows   func(seq.Sequence) (fails, ok bool)
	places  []place
	samples []predicate.Sample // one a run
	tried   [][]*seq.Literal   // … and its literals
	left    int                // runs
}

// own returns the literals of the sequence itself.
func (v *variation) own() []*seq.Literal {
	list := make([]*seq.Literal, len(v.places))
	for i, at := range v.places {
		list[i] = at.lit
	}
	return list
}

// run runs the sequence with literals, one a place, and reports whether it fails.
func (v *variation) run(with []*seq.Literal) bool {
	v.left--
	varied, values := v.steps, make([]int64, len(v.places))
	for i, at := range v.places {
		varied, values[i] = varied.With(at.step, at.arg, seq.Lit(with[i])), measure(with[i].Value)
	}
	fails, ok := false, varied.Check(v.table) == nil
	if ok {
		fails, ok = v.shows(varied)
	}
	if !ok {
		v.left = 0
		return false
	}
	v.samples = append(v.samples, predicate.Sample{Values: values, Fails: fails})
	v.tried = append(v.tried, slices.Clone(with))
	return fails
}

// set puts another value in place i.
func (v *variation) set(with []*seq.Literal, i int, value any) {
	with[i] = v.pool.Intern(&seq.Literal{Type: v.places[i].lit.Type, Value: value})
}

// same returns the places, in order, that have the text of place i: that one alone if it has none.
func (v *variation) same(i int) (places []int) {
	for j, at := range v.places {
		if j == i || isText(at.lit) && at.lit.Value == v.places[i].lit.Value {
			places = append(places, j)
		}
	}
	return places
}

// names returns the names of places that have the same literal.
func (v *variation) names(places []int) string {
	list := make([]string, len(places))
	for k, i := range places {
		list[k] = v.places[i].name
	}
	return strings.Join(list, " equal to ")
}

// alone varies the literals of some places together, and returns how many of its runs fail.
func (v *variation) alone(places ...int) (failed int) {
	for _, value := range others(v.places[places[0]].lit.Value) {
		if v.left <= 0 {
			break
		}
		with := v.own()
		for _, i := range places {
			v.set(with, i, value)
		}
		if v.run(with) {
			failed++
		}
	}
	return failed
}

// together varies two literals at once: a condition on two shows only so.
func (v *variation) together() {
	for i := range v.places {
		for j := range i {
			a, b := others(v.places[i].lit.Value), others(v.places[j].lit.Value)
			for k := 0; k < max(len(a), len(b)) && v.left > 0; k++ {
				with := v.own()
				v.set(with, i, a[k%len(a)])
				v.set(with, j, b[(k+1)%len(b)])
				v.run(with)
			}
		}
	}
}

// positional reports whether variable i of the runs is like a position in a slice. The call
// returns with zero and with a range of numbers around it. It fails with two or more above
// that range, or below.
func positional(samples []predicate.Sample, i int) bool {
	var lo, hi int64 // the range
	zero := false
	for _, s := range samples {
		if n := s.Values[i]; !s.Fails {
			lo, hi, zero = min(lo, n), max(hi, n), zero || n == 0
		}
	}
	above, below := 0, 0
	for _, s := range samples {
		switch n := s.Values[i]; {
		case !s.Fails:
		case n > hi:
			above++
		case n < lo:
			below++
		default:
			return false
		}
	}
	return zero && (above > 1 || below > 1)
}

// condition tells the simplest condition that the runs which fail meet, and no others. It
// returns an empty text if there is none, or too little was seen.
func (v *variation) condition() string {
	failing := v.failing()
	if failing < 2 || len(v.samples) < fewSamples {
		return ""
	}
	text, ok := v.part()
	if !ok {
		names := make([]string, len(v.places))
		for i := range v.places {
			if names[i] = v.places[i].name; isText(v.places[i].lit) {
				names[i] = "len(" + names[i] + ")"
			}
		}
		text, ok = predicate.Separate(names, v.samples)
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf("fails if %s: %d of %d; otherwise 0 of %d", text, failing, failing, len(v.samples)-failing)
}

func (v *variation) failing() (n int) {
	for _, s := range v.samples {
		if s.Fails {
			n++
		}
	}
	return n
}

// part returns the condition that a text has the text of the sequence as a part of it.
func (v *variation) part() (text string, ok bool) {
	for i, at := range v.places {
		own, is := at.lit.Value.(string)
		if !is || own == "" {
			continue
		}
		for _, c := range []struct {
			verb  string
			holds func(s, part string) bool
		}{{"contains", strings.Contains}, {"begins with", strings.HasPrefix}, {"ends with", strings.HasSuffix}} {
			met := 0
			for k, s := range v.samples {
				if c.holds(v.tried[k][i].Value.(string), own) == s.Fails {
					met++
				}
			}
			if met == len(v.samples) && v.failing() < met {
				return fmt.Sprintf("%s %s %s", at.name, c.verb, plainText(own)), true
			}
		}
	}
	return "", false
}

// told names the literals that may be anything, and those that may not, each by itself.
func (v *variation) told(anything, fixed []string) string {
	var parts []string
	if len(anything) > 0 {
		parts = append(parts, failsForAny(anything[:min(len(anything), circumstanceTexts)]))
	}
	if len(fixed) > 0 {
		parts = append(parts, "fails only if "+strings.Join(fixed[:min(len(fixed), circumstanceTexts)], " and "))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d runs with one literal changed failed", strings.Join(parts, "; "), v.failing()-1, len(v.samples)-1)
}

// failsForAny says that the literals of these names may be anything.
func failsForAny(names []string) string {
	text := "fails for"
	for _, name := range names {
		text += " any " + strings.TrimPrefix(name, "the ") + ","
	}
	return strings.TrimSuffix(text, ",")
}

// plainText returns a value as Go writes it, without its type.
func plainText(v any) string {
	if s, is := v.(string); is {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

func isNumber(l *seq.Literal) bool {
	switch l.Value.(type) {
	case int64, uint64:
		return true
	}
	return false
}

func isText(l *seq.Literal) bool {
	_, is := l.Value.(string)
	return is
}

// placesOf lists the literals of s that can be varied, those of the last steps first. Texts that the
// last call reads decide. If it reads none, those do that other calls were given, but for empty
// ones: an object of no text is one of no size.
func placesOf(t *seq.Table, s seq.Sequence) []place {
	var list []place
	input := Inputs(t, s)
	for i := len(s) - 1; i >= 0; i-- {
		op := &t.Ops[s[i].Op]
		for j, a := range s[i].Args {
			if a.Lit == nil || a.Lit.Value == nil || len(others(a.Lit.Value)) == 0 || len(list) == maxPlaces {
				continue
			}
			name := placeName(t, op, j)
			for _, have := range list {
				if have.name == name {
					name = fmt.Sprintf("%s in step %d", name, i+1)
				}
			}
			isByte := op.Kind == seq.Elements && t.Types[op.Results[0]].IsBytes()
			text := isByte || isText(a.Lit)
			list = append(list, place{i, j, a.Lit, name, text, input[i] && text})
		}
	}
	if !slices.ContainsFunc(list, func(at place) bool { return at.input }) {
		for i := range list {
			list[i].input = list[i].text && list[i].lit.Value != ""
		}
	}
	return list
}

// Inputs reports by step whether its literals are input of the last call of s. It is that call, or
// makes what the call is given, as []byte("0") and strings.NewReader("0") do.
func Inputs(t *seq.Table, s seq.Sequence) []bool {
	input := make([]bool, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		input[i] = input[i] || i == len(s)-1
		for _, a := range s[i].Args {
			if input[i] && a.Lit == nil {
				made := s.Maker(t, a.Slot)
				input[made] = input[made] || !t.Ops[s[made].Op].API
			}
		}
	}
	return input
}

// placeName names a literal argument of an operation: by its parameter, by its field, or by
// the value that it is a part of. That is named by its type or, if that is any, by its expression.
func placeName(t *seq.Table, op *seq.Operation, arg int) string {
	if arg < len(op.Names) && op.Names[arg] != "" && op.Names[arg] != "_" {
		return op.Names[arg] + " of " + op.Short
	}
	if op.API || len(op.Results) == 0 || op.Short != op.Template {
		return fmt.Sprintf("argument %d of %s", arg, op.Short)
	}
	made := strings.TrimLeft(t.Types[op.Results[0]].Name, "*")
	switch {
	case arg < len(op.Vars):
		return op.Vars[arg] + " of " + made
	case t.Types[op.Results[0]].IsAny():
		return fmt.Sprintf("$%d of %s", arg, op.Template)
	case len(op.Params) == 1 && !op.Variadic:
		return "the " + made
	}
	return fmt.Sprintf("element %d of %s", arg, made)
}

// others lists values to try in place of v.
func others(v any) []any {
	switch v := v.(type) {
	case bool:
		return []any{!v}
	case int64:
		return without(v, []int64{0, 1, 2, 3, 7, 100, -1, -2, v - 1, v + 1})
	case uint64:
		return without(v, []uint64{0, 1, 2, 3, 7, 100, v - min(v, 1), v + 1})
	case string:
		// Another text of its length, and longer ones: is it the length, or the text?
		return without(v, []string{"", "a", "b", "ab", "é", " ", "1", v + "x", "x" + v, strings.Repeat("a", len(v)), "0123456789abcdef"})
	}
	return nil
}

func without[T comparable](v T, list []T) []any {
	var rest []any
	seen := map[T]bool{v: true}
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			rest = append(rest, x)
		}
	}
	return rest
}

// measure returns the number that a condition sees of a literal.
func measure(v any) int64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
	case int64:
		return v
	case uint64:
		return int64(min(v, 1<<62))
	case string:
		return int64(len(v))
	}
	return 0
}
