package contract

import (
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// internalWords are in the messages of panics that no caller should see. Words for values that
// contradict each other, such as "inconsistent" and "corrupt", may speak of the arguments.
var internalWords = []string{
	"unreachable", "internal error", "internal bug", "impossible", "should not happen", "should never happen", "shouldn't happen",
	"cannot happen", "can't happen", "never happens", "not reached", "unexpected state",
	"assertion failed", "please report", "this is a bug", "bug:", "bug in",
}

// argumentWords are in such messages if they are about the caller's arguments.
var argumentWords = []string{"argument", "input", "parameter"}

// explicitRules judge panics that the code made by calling panic. In Go a function says so
// that its caller broke a precondition, so most are illegal. Exceptions say otherwise in
// their text.
var explicitRules = []rule{
	// MustCompile panics where Compile returns an error: that is its purpose.
	{"must", func(s *scene) (engine.Tier, string, bool) {
		return engine.Illegal, "a function named Must panics where its counterpart returns an error", mustWord(s.name)
	}},
	// A guard in the body speaks for its own panic only.
	{"documented", func(s *scene) (engine.Tier, string, bool) {
		return engine.Illegal, quote(s.op), s.op.Pre.Panics && !strings.Contains(s.op.Pre.Sentence, "panic(")
	}},
	// [Pacheco09 fig. 7-3]: "method throws no AssertionError". Before the table's
	// messages, among which an author's "unreachable" would be.
	{"internal", func(s *scene) (engine.Tier, string, bool) {
		return engine.Error, "the panic's own text says that it is a bug of the package", saysInternal(s.ownText()) && !s.anyInt(negative) && !s.asserts()
	}},
	{"documented", func(s *scene) (engine.Tier, string, bool) {
		return engine.Illegal, quote(s.op), !s.late && (s.op.Pre.Panics || hasMessage(s.op.Pre.Messages, s.text)) // a guard, or a message
	}},
	{"nil", func(s *scene) (engine.Tier, string, bool) {
		return engine.Illegal, "an argument is nil", s.nilArg(false) || s.nilArg(true)
	}},
	// String and the like may not choose to panic on a zero value either, but a
	// deliberate panic is at least deliberate.
	{"callback", func(s *scene) (engine.Tier, string, bool) {
		return engine.Suspect, docAnyValue, s.op.Callback
	}},
	{"zero", func(s *scene) (engine.Tier, string, bool) {
		return engine.Illegal, "an argument is the zero value of a type that has a constructor, or stood beside an error", s.tainted(TaintZero | TaintFailed)
	}},
	{"check", func(s *scene) (engine.Tier, string, bool) {
		f, ok := thrower(s.Table, s.Frames)
		return engine.Illegal, "the function checks its arguments and panics", !s.late && ok && whose(s.Table, f) == within && (s.itself(f) || checks(f))
	}},
	// A panic meant to be recovered at the top of the parser that got away, or one
	// of a package it calls.
	{"parser", func(s *scene) (engine.Tier, string, bool) {
		return engine.Error, docParser, s.refuses()
	}},
	// It tells the caller nothing: it ends the process. Hence no guard excuses it above.
	{"goroutine", func(s *scene) (engine.Tier, string, bool) {
		return engine.Error, "it panics in a goroutine that the package starts, where no caller can recover it", s.late
	}},
	{"other", func(s *scene) (engine.Tier, string, bool) {
		return engine.Suspect, "an explicit panic below the function called, not documented there", true
	}},
}

// asserts reports whether the function that panics checks what it is given by its name: its
// message is about that.
func (s *scene) asserts() bool {
	f, ok := thrower(s.Table, s.Frames)
	return ok && checks(f)
}

// ownText returns the text of the panic without the strings given to a call that it
// repeats. A string mined from a message of the package reads like a message.
func (s *scene) ownText() string {
	text := s.text
	for _, st := range s.Steps {
		for _, a := range st.Args {
			if a.Lit == nil {
				continue
			}
			if given, is := a.Lit.Value.(string); is && saysInternal(given) {
				text = strings.ReplaceAll(text, given, "")
				quoted := strconv.Quote(given)
				text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "")
			}
		}
	}
	return text
}

func saysInternal(text string) bool {
	text = strings.ToLower(text)
	for _, w := range argumentWords {
		if strings.Contains(text, w) {
			return false
		}
	}
	for _, w := range internalWords {
		i := strings.Index(text, w)
		// "debug:" is not "bug:".
		if i == 0 || i > 0 && !letter(text[i-1]) {
			return true
		}
	}
	return text == "bug"
}

// hasMessage reports whether text is one of the constant messages or holds one of at
// least four bytes. A message is often the first part of a format or of a sum.
func hasMessage(messages []string, text string) bool {
	for _, m := range messages {
		if m == text || len(m) >= 4 && strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// itself reports whether f is the operation's own function, a closure in it
// included, or a promoted method that stands for it.
func (s *scene) itself(f Frame) bool {
	fn := godump.Member(f.Func)
	if godump.SameMember(fn, s.op.Member) {
		return true
	}
	return len(s.in) == 1 && base(fn) == base(s.op.Member)
}

// takesAny reports whether a value was given as any, to this call or to one that
// made or filled an object involved.
func (s *scene) takesAny() bool {
	for i := range s.op.Params {
		if emptyInterface(s.Table, s.op.Params[i]) {
			return true
		}
	}
	return s.relatedOp(func(op *seq.Operation) bool {
		for _, p := range op.Params {
			if emptyInterface(s.Table, p) {
				return true
			}
		}
		return false
	})
}

// nilArg reports whether an argument is nil and the operation does not deal with it. plain
// selects the arguments of types for which nil is a value like others.
func (s *scene) nilArg(plain bool) bool {
	for i, a := range s.Args {
		if a.Nil && !nilOK(s.op, i) && len(s.op.Params) > 0 && plainNil(s.Table, s.op.Param(i)) == plain {
			return true
		}
	}
	return false
}
