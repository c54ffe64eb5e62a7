package engine

import (
	"strings"

	"foray.test/engine/seq"
)

// A Tier says how sure a finding is.
type Tier uint8

// The tiers, in order. An Illegal run broke a documented or evident precondition and is
// counted, never shown. A Suspect may be misuse. A Panic is a crash that no documented
// precondition excludes. An Error breaks a promise: see [Claim].
const (
	Illegal Tier = iota
	Suspect
	Panic
	Error
	Tiers = iota // how many there are
)

// String returns the tier as reports spell it.
func (t Tier) String() string {
	switch t {
	case Suspect:
		return "suspect"
	case Panic:
		return "panic"
	case Error:
		return "error"
	}
	return "illegal"
}

// ParseTier returns the tier that String spells so.
func ParseTier(s string) (t Tier, ok bool) {
	for t = Illegal; t < Tiers; t++ {
		if t.String() == s {
			return t, true
		}
	}
	return Illegal, false
}

// A Claim is the assertion that a finding makes about the code under test. It bounds the
// tier, before any excuse is looked for.
type Claim string

// The claims. A verdict without one is bounded by none.
const (
	ClaimOwn     Claim = "own"     // the user's own contract, model or fuzz function objects
	ClaimPromise Claim = "promise" // a contract of a standard interface, or a documented convention, is broken
	ClaimHang    Claim = "hang"    // a call does not return
	ClaimRefusal Claim = "refusal" // a function that reports bad input by an error panics
	ClaimKept    Claim = "kept"    // a property that the package keeps nearly always is broken
	ClaimCrash   Claim = "crash"   // a call panics or ends its process; no documented precondition excludes its arguments
	ClaimName    Claim = "name"    // operations do not do what their names suggest
)

// Tier returns the tier of a finding that claims c and has no excuse.
func (c Claim) Tier() Tier {
	switch c {
	case ClaimCrash:
		return Panic
	case ClaimName:
		return Suspect
	}
	return Error
}

// A Ruling is what a rule, limit, property or judge proposes for a verdict.
type Ruling struct {
	Tier   Tier
	Rule   string // the name of the rule
	Reason string // the sentence it leans on, and where that stands; may be empty
}

// Settle sets the tier of v, with its rule and reason, and returns v. The claim of v bounds
// the tier. A doubt that has a rule decides if r is more than a suspicion.
func (v *Verdict) Settle(r, doubt Ruling) *Verdict {
	if doubt.Rule != "" && r.Tier > Suspect {
		r = doubt
	}
	v.Tier, v.Rule, v.Reason = min(r.Tier, v.Claim.Tier()), r.Rule, r.Reason
	return v
}

// Ruling returns the ruling that v was settled by.
func (v *Verdict) Ruling() Ruling { return Ruling{v.Tier, v.Rule, v.Reason} }

// excusePosition lowers a crash of an index or a slice expression of which the number given
// decides, as it does for a slice. when says so in words.
func (v *Verdict) excusePosition(when string) {
	if v.Claim != ClaimCrash || !v.Signature.OutOfBounds() {
		return
	}
	v.Evidence = when
	v.Settle(Ruling{Suspect, rulePosition, "a number given is one outside of a range, as for a slice"}, Ruling{})
}

// excuseText lowers a panic of a call that reports bad input by an error, where the input does
// not matter: the call fails of any text. Then an object is to blame, or another argument. Of
// any other crash it notes that no text of the length decides.
func (v *Verdict) excuseText(a around) {
	reason := "it reports bad input by its error result, but the input does not matter: it fails with any text"
	switch {
	case v.Kind != KindPanic || v.Tier < Panic:
		return
	case v.Claim == ClaimRefusal && a.anyText:
	case v.Claim == ClaimCrash && a.anyLong:
		reason = v.Reason
	default:
		return
	}
	v.Evidence = a.when
	v.Settle(v.Ruling(), Ruling{Panic, RuleAnyText, reason})
}

// The rules of panics that are settled by runs with other literals.
const (
	rulePosition = "position"
	RuleAnyText  = "any text" // the panic does not depend on the text that its call reads
)

// ByOtherLiterals reports whether runs with other literals settled a verdict with this rule. A
// run of its sequence alone does not show it.
func ByOtherLiterals(rule string) bool { return rule == rulePosition || rule == RuleAnyText }

// DedupKey is known once v is reported: its signature, marked by a tier below Error. So an
// error is still reported after a suspect of the same signature.
func (v *Verdict) DedupKey() string { return dedupKey(v.Tier, v.Signature) }

func dedupKey(t Tier, s Signature) string {
	if t == Error {
		return s.String()
	}
	return max(t, Suspect).String() + "|" + s.String()
}

// IsNew reports whether v is to be reported, by the dedup keys that are known: none of its
// signature is known for its tier or a higher one.
func (v *Verdict) IsNew(known func(dedupKey string) bool) bool {
	for t := max(v.Tier, Suspect); t <= Error; t++ {
		if known(dedupKey(t, v.Signature)) {
			return false
		}
	}
	return true
}

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
	Claim Claim
	Tier  Tier
	Kind  string
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
	// Evidence is what the run had learned that found it, in words: how often the
	// package keeps a property. A fresh process has learned nothing; see [Verdict.Inherit].
	Evidence string `json:",omitempty"`
	// For a property by name: how plain the data are of which the package keeps it, and that
	// broke it.
	Plain Plainness `json:",omitempty"`
	// For a race: how many steps run before two goroutines run the others.
	Fork int `json:",omitempty"`
	Crash
}

// A Crash holds the facts about a panic or death beside its verdict.
type Crash struct {
	// Late says that it was in a goroutine that the calls started, maybe after their end.
	Late bool `json:",omitempty"`
	// Applies names all rules and limits that apply, in the order in which they are asked.
	// The first rule decides, unless a limit does.
	Applies []string `json:",omitempty"`
}

// A Plainness says how plain data are. A property that breaks only where data are strange may
// be meant that way.
type Plainness uint8

// The classes of plainness. Plain data are texts of letters, digits and the marks . - _, numbers
// of at most a million, and lists and maps of such, none of them empty. In words there are no marks.
const (
	Strange Plainness = iota
	Plain
	Words
	Plainnesses = iota // how many there are
)

// String returns the words for data that are so plain, after "contexts"; nothing for all data.
func (p Plainness) String() string {
	return [Plainnesses]string{"", " of plain values", " of plain words and numbers"}[p]
}

// Site returns the lines of the stack of a panic that name its statement and its caller. A verdict
// without a stack has none.
func (v *Verdict) Site() string {
	const frames = 2 // of two lines each
	lines := strings.SplitAfter(v.Stack, "\n")
	return strings.Join(lines[:min(len(lines), 2*frames)], "")
}

// Wordings count, by site and tier, the signatures of panics that differ in their text alone.
type Wordings map[string]int

// Enough reports whether so many others were taken in that v says nothing new. It takes in v, if not.
func (w Wordings) Enough(v *Verdict) bool {
	site := v.Site()
	if site == "" || !hasText(v.Kind, v.Signature.Class) {
		return false
	}
	key := v.Tier.String() + v.Signature.Where + "\n" + site
	if w[key] >= maxWordings {
		return true
	}
	w[key]++
	return false
}

// Inherit gives v, from a fresh process, the tier and the evidence of from, a verdict of
// the same signature. A verdict that rests on what the package keeps elsewhere stays a
// suspicion if v has a doubt: its rule is not that of the property. So does one of what is
// kept of plain data, if those of v are not.
func (v *Verdict) Inherit(from *Verdict) {
	if v.Evidence != "" || from.Evidence == "" {
		return
	}
	v.Evidence = from.Evidence
	if from.Claim == ClaimKept {
		if v.Rule != from.Rule || from.Plain > v.Plain {
			return
		}
		v.Claim = ClaimKept
	}
	v.Settle(from.Ruling(), Ruling{})
}
