package coordinator

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
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
	// … and so much longer where the worker itself sees that a call waits.
	confirmPatience = 20
	// Any other way to end a process takes less, with the time to fill a stack or
	// the memory limit.
	deathTime = 2 * time.Second
)

// confirmer confirms findings beside the run: one of a class at a time, so that
// panics and contracts, which take milliseconds, wait for no hang.
type confirmer struct {
	config   Config
	minimize time.Duration // bounds the minimizing of one death
	hurrying time.Duration // … once the run is over
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
	// late says that a goroutine ended the process that the step did not run in; it
	// may have been started by one of the sequences before.
	late   bool
	before []seq.Sequence // oldest first
}

type result struct {
	finding engine.Finding
	shown   int            // of confirmRuns
	queued  engine.Verdict // that it had in the queue
	death   bool
}

func newConfirmer(c Config) *confirmer {
	ctx, cancel := context.WithCancel(context.Background())
	turn := func() chan struct{} { return make(chan struct{}, 1) }
	return &confirmer{
		config: c, minimize: max(minimizeTime, c.patience), hurrying: max(hurriedTime, c.patience), ctx: ctx, cancel: cancel, results: make(chan result),
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
		res.queued, res.death = j.finding.Verdict, j.death
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
		v := k.once(f.Steps, trial{deadline: hangConfirm})
		if minimize = v != nil; minimize {
			f.Verdict = *v
		}
	}
	list := []engine.Finding{f}
	if minimize {
		list = k.minimizeDeath(f, trial{linger: j.linger(), fresh: j.late})
	}
	if len(f.Original) > len(f.Steps) {
		list = append(list, engine.Finding{Verdict: f.Verdict, Steps: f.Original, Original: f.Original})
	}
	var res result
	for _, f := range list {
		if res = k.show(f, j.linger()); res.shown > 0 || k.hurried.Load() {
			break
		}
	}
	if res.shown == 0 {
		if f, ok := k.withEarlier(j); ok {
			for _, f := range k.minimizeDeath(f, trial{linger: j.linger(), fresh: true}) {
				if res = k.show(f, j.linger()); res.shown > 0 {
					break
				}
			}
		}
	}
	return res
}

// withEarlier returns the finding of j with one of the sequences before instead, or
// with as many of them in front as it takes to show it. It reports false if
// nothing does.
func (k *confirmer) withEarlier(j job) (engine.Finding, bool) {
	began := time.Now()
	n := len(j.before)
	var list []seq.Sequence
	if j.late {
		// Most are parts of another, run to prune it: the longest first.
		list = slices.Clone(j.before)
		slices.SortStableFunc(list, func(a, b seq.Sequence) int { return len(b) - len(a) })
		list = list[:min(n, maxAlone)]
	}
	joined := j.finding.Original
	for i := n - 1; i >= max(0, n-maxJoined); i-- {
		if len(joined)+len(j.before[i]) > maxJoinedSteps {
			break
		}
		joined = seq.Concat(k.config.Table, j.before[i], joined)
		list = append(list, joined)
	}
	for _, s := range list {
		if k.over(began) {
			break
		}
		if v := k.once(s, trial{deadline: deathTime, linger: j.linger()}); v != nil && v.Signature == j.finding.Verdict.Signature {
			return engine.Finding{Verdict: *v, Steps: s, Original: s}, true
		}
	}
	return j.finding, false
}

// How many of the sequences before are tried, alone and joined in front.
const (
	maxAlone       = 8
	maxJoined      = 8
	maxJoinedSteps = 2000
)

// over reports whether what has begun then has taken its time.
func (k *confirmer) over(began time.Time) bool {
	spent := time.Since(began)
	return spent > k.minimize || spent > k.hurrying && k.hurried.Load() || k.ctx.Err() != nil
}

// lingerTime is how long a process is given behind the last step to be ended by a
// goroutine.
const lingerTime = 50 * time.Millisecond

func (j *job) linger() time.Duration {
	if j.late {
		return lingerTime
	}
	return 0
}

// trial says how a sequence is run.
type trial struct {
	deadline time.Duration
	linger   time.Duration // behind the last step
	want     string        // the signature of the finding that is to show again; see engine.Executor
	// fresh says that each try has a process of its own: what one leaves behind is
	// what the next would trip over.
	fresh bool
	// fork, if it is not zero, asks for the steps from there on in two goroutines.
	fork int
	// observe asks for what could be seen of each step, instead of a verdict.
	observe bool
	// input is what the worker is to read the sequence from, if not nil.
	input *string
	// study asks for what the sequence leaves, and whether like leaves the same.
	study  bool
	like   seq.Sequence
	record bool // asks for what a test can compare with
}

// show runs f in fresh processes at once and counts those that show the same.
func (k *confirmer) show(f engine.Finding, linger time.Duration) result {
	t := trial{deadline: deathTime, linger: linger, want: f.Verdict.Signature}
	if f.Verdict.Kind == engine.KindHang {
		t.deadline = hangConfirm
	}
	verdicts := make([]*engine.Verdict, confirmRuns)
	var wg sync.WaitGroup
	for i := range verdicts {
		wg.Go(func() { verdicts[i] = k.once(f.Steps, t) })
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
func (k *confirmer) once(s seq.Sequence, t trial) *engine.Verdict {
	p, err := k.config.Spawn.Start(k.ctx)
	if err != nil {
		return nil
	}
	defer k.put(p)
	ex, _ := k.exec(k.ctx, p, s, t)
	return ex.verdict
}

// put ends a process.
func (k *confirmer) put(p *worker.Process) {
	p.Dispose()
	k.cpuTime.Add(int64(p.CPU()))
}

// errDied says that a process can run nothing more: it is dead, or holds what it
// never gives back.
var errDied = errors.New("process died")

// execution is what a process showed of a sequence.
type execution struct {
	verdict *engine.Verdict
	sides   []int32
	run     *difference.Run // if it was to be observed
	left    *wire.Left      // if it was to be studied, and did not break
	record  *regression.Run // … or recorded
	refused error           // the worker would not run it
	steps   seq.Sequence    // what ran, if the worker was to read it
	died    int             // in which step, if the process did
}

// watchEvery is how often a process that runs a sequence is looked at.
const watchEvery = 20 * time.Millisecond

// exec has p run a sequence. The error is errDied if p can run nothing more; the verdict
// then says how it died.
func (k *confirmer) exec(ctx context.Context, p *worker.Process, s seq.Sequence, t trial) (execution, error) {
	k.order(p, s, t)
	return k.await(ctx, p, s, t)
}

// order asks p to run a sequence, behind those that it was asked to run before.
func (k *confirmer) order(p *worker.Process, s seq.Sequence, t trial) {
	patience := 1
	if t.deadline > hangTry {
		patience = confirmPatience
	}
	order := &wire.Exec{Steps: seq.AppendBinary(nil, s), Patience: patience, Linger: t.linger, Want: t.want, Fork: t.fork, Observe: t.observe, Study: t.study, Record: t.record, Input: t.input}
	if t.like != nil {
		order.Like = seq.AppendBinary(nil, t.like)
	}
	p.Send(&wire.Message{Exec: order})
}

// await waits for what the first sequence shows that p was asked to run and has not
// told of, which is s.
func (k *confirmer) await(ctx context.Context, p *worker.Process, s seq.Sequence, t trial) (execution, error) {
	deadline := max(t.deadline, k.config.Patience)
	watch := p.Stopwatch()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	hung, late := false, false
	for {
		select {
		case m, ok := <-p.Messages():
			switch {
			case !ok && late:
				return execution{}, errDied
			case !ok && t.fork > 0:
				return k.raced(p, s, t.fork), errDied
			case !ok:
				return k.ended(p, hung, s), errDied
			case m.Result == nil:
				continue
			case hung:
				late = true // it was slow, and is being ended for it
				continue
			case m.Result.Lost != nil:
				return k.lost(m.Result.Lost), errDied
			}
			ex := execution{verdict: m.Result.Verdict, sides: m.Result.Sides, run: m.Result.Run, left: m.Result.Left, record: m.Result.Record}
			if m.Result.Error != "" {
				ex.refused = errors.New(m.Result.Error)
			} else if t.input != nil {
				ex.steps, ex.refused = seq.DecodeBinary(k.config.Table, k.config.Pool.Literals, m.Result.Steps)
			}
			return ex, nil
		case <-ticker.C:
			if over, idle := watch.Hangs(deadline, deadline, worker.Starved*deadline); over && !hung {
				hung = true
				go p.Quit(idle)
			}
		case <-ctx.Done():
			p.Kill()
			<-p.Exited()
			return execution{}, errDied
		}
	}
}

// lost judges a run that a worker gave up.
func (k *confirmer) lost(m *wire.Lost) execution {
	s, err := seq.DecodeSteps(k.config.Table, k.config.Pool.Literals, m.Steps)
	if err != nil || len(s) == 0 {
		return execution{}
	}
	v := k.config.JudgeDeath(s, worker.DeathOf(m))
	return execution{verdict: &v, died: len(s) - 1, steps: s}
}

// ended judges the end of a process that was to run s.
func (k *confirmer) ended(p *worker.Process, hung bool, s seq.Sequence) execution {
	<-p.Exited()
	if _, _, garbled := p.Fate(); garbled != nil {
		return execution{}
	}
	ran, err := p.Running(k.config.Table, k.config.Pool.Literals)
	if err != nil {
		return execution{}
	}
	if len(ran) == 0 {
		if !p.Death(hung).Late() {
			return execution{}
		}
		ran = s // all of it: a goroutine ended the process behind the last step
	}
	if len(ran) == 0 {
		return execution{} // it was to be read yet
	}
	v := k.config.JudgeDeath(ran, p.Death(hung))
	return execution{verdict: &v, died: len(ran) - 1, steps: ran}
}

// minimizeDeath minimizes a sequence that ends its process: one process a try
// that does, and as long as tries do not, the same process for the next, unless t
// says otherwise; it says how long to linger, too. It
// returns what it came to and, in case that was a step too far, what it had when
// it last removed a step.
func (k *confirmer) minimizeDeath(f engine.Finding, t trial) []engine.Finding {
	began := time.Now()
	t.deadline = deathTime
	if f.Verdict.Kind == engine.KindHang {
		t.deadline = hangTry
	}
	var p *worker.Process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	best, short := f, f
	best.Steps = engine.Minimize(k.config.Table, k.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if k.over(began) {
			return false
		}
		if f.Verdict.Kind == engine.KindHang && quickens(best.Steps, s) {
			return false
		}
		if p == nil {
			var err error
			if p, err = k.config.Spawn.Start(k.ctx); err != nil {
				return false
			}
		}
		ex, err := k.exec(k.ctx, p, s, t)
		if err != nil || t.fresh {
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
