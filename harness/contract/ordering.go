package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docCompare = "a comparison is a strict weak ordering: package cmp, Compare; package slices, SortFunc"
	docLess    = "Less is a strict weak ordering: package sort, Interface"
)

// ordering lists the contracts of Compare(T) int and Less(T) bool, methods or functions.
func ordering(a *api) []Contract {
	var all []Contract
	a.each("Compare Cmp CompareTo", 2, func(id seq.OpID, op *seq.Operation) {
		if !a.binary(op) || !a.returns(op, seq.Int) || op.Pre.Panics {
			return
		}
		c := Contract{Tier: engine.Error, Doc: docCompare, Type: op.Params[0], Op: id, Cost: Linear}
		all = append(all, compareReflexive(c, op), compareAntisymmetric(c, op), compareTransitive(c, op))
		if eq, eqOp := a.find(op.Params[0], equalNames, 2, seq.Bool); eqOp != nil && op.Kind == seq.Method && a.binary(eqOp) {
			all = append(all, compareEqual(c, op, eq, eqOp))
		}
		less, lessOp := a.find(op.Params[0], "Less LessThan Before", 2, seq.Bool)
		if lessOp != nil && op.Kind == seq.Method && a.binary(lessOp) {
			all = append(all, compareLess(c, op, less, lessOp))
		}
	})
	a.each("Less", 3, func(id seq.OpID, op *seq.Operation) {
		n, lenOp := a.find(op.Params[0], "Len", 1, seq.Int)
		indexes := op.Kind == seq.Method && a.t.Types[op.Params[1]].Name == "int" && a.t.Types[op.Params[2]].Name == "int"
		if indexes && lenOp != nil && a.has(op.Params[0], "Swap") && a.returns(op, seq.Bool) && !op.Pre.Panics {
			all = append(all, sortLess(Contract{Tier: engine.Error, Doc: docLess, Type: op.Params[0], Op: id, Cost: Linear, Fit: true}, op, n, lenOp))
		}
	})
	a.each("Less LessThan", 2, func(id seq.OpID, op *seq.Operation) {
		if !a.binary(op) || !a.returns(op, seq.Bool) || op.Pre.Panics {
			return
		}
		c := Contract{Tier: engine.Error, Doc: docLess, Type: op.Params[0], Op: id, Cost: Linear}
		all = append(all, lessIrreflexive(c, op), lessAsymmetric(c, op), lessTransitive(c, op))
	})
	return all
}

func compareReflexive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "compare-reflexive", 1
	c.Assert = expr(op, "$0", "$0") + " == 0"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0], v[0])
		if !ok || n == 0 || holdsFloat(true, v[0]) || holdsFunc(v[0]) {
			return true, ""
		}
		return false, "the value does not compare as equal to itself"
	}
	return c
}

func compareAntisymmetric(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "compare-antisymmetric", 2
	xy, yx := expr(op, "$0", "$1"), expr(op, "$1", "$0")
	c.Assert = "(" + xy + " < 0) == (" + yx + " > 0) && (" + xy + " > 0) == (" + yx + " < 0)"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0], v[1])
		if !ok {
			return true, ""
		}
		m, ok := callInt(caller, c.Op, v[1], v[0])
		if !ok || sign(n) == -sign(m) || holdsFloat(true, v...) {
			return true, ""
		}
		return false, "comparing the other way round does not give the opposite sign"
	}
	return c
}

// compareTransitive also sees that being neither less nor greater is transitive.
func compareTransitive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "compare-transitive", 3
	xy, yz, xz := expr(op, "$0", "$1"), expr(op, "$1", "$2"), expr(op, "$0", "$2")
	c.Assert = "!(" + xy + " <= 0 && " + yz + " <= 0) || " + xz + " <= 0"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		for _, p := range [][2]int{{0, 1}, {1, 2}} {
			if n, ok := callInt(caller, c.Op, v[p[0]], v[p[1]]); !ok || n > 0 {
				return true, ""
			}
		}
		if n, ok := callInt(caller, c.Op, v[0], v[2]); !ok || n <= 0 || holdsFloat(true, v...) {
			return true, ""
		}
		return false, "the first is at most the second, the second at most the third, yet the first is greater than the third"
	}
	return c
}

// compareEqual is a suspicion: an ordering may rightly look at less than equality.
func compareEqual(c Contract, op *seq.Operation, eq seq.OpID, eqOp *seq.Operation) Contract {
	c.Name, c.Arity, c.Tier = "compare-equal", 2, engine.Suspect
	c.Doc = "Compare and Equal of one type agree, as those of time.Time"
	c.Assert = "(" + expr(op, "$0", "$1") + " == 0) == " + expr(eqOp, "$0", "$1")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0], v[1])
		if !ok {
			return true, ""
		}
		same, ok := callBool(caller, eq, v[0], v[1])
		if !ok || same == (n == 0) || holdsFloat(true, v...) {
			return true, ""
		}
		return false, "comparison and equality disagree"
	}
	return c
}

func compareLess(c Contract, op *seq.Operation, less seq.OpID, lessOp *seq.Operation) Contract {
	c.Name, c.Arity = "compare-less", 2
	c.Doc = "one is less than the other if it compares so, as package time says of Compare and Before"
	c.Assert = "(" + expr(op, "$0", "$1") + " < 0) == " + expr(lessOp, "$0", "$1")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, c.Op, v[0], v[1])
		if !ok {
			return true, ""
		}
		is, ok := callBool(caller, less, v[0], v[1])
		if !ok || is == (n < 0) || holdsFloat(true, v...) {
			return true, ""
		}
		return false, base(op.Member) + " and " + base(lessOp.Member) + " disagree"
	}
	return c
}

// sortLess is of types that sort.Sort takes: no element is less than itself, no
// two are each less than the other.
func sortLess(c Contract, op *seq.Operation, size seq.OpID, sizeOp *seq.Operation) Contract {
	c.Name, c.Arity = "sort-less", 1
	c.Assert = block("for i := range "+expr(sizeOp, "$0")+" {", "for j := range i+1 {",
		"if "+expr(op, "$0", "i", "j")+" && "+expr(op, "$0", "j", "i")+" {", "return false", "}", "}", "}", "return true")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		n, ok := callInt(caller, size, v[0])
		if !ok {
			return true, ""
		}
		const most = 8
		for i := range int(min(n, most)) {
			for j := range i + 1 {
				x, ok := callBool(caller, c.Op, v[0], i, j)
				y, ok2 := callBool(caller, c.Op, v[0], j, i)
				if ok && ok2 && x && y && !holdsFloat(true, v[0]) {
					return false, "each of two elements is less than the other, or one less than itself"
				}
			}
		}
		return true, ""
	}
	return c
}

func lessIrreflexive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "less-irreflexive", 1
	c.Assert = "!" + expr(op, "$0", "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		if less, ok := callBool(caller, c.Op, v[0], v[0]); !ok || !less {
			return true, ""
		}
		return false, "the value is less than itself"
	}
	return c
}

func lessAsymmetric(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "less-asymmetric", 2
	c.Assert = "!(" + expr(op, "$0", "$1") + " && " + expr(op, "$1", "$0") + ")"
	c.Holds = func(caller Caller, v []any) (bool, string) {
		for i := range 2 {
			if less, ok := callBool(caller, c.Op, v[i], v[1-i]); !ok || !less {
				return true, ""
			}
		}
		return false, "each of the two is less than the other"
	}
	return c
}

func lessTransitive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "less-transitive", 3
	c.Assert = "!(" + expr(op, "$0", "$1") + " && " + expr(op, "$1", "$2") + ") || " + expr(op, "$0", "$2")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		for _, p := range [][2]int{{0, 1}, {1, 2}} {
			if less, ok := callBool(caller, c.Op, v[p[0]], v[p[1]]); !ok || !less {
				return true, ""
			}
		}
		if less, ok := callBool(caller, c.Op, v[0], v[2]); !ok || less || holdsFloat(true, v...) {
			return true, ""
		}
		return false, "the first is less than the second, the second than the third, the first not than the third"
	}
	return c
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// swapLaws lists that Swap, of types that sort.Sort takes, swaps.
func swapLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Swap", func(id seq.OpID, op *seq.Operation) {
		_, lenOp := a.find(op.Params[0], "Len", 1, seq.Int)
		less, lessOp := a.find(op.Params[0], "Less", 3, seq.Bool)
		if lenOp == nil || lessOp == nil || len(op.Params) != 3 || len(op.Results) > 0 || a.t.Types[op.Params[1]].Name != "int" || a.t.Types[op.Params[2]].Name != "int" {
			return
		}
		all = append(all, swaps(Law{On: id, Op: id, Tier: engine.Error}, less, lessOp))
	})
	return all
}

func swaps(law Law, less seq.OpID, lessOp *seq.Operation) Law {
	law.Name, law.Doc = "sort-swap", `package sort, Interface: "Swap swaps the elements with indexes i and j"`
	law.See = func(c *Call) (any, bool) {
		before, ok := callBool(c, less, c.Args[0], c.Args[1], c.Args[2])
		return before, ok && !holdsFloat(true, c.Args[0])
	}
	law.Check = func(c *Call, seen any) *Breach {
		after, ok := callBool(c, less, c.Args[0], c.Args[2], c.Args[1])
		if !ok || after == seen {
			return nil
		}
		return &Breach{
			Detail: "one element was less than the other before, and is not after",
			Before: expr(lessOp, c.arg(0), c.arg(1), c.arg(2)), Assert: expr(lessOp, c.arg(0), c.arg(2), c.arg(1)) + " == before",
		}
	}
	return law
}
