package coverage

import "strconv"

// Kind is the kind of statement or expression that a Condition stands for.
type Kind string

// The kinds of conditions, with the names of their sides in order.
const (
	Bool       Kind = "bool"       // an operand of if, for, &&, || or !, or a comparison: false, true
	CommaOK    Kind = "ok"         // the second result of a map read, assertion or receive, if no operand tests it: false, true
	Range      Kind = "range"      // the operand of a range loop: empty, non-empty
	Loop       Kind = "loop"       // a range loop over a channel or an iterator, which is found empty only by running it: reached, entered
	Switch     Kind = "switch"     // the clauses of an expression switch, in source order, then "no match" if it has no default
	TypeSwitch Kind = "typeswitch" // likewise of a type switch
	Select     Kind = "select"     // the clauses of a select statement
)

// A Condition is a place in the code under test where execution goes one of
// several ways, its sides. Sides are numbered densely over all instrumented
// packages of a build; those of one condition are adjacent.
type Condition struct {
	Package string   `json:"package"` // import path
	Func    string   `json:"func"`    // F, T.F, (*T).F; or the package variable that is initialized
	Ordinal int      `json:"ordinal"` // in Func, from 1; function literals count in the function they are in
	Text    string   `json:"text"`    // the expression, as go/types prints it
	File    string   `json:"file"`    // as given to the instrumenter; //line comments are not followed
	Line    int      `json:"line"`    // from 1
	Col     int      `json:"col"`     // in bytes, from 1, in the source before instrumentation
	Kind    Kind     `json:"kind"`
	First   int      `json:"first"` // number of the first side
	Sides   []string `json:"sides"` // their names; side i has number First+i
	// Op is the comparison of the operands that visits record ("==", "<", …), if
	// the condition is one.
	Op string `json:"op,omitempty"`
	// Cases are the constants of the clauses of a switch, by side, as Go literals.
	Cases [][]string `json:"cases,omitempty"`
	// Successors lists, by side, the table indexes of the conditions that may
	// be evaluated next. They are the next ones in the function, and the first
	// ones of the functions of the package called there. The next round of a
	// loop does not count.
	Successors [][]int `json:"behind,omitempty"`
}

// ID names c in a way that survives edits outside its function, and builds that
// number sides differently: pkg.(*T).F#3 "n > len(s)". Equal IDs in one package
// do not occur.
func (c *Condition) ID() string {
	return c.Package + "." + c.Func + "#" + strconv.Itoa(c.Ordinal) + " " + strconv.Quote(c.Text)
}

// Frontier returns the uncovered sides of reached conditions, in the order of
// conds. A condition is reached if covered holds one of its sides, so a two-way
// condition adds at most one side.
//
// "Frontier condition": [Pacheco09 §6.2].
func Frontier(conds []Condition, covered *Set) []int {
	var sides []int
	for i := range conds {
		c, before := &conds[i], len(sides)
		for side := c.First; side < c.First+len(c.Sides); side++ {
			if !covered.Has(side) {
				sides = append(sides, side)
			}
		}
		if len(sides)-before == len(c.Sides) { // it is not reached
			sides = sides[:before]
		}
	}
	return sides
}
