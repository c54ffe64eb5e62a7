// Package regression makes a regression test of a sequence. It chooses the
// results to assert, adds calls of observers after the last step, and removes
// the steps that no assertion needs.
//
// An observer is a call that leaves the digest of every value in play
// unchanged. That is shown by running it; [Pacheco09 §9.1] guesses observers by
// their names. From
//
//	v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Len(); v0.MoveToFront(v1)
//
// comes a test that asserts v0.Len() == 1 and, after the last step, v0.Front()
// == v1.
//
// The package holds data and makes choices. Package harness/executor runs the
// sequences and records live values; harness/emit writes the test.
package regression

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

// How is the way in which a test compares a result with the record.
type How uint8

// The ways to compare. Text is [Result.Text].
const (
	None      How = iota // there is nothing that a test could compare with
	Equal                // by ==; Text is an expression of the result's type
	NaN                  // it is no number
	Nil                  // by == nil
	NotNil               // by != nil: nothing more can be said
	Same                 // by ==, with an earlier result: [Result.Slot]
	Bytes                // by == of the string made of it, which Text quotes
	Slice                // by slices.Equal; Text is a composite literal
	Map                  // by maps.Equal, likewise
	Deep                 // by reflect.DeepEqual, likewise
	Len                  // by its length, which Text is: the whole is too long
	Sentinel             // by errors.Is; Text names a package variable
	ErrorText            // by the text of the error, which Text quotes
	Printed              // by the result of fmt.Sprint, which Text quotes
)

// A Result records one result of a step.
type Result struct {
	How  How
	Text string `json:",omitempty"`
	Slot int32  `json:",omitempty"` // if Same
}

// Calls are the calls that a step made of a function literal it was given.
type Calls struct {
	Arg  int    // the argument that the function was
	Text string // the first parameter of each, as a composite literal
	Type string // of Text
}

// A Step records the outcome of one step.
type Step struct {
	Status  engine.Status // Broken also if a function literal of foray's panicked
	Pure    bool          // it left the digests of all earlier results as they were
	Results []Result      `json:",omitempty"` // none if it broke
	Calls   *Calls        `json:",omitempty"`
}

// An End records the content of a slot after the last step, if some step has
// changed it.
type End struct {
	Slot int32
	Result
}

// A Run records a sequence: its steps as far as they ran.
type Run struct {
	Steps []Step
	Ends  []End   `json:",omitempty"` // by slot, ascending
	Sides []int32 `json:",omitempty"` // branch sides it took
}

// A Test is a sequence with the assertions of its test.
type Test struct {
	Steps seq.Sequence
	// Asserts holds, for each step, nil or one element for each of its results.
	// A result of How None is not asserted.
	Asserts [][]Result
	// Calls holds, for each step, nil or the calls to assert.
	Calls []*Calls
	Ends  []End // contents of slots at the end
	// Pure says for each step whether it left all values as they were.
	Pure []bool
	// Fresh are the branch sides that no test before it takes, ascending.
	Fresh []int32
	// Sides are all that it takes.
	Sides []int32
}

// Assertions counts the assertions of a test.
func (t *Test) Assertions() int {
	n := len(t.Ends)
	for i := range t.Steps {
		if t.Calls[i] != nil {
			n++
		}
		for _, r := range t.Asserts[i] {
			if r.How != None {
				n++
			}
		}
	}
	return n
}
