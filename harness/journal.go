package harness

import (
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// journal writes each step into the shared mapping before it runs, so that
// whoever outlives this process knows what ended it.
type journal struct {
	shared *wire.Shared
	buf    []byte
}

func newJournal(s *wire.Shared) *journal { return &journal{shared: s, buf: s.Journal[:0]} }

func (j *journal) reset() {
	j.buf = j.buf[:0]
	j.shared.Length.Store(0)
	j.shared.Sequences.Add(1)
}

// idle says that nothing of the code under test is running.
func (j *journal) idle() { j.shared.Length.Store(0) }

// judging says whether contracts are running, behind the last step.
func (j *journal) judging(on bool) {
	if on {
		j.shared.Judging.Store(1)
	} else {
		j.shared.Judging.Store(0)
	}
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
	j.shared.Length.Store(uint32(len(j.buf)))
	j.shared.Steps.Add(1)
}

// stepRoom is enough for any step but one with long strings.
const stepRoom = 1 << 12

// fits measures what a step would take, beside the journal.
func (j *journal) fits(st seq.Step) bool {
	return len(seq.AppendStep(nil, st)) <= cap(j.buf)-len(j.buf)
}
