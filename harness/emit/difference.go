package emit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

// Versions name the two versions that a difference lies between.
type Versions struct{ Old, New string }

// errNoAssertion says that Go has no short way to assert what was seen.
var errNoAssertion = errors.New("emit: no expression tells the results apart")

// Difference returns a test file, of package x_test, that asserts what the old
// version does: it passes there and fails on the new one. before and after are
// the runs of s. op is what the difference is blamed on.
func Difference(t *seq.Table, s seq.Sequence, d difference.Difference, op seq.OpID, before, after difference.Run, v Versions, o Options) ([]byte, error) {
	w := newWriter(t)
	s = s[:d.Step+1]
	if err := s.Check(t); err != nil {
		return nil, err
	}
	name, err := w.testName(Finding{Verdict: engine.Verdict{Op: op, Kind: "keeps " + strings.Fields(d.Class)[0]}, Options: o}, map[string]bool{})
	if err != nil {
		return nil, err
	}
	body, err := w.differenceBody(name, s, d, before, after, v)
	if err != nil {
		return nil, err
	}
	comment := fmt.Sprintf("// Found by foray diff: %s in %s.\n// %s: %s\n// %s: %s\n", d.Class, t.Ops[op].Short, v.Old, line(d.Old.String()), v.New, line(d.New.String()))
	pkg := o.Package
	if pkg == "" {
		pkg = t.Name
	}
	return w.file(pkg+"_test", "\n"+comment+w.qualify(fmt.Sprintf("func %s(%s *@testing.T) {\n", name, w.testVar))+body+"}\n")
}

// line cuts text to one line of a comment.
func line(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (w *writer) differenceBody(name string, s seq.Sequence, d difference.Difference, before, after difference.Run, v Versions) (string, error) {
	last := Statements(w.t, s)
	switch {
	case after.Death != "" && after.DiedIn == d.Step && before.Death == "":
		return w.inChild(name, Finding{Sequence: s, Verdict: engine.Verdict{Kind: after.Kind}}), nil
	case before.Death != "":
		return w.endsChild(name, s, before), nil
	case d.Class == difference.PanicAppears:
		return w.guarded(last), nil
	case d.Class == difference.PanicDisappears, d.Class == difference.PanicChanges:
		return w.panics(strings.TrimPrefix(d.Old.Text, "panic: "), d.Class == difference.PanicDisappears, v) + last, nil
	}
	slot, ok := w.slot(s, d)
	if !ok {
		return "", errNoAssertion
	}
	r := newRenderer(w.t, s, []int32{slot})
	assert, err := w.assertDifference(r, slot, d, v)
	if err != nil {
		return "", err
	}
	return w.guarded(r.statements()) + assert, nil
}

// panics returns a deferred check that the calls panic, with the text that they
// panicked with if that matters.
func (w *writer) panics(text string, any bool, v Versions) string {
	text, _, _ = strings.Cut(text, "…")
	condition := "r == nil"
	if !any {
		condition += fmt.Sprintf(" || !@strings.Contains(@fmt.Sprint(r), %q)", text)
	}
	return w.qualify(fmt.Sprintf(`	defer func() {
		if r := recover(); %s {
			%s.Errorf("panic: %%v, want %%q as in %s", r, %q)
		}
	}()
`, condition, w.testVar, percent(v.Old), text))
}

// percent returns text as it stands in a format.
func percent(text string) string { return strings.ReplaceAll(quoted(text), "%", "%%") }

// quoted returns text as it stands within quotes.
func quoted(text string) string {
	q := strconv.Quote(text)
	return q[1 : len(q)-1]
}

// endsChild returns the body of a test that has a process of its own make the calls
// and wants it to end, or to hang, as it did.
func (w *writer) endsChild(name string, s seq.Sequence, before difference.Run) string {
	return w.qualify(fmt.Sprintf(`	if @os.Getenv(%[1]q) == %[2]q {
`, childEnv, name)) + Statements(w.t, s) + w.qualify(fmt.Sprintf(`		@fmt.Println(%[1]q)
		return
	}
	ctx, cancel := @context.WithTimeout(@context.Background(), 3*@time.Second)
	defer cancel()
	cmd := @os/exec.CommandContext(ctx, @os.Args[0], "-test.run=^%[2]s$")
	cmd.Env = append(@os.Environ(), "%[3]s=%[2]s")
	cmd.WaitDelay = @time.Second
	out, err := cmd.CombinedOutput()
	if err == nil && @bytes.Contains(out, []byte(%[1]q)) {
		%[4]s.Error(%[5]q)
	}
`, marker, name, childEnv, w.testVar, "the calls return; before: "+before.Death))
}

// slot returns the slot whose value differs.
func (w *writer) slot(s seq.Sequence, d difference.Difference) (int32, bool) {
	switch d.Place {
	case difference.InSlot:
		return int32(d.Index), true
	case difference.InArgument:
		a := s[d.Step].Args[d.Index]
		return a.Slot, a.Lit == nil
	case difference.InResult:
		return int32(s[:d.Step].Slots(w.t) + d.Index), true
	}
	return 0, false
}

// assertDifference returns the statements that assert the old value of slot.
func (w *writer) assertDifference(r *renderer, slot int32, d difference.Difference, v Versions) (string, error) {
	expr, ok := w.selected(r, slot, d)
	if !ok {
		return "", errNoAssertion
	}
	fail := func(condition, want string) string {
		return w.qualify(fmt.Sprintf("if got := %s; %s {\n%s.Errorf(\"%s: got %%v, want %s as in %s\", got)\n}\n",
			expr, condition, w.testVar, percent(expr), percent(want), percent(v.Old)))
	}
	plainType := len(d.Way) == 0 && d.Old.Pointers == 0 && w.t.Types[r.typ(slot)].Basic
	switch old := d.Old; old.Kind {
	case difference.Nil:
		return fail("got != nil", "nil"), nil
	case difference.Zero:
		return fail("!@reflect.ValueOf(got).IsZero()", "zero"), nil
	case difference.Error:
		text, err := strconv.Unquote(old.Text)
		if err != nil {
			return "", errNoAssertion
		}
		if d.New.Kind == difference.Nil {
			return fail("got == nil", "error "+line(text)), nil
		}
		text, _, _ = strings.Cut(text, "…")
		return fail(fmt.Sprintf("got == nil || !@strings.HasPrefix(got.Error(), %q)", text), "error "+line(text)), nil
	case difference.Basic:
		if plainType && isGoConstant(old.Text) {
			return fail("got != "+old.Text, old.Text), nil
		}
	case difference.List:
		if d.New.Kind == difference.List && len(d.New.Parts) != len(old.Parts) && !old.Dynamic {
			if _, ok := printed(old); !ok {
				return fail(fmt.Sprintf("len(got) != %d", len(old.Parts)), fmt.Sprintf("length %d", len(old.Parts))), nil
			}
		}
	}
	if d.New.Kind == difference.Nil && !d.Old.Dynamic {
		return fail("got == nil", line(d.Old.String())), nil
	}
	text, ok := printed(d.Old)
	other, otherOK := printed(d.New)
	if !ok || otherOK && text == other {
		return "", errNoAssertion
	}
	return fail(fmt.Sprintf("@fmt.Sprint(got) != %q", text), line(text)), nil
}

// selected returns the expression of the place within slot where the values
// differ. It reports false if that leads through an interface.
func (w *writer) selected(r *renderer, slot int32, d difference.Difference) (string, bool) {
	expr := r.names[slot]
	if len(d.Way) == 0 {
		return deref(expr, d.Old.Pointers), d.Old.Pointers == 0 || !w.t.Types[r.typ(slot)].Interface
	}
	if w.t.Types[r.typ(slot)].Interface {
		return "", false
	}
	pointers := strings.Count(w.t.Types[r.typ(slot)].Name, "*")
	if !strings.HasPrefix(w.t.Types[r.typ(slot)].Name, "*") {
		pointers = 0
	}
	for i, p := range d.Way {
		if strings.Contains(p.Path, "…") {
			return "", false
		}
		if strings.HasPrefix(p.Path, ".") && pointers == 1 {
			pointers = 0 // selected through
		}
		expr = deref(expr, pointers) + p.Path
		pointers = p.Value.Pointers
		if p.Value.Dynamic && i < len(d.Way)-1 {
			return "", false
		}
	}
	return deref(expr, pointers), pointers == 0 || !d.Old.Dynamic
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
	return !strings.Contains(text, "…")
}

// printed returns what fmt prints of a value with the verb v, and whether that is
// known: pointers and structs may hold what is not seen.
func printed(v difference.Value) (string, bool) {
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
		return v.Text, true
	case difference.List, difference.Map:
		texts := make([]string, len(v.Parts))
		for i, p := range v.Parts {
			text, ok := printed(p.Value)
			if !ok || p.Value.Pointers > 0 {
				return "", false
			}
			if v.Kind == difference.Map {
				if len(v.Parts) > 1 && strings.HasPrefix(p.Path, "[{") {
					return "", false
				}
				key, ok := printed(difference.Value{Kind: difference.Basic, Text: strings.TrimSuffix(p.Path[1:], "]")})
				if !ok {
					return "", false
				}
				text = key + ":" + text
			}
			texts[i] = text
		}
		if v.Kind == difference.Map {
			return "map[" + strings.Join(texts, " ") + "]", len(texts) < 2 || !isNumber(texts[0])
		}
		return "[" + strings.Join(texts, " ") + "]", true
	}
	return "", false
}

// isNumber reports whether text begins as a number: fmt sorts such keys by value,
// and not by their text.
func isNumber(text string) bool {
	return text[0] == '-' || '0' <= text[0] && text[0] <= '9'
}
