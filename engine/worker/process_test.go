package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// exec runs a sequence in a new process, and returns the process when it has answered or
// ended.
func exec(t *testing.T, table *seq.Table, text string, w worker.Watch) (*worker.Process, *wire.Result, worker.Outcome) {
	t.Helper()
	p, err := workertest.Spawn(t, table).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var result *wire.Result
	p.Send(&wire.Message{Exec: &wire.Exec{Steps: seq.AppendBinary(nil, workertest.Parse(t, table, text)), WaitFactor: 1, Linger: 50 * time.Millisecond}})
	outcome := p.Await(t.Context(), w, func(m *wire.Message) bool {
		result = m.Result
		return result != nil
	})
	return p, result, outcome
}

// patient is a watch that takes nothing for hanging.
var patient = worker.Watch{Limits: worker.Limits{Compute: time.Hour, Wait: time.Hour, Total: time.Hour}}

// TestArgs: messages of package flag begin with os.Args[0], so it must not depend on the machine.
func TestArgs(t *testing.T) {
	s := workertest.Spawn(t, workertest.Table())
	if got := worker.Args(s); got[0] != worker.Name || len(got) != 1+len(s.Args) {
		t.Errorf("a process of %s has the arguments %q", s.Binary, got)
	}
}

// TestEnds: how processes end, and how that is described.
func TestEnds(t *testing.T) {
	worker.AnswerWithin(t, time.Minute) // on a busy machine
	hasty := worker.Limits{Compute: 50 * time.Millisecond, Wait: time.Hour, Total: time.Hour}
	for _, tt := range []struct {
		op      string
		watch   worker.Watch
		outcome worker.Outcome
		kind    string // of the death
		check   func(worker.Death, worker.ExitReason) bool
	}{
		{"Get", patient, worker.Answered, "", nil},
		{"Leave", patient, worker.Ended, engine.KindExit, func(d worker.Death, r worker.ExitReason) bool {
			return d.ExitCode == 3 && !d.Late() && r == worker.ExitReason{}
		}},
		{"Race", patient, worker.Ended, engine.KindFatal, func(d worker.Death, _ worker.ExitReason) bool {
			return strings.Contains(d.Stderr, "concurrent map writes") && !d.Late()
		}},
		{"Grab", patient, worker.Ended, engine.KindMemory, func(d worker.Death, _ worker.ExitReason) bool { return !d.Hang }},
		{"Launch", patient, worker.Ended, engine.KindFatal, func(d worker.Death, _ worker.ExitReason) bool {
			return d.Late() && d.Starter() == "(*Box).Launch" && d.Cause(nil).Starter == d.Starter()
		}},
		{"Spin", worker.Watch{Limits: hasty, PerStep: true, Stack: true}, worker.Ended, engine.KindHang, func(d worker.Death, r worker.ExitReason) bool {
			return d.Hang && !d.Idle && r.Hung && strings.Contains(d.Stderr, d.StepFunc+"(") && !strings.Contains(d.Stderr, "SIGQUIT")
		}},
		{"Spin", worker.Watch{Limits: hasty}, worker.Ended, engine.KindHang, func(d worker.Death, r worker.ExitReason) bool {
			return d.Hang && !d.Idle && r.Hung && d.Stderr == ""
		}},
		{"Scribble", patient, worker.Ended, "", func(_ worker.Death, r worker.ExitReason) bool { return r.ProtocolErr != nil }},
	} {
		t.Run(tt.op, func(t *testing.T) {
			table := workertest.Table(tt.op)
			call := "v0." + tt.op + "()"
			if slices.ContainsFunc(table.Ops, func(op seq.Operation) bool { return op.Name == tt.op && len(op.Results) > 0 }) {
				call = "v1 := " + call
			}
			text := "v0 := planted.New(); v0.Put(1); v0.Put(2); " + call
			p, result, outcome := exec(t, table, text, tt.watch)
			defer p.Dispose()
			if outcome != tt.outcome {
				t.Fatalf("outcome %d, want %d", outcome, tt.outcome)
			}
			if outcome == worker.Answered {
				if result.Error != "" || result.Lost != nil || p.State() != nil {
					t.Errorf("answer %+v of a process in state %v", result, p.State())
				}
				return
			}
			d := p.Death()
			if tt.kind != "" && d.Kind() != tt.kind || !tt.check(d, p.ExitReason()) {
				t.Errorf("%s: %+v, %+v, late %v, started by %q", d.Kind(), d, p.ExitReason(), d.Late(), d.Starter())
			}
			if d.StepFunc == "" {
				t.Error("the worker did not name the function that calls the operations")
			}
			if tt.kind == "" {
				return
			}
			ran, err := p.Running(table, engine.NewPool(table).Literals)
			if want := table.String(workertest.Parse(t, table, text)); err != nil || table.String(ran) != want {
				t.Errorf("it ran\n%s, error %v; want\n%s", table.String(ran), err, want)
			}
		})
	}
}

// TestCrashAfterText: what a call printed before, though it looks like a crash, is none of the crash.
func TestCrashAfterText(t *testing.T) {
	for op, want := range map[string]string{"Launch": "panic:index:(*Box).Launch", "Recurse": "fatal:stack-overflow:(*Box).Recurse"} {
		table := workertest.Table("Babble", op)
		text := "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Babble(); v0." + op + "()"
		p, _, _ := exec(t, table, text, patient)
		v := workertest.JudgeDeath(table)(workertest.Parse(t, table, text), p.Death())
		if got := v.Signature.String(); got != want || strings.Contains(p.LastLine(), "not really") {
			t.Errorf("%s, %q; want %s", got, p.LastLine(), want)
		}
		p.Dispose()
	}
}

// TestReportsOfTheDead: who takes the reports of a process late gets all of them.
func TestReportsOfTheDead(t *testing.T) {
	const drain, runs = 300 * time.Millisecond, 300
	worker.DrainWithin(t, drain)
	table := workertest.Table()
	p, err := workertest.Spawn(t, table).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Dispose()
	steps := seq.AppendBinary(nil, workertest.Parse(t, table, "v0 := planted.New()"))
	for range runs {
		p.Send(&wire.Message{Exec: &wire.Exec{Steps: steps}})
	}
	p.Send(&wire.Message{Stop: true})
	<-p.Exited()
	time.Sleep(2 * drain)
	got := 0
	for m := range p.Messages() {
		if m.Result != nil {
			got++
		}
	}
	if got != runs {
		t.Errorf("%d reports, want %d", got, runs)
	}
}

// TestNoAnswer: the runtime shows the call of a process in which no goroutine can answer.
func TestNoAnswer(t *testing.T) {
	worker.AnswerWithin(t, 50*time.Millisecond)
	limits := worker.Limits{Compute: time.Hour, Wait: 100 * time.Millisecond, Total: time.Second}
	p, _, outcome := exec(t, workertest.Table("Freeze"), "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Freeze()", worker.Watch{Limits: limits, PerStep: true, Stack: true})
	defer p.Dispose()
	if d := p.Death(); outcome != worker.Ended || !d.Hang || !strings.Contains(d.Stderr, d.StepFunc+"(") {
		t.Errorf("outcome %d, %+v; want a hang with its stack", outcome, d)
	}
}

// TestAbortEnded: a process that has ended by itself is no hang, should its end be noticed late.
func TestAbortEnded(t *testing.T) {
	p, _, outcome := exec(t, workertest.Table("Leave"), "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Leave()", patient)
	defer p.Dispose()
	p.Abort(true, true)
	if r, d := p.ExitReason(), p.Death(); outcome != worker.Ended || r.Hung || d.Kind() != engine.KindExit {
		t.Errorf("outcome %v, %+v, kind %s, want it to have ended by itself", outcome, r, d.Kind())
	}
}

// TestCancel: when nobody waits any more, the process runs on until it is disposed of.
func TestCancel(t *testing.T) {
	workertest.LeavesNothing(t, func() {
		p, err := workertest.Spawn(t, workertest.Table()).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := p.Await(ctx, patient, func(*wire.Message) bool { return true }); got != worker.Canceled || p.State() != nil {
			t.Errorf("outcome %d, state %v; want it to run", got, p.State())
		}
		p.Kill()
		p.Dispose()
		if r := p.ExitReason(); !r.Killed || r.Hung || p.CPU() < 0 {
			t.Errorf("exit reason %+v, want killed", r)
		}
	})
}

// Nothing is started for somebody who waits no more.
func TestStartCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (worker.Spawn{Binary: "no such file"}).Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one of the context", err)
	}
}

// TestStartFails: an error quotes the process that did not get ready.
func TestStartFails(t *testing.T) {
	s := workertest.Spawn(t, workertest.Table())
	s.Table = "/nonexistent"
	workertest.LeavesNothing(t, func() {
		if _, err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "before it was ready: ") || !strings.Contains(err.Error(), "/nonexistent") {
			t.Errorf("error %v", err)
		}
	})
}

// TestLeave: a worker that is asked to leaves with success.
func TestLeave(t *testing.T) {
	p, _, _ := exec(t, workertest.Table(), "v0 := planted.New()", patient)
	if err := p.Leave(); err != nil {
		t.Error(err)
	}
}

// The processor time of this process grows while it computes.
func TestOwnCPU(t *testing.T) {
	before, ok := worker.OwnCPU()
	if !ok {
		t.Skip("the system does not tell")
	}
	for {
		if now, _ := worker.OwnCPU(); now > before {
			return
		}
	}
}
