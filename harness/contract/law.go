package contract

import (
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/naming"
)

// A Law is a property of a call: what must be so when it has returned, given what
// was seen before. Where a [Contract] looks at values that are there, a law is held
// by running a sequence once more, stopping before the call to look:
//
//	v0.Put(1, "a")
//	before := fmt.Sprint(v0.Keys())
//	v0.Remove(2)        // the call
//	v0.Keys()           // the same but for 2
//
// What runs is thrown away afterwards, so that a law may call what changes values.
// It is a plain value; [Laws] lists those that apply to a table.
type Law struct {
	Name  string
	On    seq.OpID // the call that it is about
	Op    seq.OpID // the operation to blame
	Claim engine.Claim
	Doc   string // the sentence that says so, and where it stands
	// Changes says that See or Check call what may change values.
	Changes bool
	// Guess says that names only hint at the law: a breach is no more than a suspicion, however
	// often the package keeps the law.
	Guess bool
	// Quiet says that a breach is told only if the package keeps the law.
	Quiet bool
	// Plain says that there is no reason for exceptions of plain data, as of an encoding: the
	// package may keep the law of such only. See [engine.Plainness].
	Plain bool
	// Excepted says that documentation denies the law for some values: a breach is a suspect, however
	// rare it is.
	Excepted bool
	// Apart says that Check makes the objects that it looks at: the caller may have broken the
	// receiver.
	Apart bool
	// See looks at the values before the call. It reports false if the law says
	// nothing of this call. It may be nil.
	See func(c *Call) (seen any, ok bool)
	// Check looks at what the call did. It returns nil if the law holds, or if
	// nothing can be said: a call that it makes itself panicked, for instance.
	Check func(c *Call, seen any) *Breach
}

// exceptNil returns l, but it says nothing of a call that is given nil: that may stand for nothing,
// which a container does not keep.
func (l Law) exceptNil() Law {
	see := l.See
	l.See = func(c *Call) (any, bool) {
		if slices.ContainsFunc(c.Args[1:], blame.IsNil) {
			return nil, false
		}
		if see == nil {
			return nil, true
		}
		return see(c)
	}
	return l
}

// A Breach is how a law was broken, for a person and for the emitted test.
type Breach struct {
	Detail string
	Before string // a Go expression, evaluated just before the call; Assert calls it before
	Assert string // a Go expression that must be true just after it
	Doubt  string // why it is no more than a suspicion; empty: as the law says
}

// lawFamilies are the kinds of laws, in the order in which they are bound.
var lawFamilies = []func(a *api, add func(...Law)){
	ensured,
	elementLaws,
	removalLaws,
	stackLaws,
	clearLaws,
	copyLaws,
	persistentLaws,
	argumentLaws,
	resultLaws,
	aliasLaws,
	settingLaws,
	encodingLaws,
	xmlLaws,
	appenderLaws,
	parsingLaws,
	inverseLaws,
	rereadingLaws,
	decodedLaws,
	copiedLaws,
	sqlLaws,
	flagLaws,
	ioLaws,
	readerLaws,
	hashLaws,
	heapLaws,
	fileLaws,
	handlerLaws,
	errorLaws,
	cursorLaws,
	iteratorLaws,
}

// Laws returns the laws that apply to the operations of t, found as by [Bind].
func Laws(t *seq.Table) []Law {
	a := newAPI(t)
	var all []Law
	for _, family := range lawFamilies {
		family(a, func(list ...Law) { all = append(all, list...) })
	}
	return slices.DeleteFunc(all, func(l Law) bool {
		return slices.Contains(t.Ops[l.Op].Ignore, l.Name) || slices.Contains(t.Ops[l.On].Ignore, l.Name) || l.denied(&t.Ops[l.On])
	})
}

// interfaceOf finds the interface that a law's sentence is of. denial matches documentation up to
// the name of an interface that it says a method is not of: "this is *not* an implementation of
// io.ByteReader".
var (
	interfaceOf = regexp.MustCompile(`^package [\w/]+, (\w+):`)
	denial      = regexp.MustCompile(`(?i)\bnot\b\W+(?:an )?implement\w*[^;:]*$`)
)

// denied reports whether the documentation of op says that it is no method of the interface that l
// is about.
func (l *Law) denied(op *seq.Operation) bool {
	of := interfaceOf.FindStringSubmatch(l.Doc)
	if of == nil || !naming.Mentions(op.Doc, of[1]) {
		return false
	}
	before, _, _ := strings.Cut(op.Doc, of[1])
	return denial.MatchString(before[strings.LastIndex(before, ". ")+1:])
}

// Signature returns the signature of the law's verdicts.
func (l *Law) Signature(t *seq.Table) engine.Signature { return signature(l.Name, &t.Ops[l.Op]) }

func signature(contract string, op *seq.Operation) engine.Signature {
	return engine.Signature{Kind: engine.KindContract, Class: contract, Where: op.Member}
}

// A Counter is a Caller that is told of each call for which a law held, or did not. It is not
// told where nothing could be said.
type Counter interface {
	Count(l *Law, c *Call, holds bool)
}

// A Call is a call that a law is held against, in a run of its own.
type Call struct {
	Caller
	Table   *seq.Table
	Steps   seq.Sequence // the call is the last of them
	Args    []any        // of the call, receiver first
	Results []any        // nil before the call
	vals    []any        // by slot
	room    []any        // that the arguments of steps are cut from
	hist    blame.GrowingTainter
	slots   []int32 // what the texts of a breach refer to, in order
	held    bool    // some law said something
	// answered says that what Check compared last was as the law says.
	answered bool
}

// Hold runs s, the last step of which calls l.On, anew and holds l against that
// step. It returns nil if the law holds or nothing can be said: a step panicked,
// the caller may have broken an argument. All literals must be boxed. tainted says
// that some value of s may have a [blame.Taint]. held reports whether the law says
// something of the call.
func (l *Law) Hold(caller Caller, t *seq.Table, s seq.Sequence, tainted bool) (v *engine.Verdict, held bool) {
	last := len(s) - 1
	c := &Call{Caller: caller, Table: t}
	v = c.hold(s, tainted, func(i int) []*Law {
		if i == last {
			return []*Law{l}
		}
		return nil
	})
	return v, c.held
}

// Run runs s anew and holds, at each step, the laws that it is given for it. It
// returns the verdict of the first that does not hold.
func Run(caller Caller, t *seq.Table, s seq.Sequence, tainted bool, laws func(step int) []*Law) *engine.Verdict {
	c := &Call{Caller: caller, Table: t}
	return c.hold(s, tainted, laws)
}

func (c *Call) hold(s seq.Sequence, tainted bool, laws func(step int) []*Law) *engine.Verdict {
	for i := range c.rerun(s) {
		list := laws(i)
		switch {
		case len(list) == 0:
		case c.op().Kind == seq.Method && (blame.IsNil(c.Args[0]) || blame.Elsewhere(c.Table, c.op(), c.Args[0])):
			list = nil
		case tainted && c.tainted(s):
			list = slices.DeleteFunc(slices.Clone(list), func(l *Law) bool { return !l.Apart })
		}
		seen := make([]any, len(list))
		says := make([]bool, len(list))
		for k, l := range list {
			says[k] = true
			if l.See != nil {
				seen[k], says[k] = l.See(c)
			}
			c.held = c.held || says[k]
		}
		if !c.run(i) {
			return nil
		}
		for k, l := range list {
			if c.slots, c.answered = nil, false; !says[k] {
				continue
			}
			b := l.Check(c, seen[k])
			if counter, is := c.Caller.(Counter); is && (b != nil || c.answered) {
				counter.Count(l, c, b == nil)
			}
			if b != nil {
				return l.verdict(c, b)
			}
		}
	}
	return nil
}

// rerun yields the steps of s, one after another. Each has its arguments by then, and waits for [Call.run].
func (c *Call) rerun(s seq.Sequence) iter.Seq[int] {
	args, slots := 0, s.Slots(c.Table)
	for i := range s {
		args += len(s[i].Args)
	}
	room := make([]any, slots+args)
	c.vals, c.room = room[:0:slots], room[slots:slots]
	return func(yield func(int) bool) {
		for i := range s {
			c.Steps, c.slots = s[:i+1], nil
			if c.Args, c.Results = c.arguments(i), nil; !yield(i) {
				return
			}
		}
	}
}

func (l *Law) verdict(c *Call, b *Breach) *engine.Verdict {
	v := violation(l.Signature(c.Table), l.Op, l.Claim, l.Doc, b.Detail, c.doubt(l, b))
	v.Before, v.Assert, v.Slots, v.Steps = b.Before, b.Assert, c.slots, len(c.Steps)
	return v
}

// doubt returns why a breach of l may be the caller's doing after all, if it may.
func (c *Call) doubt(l *Law, b *Breach) engine.Ruling {
	if b.Doubt != "" {
		return blame.Doubt("value", b.Doubt)
	}
	if l.Claim == engine.ClaimOwn {
		return engine.Ruling{}
	}
	return blame.NewHistory(c.Table, c.Steps, c.vals, len(c.Steps)-1).Doubt()
}

// unchecked returns why the call's receiver may be one that its package refuses, or "": its
// caller wrote it, or see [blame.History.Unchecked].
func (c *Call) unchecked() string {
	a := c.step().Args[0]
	if a.Lit != nil {
		return ""
	}
	return c.uncheckedSlot(a.Slot)
}

// uncheckedSlot is unchecked of slot n.
func (c *Call) uncheckedSlot(n int32) string {
	step, _ := c.maker(n)
	if made := &c.Table.Ops[c.Steps[step].Op]; made.Kind == seq.Convert || made.Kind == seq.Composite && made.Shape == seq.Filled {
		return "the value was not made by its package"
	}
	return blame.NewHistory(c.Table, c.Steps, c.vals, 0).Unchecked(n)
}

// persistent reports whether the call returned another value of its receiver's
// type: then that is what it added to or removed from, and not its receiver. The value may be
// returned as an interface.
func (c *Call) persistent() bool {
	for i, r := range c.op().Results {
		if r != c.op().Params[0] && reflect.TypeOf(c.Results[i]) != reflect.TypeOf(c.Args[0]) {
			continue
		}
		v := reflect.ValueOf(c.Results[i])
		if !v.IsValid() || !v.Comparable() || c.Results[i] != c.Args[0] {
			return true
		}
	}
	return false
}

// run runs step i and reports whether it returned.
func (c *Call) run(i int) bool {
	results, panicked := c.Call(c.Steps[i].Op, c.Args...)
	if panicked != nil {
		return false
	}
	n := len(c.vals)
	c.vals = append(c.vals, results...)
	c.Results = c.vals[n:]
	return len(results) == len(c.Table.Ops[c.Steps[i].Op].Results)
}

func (c *Call) arguments(i int) []any {
	n := len(c.room)
	for _, a := range c.Steps[i].Args {
		c.room = append(c.room, c.value(a))
	}
	return c.room[n:len(c.room):len(c.room)]
}

func (c *Call) value(a seq.Arg) any {
	if a.Lit != nil {
		return a.Lit.Boxed
	}
	return c.vals[a.Slot]
}

// tainted reports whether an argument may be broken by the caller. The call is a step of s.
func (c *Call) tainted(s seq.Sequence) bool {
	taints := c.hist.Taints(c.Table, s, len(c.Steps)-1, c.vals)
	return slices.ContainsFunc(c.step().Args, func(a seq.Arg) bool { return a.Lit == nil && taints[a.Slot] != 0 })
}

func (c *Call) step() *seq.Step    { return &c.Steps[len(c.Steps)-1] }
func (c *Call) op() *seq.Operation { return &c.Table.Ops[c.step().Op] }

// failed reports whether the call returned a non-nil error, or said false: then
// it may have done nothing.
func (c *Call) failed() bool {
	if len(c.Results) == 0 {
		return false
	}
	last := c.Results[len(c.Results)-1]
	if c.op().ReturnsError {
		return last != nil
	}
	said, is := blame.Describe(last).Value.(bool)
	return is && !said
}

// ask calls op and returns copies of its results; nil if it panicked or there is
// nothing to call it on.
func (c *Call) ask(op seq.OpID, args ...any) []any {
	if len(args) > 0 && blame.IsNil(args[0]) {
		return nil
	}
	results, panicked := c.Call(op, args...)
	if panicked != nil {
		return nil
	}
	return append([]any{}, results...)
}

// repeats reports whether look says the same again and again: what ranges over a map
// shows it, of few elements, in the same order most of the time.
func repeats(text string, look func() (string, bool)) bool {
	for range repeatLooks {
		if again, ok := look(); !ok || again != text {
			return false
		}
	}
	return true
}

const repeatLooks = 64

// sprint is fmt.Sprint, or false if that would say where things lie in memory.
// Methods of the values may panic: fmt says so in the text.
func sprint(values ...any) (string, bool) {
	text := fmt.Sprint(values...)
	return text, !address.MatchString(text) && !strings.Contains(text, "(PANIC=")
}

// address is how fmt prints a pointer.
var address = regexp.MustCompile(`0x[0-9a-f]{8}`)

// The texts of a breach are made of these.

// arg returns the text of argument i of the call.
func (c *Call) arg(i int) string { return c.text(c.step().Args[i]) }

// result returns the text of result i of the call.
func (c *Call) result(i int) string {
	return c.slot(int32(len(c.vals) - len(c.Results) + i))
}

func (c *Call) text(a seq.Arg) string {
	if a.Lit == nil {
		return c.slot(a.Slot)
	}
	text := string(c.Table.AppendTyped(nil, a.Lit))
	if s, is := a.Lit.Value.(string); is && strings.Contains(text, "$") {
		// A dollar sign is the verdict's own.
		text = strings.ReplaceAll(strconv.Quote(s), "$", `\x24`)
		if ty := &c.Table.Types[a.Lit.Type]; !ty.Basic {
			text = ty.Name + "(" + text + ")"
		}
	}
	return text
}

func (c *Call) slot(n int32) string {
	for i, s := range c.slots {
		if s == n {
			return "$" + strconv.Itoa(i)
		}
	}
	c.slots = append(c.slots, n)
	return "$" + strconv.Itoa(len(c.slots)-1)
}

// std returns the name of a package of the standard library, with a dot.
func (c *Call) std(path string) string { return c.Table.ImportName(path) + "." }

// maker returns the step that made slot n, and its number among the results.
func (c *Call) maker(n int32) (step, result int) {
	for i := range c.Steps {
		k := int32(len(c.Table.Ops[c.Steps[i].Op].Results))
		if n < k {
			return i, int(n)
		}
		n -= k
	}
	panic("contract: no such slot")
}

// Unfit reports whether laws are not held in sequences with op: it may wait, or it
// makes a function that panics or that is no ordering of its two parameters. No
// collection can keep its promises under such an order.
func Unfit(t *seq.Table, op *seq.Operation) bool {
	if op.Kind != seq.FuncLit {
		return op.Pre.Blocks || op.Kind == seq.FieldSet || op.Kind == seq.VarSet || op.Shape == seq.Stub
	}
	fn := &t.Types[op.Results[0]]
	return op.Shape == seq.Throw || len(fn.Params) == 2 && len(fn.Results) == 1 && op.Shape != seq.Less && op.Shape != seq.Compare
}
