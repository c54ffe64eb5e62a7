// Package process is the main loop of a worker, the process in which the foray command
// runs the code under test: see [Main].
package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"foray.test/coverage"
	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// Exit codes of a worker, beside those that the code under test makes up.
const (
	exitDone  = 0
	exitBroke = 70 // the worker itself broke: the message is on standard error
)

// Main is the main function of a worker. It takes its table from the file that
// the environment names, its orders from the coordinator, and does not return.
func Main(b executor.Bindings) {
	w, err := newWorker(b)
	if err != nil {
		fail(err)
	}
	go w.readCommands()
	go w.watch()
	go w.serve()
	select {}
}

// Run runs a worker in this goroutine, which owns the executor for good,
// until the coordinator ends it. A call that waits for ever ends the process: the
// goroutine that runs a fuzz function is one of package testing, and holds its T.
func Run(b executor.Bindings) error {
	w, err := newWorker(b)
	if err != nil {
		return err
	}
	go w.readCommands()
	w.own()
	w.shared.Goroutine.Store(0) // of a fuzz function: another for each frame
	go func() {
		for w.exec.Exempt(); ; time.Sleep(lookEvery) {
			w.tellIfAsked()
		}
	}()
	return w.obey()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "foray worker:", err)
	os.Exit(exitBroke)
}

// A worker is the process's side of the conversation with the coordinator. It
// belongs to the goroutine that has the ownership.
type worker struct {
	table      *seq.Table
	pool       *engine.Pool
	conditions []coverage.Condition                               // of an analysis build
	read       func(x engine.Executor, input string) seq.Sequence // see [executor.Bindings]
	exec       *executor.Executor
	executor   engine.Executor // exec, or the tracing one of an analysis build

	inherited wire.Inherited
	shared    *wire.Shared
	commands  chan *wire.Message
	reports   io.Writer
	err       error // of the reports: the coordinator is gone

	asked *wire.Exec // the sequence to run for the coordinator
	side  *side      // nil unless the worker is one side of a comparison
	search
	watchdog
	losses
}

// A search is the state of composing and of its reports.
type search struct {
	engine     *engine.Engine // nil until the worker is to compose
	sequences  uint64         // how many to compose; 0 means no bound
	untilQuiet bool           // it ends when composition is quiet
	stops      atomic.Bool    // it is to end: an order that may be behind others says so
	explores   bool           // it ends when there is no more to explore
	entries    [][]byte       // to be learnt yet
	seeds      [][]byte       // sequences of tests that are to run yet

	named    *coverage.Set         // sides that reports have named
	told     map[int32]engine.Side // sides of the frontier, as last reported
	last     lastReport
	running  time.Duration // time that sequences took so far
	profiler profiler
}

// A lastReport says when the last report was sent.
type lastReport struct {
	untimed bool // no clock decides when the next is due: see [engine.Params.Untimed]
	at      time.Time
	after   uint64 // sequences
}

// A watchdog is the state of the goroutine that looks whether calls return.
type watchdog struct {
	owner      atomic.Pointer[executor.Ownership]
	patience   atomic.Int64 // with calls that wait: how many times the usual
	late       *atomic.Bool // set when a sequence takes long
	dump       []byte
	bystanders bystanders // of the last dump
}

// Losses are the goroutines that were abandoned.
type losses struct {
	abandoned int
	lastLost  uint64 // sequences when one was
	onEnd     int    // … for so many sequences on end
}

func newWorker(b executor.Bindings) (*worker, error) {
	files, err := wire.Inherit()
	if err != nil {
		return nil, err
	}
	limitResources()
	table, err := readTable(os.Getenv(wire.EnvTable), b)
	if err != nil {
		return nil, err
	}
	shared, err := mapShared(files.Shared)
	if err != nil {
		return nil, err
	}
	w := &worker{
		table: table, pool: engine.NewPool(table), read: b.Read, inherited: files, shared: shared,
		reports:  files.Reports,
		commands: make(chan *wire.Message, ahead),
	}
	o := executor.Options{Past: os.Getenv(wire.EnvAfterPanic) != "", Around: os.Getenv(wire.EnvAround) != ""}
	if probe.Analysis {
		if w.conditions, err = readConditions(os.Getenv(wire.EnvConditions)); err != nil {
			return nil, err
		}
		o.Conditions = len(w.conditions)
	}
	w.use(executor.New(table, b, shared, o))
	w.late = w.exec.Late()
	for _, l := range w.pool.Literals {
		w.exec.Box(l)
	}
	w.patience.Store(1)
	w.send(&wire.Message{Ready: &wire.Ready{StepFunc: executor.StepFunc}})
	return w, nil
}

// use makes x the executor, as the engine is to see it.
func (w *worker) use(x *executor.Executor) {
	w.exec, w.executor = x, x.ForEngine()
}

// mapShared maps the journal. The descriptor is closed: the code under test may
// get its number and write to it.
func mapShared(f *os.File) (*wire.Shared, error) {
	defer f.Close()
	return wire.Map(f)
}

func readTable(file string, b executor.Bindings) (*seq.Table, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	t, err := seq.DecodeTable(data)
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w", file, err)
	}
	if len(t.Ops) != len(b.Ops) || len(t.Types) != len(b.Types) {
		return nil, fmt.Errorf("table %s: %d operations and %d types, want %d and %d as built", file, len(t.Ops), len(t.Types), len(b.Ops), len(b.Types))
	}
	return t, nil
}

func readConditions(file string) ([]coverage.Condition, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read conditions: %w", err)
	}
	var conds []coverage.Condition
	if err := json.Unmarshal(data, &conds); err != nil {
		return nil, fmt.Errorf("read conditions %s: %w", file, err)
	}
	return conds, nil
}

// ahead is how many commands are read that the worker has not obeyed: it looks between
// sequences, and others find entries faster.
const ahead = 4096

// readCommands hands commands on until the coordinator closes its end, which
// ends the worker: nobody is left to listen.
func (w *worker) readCommands() {
	w.exec.Exempt()
	r := bufio.NewReader(w.inherited.Commands)
	for {
		m, err := wire.Read(r)
		if err != nil {
			os.Exit(exitDone)
		}
		if m.Stop {
			w.stops.Store(true)
		}
		w.commands <- m
	}
}

func (w *worker) send(m *wire.Message) {
	if err := wire.Write(w.reports, m); err != nil && w.err == nil {
		w.err = err
	}
}

// serve obeys the coordinator and then ends the process. The goroutine that has the
// ownership does nothing else.
func (w *worker) serve() {
	w.own()
	if err := w.obey(); err != nil {
		fail(err)
	}
	os.Exit(exitDone)
}

func (w *worker) own() {
	t := w.exec.Own(w.goexit)
	w.owner.Store(t)
	w.shared.Goroutine.Store(t.ID)
}

func (w *worker) obey() error {
	for w.err == nil {
		switch {
		case w.side != nil:
			return w.side.serve()
		case w.engine != nil:
			return w.fuzz()
		}
		switch m := <-w.commands; {
		case m.Start != nil:
			w.start(m.Start)
		case m.Versus != nil:
			w.side = newSide(w, m.Versus)
		case m.Exec != nil:
			w.execute(m.Exec)
		case m.Stop:
			return w.err
		}
	}
	return w.err
}

func (w *worker) boxAll(s seq.Sequence) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil && a.Lit.Pool == 0 {
				w.exec.Box(a.Lit)
			}
		}
	}
}
