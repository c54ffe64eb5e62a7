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
	go w.readCommands(os.NewFile(wire.CommandFD, "commands"))
	go w.watch()
	go w.serve()
	select {}
}

// Run runs a worker in this goroutine, which has the turn for good, until the
// coordinator ends it. A call that waits for ever ends the process: where fuzz
// functions run it is testing's goroutine that waits, and holds its T.
func Run(b executor.Bindings) error {
	w, err := newWorker(b)
	if err != nil {
		return err
	}
	go w.readCommands(os.NewFile(wire.CommandFD, "commands"))
	w.takeTurn()
	w.shared.Goroutine.Store(0) // of a fuzz function: another for each frame
	return w.obey()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "foray worker:", err)
	os.Exit(exitBroke)
}

// worker is the process's side of the conversation with the coordinator. It
// belongs to the goroutine that has the turn.
type worker struct {
	table      *seq.Table
	pool       *engine.Pool
	exec       *executor.Executor
	executor   engine.Executor                                    // exec, or what an analysis build makes of it
	read       func(x engine.Executor, input string) seq.Sequence // see Bindings
	shared     *wire.Shared
	commands   chan *wire.Message
	reports    io.Writer
	conditions []coverage.Condition  // of an analysis build
	named      *coverage.Set         // sides that reports have named
	told       map[int32]engine.Side // what reports have said of sides of the frontier
	err        error                 // of the reports: the coordinator is gone

	turn       atomic.Pointer[executor.Ownership]
	patience   atomic.Int64 // with calls that wait: how many times the usual
	late       *atomic.Bool // the executor's pace is told that a sequence takes long
	dump       []byte       // watch's
	bystanders bystanders   // of the last dump

	// What it is at.
	engine     *engine.Engine // nil until it is to compose
	side       *side          // nil unless it is one side of a comparison
	sequences  uint64         // how many to compose; 0 means no bound
	untilQuiet bool           // it ends when composition is quiet
	entries    [][]byte       // to be learnt yet
	asked      *wire.Exec     // the sequence to run for the coordinator
	reported   time.Time
	running    time.Duration // sequences, so far

	abandoned int    // goroutines left behind
	lastLost  uint64 // sequences when one was
	onEnd     int    // … for so many sequences on end
}

func newWorker(b executor.Bindings) (*worker, error) {
	keepDescriptors()
	table, err := readTable(os.Getenv(wire.EnvTable), b)
	if err != nil {
		return nil, err
	}
	shared, err := mapShared()
	if err != nil {
		return nil, err
	}
	limitResources()
	w := &worker{
		table: table, pool: engine.NewPool(table), read: b.Read, shared: shared,
		reports:  os.NewFile(wire.ReportFD, "reports"),
		commands: make(chan *wire.Message),
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
func mapShared() (*wire.Shared, error) {
	f := os.NewFile(wire.SharedFD, "shared")
	defer f.Close()
	return wire.Map(f)
}

func readTable(file string, b executor.Bindings) (*seq.Table, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	t := new(seq.Table)
	if err := json.Unmarshal(data, t); err != nil {
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

// readCommands hands commands on until the coordinator closes its end, which
// ends the worker: nobody is left to listen.
func (w *worker) readCommands(f *os.File) {
	w.exec.Exempt()
	r := bufio.NewReader(f)
	for {
		m, err := wire.Read(r)
		if err != nil {
			os.Exit(exitDone)
		}
		w.commands <- m
	}
}

func (w *worker) send(m *wire.Message) {
	if err := wire.Write(w.reports, m); err != nil && w.err == nil {
		w.err = err
	}
}

// serve does what the coordinator asks for, until it is to end the process. It
// is all that the goroutine does which has the turn.
func (w *worker) serve() {
	w.takeTurn()
	if err := w.obey(); err != nil {
		fail(err)
	}
	os.Exit(exitDone)
}

func (w *worker) takeTurn() {
	t := w.exec.Own(w.goexit)
	w.turn.Store(t)
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
