package blame

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// An Ending is how the process that ran a step died, or why it was killed.
type Ending struct {
	Kind string // engine.KindFatal, KindExit, KindHang or KindMemory
	Code int    // the exit status, for KindExit
	// Text is the standard error of the process: the runtime's fatal error, or the
	// stack of the call that hangs.
	Text string
	// Goroutine is the number of the goroutine that ran the step, 0 if unknown. If it is
	// known, other goroutines in calls of the package do not matter.
	Goroutine uint64
	// Goexit says that only the goroutine of the step ended.
	Goexit bool
	Signal string // that ended the process, such as SIGKILL; empty if none did
}

// The classes of deaths.
const (
	exited        class = "exit"
	goexited      class = "goexit"
	blocked       class = engine.ClassBlocked
	busy          class = "busy"
	memory        class = "memory"
	stackOverflow class = engine.ClassOverflow
	mapRace       class = "map-race"
	unlocked      class = "unlock"
	fault         class = engine.ClassFault
)

// Death judges a step that its process did not survive. Facts without Args have
// the literals of the last step for them, those without Frames what the text shows.
func Death(f Facts, how Ending) engine.Verdict {
	if f.Args == nil {
		f.Args = literalArgs(f.Steps)
	}
	message, isPanic := fatalText(how.Text)
	if message == "" {
		message = how.Signal
	}
	g := stepGoroutine(f.Table, godump.Parse(how.Text), how.Goroutine)
	if isPanic && how.Kind == engine.KindFatal {
		// A panic in a goroutine that the package started: nobody can recover it.
		gs := godump.Parse(how.Text)
		if f.Frames == nil && len(gs) > 0 {
			f.Frames = gs[0].Frames()
		}
		f.Value = printedPanic(message)
		s := newScene(f)
		if len(gs) > 0 {
			s.starter = gs[0].Starter()
		}
		return panicIn(s, true)
	}
	if f.Frames == nil {
		f.Frames = untilAdapter(f.Table, g.Frames())
	}
	kind, c := classifyDeath(how, message, &g)
	if c == blocked && godump.RunsFor(godump.Parse(how.Text), g.ID) != nil {
		c = busy // it waits for its own goroutines, which are at work
	}
	s := newScene(f)
	s.class, s.text, s.state = c, message, g.State
	s.claim = s.claimOf(kind)
	v := engine.Verdict{Claim: s.claim, Kind: kind, Op: s.blamed(), Signature: s.deathCause(kind), Stack: stack(f.Table, f.Frames)}
	rules := deathRules(c)
	v.Settle(s.decide(rules))
	v.Applies = s.applying(rules)
	v.Message = OneLine(f.Table.Ops[v.Op].Short + " " + s.ended(how, message))
	return v
}

func literalArgs(steps seq.Sequence) []ArgFact {
	if len(steps) == 0 {
		return nil
	}
	var args []ArgFact
	for _, a := range steps[len(steps)-1].Args {
		fact := ArgFact{}
		if a.Lit != nil {
			fact = Describe(a.Lit.Value)
		}
		args = append(args, fact)
	}
	return args
}

// classifyDeath returns the kind and the class of a death in which g ran the step.
func classifyDeath(how Ending, message string, g *godump.Goroutine) (kind string, c class) {
	has := func(s string) bool { return strings.Contains(message, s) }
	switch {
	case how.Goexit:
		return engine.KindExit, goexited
	case how.Kind == engine.KindExit:
		return how.Kind, exited
	case how.Kind == engine.KindMemory, has("out of memory"), has("cannot allocate memory"):
		return engine.KindMemory, memory
	case has("all goroutines are asleep"), has("no goroutines (main called runtime.Goexit)"):
		return engine.KindHang, blocked
	case has("stack overflow"):
		// Though it may have been taken for a hang while it was dying.
		return engine.KindFatal, stackOverflow
	case has("concurrent map"):
		return engine.KindFatal, mapRace
	case has("sync: ") && has("nlock of unlocked"):
		return engine.KindFatal, unlocked
	case how.Kind == engine.KindHang && (g.State == "" || g.State == "syscall" || g.Runs()):
		// If the runtime could not print its stack, the goroutine runs on another thread.
		return how.Kind, busy
	case how.Kind == engine.KindHang:
		return how.Kind, blocked
	}
	return how.Kind, fault
}

func deathRules(c class) []rule {
	rules := fatalRules
	switch c {
	case exited, goexited:
		rules = exitRules
	case blocked:
		rules = blockedRules
	case busy:
		rules = busyRules
	case memory:
		rules = memoryRules
	case stackOverflow:
		rules = stackRules
	}
	return slices.Concat(deathCommonRules, rules)
}

// deathCause returns the signature of a death. The place where a loop was caught is
// chance, so the signature of a busy loop names the operation.
func (s *scene) deathCause(kind string) engine.Signature {
	where := s.Table.Ops[s.blamed()].Member
	switch {
	case s.class == busy || s.class == memory || s.class == exited || s.class == goexited || len(s.in) == 0:
	case s.class == stackOverflow:
		where = recursive(s.in)
	default:
		where = godump.Member(s.in[0].Func)
	}
	text := ""
	if s.class == blocked {
		text = s.waitsFor()
	} else if s.class == fault {
		text = normal(s.text)
	}
	return engine.Signature{Kind: kind, Class: string(s.class), Text: text, Where: where}
}

// waitsFor returns the name of what a blocked goroutine waits for. Readers and writers
// wait for one lock.
func (s *scene) waitsFor() string {
	switch s.state {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock":
		return "lock"
	}
	return s.state
}

// recursive returns the least name of those functions that occur more than once
// among the innermost frames: the same one wherever in the cycle the stack ended.
func recursive(in []Frame) string {
	count := map[string]int{}
	least := ""
	for i, f := range in {
		if i == 50 {
			break
		}
		fn := godump.Member(f.Func)
		if count[fn]++; count[fn] == 2 && (least == "" || fn < least) {
			least = fn
		}
	}
	if least == "" {
		least = godump.Member(in[0].Func)
	}
	return least
}

// ended says what happened, after the operation's name.
func (s *scene) ended(how Ending, message string) string {
	switch s.class {
	case exited:
		return "ends the process with status " + strconv.Itoa(how.Code)
	case goexited:
		return "ends the goroutine of its caller: runtime.Goexit"
	case blocked:
		return "does not return: it waits (" + s.state + ")"
	case busy:
		return "does not return: it runs on and on"
	case memory:
		return "takes more memory than the limit"
	}
	if message == "" {
		message = "unknown cause"
	}
	return "ends the process: " + message
}

func (s *scene) number(t seq.TypeID) bool {
	switch s.Table.Types[t].Literal {
	case seq.Int, seq.Uint, seq.Float:
		return true
	}
	return false
}

// big reports whether the cost of the call may follow from a number it was given. The
// number is an integer, which may be squared on the way, a finite float, or digits in
// a string. An infinite or NaN argument is no size. A number that another call
// returned, and nobody knows any more, may be any: a simple one would stand there as a
// literal. So may one that a function was given which made an object involved.
func (s *scene) big() bool {
	if s.sized(func(n int64) bool { return n > sizeable || n < -sizeable }) {
		return true
	}
	if slices.ContainsFunc(s.Args, func(a ArgFact) bool { return a.Len > huge || bigValue(a.Value) }) {
		return true
	}
	unknown := func(a seq.Arg) bool {
		return a.Lit == nil && int(a.Slot) >= len(s.Values) && s.number(s.hist.types[a.Slot])
	}
	return slices.ContainsFunc(s.lastArgs(), unknown) || s.hist.anyRelated(func(step int) bool {
		return slices.ContainsFunc(s.Steps[step].Args, func(a seq.Arg) bool {
			return a.Lit != nil && bigValue(a.Lit.Value) || s.hist.op(step).Kind == seq.Func && unknown(a)
		})
	})
}

// bigValue reports whether v is a large finite float, or text that holds a big number.
func bigValue(v any) bool {
	switch x := v.(type) {
	case float64:
		return math.Abs(x) > huge && !math.IsInf(x, 0)
	case string:
		return bigNumber(x)
	}
	return false
}

// bigNumber reports whether text holds seven digits in a row, or an exponent of
// four: "1e9999".
func bigNumber(text string) bool {
	run, exponent := 0, false
	for i := 0; i < len(text); i++ {
		if !digit(text[i]) {
			signed := (text[i] == '+' || text[i] == '-') && exponent && run == 0
			exponent = signed || text[i]|0x20 == 'e' && i > 0 && digit(text[i-1])
			run = 0
			continue
		}
		if run++; run >= 7 || exponent && run >= 4 {
			return true
		}
	}
	return false
}

// tookFunc reports whether an object involved took a func literal as a function: as a field, an
// option, or by a call that registers it.
func (s *scene) tookFunc() bool {
	return s.hist.anyRelated(func(step int) bool {
		return s.hist.anyGiven(step, func(j int, slot int32) bool {
			return s.hist.op(s.hist.from[slot]).Kind == seq.FuncLit && s.Table.Types[s.hist.op(step).Param(j)].Kind == seq.FuncType
		})
	})
}

// cyclic reports whether the sequence may have put an object into itself, at
// once or through others.
func (s *scene) cyclic() bool {
	if s.class == stackOverflow {
		return s.entangled()
	}
	h := holdings{s, map[int32][]int32{}}
	for i := range s.Steps {
		if s.givesTwice(i) || s.givesAgain(i) {
			return true
		}
		if r, ok := s.hist.Receiver(i); ok {
			h.ofMethod(i, r)
		} else {
			h.ofMaker(i)
		}
	}
	for n := range h.edges {
		if h.reaches(n, n, map[int32]bool{}) {
			return true
		}
	}
	return s.feedsItself()
}

// givesTwice reports whether step i calls a function of the package with one of its objects
// twice, or with one and another made of it: AddChild(n, n), Join(r, Limit(r)).
func (s *scene) givesTwice(i int) bool {
	op := s.hist.op(i)
	if op.Kind != seq.Func || !op.API {
		return false
	}
	args := s.Steps[i].Args
	for j, a := range args {
		if !s.ownObject(op, j, a) {
			continue
		}
		of := s.hist.Ancestors(a.Slot)
		for k, b := range args {
			if k != j && b.Lit == nil && (b.Slot == a.Slot || of[b.Slot] && s.ownObject(op, k, b)) {
				return true
			}
		}
	}
	return false
}

// givesAgain reports whether step i gives an object one of its own type that the same
// call was given before: n.AddChild(m) twice. The links from m then lead in a circle.
func (s *scene) givesAgain(i int) bool {
	st, op := &s.Steps[i], s.hist.op(i)
	if op.Kind != seq.Method || !op.API || !slices.ContainsFunc(st.Args[1:], func(a seq.Arg) bool {
		return a.Lit == nil && st.Args[0].Lit == nil && s.hist.types[a.Slot] == s.hist.types[st.Args[0].Slot] && s.ownObject(op, 0, a)
	}) {
		return false
	}
	return slices.ContainsFunc(s.Steps[:i], func(before seq.Step) bool { return before.Op == st.Op && slices.Equal(before.Args, st.Args) })
}

// ownObject reports whether argument a, the j-th of op, is an object of the package under test: by
// pointer, or as an interface that the package declares.
func (s *scene) ownObject(op *seq.Operation, j int, a seq.Arg) bool {
	ty := &s.Table.Types[op.Param(j)]
	return a.Lit == nil && (ty.IsPointer() || ty.Interface) && ty.Path == s.Table.Package
}

// entangled reports whether a step took two objects that earlier steps had connected, or
// one twice: any of its arguments may hold the other since. A stack seldom overflows for
// another reason. A function that holds no object connects none.
func (s *scene) entangled() bool {
	h := &History{t: s.Table, s: s.Steps, facts: s.hist.facts, types: s.hist.types, first: s.hist.first, from: s.hist.from}
	for n := range h.types {
		h.group = append(h.group, int32(n))
	}
	for i := range s.Steps {
		last, twice, met := int32(-1), false, map[int32]bool{}
		h.objects(i, func(n int32) {
			made := h.from[n]
			if h.op(made).Kind == seq.FuncLit && len(s.Steps[made].Args) == 0 || h.pristine(n, i) && i == len(s.Steps)-1 {
				return
			}
			twice = twice || made != i && met[h.find(n)]
			met[h.find(n)] = true
			if last >= 0 {
				h.group[h.find(last)] = h.find(n)
			}
			last = n
		})
		if twice {
			return true
		}
	}
	return false
}

// pristine reports whether the value in slot n is one of foray's own, made of literals. No step
// before step i was given it, so it is in no object, and holds none.
func (h *History) pristine(n int32, i int) bool {
	made := &h.s[h.from[n]]
	return h.t.Ops[made.Op].Kind == seq.Standard && !slices.ContainsFunc(made.Args, func(a seq.Arg) bool { return a.Lit == nil }) &&
		!slices.ContainsFunc(h.s[:i], func(st seq.Step) bool { return st.Takes(n) })
}

// holdings are the objects that an object of a scene may hold, by slot.
type holdings struct {
	*scene
	edges map[int32][]int32
}

func (h holdings) add(holder int32, args []seq.Arg) {
	for _, a := range args {
		if a.Lit == nil && int(a.Slot) < len(h.hist.types) && !basic(h.Table, h.hist.types[a.Slot]) {
			h.edges[holder] = append(h.edges[holder], h.hist.converted(a.Slot))
		}
	}
}

// ofMethod adds what step i makes its receiver r hold, and an argument that others follow:
// Append(parent, child). The value of a field is held.
func (h holdings) ofMethod(i int, r int32) {
	op, args := h.hist.op(i), h.Steps[i].Args
	for _, holder := range h.aliases(r) {
		h.add(holder, args[1:])
	}
	for j, a := range args[1:] {
		if a.Lit == nil && !basic(h.Table, h.hist.types[a.Slot]) {
			h.add(h.hist.converted(a.Slot), args[j+2:])
		}
	}
	if slot := h.hist.first[i]; op.Kind == seq.FieldGet && !basic(h.Table, op.Results[0]) {
		h.add(h.hist.converted(r), []seq.Arg{seq.Slot(slot)})
	}
}

// ofMaker adds that the results of step i, which has no receiver, may hold its arguments:
// a reader is made of a reader, and holds it.
func (h holdings) ofMaker(i int) {
	if h.hist.op(i).Kind == seq.Convert { // it is the same
		return
	}
	for j := range h.hist.op(i).Results {
		if slot := h.hist.first[i] + j; slot < len(h.hist.types) && !basic(h.Table, h.hist.types[slot]) {
			h.add(h.hist.converted(int32(slot)), h.Steps[i].Args)
		}
	}
}

// reaches reports whether to is held by from, at once or through objects not seen.
func (h holdings) reaches(from, to int32, seen map[int32]bool) bool {
	for _, n := range h.edges[from] {
		if n == to {
			return true
		}
		if !seen[n] {
			seen[n] = true
			if h.reaches(n, to, seen) {
				return true
			}
		}
	}
	return false
}

// aliases returns the slots that may hold the same object as slot n, with n itself. A value
// read from a field may be the object of another slot of its type.
func (s *scene) aliases(n int32) []int32 {
	list := []int32{s.hist.converted(n)}
	if s.hist.op(s.hist.from[n]).Kind != seq.FieldGet {
		return list
	}
	for m := range s.hist.Ancestors(n) {
		if s.hist.types[m] == s.hist.types[n] {
			list = append(list, s.hist.converted(m))
		}
	}
	return list
}

// feedsItself reports whether the last step gives its receiver what that was made of:
// a writer is to read what it writes.
func (s *scene) feedsItself() bool {
	recv, ok := s.receiverSlot()
	if !ok {
		return false
	}
	of := s.hist.Ancestors(recv)
	return slices.ContainsFunc(s.lastArgs()[1:], func(a seq.Arg) bool { return a.Lit == nil && of[a.Slot] })
}
