package coordinator

import (
	"context"
	"sync"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// examiner looks at mismatches step by step, in a process of each version that
// lives until it dies: it tells what does not repeat itself from what differs,
// minimizes that, finds what is to blame and shows it again in fresh processes.
type examiner struct {
	table      *seq.Table
	pool       *engine.Pool
	confirmers [2]*confirmer
	processes  [2]*process
	unstable   []bool
	waiting    sync.WaitGroup
	ctx        context.Context
	cancel     context.CancelFunc
}

// lookResult is what became of a mismatch.
type lookResult struct {
	look       look
	difference *Difference
	unstable   []seq.OpID // operations that do not repeat themselves
	flaky      int
}

func newExaminer(c DiffConfig) (*examiner, error) {
	x := &examiner{table: c.Table, pool: c.Pool, unstable: make([]bool, len(c.Table.Ops))}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	for i, sp := range []Spawn{c.Old, c.New} {
		x.confirmers[i] = newConfirmer(Config{Spawn: sp, Table: c.Table, Pool: c.Pool, JudgeDeath: c.JudgeDeath})
	}
	return x, nil
}

func (x *examiner) serve(looks <-chan look, results chan<- lookResult) {
	x.waiting.Add(1)
	defer x.waiting.Done()
	for l := range looks {
		r := x.examine(l)
		select {
		case results <- r:
		case <-x.ctx.Done():
		}
	}
}

func (x *examiner) close() {
	x.cancel()
	x.waiting.Wait()
	for i, p := range x.processes {
		if p != nil {
			x.confirmers[i].put(p)
		}
		x.confirmers[i].close()
	}
}

func (x *examiner) cpu() time.Duration { return x.confirmers[0].cpu() + x.confirmers[1].cpu() }

// Bounds on what one mismatch may take.
const (
	lookTime    = 3 * time.Second // to minimize
	lookRuns    = 3000
	selfRuns    = 2 // that a version must agree with itself in, and again in fresh processes
	maxWitness  = 48
	runDeadline = 1 * time.Second
)

// examine looks at one mismatch.
func (x *examiner) examine(l look) lookResult {
	r := lookResult{look: l}
	d, ok := x.differs(l.steps)
	if !ok {
		return r
	}
	if r.unstable = x.selfDiffering(l.steps, selfRuns, false); len(r.unstable) > 0 {
		return r
	}
	s, d := x.minimize(l.steps, d)
	if r.unstable = x.selfDiffering(s, selfRuns, true); len(r.unstable) > 0 {
		r.flaky++
		return r
	}
	before, after := x.fresh(0, s), x.fresh(1, s)
	again, ok := x.first(s, before, after)
	if !ok || again.Class != d.Class || again.Step != d.Step {
		r.flaky++
		return r
	}
	found := &Difference{Difference: again, Op: s[again.Step].Op, Steps: s, Original: l.steps, Before: before, After: after}
	x.blame(found)
	r.difference = found
	return r
}

// differs runs s on both versions and returns the first difference.
func (x *examiner) differs(s seq.Sequence) (difference.Difference, bool) {
	var runs [2]difference.Run
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() { runs[i] = x.run(i, s) })
	}
	wg.Wait()
	return x.first(s, runs[0], runs[1])
}

func (x *examiner) first(s seq.Sequence, before, after difference.Run) (difference.Difference, bool) {
	return difference.First(x.table, s, before, after, func(op seq.OpID) bool { return x.unstable[op] })
}

// run runs s in the process of a version that is at hand.
func (x *examiner) run(i int, s seq.Sequence) difference.Run {
	k := x.confirmers[i]
	if x.processes[i] == nil {
		p, err := k.config.Spawn.start(x.ctx)
		if err != nil {
			return difference.Run{}
		}
		x.processes[i] = p
	}
	run, died := k.observe(x.ctx, x.processes[i], s, runDeadline)
	if died {
		k.put(x.processes[i])
		x.processes[i] = nil
	}
	return run
}

// fresh runs s in a process of its own.
func (x *examiner) fresh(i int, s seq.Sequence) difference.Run {
	k := x.confirmers[i]
	p, err := k.config.Spawn.start(x.ctx)
	if err != nil {
		return difference.Run{}
	}
	defer k.put(p)
	run, _ := k.observe(x.ctx, p, s, hangConfirm)
	return run
}

// observe runs s in p and returns what could be seen of it, and whether p is gone.
func (k *confirmer) observe(ctx context.Context, p *process, s seq.Sequence, deadline time.Duration) (run difference.Run, died bool) {
	ex, err := k.exec(ctx, p, &wire.Exec{Steps: seq.AppendBinary(nil, s), Observe: true}, deadline)
	if ex.run != nil {
		run = *ex.run
	}
	if err == nil {
		return run, false
	}
	if v := ex.verdict; v != nil {
		run.Death, run.Kind, run.DiedIn = v.Message, v.Kind, ex.died
	}
	return run, true
}

// selfDiffering runs s several times on each version, and returns the operations
// that show something else when nothing has changed.
func (x *examiner) selfDiffering(s seq.Sequence, times int, fresh bool) []seq.OpID {
	var ops []seq.OpID
	for i := range x.confirmers {
		once := x.run
		if fresh {
			once = x.fresh
		}
		first := once(i, s)
		for range times - 1 {
			d, differ := x.first(s, first, once(i, s))
			if !differ {
				continue
			}
			op := s[d.Step].Op
			if d.Place == difference.InSlot {
				op = difference.NewTaint(x.table, s).Maker(d.Index)
			}
			x.unstable[op] = true
			ops = append(ops, op)
			break
		}
	}
	return ops
}

// minimize returns a sequence that differs in the same way in the same operation,
// and how.
func (x *examiner) minimize(s seq.Sequence, d difference.Difference) (seq.Sequence, difference.Difference) {
	op, class := s[d.Step].Op, d.Class
	began, runs := time.Now(), 0
	s = s[:d.Step+1]
	keep := func(cand seq.Sequence) bool {
		if runs++; runs > lookRuns || time.Since(began) > lookTime || x.ctx.Err() != nil {
			return false
		}
		got, ok := x.differs(cand)
		if !ok || got.Class != class || cand[got.Step].Op != op || got.Place != d.Place {
			return false
		}
		d = got
		return true
	}
	if again, ok := x.differs(s); ok && s[again.Step].Op == op && again.Class == class {
		s = engine.Minimize(x.table, x.pool, s, nil, keep)
	}
	return s, d
}

// blame finds what a difference is to be blamed on. If other calls in the place of
// the last one differ too, the value that it was called on does: the call to blame
// is the last before it that had to do with that value. What calls show it is told.
func (x *examiner) blame(f *Difference) {
	last := f.Steps[f.Step]
	if len(last.Args) == 0 || last.Args[0].Lit != nil || f.Place == difference.InSlot {
		return
	}
	slot := last.Args[0].Slot
	cause := -1
	made := 0
	for i, st := range f.Steps[:f.Step] {
		touches := false
		for _, a := range st.Args {
			touches = touches || a.Lit == nil && a.Slot == slot
		}
		n := len(x.table.Ops[st.Op].Results)
		touches = touches || made <= int(slot) && int(slot) < made+n
		made += n
		if touches && x.table.Ops[st.Op].API {
			cause = i
		}
	}
	if cause < 0 {
		return
	}
	if witnesses := x.witnesses(f, slot); len(witnesses) > 0 {
		f.Op = f.Steps[cause].Op
		f.SeenBy = append([]seq.OpID{last.Op}, witnesses...)
	}
}

// witnesses returns other operations that, called on slot in the place of the last
// step, show a difference of the same kind: a result.
func (x *examiner) witnesses(f *Difference, slot int32) []seq.OpID {
	last := f.Steps[f.Step].Op
	var list []seq.OpID
	tried := 0
	ty := x.table.Ops[last].Params[0]
	for id := range x.table.Ops {
		op := &x.table.Ops[id]
		if !op.API || seq.OpID(id) == last || len(op.Params) == 0 || !x.table.AssignableTo(ty, op.Params[0]) || op.Member == x.table.Ops[last].Member {
			continue
		}
		call, ok := x.simplest(seq.OpID(id), slot, f.Steps[f.Step])
		if !ok {
			continue
		}
		if tried++; tried > maxWitness || x.ctx.Err() != nil {
			break
		}
		s := append(f.Steps[:f.Step:f.Step].Clone(), call)
		if d, ok := x.differs(s); ok && d.Step == f.Step && d.Class != difference.TimeChanges {
			list = append(list, seq.OpID(id))
		}
	}
	return list
}

// simplest returns a call of op on slot with arguments of last where they fit, or
// else the simplest literals.
func (x *examiner) simplest(id seq.OpID, slot int32, last seq.Step) (seq.Step, bool) {
	op := &x.table.Ops[id]
	st := seq.Step{Op: id, Args: []seq.Arg{seq.Slot(int(slot))}}
	params := op.Params[1:]
	if op.Variadic {
		params = params[:len(params)-1]
	}
	for j, p := range params {
		from := x.table.Ops[last.Op].Params
		if j+1 < len(last.Args) && j+1 < len(from) && from[j+1] == p {
			st.Args = append(st.Args, last.Args[j+1])
			continue
		}
		l := x.pool.First(p)
		if l == nil {
			return st, false
		}
		st.Args = append(st.Args, seq.Lit(l))
	}
	return st, true
}
