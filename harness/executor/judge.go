package executor

import (
	"slices"
	"unsafe"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract"
)

// A judge turns outcomes of runs into verdicts: panics by the rules of harness/blame,
// and contracts held against new values. Like its executor, it separates the state that
// outlives runs from the state of one run.
type judge struct {
	*rules
	trial
	x *Executor
}

// rules are the contracts and laws of a table, with their state so far.
type rules struct {
	table  *seq.Table
	byType [][]*boundContract
	lawIndex
	oracles   []func() // switch off contracts and laws
	unfit     []bool   // by operation: laws are not held in sequences with it
	pairs     []bool   // by type: some contract is of several values
	banned    []bool   // by operation: it is not to be called
	toldOf    []bool   // by operation: that it, of kind Check, panics
	every     bool     // every panic is judged, however many came from its place
	searching bool     // sequences are composed
	sites     map[uint64]*panicSite
	clean     []blame.Taint   // zeros
	sound     map[uint64]bool // see soundKey
	keepings  map[*contract.Law]*keeping
	faults    []string // laws that panicked by themselves, to be reported

	account
}

// account counts what contracts and laws have cost.
type account struct {
	ends    uint64 // sequences
	runs    uint64 // sequences with values to hold contracts against
	pairsIn int    // sequences until the next in which old values are looked at
	lawRuns int    // laws that were held
	debt    int    // calls that contracts and laws have made beyond their part
}

// A trial is the contract that is being held, with the arguments and results of its calls.
type trial struct {
	want     engine.Signature // of the only contract to hold, if any
	counting bool             // it is held against a composed sequence: its contexts count
	unkept   *keeping         // of the law that was held last, if it has one
	plain    engine.Plainness // … and how plain the context was in which it broke
	kept     kept             // a context to try more like
	slots    []int32          // that the contract is held against
	values   [3]any           // … what they hold
	args     [4]seq.Arg       // of the call that it makes
	in       [engine.MaxStepArgs]any
	out      [16]any // results of its calls
	tainter  blame.Tainter
	next     seq.Step // the next call, if the contract has named it
	called   seq.Step // the call that panicked
	broke    bool     // a call of the contract panicked
	denied   bool     // the contract called a banned operation
	doubtful bool     // the call of some contract panicked, which may be the caller's fault
}

// boundContract is a contract with its state in this process.
type boundContract struct {
	contract.Contract
	id        engine.OracleID
	signature engine.Signature
	oneIn     uint64   // sequences to one in which it is held
	off       bool     // it changed its arguments
	told      bool     // it failed before
	keeping   *keeping // of one by name
	broken    bool     // it panicked by itself: it is held again only to show that
	held      int      // how often
	harmless  int      // … and so often it was seen not to
}

// done reports whether the contract was told and has nothing to tell that is more sure.
func (c *boundContract) done() bool { return c.told && (c.keeping == nil || c.keeping.decided()) }

// watched reports whether the digest is to be taken around the next run.
func (c *boundContract) watched() bool {
	if c.harmless < harmlessRuns {
		return true
	}
	if c.harmless++; c.harmless < harmlessRuns+recheckOneIn {
		return false
	}
	c.harmless = harmlessRuns
	return true
}

// newRules returns the rules of t. The laws are those of find, which may be nil.
func newRules(t *seq.Table, list []contract.Contract, find func(*seq.Table) []contract.Law) *rules {
	j := &rules{
		table: t, lawIndex: lawIndex{find: find},
		byType: make([][]*boundContract, len(t.Types)), pairs: make([]bool, len(t.Types)), sites: map[uint64]*panicSite{}, sound: map[uint64]bool{}, keepings: map[*contract.Law]*keeping{},
		unfit: make([]bool, len(t.Ops)), banned: make([]bool, len(t.Ops)), toldOf: make([]bool, len(t.Ops)),
	}
	for i := range j.unfit {
		j.unfit[i] = contract.Unfit(t, &t.Ops[i])
	}
	for _, c := range list {
		b := &boundContract{Contract: c, signature: c.Signature(t), oneIn: 1}
		if c.Claim == engine.ClaimName {
			b.keeping = newKeeping(c.Doc, documentation(t, c.Cites...))
		}
		b.id = j.oracle(func() { b.off = true })
		j.pairs[c.Type] = j.pairs[c.Type] || c.Arity > 1
		if c.Cost == contract.Linear {
			b.oneIn = sampleLinear
		}
		j.byType[c.Type] = append(j.byType[c.Type], b)
	}
	return j
}

// oracle names a contract or law that off switches off.
func (j *rules) oracle(off func()) engine.OracleID {
	j.oracles = append(j.oracles, off)
	return engine.OracleID(len(j.oracles))
}

// switchOff has an oracle be held no more.
func (j *rules) switchOff(id engine.OracleID) {
	n := int(id) - 1
	if id.Known() && n >= len(j.oracles) {
		j.findLaws()
	}
	if id.Known() && n < len(j.oracles) {
		j.oracles[n]()
	}
}

// panicked judges the panic that broke the last step of s. With full, every rule looks.
func (j *judge) panicked(s seq.Sequence, full bool) *engine.Verdict {
	st := s[len(s)-1]
	if j.x.bindings.Target {
		return j.targetFailed(s)
	}
	site := j.site(st.Op)
	if site.skip() && !j.every {
		return (&engine.Verdict{Claim: engine.ClaimCrash, Kind: engine.KindPanic, Op: st.Op}).Settle(site.last, engine.Ruling{})
	}
	f := blame.Facts{
		Table: j.x.table, Op: st.Op, Value: j.x.panicked.value, Frames: site.framesOf(&j.x.panicked),
		Steps: s, Values: j.x.vals, All: full || j.every,
	}
	for i := range st.Args {
		f.Args = append(f.Args, blame.Describe(j.x.in[i]))
	}
	var v engine.Verdict
	j.x.aside(func() { v = blame.Panic(f) }) // it asks the value of the panic for its text
	site.judged(&v)
	return &v
}

// targetFailed judges the failure of a fuzz function: if it fails or panics on any input,
// its package is wrong.
func (j *judge) targetFailed(s seq.Sequence) *engine.Verdict {
	op := s[len(s)-1].Op
	if f := j.x.panicked.failed; f != nil {
		v := blame.Fail(j.x.table, op, f.Output)
		return &v
	}
	v := blame.Panic(blame.Facts{
		Table: j.x.table, Op: op, Value: j.x.panicked.value, Frames: j.x.panicked.frames(), Steps: s, Values: j.x.vals,
	})
	v.Claim = engine.ClaimOwn
	return v.Settle(engine.Ruling{Tier: engine.Error, Rule: "fuzz function"}, engine.Ruling{})
}

// A panicSite is a place in the code under test where calls of one operation
// panic.
type panicSite struct {
	illegal int
	mixed   bool          // some were not illegal: all are judged
	last    engine.Ruling // on the last that was judged
	pcs     []uintptr     // of the last whose frames were wanted
	frames  []blame.Frame
}

// framesOf returns the frames of a panic at the site. To find them takes a microsecond.
func (p *panicSite) framesOf(r *panicRecord) []blame.Frame {
	if p.frames == nil || !slices.Equal(p.pcs, r.pcs[:r.n]) {
		p.pcs, p.frames = slices.Clone(r.pcs[:r.n]), r.frames()
	}
	return slices.Clone(p.frames)
}

func (p *panicSite) skip() bool {
	if p.mixed || p.illegal < illegalRuns {
		return false
	}
	p.illegal++
	return p.illegal%illegalRuns != 0
}

func (p *panicSite) judged(v *engine.Verdict) {
	p.illegal++
	p.mixed = p.mixed || v.Tier != engine.Illegal
	p.last = v.Ruling()
}

// site returns the record of the place where a call of op just panicked.
func (j *judge) site(op seq.OpID) *panicSite {
	h := uint64(op)
	for _, pc := range j.x.panicked.pcs[:min(j.x.panicked.n, sitePCs)] {
		h = (h ^ uint64(pc)) * 0x9e3779b97f4a7c15
	}
	p := j.sites[h]
	if p == nil {
		p = new(panicSite)
		j.sites[h] = p
	}
	return p
}

// sitePCs is how many frames tell a site: some of the runtime and a few calls.
const sitePCs = 8

// applies reports whether some contract is bound to the type of a fresh slot.
func (j *judge) applies(types []seq.TypeID, fresh []int32) bool {
	return slices.ContainsFunc(fresh, func(slot int32) bool { return len(j.byType[types[slot]]) > 0 })
}

// oldPair returns the last slot of a type that has such contracts, -1 in most sequences.
func (j *judge) oldPair(types []seq.TypeID) int32 {
	if j.pairsIn--; j.pairsIn >= 0 {
		return -1
	}
	j.pairsIn = pairsOneIn - 1
	for n := len(types) - 1; n > 0; n-- {
		if j.pairs[types[n]] {
			return int32(n)
		}
	}
	return -1
}

// hold holds the contracts against the fresh slots of s, newest first, and those of
// several values against slot old, unless it is negative. It returns the verdict of
// the first that does not hold.
func (j *judge) hold(s seq.Sequence, types []seq.TypeID, fresh []int32, old int32) *engine.Verdict {
	j.runs++
	h := held{s: s, types: types, full: everySlot(fresh, len(types)), partners: maxPartners, unfit: j.unfitIn(s)}
	j.counting = !h.full
	defer func() { j.counting = false }()
	judged, most := 0, maxJudged
	if h.full {
		most, h.partners = maxJudgedFull, maxPartnersFull
	}
	for i := len(fresh) - 1; i >= 0 && judged < most; i-- {
		slot := fresh[i]
		state := &j.x.state[slot]
		list := j.byType[types[slot]]
		if state.judged || len(list) == 0 || isNil(j.x.vals[slot]) {
			continue
		}
		state.judged = true // as it stands at the end; it may have been new several times
		key := j.soundKey(&h, slot)
		if j.sound[key] && !j.pairs[types[slot]] {
			continue
		}
		if h.taints == nil {
			h.taints = j.taints(s, len(types))
		}
		if h.taints[slot] != 0 {
			continue
		}
		judged++
		if v := j.holdAll(&h, slot, key); v != nil {
			return v
		}
	}
	return j.holdOld(&h, old)
}

// holdAll holds the contracts of its type against a slot. Those of one value are left out
// if the key of the slot is sound.
func (j *judge) holdAll(h *held, slot int32, key uint64) *engine.Verdict {
	sound := j.sound[key]
	j.doubtful = false
	for _, c := range j.byType[h.types[slot]] {
		sampled := c.held < eagerRuns || j.runs%c.oneIn == 0 || h.full
		if c.off || c.broken && j.want != c.signature || !sampled || c.Fit && h.unfit || j.passes(c.signature, c.Claim, c.done()) || sound && c.Arity == 1 {
			continue
		}
		c.held++
		if v := j.holdOne(c, h, slot); v != nil {
			c.told = c.told || !h.full && v.Kind == engine.KindContract
			return v
		}
	}
	if key != 0 && !j.doubtful {
		j.sound[key] = true
	}
	return nil
}

// soundKey returns the digest of a slot with its type, in a run whose contracts are not held
// against values again, and else 0. Of a key that is sound all contracts of one value hold.
// Values that are too large to be digested as a whole have no key.
func (j *judge) soundKey(h *held, slot int32) uint64 {
	if !j.x.opts.Last {
		return 0
	}
	d := j.x.digester.Sum(j.x.vals[slot])
	if d.Truncated {
		return 0
	}
	ty := uint64(h.types[slot]) << 1
	if h.unfit { // some contracts are left out
		ty++
	}
	return (d.Hash ^ ty) * 0x9e3779b97f4a7c15
}

// holdOld holds the contracts of several values against slot old, unless it is negative.
func (j *judge) holdOld(h *held, old int32) *engine.Verdict {
	if old < 0 || j.x.state[old].judged || isNil(j.x.vals[old]) {
		return nil
	}
	if h.taints == nil {
		h.taints = j.taints(h.s, len(h.types))
	}
	if h.taints[old] != 0 {
		return nil
	}
	for _, c := range j.byType[h.types[old]] {
		if c.Arity < 2 || c.off || c.broken && j.want != c.signature || c.Fit && h.unfit || j.passes(c.signature, c.Claim, c.done()) {
			continue
		}
		if v := j.holdOne(c, h, old); v != nil {
			c.told = c.told || v.Kind == engine.KindContract
			return v
		}
	}
	return nil
}

// held is the sequence that contracts are held against.
type held struct {
	s      seq.Sequence
	types  []seq.TypeID  // by slot
	taints []blame.Taint // by slot
	// full says that nothing is left to chance: the sequence is run to minimize,
	// confirm or replay a finding, perhaps in a process of its own.
	full     bool
	partners int  // to try beside a value
	unfit    bool // it has an operation that is contract.Unfit
}

// everySlot reports whether fresh lists n slots in order, as [engine.Execute] does.
func everySlot(fresh []int32, n int) bool {
	if len(fresh) != n {
		return false
	}
	for i, slot := range fresh {
		if int(slot) != i {
			return false
		}
	}
	return true
}

// taints returns the taints of the slots of s. It takes 1 to 2 µs to find them;
// most sequences have none, and the executor knows.
func (j *judge) taints(s seq.Sequence, slots int) []blame.Taint {
	if j.x.tainted {
		return j.tainter.Taints(j.x.table, s, j.x.vals)
	}
	if len(j.clean) < slots {
		j.clean = make([]blame.Taint, 2*slots)
	}
	return j.clean[:slots]
}

// holdOne holds c against slot and, if its arity asks for it, other values of the
// same type.
func (j *judge) holdOne(c *boundContract, h *held, slot int32) *engine.Verdict {
	slots := [3]int32{slot}
	if c.Arity == 1 {
		return j.check(c, h.s, slots[:1])
	}
	partners := 0
	for other := j.partner(h, slots[:1], int32(len(h.types))); other >= 0 && partners < h.partners; other = j.partner(h, slots[:1], other) {
		partners++
		slots[1] = other
		if c.Arity == 3 {
			if slots[2] = j.partner(h, slots[:2], other); slots[2] < 0 {
				continue
			}
		}
		if v := j.check(c, h.s, slots[:c.Arity]); v != nil {
			return v
		}
	}
	return nil
}

// partner returns the last slot before limit that may stand beside slots in a
// contract, -1 if there is none.
func (j *judge) partner(h *held, slots []int32, limit int32) int32 {
	ty := h.types[slots[0]]
	for n := limit - 1; n >= 0; n-- {
		if h.types[n] == ty && n != slots[0] && h.taints[n] == 0 && !isNil(j.x.vals[n]) {
			return n
		}
	}
	return -1
}

// check holds c against the values of some slots.
func (j *judge) check(c *boundContract, s seq.Sequence, slots []int32) *engine.Verdict {
	values := j.values[:len(slots)]
	j.slots, j.denied = slots, false
	for i, slot := range slots {
		values[i] = j.x.vals[slot]
	}
	ok, detail, changed := j.watch(c, values)
	if !ok && !changed && c.harmless > harmlessRuns {
		// It failed unwatched: it is told only if it fails while watched.
		c.harmless = 0
		ok, detail, changed = j.watch(c, values)
	}
	switch {
	case j.x.outOfFuel(): // that it takes long says nothing yet
		j.doubtful = true
	case j.denied:
		c.off = true
	case j.broke && ok:
		// The call of the contract broke: it is judged as any call.
		v := j.panickedIn(s, c)
		if v.Tier == engine.Illegal && c.Own(j.x.table) {
			c.broken = true
			v = c.Broken(j.x.table, s, slices.Clone(slots), j.x.panicked.value)
		}
		if v.Tier != engine.Illegal {
			return v
		}
	case changed:
		// It changes its arguments: neither it nor later contracts can be trusted.
		c.off = true
	case !ok && c.keeping != nil && j.counting:
		if c.keeping.meet(j.x.digester, values, false); c.told && !c.keeping.keeps() {
			return nil // it is no more than a suspicion, which is told once
		}
		v := c.Verdict(j.x.table, s, slices.Clone(slots), detail)
		if c.keeping.settle(&v); v.Tier > engine.Suspect || !c.told {
			return &v
		}
	case !ok:
		v := c.Verdict(j.x.table, s, slices.Clone(slots), detail)
		return &v
	case c.keeping != nil && j.counting:
		c.keeping.meet(j.x.digester, values, true)
	}
	return nil
}

// watch runs c and reports, if this run is one of those that are looked at,
// whether it changed a value.
func (j *judge) watch(c *boundContract, values []any) (ok bool, detail string, changed bool) {
	watched := c.watched()
	var before [3]uint64
	if watched {
		for i, v := range values {
			before[i] = j.x.digester.Sum(v).Hash
		}
	}
	j.broke = false
	j.x.journal.judging(c.id)
	j.x.owner.enter()
	ok, detail = c.Holds(j, values)
	j.x.owner.keep() // it may have called methods by itself
	j.x.journal.judging(engine.AnyOracle)
	j.doubtful = j.doubtful || j.broke
	if !watched || j.broke && ok {
		return ok, detail, false
	}
	for i, v := range values {
		changed = changed || j.x.digester.Sum(v).Hash != before[i]
	}
	if c.harmless < harmlessRuns {
		c.harmless++
	}
	return ok, detail, changed
}

// panickedIn judges a panic in a call that contract c made behind s. No step of s makes
// it: the expression of the contract shows the panic.
func (j *judge) panickedIn(s seq.Sequence, c *boundContract) *engine.Verdict {
	f := blame.Facts{
		Table: j.x.table, Op: j.called.Op, Value: j.x.panicked.value, Frames: j.x.panicked.frames(),
		Steps: append(s.Clone(), j.called), Values: j.x.vals,
	}
	for i := range j.x.table.Ops[j.called.Op].Params {
		f.Args = append(f.Args, blame.Describe(j.in[i]))
	}
	v := blame.Panic(f)
	v.Contract, v.Assert, v.Slots = c.Name, c.Assertion(), slices.Clone(j.slots)
	return &v
}

// ban has contracts make no calls of an operation: it ended processes.
func (j *judge) ban(op seq.OpID) { j.banned[op] = true }

// step returns a call of a contract's as a step, and whether it is one: whether
// all that it takes is in the slots that the contract is held against. A law runs steps
// again: its calls are none.
func (j *judge) step(op seq.OpID, args []any) (st seq.Step, ok bool) {
	if len(args) > len(j.args) || len(j.slots) == 0 {
		return st, false
	}
	for i := range args {
		slot := int32(-1)
		for k := range j.slots {
			if sameWords(args[i], j.values[k]) {
				slot = j.slots[k]
				break
			}
		}
		if slot < 0 {
			return st, false
		}
		j.args[i] = seq.Arg{Slot: slot}
	}
	return seq.Step{Op: op, Args: j.args[:len(args)]}, true
}

// Next implements [contract.Namer].
func (j *judge) Next(st seq.Step) { j.next = st }

// sameWords reports whether two interface values are the same words.
func sameWords(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

// Call implements [contract.Caller]. A banned operation seems to panic: the
// contract is then switched off. A call that runs out of fuel seems not to be made.
func (j *judge) Call(op seq.OpID, args ...any) (results []any, panicked any) {
	if j.banned[op] {
		j.denied = true
		return nil, contract.ErrRefused
	}
	if j.x.ops[op].requires != nil && !j.allows(op, args) {
		return nil, contract.ErrRefused
	}
	if j.next.Op == op && j.next.Args != nil {
		j.x.journal.calling(j.next, true)
		j.next = seq.Step{}
	} else {
		j.x.journal.calling(j.step(op, args))
	}
	j.debt++
	in := j.in[:copy(j.in[:], args)]
	if len(j.x.table.Ops[op].Results) > len(j.out) {
		return nil, "too many results"
	}
	out := j.out[:len(j.x.table.Ops[op].Results)]
	clear(out)
	ok := j.fueled(j.x.ops[op].adapter, in, out)
	if j.x.outOfFuel() {
		return nil, contract.ErrRefused
	}
	if !ok {
		st, known := j.step(op, args)
		if !known {
			st = seq.Step{Op: op}
		}
		j.broke, j.called = true, seq.Step{Op: op, Args: slices.Clone(st.Args)}
		return nil, j.x.panicked.value
	}
	return out, nil
}

// fueled makes a call with fuel of its own, if the build counts that.
func (j *judge) fueled(f Adapter, in, out []any) bool {
	t := j.x.tracer
	if t != nil {
		t.refuel()
	}
	ok := j.x.call(f, in, out)
	if t != nil { // not deferred: a call that comes back too late ends its goroutine
		t.stop()
	}
	return ok
}
