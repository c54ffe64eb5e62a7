package engine

import "foray.test/engine/seq"

// A Tier says how sure a finding is.
type Tier uint8

// The tiers. An Illegal run broke a documented or evident precondition and is
// counted, never shown. A Suspect may be misuse. An Error breaks a documented
// contract or a rule of Go, or is a crash that no precondition excuses.
const (
	Illegal Tier = iota
	Suspect
	Error
)

// String returns the tier as reports spell it.
func (t Tier) String() string {
	switch t {
	case Suspect:
		return "suspect"
	case Error:
		return "error"
	}
	return "illegal"
}

// A Ruling is what a rule, limit, property or judge proposes for a verdict.
type Ruling struct {
	Tier   Tier
	Rule   string // the name of the rule
	Reason string // the sentence it leans on, and where that stands; may be empty
}

// Settle sets the tier of v, with its rule and reason, and returns v. A doubt that has a
// rule decides if r is an error.
func (v *Verdict) Settle(r, doubt Ruling) *Verdict {
	if doubt.Rule != "" && r.Tier == Error {
		r = doubt
	}
	v.Tier, v.Rule, v.Reason = r.Tier, r.Rule, r.Reason
	return v
}

// Ruling returns the ruling that v was settled by.
func (v *Verdict) Ruling() Ruling { return Ruling{v.Tier, v.Rule, v.Reason} }

// DedupKey is known once v is reported: its signature, marked if v is only a suspect.
// So an error is still reported after a suspect of the same signature.
func (v *Verdict) DedupKey() string {
	if v.Tier < Error {
		return suspectMark + v.Signature.String()
	}
	return v.Signature.String()
}

const suspectMark = "suspect:"

// IsNew reports whether v is to be reported, by the dedup keys that are known.
func (v *Verdict) IsNew(known func(dedupKey string) bool) bool {
	return !known(v.Signature.String()) && !known(v.DedupKey())
}

// Thrown is the value that foray's own func literals of shape seq.Throw panic with. A
// call that such a panic leaves has failed. The sequence goes on: the callee has to put
// right all that a callback's panic leaves behind.
const Thrown = seq.Thrown

// The kinds of verdicts.
const (
	KindPanic    = "panic"    // a call panicked
	KindFatal    = "fatal"    // the runtime ended the process: stack overflow, concurrent map writes, all goroutines asleep
	KindExit     = "exit"     // a call ended the process
	KindHang     = "hang"     // a call did not return before the deadline
	KindMemory   = "memory"   // a call took more memory than the limit
	KindContract = "contract" // a contract does not hold
	KindRace     = "race"     // two goroutines that may share a value race
	KindLeak     = "leak"     // a goroutine is left that waits for ever
	KindFail     = "fail"     // a fuzz function called t.Fatal, t.Error or t.Fail
)

// Kinds lists them.
var Kinds = []string{KindPanic, KindFatal, KindExit, KindHang, KindMemory, KindContract, KindRace, KindLeak, KindFail}

// A Verdict is the objection of an oracle to a run, with the reason. [Verdict.Settle] sets
// its tier.
type Verdict struct {
	Tier Tier
	Kind string
	// Op is the operation that is blamed.
	Op seq.OpID
	// Signature is equal for verdicts of the same cause.
	Signature Signature
	Message   string // what happened: one line, but for the output of a fuzz function
	Rule      string // the name of the rule, limit, property or judge that decided
	Reason    string // the sentence the rule leans on, and where that stands
	Stack     string // of the panic, trimmed to the frames between the call and the panic
	// For a contract: its name, the Go expression over $0, $1 … that must be
	// true, and the slots to put there.
	Contract string
	Assert   string
	Slots    []int32
	// For a contract on a call: after the first Steps steps, the last of which is the
	// call, Assert must be true. Before, if not empty, is an expression to evaluate before
	// the call; Assert refers to it as before.
	Steps  int    `json:",omitempty"`
	Before string `json:",omitempty"`
	// Past lists the steps that panicked, for which their caller is to blame, and behind
	// which the sequence went on.
	Past []int32 `json:",omitempty"`
	// For a race: how many steps run before two goroutines run the others.
	Fork int `json:",omitempty"`
}
