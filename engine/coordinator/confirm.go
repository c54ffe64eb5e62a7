package coordinator

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// confirmRuns is how many fresh processes a finding is shown in.
const confirmRuns = 3

// Bounds on what one confirmation may take, some seven seconds in all. Every try
// that ends its process costs one, and one of a hang lasts until its deadline.
const (
	minimizeTime = 2500 * time.Millisecond
	hurriedTime  = 500 * time.Millisecond // … once the run is over
	// A sequence takes microseconds, so that one which lasts this long hangs, or
	// will turn out to be slow when it is confirmed.
	hangTry = 200 * time.Millisecond
	// A run that is to be called hanging gets longer, lest it was only slow.
	hangConfirm = 2 * time.Second
	// Any other way to end a process takes less, with the time to fill a stack or
	// the memory limit.
	deathTime = 2 * time.Second
)

// confirmer confirms findings beside the run: one of a class at a time, so that
// panics and contracts, which take milliseconds, wait for no hang.
type confirmer struct {
	config   Config
	minimize time.Duration // bounds the minimizing of one death
	ctx      context.Context
	results  chan result
	cancel   context.CancelFunc
	waiting  sync.WaitGroup
	// A turn is held by whoever confirms a finding of the class.
	quick, deaths, hangs chan struct{}
	hurried              atomic.Bool
	cpuTime              atomic.Int64 // of its processes
}

type job struct {
	finding engine.Finding
	death   bool
}

type result struct {
	finding engine.Finding
	shown   int    // of confirmRuns
	queued  string // the signature that it had in the queue
}

func newConfirmer(c Config) *confirmer {
	ctx, cancel := context.WithCancel(context.Background())
	turn := func() chan struct{} { return make(chan struct{}, 1) }
	return &confirmer{
		config: c, minimize: max(minimizeTime, c.patience), ctx: ctx, cancel: cancel, results: make(chan result),
		quick: turn(), deaths: turn(), hangs: turn(),
	}
}

// queue has j confirmed when its turn comes. The result comes on k.results.
func (k *confirmer) queue(j job) {
	turn := k.quick
	switch {
	case j.death && j.finding.Verdict.Kind == engine.KindHang:
		turn = k.hangs
	case j.death:
		turn = k.deaths
	}
	k.waiting.Go(func() {
		select {
		case turn <- struct{}{}:
		case <-k.ctx.Done():
			return
		}
		res := k.confirm(j)
		res.queued = j.finding.Verdict.Signature
		<-turn
		select {
		case k.results <- res:
		case <-k.ctx.Done():
		}
	})
}

// hurry says that the run is over and waits for what is being confirmed.
func (k *confirmer) hurry() { k.hurried.Store(true) }

// close drops what is not confirmed and ends all processes.
func (k *confirmer) close() {
	k.cancel()
	k.waiting.Wait()
}

func (k *confirmer) cpu() time.Duration { return time.Duration(k.cpuTime.Load()) }

// confirm runs a finding in fresh processes, after minimizing it if it ends them.
// Should the minimized sequence not show it, longer ones may.
func (k *confirmer) confirm(j job) result {
	f := j.finding
	minimize := j.death
	if f.Verdict.Kind == engine.KindHang && j.death {
		// The clock called it so. With patience it may be something else, or slow.
		v := k.once(f.Steps, hangConfirm)
		if minimize = v != nil; minimize {
			f.Verdict = *v
		}
	}
	list := []engine.Finding{f}
	if minimize {
		list = k.minimizeDeath(f)
	}
	if len(f.Original) > len(f.Steps) {
		list = append(list, engine.Finding{Verdict: f.Verdict, Steps: f.Original, Original: f.Original})
	}
	var res result
	for _, f := range list {
		if res = k.show(f); res.shown > 0 || k.hurried.Load() {
			break
		}
	}
	return res
}

// show runs f in fresh processes at once and counts those that show the same.
func (k *confirmer) show(f engine.Finding) result {
	deadline := deathTime
	if f.Verdict.Kind == engine.KindHang {
		deadline = hangConfirm
	}
	verdicts := make([]*engine.Verdict, confirmRuns)
	var wg sync.WaitGroup
	for i := range verdicts {
		wg.Go(func() { verdicts[i] = k.once(f.Steps, deadline) })
	}
	wg.Wait()
	res := result{finding: f}
	for _, v := range verdicts {
		if v != nil && v.Signature == f.Verdict.Signature {
			res.shown++
			res.finding.Verdict = *v
		}
	}
	return res
}

// once runs s in a process of its own.
func (k *confirmer) once(s seq.Sequence, deadline time.Duration) *engine.Verdict {
	p, err := k.config.Spawn.start(k.ctx)
	if err != nil {
		return nil
	}
	defer k.put(p)
	ex, _ := k.exec(k.ctx, p, execOf(s), deadline)
	return ex.verdict
}

// put ends a process.
func (k *confirmer) put(p *process) {
	p.dispose()
	k.cpuTime.Add(int64(p.cpu()))
}

var errDied = errors.New("process died")

// execution is what a process showed of a sequence.
type execution struct {
	verdict *engine.Verdict
	sides   []int32
	run     *difference.Run // if it was to be observed
	refused error           // the worker would not run it
	died    int             // in which step, if the process did
}

// execOf asks for a plain run of s.
func execOf(s seq.Sequence) *wire.Exec { return &wire.Exec{Steps: seq.AppendBinary(nil, s)} }

// starved is how many times longer a run may take on a machine that is busy with
// other things before it counts as hanging all the same.
const starved = 5

// watchEvery is how often a process that runs a sequence is looked at.
const watchEvery = 20 * time.Millisecond

// exec has p run a sequence. The error is errDied if p can run nothing more; the verdict
// then says how it died.
func (k *confirmer) exec(ctx context.Context, p *process, order *wire.Exec, deadline time.Duration) (execution, error) {
	p.send(&wire.Message{Exec: order})
	watch := newStopwatch(p)
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	hung, late := false, false
	for {
		select {
		case m, ok := <-p.messages:
			switch {
			case !ok && late:
				return execution{}, errDied
			case !ok:
				return k.ended(p, hung), errDied
			case m.Result == nil:
				continue
			case hung:
				late = true // it was slow, and is being ended for it
				continue
			}
			ex := execution{verdict: m.Result.Verdict, sides: m.Result.Sides, run: m.Result.Run}
			if m.Result.Error != "" {
				ex.refused = errors.New(m.Result.Error)
			}
			return ex, nil
		case <-ticker.C:
			if over, idle := watch.hangs(deadline, deadline, starved*deadline); over && !hung {
				hung = true
				go p.quit(idle)
			}
		case <-ctx.Done():
			p.kill()
			<-p.exited
			return execution{}, errDied
		}
	}
}

// ended judges the end of a process that was to run a sequence.
func (k *confirmer) ended(p *process, hung bool) execution {
	<-p.exited
	if _, _, garbled := p.fate(); garbled != nil {
		return execution{}
	}
	ran, err := p.journalled(k.config)
	if err != nil || len(ran) == 0 {
		return execution{}
	}
	v := k.config.JudgeDeath(ran, p.death(hung))
	return execution{verdict: &v, died: len(ran) - 1}
}

// minimizeDeath minimizes a sequence that ends its process: one process a try
// that does, and as long as tries do not, the same process for the next. It
// returns what it came to and, in case that was a step too far, what it had when
// it last removed a step.
func (k *confirmer) minimizeDeath(f engine.Finding) []engine.Finding {
	began := time.Now()
	deadline := deathTime
	if f.Verdict.Kind == engine.KindHang {
		deadline = hangTry
	}
	var p *process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	best, short := f, f
	best.Steps = engine.Minimize(k.config.Table, k.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		spent := time.Since(began)
		if spent > k.minimize || spent > hurriedTime && k.hurried.Load() || k.ctx.Err() != nil {
			return false
		}
		if f.Verdict.Kind == engine.KindHang && quickens(best.Steps, s) {
			return false
		}
		if p == nil {
			var err error
			if p, err = k.config.Spawn.start(k.ctx); err != nil {
				return false
			}
		}
		ex, err := k.exec(k.ctx, p, execOf(s), deadline)
		if err != nil {
			k.put(p)
			p = nil
		}
		v := ex.verdict
		if v == nil || v.Signature != f.Verdict.Signature || v.Tier < f.Verdict.Tier {
			return false
		}
		best.Verdict, best.Steps = *v, s
		if len(s) < len(short.Steps) {
			short = best
		}
		return true
	})
	list := []engine.Finding{best}
	if len(short.Steps) < len(f.Steps) && !sameSteps(short.Steps, best.Steps) {
		list = append(list, short)
	}
	return list
}

// quickens reports whether s has a large number where now has a larger one, and
// is the same otherwise: what does not return for the one may only be slow for the
// other. With a small number in its place no call is.
func quickens(now, s seq.Sequence) bool {
	if len(now) != len(s) {
		return false
	}
	for i := range s {
		if s[i].Op != now[i].Op || len(s[i].Args) != len(now[i].Args) {
			return false
		}
		for j, a := range s[i].Args {
			b := now[i].Args[j]
			if a.Lit != b.Lit && a.Lit != nil && b.Lit != nil && isLarge(a.Lit.Value) && isLarge(b.Lit.Value) {
				return true
			}
		}
	}
	return false
}

func isLarge(v any) bool {
	const large = 1 << 10
	switch v := v.(type) {
	case int64:
		return v > large || v < -large
	case uint64:
		return v > large
	case float64:
		return math.Abs(v) > large
	}
	return false
}

func sameSteps(a, b seq.Sequence) bool {
	return string(seq.AppendBinary(nil, a)) == string(seq.AppendBinary(nil, b))
}

// journalled returns the sequence that was running when p ended.
func (p *process) journalled(c Config) (seq.Sequence, error) {
	return seq.DecodeSteps(c.Table, c.Pool.Literals, p.journal())
}

// journal returns the steps in the journal, in seq's binary form.
func (p *process) journal() []byte {
	return p.shared.Journal[:min(int(p.shared.Length.Load()), len(p.shared.Journal))]
}

func (p *process) death(hung bool) Death {
	p.mu.Lock()
	idle := p.idle
	p.mu.Unlock()
	d := Death{Hang: hung, Idle: hung && idle, ExitCode: p.cmd.ProcessState.ExitCode(), Stderr: p.stderr.String(), Judging: p.shared.Judging.Load() != 0}
	if sig := signalOf(p.cmd.ProcessState); sig != "" && !hung {
		d.Signal = sig
	}
	return d
}
