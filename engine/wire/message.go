package wire

import (
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// Message is one message; exactly one field is set.
type Message struct {
	// To a worker.
	Start *Start        `json:",omitempty"`
	Learn *Learn        `json:",omitempty"`
	Exec  *Exec         `json:",omitempty"`
	Share *engine.Share `json:",omitempty"` // of a worker that explores
	Stop  bool          `json:",omitempty"`
	// To a worker that compares versions.
	Versus  *Versus  `json:",omitempty"`
	Compose *Compose `json:",omitempty"`
	Compare *Compare `json:",omitempty"`
	// From a worker.
	Ready   *Ready   `json:",omitempty"`
	Stats   *Stats   `json:",omitempty"`
	Covered []int32  `json:",omitempty"` // sides taken by a sequence that became no entry
	Entry   *Entry   `json:",omitempty"`
	Finding *Finding `json:",omitempty"`
	Turn    *Turn    `json:",omitempty"`
	// Extended lists extensions that are complete. An entry or a finding that came before is
	// of the first of them.
	Extended []engine.Extension `json:",omitempty"`
	Lost     *Lost              `json:",omitempty"`
	Result   *Result            `json:",omitempty"`
	// From such a worker.
	Batch    *Batch    `json:",omitempty"`
	Compared *Compared `json:",omitempty"`
}

// fields counts the fields that are set.
func (m *Message) fields() int {
	n := 0
	for _, set := range []bool{
		m.Start != nil, m.Learn != nil, m.Exec != nil, m.Stop, m.Versus != nil, m.Compose != nil, m.Compare != nil,
		m.Ready != nil, m.Stats != nil, m.Covered != nil, m.Entry != nil, m.Finding != nil, m.Turn != nil, m.Extended != nil, m.Share != nil, m.Lost != nil, m.Result != nil,
		m.Batch != nil, m.Compared != nil,
	} {
		if set {
			n++
		}
	}
	return n
}

// Ready is the first message of a worker: it takes orders from now on.
type Ready struct {
	// StepFunc is the name of the function that calls the operations, as the runtime
	// prints it. A stack that has it is the stack of a step.
	StepFunc string
}

// UntimedPatience is how many times longer than usual a call may take before a clock ends
// it, where equal seeds are to give equal histories: see [engine.Params.Untimed]. Then only
// calls that never return meet a clock. Beside other work, a stack that overflowed took
// longer than usual calls may.
const UntimedPatience = 8

// Start begins composition in a worker.
type Start struct {
	Seed      uint64
	Sequences uint64 // stop after so many; 0 means no bound
	Params    engine.Params
	// UntilQuiet asks a worker that cannot aim at the frontier to end when its
	// composition is quiet.
	UntilQuiet bool
	Learn      Learn
	// Known lists entries that earlier processes of the same build have run, with their sides.
	Known    []Entry       `json:",omitempty"`
	Frontier []engine.Side `json:",omitempty"` // attempts of earlier processes
	Covered  []int32       `json:",omitempty"` // sides taken already, also by sequences that are no entries
	Explore  *engine.Scope `json:",omitempty"` // extend the states of shares instead of composing
}

// Seen lists literals that the package's tests hand to a parameter of an operation.
type Seen struct {
	Op    seq.OpID
	Param int
	Texts []string // see seq.Table.ParseLiteral
}

// Learn tells a worker the discoveries of others.
type Learn struct {
	Entries [][]byte   `json:",omitempty"` // sequences, in seq's binary form
	Seeds   [][]byte   `json:",omitempty"` // … of the package's tests
	Seen    []Seen     `json:",omitempty"`
	Known   []string   `json:",omitempty"` // findings reported already: see engine.Verdict.DedupKey
	NoHuge  []seq.OpID `json:",omitempty"` // operations to give no huge numbers
	// See package restrict: operations to give small literals only, to call no more, and
	// to leave out for a while.
	Restrict []seq.OpID        `json:",omitempty"`
	Disable  []seq.OpID        `json:",omitempty"`
	Backoff  []engine.OpCounts `json:",omitempty"`
	Oracles  []engine.OracleID `json:",omitempty"` // to hold no more
	Apart    int               `json:",omitempty"` // see engine.Engine.KeepApart
	// UntilQuiet is as in Start.
	UntilQuiet bool `json:",omitempty"`
	// For a comparison: operations that do not repeat themselves, operations with a known
	// difference, and keys of mismatches not to report again.
	Unstable []seq.OpID `json:",omitempty"`
	Differ   []seq.OpID `json:",omitempty"`
	Muted    []uint64   `json:",omitempty"`
}

// Exec asks for one run of a sequence.
type Exec struct {
	Steps []byte
	// WaitFactor is how many times longer than in composition a call may wait before it
	// is given up; 0 means once.
	WaitFactor int
	// Linger is how long the worker waits after the last step for goroutines that may
	// still panic.
	Linger  time.Duration    `json:",omitempty"`
	Fuel    int64            `json:",omitempty"` // if not zero, bounds the run; see engine.RunOptions
	Want    engine.Signature `json:",omitzero"`  // the signature of the finding to look for; see engine.Executor
	Fork    int              `json:",omitempty"` // if not zero, two goroutines run the steps from this one on
	Leaks   bool             `json:",omitempty"` // report goroutines that the sequence leaves waiting for ever
	Observe bool             `json:",omitempty"` // report the observable results of each step; check no contract
	Record  bool             `json:",omitempty"` // … as Go that a test can compare with
	Study   bool             `json:",omitempty"` // report the values that the sequence leaves: Result.Left
	// Like, with Study, asks whether another sequence leaves equal values.
	Like []byte `json:",omitempty"`
	// Input, if not nil, is a fuzz input to decode Steps from, for a test that lists its
	// operations. It need not be text.
	Input []byte `json:",omitzero"`
}

// A List describes a test that lists its operations.
type List struct {
	Table *seq.Table
	Steps int // most steps of a sequence
}

// Result answers Exec.
type Result struct {
	Error   string          `json:",omitempty"` // the sequence could not be run at all
	Verdict *engine.Verdict `json:",omitempty"`
	Steps   []byte          `json:",omitempty"` // decoded from Exec.Input, in seq's binary form
	Sides   []int32         `json:",omitempty"`
	Run     *difference.Run `json:",omitempty"` // with Exec.Observe
	Record  *regression.Run `json:",omitempty"` // with Exec.Record
	Lost    *Lost           `json:",omitempty"` // it did not complete
	Left    *Left           `json:",omitempty"` // with Exec.Study
}

// Left lists the values that a sequence leaves, except those that a literal can express.
type Left struct {
	Values []Value // the classes of values, each once, in order
	// State is equal for sequences that leave the same values, in any order and number of
	// slots.
	State uint64
	Took  time.Duration // the steps, with their contracts
	Alike bool          `json:",omitempty"` // equal to the values that Exec.Like leaves, also by their Equal methods
}

// A Value is a class of values.
type Value struct {
	Type seq.TypeID
	// Size is 0 for nil, else it grows with the logarithm of the number of nodes that the
	// value reaches, up to MaxSize.
	Size uint8
}

// MaxSize bounds Value.Size.
const MaxSize = 7

// Lost is a run that a worker gave up because its last call did not return.
type Lost struct {
	Steps   []byte          // in seq's binary form, without the count in front
	Oracle  engine.OracleID `json:",omitempty"` // that made the call, after the last step
	Goexit  bool            `json:",omitempty"` // the call ended its goroutine; else it waits
	Endless bool            `json:",omitempty"` // … or used up its fuel, which ended it: the worker goes on
	Stack   string          // of the goroutine, as the runtime prints it; behind it that of one that it waits for, if that runs
}

// Entry is a kept sequence with the sides it is kept for. Its steps are in seq's binary form.
type Entry struct {
	engine.Entry
	Steps []byte
	Value bool `json:",omitempty"` // kept for the value it makes
	Again bool `json:",omitempty"` // the worker was given it, and has run it
	// At is the number of sequences of the process when one last took a new side.
	At uint64 `json:",omitempty"`
}

// Finding is a verdict with its sequence, minimized and as found, in seq's binary form.
type Finding struct {
	engine.Finding
	Steps, Original []byte
}

// Turn announces an attempt at a side of the frontier, so that it counts even if the
// process dies in it.
type Turn struct{ Side int32 }

// Stats are a worker's totals since it started.
type Stats struct {
	Counts   engine.Counts
	Covered  []int32 `json:",omitempty"` // sides taken that it has not reported before
	Ops      []engine.OpCounts
	Hits     map[engine.Signature]uint64 `json:",omitempty"` // sequences that ended in that finding
	Refusals []engine.Refusal            `json:",omitempty"` // why sequences were illegal
	NoHuge   []seq.OpID                  // operations that it gives no huge numbers any more
	Quiet    bool                        `json:",omitempty"` // it ends, as the frontier promises more than composition
	// Frontier has the sides of the frontier that have changed their state.
	Frontier []engine.Side `json:",omitempty"`
	Final    bool          `json:",omitempty"` // the worker stops by itself after this message
	Recycle  bool          `json:",omitempty"` // it asks to be restarted: memory or goroutines have piled up
	// Running is the time in which the process ran sequences, Judging the part of it that
	// contracts took.
	Running, Judging time.Duration
	HeapBytes        uint64
	Goroutines       int
	Spins            bool     `json:",omitempty"` // one of them computes on and on
	Faults           []string `json:",omitempty"` // laws that panicked by themselves since the last report
}

// Versus begins a comparison: the worker of each version composes sequences on request,
// and runs those of the other.
type Versus struct {
	Seed  uint64
	Learn Learn
}

// Compose asks for a batch of sequences.
type Compose struct {
	Sequences int // at most; fewer if they take long
}

// A Batch holds sequences and the observed results of their steps. Only the harness
// interprets Data.
type Batch struct {
	Sequences int
	Data      []byte
	Steps     uint64
	Covered   int  // branch sides taken by this worker since it started
	Recycle   bool `json:",omitempty"` // the worker asks to be restarted
}

// Compare asks for a run of each sequence of the other worker's batch.
type Compare struct{ Batch Batch }

// Compared lists some of the sequences of a batch that have different results.
type Compared struct {
	Mismatches []Mismatch
	Unstable   []seq.OpID `json:",omitempty"` // operations that turned out not to repeat themselves
}

// A Mismatch is a sequence of a batch with other results.
type Mismatch struct {
	Steps []byte
	Key   uint64 // equal for mismatches that may have one cause
}
