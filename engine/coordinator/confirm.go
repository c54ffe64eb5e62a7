package coordinator

import (
	"context"
	"errors"
	"sync"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// confirmRuns is how many fresh processes a finding is shown in.
const confirmRuns = 3

// Bounds on minimizing what ends processes: every try is a process, and one of a
// hang lasts until the deadline.
const (
	deathTries   = 60
	hangTries    = 8
	hangDeadline = time.Second
	// A run that is to be called hanging gets longer, lest it was only slow.
	hangConfirm = 3 * time.Second
)

// confirmer confirms findings one after the other, beside the run.
type confirmer struct {
	config  Config
	results chan result
	done    chan struct{}
	cancel  context.CancelFunc

	mu sync.Mutex
	// Panics and contracts take milliseconds to confirm and go first.
	quick, slow []job
	now         sync.Cond
	end         bool
	sum         time.Duration
}

type job struct {
	finding engine.Finding
	death   bool
}

type result struct {
	finding engine.Finding
	shown   int // of confirmRuns
}

func newConfirmer(c Config) *confirmer {
	ctx, cancel := context.WithCancel(context.Background())
	k := &confirmer{config: c, results: make(chan result), done: make(chan struct{}), cancel: cancel}
	k.now.L = &k.mu
	go k.loop(ctx)
	return k
}

func (k *confirmer) queue(j job) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if j.death {
		k.slow = append(k.slow, j)
	} else {
		k.quick = append(k.quick, j)
	}
	k.now.Signal()
}

func (k *confirmer) close() {
	k.mu.Lock()
	k.end = true
	k.now.Signal()
	k.mu.Unlock()
	k.cancel()
	<-k.done
}

func (k *confirmer) cpu() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sum
}

func (k *confirmer) loop(ctx context.Context) {
	defer close(k.done)
	for {
		k.mu.Lock()
		for len(k.quick)+len(k.slow) == 0 && !k.end {
			k.now.Wait()
		}
		if k.end {
			k.mu.Unlock()
			return
		}
		queue := &k.quick
		if len(k.quick) == 0 {
			queue = &k.slow
		}
		j := (*queue)[0]
		*queue = (*queue)[1:]
		k.mu.Unlock()
		res := k.confirm(ctx, j)
		select {
		case k.results <- res:
		case <-ctx.Done():
			return
		}
	}
}

// confirm runs a finding in fresh processes, after minimizing it if it ends them.
func (k *confirmer) confirm(ctx context.Context, j job) result {
	f := j.finding
	if j.death {
		f = k.minimizeDeath(ctx, f)
	}
	res := k.show(ctx, f)
	if res.shown == 0 && len(f.Original) > len(f.Steps) {
		f.Steps = f.Original
		res = k.show(ctx, f)
	}
	return res
}

// show runs f in fresh processes at once and counts those that show the same.
func (k *confirmer) show(ctx context.Context, f engine.Finding) result {
	deadline := hangDeadline
	if f.Verdict.Kind == engine.KindHang {
		deadline = hangConfirm
	}
	verdicts := make([]*engine.Verdict, confirmRuns)
	var wg sync.WaitGroup
	for i := range verdicts {
		wg.Go(func() { verdicts[i] = k.once(ctx, f.Steps, deadline) })
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
func (k *confirmer) once(ctx context.Context, s seq.Sequence, deadline time.Duration) *engine.Verdict {
	p, err := k.config.Spawn.start(ctx)
	if err != nil {
		return nil
	}
	defer k.put(p)
	ex, _ := k.exec(ctx, p, s, deadline)
	return ex.verdict
}

// put ends a process in peace, or not.
func (k *confirmer) put(p *process) {
	p.commands.Close()
	select {
	case <-p.exited:
	case <-time.After(time.Second):
		p.kill()
		<-p.exited
	}
	k.mu.Lock()
	k.sum += p.cpu()
	k.mu.Unlock()
	_ = wire.Unmap(p.shared)
}

var errDied = errors.New("process died")

// execution is what a process showed of a sequence.
type execution struct {
	verdict *engine.Verdict
	sides   []int32
	refused error // the worker would not run it
}

// exec runs s in p. The error is errDied if p can run nothing more; the verdict
// then says how it died.
func (k *confirmer) exec(ctx context.Context, p *process, s seq.Sequence, deadline time.Duration) (execution, error) {
	if err := p.send(&wire.Message{Exec: &wire.Exec{Steps: seq.AppendBinary(nil, s)}}); err != nil {
		return execution{}, errDied
	}
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	hung := false
	for {
		select {
		case m, ok := <-p.messages:
			if !ok {
				return k.ended(p, hung), errDied
			}
			if m.Result == nil {
				continue
			}
			ex := execution{verdict: m.Result.Verdict, sides: m.Result.Sides}
			if m.Result.Error != "" {
				ex.refused = errors.New(m.Result.Error)
			}
			return ex, nil
		case <-timer.C:
			hung = true
			go p.quit(false)
		case <-ctx.Done():
			p.kill()
			<-p.exited
			return execution{}, ctx.Err()
		}
	}
}

// ended judges the end of a process that was to run a sequence.
func (k *confirmer) ended(p *process, hung bool) execution {
	<-p.exited
	if p.cmd.ProcessState.ExitCode() == 0 && p.shared.Length.Load() == 0 {
		return execution{}
	}
	ran, err := p.journalled(k.config)
	if err != nil || len(ran) == 0 {
		return execution{}
	}
	v := k.config.JudgeDeath(ran, p.death(hung))
	return execution{verdict: &v}
}

// minimizeDeath minimizes a sequence that ends its process: one process a try
// that does, and as long as tries do not, the same process for the next.
func (k *confirmer) minimizeDeath(ctx context.Context, f engine.Finding) engine.Finding {
	tries, deadline := deathTries, hangDeadline
	if f.Verdict.Kind == engine.KindHang {
		tries = hangTries
	}
	var p *process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	f.Steps = engine.Minimize(k.config.Table, k.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if tries--; tries < 0 || ctx.Err() != nil {
			return false
		}
		if p == nil {
			var err error
			if p, err = k.config.Spawn.start(ctx); err != nil {
				return false
			}
		}
		ex, err := k.exec(ctx, p, s, deadline)
		v := ex.verdict
		if err != nil {
			k.put(p)
			p = nil
		}
		if v == nil || v.Signature != f.Verdict.Signature || v.Tier < f.Verdict.Tier {
			if err == nil {
				tries++ // a try that ended nothing cost next to nothing
			}
			return false
		}
		f.Verdict = *v
		return true
	})
	return f
}

// journalled returns the sequence that was running when p ended.
func (p *process) journalled(c Config) (seq.Sequence, error) {
	n := min(int(p.shared.Length.Load()), len(p.shared.Journal))
	return seq.DecodeSteps(c.Table, c.Pool.Literals, p.shared.Journal[:n])
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
