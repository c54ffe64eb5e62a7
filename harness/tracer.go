package harness

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"foray.test/coverage"
	"foray.test/coverage/probe"
	"foray.test/engine"
)

// An analyst is the executor of an analysis build: it implements [engine.Tracer].
type analyst struct {
	*executor
	*tracer
}

// Bounds on what a run may leave in the log.
const (
	maxVisits     = 1 << 15
	maxVisitBytes = 1 << 20
)

// A tracer switches the probe on for the steps of a run and off around them: what
// the runtime of the worker and the contracts do is not the run's.
type tracer struct {
	mode   uint8
	fuel   int64 // of a run
	left   int64 // of it
	out    atomic.Bool
	runner atomic.Uint64 // the goroutine that runs the steps
	// The worker's own goroutines, which fuel does not end.
	reader, watcher atomic.Uint64
	visits          []coverage.Visit
}

func newTracer(conditions int) *tracer {
	t := &tracer{fuel: probe.Unlimited, visits: make([]coverage.Visit, 0, maxVisits)}
	t.runner.Store(goroutineID())
	probe.Sums = make([]probe.Sum, conditions)
	probe.Log = make([]probe.Entry, maxVisits)
	probe.Bytes = make([]byte, maxVisitBytes)
	probe.Exhausted = t.exhausted
	return t
}

// outOfFuel is what a run that has used up its fuel panics with.
type outOfFuel struct{}

// exhausted is called at each condition once there is no fuel left. Another
// goroutine than the runner is ended: its deferred calls run, so that who waits for
// it goes on. The worker's own go on: they are there only because the runtime uses
// the package under test.
func (t *tracer) exhausted() {
	switch id := goroutineID(); {
	case id == t.runner.Load():
		t.out.Store(true)
		panic(outOfFuel{})
	case id != t.reader.Load() && id != t.watcher.Load():
		t.out.Store(true)
		runtime.Goexit()
	}
}

// goroutineID returns the number of this goroutine, which the first line of its
// stack tells: "goroutine 18 [running]:". It takes a microsecond.
func goroutineID() uint64 {
	var buf [64]byte
	text := buf[len("goroutine "):runtime.Stack(buf[:], false)]
	id := uint64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		id = 10*id + uint64(c-'0')
	}
	return id
}

// begin forgets the run before.
func (t *tracer) begin() {
	t.left = t.fuel
	t.out.Store(false)
	if t.mode != probe.ModeNothing {
		clear(probe.Sums)
		probe.Logged, probe.Filled = 0, 0
	}
}

// enter and leave surround what is of the run.
func (t *tracer) enter() { probe.Fuel, probe.Mode = t.left, t.mode }

func (t *tracer) leave() {
	t.left = max(probe.Fuel, 0)
	t.stop()
}

// stop ends recording, and the bound.
func (t *tracer) stop() { probe.Fuel, probe.Mode = probe.Unlimited, probe.ModeNothing }

// refuel gives the call of a contract as much as the whole run, apart from it.
func (t *tracer) refuel() { probe.Fuel = t.fuel }

// Trace implements [engine.Tracer].
func (t *tracer) Trace(m engine.TraceMode) { t.mode = uint8(m) }

// Fuel implements [engine.Tracer].
func (t *tracer) Fuel(units int64) {
	if units <= 0 {
		units = probe.Unlimited
	}
	t.fuel = units
}

// Spent implements [engine.Tracer].
func (t *tracer) Spent() int64 { return t.fuel - t.left }

// Out implements [engine.Tracer].
func (t *tracer) Out() bool { return t.out.Load() }

// Sums implements [engine.Tracer]. The types have one layout: the probe imports
// nothing.
func (t *tracer) Sums() []coverage.Sum {
	return unsafe.Slice((*coverage.Sum)(unsafe.Pointer(unsafe.SliceData(probe.Sums))), len(probe.Sums))
}

// Visits implements [engine.Tracer].
func (t *tracer) Visits() []coverage.Visit {
	t.visits = t.visits[:0]
	for i := range probe.Log[:probe.Logged] {
		e := &probe.Log[i]
		v := coverage.Visit{Condition: e.Condition, Side: e.Side, Kind: coverage.OperandKind(e.Kind), X: e.X, Y: e.Y}
		if e.XLen+e.YLen > 0 {
			v.SX = logged(e.At, e.XLen)
			v.SY = logged(e.At+uint32(e.XLen), e.YLen)
		}
		t.visits = append(t.visits, v)
	}
	return t.visits
}

// Logged implements [engine.Tracer].
func (t *tracer) Logged() int { return probe.Logged }

// logged returns a text of the log, valid as long as the log is.
func logged(at uint32, length uint16) string {
	b := probe.Bytes[at:][:length]
	return unsafe.String(unsafe.SliceData(b), len(b))
}
