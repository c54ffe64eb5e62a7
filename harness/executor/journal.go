package executor

import (
	"unsafe"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// journal writes each step into the shared mapping before it runs, so that the
// coordinator knows which step ended this process.
//
// The mapping's counters are stored plainly where they change with each step: an
// atomic store or addition is some 5 ns, a tenth of a step. One thread writes
// them. Another process reads them: it polls, and looks once more after the writer's
// death, when all writes are there. The order of the statements has Length follow the
// bytes it covers.
type journal struct {
	shared *wire.Shared
	length *uint32
	steps  *uint64
	buf    []byte
	oracle engine.OracleID // that runs, after the last step
}

func newJournal(s *wire.Shared) *journal {
	return &journal{
		shared: s, buf: s.Journal[:0],
		length: (*uint32)(unsafe.Pointer(&s.Length)), steps: (*uint64)(unsafe.Pointer(&s.Steps)),
	}
}

func (j *journal) reset() {
	j.idle()
	j.shared.Sequences.Add(1)
}

// idle says that no step is running. The steps stay in the journal for a while: a
// goroutine that they started may yet end the process.
func (j *journal) idle() {
	j.judging(engine.NoOracle)
	*j.length = 0
	if len(j.buf) == 0 {
		return
	}
	s := j.shared
	from, n := s.Begin.Load(), s.Ended.Load()
	to := from + uint32(len(j.buf))
	s.Places[n%uint32(len(s.Places))] = wire.Place{From: from, To: to}
	s.Ended.Store(n + 1)
	if int(to) > len(s.Journal)/2 {
		to = 0 // so that each has half of the room at least
	}
	s.Begin.Store(to)
	j.buf = s.Journal[to:to]
}

// judging says which oracle is running, behind the last step.
func (j *journal) judging(by engine.OracleID) {
	j.oracle = by
	j.shared.Own.Store(0)
	j.shared.Oracle.Store(uint32(by))
}

// calling says that a contract makes the call st, if that can be said: st is then
// the last step for as long as it runs. Else the oracle is to answer for the call.
func (j *journal) calling(st seq.Step, named bool) {
	n := len(j.buf)
	j.shared.Oracle.Store(uint32(j.oracle))
	j.shared.Own.Store(0)
	if named {
		j.shared.Oracle.Store(uint32(engine.NoOracle))
		j.shared.Own.Store(uint32(n))
		n = len(seq.AppendStep(j.buf, st))
	}
	*j.length = uint32(n)
}

// called says that the last step runs, again or at last.
func (j *journal) called() {
	*j.length = uint32(len(j.buf))
	j.shared.Own.Store(0)
}

// cut takes back all but the first n bytes of the sequence.
func (j *journal) cut(n int) {
	j.buf = j.buf[:n]
	j.called()
}

// append writes st. A sequence that outgrows the journal is cut there: its name
// is lost, nothing else.
func (j *journal) append(st seq.Step) {
	if cap(j.buf)-len(j.buf) < stepRoom {
		if !j.fits(st) {
			return
		}
	}
	j.buf = seq.AppendStep(j.buf, st)
	*j.length = uint32(len(j.buf))
}

// stepRoom is enough for any step but one with long strings.
const stepRoom = 1 << 12

// fits reports whether a step fits into the journal.
func (j *journal) fits(st seq.Step) bool {
	return len(seq.AppendStep(nil, st)) <= cap(j.buf)-len(j.buf)
}
