package executor

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
	*Executor
	*tracer
}

// Bounds on the log of a run.
const (
	maxVisits     = 1 << 15
	maxVisitBytes = 1 << 20
)

// A tracer switches the probe on for the steps of a run and off around them: conditions
// in the runtime of the worker and the contracts are not the run's.
type tracer struct {
	mode   uint8
	fuel   int64 // of a run
	left   int64 // of it
	out    atomic.Bool
	inside atomic.Bool      // a call of the run, or of a contract, is under way
	bound  atomic.Bool      // runs have fuel
	runner atomic.Uint64    // the goroutine that runs the steps
	exempt [2]atomic.Uint64 // the worker's own goroutines, which fuel does not end
}

func newTracer(conditions int) *tracer {
	t := &tracer{fuel: probe.Unlimited}
	t.runner.Store(goroutineID())
	probe.Sums = make([]probe.Sum, conditions)
	probe.Log = make([]probe.Entry, maxVisits)
	probe.Bytes = make([]byte, maxVisitBytes)
	probe.Exhausted = t.exhausted
	return t
}

// outOfFuel is the panic value of a run that has used up its fuel.
type outOfFuel struct{}

// exhausted is called at each condition once there is no fuel left. Another
// goroutine than the runner is ended: its deferred calls run, so that a goroutine that
// waits for it goes on. The worker's own go on: they are there only because the runtime uses
// the package under test. Between the steps nothing is to end: the clock came late.
func (t *tracer) exhausted() {
	if !t.inside.Load() {
		probe.Fuel = probe.Unlimited
		return
	}
	switch id := goroutineID(); {
	case id == t.runner.Load():
		t.out.Store(true)
		panic(outOfFuel{})
	case id != t.exempt[0].Load() && id != t.exempt[1].Load():
		t.out.Store(true)
		runtime.Goexit()
	}
}

// goroutineID returns the number of this goroutine, which the first line of its
// stack tells: "goroutine 18 [running]:". It takes a microsecond.
func goroutineID() uint64 {
	var buf [64]byte
	id := uint64(0)
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		id = 10*id + uint64(c-'0')
	}
	return id
}

// Exempt has fuel not end this goroutine, which is the worker's own.
func (x *Executor) Exempt() {
	if x.tracer == nil {
		return
	}
	for i := range x.tracer.exempt {
		if x.tracer.exempt[i].CompareAndSwap(0, goroutineID()) {
			return
		}
	}
}

// Cut takes the fuel of the run in an analysis build: see [tracer.cut].
func (x *Executor) Cut() { x.tracer.cut() }

// begin forgets the run before.
func (t *tracer) begin(o engine.RunOptions) {
	t.mode, t.fuel = uint8(o.Trace), o.Fuel
	t.bound.Store(o.Fuel > 0)
	if o.Fuel <= 0 {
		t.fuel = probe.Unlimited
	}
	t.left = t.fuel
	t.out.Store(false)
	if t.mode != probe.ModeNothing {
		clear(probe.Sums)
		probe.Logged, probe.Filled = 0, 0
	}
}

// enter and leave surround the calls of the run.
func (t *tracer) enter() {
	probe.Fuel, probe.Mode = t.left, t.mode
	t.inside.Store(true)
}

func (t *tracer) leave() {
	t.left = max(probe.Fuel, 0)
	t.stop()
}

// stop ends recording, and the bound.
func (t *tracer) stop() {
	t.inside.Store(false)
	probe.Fuel, probe.Mode = probe.Unlimited, probe.ModeNothing
}

// refuel gives the call of a contract as much as the whole run, apart from it.
func (t *tracer) refuel() {
	probe.Fuel = t.fuel
	t.inside.Store(true)
}

// cut takes the fuel that is left, if a call of a run with fuel is under way: it ends
// at the next condition. Any goroutine may call it. That the runner counts down at the
// same time may undo it: call it again to be sure.
func (t *tracer) cut() {
	if t.bound.Load() && t.inside.Load() {
		atomic.StoreInt64(&probe.Fuel, 0)
	}
}

// spent returns the fuel that the last run used.
func (t *tracer) spent() int64 { return t.fuel - t.left }

// Sums implements [engine.Tracer]. The types have one layout: the probe imports
// nothing.
func (t *tracer) Sums() []coverage.Sum {
	return unsafe.Slice((*coverage.Sum)(unsafe.Pointer(unsafe.SliceData(probe.Sums))), len(probe.Sums))
}

// Logged implements [engine.Tracer].
func (t *tracer) Logged() int { return probe.Logged }

// Visit implements [engine.Tracer].
func (t *tracer) Visit(i int) coverage.Visit {
	e := &probe.Log[i]
	v := coverage.Visit{Condition: e.Condition, Side: e.Side, Kind: coverage.OperandKind(e.Kind), X: e.X, Y: e.Y}
	if e.XLen+e.YLen > 0 {
		v.SX = logged(e.At, e.XLen)
		v.SY = logged(e.At+uint32(e.XLen), e.YLen)
	}
	return v
}

// Find implements [engine.Tracer].
func (t *tracer) Find(cond int32, from int) int {
	for i := from; i < probe.Logged; i++ {
		if probe.Log[i].Condition == cond {
			return i
		}
	}
	return -1
}

// logged returns a text of the log, valid as long as the log is.
func logged(at uint32, length uint16) string {
	b := probe.Bytes[at:][:length]
	return unsafe.String(unsafe.SliceData(b), len(b))
}
