// Package blame says whose fault a crash is: that of the package under test, or of its caller.
//
// [Panic] and [Death] are pure functions from [Facts] to a verdict; each is a list of
// rules and a list of limits. The first rule that applies decides. A limit is a reason
// why the caller may be to blame after all. For instance
//
//	v0 := bitset.New(0)
//	v0.Set(560)
//	v0.ShiftLeft(16)	// index out of range [9] with length 9
//
// is an error: no nil, no zero value, no index among the arguments excuses it.
// [Race], [Leaks] and [Fail] judge a run that did not crash. A [History] tells how the
// calls of a sequence connected its values. [History.Doubt] gives the limits that hold
// for violations of contracts as well.
//
// The rules refine those of [Pacheco09 §7.3, fig. 7-3], which call every panic
// illegal but a nil dereference without nil input and a failed assertion. The
// package runs nothing by itself and imports little: every worker links it.
package blame

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// A scene holds the facts that rules look at, and what follows from them.
type scene struct {
	Facts
	op   *seq.Operation
	name string  // of the operation, as it is written
	text string  // of the panic
	in   []Frame // of the package under test
	hist *History
	class
	nums   []int64 // for index and slice errors: the numbers complained of
	length int64   // and the length they were held against, or -1
	slots  bool    // the last step is the one that failed: its slots are known
	state  string  // of the goroutine of a step that did not return
	late   bool    // another goroutine panicked; the step that started it is unknown
	// starter is the member that started that goroutine, "" if the text does not tell.
	starter string
	claim   engine.Claim
}

func newScene(f Facts) *scene {
	s := &scene{Facts: f, op: &f.Table.Ops[f.Op], hist: NewHistory(f.Table, f.Steps, f.Values, max(0, len(f.Steps)-1))}
	s.name = naming.Of(s.op)
	s.text = TextOf(f.Value)
	s.class = classify(f.Value, s.text)
	s.length = -1
	if s.class == indexRange || s.class == sliceRange {
		s.nums, s.length = bounds(s.text)
	}
	s.in = packageFrames(f.Table, f.Frames)
	if s.slots = len(f.Steps) > 0 && f.Steps[len(f.Steps)-1].Op == f.Op; !s.slots {
		s.hist.last = -1 // it is about no step
	}
	return s
}

// A rule says what a panic or death means, if it applies, and the reason. A limit, which
// keeps a verdict at Suspect, has the same form.
type rule struct {
	name    string
	tier    engine.Tier
	reason  string
	applies func(*scene) bool
	because func(*scene) string // the reason, if it depends on the scene
}

func illegal(name, reason string, applies func(*scene) bool) rule {
	return rule{name: name, tier: engine.Illegal, reason: reason, applies: applies}
}

func doubtful(name, reason string, applies func(*scene) bool) rule {
	return rule{name: name, tier: engine.Suspect, reason: reason, applies: applies}
}

func wrong(name, reason string, applies func(*scene) bool) rule {
	return rule{name: name, tier: engine.Error, reason: reason, applies: applies}
}

// stated returns a rule that applies where it has a reason.
func stated(name string, tier engine.Tier, because func(*scene) string) rule {
	return rule{name: name, tier: tier, because: because, applies: func(s *scene) bool { return because(s) != "" }}
}

func always(*scene) bool { return true }

func (r *rule) ruling(s *scene) engine.Ruling {
	reason := r.reason
	if r.because != nil {
		reason = r.because(s)
	}
	return engine.Ruling{Tier: r.tier, Rule: r.name, Reason: reason}
}

// Panic judges a panic. It is pure, except that it may call the Error or String method of
// the panic's value.
func Panic(f Facts) engine.Verdict { return panicIn(newScene(f), false) }

func panicIn(s *scene, late bool) engine.Verdict {
	f := s.Facts
	s.late, s.claim = late, s.claimOf(engine.KindPanic)
	v := engine.Verdict{
		Claim:     s.claim,
		Kind:      engine.KindPanic,
		Op:        s.blamed(),
		Signature: s.cause(),
		Stack:     stack(f.Table, f.Frames),
		Crash:     engine.Crash{Late: late},
	}
	rules := panicRules(s.thrownAs())
	v.Settle(s.decide(rules))
	if f.All {
		v.Applies = s.applying(rules)
	}
	v.Message = OneLine(f.Table.Ops[v.Op].Short + " panics: " + s.text)
	return v
}

// allocators are functions of the standard library that take a size and panic as make does.
var allocators = regexp.MustCompile(`^(strings|bytes|slices)\.(Repeat|Grow|\(\*(Builder|Buffer)\)\.Grow)\b`)

// thrownAs returns the class of the panic, as which it is judged. Package reflect panics as
// the runtime does: nobody calls it to have that happen. So does strings.Repeat, of a size.
func (s *scene) thrownAs() class {
	switch f, _ := thrower(s.Table, s.Frames); {
	case strings.HasPrefix(f.Func, "reflect."):
		return otherRuntime
	case allocators.MatchString(f.Func):
		return alloc
	}
	return s.class
}

// panicRules returns the rules for panics of class c, in order.
func panicRules(c class) []rule {
	if c == explicit {
		return slices.Concat(commonRules, explicitRules)
	}
	return slices.Concat(commonRules, runtimeRules)
}

// decide returns the ruling of the first rule that applies and, against an error, the
// doubt of the first limit that applies.
func (s *scene) decide(rules []rule) (r, doubt engine.Ruling) {
	r = s.first(rules) // the last of each list always applies
	if r.Tier > engine.Suspect {
		doubt = s.first(s.limits())
	}
	return r, doubt
}

// first returns the ruling of the first of rules that applies, if one does.
func (s *scene) first(rules []rule) engine.Ruling {
	for i := range rules {
		if rules[i].applies(s) {
			return rules[i].ruling(s)
		}
	}
	return engine.Ruling{}
}

// applying returns the names of the rules that apply, then of the limits that do. The last
// rule, which always applies, is left out.
func (s *scene) applying(rules []rule) []string {
	var names []string
	for _, r := range slices.Concat(rules[:len(rules)-1], s.limits()) {
		if r.applies(s) {
			names = append(names, r.name)
		}
	}
	return names
}

// limits returns the limits of the claim, in order.
func (s *scene) limits() []rule {
	if s.claim == engine.ClaimCrash {
		return slices.Concat(doubtRules, limits, crashLimits)
	}
	return slices.Concat(doubtRules, limits)
}

// limits are reasons why the caller may be to blame for a crash or a hang: a property must hold
// of any numbers.
var limits = []rule{
	doubtful("broken nearby", "an object that has to do with one involved was given nil, or something half made", func(s *scene) bool {
		return (s.class == nilDeref || s.class == nilMap) && s.nearTainted(TaintNil|TaintZero|TaintFailed)
	}),
	// Package io forbids a negative offset, and reports it: 0 of 5 panics of one in calls that report
	// bad input were bugs in draws 7 to 21 (docs/bench).
	doubtful("number", "a negative number was given", func(s *scene) bool { return s.anyInt(negative) && s.deniesPanics() == "" }),
}

// doubtRules are the doubts, as limits.
var doubtRules = func() []rule {
	var rules []rule
	for _, d := range doubts {
		rules = append(rules, stated(d.name, engine.Suspect, func(s *scene) string {
			if !s.slots {
				return ""
			}
			return d.because(s.hist)
		}))
	}
	return rules
}()

// packageOf returns the path of the package of a type, or of the type that it points to.
func packageOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath()
}

// owner returns the first two parts of a path: modules of one owner count as one.
func owner(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// Elsewhere reports whether a call is of a method that an interface of another package has, and
// that an object v of another module has implemented. The package under test has no part in it.
func Elsewhere(t *seq.Table, op *seq.Operation, v any) bool {
	if !foreign(t, op) || v == nil {
		return false
	}
	path := packageOf(reflect.TypeOf(v))
	return path != "" && path != t.Package && (standard(path) || owner(path) != owner(t.Package))
}

// lastArgs returns the arguments of the step that failed, none if it is not known.
func (s *scene) lastArgs() []seq.Arg {
	if !s.slots {
		return nil
	}
	return s.Steps[len(s.Steps)-1].Args
}

// anyArg reports whether ok holds for an argument of the call.
func (s *scene) anyArg(ok func(i int, a ArgFact) bool) bool {
	for i, a := range s.Args {
		if ok(i, a) {
			return true
		}
	}
	return false
}

// receiverSlot returns the slot that the last step was called on.
func (s *scene) receiverSlot() (int32, bool) {
	if !s.slots {
		return 0, false
	}
	return s.hist.Receiver(len(s.Steps) - 1)
}

// nearTainted reports whether an object that steps have connected with an argument has one
// of the given taints. A writer may have been reset to nil after it was put into the
// argument.
func (s *scene) nearTainted(t Taint) bool {
	mine, args := map[int32]bool{}, map[int32]bool{}
	s.hist.focus(func(n int32) { mine[s.hist.find(n)], args[n] = true, true })
	for i, taint := range s.hist.taints {
		if n := int32(i); taint&t != 0 && !args[n] && mine[s.hist.find(n)] {
			return true
		}
	}
	return false
}

// blamed returns the operation to blame: the operation of the step. For an expression
// of foray's own, such as a range, it is the call of the API that made the operand. A goroutine
// may panic in any step after the call that started it.
func (s *scene) blamed() seq.OpID {
	for _, st := range slices.Backward(s.Steps) {
		if s.starter != "" && s.Table.Ops[st.Op].Member == s.starter {
			return st.Op
		}
	}
	if s.op.API || !s.slots {
		return s.Op
	}
	for _, a := range s.lastArgs() {
		for a.Lit == nil && int(a.Slot) < len(s.hist.from) {
			made := s.Steps[s.hist.from[a.Slot]]
			if s.Table.Ops[made.Op].API {
				return made.Op
			}
			if len(made.Args) == 0 {
				break
			}
			a = made.Args[0]
		}
	}
	return s.Op
}

// says returns the text of a panic without the parts that differ between panics of one
// cause. The error of a reader of foray's own has the text that the reader was made with,
// and many texts repeat an argument.
func (s *scene) says() string {
	for _, st := range s.Steps {
		if s.Table.Ops[st.Op].Kind != seq.Standard {
			continue
		}
		for _, a := range st.Args {
			if a.Lit != nil && a.Lit.Value == s.text {
				return "what an argument says"
			}
		}
	}
	text := s.unrepeated()
	if s.class == explicit && s.thrownAs() == otherRuntime {
		text, _, _ = strings.Cut(text, " type ") // of the value that package reflect complains of
		if !strings.HasSuffix(text, " on zero Value") {
			text, _, _ = strings.Cut(text, " on ") // its kind
		}
	}
	return normal(text)
}

// unrepeated returns the text of the panic without the words in it that repeat strings given to
// calls, of each string as many as it was given. A text that quotes such a string stays as it is, and so does a text equal to it: strings
// given come from the package's source.
func (s *scene) unrepeated() string {
	var given []string
	for _, st := range s.Steps {
		for _, a := range st.Args {
			text := s.textGiven(a)
			switch {
			case text == "" || normal(text) == "N": // any number in the text is one
			case text == s.text || strings.Contains(s.text, strconv.Quote(text)):
				return s.text
			default:
				given = append(given, text)
			}
		}
	}
	left, rest := "", s.text
	for from, to := repeated(rest, given, true); from >= 0; from, to = repeated(rest, given, false) {
		i := slices.Index(given, rest[from:to])
		given = slices.Delete(given, i, i+1)
		left += rest[:from]
		rest = rest[to:]
	}
	return left + rest
}

// textGiven returns the text that is an argument, "" if it is none or is not known. Bytes may be
// anything.
func (s *scene) textGiven(a seq.Arg) (text string) {
	if a.Lit == nil {
		v, _ := s.hist.value(int(a.Slot))
		text, _ = v.(string)
	} else if !s.Table.Types[a.Lit.Type].IsBytes() {
		text, _ = a.Lit.Value.(string)
	}
	return text
}

// repeated returns where the first words in text are that repeat one of the strings given. Of
// several at that place it returns the longest, and -1 if there are none. A string of one byte, or
// without letter and digit, counts at the end of the text and, if begins is set, at its beginning.
func repeated(text string, given []string, begins bool) (from, to int) {
	from = -1
	for _, words := range given {
		i := wordIndex(text, words)
		if telling := len(words) > 1 && strings.ContainsFunc(words, wordRune); !telling && !(begins && i == 0) {
			i = -1
			if strings.HasSuffix(text, " "+words) {
				i = len(text) - len(words)
			}
		}
		if i >= 0 && (from < 0 || i < from || i == from && i+len(words) > to) {
			from, to = i, i+len(words)
		}
	}
	return from, to
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordIndex returns the index of the first occurrence of words in text that is no part of
// longer words, -1 if there is none.
func wordIndex(text, words string) int {
	if words == "" {
		return -1
	}
	inWord := func(i int) bool { return i >= 0 && i < len(text) && (letter(text[i]) || digit(text[i])) }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(words)
		if !(inWord(at-1) && inWord(at)) && !(inWord(end-1) && inWord(end)) {
			return at
		}
	}
}

// cause returns the signature of a panic: its class and the innermost function of the
// package. So ten operations that reach one broken helper have one signature. For an
// explicit panic in a helper that checks arguments, it names the helper's caller, too.
func (s *scene) cause() engine.Signature {
	sig := engine.Signature{Kind: engine.KindPanic, Class: string(s.class)}
	if s.class == explicit || s.class == otherRuntime {
		sig.Text = s.says()
	}
	in := s.in
	sig.Where = s.Table.Ops[s.blamed()].Member
	if len(in) > 0 {
		sig.Where = godump.Member(in[0].Func)
		for i := 1; s.class == explicit && i < len(in) && checks(in[i-1]); i++ {
			sig.Where += "<" + godump.Member(in[i].Func)
		}
	}
	return sig
}

// Place returns the text of a panic's signature, empty if no function of the package was
// on the stack.
func Place(t *seq.Table, value any, frames []Frame) string {
	s := newScene(Facts{Table: t, Value: value, Frames: frames})
	if len(s.in) == 0 {
		return ""
	}
	return s.cause().String()
}

// checks reports whether the name of f is that of a function that checks arguments.
func checks(f Frame) bool {
	name := strings.ToLower(naming.Base(godump.Member(f.Func)))
	return slices.ContainsFunc(checkWords, func(w string) bool { return strings.Contains(name, w) })
}

// OneLine returns s as one line of bounded length, of characters that can be printed.
func OneLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + " …"
	}
	s = strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, s)
	const max = 300
	if len(s) > max {
		s = strings.ToValidUTF8(s[:max], "") + " …"
	}
	return s
}

// quote returns the documentation that excuses a panic of the operation.
func (s *scene) quote() string {
	if s.op.Pre.Sentence == "" {
		return "the documentation of " + s.op.Short + " or its first statements say that it panics"
	}
	return s.op.Short + ": " + s.op.Pre.Sentence
}

// CallbackReason is why a method that the standard library calls must return.
const CallbackReason = "a method that fmt, errors or encoding packages call on any value they are handed must not panic"

// Reasons that several rules give.
const (
	docNoExcuse = "no documented precondition excludes these arguments"
	docParser   = "it reports bad input by its error result: no input excuses a panic"
	docJSON     = `package encoding/json, Unmarshaler: "The input can be assumed to be a valid encoding of a JSON value"`
)

// commonRules come first, whatever was thrown.
var commonRules = []rule{
	// Go's rule, in any loop: the runtime itself checks it.
	wrong("range-func", "package iter: the iterator must not call yield again once it returned false, nor after the loop (Go specification: For statements with range clause)",
		func(s *scene) bool { return s.class == rangeFunc && s.Table.Ops[s.blamed()].API }),
	// The panic of a func literal of the sequence passed through, as it should.
	illegal("thrown", "a function given as an argument panicked", func(s *scene) bool { return s.class == explicit && s.throwsOurs() }),
	// A func literal or a declared type of ours panicked by itself: its list was
	// empty, its operands not of the type it expects.
	illegal("own code", "the panic is in code given as an argument", (*scene).inOurs),
	// The package handed out an implementation of another package, which is not under test.
	illegal("foreign", "the method called and the panic are another package's", func(s *scene) bool { return foreign(s.Table, s.op) && len(s.in) == 0 }),
	illegal("no JSON", docJSON, (*scene).noJSON),
	// An index expression, assertion or conversion that we wrote.
	illegal("own expression", "the caller's own expression fails, such as an assertion of a type", func(s *scene) bool { return !s.op.API && len(s.in) == 0 }),
}

// documentedPanic is the rule of a documented panic. A guard in the body speaks for its own explicit
// panic only.
var documentedPanic = rule{name: "documented", tier: engine.Illegal, because: (*scene).quote, applies: func(s *scene) bool {
	return s.op.Pre.Panics && !s.op.Pre.Guard
}}

// OutOfFuel is how the runtime prints the type of the panic that ends a run without fuel.
const OutOfFuel = "(executor.outOfFuel)"

// inOurs reports whether the innermost frame is of foray's own code. So is a process that died
// of the panic that ends a run without fuel: a deferred Unlock may find the lock open.
func (s *scene) inOurs() bool {
	f, ok := thrower(s.Table, s.Frames)
	return ok && whose(s.Table, f) == ours || s.late && strings.HasPrefix(s.text, OutOfFuel)
}

// foreign reports whether op is a method of a type of another package, such as binary.ByteOrder.
func foreign(t *seq.Table, op *seq.Operation) bool {
	if op.Kind != seq.Method || !op.API {
		return false
	}
	path := t.Types[op.Params[0]].Path
	return path != "" && path != t.Package
}

// throwsOurs reports whether a panic's text is that of foray's own func literal, or of one of the
// tests that the sequence has, bare or wrapped. What passes a panic on may append the stack.
func (s *scene) throwsOurs() bool {
	text, _, _ := strings.Cut(s.text, "\n")
	is := func(thrown string) bool {
		thrown, _, _ = strings.Cut(thrown, "\n")
		return thrown != "" && (text == thrown || strings.HasSuffix(text, ": "+thrown))
	}
	return is(seq.Thrown) || slices.ContainsFunc(s.Steps, func(st seq.Step) bool {
		op := &s.Table.Ops[st.Op]
		return op.Shape == seq.Tested && slices.ContainsFunc(thrownBy(op.Template), is)
	})
}

// thrownBy returns the texts that the source of a func literal panics with: string literals, alone
// or as in errors.New("text").
func thrownBy(source string) (list []string) {
	for {
		_, rest, ok := strings.Cut(source, "panic(")
		if !ok {
			return list
		}
		source = rest
		callee := strings.TrimLeftFunc(rest, func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
		if quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(callee, "(")); err == nil {
			if text, err := strconv.Unquote(quoted); err == nil {
				list = append(list, text)
			}
		}
	}
}
