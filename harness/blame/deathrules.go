package blame

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// growWords are names of functions that compute something of exponential cost.
var growWords = naming.Set("cross exp pow power prime product repeat")

// docCancelled is the purpose of the channel of a cancelled context.
const docCancelled = `it waits though its context is cancelled: package context, Done: "a channel that's closed when work done on behalf of this context should be canceled"`

// deathCommonRules come first for every death.
var deathCommonRules = []rule{
	// A receive, a lock or a loop in foray's own code or func literal.
	illegal("own expression", "the caller's own expression fails, such as an assertion of a type", func(s *scene) bool { return !s.op.API && len(s.in) == 0 }),
	illegal("own code", "it happens in code given as an argument", (*scene).inOurs),
	illegal("nil", "an argument is nil", func(s *scene) bool { return s.nilArg(false) }),
	illegal("zero", "an argument is the zero value of a type that has a constructor, or stood beside an error", func(s *scene) bool { return s.hist.tainted(TaintZero | TaintFailed) }),
}

// blockedRules judge a step whose goroutine waits. A single goroutine runs the
// sequence: a lock that it does not get now it never gets.
var blockedRules = []rule{
	// The runtime's own semaphores are those of garbage collection and of open files.
	illegal("waits", "it waits for time, for the runtime or for the world outside", func(s *scene) bool {
		return s.state == "sleep" || s.state == "IO wait" || s.state == "syscall" || s.state == "semacquire"
	}),
	wrong("cancelled", docCancelled, func(s *scene) bool { return s.cancelled() && naming.Says(s.op, "ctx", "context", "cancel") }), // it is documented to heed its context
	doubtful("cancelled", docCancelled, func(s *scene) bool { return s.cancelled() && !naming.Says(s.op, "ctx", "context", "cancel") }),
	illegal("by design", "it waits by design", func(s *scene) bool {
		return s.op.Pre.Blocks || naming.HasWord(lockWords, s.name) || naming.HasWord(waitWords, s.name) || naming.HasWord(joinWords, s.name)
	}),
	illegal("locked", "the caller holds a lock that it took before", func(s *scene) bool { return s.locks() > 0 }),
	illegal("own channel", "it waits for a channel of the caller's", func(s *scene) bool {
		return s.hist.relatedOp(func(op *seq.Operation) bool { return op.Kind == seq.Chan })
	}),
	// A container may implement the interface of its items by chance.
	doubtful("own item", "an object was given to itself, or one that was made of it, as an interface", (*scene).ownItem),
	// Not to hold it after a panic of the function is good manners, and nobody's promise.
	doubtful("held meanwhile", "a function was given to a call that is documented to hold a lock meanwhile", func(s *scene) bool {
		return s.hist.relatedOp(func(op *seq.Operation) bool {
			return op.API && takesFunc(s.Table, op) && naming.Says(op, " lock")
		})
	}),
	// Goroutines wait for each other by channels and conditions. A queue that blocks when
	// empty rarely has documentation that can be recognized.
	doubtful("conversation", "it waits for another goroutine, perhaps by design", (*scene).talks),
	wrong("other", "it waits for a lock or group that nobody can release, and no documentation says that it may block", always),
}

// busyRules judge a step that ran past its deadline. [Pacheco09 §7.3] calls every such step
// illegal, but if no argument is large, nothing excuses it.
var busyRules = []rule{
	illegal("by design", "it runs on by design", func(s *scene) bool { return s.op.Pre.Blocks || naming.HasWord(waitWords, s.name) }),
	doubtful("large", "a large or negative number or a large value was given: it may only be slow", func(s *scene) bool { return s.big() || s.anyInt(negative) || naming.HasWord(growWords, s.name) }),
	doubtful("files", "it reads or writes files, of which there may be many", (*scene).inFiles),
	doubtful("function", "a function given as an argument may decide when the loop ends", (*scene).tookFunc),
	doubtful("cyclic", "an object was put into itself", (*scene).cyclic),
	wrong("other", "it does not return, and no argument is large", always),
}

var memoryRules = []rule{
	doubtful("large", "a large or negative number or a large value was given", func(s *scene) bool { return s.big() || s.anyInt(negative) || naming.HasWord(growWords, s.name) }),
	doubtful("function", "a function given as an argument may decide when the growth ends", (*scene).tookFunc),
	doubtful("image", `an image takes the memory that its header asks for: package image, DecodeConfig "decodes the color model and dimensions of an image"`, (*scene).decodesImage),
	// l.AddAll(l) thirty times is a lot of memory, too.
	doubtful("cyclic", "an object was put into itself", (*scene).cyclic),
	wrong("other", "it takes memory without bound, and no argument is large", always),
}

var stackRules = []rule{
	doubtful("cyclic", "an object was put into itself", (*scene).cyclic),
	doubtful("large", "a large number was given: the recursion may follow it", func(s *scene) bool { return s.sized(func(n int64) bool { return n > huge || n < -huge }) }),
	wrong("other", "a stack overflow cannot be recovered: it ends the process of any caller", always),
}

var exitRules = []rule{
	illegal("by design", "it ends the process by design", func(s *scene) bool {
		inside := slices.ContainsFunc(s.in, func(f Frame) bool { return naming.HasWord(exitWords, naming.Base(godump.Member(f.Func))) })
		return s.op.Pre.Exits || strings.Contains(strings.ToLower(s.op.Pre.Sentence), "exit") || naming.HasWord(exitWords, s.name) || inside
	}),
	illegal("must", "a function named Must gives up where its counterpart returns an error", func(s *scene) bool { return naming.IsMust(s.name) }),
	{name: "other", tier: engine.Error, applies: always, because: func(s *scene) string {
		if s.class == goexited {
			return "nothing says that it ends the goroutine of its caller"
		}
		return "nothing says that it ends the process of its caller"
	}},
}

// fatalRules judge fatal errors of the runtime.
var fatalRules = []rule{
	illegal("unlock", "package sync: it is an error if the lock is not locked on entry to Unlock", func(s *scene) bool { return s.class == unlocked && naming.HasWord(unlockWords, s.name) }),
	illegal("unchecked", "the caller of an unchecked function vouches for the arguments", func(s *scene) bool { return naming.HasWord(uncheckedWords, s.name) }),
	// The sequence runs on one goroutine, so the other goroutine is the package's.
	wrong("map race", "a map is used by two goroutines of the package at once (Go blog: Go maps in action, Concurrency)", func(s *scene) bool { return s.class == mapRace }),
	doubtful("read-only", "it was given what may lie in memory that nobody may write: bytes that are those of a string (package unsafe, StringData: \"the bytes returned by StringData must not be modified\"), or a reflect.Type", func(s *scene) bool {
		return s.text == "fault" && s.hist.relatedOp(func(op *seq.Operation) bool { return readOnly(s.Table, op) })
	}),
	wrong("other", "no call may end the process of its caller", always),
}

// takesFunc reports whether op has a parameter that is a function.
func takesFunc(t *seq.Table, op *seq.Operation) bool {
	return slices.ContainsFunc(op.Params, func(id seq.TypeID) bool { return t.Types[id].Kind == seq.FuncType })
}

// readOnly reports whether the result of op may lie in read-only memory: bytes that a
// function of the package makes of a string, or a reflect.Type.
func readOnly(t *seq.Table, op *seq.Operation) bool {
	if len(op.Results) != 1 {
		return false
	}
	made := &t.Types[op.Results[0]]
	if made.Is("reflect", "Type") {
		return op.Kind == seq.Standard
	}
	return made.IsBytes() && op.API && op.Kind == seq.Func && len(op.Params) == 1 && t.Types[op.Params[0]].Literal == seq.String
}

// decodesImage reports whether the call returns an image, of which another function of the package
// tells the size before.
func (s *scene) decodesImage() bool {
	returns := func(op *seq.Operation, name string) bool {
		return slices.ContainsFunc(op.Results, func(id seq.TypeID) bool { return s.Table.Types[id].Is("image", name) })
	}
	return returns(s.op, "Image") && slices.ContainsFunc(s.Table.Ops, func(op seq.Operation) bool {
		return op.API && op.Kind == seq.Func && returns(&op, "Config")
	})
}

// ownItem reports whether a call on an object involved was also given that object, or one that was
// made of it. It was given as an interface, in a list of such, or as a function, such as its own
// iterator. The object itself counts for nothing if the parameter has the receiver's type: a set must
// work with itself as another set.
func (s *scene) ownItem() bool {
	return s.hist.anyRelated(func(step int) bool {
		op := s.hist.op(step)
		recv, ok := s.hist.Receiver(step)
		return ok && op.API && s.hist.anyGiven(step, func(i int, slot int32) bool {
			p := op.Param(i)
			return i > 0 && s.mayHold(p, slot) && (slot == recv && p != op.Params[0] || s.hist.Ancestors(slot)[recv])
		})
	})
}

// mayHold reports whether an argument in a slot, for a parameter of type id, may refer to any object. A
// function may if the package made it.
func (s *scene) mayHold(id seq.TypeID, slot int32) bool {
	ty := &s.Table.Types[id]
	return ty.Interface || ty.Kind == seq.FuncType && s.hist.op(s.hist.from[slot]).API || ty.Kind == seq.SliceType && slices.ContainsFunc(s.Table.Types, func(t seq.Type) bool { return t.Interface && t.Name == ty.Elem })
}

// inFiles reports whether the step was in package os.
func (s *scene) inFiles() bool {
	return slices.ContainsFunc(s.Frames, func(f Frame) bool { return strings.HasPrefix(f.Func, "os.") })
}

// talks reports whether the step waits as goroutines do for each other.
func (s *scene) talks() bool {
	return s.state == "chan receive" || s.state == "chan send" || s.state == "select" || s.state == "sync.Cond.Wait"
}

// cancelled reports whether the step waits as goroutines do, though it was given a context that
// was made cancelled.
func (s *scene) cancelled() bool {
	return s.slots && s.talks() && s.locks() == 0 && s.hist.anyGiven(len(s.Steps)-1, func(i int, slot int32) bool {
		return s.Table.Types[s.op.Param(i)].Is("context", "Context") && s.hist.op(s.hist.from[slot]).Shape == seq.Cancelled
	})
}

// locks returns how many earlier steps on objects involved took a lock, less the steps that
// released one.
func (s *scene) locks() int {
	n := 0
	for step := range s.hist.related() {
		op := s.hist.op(step)
		if step == len(s.Steps)-1 || !op.API {
			continue
		}
		switch name := naming.Of(op); {
		case naming.HasWord(unlockWords, name):
			if !slices.ContainsFunc(op.Results, func(id seq.TypeID) bool { return s.Table.Types[id].Kind == seq.ChanType }) { // the Done of a context
				n--
			}
		case naming.HasWord(lockWords, name):
			n++
		}
	}
	return n
}
