// Package mutators edits sequences and the values in them: small functions, each
// one edit, that draw their choices from a source.
//
// An edit aims a [Aim.Witness], a sequence that reaches a condition, at a side of
// it that no run has taken. The witness
//
//	v0 := queue.New(2)
//	v0.Put("x")
//
// reached n > 10 with operands 2 and 10; the edit "compared" replaces 2 by 11:
//
//	v0 := queue.New(11)
//	v0.Put("x")
//
// [Edits] lists them all. The package schedules nothing, and runs sequences only through
// [Aim.Probe]. The caller decides how many proposals of which edit are tried.
package mutators

import (
	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// An Aim is the input of an edit: a witness, its positions that influence the condition
// aimed at, and the operands of the condition.
type Aim struct {
	Index      *seq.TypeIndex // of the table of Witness
	Source     *draw.Source
	Components Components // nil if there are none
	Literals   Literals

	Witness seq.Sequence
	// Positions are those of literals, slots and callees that influence the
	// condition, the most telling first; all of [AllPositions] if none is known.
	Positions []Position
	Condition *coverage.Condition // nil only without Visits
	Want      int                 // the side wanted, its number over all conditions
	Visits    []coverage.Visit    // of the condition in the witness's run, in order
	Nearby    []coverage.Visit    // of other conditions on the way, the latest first
	// Probe runs a changed witness, without going on from it, and returns the visits
	// and those nearby. It is nil where nothing runs.
	Probe func(seq.Sequence) (visits, nearby []coverage.Visit)

	MaxSteps       int // no proposal is longer; 0: twice the witness and 64
	MaxStringBytes int // no string literal is longer, but for one that was and is at most 8 KB; 0: 256
	// Allowed says which operations may come in where there was none; nil: all.
	Allowed func(seq.OpID) bool
}

// A Position is a place in a sequence that an edit may change.
type Position struct {
	Step, Arg int32 // Arg -1: the operation of the step itself
}

// Components is the component set that edits take values from.
type Components interface {
	// Pick draws a sequence that leaves a value that may stand where wanted does
	// in slot, or reports false when there is none.
	Pick(src *draw.Source, wanted seq.TypeID) (steps seq.Sequence, slot int32, ok bool)
	// Each calls f with all of them, the latest of a type first, until f returns false.
	Each(wanted seq.TypeID, f func(steps seq.Sequence, slot int32) bool)
}

// Literals is the pool of literals that edits take values from. The caller does
// not change the slices that it returns.
type Literals interface {
	// Nil returns the nil of a type, or nil if it has none.
	Nil(t seq.TypeID) *seq.Literal
	// Words returns the literals of exactly type t, the most telling first: those
	// mined from the package, small ones, boundary values. None for a type that
	// takes no literals.
	Words(t seq.TypeID) []*seq.Literal
}

// An Edit proposes changed sequences.
type Edit struct {
	Name string
	// Propose calls try with each sequence that the edit makes of the witness, the
	// most promising first, until try returns false. They are finitely many; an
	// edit that draws proposes a few each time it is called. A proposal passes Check
	// and differs from the witness. It shares memory with it only where neither may
	// change it. Two edits, or one at two positions, may propose the same.
	Propose func(a *Aim, try func(seq.Sequence) bool)
	Random  bool // it draws from a.Source: worth calling again
}

// Edits lists the edits in the order to try them: cheap and telling ones first.
var Edits = []Edit{
	{Name: "compared", Propose: comparedValues},
	{Name: "compared in text", Propose: operandsInText},
	{Name: "difference", Propose: differences},
	{Name: "solution", Propose: solutions},
	{Name: "size", Propose: sizes},
	{Name: "self-alias", Propose: selfAliases},
	{Name: "completion", Propose: completions},
	{Name: "key", Propose: keys},
	{Name: "state", Propose: states},
	{Name: "unary", Propose: unary},
	{Name: "compared into text", Propose: operandsIntoText},
	{Name: "nearby", Propose: nearbyValues},
	{Name: "nearby in text", Propose: nearbyInText},
	{Name: "next byte", Propose: nextBytes},
	{Name: "nil", Propose: nils},
	{Name: "alias", Propose: aliases},
	{Name: "closure", Propose: closures},
	{Name: "swap", Propose: swaps},
	{Name: "repeat step", Propose: repeatSteps},
	{Name: "drop", Propose: drops},
	{Name: "words into text", Propose: wordsIntoText, Random: true},
	{Name: "words", Propose: words},
	{Name: "duplicate", Propose: duplicates},
	{Name: "dynamic type", Propose: dynamicTypes, Random: true},
	{Name: "insert", Propose: insertions, Random: true},
	{Name: "splice", Propose: splices, Random: true},
	{Name: "borrow", Propose: borrowings, Random: true},
	{Name: "producer", Propose: producers, Random: true},
	{Name: "callee", Propose: operations},
	{Name: "move", Propose: moves},
	{Name: "cut", Propose: cuts},
	{Name: "bytes", Propose: bytesOfText, Random: true},
	{Name: "two literals", Propose: twoLiterals, Random: true},
	{Name: "havoc", Propose: havoc, Random: true},
}

// AllPositions returns every position of s: of each step its arguments, then its
// operation.
func AllPositions(s seq.Sequence) []Position {
	var all []Position
	for i := range s {
		for j := range s[i].Args {
			all = append(all, Position{int32(i), int32(j)})
		}
		all = append(all, Position{int32(i), -1})
	}
	return all
}
