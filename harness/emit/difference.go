package emit

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// Versions name the two versions of a difference.
type Versions struct{ Old, New string }

// errNoAssertion means that Go has no short way to assert the observed value.
var errNoAssertion = errors.New("emit: no expression tells the results apart")

// Difference returns a test file, of package x_test, that asserts the behaviour
// of the old version: it passes there and fails on the new one. before and
// after are the runs of s. op is the operation blamed for the difference.
func Difference(t *seq.Table, s seq.Sequence, d difference.Difference, op seq.OpID, before, after difference.Run, v Versions, o Options) ([]byte, error) {
	w := newWriter(t)
	w.raise(o.Raise)
	s = s[:d.Step+1]
	if err := s.Check(t); err != nil {
		return nil, err
	}
	w.calls(s)
	name, err := w.testName(Finding{Verdict: engine.Verdict{Op: op, Kind: shows(d.Class)}, Options: o}, map[string]bool{})
	if err != nil {
		return nil, err
	}
	body, err := w.differenceBody(name, s, d, before, after, v)
	if err != nil {
		return nil, err
	}
	comment := fmt.Sprintf("// Found by foray diff: %s in %s.\n// %s: %s\n// %s: %s\n", d.Class, t.Ops[op].Short, v.Old, line(d.Old.String()), v.New, line(d.New.String()))
	return w.file(cmp.Or(o.Package, t.Name)+"_test", "\n"+comment+w.qualify(fmt.Sprintf("func %s(%s *@testing.T) {\n", name, w.testVar))+body+"}\n")
}

// Signature returns a test file, of package x_test. It compiles if and only if the
// function or method of op exists with the same signature.
func Signature(t *seq.Table, op seq.OpID, options Options) ([]byte, error) {
	w, o := newWriter(t), &t.Ops[op]
	w.raise(options.Raise)
	w.builds = append(w.builds, o.Build...)
	var lists [2][]string
	for i, ids := range [][]seq.TypeID{o.Params, o.Results} {
		for _, id := range ids {
			if t.Types[id].Hidden || o.Kind != seq.Func && o.Kind != seq.Method {
				return nil, errNoAssertion
			}
			lists[i] = append(lists[i], t.Types[id].Name)
		}
	}
	if n := len(lists[0]); o.Variadic {
		lists[0][n-1] = "..." + lists[0][n-1]
	} else if o.Spread {
		lists[0][n-1] = "..." + strings.TrimPrefix(lists[0][n-1], "[]")
	}
	return w.file(cmp.Or(options.Package, t.Name)+"_test", w.qualify(fmt.Sprintf(`
// Found by foray diff: %s is gone, or has another signature.
func %s(*@testing.T) {
	var _ func(%s) (%s) = %s
}
`, o.Short, defaultName(o, "is there"), strings.Join(lists[0], ", "), strings.Join(lists[1], ", "), t.Callee(o))))
}

// shows returns the part of a test's name that describes the old version.
func shows(class string) string {
	switch class {
	case difference.PanicAppears:
		return "does not panic"
	case difference.PanicDisappears:
		return "panics"
	case difference.TimeChanges:
		return "returns or not"
	}
	return "keeps " + strings.TrimSuffix(class, " changes")
}

// line cuts text to one line of a comment, without the characters that Go source cannot have.
func line(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (w *writer) differenceBody(name string, s seq.Sequence, d difference.Difference, before, after difference.Run, v Versions) (string, error) {
	calls := Statements(w.t, s)
	diedOld := before.Death != "" && before.DiedIn == d.Step
	diedNew := after.Death != "" && after.DiedIn == d.Step
	switch {
	case diedOld && (diedNew || isPanic(d.New)):
		return "", errNoAssertion // the process of its own ends either way
	case diedNew && !isPanic(d.Old):
		return w.inChild(name, Finding{Sequence: s, Verdict: engine.Verdict{Kind: after.Kind}}), nil
	case diedOld:
		return w.endsChild(name, s, before), nil
	case d.Class == difference.PanicAppears:
		return w.guarded(calls), nil
	case d.Class == difference.PanicDisappears, d.Class == difference.PanicChanges:
		return w.panics(strings.TrimPrefix(d.Old.Text, "panic: "), d.Class == difference.PanicDisappears, v) + calls, nil
	}
	return w.asserted(s, d, v)
}

// isPanic reports whether the outcome of a step is that it panicked.
func isPanic(v difference.Value) bool {
	return v.Kind == difference.Text && strings.HasPrefix(v.Text, "panic: ")
}

// asserted returns the calls and then the assertion of the difference.
func (w *writer) asserted(s seq.Sequence, d difference.Difference, v Versions) (string, error) {
	slot, ok := w.slot(s, d)
	if !ok {
		return "", errNoAssertion
	}
	if d.Place != difference.InResult {
		r := newRenderer(w.t, s, []int32{slot})
		p := place{name: r.names[slot], label: r.names[slot], ty: r.typ(slot)}
		assert, err := w.assertion(p, d, v)
		return w.guarded(r.statements()) + assert, err
	}
	r := newRenderer(w.t, s, nil)
	before, call := r.split()
	results := w.t.Ops[s[d.Step].Op].Results
	p := place{name: "got", label: call, ty: results[d.Index], bind: strings.Repeat("_, ", d.Index) + "got" + strings.Repeat(", _", len(results)-1-d.Index) + " := " + call}
	assert, err := w.assertion(p, d, v)
	return w.guarded(before) + assert, err
}

// A place is a differing value, as a test refers to it.
type place struct {
	name  string // of the variable
	label string // for people
	ty    seq.TypeID
	bind  string // declares the variable; empty if an earlier statement has
}

// panics returns a deferred check that the calls panic, with the text that they
// panicked with if that matters.
func (w *writer) panics(text string, any bool, v Versions) string {
	text, _, _ = strings.Cut(text, "…")
	condition := "r == nil"
	switch ofType, isValue := strings.CutPrefix(text, "a value of type "); {
	case any:
	case isValue: // which is all that is known of it
		condition += fmt.Sprintf(" || %sSprintf(\"%%T\", r) != %q", w.pkg("fmt"), ofType)
	default:
		condition += fmt.Sprintf(" || !%sContains(%sSprint(r), %q)", w.pkg("strings"), w.pkg("fmt"), text)
	}
	return fmt.Sprintf(`	defer func() {
		if r := recover(); %s {
			%s.Errorf("panic: %%v, want %%q as in %s", r, %q)
		}
	}()
`, condition, w.testVar, percent(v.Old), text)
}

// percent returns text escaped for a format.
func percent(text string) string { return strings.ReplaceAll(quoted(text), "%", "%%") }

// quoted returns text as it stands within quotes.
func quoted(text string) string {
	q := strconv.Quote(text)
	return q[1 : len(q)-1]
}

// endsChild returns the body of a test that makes the calls in a process of its
// own and wants that process to end, or to hang, as it did.
func (w *writer) endsChild(name string, s seq.Sequence, before difference.Run) string {
	return w.child(name, Statements(w.t, s), 3, "") + fmt.Sprintf(`	if err == nil && %sContains(out, []byte(%q)) {
		%s.Error(%q)
	}
`, w.pkg("bytes"), marker, w.testVar, "the calls return; before: "+before.Death)
}

// slot returns the slot that differs.
func (w *writer) slot(s seq.Sequence, d difference.Difference) (int32, bool) {
	switch d.Place {
	case difference.InSlot:
		return int32(d.Index), true
	case difference.InResult:
		return int32(s[:d.Step].Slots(w.t) + d.Index), true
	}
	return 0, false
}

// assertion returns the statement that asserts the old value at p.
func (w *writer) assertion(p place, d difference.Difference, v Versions) (string, error) {
	expr, ok := w.selected(p, d)
	if !ok {
		return "", errNoAssertion
	}
	condition, want, ok := w.condition(expr, p, d)
	if !ok {
		return "", errNoAssertion
	}
	bind := p.bind
	if bind != "" {
		bind += "; "
	}
	label := p.label + strings.TrimPrefix(expr, p.name)
	got, arg := "%v", ", "+expr
	switch { // go vet reports a function that is shown by another verb
	case condition == expr+" == nil":
		got, arg = "nil", ""
	case d.New.Kind == difference.Opaque:
		got = "%T"
	}
	return fmt.Sprintf("if %s%s {\n%s.Errorf(\"%s: got %s, want %s as in %s\"%s)\n}\n",
		bind, condition, w.testVar, percent(label), got, percent(line(want)), percent(v.Old), arg), nil
}

// condition returns an expression that is true if got, an expression, differs
// from the old version's value. want describes that value. It reports false if
// there is no such expression.
func (w *writer) condition(got string, p place, d difference.Difference) (text, want string, ok bool) {
	old := d.Old
	isStatic := !old.Dynamic && (len(d.Way) > 0 || !w.t.Types[p.ty].Interface)
	switch {
	case old.Kind == difference.Nil, old.Kind == difference.Zero && d.New.Dynamic:
		return w.differs(regression.Nil, got, "", false), "nil", true
	case old.Kind == difference.Zero:
		return "!" + w.pkg("reflect") + "ValueOf(" + got + ").IsZero()", "zero", true
	case d.New.Kind == difference.Nil:
		return w.differs(regression.NotNil, got, "", false), old.String(), true
	case old.Kind == difference.Error:
		return w.otherError(got, p, d)
	case old.Kind == difference.Basic && isStatic && isGoConstant(old.Text) && d.New.Text != "-0":
		return w.differs(regression.Equal, got, old.Text, true), old.Text, true
	}
	text, ok = printed(old)
	if other, same := printed(d.New); ok && !(same && text == other) {
		return w.differs(regression.Printed, got, strconv.Quote(text), false), old.String(), true
	}
	if n := old.Len(); old.Kind == difference.List && d.New.Kind == difference.List && n != d.New.Len() && isStatic {
		return w.differs(regression.Len, got, strconv.Itoa(n), false), fmt.Sprintf("length %d", n), true
	}
	return "", "", false
}

// otherError is condition where the old version's value is an error.
func (w *writer) otherError(got string, p place, d difference.Difference) (text, want string, ok bool) {
	text, err := strconv.Unquote(d.Old.Text)
	if err != nil {
		return "", "", false
	}
	text, _, masked := strings.Cut(text, "…")
	how, shown, none := regression.Printed, w.pkg("fmt")+"Sprint("+got+")", ""
	if ty := &w.t.Types[p.ty]; len(d.Way) == 0 && ty.Interface && ty.Std.Has(seq.StdError) {
		how, shown, none = regression.ErrorText, got+".Error()", got+" == nil || "
	}
	if masked {
		return fmt.Sprintf("%s!%sHasPrefix(%s, %q)", none, w.pkg("strings"), shown, text), "error " + text, true
	}
	return w.differs(how, got, strconv.Quote(text), false), "error " + text, true
}

// selected returns the expression of the place within p where the values differ.
// It reports false if that leads through an interface.
func (w *writer) selected(p place, d difference.Difference) (string, bool) {
	ty := &w.t.Types[p.ty]
	last := d.Old.Pointers
	if d.New.Kind == difference.Nil { // a pointer, which leads to the value in the old version
		last = d.New.Pointers
	}
	if len(d.Way) == 0 {
		return deref(p.name, last), last == 0 || !ty.Interface
	}
	if ty.Interface {
		return "", false
	}
	expr := p.name
	pointers := len(ty.Name) - len(strings.TrimLeft(ty.Name, "*"))
	for i, step := range d.Way {
		if !isSelection(step) || step.Value.Dynamic && i < len(d.Way)-1 {
			return "", false
		}
		if name, isField := strings.CutPrefix(step.Path, "."); isField && !token.IsExported(name) {
			if i == len(d.Way)-1 {
				return "", false
			}
			continue // an embedded struct, whose fields are promoted
		}
		if strings.HasPrefix(step.Path, ".") && pointers == 1 {
			pointers = 0 // selected through
		}
		expr = deref(expr, pointers) + step.Path
		pointers = step.Value.Pointers
	}
	return deref(expr, last), last == 0 || !d.Old.Dynamic
}

// isSelection reports whether Go has the path of a part: a field, or an index or key that is a
// constant.
func isSelection(p difference.Part) bool {
	return !p.NoKey && isGoConstant(strings.TrimSuffix(strings.TrimPrefix(p.Path, "["), "]"))
}

func deref(expr string, pointers int) string {
	if pointers == 0 {
		return expr
	}
	return "(" + strings.Repeat("*", pointers) + expr + ")"
}

// isGoConstant reports whether the text of a basic value is a Go constant.
func isGoConstant(text string) bool {
	switch text {
	case "NaN", "+Inf", "-Inf", "-0":
		return false
	}
	if strings.HasPrefix(text, "(") { // a complex number
		return !strings.Contains(text, "NaN") && !strings.Contains(text, "Inf") && !strings.Contains(text, "-0")
	}
	return !strings.Contains(text, "…")
}

// printed returns the output of fmt for a value with the verb v. It reports
// false if that is unknown, since pointers and structs may hold unobserved
// parts, and methods may show something else.
func printed(v difference.Value) (string, bool) {
	if v.Method {
		return "", false
	}
	switch v.Kind {
	case difference.Nil:
		return "<nil>", true
	case difference.Basic, difference.Text:
		if strings.Contains(v.Text, "…") {
			return "", false
		}
		if strings.HasPrefix(v.Text, `"`) {
			text, err := strconv.Unquote(v.Text)
			return text, err == nil
		}
		return v.Text, v.Kind == difference.Basic
	case difference.List:
		var texts []string
		for _, p := range v.Parts {
			text, ok := printedPart(p.Value)
			if !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		return "[" + strings.Join(texts, " ") + "]", true
	case difference.Map:
		return printedMap(v)
	}
	return "", false
}

// printedPart is printed for an element. A nil one may be a slice, which fmt shows as an empty
// one, and a pointer is shown as an address.
func printedPart(v difference.Value) (string, bool) {
	text, ok := printed(v)
	return text, ok && v.Pointers == 0 && v.Kind != difference.Nil
}

// printedMap is printed for a map: fmt sorts it by its keys.
func printedMap(v difference.Value) (string, bool) {
	texts := map[string]string{} // by key
	for _, p := range v.Parts {
		key, isKey := printed(difference.Value{Kind: difference.Basic, Text: strings.TrimSuffix(p.Path[1:], "]")})
		text, ok := printedPart(p.Value)
		if _, twice := texts[key]; !ok || !isKey || twice || len(v.Parts) > 1 && (isNumber(key) || strings.HasPrefix(p.Path, "[{")) {
			return "", false
		}
		texts[key] = text
	}
	var entries []string
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		entries = append(entries, key+":"+texts[key])
	}
	return "map[" + strings.Join(entries, " ") + "]", true
}

// isNumber reports whether text begins as a number: fmt sorts such keys by value,
// and not by their text.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9')
}
