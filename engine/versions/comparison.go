package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// comparison is the state of a comparison, owned by the goroutine of loop.
type comparison struct {
	config   Config
	began    time.Time
	sides    [2]*side
	learn    wire.Learn // all that workers are told, for those that start later
	looked   chan look
	verdicts chan lookResult
	queue    []look
	busy     bool // the examiner has something

	tries     map[uint64]int // how often in a row mismatches of a key brought nothing new
	looks     map[uint64]int // how many of a key were looked at
	found     map[string]bool
	causes    causes
	flaky     int
	sequences uint64
	steps     uint64
	told      uint64
	deaths    int
	deathsOf  map[seq.OpID][2]int // on each side
	lastNew   time.Duration
	lastAt    uint64
	covered   [2]int
	cpu       time.Duration
	idle      int // rounds on end in which nothing was composed
}

// look is a sequence to be examined.
type look struct {
	steps seq.Sequence
	key   uint64
	death bool
	// unstable are the operations that are known not to repeat themselves.
	unstable []seq.OpID
}

// Bounds of a comparison.
const (
	batchSequences = 512
	minBatch       = 8
	maxLooks       = 256 // in the queue
	maxWaiting     = 2   // … of one key
	// maxTries is how many mismatches of a key are looked at on end without anything
	// new before the workers are told to tell of no more.
	maxTries = 4
	// maxDeaths is how often an operation may end workers of a side before it is left alone; until
	// then it gets small literals only.
	maxDeaths = 2
	// hangHolds is how often what took a process with it by running on counts as held
	// back: for as many steps as the loss of a process costs, some quarter of a million.
	hangHolds = 6
	// maxIdle is how often on end neither side may compose anything.
	maxIdle = 64
	// What is still to be looked at in the end gets drainTime; interruptedTime if someone
	// waits at the terminal, countedTime if the clock is not to decide.
	drainTime       = 7 * time.Second
	interruptedTime = 4 * time.Second
	countedTime     = 1 * time.Minute
)

// loop goes round by round until the end, and returns why it ended.
func (d *comparison) loop(ctx context.Context) string {
	for {
		if ctx.Err() != nil {
			return "interrupted"
		}
		if why := d.spent(); why != "" {
			return why
		}
		if err := d.round(ctx); err != nil {
			if ctx.Err() != nil {
				return "interrupted"
			}
			d.config.Report.Warn(err.Error())
			return "no worker left"
		}
		d.attend()
		d.config.Report.Progress(d.snapshot())
	}
}

func (d *comparison) spent() string {
	elapsed := time.Since(d.began)
	if d.config.Duration > 0 && elapsed >= d.config.Duration {
		return "time"
	}
	if d.config.Sequences > 0 && d.sequences >= d.config.Sequences {
		return "sequences"
	}
	if d.config.Plateau && len(d.queue) == 0 && !d.busy && engine.Plateau(d.sequences, elapsed, d.lastAt, d.lastNew) {
		return "plateau"
	}
	return ""
}

// round has each side compose a batch, and each run that of the other.
func (d *comparison) round(ctx context.Context) error {
	var batches [2]*wire.Batch
	both := func(message func(i int) *wire.Message) error {
		answers := [2]chan answer{}
		for i, s := range d.sides {
			answers[i] = make(chan answer, 1)
			go func() { answers[i] <- s.ask(ctx, message(i)) }()
		}
		var errs [2]error
		for i, s := range d.sides {
			errs[i] = d.take(ctx, s, <-answers[i], &batches[i])
		}
		return errors.Join(errs[:]...)
	}
	if err := both(func(i int) *wire.Message { return &wire.Message{Compose: &wire.Compose{Sequences: d.sides[i].batch}} }); err != nil {
		return err
	}
	composed := batches
	if err := both(func(i int) *wire.Message {
		if composed[1-i] == nil {
			return nil
		}
		return &wire.Message{Compare: &wire.Compare{Batch: *composed[1-i]}}
	}); err != nil {
		return err
	}
	d.idle++
	for i, b := range composed {
		if b == nil {
			continue
		}
		d.sides[i].batch = min(2*d.sides[i].batch, batchSequences)
		d.sequences += uint64(b.Sequences)
		d.steps += b.Steps
		if b.Sequences > 0 {
			d.idle = 0
		}
		if b.Covered > d.covered[i] {
			d.covered[i] = b.Covered
			d.news()
		}
		if b.Recycle {
			d.sides[i].stop()
			if err := d.sides[i].start(ctx); err != nil {
				return err
			}
		}
	}
	if d.idle == maxIdle {
		return fmt.Errorf("%d processes on end died before their first sequence", maxIdle)
	}
	return nil
}

func (d *comparison) news() { d.lastNew, d.lastAt = time.Since(d.began), d.sequences }

// take takes in what a side answered.
func (d *comparison) take(ctx context.Context, s *side, a answer, batch **wire.Batch) error {
	for _, e := range a.entries {
		d.learn.Entries = append(d.learn.Entries, e.Steps)
	}
	switch {
	case a.err != nil:
		return a.err
	case a.ended:
		return d.ended(ctx, s, a)
	case a.msg == nil:
	case a.msg.Batch != nil:
		*batch = a.msg.Batch
	case a.msg.Compared != nil:
		d.distrust(a.msg.Compared.Unstable)
		for _, m := range a.msg.Compared.Mismatches {
			d.told++
			if steps, err := seq.DecodeBinary(d.config.Table, d.config.Pool.Literals, m.Steps); err == nil {
				d.enqueue(look{steps: steps, key: m.Key})
			}
		}
	}
	return nil
}

// enqueue has a mismatch looked at, unless some of its key wait that are as short.
func (d *comparison) enqueue(l look) {
	if d.tries[l.key] >= maxTries {
		return
	}
	waiting, longest := 0, -1
	for i, q := range d.queue {
		if q.key != l.key {
			continue
		}
		if waiting++; longest < 0 || len(q.steps) > len(d.queue[longest].steps) {
			longest = i
		}
	}
	switch {
	case waiting < maxWaiting && len(d.queue) < maxLooks:
		d.queue = append(d.queue, l)
	case waiting > 0 && len(l.steps) < len(d.queue[longest].steps):
		d.queue[longest] = l
	}
}

// next takes out of the queue what is to be looked at: what ends processes last,
// for it takes longest, else what has been looked at least, the shortest first.
func (d *comparison) next() look {
	best := 0
	for i, q := range d.queue {
		if d.before(q, d.queue[best]) {
			best = i
		}
	}
	l := d.queue[best]
	d.queue = slices.Delete(d.queue, best, best+1)
	return l
}

func (d *comparison) before(a, b look) bool {
	if a.death != b.death {
		return b.death
	}
	if x, y := d.looks[a.key], d.looks[b.key]; x != y {
		return x < y
	}
	return len(a.steps) < len(b.steps)
}

// ended follows up the end of a side's process, and starts it anew.
func (d *comparison) ended(ctx context.Context, s *side, a answer) error {
	s.stop() // its mapping is still there
	d.deaths++
	s.batch = max(s.batch/4, minBatch)
	if a.death.Thrown() {
		d.tell(wire.Learn{Ban: d.config.Table.OpsThat(func(op *seq.Operation) bool {
			return op.Kind == seq.FuncLit && strings.Contains(op.Template, engine.Throw)
		})})
		return s.start(ctx)
	}
	ops := a.death.Blamed(d.config.Table, a.ran)
	if len(ops) > 0 {
		d.blame(s.index, ops, a.death)
	}
	if calls(a.ran, ops) {
		d.enqueue(look{steps: a.ran, key: deathKey | uint64(ops[0]), death: true})
	}
	d.config.Report.Note(fmt.Sprintf("a worker of the %s version ended (%s, blamed on %s): %s",
		[2]string{"old", "new"}[s.index], a.death.Kind(), d.names(ops), d.config.Table.OneLine(a.ran)))
	return s.start(ctx)
}

// names names the member that operations are instances of.
func (d *comparison) names(ops []seq.OpID) string {
	if len(ops) == 0 {
		return "nothing"
	}
	return memberName(d.config.Table, &d.config.Table.Ops[ops[0]])
}

// blame counts a death against the instances of a member: the next time they are left
// alone. Until then they get small literals and no nil, and with them what bears the
// same name with another number, which most often does the same for more arguments.
// What took long or much may do so again, since what it works on is large, or since it
// waits: it is held back as well. Each side counts for itself: of one cause both may die
// before either could be told.
func (d *comparison) blame(side int, ops []seq.OpID, death worker.Death) {
	deaths := d.deathsOf[ops[0]]
	deaths[side]++
	d.deathsOf[ops[0]] = deaths
	l := wire.Learn{Flatten: strings.Contains(death.Stderr, "stack overflow")}
	if deaths[side] >= maxDeaths || death.Idle {
		l.Ban = ops
	} else {
		l.Tame = d.config.Table.SameNameIgnoringDigits(ops[0])
	}
	if kind := death.Kind(); kind == engine.KindHang || kind == engine.KindMemory {
		for _, id := range l.Tame {
			l.Held = append(l.Held, engine.OpCounts{Op: id, Holds: hangHolds})
		}
	}
	d.tell(l)
	d.dropEntries(ops)
}

// dropEntries leaves out of those that workers start from what calls operations
// that ended one: entries are many, lives of workers dear.
func (d *comparison) dropEntries(ops []seq.OpID) {
	// A copy: what a worker was started with may be on its way to it yet.
	d.learn.Entries = slices.DeleteFunc(slices.Clone(d.learn.Entries), func(e []byte) bool {
		s, err := seq.DecodeBinary(d.config.Table, d.config.Pool.Literals, e)
		return err != nil || calls(s, ops)
	})
}

// deathKey marks keys of sequences that end their process.
const deathKey = 1 << 49

// tell lets both sides know something, now and when they start anew.
func (d *comparison) tell(l wire.Learn) {
	d.learn.Ban = append(d.learn.Ban, l.Ban...)
	d.learn.Tame = append(d.learn.Tame, l.Tame...)
	d.learn.Held = append(d.learn.Held, l.Held...)
	d.learn.Unstable = append(d.learn.Unstable, l.Unstable...)
	d.learn.Differ = append(d.learn.Differ, l.Differ...)
	d.learn.Muted = append(d.learn.Muted, l.Muted...)
	d.learn.Flatten = d.learn.Flatten || l.Flatten
	for _, s := range d.sides {
		if s.p != nil {
			s.p.Send(&wire.Message{Learn: &l})
		}
	}
}

// attend gives the examiner what waits, and takes what it has found, without waiting.
func (d *comparison) attend() {
	for {
		if !d.busy && len(d.queue) > 0 {
			l := d.next()
			d.looks[l.key]++
			l.unstable = slices.Clone(d.learn.Unstable)
			d.looked <- l
			d.busy = true
		}
		select {
		case r := <-d.verdicts:
			d.examined(r)
		default:
			return
		}
	}
}

// drain waits for what is being looked at, and for some of what waits.
func (d *comparison) drain(ctx context.Context, ended string) {
	patience, interrupted := drainTime, ctx.Done()
	switch ended {
	case "interrupted":
		patience, interrupted = interruptedTime, nil
	case "sequences":
		patience = countedTime
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		d.attend()
		if !d.busy {
			return
		}
		select {
		case r := <-d.verdicts:
			d.examined(r)
		case <-interrupted:
			interrupted = nil
			limit.Reset(interruptedTime)
		case <-limit.C:
			d.config.Report.Note(fmt.Sprintf("%d mismatches were not looked at", len(d.queue)+1))
			d.queue = nil
			return
		}
	}
}

// examined takes in what became of a mismatch.
func (d *comparison) examined(r lookResult) {
	d.busy = false
	d.flaky += r.flaky
	if r.why != "" {
		d.config.Report.Note(fmt.Sprintf("%s: %s", r.why, d.config.Table.OneLine(r.look.steps)))
	}
	fresh := false
	d.distrust(r.unstable)
	if r.difference != nil && d.counts(r.difference) {
		key := r.difference.Class + " " + memberName(d.config.Table, &d.config.Table.Ops[r.difference.Op])
		if !d.found[key] {
			d.found[key] = true
			d.causes.add(*r.difference)
			fresh = true
			d.news()
			d.tell(wire.Learn{Differ: []seq.OpID{r.difference.Op}})
		}
	}
	if fresh {
		d.tries[r.look.key] = 0
		return
	}
	if d.tries[r.look.key]++; d.tries[r.look.key] == maxTries {
		d.tell(wire.Learn{Muted: []uint64{r.look.key}})
	}
}

// counts reports whether a difference does not hang on what has turned out since not to
// repeat itself.
func (d *comparison) counts(f *Difference) bool {
	_, ok := difference.First(d.config.Table, f.Steps, f.Before, f.After, func(op seq.OpID) bool {
		return slices.Contains(d.learn.Unstable, op)
	})
	return ok
}

// distrust leaves the results of operations that do not repeat themselves, and of the
// other instances of their functions, out of the comparison.
func (d *comparison) distrust(ops []seq.OpID) {
	for _, op := range ops {
		if !slices.Contains(d.learn.Unstable, op) {
			d.config.Report.Note("does not repeat itself: " + memberName(d.config.Table, &d.config.Table.Ops[op]))
			d.tell(wire.Learn{Unstable: d.config.Table.Instances(op)})
		}
	}
}

// memberName is what differences are told apart by: all instances of a generic
// function are one. What is no member is named by what it works on, too.
func memberName(t *seq.Table, op *seq.Operation) string {
	if op.Member != "" || len(op.Params) == 0 {
		return cmp.Or(op.Member, op.Short)
	}
	of, _, _ := strings.Cut(t.Types[op.Params[0]].Name, "[")
	return op.Short + " of " + of
}

func (d *comparison) end() {
	for _, s := range d.sides {
		if s != nil {
			s.stop()
		}
	}
}

func (d *comparison) snapshot() Snapshot {
	s := Snapshot{
		Elapsed: time.Since(d.began), Sequences: d.sequences, Steps: d.steps, Mismatches: d.told,
		Differences: len(d.causes.list), Unstable: len(d.learn.Unstable), Deaths: d.deaths, Pending: len(d.queue),
	}
	if d.busy {
		s.Pending++
	}
	return s
}
