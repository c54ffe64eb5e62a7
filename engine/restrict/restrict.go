// Package restrict decides which operations a run restricts after processes died. It is
// pure: deaths go in, restrictions come out, and the caller passes the time along.
//
//	p := restrict.New(table)
//	change := p.Died(restrict.Death{Steps: steps, Idle: true, At: time.Now()})
//	// change.Disable: the operations to call no more
//
// A death costs as much as some 100,000 steps. The first one restricts an operation to
// small literals without nil, and with it the functions of the same name but for digits.
// The third one disables it. The first is enough for a call that waits for ever, and for a
// write to a field or variable, which may break any invariant. It is enough for a func literal
// that panics in a goroutine, too. An operation that makes a value which several others cannot bear is
// backed off.
//
// A call that an oracle made of its own, after the steps, restricts no operation: the
// oracle is switched off.
package restrict

import (
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// How many deaths disable an operation.
const (
	// MaxDeaths holds for fuzzing and comparing alike. Comparing had 2, but counted
	// each version for itself; one operation mostly ends workers of both.
	MaxDeaths = 3
	// maxWriteDeaths deaths with a write in the sequence disable all writes.
	maxWriteDeaths = 3
	// MaxNeededDeaths holds for the only constructor of a type, or the only one that ended no
	// process: without it no method of the type can be called.
	MaxNeededDeaths = 24
	// maxLateDeaths deaths in a goroutine that no operation is known to have started disable the
	// last step, if it was that of most of them.
	maxLateDeaths = 8
	// maxOverflows stack overflows keep objects from being put into themselves, and as many again make
	// that more seldom: any operation may walk one that was put into itself. Of 20 deaths in ten
	// seconds of a package of nested maps, 17 were of such values.
	maxOverflows = 4
	// minTypical deaths in goroutines with a call of a member before are enough to find it typical of
	// them. Its share must be typicalLift times that of the median of the members called before. A
	// package whose option has a goroutine panic had 23 such deaths in 12 s. One that passes nil on
	// to a goroutine had 30: no member was the last step of most of them.
	minTypical, typicalLift = 4, 8
	// minShared members that ended processes after calls of another have that backed off: it made a
	// value that they cannot bear. Not measured.
	minShared = 3
)

// hangBackoff is the length of an operation's first backoff, in doublings, after it
// ended a process by running on or by taking all memory. At 8 it is some hundred times
// as long as for a call that only waits, as a process costs that much more. Comparing
// had 6, without a measurement; there each hang costs two processes, not one.
const hangBackoff = 8

// A Death is the end of a process, as far as it matters here.
type Death struct {
	// Steps is the sequence that ran; its last step did not return. It is empty if the
	// process died between sequences.
	Steps seq.Sequence
	// Starter is the member that started the goroutine whose panic ended the process,
	// empty if none did.
	Starter  string
	Late     bool // a goroutine panicked that another call had started, maybe long before
	OwnPanic bool // a func literal of foray's own panicked where nothing recovers
	// Literals are the func literals that the goroutine of a late panic was in, innermost first.
	Literals []seq.OpID
	Throws   bool // the first of them panicked itself
	Idle     bool // the last step waited for ever
	Costly   bool // the process hung, or took all memory
	Memory   bool // … the latter
	Overflow bool // a stack overflowed
	// Oracle made the call that did not return, after the last step.
	Oracle engine.OracleID
	// Ran has the runs of the operations so far, by operation; nil if they are not known.
	Ran []engine.OpCounts
	// At is when it happened. Restrictions from before Heeded were in force.
	At, Heeded time.Time
}

// A Change lists the restrictions that a death has added.
type Change struct {
	Restrict []seq.OpID        // operations to give small literals only, and no nil
	Disable  []seq.OpID        // operations to call no more
	Backoff  []engine.OpCounts // operations to leave out for a while: Op and Holds are set
	Oracles  []engine.OracleID // oracles to hold no more
	Apart    int               // unless zero, how seldom to put objects into themselves; see engine.Engine.KeepApart
}

// Empty reports whether c changes nothing.
func (c *Change) Empty() bool {
	return len(c.Restrict)+len(c.Disable)+len(c.Backoff)+len(c.Oracles) == 0 && c.Apart == 0
}

// A Policy counts the deaths of a run.
type Policy struct {
	table       *seq.Table
	settings    *engine.Settings
	deaths      []int       // by operation
	since       []time.Time // by operation: when it was restricted
	backoffs    []uint32    // by operation, see [engine.OpCounts.Holds]
	writeDeaths int
	within      [][]seq.OpID // by operation: members that ended processes after calls of it
	near        []int        // by operation: deaths in goroutines in sequences with it, see blameTypical
	late        []int        // by operation: deaths in goroutines of unknown starters with it as the last step
	lateDeaths  int          // all of these
	overflows   int
	restricted  []seq.OpID // in the order of the deaths
	disabled    []seq.OpID
	oracles     []engine.OracleID // that are switched off
}

// New returns a policy without any restriction.
func New(t *seq.Table) *Policy {
	n := len(t.Ops)
	return &Policy{table: t, settings: engine.NewSettings(t), deaths: make([]int, n), within: make([][]seq.OpID, n), near: make([]int, n), late: make([]int, n), since: make([]time.Time, n), backoffs: make([]uint32, n)}
}

// Restricted returns the operations that are restricted. The caller must not change it.
func (p *Policy) Restricted() []seq.OpID { return p.restricted }

// Disabled returns the operations that are disabled. The caller must not change it.
func (p *Policy) Disabled() []seq.OpID { return p.disabled }

// Oracles returns the oracles that are switched off. The caller must not change it.
func (p *Policy) Oracles() []engine.OracleID { return p.oracles }

// Apart returns how seldom objects are put into themselves; see engine.Engine.KeepApart. It is zero
// if nothing keeps them apart.
func (p *Policy) Apart() int { return p.overflows / maxOverflows }

// Backoffs returns how often an operation was backed off.
func (p *Policy) Backoffs(id seq.OpID) uint32 { return p.backoffs[id] }

// Disable disables operations, and returns those that were not.
func (p *Policy) Disable(ops ...seq.OpID) Change { return p.commit(Change{Disable: ops}) }

// Stalled notes that a worker has backed an operation off by itself, n times by now.
func (p *Policy) Stalled(id seq.OpID, n uint32) { p.backoffs[id] = max(p.backoffs[id], n) }

// Blamed returns the operations that are the likeliest cause of a death: the member that
// started the goroutine which panicked, else the last step, in all its instances. It
// returns none if neither is known.
func (p *Policy) Blamed(d Death) []seq.OpID {
	if id, ok := p.literal(d); ok {
		return []seq.OpID{id}
	}
	if ops := p.starters(d); len(ops) > 0 || d.Late {
		return ops
	}
	if d.Oracle.Known() {
		return nil
	}
	return p.last(d)
}

// literal returns the innermost func literal that the goroutine of a late panic was in. Its caller
// is to blame, not the member that started the goroutine. It reports false if there is none.
func (p *Policy) literal(d Death) (seq.OpID, bool) {
	for _, id := range d.Literals {
		if int(id) < len(p.table.Ops) && p.table.Ops[id].Kind == seq.FuncLit {
			return id, true
		}
	}
	return 0, false
}

func (p *Policy) starters(d Death) []seq.OpID {
	if d.Starter == "" {
		return nil
	}
	return p.table.OpsThat(func(op *seq.Operation) bool { return op.Member == d.Starter })
}

func (p *Policy) last(d Death) []seq.OpID {
	if len(d.Steps) == 0 {
		return nil
	}
	return p.table.Instances(d.Steps[len(d.Steps)-1].Op)
}

// Died takes in a death and returns the restrictions that it adds.
func (p *Policy) Died(d Death) Change {
	var c Change
	starters := p.starters(d)
	switch {
	case d.OwnPanic:
		c.Disable = p.table.OpsThat(func(op *seq.Operation) bool {
			return op.Shape == seq.Throw
		})
		return p.commit(c)
	case d.Oracle.Known() && !d.Late:
		if !slices.Contains(p.oracles, d.Oracle) {
			p.oracles, c.Oracles = append(p.oracles, d.Oracle), []engine.OracleID{d.Oracle}
		}
		return c
	case p.blameLiteral(&c, d):
	case p.blameTypical(&c, d, starters):
	case p.tame(&c, d):
	case p.blameWrites(&c, d.Steps):
	case len(starters) > 0 && p.needed(starters[0]):
		// Small literals do not help here, and nothing else makes the type meanwhile.
		p.countNeeded(&c, starters)
	case len(starters) > 0:
		p.count(&c, starters, d)
		p.backoff(&c, starters)
		// What is disabled starts no goroutine any more: another call did, by the same function.
		if len(missing(c.Disable, p.disabled))+len(c.Restrict) == 0 {
			p.count(&c, p.last(d), d)
		}
	case d.Late:
		p.countLate(&c, p.last(d))
		c.Restrict = p.givenNil(d.Steps)
	default:
		p.count(&c, p.last(d), d)
		if d.Costly {
			p.backoff(&c, p.last(d))
		}
		p.blameEarlier(&c, d)
	}
	if d.Overflow {
		if p.overflows++; p.overflows%maxOverflows == 0 {
			c.Apart = p.Apart()
		}
	}
	return p.commit(c)
}

// tame restricts an operation that takes numbers, by themselves or in a struct, and took all memory
// before it was restricted. Small ones take little, so it is not backed off, and nothing else is
// to blame. It reports false in all other cases.
func (p *Policy) tame(c *Change, d Death) bool {
	ops := p.last(d)
	if !d.Memory || d.Late || d.Starter != "" || len(ops) == 0 || !p.settings.Numbers(ops[0]) {
		return false
	}
	if at := p.since[ops[0]]; !at.IsZero() && at.Before(d.Heeded) {
		return false
	}
	p.count(c, ops, d)
	return true
}

// blameLiteral counts a death against the func literal that a goroutine was in: any call may run it
// there. One that panics itself is disabled at once. It reports false if there is none.
func (p *Policy) blameLiteral(c *Change, d Death) bool {
	id, ok := p.literal(d)
	if !ok {
		return false
	}
	if p.deaths[id]++; d.Throws && id == d.Literals[0] || p.deaths[id] >= MaxDeaths {
		c.Disable = append(c.Disable, id)
	}
	return true
}

// blameWrites disables the writes in steps. It reports false if there are none.
func (p *Policy) blameWrites(c *Change, steps seq.Sequence) bool {
	isWrite := func(op *seq.Operation) bool {
		return op.Kind == seq.FieldSet || op.Kind == seq.VarSet || engine.Doubtful(p.table, op)
	}
	for _, st := range steps {
		if isWrite(&p.table.Ops[st.Op]) {
			c.Disable = append(c.Disable, st.Op)
		}
	}
	if len(c.Disable) == 0 {
		return false
	}
	if p.writeDeaths++; p.writeDeaths == maxWriteDeaths {
		c.Disable = p.table.OpsThat(isWrite)
	}
	return true
}

// blameEarlier backs off the member that has the highest share of its runs in sequences that ended
// in different calls, if that is higher than that of the last step.
func (p *Policy) blameEarlier(c *Change, d Death) {
	last := p.last(d)
	if len(last) == 0 || len(d.Ran) == 0 {
		return
	}
	share := func(deaths int, ops []seq.OpID) float64 {
		return float64(deaths) / float64(1+ranOf(d.Ran, ops))
	}
	var worst []seq.OpID
	most := share(p.deaths[last[0]], last)
	for i := len(d.Steps) - 2; i >= 0; i-- {
		ops := p.table.Instances(d.Steps[i].Op)
		ends := &p.within[ops[0]]
		if ops[0] != last[0] && !slices.Contains(*ends, last[0]) {
			*ends = append(*ends, last[0])
		}
		if n := len(*ends); n >= minShared && share(n, ops) > most && !p.needed(ops[0]) {
			worst, most = ops, share(n, ops)
		}
	}
	p.backoff(c, worst)
}

// count counts a death against ops, the instances of one member. A death does not count
// if the process could not heed yet that the operation is restricted.
func (p *Policy) count(c *Change, ops []seq.OpID, d Death) {
	first, most := false, MaxDeaths
	if len(ops) > 0 && p.needed(ops[0]) {
		most = MaxNeededDeaths
	}
	for _, id := range ops {
		if at := p.since[id]; !at.IsZero() && !at.Before(d.Heeded) && !d.Idle {
			continue
		}
		p.deaths[id]++
		switch {
		case d.Idle || p.deaths[id] >= most:
			c.Disable = append(c.Disable, id)
		case p.deaths[id] == 1:
			first = true
		}
	}
	if !first {
		return
	}
	for _, id := range p.table.SameNameIgnoringDigits(ops[0]) {
		c.Restrict = append(c.Restrict, id)
		if p.since[id].IsZero() {
			p.since[id] = d.At
		}
	}
}

// blameTypical disables the member that is typical of deaths in goroutines. No operation is known to
// have started them, or one that is needed: what it was given decides then. It reports false if there
// is none.
func (p *Policy) blameTypical(c *Change, d Death, starters []seq.OpID) bool {
	if !d.Late || len(d.Ran) == 0 || len(starters) > 0 && !p.needed(starters[0]) {
		return false
	}
	var worst []seq.OpID
	var shares []float64
	counted := map[seq.OpID]bool{}
	for _, st := range d.Steps {
		ops := p.table.Instances(st.Op)
		if counted[ops[0]] {
			continue
		}
		counted[ops[0]] = true
		p.near[ops[0]]++
		share := float64(p.near[ops[0]]) / float64(1+ranOf(d.Ran, ops))
		if len(shares) == 0 || share > slices.Max(shares) {
			worst = ops
		}
		shares = append(shares, share)
	}
	slices.Sort(shares)
	n := len(shares)
	if n < 2 || p.near[worst[0]] < minTypical || shares[n-1] < typicalLift*shares[(n-1)/2] || p.needed(worst[0]) {
		return false
	}
	c.Disable = worst
	return true
}

// ranOf returns how often operations ran.
func ranOf(ran []engine.OpCounts, ops []seq.OpID) (runs uint64) {
	for _, id := range ops {
		runs += ran[id].Runs
	}
	return runs
}

// countLate counts a death in a goroutine of an unknown starter against ops, the instances of the
// last step. Once it is just the step under way; again and again it is the cause.
func (p *Policy) countLate(c *Change, ops []seq.OpID) {
	p.lateDeaths++
	for _, id := range ops {
		if p.late[id]++; p.late[id] >= maxLateDeaths && 2*p.late[id] > p.lateDeaths {
			c.Disable = append(c.Disable, id)
		}
	}
}

// givenNil returns the operations that were given nil in steps: a goroutine may have called it.
func (p *Policy) givenNil(steps seq.Sequence) (list []seq.OpID) {
	for _, st := range steps {
		if slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit != nil && a.Lit.Value == nil }) {
			list = append(list, p.table.Instances(st.Op)...)
		}
	}
	return list
}

func (p *Policy) countNeeded(c *Change, ops []seq.OpID) {
	for _, id := range ops {
		if p.deaths[id]++; p.deaths[id] >= MaxNeededDeaths {
			c.Disable = append(c.Disable, id)
		}
	}
}

// needed reports whether some call takes a value that only the instances of id make, of those that
// ended no process, as far as its package is prepared for it. To receive from a channel, or to read
// a field, is no call. An operation that takes such a value makes none: a setter that returns its receiver.
func (p *Policy) needed(id seq.OpID) bool {
	t := p.table
	made := func(by func(seq.OpID, *seq.Operation) bool, ty seq.TypeID) bool {
		for i := range t.Ops {
			stands := func(id seq.TypeID) bool { return t.AssignableTo(id, ty) }
			if by(seq.OpID(i), &t.Ops[i]) && slices.ContainsFunc(t.Ops[i].Results, stands) && !slices.ContainsFunc(t.Ops[i].Params, stands) {
				return true
			}
		}
		return false
	}
	own := func(_ seq.OpID, op *seq.Operation) bool {
		return op.Name == t.Ops[id].Name || op.Member != "" && op.Member == t.Ops[id].Member
	}
	other := func(i seq.OpID, op *seq.Operation) bool {
		return !own(i, op) && op.Kind != seq.Convert && !engine.Doubtful(t, op) && p.deaths[i] == 0
	}
	for i := range t.Ops {
		if !t.Ops[i].API {
			continue
		}
		for _, ty := range t.Ops[i].Params {
			if t.Types[ty].Literal == seq.NoLiteral && !t.Types[ty].Interface && made(own, ty) && !made(other, ty) {
				return true
			}
		}
	}
	return false
}

// backoff makes the next backoff of operations longer than the one before.
func (p *Policy) backoff(c *Change, ops []seq.OpID) {
	for _, id := range ops {
		p.backoffs[id] = max(p.backoffs[id]+1, hangBackoff)
		c.Backoff = append(c.Backoff, engine.OpCounts{Op: id, Holds: p.backoffs[id]})
	}
}

// commit drops from c the restrictions that were made before, and notes the others.
func (p *Policy) commit(c Change) Change {
	c.Disable, c.Restrict = missing(c.Disable, p.disabled), missing(c.Restrict, p.restricted)
	p.disabled, p.restricted = append(p.disabled, c.Disable...), append(p.restricted, c.Restrict...)
	return c
}

// missing returns the operations of list that are not in known, in order.
func missing(list, known []seq.OpID) []seq.OpID {
	list = slices.DeleteFunc(slices.Clone(list), func(id seq.OpID) bool { return slices.Contains(known, id) })
	slices.Sort(list)
	return slices.Compact(list)
}
