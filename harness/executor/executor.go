package executor

import (
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/blame"
	"foray.test/harness/contract"
	"foray.test/harness/digest"
)

// An Executor runs sequences over the adapters of one table. It implements
// [engine.Executor]; the inner loop allocates nothing of its own.
//
// An Executor belongs to one goroutine. If a call does not return, that goroutine is
// abandoned together with its Executor, and a [Executor.Successor] goes on. The two
// share learned, which only the goroutine that has the ownership touches. Everything
// that a call may still write when it returns late is in run.
type Executor struct {
	*learned
	run
	judge     *judge
	model     *model     // nil unless a test has one
	marker    *marker    // nil unless two versions are compared: then no contract is held
	recording *recording // nil until a sequence is recorded
}

// learned outlives runs: the operations, and the facts about them that the runs so far
// have shown.
type learned struct {
	table    *seq.Table
	bindings Bindings
	past     bool // go on after panics for which the caller is to blame
	ops      []opInfo
	rules    *rules
	journal  *journal
	around   *aroundCounter // nil unless the runtime of the worker uses the package under test
	tracer   *tracer        // nil unless this is an analysis build
	digester *digest.Digester
	shapes   *digest.Digester // nil until a shape is asked for
	throttle throttle
	strays
	leaked    blame.Leaks
	variables variables

	fit         int           // how long a result may be and be an argument
	began       int           // sequences
	handles     uint32        // handles made so far
	judgingTime time.Duration // time that contracts have taken
}

// A run is the state of the sequence under way, with the buffers that it fills. Its
// zero value is ready for [Executor.Own] and [Executor.Begin].
type run struct {
	owner   *Ownership
	vals    []any        // by slot: its value
	types   []seq.TypeID // by slot, up to the capacity of vals
	state   []slotState  // by slot, up to the capacity of vals
	dirty   []int32      // slots to digest when next asked
	digests []engine.SlotDigest
	in      [engine.MaxStepArgs]any
	stateBuffers

	opts engine.RunOptions
	baseline
	step    int32 // the step that runs
	tainted bool  // some value of the sequence may have a blame.Taint
	absence

	panicked panicRecord
	ran      pastRun
	refused  refusal
	hits     []byte // copy of the counters while contracts run
	asking   []byte // … while it is asked whether a call is allowed
}

// A baseline tells what the process had when a sequence began.
type baseline struct {
	allocated  uint64 // bytes so far
	goroutines int
}

// absence says that the call which was to make a value failed by a panic of foray's own.
type absence struct {
	voids bool // some slots hold nothing
	void  bool // … and a step took one
}

// opInfo holds the facts about an operation that the inner loop needs, in one place.
type opInfo struct {
	adapter Adapter
	results int
	types   []seq.TypeID // of the results
	// errorResult says that the last result is an error.
	errorResult bool
	params      []paramInfo
	digests     []digesting // by result
	sized       []bool      // by result: it has a length
	// taints says that values such an operation had to do with may be broken by
	// the caller; see blame.Tainter.
	taints bool
	// requires lists the requirements of calls that the tests of the package state.
	requires []requirement
}

// digesting says how often the values of a result are digested.
type digesting uint8

const (
	digestNever  digesting = iota // a bool or float says nothing by itself
	digestNumber                  // nor does an integer, which may be too large to take
	digestAlways
	digestSample // a handle: see findHandles
)

// paramInfo holds the facts about one parameter that runs have shown.
type paramInfo struct {
	mutable bool // a call could change values that the argument reaches
	nilable bool // nil there may be the caller's mistake
	changes bool // one was seen to
	pure    uint16
}

// slotState holds the known facts about a slot's value.
type slotState struct {
	hash   uint64
	known  bool // hash is of some earlier time
	queued bool // in dirty
	// toucher is the only parameter the value went through since it was last
	// digested; nil if none or several.
	toucher *paramInfo
	step    int32 // that made the value or may have changed it last
	touches uint8
	digests bool
	void    bool // the call that was to make it gave nothing
	judged  bool // the contracts were held against it in this sequence
}

const (
	maxSlots = 1 << 14
	fewSlots = 1 << 9 // to begin with: each goroutine that is given up keeps its own
)

// Options say how an executor runs sequences; the zero value is the usual.
type Options struct {
	Past   bool // go on behind panics for which the caller is to blame
	Around bool // the runtime of the worker uses the package under test

	Conditions int // of an analysis build: their number
	// Alike has every run go as the first would: every panic is judged, however many came
	// from its place, and values may be long from the first run on.
	Alike bool
}

// New returns an executor of the operations of t, with its journal in s.
func New(t *seq.Table, b Bindings, s *wire.Shared, o Options) *Executor {
	l := &learned{
		table: t, bindings: b, past: o.Past, ops: make([]opInfo, len(t.Ops)), journal: newJournal(s),
		rules:    newRules(t, append(contract.Bind(t), b.Contracts...), contract.Laws),
		digester: digest.New(digest.Limits{MaxNodes: maxNodes}),
		throttle: throttle{late: new(atomic.Bool)},
	}
	handle := findHandles(t, b.Types)
	for i := range t.Ops {
		l.ops[i] = l.opInfo(seq.OpID(i), handle)
	}
	l.rules.every = o.Alike
	if o.Alike {
		l.fit = fitLen
	}
	if o.Around {
		l.around = newAroundCounter()
	}
	if probe.Analysis {
		l.tracer = newTracer(o.Conditions)
	}
	x := l.executor()
	x.owner = newOwnership(func([]byte) {})
	return x
}

// executor returns an executor that has learned l and has run nothing.
func (l *learned) executor() *Executor {
	x := &Executor{learned: l}
	x.judge = &judge{rules: l.rules, x: x}
	if l.bindings.Model != nil {
		x.model = newModel(l.table, l.bindings)
	}
	return x
}

// Successor returns an executor for another goroutine to go on with, which has learned
// all that x has. The call that x still runs can touch nothing of it.
func (x *Executor) Successor() *Executor {
	if x.tracer != nil {
		x.tracer.leave()
	}
	x.rules.switchOff(x.journal.oracle)
	x.throttle.end()
	x.journal.idle()
	next := x.learned.executor()
	if x.marker != nil && !x.marker.full {
		next.CompareRuns(x.marker.ended)
	}
	return next
}

func (x *learned) opInfo(id seq.OpID, handle []bool) opInfo {
	op := &x.table.Ops[id]
	info := opInfo{
		adapter: x.bindings.Ops[id], results: len(op.Results), types: op.Results, errorResult: op.ReturnsError,
		params: make([]paramInfo, len(op.Params)), digests: make([]digesting, len(op.Results)), sized: make([]bool, len(op.Results)),
		taints: op.Zero || op.Kind == seq.FieldSet || op.Kind == seq.VarSet || op.Kind == seq.Composite || blame.Ends(op) || blame.Decodes(x.table, op),
	}
	info.taints = info.taints || slices.ContainsFunc(op.Results, func(id seq.TypeID) bool { return blame.KeepsError(x.bindings.Types[id]) >= 0 })
	if op.Kind == seq.VarSet {
		info.adapter = x.setter(id)
	}
	for _, check := range op.Requires {
		if a := x.bindings.Ops[check]; a != nil { // it compiles
			info.requires = append(info.requires, requirement{check, a})
		}
	}
	for i, p := range op.Params {
		ty := &x.table.Types[p]
		info.params[i].mutable = ty.Literal == seq.NoLiteral && x.mutable(p)
		info.params[i].nilable = ty.Literal == seq.NoLiteral
	}
	for i, r := range op.Results {
		lit := x.table.Types[r].Literal
		info.sized[i] = sized(x.bindings.Types[r])
		switch {
		case handle[r]:
			info.digests[i] = digestSample
		case lit == seq.NoLiteral || lit == seq.String:
			info.digests[i] = digestAlways
		case lit == seq.Int || lit == seq.Uint:
			info.digests[i] = digestNumber
		}
	}
	return info
}

// mutable reports whether a value of type id can change in place. Types without
// a run-time type at hand are taken to.
func (x *learned) mutable(id seq.TypeID) bool {
	rt := x.bindings.Types[id]
	return rt == nil || rt.Kind() == reflect.Interface || digest.Mutable(rt)
}

// Begin implements [engine.Executor].
func (x *Executor) Begin(o engine.RunOptions) engine.Run {
	x.opts, x.judge.want = o, o.Want
	if o.Untimed {
		x.throttle.leaveOut()
	} else {
		x.throttle.begin()
	}
	if x.fit < fitLen {
		x.fit = firstFit + x.began/growOneIn
	}
	x.began++
	x.goroutines = runtime.NumGoroutine()
	if o.Meter {
		x.allocated = x.allocatedBytes()
	}
	x.variables.putBack() // the run before may have been given up
	clear(x.vals)
	clear(x.state[:len(x.vals)])
	x.vals = x.vals[:0]
	x.dirty = x.dirty[:0]
	x.panicked.set, x.tainted, x.step = false, false, -1
	x.voids, x.void, x.refused.set, x.spun = false, false, false, false
	x.ran.reset()
	if x.marker != nil {
		x.marker.begin()
	}
	x.journal.reset()
	if x.tracer != nil {
		x.tracer.begin(o)
	}
	if x.around != nil {
		x.around.reset()
	} else {
		clear(probe.Hits[:])
	}
	return x
}

// Append implements [engine.Run].
func (x *Executor) Append(st seq.Step) engine.StepOutcome {
	before := len(x.journal.buf)
	x.journal.append(st)
	x.refused.set = false
	op := &x.ops[st.Op]
	base := len(x.vals)
	if base+op.results > cap(x.vals) || len(st.Args) > engine.MaxStepArgs {
		x.grow(op.results, len(st.Args))
	}
	x.step++
	if len(op.requires) > 0 && !x.allowed(op, st) {
		return x.refuse(before)
	}
	in := x.take(op, st.Args)
	if x.void {
		return engine.StepOutcome{Status: engine.Broken}
	}
	x.vals = x.vals[:base+op.results]
	out := x.vals[base:]
	if x.around != nil || x.tracer != nil {
		x.enter()
	}
	var ok bool
	var took time.Duration
	if x.opts.Untimed || !x.throttle.timed() {
		ok = x.call(op.adapter, in, out)
	} else {
		ok, took = x.timedCall(op.adapter, in, out)
	}
	x.giveWay()
	if x.around != nil || x.tracer != nil {
		x.leave()
	}
	var res engine.StepOutcome
	if ok && !x.outOfFuel() {
		res = x.made(op, base)
	} else {
		res = x.unfinished(st, base)
	}
	if x.past && res.Status != engine.Broken {
		x.ran.steps = append(x.ran.steps, st)
	}
	res.Cost = max(res.Cost, cost(took), x.costOfSpin())
	if x.marker != nil {
		x.marker.step(op, res.Status, in, out)
		x.owner.keep()
	}
	return res
}

// enter has the counters and the tracer see the call that follows.
func (x *Executor) enter() {
	if x.around != nil {
		x.around.begin()
	}
	if x.tracer != nil {
		x.tracer.enter()
	}
}

// leave has them see no more.
func (x *Executor) leave() {
	if x.tracer != nil {
		x.tracer.leave()
	}
	if x.around != nil {
		x.around.end()
	}
}

// unfinished returns the outcome of a step that panicked or ran out of fuel. base is its
// first slot.
func (x *Executor) unfinished(st seq.Step, base int) engine.StepOutcome {
	switch {
	case x.outOfFuel():
		x.panicked.set = false // the verdict is out of fuel, not the panic
	case x.panicked.thrown():
		x.panicked.set = false
		x.avoid(base)
		return engine.StepOutcome{Status: engine.Failed, Unfit: allUnfit}
	case x.past && x.goesOn(st, base):
		return engine.StepOutcome{Status: engine.Failed, Unfit: allUnfit}
	}
	return engine.StepOutcome{Status: engine.Broken}
}

// allUnfit says of all results that they are no arguments.
const allUnfit = ^uint32(0)

// avoid notes that the slots from base on hold nothing: the call that was to make them
// panicked.
func (x *Executor) avoid(base int) {
	x.voids = true
	for i := base; i < len(x.vals); i++ {
		x.state[i].void = true
	}
}

// grow makes room for more slots. It panics if a sequence is longer than any that the
// engine composes, or a step has more arguments.
func (x *Executor) grow(results, args int) {
	n := max(2*cap(x.vals), fewSlots)
	if n < len(x.vals)+results || n > maxSlots || args > engine.MaxStepArgs {
		panic("executor: sequence too long")
	}
	x.vals = append(make([]any, 0, n), x.vals...)
	x.types = append(make([]seq.TypeID, 0, n), x.types...)[:n]
	x.state = append(make([]slotState, 0, n), x.state...)[:n]
}

// outOfFuel reports whether the run has used up its fuel.
func (x *Executor) outOfFuel() bool { return x.tracer != nil && x.tracer.out.Load() }

// take gathers the arguments of a step and notes the values that the call may change.
func (x *Executor) take(op *opInfo, args []seq.Arg) []any {
	in := x.in[:len(args)]
	tainted := x.tainted || op.taints
	for i := range args {
		a := &args[i]
		p := &op.params[min(i, len(op.params)-1)]
		var v any
		if a.Lit != nil {
			v = a.Lit.Boxed
		} else {
			v = x.vals[a.Slot]
			x.void = x.void || x.voids && x.state[a.Slot].void
			if p.mutable {
				x.touch(a.Slot, p)
			}
		}
		in[i] = v
		tainted = tainted || p.nilable && isNil(v)
	}
	x.tainted = tainted
	return in
}

// made takes in the results of a step, which are in the slots from base on.
func (x *Executor) made(op *opInfo, base int) engine.StepOutcome {
	var nils, huge, cost uint32
	for i := range op.results {
		slot := base + i
		x.types[slot] = op.types[i]
		if op.sized[i] {
			long, extra := tooLong(reflect.ValueOf(x.vals[slot]).Len(), x.fit)
			if long {
				huge |= 1 << i
			}
			cost = max(cost, extra)
		}
		if isNil(x.vals[slot]) {
			nils |= 1 << i
		} else if d := op.digests[i]; d == digestAlways || d == digestSample && x.sampleHandle() {
			x.state[slot].digests, x.state[slot].step = true, x.step
			x.queue(int32(slot))
		} else if d == digestNumber && isHuge(x.vals[slot]) {
			huge |= 1 << i
		}
	}
	if op.errorResult {
		last := op.results - 1
		// A typed nil is an error to Go, though it is not one to look at.
		x.tainted = x.tainted || x.vals[base+last] != nil
		if nils>>last&1 == 0 {
			return engine.StepOutcome{Status: engine.Failed, Unfit: nils | huge, Cost: cost}
		}
	}
	return engine.StepOutcome{Unfit: nils | huge, Cost: cost}
}

// sized reports whether values of a type may be long: rt is nil for those without
// a run-time type at hand.
func sized(rt reflect.Type) bool {
	if rt == nil {
		return false
	}
	switch rt.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return true
	}
	return false
}

// tooLong reports whether a result of length n is no argument to try, where fit is the
// most that one may have. It also returns the cost of making the result, in panics.
func tooLong(n, fit int) (long bool, cost uint32) {
	if n > costlyLen {
		return true, costly
	}
	return n > fit, 0
}

// isHuge reports whether v is an integer that a call could take for a size, at a cost.
func isHuge(v any) bool {
	const most = engine.HugeInt
	switch v := v.(type) {
	case int:
		return v > most || v < -most
	case uint:
		return v > most
	case int64:
		return v > most || v < -most
	case uint64:
		return v > most
	case int32:
		return v > most || v < -most
	case uint32:
		return v > most
	}
	return false
}

// sampleHandle reports whether the handle that was just made is to be digested.
func (x *Executor) sampleHandle() bool {
	x.handles++
	return x.handles%handleOneIn == 0
}

// isNil reports whether v is nil or holds a nil pointer, map, channel or
// function: just then is the data word of an interface value nil.
func isNil(v any) bool {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] == nil
}

// touch notes that a call may have changed the value of slot.
func (x *Executor) touch(slot int32, p *paramInfo) {
	s := &x.state[slot]
	if !s.digests {
		return
	}
	if !p.changes && p.pure >= pureRuns {
		if p.pure++; p.pure < pureRuns+recheckOneIn {
			return
		}
		p.pure = pureRuns
	}
	s.toucher, s.step = p, x.step
	if s.touches < 2 {
		s.touches++
	}
	x.queue(slot)
}

func (x *Executor) queue(slot int32) {
	if s := &x.state[slot]; !s.queued {
		s.queued = true
		x.dirty = append(x.dirty, slot)
	}
}

// Digests implements [engine.Run].
func (x *Executor) Digests() []engine.SlotDigest {
	x.digests = x.digests[:0]
	for _, slot := range x.dirty {
		s := &x.state[slot]
		d := engine.SlotDigest{Slot: slot, Step: s.step}
		if same := x.digestOf(x.vals[slot]); same != nil {
			d.Hash, d.Large = same.Hash, same.Large
		} else {
			sum := x.digester.Sum(x.vals[slot])
			d.Hash, d.Large = sum.Hash, sum.Truncated
		}
		changed := !s.known || s.hash != d.Hash
		if s.known && s.touches == 1 {
			if changed {
				s.toucher.changes = true
			} else if s.toucher.pure < pureRuns {
				s.toucher.pure++
			}
		}
		s.hash, s.known, s.queued, s.touches = d.Hash, true, false, 0
		d.Changed = changed
		x.digests = append(x.digests, d)
	}
	x.dirty = x.dirty[:0]
	return x.digests
}

// digestOf returns the digest of v that the call of Digests under way has already, if some
// slot before holds the very same value. Methods that return their receiver fill slots
// with it: in container/ring they are four digests of five.
func (x *Executor) digestOf(v any) *engine.SlotDigest {
	for i := len(x.digests) - 1; i >= max(0, len(x.digests)-shared); i-- {
		if d := &x.digests[i]; sameWords(v, x.vals[d.Slot]) {
			return d
		}
	}
	return nil
}

// call runs one adapter and recovers its panic. It returns only if the goroutine
// still has the ownership.
func (x *Executor) call(f Adapter, in, out []any) (ok bool) {
	*x.journal.steps++
	x.owner.enter()
	defer func() {
		if !ok {
			x.panicked.take(recover())
			x.owner.keep()
			if x.panicked.goexit {
				x.owner.goexit()
			}
		}
	}()
	f(in, out)
	ok = true
	x.owner.keep()
	return ok
}

// aside runs f, which may call methods of the code under test that are no steps. The sides
// that they take are not the sequence's. It returns only if the goroutine still has the ownership.
func (x *Executor) aside(f func()) {
	if x.around == nil {
		x.asking = append(x.asking[:0], probe.Hits[:]...)
	}
	x.owner.enter()
	f()
	x.owner.keep()
	if x.around == nil {
		copy(probe.Hits[:], x.asking)
	}
}

// ForEngine returns x as the engine is to see it: in an analysis build it is an
// [engine.Tracer] as well.
func (x *Executor) ForEngine() engine.Executor {
	if x.tracer != nil {
		return analyst{x, x.tracer}
	}
	return x
}

// Late returns the flag to set when the sequence under way has taken long.
func (x *Executor) Late() *atomic.Bool { return x.throttle.late }

// Box implements [engine.Executor].
func (x *Executor) Box(l *seq.Literal) { l.Boxed = box(x.bindings.Types[l.Type], l.Value) }

// box converts a literal's value to its run-time type.
func box(rt reflect.Type, v any) any {
	if rt == nil {
		return nil
	}
	if v == nil {
		if rt.Kind() == reflect.Interface {
			return nil
		}
		return reflect.Zero(rt).Interface()
	}
	return reflect.ValueOf(v).Convert(rt).Interface()
}

// Taken returns the branch sides that the sequence took, as End does.
func (x *Executor) Taken() []byte {
	if x.around != nil {
		return x.around.seen
	}
	return probe.Hits[:]
}

// End implements [engine.Run]. It defers nothing: a call that ends its
// goroutine, or comes back too late, must not touch the journal any more.
func (x *Executor) End(s seq.Sequence, fresh []int32) engine.Outcome {
	out := x.end(s, fresh)
	if x.past {
		x.ran.tell(&out)
	}
	return out
}

func (x *Executor) end(s seq.Sequence, fresh []int32) engine.Outcome {
	out := engine.Outcome{Hits: x.Taken(), Left: max(runtime.NumGoroutine()-x.goroutines, 0)}
	if x.bindings.Rank != nil {
		out.Rank = *x.bindings.Rank
	}
	x.throttle.end()
	x.lookForSpin(x.began%spinEvery == 0)
	out.Spins = x.spun && out.Left > 0
	if x.opts.Meter {
		out.Allocated = x.allocatedBytes() - x.allocated
	}
	if x.tracer != nil {
		out.Spent, out.OutOfFuel = x.tracer.spent(), x.outOfFuel()
	}
	switch {
	case out.OutOfFuel:
	case x.marker != nil:
		x.marker.end(s)
		if x.panicked.set || x.refusedLast(s) {
			out.Verdict = &engine.Verdict{Kind: engine.KindPanic, Op: s[len(s)-1].Op}
		}
	case x.refusedLast(s):
		out.Verdict = x.judge.refused(s, everySlot(fresh, s.Slots(x.table))) // the step has slots, and no values
	case x.void:
		v := &engine.Verdict{Kind: engine.KindPanic, Op: s[len(s)-1].Op, Signature: engine.Signature{Where: "no argument"}}
		out.Verdict = v.Settle(engine.Ruling{Rule: "no argument", Reason: "an argument is the result of a call that panicked"}, engine.Ruling{})
	case x.panicked.set:
		out.Verdict = x.judge.panicked(s, everySlot(fresh, s.Slots(x.table)))
		if m := x.model; m != nil {
			x.aside(func() { out.Verdict = m.judge(x, s, out.Verdict) })
		}
	default:
		x.hold(&out, s, fresh)
	}
	x.owner.keep() // methods of values were called that are no steps
	x.variables.putBack()
	x.giveWay()
	x.journal.idle()
	return out
}

// hold sets the verdict of a run that returned normally: that of the model, the contracts
// or the laws, the first that objects.
func (x *Executor) hold(out *engine.Outcome, s seq.Sequence, fresh []int32) {
	full := everySlot(fresh, len(x.vals))
	if m := x.model; m != nil {
		x.hits = append(x.hits[:0], out.Hits...)
		out.Hits = x.hits
		x.journal.judging(engine.AnyOracle)
		if out.Verdict = m.judge(x, s, nil); out.Verdict != nil {
			return
		}
	}
	old := int32(-1)
	if !full {
		old = x.judge.oldPair(x.types[:len(x.vals)])
	}
	contracts, laws := old >= 0 || len(fresh) > 0 && x.judge.applies(x.types, fresh), x.judge.lawful(s, full)
	if contracts || laws {
		// Contracts call instrumented code: the sides they take are not the sequence's.
		began, owed := time.Now(), x.judge.debt
		x.hits = append(x.hits[:0], out.Hits...)
		out.Hits = x.hits
		x.journal.judging(engine.AnyOracle)
		if contracts {
			out.Verdict = x.judge.hold(s, x.types[:len(x.vals)], fresh, old)
		}
		if laws && out.Verdict == nil {
			out.Verdict, out.Shows = x.judge.guarded(s, full)
		}
		x.owner.keep()
		if x.outOfFuel() { // that a contract takes long says nothing yet, and the run itself has ended
			x.tracer.out.Store(false)
			out.Verdict = nil
		}
		x.judgingTime += time.Since(began)
		x.judge.pay(s, full, owed)
	} else if !full {
		x.judge.pay(s, full, 0)
	}
}

// Ban has contracts make no calls of an operation: it ended processes.
func (x *Executor) Ban(op seq.OpID) { x.judge.ban(op) }

// SwitchOff has an oracle be held no more: a call of its own did not return.
func (x *Executor) SwitchOff(id engine.OracleID) { x.rules.switchOff(id) }

// Search says that sequences are composed from now on: a law that is told only where the package
// keeps it is not told before that is known.
func (x *Executor) Search() {
	x.rules.searching, x.alone = true, runtime.NumGoroutine()
	x.rules.findLaws()
}

// Faults returns the panics of laws, as lines, since the last call.
func (x *Executor) Faults() []string {
	list := x.judge.faults
	x.judge.faults = nil
	return list
}

// JudgeEveryPanic has every panic judged from now on, however many came from its place.
func (x *Executor) JudgeEveryPanic() { x.rules.every = true }

// JudgingTime returns the time that contracts took so far.
func (x *Executor) JudgingTime() time.Duration { return x.judgingTime }
