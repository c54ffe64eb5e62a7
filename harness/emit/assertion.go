package emit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// asserted writes step i with its assertions.
func (f *regressionFunc) asserted(b *strings.Builder, i int) {
	r, t := f.r, f.test
	list := ""
	if c := t.Calls[i]; c != nil {
		if maker := r.step[t.Steps[i].Args[c.Arg].Slot]; r.inlined[maker] && r.op(maker).Kind == seq.FuncLit {
			list = unusedName("seen", f.used)
			fmt.Fprintf(b, "var %s %s\n", list, c.Type)
			r.collect = map[int]string{maker: list}
		}
	}
	var variables []byte
	call := string(r.call(nil, i, &variables))
	r.collect = nil
	label := f.label(i, call)
	b.Write(variables)
	f.results(b, i, call, label)
	if list == "" {
		return
	}
	want := cmp.Or(f.calls[i], t.Calls[i].Text)
	condition := f.w.differs(regression.Slice, list, want, false)
	shown, arg := f.shown(regression.Slice, want, f.calls[i] != "")
	if arg != "" {
		arg = ", " + arg
	}
	if want == t.Calls[i].Type+"{}" {
		condition, shown = "len("+list+") > 0", "no call"
	}
	label, fields := f.filled(label)
	fmt.Fprintf(b, "if %s {\n%s.Errorf(\"%s calls its function with %%v, want %s\", %s%s%s)\n}\n", condition, f.w.testVar, label, shown, fields, list, arg)
}

// end writes the assertion on a slot after the last step.
func (f *regressionFunc) end(b *strings.Builder, n int, e regression.End) {
	name := f.r.names[e.Slot]
	var c check
	f.check(&c, e.Result, f.wants[[2]int{ends, n}], name, f.r.typ(e.Slot))
	fmt.Fprintf(b, "if %s {\n%s.Errorf(\"%s holds %s, want %s\", %s)\n}\n", c.conditions[0], f.w.testVar, name, c.verbs[0], c.wants[0], strings.Join(append(c.values, c.wantArgs...), ", "))
}

// label returns the name of a call in messages.
func (f *regressionFunc) label(i int, call string) string {
	const most = 60
	if len(call) <= most && !strings.Contains(call, "\n") {
		return call
	}
	return cmp.Or(f.r.op(i).Member, f.r.op(i).Short)
}

// filled returns a label as a message has it, with verbs in place of columns of
// the table. args are the arguments for the verbs, each followed by a comma.
func (f *regressionFunc) filled(label string) (text, args string) {
	rowField := regexp.MustCompile(`\b` + f.w.row + `\.(\w+)`)
	text = rowField.ReplaceAllStringFunc(percent(label), func(field string) string {
		i := slices.IndexFunc(f.fields, func(c tableField) bool { return f.w.row+"."+c.name == field })
		if i < 0 {
			return field
		}
		args += field + ", "
		if f.fields[i].typ == "string" {
			return "%q"
		}
		return "%v"
	})
	return text, args
}

// results writes the call of step i and the assertions of its results.
func (f *regressionFunc) results(b *strings.Builder, i int, call, label string) {
	r, asserts := f.r, f.test.Asserts[i]
	if asserts == nil {
		b.WriteString(r.results(i) + call + "\n")
		return
	}
	names := make([]string, len(asserts))
	named := false
	for k := range asserts {
		names[k] = r.names[r.slot[i]+k]
		named = named || names[k] != ""
	}
	stands := named || strings.Contains(call, "\n") // a statement of its own: its names stay
	f.nameResults(names, i, stands)
	var c check
	for k, a := range asserts {
		if a.How != regression.None {
			f.check(&c, a, f.wants[[2]int{i, k}], names[k], f.r.typ(int32(r.slot[i]+k)))
		}
	}
	assign := strings.Join(names, ", ") + " := " + call
	label, fields := f.filled(label)
	fail := "Errorf"
	if i < len(f.test.Steps)-1 && f.unexpected(i) {
		fail = "Fatalf" // what follows would fail for that
	}
	failure := fmt.Sprintf("%s.%s(\"%s = %s, want %s\", %s%s)", f.w.testVar, fail, label, strings.Join(c.verbs, ", "), strings.Join(c.wants, ", "), fields, strings.Join(append(c.values, c.wantArgs...), ", "))
	condition := strings.Join(c.conditions, " || ")
	if stands {
		fmt.Fprintf(b, "%s\nif %s {\n%s\n}\n", assign, condition, failure)
		return
	}
	fmt.Fprintf(b, "if %s; %s {\n%s\n}\n", assign, condition, failure)
}

// unexpected reports whether the assertions of step i include that there is no error.
func (f *regressionFunc) unexpected(i int) bool {
	for k, a := range f.test.Asserts[i] {
		if a.How == regression.Nil && f.w.t.Types[f.r.typ(int32(f.r.slot[i]+k))].Is("", "error") {
			return true
		}
	}
	return false
}

// nameResults names the unnamed results of step i; _ if there is no assertion
// on them. stands means that the names are declared for the rest of the
// function.
func (f *regressionFunc) nameResults(names []string, i int, stands bool) {
	nth := 0
	for k, a := range f.test.Asserts[i] {
		switch {
		case names[k] != "":
		case a.How == regression.None:
			names[k] = "_"
		default:
			taken := names[:k]
			if stands {
				taken = slices.Concat(taken, f.standing)
			}
			names[k], nth = f.local(f.r.typ(int32(f.r.slot[i]+k)), nth, taken), nth+1
			if stands {
				f.standing = append(f.standing, names[k])
			}
		}
	}
}

// A check collects the conditions, over the results of a call or what a slot holds, under which
// it fails. It also collects the failure message: a verb and an argument for each
// value got, and the value wanted, with arguments where it varies.
type check struct {
	conditions, verbs, values, wants, wantArgs []string
}

// check adds the assertion on a value of a type that has a name. field is the column of the table
// with the value wanted, if it is in one.
func (f *regressionFunc) check(c *check, a regression.Result, field, name string, ty seq.TypeID) {
	want, vary := cmp.Or(field, a.Text), field != ""
	if a.How == regression.Same {
		want = f.r.names[a.Slot]
	}
	verb, value := "%v", name
	switch text := f.w.t.Types[ty].Literal == seq.String; {
	case f.w.t.Types[ty].Literally(seq.FuncType):
		verb = "%p" // go vet reports another verb
	case a.How == regression.Len && text:
		verb, value = "%d bytes", "len("+name+")"
	case a.How == regression.Len:
		verb, value = "%d elements", "len("+name+")"
	case a.How == regression.Bytes, a.How == regression.Equal && text:
		verb = "%q"
	}
	shown, arg := f.shown(a.How, want, vary)
	if vary && verb == "%q" {
		shown = verb
	}
	c.conditions = append(c.conditions, f.w.differs(a.How, name, want, !vary && f.w.t.Types[ty].Literal == seq.Bool))
	c.verbs, c.values, c.wants = append(c.verbs, verb), append(c.values, value), append(c.wants, shown)
	if arg != "" {
		c.wantArgs = append(c.wantArgs, arg)
	}
}

// local returns a name for a result that only its assertion uses. The assertion may name other
// values.
func (f *regressionFunc) local(ty seq.TypeID, nth int, taken []string) string {
	base := "got"
	switch {
	case f.w.t.Types[ty].Is("", "error"):
		base = "err"
	case f.w.t.Types[ty].Literal == seq.Bool && nth > 0:
		base = "ok"
	}
	return numbered(base, func(name string) bool {
		return slices.Contains(taken, name) || slices.Contains(f.r.names, name) || f.w.t.VariableName(name) != name
	})
}

// differs returns an expression that is true if got differs from want, compared as how says. isBool
// means that want is a constant of type bool.
func (w *writer) differs(how regression.How, got, want string, isBool bool) string {
	switch how {
	case regression.Equal:
		switch {
		case isBool && want == "true":
			return "!" + got
		case isBool && want == "false":
			return got
		case strings.HasSuffix(want, "}"):
			return got + " != (" + want + ")"
		}
		return got + " != " + want
	case regression.NaN:
		return "!" + w.pkg("math") + "IsNaN(float64(" + got + "))"
	case regression.Nil:
		return got + " != nil"
	case regression.NotNil:
		return got + " == nil"
	case regression.Same:
		return got + " != " + want
	case regression.Len:
		return "len(" + got + ") != " + want
	case regression.Bytes:
		return "string(" + got + ") != " + want
	case regression.Sentinel:
		return "!" + w.pkg("errors") + "Is(" + got + ", " + want + ")"
	case regression.ErrorText:
		return got + " == nil || " + got + ".Error() != " + want
	case regression.Printed:
		return w.pkg("fmt") + "Sprint(" + got + ") != " + want
	case regression.Deep:
		return "!" + w.pkg("reflect") + "DeepEqual(" + got + ", " + want + ")"
	case regression.Map:
		return "!" + w.pkg("maps") + "Equal(" + got + ", " + want + ")"
	}
	return "!" + w.pkg("slices") + "Equal(" + got + ", " + want + ")"
}

// shown returns the text of the wanted value in a message, and the argument
// that its format needs, if any.
func (f *regressionFunc) shown(how regression.How, want string, vary bool) (text, arg string) {
	switch {
	case vary && (how == regression.Bytes || how == regression.Printed):
		return "%q", want
	case vary:
		return "%v", want
	case how == regression.Nil:
		return "nil", ""
	case how == regression.NotNil:
		return "not nil", ""
	case how == regression.NaN:
		return "NaN", ""
	case how == regression.ErrorText:
		return "error " + percent(line(want)), ""
	}
	return percent(line(want)), ""
}
