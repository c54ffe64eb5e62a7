package wire

import (
	"sync/atomic"
	"unsafe"

	"foray.test/engine"
)

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
	// Sequences and Steps are how many the worker has begun; while they do not
	// move, it hangs.
	Sequences atomic.Uint64
	Steps     atomic.Uint64
	// Judging is set while contracts are held, behind the last step.
	Judging atomic.Uint32
	// Length is how many bytes of Journal hold steps, in seq's binary form.
	Length atomic.Uint32
	// Counts are the engine's as of the last sequence that it finished. They are
	// to be read once the worker is dead: its reports lag behind.
	Counts engine.Counts
}

// SharedOf returns the view of a mapping, which must be SharedBytes long.
func SharedOf(mapping []byte) *Shared {
	if len(mapping) < SharedBytes {
		panic("wire: mapping too small")
	}
	return (*Shared)(unsafe.Pointer(&mapping[0]))
}

// Steps in the journal stand without a count in front: the length says how many.

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
)

func (s *Shared) pointer() unsafe.Pointer { return unsafe.Pointer(s) }
