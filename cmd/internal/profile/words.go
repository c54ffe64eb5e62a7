package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
)

// Lines tells the use of an operation, a line each. stamp is that of the package and its tests as
// they are now.
func (o *Operation) Lines(stamp string) []string {
	facts := o.facts()
	line := o.places()
	if never := o.never(facts); never != "" {
		line += ", never with " + never
	}
	if o.CatchesPanic() {
		line += "; a test catches its panic" + o.circumstances()
	}
	lines := []string{line}
	if o.Ran != nil && (o.Ran.Times > 0 || o.Places() > 0 || o.Ran.Stamp != stamp) {
		lines = append(lines, o.ran(stamp))
	}
	if facts.Times == facts.Caught {
		return lines
	}
	for i := range o.Params {
		if told := o.Params[i].tell(facts.at(i), facts.Times-facts.Caught); told != "" && !o.Params[i].Receiver {
			lines = append(lines, o.name(i)+" is "+told)
		}
	}
	lines = append(lines, o.relations(facts)...)
	lines = append(lines, o.returned(facts)...)
	if len(facts.Before) > 0 {
		lines = append(lines, facts.Before[0].order(facts.Times-facts.Caught)...)
	}
	return lines
}

// order tells the call that came before most of n calls, nothing if that may be chance.
func (c *Count) order(n int) []string {
	often := "most often"
	switch {
	case c.Times == n:
		often = "always"
	case c.Times == 1:
		return nil
	case 2*c.Times > n:
		often = "mostly"
	}
	of := ""
	if c.Times < n {
		of = fmt.Sprintf(", %d of %d", c.Times, n)
	}
	if c.Made {
		return []string{fmt.Sprintf("%s the first on what %s made%s", often, c.Operation, of)}
	}
	return []string{fmt.Sprintf("%s after %s on the same receiver%s", often, c.Operation, of)}
}

// facts returns the calls whose arguments are told: those of a run, where there is one, for all of
// them are known.
func (o *Operation) facts() *Calls {
	if o.Ran != nil && o.Ran.Times > 0 {
		return o.Ran
	}
	sum := new(Calls)
	for i := range o.Read {
		sum.merge(&o.Read[i])
	}
	return sum
}

// at returns the values of a parameter.
func (c *Calls) at(i int) *Values {
	if i < len(c.Args) {
		return &c.Args[i]
	}
	return new(Values)
}

// places tells where the source has calls.
func (o *Operation) places() string {
	var list []string
	for i := range o.Read {
		c := &o.Read[i]
		if c.Places == 0 {
			continue
		}
		where := "the " + c.From
		if c.From != Tests && c.From != Examples && c.From != Fuzz {
			where = c.From
		}
		at := ""
		switch {
		case c.At == "":
		case c.Places == 1:
			at = " (" + c.At + ")"
		default:
			at = " (first " + c.At + ")"
		}
		if len(list) == 0 {
			where = text.Plural(c.Places, "place") + " of " + where
		} else {
			where = fmt.Sprintf("%d of %s", c.Places, where)
		}
		list = append(list, where+at)
	}
	if len(list) == 0 && o.Ran != nil && o.Ran.Times > 0 {
		return "no test calls it by its name"
	} else if len(list) == 0 {
		return "no test calls it"
	}
	return "called at " + join(list, "and")
}

// never tells which values no argument had, empty if that is not known.
func (o *Operation) never(facts *Calls) string {
	var list []string
	for i := range o.Params {
		p := &o.Params[i]
		both := new(Values)
		both.merge(facts.at(i))
		if i < len(facts.CaughtArgs) {
			both.merge(&facts.CaughtArgs[i])
		}
		if facts.Times < 2 || both.Known < facts.Times || p.Receiver {
			continue
		}
		switch {
		case p.Kind == Signed && both.Numbers > 0 && both.Negative+both.Zero == 0:
			list = append(list, "a zero or negative "+o.name(i))
		case p.Kind == Signed && both.Numbers > 0 && both.Negative == 0:
			list = append(list, "a negative "+o.name(i))
		case p.Kind == Unsigned && both.Numbers > 0 && both.Zero == 0:
			list = append(list, "a zero "+o.name(i))
		case p.Kind == Sized && both.Lengths > 0 && both.Empty == 0:
			list = append(list, "an empty "+o.name(i))
		case p.Kind == Reference && both.Nil == 0:
			list = append(list, "a nil "+o.name(i))
		}
	}
	return join(list, "or")
}

// circumstances tells the arguments of calls in which tests catch a panic.
func (o *Operation) circumstances() string {
	facts := o.Ran
	if facts == nil || facts.Caught == 0 {
		i := slices.IndexFunc(o.Read, func(c Calls) bool { return c.Caught > 0 })
		facts = &o.Read[i]
	}
	var list []string
	for i := range facts.CaughtArgs {
		if v := &facts.CaughtArgs[i]; i < len(o.Params) && v.Known == facts.Caught {
			list = append(list, o.special(i, v, facts.Caught)...)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " with " + join(list, "and")
}

// special tells how all of n values of a parameter are special.
func (o *Operation) special(i int, v *Values, n int) []string {
	name := o.name(i)
	switch {
	case v.Nil == n:
		return []string{"a nil " + name}
	case v.Empty == n:
		return []string{"an empty " + name}
	case v.Negative == n:
		return []string{"a negative " + name}
	case v.Zero == n:
		return []string{"a zero " + name}
	case len(v.Examples) == 1 && !v.More:
		return []string{name + " " + v.Examples[0]}
	case v.Lengths == n && len(v.Examples) > 1:
		return []string{name + " such as " + strings.Join(v.Examples, ", ")}
	case v.Numbers == n && n > 1:
		return []string{fmt.Sprintf("%s from %s to %s", name, v.Least, v.Greatest)}
	}
	return nil
}

// ran tells how often the calls were made.
func (o *Operation) ran(stamp string) string {
	when := "when the tests ran"
	if o.Ran.Stamp != stamp {
		when += ", before they or the package changed"
	}
	if o.Ran.Times == 0 {
		return "not called " + when
	}
	line := text.Plural(o.Ran.Times, "call") + " from " + text.Plural(o.Ran.Places, "place") + " " + when
	switch o.Ran.Caught {
	case 0:
	case 1:
		line += "; 1 panics, and the test goes on"
	default:
		line += fmt.Sprintf("; %d panic, and the tests go on", o.Ran.Caught)
	}
	return line
}

// name returns the name of a parameter, or its number.
func (o *Operation) name(i int) string {
	p := &o.Params[i]
	if p.Receiver {
		return cmp.Or(p.Name, "receiver")
	}
	if p.Name == "" || p.Name == "_" {
		if o.Params[0].Receiver {
			return fmt.Sprintf("argument %d", i)
		}
		return fmt.Sprintf("argument %d", i+1)
	}
	return p.Name
}

// tell tells n values of a parameter or a result, empty if there is nothing to tell.
func (p *Param) tell(v *Values, n int) string {
	var list []string
	count := func(k int, what string) {
		switch {
		case k == 0:
		case k == n:
			list = append(list, "always "+what)
		default:
			list = append(list, fmt.Sprintf("%s in %d of %d", what, k, n))
		}
	}
	switch {
	case p.Kind == Error:
		if v.Nil < v.Known {
			count(v.Known-v.Nil, "an error")
		}
		return strings.Join(list, ", ")
	case p.Kind == Bool:
		count(v.True, "true")
		if v.True == 0 && v.Known == n {
			count(n, "false")
		}
		return strings.Join(list, ", ")
	case p.Kind == Reference:
		count(v.Nil, "nil")
	case v.Numbers > 0 && v.Least == v.Greatest:
		list = append(list, v.Least)
	case v.Numbers > 0:
		list = append(list, v.Least+" to "+v.Greatest)
		count(v.Zero, "zero")
	case v.Lengths > 0 && v.Longest > 0 && p.Kind == Sized:
		list = append(list, v.lengths())
		count(v.Empty, "empty")
	case v.Empty > 0 && p.Kind == Sized:
		count(v.Empty, "empty")
	}
	if text := v.examples(); text != "" && p.Kind != Reference {
		list = append(list, text)
	} else if p.Kind == Reference && len(v.Examples) > 0 {
		list = append(list, "for example "+strings.Join(v.Examples, ", ")) // beside values of other kinds
	}
	told := strings.Join(list, ", ")
	if v.Known < n && told != "" {
		told += fmt.Sprintf(" (unknown in %d)", n-v.Known)
	}
	return told
}

func (v *Values) lengths() string {
	more := ""
	if v.Cut {
		more = " or more"
	}
	if v.Shortest == v.Longest {
		return fmt.Sprintf("%d%s long", v.Longest, more)
	}
	return fmt.Sprintf("%d to %d%s long", v.Shortest, v.Longest, more)
}

// examples tells constants, as far as the bounds do not.
func (v *Values) examples() string {
	list := slices.DeleteFunc(slices.Clone(v.Examples), func(text string) bool { return text == `""` })
	numbers := v.Numbers > 0 && v.Lengths == 0
	switch {
	case len(list) == 0 || numbers && len(list) < maxExamples:
		return ""
	case v.More || numbers:
		return "such as " + strings.Join(list, ", ")
	}
	return join(list, "or")
}

// relations tells the relations of arguments that hold in all calls, and by more than chance: the
// bound is reached, and not always.
func (o *Operation) relations(facts *Calls) (lines []string) {
	for _, r := range facts.Relations {
		n := r.Less + r.Equal + r.Greater
		if r.B >= len(o.Params) || o.Params[r.A].Receiver || n < facts.Times-facts.Caught {
			continue
		}
		a, b := o.magnitude(r.A), o.magnitude(r.B)
		sizedA, sizedB := o.Params[r.A].Kind == Sized, o.Params[r.B].Kind == Sized
		if sizedA && !sizedB { // the number comes first
			a, b, r.Less, r.Greater, r.Next = b, a, r.Greater, r.Less, r.Last
		}
		va, vb := facts.at(r.A), facts.at(r.B)
		varied := va.Shortest < va.Longest || vb.Shortest < vb.Longest || va.Least != va.Greatest || vb.Least != vb.Greatest
		switch {
		case r.Equal == n && varied && (sizedA || sizedB):
			lines = append(lines, fmt.Sprintf("%s is equal to %s in all of these", a, b))
		case sizedA && sizedB || r.Greater > 0:
		case r.Equal > 0 && r.Less > 0:
			lines = append(lines, fmt.Sprintf("%s is at most %s in all of these", a, b))
		case sizedA != sizedB && r.Equal == 0 && r.Next > 0 && r.Next < r.Less:
			lines = append(lines, fmt.Sprintf("%s is less than %s in all of these", a, b))
		}
	}
	return lines
}

// magnitude names the number or the length of a parameter.
func (o *Operation) magnitude(i int) string {
	if o.Params[i].Kind == Sized {
		return "len(" + o.name(i) + ")"
	}
	return o.name(i)
}

// returned tells the results.
func (o *Operation) returned(facts *Calls) (lines []string) {
	failed := 0
	for i := range facts.Results[:min(len(facts.Results), len(o.Results))] {
		if v := &facts.Results[i]; o.Results[i].Kind == Error {
			failed = v.Known - v.Nil
		}
	}
	for i := range facts.Results[:min(len(facts.Results), len(o.Results))] {
		v := &facts.Results[i]
		told := o.Results[i].tell(v, facts.Times-facts.Caught)
		switch {
		case told == "" || o.Results[i].Kind == Reference && v.Nil == failed && failed > 0:
		case len(o.Results) > 1 && o.Results[i].Kind != Error:
			lines = append(lines, fmt.Sprintf("result %d is %s", i+1, told))
		default:
			line := "it returned " + told
			if always, ok := strings.CutPrefix(told, "always "); ok {
				line = "it always returned " + always
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Lines tells the use of a type, a line each.
func (t *Type) Lines(stamp string) (lines []string) {
	if t.Zero+t.Literals > 0 {
		var list []string
		if t.Zero > 0 {
			list = append(list, "its zero value at "+text.Plural(t.Zero, "place"))
		}
		if t.Literals > 0 {
			list = append(list, "a literal at "+text.Plural(t.Literals, "place"))
		}
		lines = append(lines, "the tests have "+join(list, "and"))
	}
	o := t.Ran
	if o == nil || o.Values == 0 {
		return lines
	}
	when := "when the tests ran"
	if o.Stamp != stamp {
		when += ", before they or the package changed"
	}
	var made []string
	rest := o.Values
	for i, c := range o.Made {
		rest -= c.Times
		if i < 3 {
			made = append(made, fmt.Sprintf("%d by %s", c.Times, c.Operation))
		}
	}
	if rest > 0 {
		made = append(made, fmt.Sprintf("%d by no call of the package", rest))
	}
	lines = append(lines, fmt.Sprintf("%s %s: %s", text.Plural(o.Values, "value"), when, strings.Join(made, ", ")))
	if o.Nil > 0 {
		lines = append(lines, "a nil pointer is an argument of "+text.Plural(o.Nil, "call"))
	}
	if len(o.First) > 0 {
		calls := fmt.Sprintf("%d to %s", o.Least, text.Plural(o.Most, "method call"))
		if o.Least == o.Most {
			calls = text.Plural(o.Most, "method call")
		}
		order := fmt.Sprintf("first %s, last %s", o.First[0].most(), o.Last[0].most())
		if o.Most == 1 {
			order = o.First[0].most()
		}
		lines = append(lines, calls+" on each: "+order)
	}
	return lines
}

// most tells a count that is the greatest of several.
func (c *Count) most() string { return fmt.Sprintf("%s on %d", c.Operation, c.Times) }

// join joins words: "a, b and c".
func join(list []string, and string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + and + " " + list[len(list)-1]
}
