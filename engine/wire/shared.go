package wire

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"foray.test/engine"
)

// MemoryBytes is what a worker may come to take that hangs, before that counts as
// taking memory without bound. At twice that an allocation fails.
const MemoryBytes = 1 << 30

// SharedBytes is the size of the mapping that a worker and the coordinator share.
const SharedBytes = 1 << 18

// Shared is the mapping: counters that beat, and the journal of the sequence that
// is running. The worker writes, the coordinator reads, during and after the
// worker's life: what killed a worker is what its journal holds.
type Shared struct {
	head
	Journal [SharedBytes - unsafe.Sizeof(head{})]byte
}

type head struct {
	// Sequences and Steps are how many the worker has begun, steps with the calls
	// of contracts; while they do not move, it hangs.
	Sequences atomic.Uint64
	Steps     atomic.Uint64
	// Goroutine is the number of the one that runs sequences: those before it wait
	// in calls that were given up.
	Goroutine atomic.Uint64
	// Judging is set while a contract is held, behind the last step. It is not if
	// the journal has the call that the contract makes as another step.
	Judging atomic.Uint32
	// Length is how many bytes of Journal, from Begin on, hold the steps that run, in
	// seq's binary form.
	Length atomic.Uint32
	Begin  atomic.Uint32
	// The sequences before have left their steps in Journal, as far as they are not
	// overwritten: their places, the latest at Ended-1, modulo their number.
	Ended  atomic.Uint32
	Places [128]Place
	// Counts are the engine's as of the last sequence that it finished. They are
	// to be read once the worker is dead: its reports lag behind.
	Counts engine.Counts
}

// A Place is a part of the journal.
type Place struct{ From, To uint32 }

func (p Place) overlaps(q Place) bool { return p.From < q.To && q.From < p.To }

// Running returns the steps of the sequence that runs, in seq's binary form.
func (s *Shared) Running() []byte {
	from := min(int(s.Begin.Load()), len(s.Journal))
	return s.Journal[from:min(from+int(s.Length.Load()), len(s.Journal))]
}

// Earlier returns the steps of the sequences before, oldest first, as far as the
// journal still has them.
func (s *Shared) Earlier() [][]byte {
	begin := s.Begin.Load()
	taken := []Place{{begin, begin + s.Length.Load()}}
	var list [][]byte
	ended := s.Ended.Load()
	for i := uint32(1); i <= min(ended, uint32(len(s.Places))); i++ {
		p := s.Places[(ended-i)%uint32(len(s.Places))]
		if p.From > p.To || int(p.To) > len(s.Journal) || slices.ContainsFunc(taken, p.overlaps) {
			break
		}
		taken = append(taken, p)
		list = append(list, s.Journal[p.From:p.To])
	}
	slices.Reverse(list)
	return list
}

// SharedOf returns the view of a mapping, which must be SharedBytes long.
func SharedOf(mapping []byte) *Shared {
	if len(mapping) < SharedBytes {
		panic("wire: mapping too small")
	}
	return (*Shared)(unsafe.Pointer(&mapping[0]))
}

// Steps in the journal stand without a count in front: the length says how many.

// Beat returns a number that moves whenever the worker gets on. It is cheap, and
// not exact where the worker's own threads ask.
func (s *Shared) Beat() uint64 { return s.Sequences.Load() + s.Steps.Load() }

// The descriptors that a worker is started with, beside the standard ones.
const (
	CommandFD = 3 // messages to the worker
	ReportFD  = 4 // messages from it
	SharedFD  = 5 // the file behind the mapping
)

// What a worker's environment says.
const (
	EnvTable      = "FORAY_TABLE"      // the file that holds its table
	EnvConditions = "FORAY_CONDITIONS" // the file that holds the table of conditions, for an analysis build
	EnvAround     = "FORAY_AROUND"     // set if counters are to be taken around the steps
	EnvAfterPanic = "FORAY_AFTERPANIC" // set if sequences continue after calls that panic
	EnvDescribe   = "FORAY_DESCRIBE"   // the file that a fuzz target is to describe itself in
	EnvList       = "FORAY_LIST"       // the file for the operations of one that lists them: see List
)

func (s *Shared) pointer() unsafe.Pointer { return unsafe.Pointer(s) }
