package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"foray.test/coverage"
	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// Exit codes of a worker, beside those that the code under test makes up.
const (
	exitDone  = 0
	exitBroke = 70 // the worker itself broke: the message is on standard error
)

// Main is the main function of a worker. It takes its table from the file that
// the environment names, its orders from the coordinator, and does not return.
func Main(b Bindings) {
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
func Run(b Bindings) error {
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
	exec       *executor
	executor   engine.Executor // exec, or what an analysis build makes of it
	shared     *wire.Shared
	commands   chan *wire.Message
	reports    io.Writer
	conditions []coverage.Condition  // of an analysis build
	named      *coverage.Set         // sides that reports have named
	told       map[int32]engine.Side // what reports have said of sides of the frontier
	err        error                 // of the reports: the coordinator is gone

	turn     atomic.Pointer[turn]
	patience atomic.Int64 // with calls that wait: how many times the usual
	late     *atomic.Bool // the executor's pace is told that a sequence takes long
	dump     []byte       // watch's

	// What it is at.
	engine     *engine.Engine // nil until it is to compose
	side       *side          // nil unless it is one side of a comparison
	sequences  uint64         // how many to compose; 0 means no bound
	untilQuiet bool           // it ends when composition is quiet
	entries    [][]byte       // to be learnt yet
	asked      *wire.Exec     // the sequence to run for the coordinator
	recording  *recording     // nil until it is to record one
	reported   time.Time

	abandoned int    // goroutines left behind
	lastLost  uint64 // sequences when one was
	onEnd     int    // … for so many sequences on end
}

func newWorker(b Bindings) (*worker, error) {
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
		table: table, pool: engine.NewPool(table), shared: shared,
		reports:  os.NewFile(wire.ReportFD, "reports"),
		commands: make(chan *wire.Message),
	}
	w.exec = newExecutor(table, b, newJournal(shared))
	w.late = w.exec.pace.late
	if os.Getenv(wire.EnvAround) != "" {
		w.exec.around = newAroundCounter()
	}
	if probe.Analysis {
		conds, err := readConditions(os.Getenv(wire.EnvConditions))
		if err != nil {
			return nil, err
		}
		w.exec.tracer, w.conditions = newTracer(len(conds)), conds
	}
	w.use(w.exec)
	for _, l := range w.pool.Literals {
		w.exec.Box(l)
	}
	w.patience.Store(1)
	w.send(&wire.Message{Ready: true})
	return w, nil
}

// use makes x the executor, as the engine is to see it.
func (w *worker) use(x *executor) {
	w.exec, w.executor = x, x
	if x.tracer != nil {
		w.executor = analyst{x, x.tracer}
	}
}

// mapShared maps the journal. The descriptor is closed: the code under test may
// get its number and write to it.
func mapShared() (*wire.Shared, error) {
	f := os.NewFile(wire.SharedFD, "shared")
	defer f.Close()
	return wire.Map(f)
}

func readTable(file string, b Bindings) (*seq.Table, error) {
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
	if t := w.exec.tracer; t != nil {
		t.reader.Store(goroutineID())
	}
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

// batch is how many sequences run between looks at the commands and the clock.
const batch = 16

// reportEvery is how often a worker reports: what it has not said when it dies is
// lost. No search decision hangs on it.
const reportEvery = 250 * time.Millisecond

// A worker asks to be started anew beyond these: leaked goroutines and memory slow
// down everything after them.
const (
	maxGoroutines = 4096
	maxHeapBytes  = heapLimit * 3 / 4
)

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
	t := newTurn(w.goexit)
	w.exec.turn = t
	if tr := w.exec.tracer; tr != nil {
		tr.runner.Store(t.id)
	}
	w.turn.Store(t)
	w.shared.Goroutine.Store(t.id)
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

// goexit is told that a call has ended the goroutine that has the turn.
func (w *worker) goexit(stack []byte) {
	go w.takeOver(&wire.Lost{Goexit: true, Stack: string(stack)})
}

// takeOver goes on where a goroutine has stopped whose call does not come back.
func (w *worker) takeOver(lost *wire.Lost) {
	lost.Steps = bytes.Clone(w.shared.Running())
	lost.Judging = w.shared.Judging.Load() != 0
	hits, watch := w.exec.taken(), w.exec.watch
	w.use(w.exec.successor(nil))
	switch ex := w.asked; {
	case ex != nil:
		w.answer(&wire.Result{ID: ex.ID, Lost: lost})
	case w.side != nil:
		w.side.lost(lost, hits, watch.marks)
	default:
		w.abandon(lost, hits)
	}
	w.serve()
}

// abandon has the engine go on without the run that is lost.
func (w *worker) abandon(lost *wire.Lost, hits []byte) {
	if !lost.Goexit {
		w.abandoned++
	}
	w.send(&wire.Message{Lost: lost})
	w.engine.Abandon(w.executor, hits, !lost.Goexit)
	c := w.engine.Counts()
	w.shared.Counts = c
	if w.onEnd++; c.Sequences > w.lastLost+1 {
		w.onEnd = 0
	}
	w.lastLost = c.Sequences
}

// A worker asks to be started anew once it has left so many goroutines behind,
// each with what it holds, and when so many sequences on end came to that: some
// lock of the whole package may be held.
const (
	maxAbandoned = 256
	maxOnEnd     = 16
)

func (w *worker) start(start *wire.Start) {
	w.named = coverage.NewSet(sides())
	w.told, w.sequences = map[int32]engine.Side{}, start.Sequences
	tracer, _ := w.executor.(engine.Tracer)
	w.engine = engine.New(engine.Config{
		Table: w.table, Pool: w.pool, Executor: w.executor, Source: draw.Random(start.Seed),
		Sides: sides(), Params: start.Params, Sink: w,
		Tracer: tracer, Conditions: w.conditions,
	})
	w.learn(&start.Learn)
	w.engine.Resume(start.Frontier, start.Covered)
	for _, side := range start.Covered {
		w.named.Add(int(side))
	}
	w.untilQuiet = start.UntilQuiet
	w.addEntries()
	w.report(wire.Stats{})
}

// fuzz composes until it has composed enough or is to stop. It may be called anew
// at any time, by a goroutine that takes over.
func (w *worker) fuzz() error {
	for w.err == nil {
		w.addEntries()
		limit := uint64(math.MaxInt32)
		if done := w.engine.Counts().Sequences; w.sequences > 0 {
			if done >= w.sequences {
				break
			}
			limit = w.sequences - done
		}
		w.run(limit)
		if w.untilQuiet && !w.engine.Aims() && w.engine.Quiet() {
			w.leaveValues()
			w.report(wire.Stats{Quiet: true})
			return w.err
		}
		if now := time.Now(); now.Sub(w.reported) >= reportEvery {
			w.reported = now
			if w.report(wire.Stats{}) {
				w.report(wire.Stats{Recycle: true})
				return w.err
			}
		}
		select {
		case m := <-w.commands:
			switch {
			case m.Learn != nil:
				w.learn(m.Learn)
			case m.Stop:
				return w.leave()
			}
		default:
		}
	}
	return w.leave()
}

// leave says the last word.
func (w *worker) leave() error {
	w.leaveValues()
	w.report(wire.Stats{Final: true})
	return w.err
}

// run executes a batch of sequences, at most limit, or a turn at the frontier.
// After each it leaves the counts where they outlive the process, and names the
// sides that it took at once: so the history of a run does not hang on when a
// worker last reported before it died.
func (w *worker) run(limit uint64) {
	c := w.engine.Counts()
	last := c.Sequences + limit
	for end := c.Sequences + min(limit, batch); c.Sequences < end; {
		before := c
		w.engine.Step(int(last - c.Sequences))
		c = w.engine.Counts()
		w.shared.Counts = c
		if c.LastNew > before.Sequences && w.err == nil {
			w.nameCovered()
		}
	}
}

// nameCovered reports the sides that no report has named.
func (w *worker) nameCovered() {
	if sides := w.unnamed(); len(sides) > 0 {
		w.send(&wire.Message{Covered: sides})
	}
}

// unnamed returns the sides taken that no report has named, which are to be.
func (w *worker) unnamed() []int32 {
	sides := w.engine.Covered().AppendMissing(nil, w.named)
	for _, side := range sides {
		w.named.Add(int(side))
	}
	return sides
}

func (w *worker) learn(l *wire.Learn) {
	w.untilQuiet = w.untilQuiet || l.UntilQuiet
	for _, id := range l.NoHuge {
		w.engine.DenyHuge(id)
	}
	for _, id := range l.Tame {
		w.engine.Tame(id)
	}
	for _, id := range l.Ban {
		w.engine.Ban(id)
		w.exec.judge.ban(id)
	}
	for _, signature := range l.Known {
		w.engine.Know(signature)
	}
	w.engine.Recall(l.Held)
	w.entries = append(w.entries, l.Entries...)
}

// addEntries hands the engine the entries that were learnt. Each is forgotten
// before it runs: it may not come to its end.
func (w *worker) addEntries() {
	for len(w.entries) > 0 {
		b := w.entries[0]
		w.entries = w.entries[1:]
		// What does not decode was kept under another table: it says nothing here.
		if s, err := seq.DecodeBinary(w.table, w.pool.Literals, b); err == nil {
			w.boxAll(s)
			w.engine.Add(s)
		}
	}
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

// Bounds on the entries that a worker leaves for the values they make.
const (
	valuesPerType = 4
	valuesInAll   = 64
)

// leaveValues reports, at the end, sequences that make distinct values: the next
// run begins with them as components.
func (w *worker) leaveValues() {
	for _, s := range w.engine.Representatives(valuesPerType, valuesInAll) {
		w.send(&wire.Message{Entry: &wire.Entry{Steps: seq.AppendBinary(nil, s), Value: true}})
	}
}

// changedSides returns what became of sides of the frontier since it was last asked.
func (w *worker) changedSides() []engine.Side {
	var list []engine.Side
	for _, s := range w.engine.Frontier() {
		if w.told[s.Side] != s {
			w.told[s.Side] = s
			list = append(list, s)
		}
	}
	return list
}

// full reports whether so much has piled up that the process ought to be replaced.
func (w *worker) full(heapBytes uint64, goroutines int) bool {
	return goroutines > maxGoroutines || heapBytes > maxHeapBytes || w.abandoned >= maxAbandoned || w.onEnd >= maxOnEnd
}

// load returns how many bytes and goroutines live.
func (w *worker) load() (heapBytes uint64, goroutines int) {
	var mem runtime.MemStats
	if runtime.ReadMemStats(&mem); mem.HeapAlloc > maxHeapBytes {
		runtime.GC() // garbage is no reason to be replaced
		runtime.ReadMemStats(&mem)
	}
	return mem.HeapAlloc, runtime.NumGoroutine()
}

// report adds the totals to what st says and sends it. It reports whether the process ought to be replaced.
func (w *worker) report(st wire.Stats) bool {
	st.Counts, st.Ops, st.NoHuge, st.Hits = w.engine.Counts(), w.engine.OpCounts(), w.engine.NoHuge(), w.engine.Hits()
	st.Refusals = w.engine.Refusals()
	st.HeapBytes, st.Goroutines = w.load()
	st.Covered, st.Frontier = w.unnamed(), w.changedSides()
	w.send(&wire.Message{Stats: &st})
	return w.full(st.HeapBytes, st.Goroutines)
}

// Entry implements [engine.Sink].
func (w *worker) Entry(e engine.Entry) {
	for _, side := range e.Sides {
		w.named.Add(int(side))
	}
	w.send(&wire.Message{Entry: &wire.Entry{Steps: seq.AppendBinary(nil, e.Steps), Sides: e.Sides}})
}

// Finding implements [engine.Sink].
func (w *worker) Finding(f engine.Finding) {
	w.send(&wire.Message{Finding: &wire.Finding{
		Verdict: f.Verdict, Steps: seq.AppendBinary(nil, f.Steps), Original: seq.AppendBinary(nil, f.Original),
	}})
}

// Turn implements [engine.Sink].
func (w *worker) Turn(side int) {
	w.send(&wire.Message{Turn: &wire.Turn{Side: int32(side)}})
}

// execute runs one sequence and answers with what it showed.
func (w *worker) execute(m *wire.Exec) {
	res := &wire.Result{ID: m.ID}
	s, err := w.steps(m)
	if m.Input != nil {
		res.Steps = seq.AppendBinary(nil, s)
	}
	if err != nil {
		res.Error = err.Error()
	} else if w.begin(m, s); m.Observe {
		res.Run = w.observe(s)
	} else if m.Fork > 0 && m.Fork < len(s) {
		w.exec.together(s, m.Fork)
	} else if m.Record {
		res.Record = w.record(s)
	} else if m.Study {
		var like seq.Sequence
		if len(m.Like) > 0 {
			if like, err = seq.DecodeBinary(w.table, w.pool.Literals, m.Like); err != nil {
				res.Error = err.Error()
			}
			w.boxAll(like)
		}
		var out engine.Outcome
		out, res.Left = w.exec.study(s, like)
		show(res, out)
		if like != nil {
			res.Sides = nil // some are Equal's
		}
	} else {
		w.exec.Want(m.Want)
		out, _ := engine.Execute(w.executor, w.table, s)
		w.exec.Want("")
		linger(m.Linger)
		show(res, out)
	}
	w.answer(res)
}

// steps returns the sequence that is to run.
func (w *worker) steps(m *wire.Exec) (seq.Sequence, error) {
	read := w.exec.bindings.read
	switch {
	case m.Input == nil:
		return seq.DecodeBinary(w.table, w.pool.Literals, m.Steps)
	case read == nil:
		return nil, errors.New("the test lists no operations")
	}
	w.begin(m, nil)
	s := read(w.executor, *m.Input).Clone()
	for i := range s {
		for k, a := range s[i].Args {
			if a.Lit != nil {
				s[i].Args[k].Lit = w.pool.Intern(&seq.Literal{Type: a.Lit.Type, Value: a.Lit.Value})
			}
		}
	}
	return s, nil
}

// show puts what a run showed into res.
func show(res *wire.Result, out engine.Outcome) {
	res.Verdict = out.Verdict
	for side, hit := range out.Hits {
		if hit != 0 {
			res.Sides = append(res.Sides, int32(side))
		}
	}
}

// begin makes ready to run s for the coordinator.
func (w *worker) begin(m *wire.Exec, s seq.Sequence) {
	w.boxAll(s)
	w.asked = m
	w.patience.Store(int64(max(m.Patience, 1)))
}

// linger waits for what goroutines may yet do. It does so in several naps: on a busy
// machine one may be over before they have had any time at all.
func linger(d time.Duration) {
	const naps = 10
	for range naps {
		time.Sleep(d / naps)
	}
}

func (w *worker) answer(res *wire.Result) {
	w.asked = nil
	w.send(&wire.Message{Result: res})
}

// heapLimit is where the collector works harder, so that the memory of a run for
// hours stays what it was after minutes.
const heapLimit = 256 << 20

// limitResources sets what the inner loop was tuned under: a heap of a few
// megabytes collects all the time at 100 per cent.
func limitResources() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(heapLimit)
	debug.SetMaxStack(maxStackBytes)
	limitAddressSpace()
}

// maxStackBytes is where a recursion counts as one without end. Filling the limit
// of the runtime, 1 GB, takes so long that it looks like a hang, and so does
// walking 64 MB to print them; what a sequence builds is small, and a hundred
// thousand frames are enough to walk it.
const maxStackBytes = 16 << 20
