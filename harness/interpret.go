package harness

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// An interpreter reads the inputs of a fuzz test as sequences and runs them.
//
// An input is text if some of its statements mean anything: those are run. Else it
// is the choices of composition, a byte or some for each. So every input is a
// sequence, and the same one whenever it is read.
type interpreter struct {
	surface *surface
	pool    *engine.Pool
	parser  *seq.Parser
	limits  Limits
	runner  *runner
}

func newInterpreter(s *surface, l Limits) (*interpreter, error) {
	p, err := seq.NewParser(s.table)
	if err != nil {
		return nil, err
	}
	in := &interpreter{surface: s, pool: engine.NewPool(s.table), parser: p, limits: l.orDefault()}
	in.runner = in.newRunner()
	for _, lit := range in.pool.Literals {
		in.runner.exec.Box(lit)
	}
	return in, nil
}

// A runner is a goroutine with an executor of its own, in which sequences run. If a
// call does not return, the runner is abandoned and replaced.
type runner struct {
	exec     *executor.Executor
	composer *engine.Composer
	jobs     chan func() run
	done     chan run

	mu    sync.Mutex
	steps seq.Sequence // the sequence under way, to report if the runner is abandoned
}

// A run is a sequence with its verdict.
type run struct {
	steps   seq.Sequence
	verdict *engine.Verdict // nil if nothing was wrong
	took    time.Duration   // longer than the limit
}

func (in *interpreter) newRunner() *runner {
	r := &runner{jobs: make(chan func() run), done: make(chan run, 1)}
	// An input has one verdict, independent of earlier inputs: every panic is judged.
	r.exec = executor.New(in.surface.table, in.surface.bindings, wire.SharedOf(make([]byte, wire.SharedBytes)), executor.Options{Alike: true})
	r.composer = engine.NewComposer(in.surface.table, in.pool, noting{r.exec, r}, in.limits.Steps)
	go r.serve()
	return r
}

func (r *runner) serve() {
	r.exec.Own(func(stack []byte) {
		s := r.running()
		v := engine.Verdict{Claim: engine.ClaimOwn, Kind: engine.KindExit, Message: "a call ended its goroutine, by runtime.Goexit", Stack: string(stack)}
		v.Settle(engine.Ruling{Tier: engine.Error, Rule: "exit"}, engine.Ruling{})
		if len(s) > 0 {
			v.Op = s[len(s)-1].Op
		}
		r.done <- run{steps: s, verdict: &v}
	})
	for job := range r.jobs {
		r.done <- job()
	}
}

// running returns the steps that have begun.
func (r *runner) running() seq.Sequence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.steps)
}

// noting is an executor that records its sequence where another goroutine may read
// it.
type noting struct {
	*executor.Executor
	runner *runner
}

// Begin implements [engine.Executor].
func (x noting) Begin(o engine.RunOptions) engine.Run {
	x.runner.mu.Lock()
	x.runner.steps = x.runner.steps[:0]
	x.runner.mu.Unlock()
	x.Executor.Begin(o)
	return x
}

// Append implements [engine.Run].
func (x noting) Append(st seq.Step) engine.StepOutcome {
	x.runner.mu.Lock()
	x.runner.steps = append(x.runner.steps, st)
	x.runner.mu.Unlock()
	out := x.Executor.Append(st)
	if out.Status == engine.Refused {
		x.runner.mu.Lock()
		x.runner.steps = x.runner.steps[:len(x.runner.steps)-1]
		x.runner.mu.Unlock()
	}
	return out
}

// do runs a job in the runner, for as long as the limit allows.
func (in *interpreter) do(job func(r *runner) run) run {
	r := in.runner
	r.jobs <- func() run { return job(r) }
	began, timer := time.Now(), time.NewTimer(in.limits.Time)
	defer timer.Stop()
	select {
	case res := <-r.done:
		if res.verdict != nil && res.verdict.Kind == engine.KindExit {
			in.runner = in.newRunner()
		}
		return res
	case <-timer.C:
		in.runner = in.newRunner()
		close(r.jobs)
		return run{steps: r.running(), took: time.Since(began)}
	}
}

// run reads an input and runs it.
func (in *interpreter) run(input string) run {
	if s := in.text(input); len(s) > 0 {
		return in.do(func(r *runner) run { return in.execute(r, s, engine.Signature{}) })
	}
	return in.do(func(r *runner) run {
		s := r.composer.Compose(choices(input))
		if len(s) == 0 {
			return run{}
		}
		out := r.composer.End()
		res := run{verdict: out.Verdict}
		if out.Verdict != nil {
			res.steps = s.Clone()
		}
		return res
	})
}

// choices returns the source that an input is which is no text.
func choices(input string) *draw.Source { return draw.From(draw.NewBytes([]byte(input))) }

// read reads an input. If that takes a run, it runs in x.
func (in *interpreter) read(x engine.Executor, input string) seq.Sequence {
	if s := in.text(input); len(s) > 0 {
		return s
	}
	return engine.NewComposer(in.surface.table, in.pool, x, in.limits.Steps).Compose(choices(input))
}

// execute runs a sequence that is written down, to show a finding if a signature is wanted.
func (in *interpreter) execute(r *runner, s seq.Sequence, want engine.Signature) run {
	out, ran := engine.Execute(noting{r.exec, r}, in.surface.table, s, engine.RunOptions{Want: want})
	return run{steps: s[:ran], verdict: out.Verdict}
}

// text reads an input as text. It returns nil for other inputs.
func (in *interpreter) text(input string) seq.Sequence {
	if !mayBeText(input) {
		return nil
	}
	s := in.parser.ParseTolerant(input)
	s = s[:min(len(s), in.limits.Steps)]
	for i := range s {
		if len(s[i].Args) > engine.MaxStepArgs {
			return s[:i]
		}
	}
	return s
}

// mayBeText reports whether input may be text. It rejects most other inputs faster
// than a parser does: a statement starts with a letter or a bracket.
func mayBeText(input string) bool {
	first := strings.TrimLeft(input, "; \t\r\n")
	if first == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(first)
	return (unicode.IsLetter(r) || strings.ContainsRune("_*&([</", r)) && strings.ContainsAny(input, ".({:")
}

// minimizeRuns bounds the runs that a failure is minimized with.
const minimizeRuns = 1000

// minimize returns the shortest sequence found that fails as res does.
func (in *interpreter) minimize(res run) run {
	table := in.surface.table
	small := in.do(func(r *runner) run {
		best, left := res, minimizeRuns
		engine.Minimize(table, in.pool, res.steps, func(s seq.Sequence) bool {
			if left--; left < 0 {
				return false
			}
			got := in.execute(r, s, res.verdict.Signature)
			if got.verdict == nil || got.verdict.Signature != res.verdict.Signature || got.verdict.Tier < res.verdict.Tier {
				return false
			}
			best = run{steps: s, verdict: got.verdict}
			return true
		})
		return best
	})
	if small.took > 0 {
		return res
	}
	return small
}
