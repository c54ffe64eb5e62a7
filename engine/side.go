package engine

import (
	"foray.test/mutators"
)

// A Side tells how attempts at one side of the frontier went.
type Side struct {
	Side   int32
	Status string // see the constants
	// Edit names the edit that flipped it.
	Edit      string `json:",omitempty"`
	Turns     uint32 `json:",omitempty"` // attempts
	Price     uint32 `json:",omitempty"` // of the next one, in attempts: see [frontier.charge]
	Runs      uint64 `json:",omitempty"` // in attempts at it
	Witnesses int    `json:",omitempty"`
}

// The statuses of a side.
const (
	SideFlipped     = "flipped"      // in the frontier once, and taken since
	SideUnstable    = "unstable"     // equal runs differ there: map order, once a process
	SideNoInfluence = "no influence" // no input position was seen to change anything there
	SideConstant    = "constant"     // … to change more than how often it is visited: its operands never varied
	SideTried       = "tried"        // changed, without success
	SideUntried     = "untried"      // no attempt yet
)

// sides lists the sides that are or were in the frontier since the phase began,
// in order.
func (f *frontier) sides() []Side {
	var list []Side
	for i := range f.conds {
		c := &f.conds[i]
		reached := false
		for j := range c.Sides {
			reached = reached || f.archive.covered.Has(c.First+j)
		}
		for j := range c.Sides {
			side := c.First + j
			t := &f.targets[side]
			switch covered := f.archive.covered.Has(side); {
			case covered && t.started && t.edit != fromElsewhere:
				list = append(list, Side{Side: int32(side), Status: SideFlipped, Edit: editName(t.edit), Turns: t.attempts, Runs: t.runs})
			case !covered && reached:
				list = append(list, Side{Side: int32(side), Status: f.status(i, j), Turns: t.attempts, Price: t.price, Runs: t.runs, Witnesses: len(f.witnesses.byCond[i])})
			}
		}
	}
	return list
}

func (f *frontier) status(cond, j int) string {
	c := &f.conds[cond]
	t := &f.targets[c.First+j]
	switch {
	case f.witnesses.unstable[cond]:
		return SideUnstable
	case t.attempts == 0:
		return SideUntried
	}
	operands, visits := false, false
	for _, w := range f.witnesses.byCond[cond] {
		if inf := w.influence[int32(cond)]; inf != nil {
			operands = operands || len(inf.operands) > 0
			visits = visits || len(inf.visits) > 0
		}
	}
	switch {
	case operands || visits && opaque(c): // how such a bool is made does not show
		return SideTried
	case visits:
		return SideConstant
	}
	return SideNoInfluence
}

// editName names the origin of a flip.
func editName(edit int) string {
	switch {
	case edit > 0:
		return mutators.Edits[edit-1].Name
	case edit == fromPerturbing:
		return "perturbation"
	}
	return "composition"
}
