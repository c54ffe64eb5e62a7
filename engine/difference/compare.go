package difference

import (
	"fmt"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// The classes of differences, as reports spell them.
const (
	PanicAppears    = "panic appears"    // a call panics, or ends its process, that returned
	PanicDisappears = "panic disappears" // … the other way round
	PanicChanges    = "panic changes"    // another panic
	ErrorChanges    = "error"            // an error where there was none, none or another one
	ValueChanges    = "value"            // another result, or another change of an argument
	OrderChanges    = "order"            // the same elements in another order
	TimeChanges     = "time"             // a call does not return that did, or the other way round
	Removed         = "API removed"      // an operation that is gone, or has another signature
)

// A Step is the observable result of one call.
type Step struct {
	Status  engine.Status
	Panic   string  `json:",omitempty"` // if Broken: its text, without numbers and addresses
	Place   string  `json:",omitempty"` // … and its kind and place in the package, as in a signature; empty if outside
	Results []Value `json:",omitempty"`
	// Changed lists the results of earlier steps that the call has changed, in order: its
	// arguments, and values that share state with them.
	Changed []Change `json:",omitempty"`
}

// A Change is the value of a slot after a call that has changed it.
type Change struct {
	Slot  int32
	Value Value
}

// A Run is the observable result of one sequence: its steps as far as they ran.
type Run struct {
	Steps []Step
	// Death is how the process ended, if it did, in step DiedIn. The steps before it ran;
	// their results are unknown.
	Death  string `json:",omitempty"`
	Kind   string `json:",omitempty"` // of the death: engine.KindHang …
	DiedIn int    `json:",omitempty"`
	Place  string `json:",omitempty"` // … the signature of the death
}

func (r *Run) hung() bool { return r.Kind == engine.KindHang }

// BrokeAt returns the place where step i panicked or ended the process, "" if it did not
// or the place is unknown.
func (r *Run) BrokeAt(i int) string {
	switch st, _, died := r.reached(i); {
	case died:
		return r.Place
	case st != nil:
		return st.Place
	}
	return ""
}

// reached returns step i of a run if it is known, and whether it ran or ended the process.
func (r *Run) reached(i int) (st *Step, ran, died bool) {
	switch {
	case r.Death != "":
		return nil, i < r.DiedIn, i == r.DiedIn
	case i < len(r.Steps):
		return &r.Steps[i], true, false
	}
	return nil, false, false
}

// A Difference is the first place where two runs of one sequence differ.
type Difference struct {
	Class    string
	Step     int // the step that shows it
	Place    Place
	Index    int    // of the result or slot
	Way      []Part // the selections from that value to the place where they differ, with the values on the way
	Old, New Value  // there
}

// Place is the part of a step where two runs differ.
type Place uint8

// The places.
const (
	InOutcome Place = iota // whether and how it returned
	InResult
	InSlot // a change that the call made to an earlier result
)

// First returns the first difference between the runs of s before and after. It ignores
// the results of unstable steps, and of steps that depend on them.
func First(t *seq.Table, s seq.Sequence, before, after Run, unstable func(seq.OpID) bool) (Difference, bool) {
	taint := NewTaint(t, s)
	held := make(held, s.Slots(t)) // equal in both, as long as there is no difference
	for i := range s {
		a, ranOld, diedOld := before.reached(i)
		b, ranNew, diedNew := after.reached(i)
		if diedOld || diedNew {
			return died(&before, &after, i)
		}
		if !ranOld || !ranNew {
			return Difference{}, false
		}
		if d, stop := endsEarly(&before, &after, i); stop {
			return d, d.Class != ""
		}
		if a == nil || b == nil {
			continue
		}
		takes := taint.Takes(i)
		if taint.Step(i, unstable(s[i].Op)) {
			if oneBroke := (a.Status == engine.Broken) != (b.Status == engine.Broken); oneBroke && !takes {
				// Its results are random; that it returns need not be.
				d, _ := compareSteps(t, s[i], a, b)
				d.Step = i
				return d, true
			}
			if a.Status == engine.Broken || b.Status == engine.Broken {
				return Difference{}, false
			}
			continue
		}
		d, ok := compareSteps(t, s[i], a, b)
		if !ok {
			d, ok = held.compare(a.Changed, b.Changed, taint)
		}
		if ok {
			d.Step = i
			return d, true
		}
		if a.Status == engine.Broken {
			return Difference{}, false
		}
		held.take(taint.first[i], a)
	}
	return Difference{}, false
}

// held has the observed values, by slot. Those of tainted steps are unknown.
type held []Value

// take notes the results of a step, from slot first on, and its changes.
func (h held) take(first int32, st *Step) {
	copy(h[first:], st.Results)
	for _, c := range st.Changed {
		h[c.Slot] = c.Value
	}
}

// compare compares the changes that a step made in each version.
func (h held) compare(a, b []Change, taint *Taint) (Difference, bool) {
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var slot int32
		var x, y *Value
		if j == len(b) || i < len(a) && a[i].Slot <= b[j].Slot {
			slot, x = a[i].Slot, &a[i].Value
		}
		if i == len(a) || j < len(b) && b[j].Slot <= a[i].Slot {
			slot, y = b[j].Slot, &b[j].Value
		}
		if x != nil {
			i++
		} else {
			x = &h[slot]
		}
		if y != nil {
			j++
		} else {
			y = &h[slot]
		}
		if d, ok := compare(*x, *y); ok && !taint.Of(int(slot)) {
			d.Place, d.Index = InSlot, int(slot)
			return d, true
		}
	}
	return Difference{}, false
}

// died compares two runs if one of them ends its process in step i.
func died(before, after *Run, i int) (Difference, bool) {
	a, _, inOld := before.reached(i)
	b, _, inNew := after.reached(i)
	if inOld && inNew && before.hung() == after.hung() {
		return Difference{}, false
	}
	d := Difference{Step: i, Old: ending(before, i), New: ending(after, i)}
	switch {
	case inOld && before.hung() || inNew && after.hung():
		d.Class = TimeChanges
	case inOld && b != nil && b.Status == engine.Broken, inNew && a != nil && a.Status == engine.Broken:
		d.Class = PanicChanges
	case inNew && a != nil:
		d.Class = PanicAppears
	case inOld && b != nil:
		d.Class = PanicDisappears
	}
	return d, d.Class != ""
}

// endsEarly deals with a step that breaks in one run when the other, which dies
// later, is known to have got on.
func endsEarly(before, after *Run, i int) (d Difference, stop bool) {
	a, _, _ := before.reached(i)
	b, _, _ := after.reached(i)
	goesOn := Value{Kind: Text, Text: "returns"}
	switch {
	case a == nil && b != nil && b.Status == engine.Broken:
		return Difference{Class: PanicAppears, Step: i, Old: goesOn, New: b.outcome()}, true
	case b == nil && a != nil && a.Status == engine.Broken:
		return Difference{Class: PanicDisappears, Step: i, Old: a.outcome(), New: goesOn}, true
	}
	return Difference{}, false
}

// ending says how step i of r ended.
func ending(r *Run, i int) Value {
	st, _, died := r.reached(i)
	switch {
	case died:
		return Value{Kind: Text, Text: r.Death}
	case st != nil:
		return st.outcome()
	}
	return Value{}
}

// outcome says in one value how a step went.
func (s *Step) outcome() Value {
	if s.Status == engine.Broken {
		return Value{Kind: Text, Text: "panic: " + s.Panic}
	}
	if len(s.Results) == 0 {
		return Value{Kind: Text, Text: "returns"}
	}
	texts := make([]string, len(s.Results))
	for i, v := range s.Results {
		texts[i] = v.String()
	}
	return Value{Kind: Text, Text: strings.Join(texts, ", ")}
}

func compareSteps(t *seq.Table, st seq.Step, a, b *Step) (Difference, bool) {
	if a.Status == engine.Broken || b.Status == engine.Broken {
		d := Difference{Old: a.outcome(), New: b.outcome()}
		switch {
		case a.Status != b.Status && b.Status == engine.Broken:
			d.Class = PanicAppears
		case a.Status != b.Status:
			d.Class = PanicDisappears
		case a.Panic != b.Panic:
			d.Class = PanicChanges
		}
		return d, d.Class != ""
	}
	// An error says more than the other results.
	op := &t.Ops[st.Op]
	if n := len(op.Results); op.ReturnsError && len(a.Results) == n && len(b.Results) == n {
		if x, y := a.Results[n-1], b.Results[n-1]; x.String() != y.String() {
			return Difference{Class: ErrorChanges, Place: InResult, Index: n - 1, Old: x, New: y}, true
		}
	}
	for i := range min(len(a.Results), len(b.Results)) {
		if d, ok := compare(a.Results[i], b.Results[i]); ok {
			d.Place, d.Index = InResult, i
			return d, true
		}
	}
	if a.Status != b.Status {
		return Difference{Class: ErrorChanges, Old: a.outcome(), New: b.outcome()}, true
	}
	return Difference{}, false
}

// compare compares two values seen in the same place.
func compare(a, b Value) (Difference, bool) {
	if a.String() == b.String() || a.Kind == Opaque && b.Kind != Nil || b.Kind == Opaque && a.Kind != Nil {
		return Difference{}, false
	}
	d := Difference{Class: ValueChanges}
	d.Way, d.Old, d.New = first(a, b)
	switch {
	case reordered(a, b):
		d.Class, d.Way, d.Old, d.New = OrderChanges, nil, a, b
	case reordered(d.Old, d.New):
		d.Class = OrderChanges
	case d.Old.Kind == Error || d.New.Kind == Error:
		d.Class = ErrorChanges
	}
	return d, true
}

// Where names the place of a difference for people: "result 2", "argument 1".
func (d *Difference) Where() string {
	where := ""
	switch d.Place {
	case InResult:
		where = fmt.Sprintf("result %d", d.Index+1)
	case InSlot:
		where = "a value that it changed"
	}
	for i, p := range d.Way {
		if i == 0 && d.Place == InSlot {
			where += ", at "
		}
		where += p.Path
	}
	return where
}
