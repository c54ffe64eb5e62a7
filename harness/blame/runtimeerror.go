package blame

import (
	"reflect"
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// A size above huge may be refused by any machine, a number above overflow makes
// int arithmetic on it wrap.
const (
	sizeable = 1 << 12 // rows and columns of a matrix that takes a second
	huge     = 1 << 20
	overflow = 1 << 31
)

// rawPhrases warn of an operation, or say that nobody has looked at what it returns.
var rawPhrases = []string{"may be invalid", "should not be used"}

// rawAccess reports whether the documentation of op warns of it: big.Int.SetBits
// "provides raw (unchecked but fast) access" and "should not be used otherwise". An
// operation that takes or returns the words of a big.Int counts without a warning, and so does one
// with a name that warns.
func rawAccess(t *seq.Table, op *seq.Operation) bool {
	words := func(id seq.TypeID) bool { return t.Types[id].Name == "[]big.Word" }
	return op.API && (slices.ContainsFunc(op.Params, words) || slices.ContainsFunc(op.Results, words) || naming.Says(op, rawPhrases...) || naming.HasWord(uncheckedWords, naming.Of(op)))
}

// runtimeRules judge run-time errors: nobody writes an index out of range on
// purpose, so unless an argument explains it, it is a bug.
var runtimeRules = []rule{
	documentedPanic,
	illegal("unchecked", "the caller of an unchecked function vouches for the arguments", func(s *scene) bool { return naming.HasWord(uncheckedWords, s.name) }),
	// The counterpart has the same code below it: a bug shows there, too.
	illegal("must", "a function named Must panics where its counterpart returns an error", (*scene).mustOfCounterpart),
	// [Pacheco09 fig. 7-3]: illegal if a null was used as input to some call.
	illegal("nil", "nil was given as an argument", (*scene).ofNil),
	illegal("nil interface", "a method was called on a nil interface", func(s *scene) bool {
		return s.class == nilDeref && hasReceiver(s.op) && s.Table.Types[s.op.Params[0]].Interface && len(s.in) == 0 && len(s.Args) > 0 && s.Args[0].Nil
	}),
	promisedError,
	// nil is a value of any and of error, but few functions on any mean it.
	doubtful("nil any", "nil was given as an argument of an interface type, or in a list of such", (*scene).ofNilAny),
	illegal("failed", "an argument stood beside a non-nil error", func(s *scene) bool { return s.hist.tainted(TaintFailed) }),
	// A struct with an unset field can be printed, encoded and decoded into, but the type of
	// the field has a constructor.
	doubtful("callback", CallbackReason+"; this one is the zero value of a type that has a constructor", func(s *scene) bool { return s.op.Callback && s.hist.tainted(TaintZero) }),
	illegal("zero", "an argument is the zero value of a type that has a constructor", func(s *scene) bool { return s.hist.tainted(TaintZero) }),
	illegal("closed", "the caller closed the channel", func(s *scene) bool {
		return s.class == closedChan && s.hist.relatedOp(func(op *seq.Operation) bool { return op.Shape == seq.Close })
	}),
	illegal("not begun", "the iterator stands on no element: Next has not been called, or said that there is none",
		func(s *scene) bool { return (s.outOfRange() || s.class == nilDeref) && s.notBegun() }),
	wrong("parser", docParser, (*scene).refuses),
	illegal("sort", "package sort: the methods of an Interface are for the package to call, which gives Less and Swap indices below Len; container/heap calls Pop of what is not empty",
		func(s *scene) bool { return s.outOfRange() && s.sorting() }),
	neverPanics,
	// xs[i] without a check is how Go's own slices behave.
	doubtful("index", "the index complained of is an argument, as for a slice", func(s *scene) bool { return s.outOfRange() && (s.indexed() || s.class == indexRange && s.givesIndex()) }),
	// make and its like panic only of a size that is negative or huge, which is computed from the numbers.
	doubtful("alloc", "a size was given, or numbers that one is computed of", func(s *scene) bool {
		return s.thrownAs() == alloc && (s.op.Kind == seq.Func && s.takesNumber() || s.sized(refused))
	}),
	illegal("uncomparable", "a value that Go cannot compare was given as any (Go specification: Comparison operators)", func(s *scene) bool { return s.class == uncomparable && s.takesAny() }),
	wrong("other", docNoExcuse, always),
}

// ofNil reports whether the panic is of a nil that was given, to this call or to one before.
func (s *scene) ofNil() bool {
	of := s.class == nilDeref || s.class == nilMap || s.class == assertion && strings.Contains(s.text, " is nil, not ")
	return of && (s.hist.tainted(TaintNil|TaintUnset) || s.late && s.hist.anyNil(len(s.Steps))) || (of || s.class == explicit) && s.nilArg(false)
}

// mustOfCounterpart reports whether the function called is named for one that returns an error:
// MustParse for Parse.
func (s *scene) mustOfCounterpart() bool {
	if !naming.IsMust(s.name) {
		return false
	}
	prefix := strings.TrimSuffix(s.op.Member, s.name)
	return slices.ContainsFunc(s.Table.Ops, func(op seq.Operation) bool {
		return op.API && op.ReturnsError && op.Member == prefix+s.name[len("must"):]
	})
}

func negative(n int64) bool { return n < 0 }

// refused reports whether any machine may refuse to allocate so much.
func refused(n int64) bool { return n < 0 || n > huge }

// indexed reports whether the arguments explain an index or slice error of the function
// called or of a function that it calls.
func (s *scene) indexed() bool {
	if len(s.in) > 2 {
		return false
	}
	return s.anyIntAt(func(i int, n int64) bool {
		return s.complainsOf(n, naming.HasWord(indexWords, s.name) || i < len(s.op.Names) && indexNames[s.op.Names[i]])
	})
}

// indexNames are names of parameters that Go programs use for a position.
var indexNames = naming.Set("i idx index j offset pos position")

// complainsOf reports whether an index or slice error is about an integer argument. named
// says that the function or the parameter has the name of a position. In others equality must
// be beyond coincidence: small numbers are equal all the time.
func (s *scene) complainsOf(n int64, named bool) bool {
	if named && (n < 0 || s.length >= 0 && n >= s.length) {
		return true
	}
	return slices.ContainsFunc(s.nums, func(off int64) bool {
		return named && near(n, off) || n == off && (n < 0 || n >= 8) && len(s.in) <= 1
	})
}

// outOfRange reports whether the panic is of an index or a slice expression.
func (s *scene) outOfRange() bool { return s.class == indexRange || s.class == sliceRange }

// sorting reports whether the function called is the Less or Swap of a sort.Interface, or the
// Pop of a heap.Interface.
func (s *scene) sorting() bool {
	if s.op.Kind != seq.Method {
		return false
	}
	std := s.Table.Types[s.op.Params[0]].Std
	return std&seq.StdSort != 0 && (s.name == "Less" || s.name == "Swap") || std&seq.StdHeap != 0 && s.name == "Pop"
}

// notBegun reports whether the receiver is an iterator, by its method Next, that no call of
// Next has moved onto an element.
func (s *scene) notBegun() bool {
	recv, ok := s.receiverSlot()
	if !ok || s.op.Kind != seq.Method || s.name == "Next" || len(s.op.Params) > 1 {
		return false
	}
	next := slices.IndexFunc(s.Table.Ops, func(op seq.Operation) bool {
		return op.Kind == seq.Method && op.Base == "Next" && len(op.Params) == 1 && op.Params[0] == s.op.Params[0] &&
			len(op.Results) == 1 && s.Table.Types[op.Results[0]].Literal == seq.Bool
	})
	if next < 0 {
		return false
	}
	moved := false
	for i, st := range s.Steps[:len(s.Steps)-1] {
		if st.Op == seq.OpID(next) && st.Args[0] == seq.Slot(int(recv)) {
			said, known := s.hist.value(s.hist.first[i])
			moved = !known || said == true
		}
	}
	return !moved
}

// givesIndex reports whether the index complained of is negative and was given: as an
// argument, in a list, or by a function of ours.
func (s *scene) givesIndex() bool {
	bad := func(n int64) bool { return n < 0 && slices.Contains(s.nums, n) }
	if s.anyInt(bad) || s.given(func(v reflect.Value) bool { return anyNumber(v, bad) }) {
		return true
	}
	return slices.ContainsFunc(s.Steps, func(st seq.Step) bool {
		return s.Table.Ops[st.Op].Kind == seq.FuncLit && slices.ContainsFunc(st.Args, func(a seq.Arg) bool {
			if a.Lit == nil {
				return false
			}
			n, is := ArgFact{Value: a.Lit.Value}.Int()
			return is && bad(n)
		})
	})
}

// takesNumber reports whether the function called takes a number.
func (s *scene) takesNumber() bool { return slices.ContainsFunc(s.op.Params, s.number) }

// near reports whether off is n, next to it, or its negation.
func near(n, off int64) bool { return off == n || off == n+1 || off == n-1 || off == -n }

// anyInt reports whether ok holds for an argument of an integer parameter.
func (s *scene) anyInt(ok func(int64) bool) bool {
	return s.anyIntAt(func(_ int, n int64) bool { return ok(n) })
}

// anyIntAt reports whether ok holds for an argument, the i-th, of an integer parameter. An
// integer given as any is a value to keep, not a number to use.
func (s *scene) anyIntAt(ok func(i int, n int64) bool) bool {
	return s.anyArg(func(i int, a ArgFact) bool {
		n, is := a.Int()
		return is && len(s.op.Params) > 0 && basic(s.Table, s.op.Param(i)) && ok(i, n)
	})
}

// sized reports whether ok holds for an integer argument of the call, or for an
// integer given to an earlier step on an object involved.
func (s *scene) sized(ok func(int64) bool) bool {
	return s.anyInt(ok) || s.hist.anyRelated(func(step int) bool {
		for j := range s.Steps[step].Args {
			if n, is := s.hist.integer(step, j); is && ok(n) {
				return true
			}
		}
		return false
	})
}
