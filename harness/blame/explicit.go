package blame

import (
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// argumentWords are in messages by which a package accuses itself if they are about the caller's arguments.
var argumentWords = []string{"input", "parameter"}

// explicitRules judge panics that the code made by calling panic. In Go a function says so
// that its caller broke a precondition, so most are illegal. Exceptions say otherwise in
// their text.
var explicitRules = []rule{
	// MustCompile panics where Compile returns an error: that is its purpose.
	illegal("must", "a function named Must panics where its counterpart returns an error", func(s *scene) bool { return naming.IsMust(s.name) }),
	documentedPanic,
	// [Pacheco09 fig. 7-3]: "method throws no AssertionError". Before the table's
	// messages, among which an author's "unreachable" would be.
	wrong("internal", "the panic's own text says that it is a bug of the package", func(s *scene) bool { return saysInternal(s.ownText()) && !s.anyInt(negative) && !s.asserts() }),
	{name: "documented", tier: engine.Illegal, because: (*scene).quote, applies: func(s *scene) bool { // a guard, or a message
		return !s.late && (s.op.Pre.Panics || hasMessage(s.op.Pre.Messages, s.text))
	}},
	illegal("nil", "an argument is nil", func(s *scene) bool { return s.nilArg(false) || s.nilArg(true) }),
	// String and the like may not choose to panic on a zero value either, but a
	// deliberate panic is at least deliberate.
	doubtful("callback", CallbackReason, func(s *scene) bool { return s.op.Callback }),
	illegal("zero", "an argument is the zero value of a type that has a constructor, or stood beside an error", func(s *scene) bool { return s.hist.tainted(TaintZero | TaintFailed) }),
	neverPanics,
	illegal("check", "the function checks its arguments and panics", (*scene).checksArguments),
	doubtful("unimplemented", "the panic's own text says that something is not implemented", func(s *scene) bool { return saysUnimplemented(s.text) }),
	// A panic meant to be recovered at the top of the parser that got away, or one
	// of a package it calls.
	wrong("parser", docParser, (*scene).refuses),
	// It tells the caller nothing: it ends the process. Hence no guard excuses it above.
	wrong("goroutine", "it panics in a goroutine that the package starts, where no caller can recover it", func(s *scene) bool { return s.late }),
	doubtful("other", "an explicit panic below the function called, not documented there", always),
}

// checksArguments reports whether the function called panics itself, or one of the package
// that checks arguments.
func (s *scene) checksArguments() bool {
	f, ok := thrower(s.Table, s.Frames)
	return !s.late && ok && whose(s.Table, f) == within && (s.itself(f) || checks(f))
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

func saysUnimplemented(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "not implemented") || strings.Contains(text, "unimplemented")
}

// saysInternal reports whether a text accuses the package, and not an argument.
func saysInternal(text string) bool {
	return !naming.HasPhrase(text, argumentWords...) && naming.AccusesItself(text)
}

// hasMessage reports whether text is one of the constant messages or holds one of at
// least four bytes. A message is often the first part of a format or of a sum.
func hasMessage(messages []string, text string) bool {
	return slices.ContainsFunc(messages, func(m string) bool { return m == text || len(m) >= 4 && strings.Contains(text, m) })
}

// itself reports whether f is the operation's own function, a closure in it
// included, or a promoted method that stands for it.
func (s *scene) itself(f Frame) bool {
	fn := godump.Member(f.Func)
	return godump.SameMember(fn, s.op.Member) || len(s.in) == 1 && naming.Base(fn) == s.op.Base
}

// takesAny reports whether a value was given as any, to this call or to one that
// made or filled an object involved.
func (s *scene) takesAny() bool {
	takes := func(op *seq.Operation) bool {
		return slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return s.Table.Types[p].IsAny() })
	}
	return takes(s.op) || s.hist.relatedOp(takes)
}

// nilArg reports whether an argument is nil and the operation does not deal with it. plain
// selects the arguments of types for which nil is a value like others.
func (s *scene) nilArg(plain bool) bool {
	return s.anyArg(func(i int, a ArgFact) bool {
		return a.Nil && !s.op.AllowsNil(i) && len(s.op.Params) > 0 && plainNil(s.Table, s.op.Param(i)) == plain
	})
}
