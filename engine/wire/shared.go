package wire

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"foray.test/engine"
)

// MemoryBytes is the memory at which a hanging worker counts as one that takes memory
// without bound. At twice as much an allocation fails.
const MemoryBytes = 1 << 30

// SharedBytes is the size of the mapping that a worker and the coordinator share.
const SharedBytes = 1<<18 + stackBytes

// stackBytes bounds the stacks that a worker tells: the runtime shows at most a hundred
// calls of each.
const stackBytes = 1 << 15

// Shared is the mapping: counters of progress, and the journal of the running sequence.
// The worker writes it, except for Asked. The coordinator reads it, also after the worker
// died: the journal then has the sequence that ended it.
type Shared struct {
	head
	Journal [SharedBytes - unsafe.Sizeof(head{})]byte
}

type head struct {
	// Sequences and Steps count those that the worker has begun; the calls of contracts
	// count as steps. If its counts stand still, a worker hangs.
	Sequences atomic.Uint64
	Steps     atomic.Uint64
	// Goroutine is the number of the goroutine that runs sequences. Earlier ones wait in
	// calls that were given up.
	Goroutine atomic.Uint64
	// Oracle is the [engine.OracleID] of what runs after the last step, as long as its call
	// is not in the journal.
	Oracle atomic.Uint32
	// Length is the number of bytes of Journal, from Begin on, that hold the running
	// steps, in seq's binary form.
	Length atomic.Uint32
	Begin  atomic.Uint32
	// Own is how many of these bytes hold steps of the sequence itself while a contract makes
	// the last one; 0 if it makes none.
	Own atomic.Uint32
	// Places are the places in Journal of earlier sequences, as far as they are not
	// overwritten. The latest is at Ended-1, modulo the number of places.
	Ended  atomic.Uint32
	Places [128]Place
	// Counts are the engine's counts after the last sequence that completed. They are read
	// once the worker is dead, as its reports are older.
	Counts engine.Counts
	// Asked is set by the coordinator to have the worker make no more steps, and tell
	// the stack of the goroutine that runs them. Told is how much of Stacks it has written.
	Asked  atomic.Uint32
	Told   atomic.Uint32
	Stacks [stackBytes]byte
}

// A Place is a part of the journal.
type Place struct{ From, To uint32 }

func (p Place) overlaps(q Place) bool { return p.From < q.To && q.From < p.To }

// Running returns the steps of the sequence that runs, in seq's binary form.
func (s *Shared) Running() []byte {
	from := min(int(s.Begin.Load()), len(s.Journal))
	return s.Journal[from:min(from+int(s.Length.Load()), len(s.Journal))]
}

// Begun returns the steps that the sequence itself has begun: the running ones without the
// call of a contract.
func (s *Shared) Begun() []byte {
	steps := s.Running()
	if n := int(s.Own.Load()); n > 0 && n <= len(steps) {
		return steps[:n]
	}
	return steps
}

// Tell puts stacks into the mapping, as far as there is room.
func (s *Shared) Tell(stacks string) { s.Told.Store(uint32(copy(s.Stacks[:], stacks))) }

// ToldStacks returns the stacks that the worker has told, "" if it has told none.
func (s *Shared) ToldStacks() string {
	return string(s.Stacks[:min(int(s.Told.Load()), len(s.Stacks))])
}

// Earlier returns the steps of earlier sequences, oldest first, as far as the journal
// still has them.
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

// Beat returns a number that changes with each step. It is cheap, and not exact for the
// worker's own threads.
func (s *Shared) Beat() uint64 { return s.Sequences.Load() + s.Steps.Load() }

// The environment variables of a worker.
const (
	EnvTable      = "FORAY_TABLE"      // the file that holds its table
	EnvConditions = "FORAY_CONDITIONS" // the file that holds the table of conditions, for an analysis build
	EnvAround     = "FORAY_AROUND"     // set to take counters around the steps
	EnvAfterPanic = "FORAY_AFTERPANIC" // set if sequences continue after calls that panic
	EnvProfile    = "FORAY_PROFILE"    // the directory for a CPU profile of each process that searches
	EnvDescribe   = "FORAY_DESCRIBE"   // the file for the description of a fuzz target
	EnvList       = "FORAY_LIST"       // the file for the operations of a test that lists them: see List
)

func (s *Shared) pointer() unsafe.Pointer { return unsafe.Pointer(s) }
