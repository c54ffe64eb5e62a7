// Package emit writes Go tests that need only the package under test and the
// standard library. The test of a finding fails while the bug is there and
// passes once it is fixed:
//
//	// Found by foray: (*Queue).Get panics: index out of range [0] with length 0
//	func TestForayQueueGetPanic(t *testing.T) {
//		defer func() {
//			if r := recover(); r != nil {
//				t.Fatalf("panic: %v\n%s", r, debug.Stack())
//			}
//		}()
//		v0 := queue.New(2)
//		v0.Get()
//	}
//
// Calls that would end or stall the process of the test run in another one.
// Regression tests assert the recorded results of calls: see [Regressions].
package emit

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Language is the language version that tests are written in. In a module with an older go
// line, a build constraint raises the version of their file.
const Language = "go1.23"

// Options say how a finding is shown. The zero value works.
type Options struct {
	Name    string // of the test function; empty means TestForay<Member><Kind>
	Comment string // more lines for the test's comment
	Version string // of the package that has the bug, for the comment
	Package string // the name in its package clause; empty means Table.Name
	Raise   bool   // the go line of the package's module is older than [Language]
	// Patience is how long a test waits for calls that may not return; zero means 10 s. It
	// is a whole number of seconds, at least 2.
	Patience time.Duration
}

// A Finding is a verdict and the sequence of the run that it judges.
type Finding struct {
	Sequence seq.Sequence
	Verdict  engine.Verdict
	Options  Options
}

// Test returns a test file, of package x_test, that holds the finding v on s.
func Test(t *seq.Table, s seq.Sequence, v engine.Verdict, o Options) ([]byte, error) {
	return File(t, []Finding{{s, v, o}})
}

// File returns one test file with all findings in order. Options.Package is the
// package of the first. If an earlier test has the same name, a number follows
// it.
func File(t *seq.Table, findings []Finding) ([]byte, error) {
	if len(findings) == 0 {
		return nil, errors.New("emit: no findings")
	}
	w := newWriter(t)
	w.raise(findings[0].Options.Raise)
	taken := map[string]bool{}
	var tests strings.Builder
	for i, f := range findings {
		text, err := w.test(f, taken)
		if err != nil {
			return nil, fmt.Errorf("emit: finding %d: %w", i+1, err)
		}
		tests.WriteString("\n" + text)
	}
	return w.file(cmp.Or(findings[0].Options.Package, t.Name)+"_test", tests.String())
}

// A writer writes tests for one table.
type writer struct {
	t       *seq.Table
	testVar string   // the name of the *testing.T
	builds  []string // the build constraints of the file
	others  []string // packages that tests may name besides the table's and the standard library's
}

func newWriter(t *seq.Table) *writer {
	w := &writer{t: t, testVar: "t"}
	for _, im := range t.Imports {
		if im.Name == w.testVar {
			w.testVar = "tt"
		}
	}
	return w
}

// raise has the file in a newer language than its module, if old is set: see [Options].
func (w *writer) raise(old bool) {
	if old {
		w.builds = append(w.builds, Language)
	}
}

// calls has the file built only where all operations of s are.
func (w *writer) calls(s seq.Sequence) {
	for i := range s {
		w.builds = append(w.builds, w.t.Ops[s[i].Op].Build...)
	}
}

func (w *writer) test(f Finding, taken map[string]bool) (string, error) {
	v := &f.Verdict
	if err := f.Sequence.Check(w.t); err != nil {
		return "", err
	}
	if len(f.Sequence) == 0 {
		return "", errors.New("no steps")
	}
	w.calls(f.Sequence)
	if int(v.Op) >= len(w.t.Ops) {
		return "", fmt.Errorf("operation %d, want less than %d", v.Op, len(w.t.Ops))
	}
	name, err := w.testName(f, taken)
	if err != nil {
		return "", err
	}
	var body string
	switch {
	case v.Kind == engine.KindContract || v.Kind == engine.KindPanic && v.Assert != "":
		body, err = w.contract(f)
	case v.Kind == engine.KindPanic:
		body = w.guarded(Shown(w.t, f.Sequence, v))
		if v.Late {
			body += w.qualify("\t@time.Sleep(500 * @time.Millisecond) // a goroutine that the calls have started panics\n")
		}
	case v.Kind == engine.KindRace:
		body, err = w.race(f)
	case v.Kind == engine.KindLeak:
		body, err = w.leak(f)
	case inChild(v.Kind):
		body = w.inChild(name, f)
	default:
		err = fmt.Errorf("verdict of kind %q", v.Kind)
	}
	if err != nil {
		return "", err
	}
	if !inChild(v.Kind) {
		body = w.variablesBack(f.Sequence) + body
	}
	return w.comment(f) + w.qualify(fmt.Sprintf("func %s(%s *@testing.T) {\n", name, w.testVar)) + body + "}\n", nil
}

// variablesBack returns deferred calls that give each variable of the package that s sets
// the value that it had before: the tests that follow count on it.
func (w *writer) variablesBack(s seq.Sequence) string {
	var b strings.Builder
	old := w.t.VariableName("old")
	done := map[seq.OpID]bool{}
	for i := range s {
		if op := &w.t.Ops[s[i].Op]; op.Kind == seq.VarSet && !done[s[i].Op] {
			done[s[i].Op] = true
			fmt.Fprintf(&b, "\tdefer func(%[1]s %[2]s) { %[3]s = %[1]s }(%[3]s)\n", old, w.t.Types[op.Params[0]].Name, op.Vars[0])
		}
	}
	return b.String()
}

func (w *writer) testName(f Finding, taken map[string]bool) (string, error) {
	name := cmp.Or(f.Options.Name, defaultName(&w.t.Ops[f.Verdict.Op], f.Verdict.Kind))
	if !token.IsIdentifier(name) || !strings.HasPrefix(name, "Test") {
		return "", fmt.Errorf("%q is not the name of a test", name)
	}
	return unusedName(name, taken), nil
}

// defaultName returns TestForayQueueGetPanic for "(*Queue).Get" and "panic".
func defaultName(op *seq.Operation, kind string) string {
	return "TestForay" + word(cmp.Or(op.Member, op.Short)+" "+kind)
}

func (w *writer) comment(f Finding) string {
	v := &f.Verdict
	name := w.t.Ops[v.Op].Short
	line := "Found by foray"
	if f.Options.Version != "" {
		line += " in " + f.Options.Version
	}
	switch {
	case strings.HasPrefix(v.Message, name+" "):
		line += ": " + v.Message
	case v.Message != "":
		line += ": " + name + ": " + v.Message
	default:
		line += ": " + v.Kind + " in " + name
	}
	var b strings.Builder
	for _, text := range []string{line, v.Reason} {
		if text != "" {
			b.WriteString("// " + strings.Join(strings.Fields(text), " ") + "\n")
		}
	}
	if f.Options.Comment != "" {
		for line := range strings.SplitSeq(strings.TrimRight(f.Options.Comment, "\n"), "\n") {
			b.WriteString(strings.TrimRight("// "+line, " \r") + "\n")
		}
	}
	return b.String()
}

// guarded returns text, statements, after a deferred call that makes a panic a
// failure of this test alone.
func (w *writer) guarded(text string) string {
	return w.qualify(`	defer func() {
		if r := recover(); r != nil {
			`+w.testVar+`.Fatalf("panic: %v\n%s", r, @runtime/debug.Stack())
		}
	}()
`) + text
}

func (w *writer) contract(f Finding) (string, error) {
	v := &f.Verdict
	if v.Assert == "" {
		return "", fmt.Errorf("contract %s has no expression to assert", v.Contract)
	}
	text, assert, err := assertion(w.t, f.Sequence, v)
	if err != nil {
		return "", err
	}
	message, condition := fmt.Sprintf("contract %s does not hold: %s", v.Contract, assert), "!("+assert+")"
	if assert == literalCall {
		message, condition = v.Message, "!"+literalCall
	}
	return w.guarded(fmt.Sprintf("%sif %s {\n%s\n}\n", text, condition, w.failure(message))), nil
}

// failure returns the statement with which a test fails with message. A message
// with a percent sign needs Errorf, because go vet reports it in a call of
// Error.
func (w *writer) failure(message string) string {
	if strings.Contains(message, "%") {
		return w.testVar + `.Errorf("` + percent(message) + `")`
	}
	return fmt.Sprintf("%s.Error(%q)", w.testVar, message)
}

// An assertion of several statements is a function literal that is called, with this beginning.
// Statements before the assertion give it a name, so that the latter is literalCall.
const (
	literalTest = "func() bool {\n"
	literalCall = "holds()"
)

// assertion returns v's assertion and the statements before it.
func assertion(t *seq.Table, s seq.Sequence, v *engine.Verdict) (statements, assert string, err error) {
	if v.Steps > 0 && v.Steps < len(s) {
		s = s[:v.Steps]
	}
	n := s.Slots(t)
	for _, slot := range v.Slots {
		if slot < 0 || int(slot) >= n {
			return "", "", fmt.Errorf("contract %s: no value %d", v.Contract, slot)
		}
	}
	r := newShown(t, s, mentioned(v), v.Past)
	name := func(i int) (string, bool) {
		if i >= len(v.Slots) {
			return "", false
		}
		return r.names[v.Slots[i]], true
	}
	assert, err = substitute(v.Assert, name)
	if err == nil {
		r.before, err = substitute(v.Before, name)
	}
	if err != nil {
		return "", "", fmt.Errorf("contract %s: %w", v.Contract, err)
	}
	statements = r.statements()
	if strings.HasPrefix(assert, literalTest) {
		statements += "holds := " + strings.TrimSuffix(assert, "()") + "\n"
		assert = literalCall
	}
	return statements, assert, nil
}

// mentioned returns the slots of v that its expressions mention. A variable for
// any other slot would be unused.
func mentioned(v *engine.Verdict) []int32 {
	var list []int32
	for _, text := range []string{v.Before, v.Assert} {
		// An error in the text is reported when the text is used.
		_, _ = substitute(text, func(i int) (string, bool) {
			if i < len(v.Slots) && !slices.Contains(list, v.Slots[i]) {
				list = append(list, v.Slots[i])
			}
			return "", true
		})
	}
	return list
}

var hole = regexp.MustCompile(`\$[0-9]{1,4}`)

// substitute replaces $0, $1 ... in text.
func substitute(text string, value func(i int) (string, bool)) (string, error) {
	var err error
	out := hole.ReplaceAllStringFunc(text, func(s string) string {
		i, _ := strconv.Atoi(s[1:])
		name, ok := value(i)
		if !ok {
			err = fmt.Errorf("%s: no %s", text, s)
		}
		return name
	})
	return out, err
}
