package versions

import (
	"slices"
	"strings"

	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

// A Cause is one difference, or several that most likely have one cause.
type Cause struct {
	Difference              // the one with the fewest calls
	Also       []Difference // the others
}

// causes groups differences as they are found.
type causes struct {
	table   *seq.Table
	changed map[string][]string // see Config
	list    []*Cause            // in the order in which they were found
	byKey   map[string]*Cause
}

// add takes in a difference.
func (c *causes) add(f Difference) {
	key := c.key(&f)
	if found := c.byKey[key]; found != nil {
		found.join(c.table, f)
		return
	}
	found := &Cause{Difference: f}
	c.list = append(c.list, found)
	if key == "" {
		return
	}
	if c.byKey == nil {
		c.byKey = map[string]*Cause{}
	}
	c.byKey[key] = found
}

// join adds another difference to its cause. The shorter one is shown.
func (c *Cause) join(t *seq.Table, f Difference) {
	if f.Steps.Calls(t) < c.Steps.Calls(t) {
		f, c.Difference = c.Difference, f
	}
	c.Also = append(c.Also, f)
}

// key returns a key that is equal for differences of one cause, empty if nothing is known.
// It is made of the class and, for a panic or death, its place in each version, else the
// changed declarations that the operation to blame reaches. Digits in names do not count:
// Zip2 and Zip3 were most likely changed together.
func (c *causes) key(f *Difference) string {
	if f.Place == difference.InOutcome {
		old, next := f.Before.BrokeAt(f.Step), f.After.BrokeAt(f.Step)
		if old != "" || next != "" {
			return seq.StripDigits(f.Class + " at " + old + " | " + next)
		}
	}
	if changed := c.reached(f); len(changed) > 0 {
		return seq.StripDigits(f.Class + " by " + strings.Join(changed, " "))
	}
	return ""
}

// reached returns the changed declarations that a difference may come from: those that the
// operation to blame reaches or, if there are none, those that any of the calls reaches.
// An operation that is no member, such as json.Marshal, may reach anything.
func (c *causes) reached(f *Difference) []string {
	member := c.table.Ops[f.Op].Member
	if list := c.changed[starless(member)]; len(list) > 0 || member == "" {
		return list
	}
	var list []string
	for _, st := range f.Steps {
		list = append(list, c.changed[starless(c.table.Ops[st.Op].Member)]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// starless returns the name of a member without the star of its receiver.
func starless(member string) string { return strings.Replace(member, "(*", "(", 1) }
