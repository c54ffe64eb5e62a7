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
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// comparison is the state of a comparison, owned by the goroutine of loop.
type comparison struct {
	config   Config
	began    time.Time
	peers    [2]*peer
	learn    wire.Learn // all that workers were told, for those that start later
	policy   *restrict.Policy
	queue    queue
	requests chan request // to the examiner
	results  chan result  // from it
	busy     bool         // the examiner has a request
	found    map[string]bool
	causes   causes
	progress progress
	flaky    int
	cpu      time.Duration
}

// progress counts the work of a comparison, and when it last brought news.
type progress struct {
	sequences uint64
	steps     uint64
	deaths    int
	covered   [2]int // branch sides, by version
	lastNew   time.Duration
	lastAt    uint64
	idle      int // rounds in a row in which nothing was composed
}

// loop runs rounds until the end, and returns why it ended.
func (d *comparison) loop(ctx context.Context) string {
	for {
		if ctx.Err() != nil {
			return "interrupted"
		}
		if why := d.stopReason(); why != "" {
			return why
		}
		if err := d.round(ctx); err != nil {
			if ctx.Err() != nil {
				return "interrupted"
			}
			d.config.Report.Warn(err.Error())
			return "no worker left"
		}
		d.pump()
		d.config.Report.Progress(d.snapshot())
	}
}

// stopReason returns why the comparison is to end, "" if it is not.
func (d *comparison) stopReason() string {
	elapsed := time.Since(d.began)
	if d.config.Duration > 0 && elapsed >= d.config.Duration {
		return "time"
	}
	if d.config.Sequences > 0 && d.progress.sequences >= d.config.Sequences {
		return "sequences"
	}
	if d.config.Plateau && len(d.queue.list) == 0 && !d.busy && engine.Plateau(d.progress.sequences, elapsed, d.progress.lastAt, d.progress.lastNew) {
		return "plateau"
	}
	return ""
}

// round has each peer compose a batch, and run that of the other.
func (d *comparison) round(ctx context.Context) error {
	composed, err := d.askBoth(ctx, func(p *peer) *wire.Message {
		return &wire.Message{Compose: &wire.Compose{Sequences: p.batch}}
	})
	if err != nil {
		return err
	}
	if _, err := d.askBoth(ctx, func(p *peer) *wire.Message {
		if batch := composed[1-p.index]; batch != nil {
			return &wire.Message{Compare: &wire.Compare{Batch: *batch}}
		}
		return nil
	}); err != nil {
		return err
	}
	d.progress.idle++
	for i, b := range composed {
		if b == nil {
			continue
		}
		p := d.peers[i]
		p.batch = min(2*p.batch, batchSequences)
		d.count(i, b)
		if b.Recycle {
			p.stop()
			if err := p.start(ctx); err != nil {
				return err
			}
		}
	}
	if d.progress.idle == maxIdle {
		return fmt.Errorf("%d processes in a row died before their first sequence", maxIdle)
	}
	return nil
}

// askBoth sends each peer a message and returns the batches that they composed.
func (d *comparison) askBoth(ctx context.Context, message func(*peer) *wire.Message) (batches [2]*wire.Batch, err error) {
	var answers [2]chan answer
	for i, p := range d.peers {
		answers[i] = make(chan answer, 1)
		go func() { answers[i] <- p.ask(ctx, message(p)) }()
	}
	var errs [2]error
	for i, p := range d.peers {
		errs[i] = d.take(ctx, p, <-answers[i], &batches[i])
	}
	return batches, errors.Join(errs[:]...)
}

// count counts a batch of version i.
func (d *comparison) count(i int, b *wire.Batch) {
	d.progress.sequences += uint64(b.Sequences)
	d.progress.steps += b.Steps
	if b.Sequences > 0 {
		d.progress.idle = 0
	}
	if b.Covered > d.progress.covered[i] {
		d.progress.covered[i] = b.Covered
		d.news()
	}
}

// news notes that there is something new.
func (d *comparison) news() {
	d.progress.lastNew, d.progress.lastAt = time.Since(d.began), d.progress.sequences
}

// take handles the answer of a peer.
func (d *comparison) take(ctx context.Context, p *peer, a answer, batch **wire.Batch) error {
	for _, e := range a.entries {
		d.learn.Entries = append(d.learn.Entries, e.Steps)
	}
	switch {
	case a.err != nil:
		return a.err
	case a.ended:
		return d.ended(ctx, p, a)
	case a.msg == nil:
	case a.msg.Batch != nil:
		*batch = a.msg.Batch
	case a.msg.Compared != nil:
		d.markUnstable(a.msg.Compared.Unstable)
		for _, m := range a.msg.Compared.Mismatches {
			if steps, err := seq.DecodeBinary(d.config.Table, d.config.Pool.Literals, m.Steps); err == nil {
				d.queue.add(request{steps: steps, key: m.Key})
			}
		}
	}
	return nil
}

// ended follows up the end of a peer's process, and starts it anew.
func (d *comparison) ended(ctx context.Context, p *peer, a answer) error {
	p.stop() // its mapping is still there
	d.progress.deaths++
	p.batch = max(p.batch/4, minBatch)
	death := a.death.Cause(a.ran)
	death.At, death.Heeded = time.Now(), a.sent
	c := d.policy.Died(death)
	if !c.Empty() {
		d.tell(wire.Learn{Restrict: c.Restrict, Disable: c.Disable, Backoff: c.Backoff, Apart: c.Apart})
	}
	if death.OwnPanic {
		return p.start(ctx)
	}
	ops := d.policy.Blamed(death)
	d.dropEntries(ops)
	if calls(a.ran, ops) {
		d.queue.add(request{steps: a.ran, key: deathKey | uint64(ops[0]), death: true})
	}
	d.config.Report.Note(fmt.Sprintf("a worker of the %s version ended (%s, blamed on %s): %s",
		[2]string{"old", "new"}[p.index], a.death.Kind(), d.names(ops), d.config.Table.OneLine(a.ran)))
	return p.start(ctx)
}

// names returns the name of the member that operations are instances of.
func (d *comparison) names(ops []seq.OpID) string {
	if len(ops) == 0 {
		return "nothing"
	}
	return memberName(d.config.Table, &d.config.Table.Ops[ops[0]])
}

// dropEntries drops the entries that call operations which ended a worker: there are many
// entries, and starting a worker is expensive.
func (d *comparison) dropEntries(ops []seq.OpID) {
	// A copy: the entries may still be on their way to a worker.
	d.learn.Entries = slices.DeleteFunc(slices.Clone(d.learn.Entries), func(e []byte) bool {
		s, err := seq.DecodeBinary(d.config.Table, d.config.Pool.Literals, e)
		return err != nil || calls(s, ops)
	})
}

// deathKey marks the keys of sequences that end their process.
const deathKey = 1 << 49

// tell tells both peers something, now and whenever they start anew.
func (d *comparison) tell(l wire.Learn) {
	d.learn.Disable = append(d.learn.Disable, l.Disable...)
	d.learn.Restrict = append(d.learn.Restrict, l.Restrict...)
	d.learn.Backoff = append(d.learn.Backoff, l.Backoff...)
	d.learn.Unstable = append(d.learn.Unstable, l.Unstable...)
	d.learn.Differ = append(d.learn.Differ, l.Differ...)
	d.learn.Muted = append(d.learn.Muted, l.Muted...)
	d.learn.Apart = max(d.learn.Apart, l.Apart)
	for _, p := range d.peers {
		if p.p != nil {
			p.p.Send(&wire.Message{Learn: &l})
		}
	}
}

// pump gives the examiner the next request, and takes its results, without waiting.
func (d *comparison) pump() {
	for {
		if !d.busy && len(d.queue.list) > 0 {
			next := d.queue.next()
			next.unstable = slices.Clone(d.learn.Unstable)
			d.requests <- next
			d.busy = true
		}
		select {
		case r := <-d.results:
			d.examined(r)
		default:
			return
		}
	}
}

// drain waits for the request that is being examined, and for some that wait.
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
		d.pump()
		if !d.busy {
			return
		}
		select {
		case r := <-d.results:
			d.examined(r)
		case <-interrupted:
			interrupted = nil
			limit.Reset(interruptedTime)
		case <-limit.C:
			d.config.Report.Warn(fmt.Sprintf("no time was left for %d of the sequences that the versions run differently; a longer run may look at them", len(d.queue.list)+1))
			d.queue.list = nil
			return
		}
	}
}

// examined handles the result of a request.
func (d *comparison) examined(r result) {
	d.busy = false
	d.flaky += r.flaky
	if r.why != "" {
		d.config.Report.Note(fmt.Sprintf("%s: %s", r.why, d.config.Table.OneLine(r.request.steps)))
	}
	fresh := false
	d.markUnstable(r.unstable)
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
		d.queue.tries[r.request.key] = 0
		return
	}
	if d.queue.tries[r.request.key]++; d.queue.tries[r.request.key] == maxTries {
		d.tell(wire.Learn{Muted: []uint64{r.request.key}})
	}
}

// counts reports whether a difference remains without the operations that turned out
// unstable since it was found.
func (d *comparison) counts(f *Difference) bool {
	_, ok := difference.First(d.config.Table, f.Steps, f.Before, f.After, func(op seq.OpID) bool {
		return slices.Contains(d.learn.Unstable, op)
	})
	return ok
}

// markUnstable leaves the results of operations that do not repeat themselves out of the
// comparison, and those of the other instances of their functions.
func (d *comparison) markUnstable(ops []seq.OpID) {
	for _, op := range ops {
		if !slices.Contains(d.learn.Unstable, op) {
			d.config.Report.Note("does not repeat itself: " + memberName(d.config.Table, &d.config.Table.Ops[op]))
			d.tell(wire.Learn{Unstable: d.config.Table.Instances(op)})
		}
	}
}

// memberName returns the name that differences are told apart by. All instances of a
// generic function have one. An operation that is no member is named with its operand.
func memberName(t *seq.Table, op *seq.Operation) string {
	if op.Member != "" || len(op.Params) == 0 {
		return cmp.Or(op.Member, op.Short)
	}
	of, _, _ := strings.Cut(t.Types[op.Params[0]].Name, "[")
	return op.Short + " of " + of
}

func (d *comparison) end() {
	for _, p := range d.peers {
		if p != nil {
			p.stop()
		}
	}
}

func (d *comparison) snapshot() Snapshot {
	s := Snapshot{
		Elapsed: time.Since(d.began), Sequences: d.progress.sequences, Steps: d.progress.steps,
		Differences: len(d.causes.list), Unstable: len(d.learn.Unstable), Deaths: d.progress.deaths, Pending: len(d.queue.list),
	}
	if d.busy {
		s.Pending++
	}
	return s
}
