package process

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// The operations of a test worker beside those of twoCalls.
const (
	opBreak seq.OpID = iota + opGet + 1
	opExit
	opWait
)

// newTestWorker returns a worker that writes its reports to w. Each of its calls takes the
// branch side of its operation. Wait sends to waits, and then waits for ever.
func newTestWorker(w io.Writer, waits chan struct{}) *worker {
	t, b := twoCalls()
	t.Package, t.Name = "foray.test/harness/process", "process"
	for _, name := range []string{"Break", "Exit", "Wait"} {
		t.Ops = append(t.Ops, seq.Operation{Name: name, Short: name, Member: name, API: true})
	}
	b.Ops = append(b.Ops,
		func(in, _ []any) { _ = in[len(in)] }, // a panic: index out of range
		func(_, _ []any) { runtime.Goexit() },
		func(_, _ []any) { waits <- struct{}{}; select {} },
	)
	for i, call := range b.Ops {
		b.Ops[i] = func(in, out []any) { probe.Hits[i] = 1; call(in, out) }
	}
	shared := wire.SharedOf(make([]byte, wire.SharedBytes))
	x := &worker{table: t, pool: engine.NewPool(t), shared: shared, reports: w, commands: make(chan *wire.Message, 4)}
	x.use(executor.New(t, b, shared, executor.Options{}))
	x.late = x.exec.Late()
	for _, l := range x.pool.Literals {
		x.exec.Box(l)
	}
	x.patience.Store(1)
	return x
}

// steps returns a sequence of calls without arguments, in binary form.
func steps(ops ...seq.OpID) []byte {
	var s seq.Sequence
	for _, op := range ops {
		s = append(s, seq.Step{Op: op})
	}
	return seq.AppendBinary(nil, s)
}

// messages reads the messages that a worker has written.
func messages(t *testing.T, b *bytes.Buffer) []*wire.Message {
	t.Helper()
	var list []*wire.Message
	r := bufio.NewReader(b)
	for {
		m, err := wire.Read(r)
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
}

// one reads the next message.
func one(t *testing.T, r *bufio.Reader) *wire.Message {
	t.Helper()
	m, err := wire.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A worker answers each request with one result, until it is told to stop.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    wire.Exec
		ok   func(r *wire.Result) bool
	}{
		{"run", wire.Exec{Steps: steps(opNew)}, func(r *wire.Result) bool { return r.Verdict == nil && slices.Equal(r.Sides, []int32{0}) }},
		{"failure", wire.Exec{Steps: steps(opNew, opBreak)}, func(r *wire.Result) bool {
			return r.Verdict != nil && r.Verdict.Kind == engine.KindPanic && r.Verdict.Op == opBreak && slices.Equal(r.Sides, []int32{0, 2})
		}},
		{"bad steps", wire.Exec{Steps: []byte{1, 99}}, func(r *wire.Result) bool { return r.Error != "" && r.Sides == nil }},
		{"observe", wire.Exec{Steps: steps(opNew, opNew), Observe: true}, func(r *wire.Result) bool { return r.Run != nil && len(r.Run.Steps) == 2 }},
		{"record", wire.Exec{Steps: steps(opNew), Record: true}, func(r *wire.Result) bool { return r.Record != nil && len(r.Record.Steps) == 1 }},
		{"leaks", wire.Exec{Steps: steps(opNew), Leaks: true}, func(r *wire.Result) bool { return r.Verdict == nil && r.Run == nil }},
		{"fork", wire.Exec{Steps: steps(opNew, opNew), Fork: 1}, func(r *wire.Result) bool { return r.Verdict == nil && r.Sides == nil }},
		{"fork behind the end", wire.Exec{Steps: steps(opNew), Fork: 1}, func(r *wire.Result) bool { return slices.Equal(r.Sides, []int32{0}) }},
		{"study", wire.Exec{Steps: steps(opNew), Study: true}, func(r *wire.Result) bool {
			return r.Left != nil && len(r.Left.Values) == 1 && r.Left.Values[0].Type == typeMap && !r.Left.Alike && len(r.Sides) == 1
		}},
		{"the same values", wire.Exec{Steps: steps(opNew), Study: true, Like: steps(opNew)}, func(r *wire.Result) bool { return r.Left != nil && r.Left.Alike && r.Sides == nil }},
		{"other values", wire.Exec{Steps: steps(opNew), Study: true, Like: steps()}, func(r *wire.Result) bool { return r.Left != nil && !r.Left.Alike }},
		{"bad steps to compare with", wire.Exec{Steps: steps(opNew), Study: true, Like: []byte{1, 99}}, func(r *wire.Result) bool { return r.Error != "" }},
		{"no input without a test", wire.Exec{Input: []byte{}}, func(r *wire.Result) bool { return r.Error == "the test lists no operations" }},
	} {
		var b bytes.Buffer
		w := newTestWorker(&b, nil)
		w.own()
		tt.m.WaitFactor = 3
		w.commands <- &wire.Message{Exec: &tt.m}
		w.commands <- &wire.Message{Stop: true}
		if err := w.obey(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		list := messages(t, &b)
		if len(list) != 1 || list[0].Result == nil || !tt.ok(list[0].Result) {
			t.Errorf("%s: answers %+v", tt.name, list)
			for _, m := range list {
				t.Logf("%+v", m.Result)
			}
		}
		if w.asked != nil {
			t.Errorf("%s: still asked for %+v", tt.name, w.asked)
		}
		if decodes := tt.m.Input == nil && tt.m.Steps[1] != 99; decodes && w.patience.Load() != 3 {
			t.Errorf("%s: patience %d, want 3", tt.name, w.patience.Load())
		}
	}
}

// A dry executor is that of an analysis build whose runs use up any fuel.
type dry struct{ engine.Executor }

type dryRun struct{ engine.Run }

func (x dry) Begin(o engine.RunOptions) engine.Run {
	r := x.Executor.Begin(o)
	if o.Fuel == 0 {
		return r
	}
	return dryRun{r}
}

func (r dryRun) End(s seq.Sequence, fresh []int32) engine.Outcome {
	out := r.Run.End(s, fresh)
	out.OutOfFuel = true
	return out
}

// A run that uses up its fuel is lost, and the worker goes on.
func TestAnswersOutOfFuel(t *testing.T) {
	var b bytes.Buffer
	w := newTestWorker(&b, nil)
	w.own()
	w.executor = dry{w.executor}
	w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew, opNew), Fuel: 1}}
	w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew)}}
	w.commands <- &wire.Message{Stop: true}
	if err := w.obey(); err != nil {
		t.Fatal(err)
	}
	list := messages(t, &b)
	if len(list) != 2 || list[0].Result.Lost == nil || list[1].Result.Lost != nil {
		t.Fatalf("answers %+v, want one that is lost, and one that is not", list)
	}
	if lost := list[0].Result.Lost; !lost.Endless || !bytes.Equal(steps(opNew, opNew)[1:], lost.Steps) {
		t.Errorf("lost %+v, want both steps", lost)
	}
}

// An input becomes steps; its literals get a place in the pool.
func TestAnswersInput(t *testing.T) {
	var b bytes.Buffer
	w := newTestWorker(&b, nil)
	w.own()
	three := &seq.Literal{Type: typeInt, Value: int64(3)}
	w.read = func(_ engine.Executor, input string) seq.Sequence {
		if input != "in" {
			t.Errorf("input %q", input)
		}
		return seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), seq.Lit(three)}}}
	}
	w.execute(&wire.Exec{Input: []byte("in")})
	list := messages(t, &b)
	s, err := seq.DecodeBinary(w.table, w.pool.Literals, list[0].Result.Steps)
	if err != nil || len(s) != 2 || s[1].Op != opGet || !reflect.DeepEqual(s[1].Args[1].Lit.Value, int64(3)) || !slices.Equal(list[0].Result.Sides, []int32{0, 1}) {
		t.Errorf("steps %v, %v; sides %v", s, err, list[0].Result.Sides)
	}
	if three.Boxed != nil {
		t.Error("the literal of the test was changed")
	}
}

// A worker whose coordinator is gone ends with the error of its first report.
func TestReportsGone(t *testing.T) {
	r, pipe := io.Pipe()
	r.Close()
	w := newTestWorker(pipe, nil)
	w.own()
	w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew)}}
	if err := w.obey(); err == nil {
		t.Error("no error")
	}
	w = newTestWorker(pipe, nil)
	w.own()
	w.commands <- &wire.Message{Start: &wire.Start{Params: engine.DefaultParams()}}
	if err := w.obey(); err == nil || w.engine.Counts().Sequences != 0 {
		t.Errorf("error %v after %d sequences, want one before the first", err, w.engine.Counts().Sequences)
	}
}

// Another goroutine answers for a call that does not return, and goes on with the next request.
func TestTakeOver(t *testing.T) {
	for _, op := range []seq.OpID{opExit, opWait} {
		r, pipe := io.Pipe()
		reports := bufio.NewReader(r)
		waits := make(chan struct{}, 1)
		out := &noted{Writer: pipe}
		w := newTestWorker(out, waits)
		first := w.exec
		w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew, op)}}
		go w.serve()
		if op == opWait {
			<-waits
			for !out.begun.Load() { // it is about to wait
				runtime.Gosched()
				w.look(w.shared.Beat(), 2*otherPatience)
			}
		}
		res := one(t, reports).Result
		if res == nil || res.Lost == nil || res.Lost.Goexit != (op == opExit) || res.Lost.Stack == "" {
			t.Fatalf("%s: answer %+v, want a lost run", w.table.Ops[op].Name, res)
		}
		if w.exec == first {
			t.Errorf("%s: the executor of the lost call is still in use", w.table.Ops[op].Name)
		}
		if s, err := seq.DecodeSteps(w.table, w.pool.Literals, res.Lost.Steps); err != nil || len(s) != 2 || s[1].Op != op {
			t.Errorf("%s: lost %v, %v", w.table.Ops[op].Name, s, err)
		}
		w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew)}}
		if res := one(t, reports).Result; res == nil || res.Lost != nil || len(res.Sides) != 1 {
			t.Errorf("%s: then %+v, want the next answer", w.table.Ops[op].Name, res)
		}
	}
}

// A noted is a writer that notes that a write has begun.
type noted struct {
	io.Writer
	begun atomic.Bool
}

func (n *noted) Write(data []byte) (int, error) {
	n.begun.Store(true)
	return n.Writer.Write(data)
}

// Enough goroutines left behind, or enough sequences in a row that leave one, make a worker full.
func TestAbandon(t *testing.T) {
	var b bytes.Buffer
	w := newTestWorker(&b, nil)
	w.own()
	w.start(&wire.Start{Seed: 1, Params: engine.DefaultParams(), Learn: wire.Learn{Disable: []seq.OpID{opExit, opWait}}})
	w.abandon(&wire.Lost{Goexit: true}, nil)
	if w.abandoned != 0 || w.onEnd != 1 {
		t.Errorf("a goroutine that is gone: %d left behind, %d in a row, want 0 and 1", w.abandoned, w.onEnd)
	}
	for !w.full(0, 0) {
		w.abandon(&wire.Lost{}, nil)
	}
	if w.abandoned != maxOnEnd-1 || w.onEnd != maxOnEnd {
		t.Errorf("full with %d left behind, %d in a row", w.abandoned, w.onEnd)
	}
	w.run(2)
	if w.abandon(&wire.Lost{}, nil); w.onEnd != 0 || w.full(0, 0) {
		t.Errorf("after two sequences that ended: %d in a row, full %v", w.onEnd, w.full(0, 0))
	}
	lost := 0
	for _, m := range messages(t, &b) {
		if m.Lost != nil {
			lost++
		}
	}
	if c := w.shared.Counts; lost != maxOnEnd+1 || c.Abandoned != maxOnEnd+1 {
		t.Errorf("%d lost runs reported, %d counted, want %d", lost, c.Abandoned, maxOnEnd+1)
	}
}

func TestFull(t *testing.T) {
	for _, tt := range []struct {
		name       string
		heap       uint64
		goroutines int
		l          losses
		want       bool
	}{
		{"nothing", 0, 0, losses{}, false},
		{"just not", maxHeapBytes, maxGoroutines, losses{abandoned: maxAbandoned - 1, onEnd: maxOnEnd - 1}, false},
		{"memory", maxHeapBytes + 1, 0, losses{}, true},
		{"goroutines", 0, maxGoroutines + 1, losses{}, true},
		{"abandoned", 0, 0, losses{abandoned: maxAbandoned}, true},
		{"in a row", 0, 0, losses{onEnd: maxOnEnd}, true},
	} {
		if got := (&worker{losses: tt.l}).full(tt.heap, tt.goroutines); got != tt.want {
			t.Errorf("%s: full %v", tt.name, got)
		}
	}
}
