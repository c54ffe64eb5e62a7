package contract

import (
	"reflect"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const equalNames = "Equal Equals Eq IsEqual"

const docEqual = "an equality is reflexive, symmetric and transitive [Pacheco09 fig. 7-3]; like time.Time.Equal, it says of any two values whether they are the same"

// equality lists the contracts of Equal(T) bool, method or function.
func equality(a *api) []Contract {
	var all []Contract
	a.each(equalNames, 2, func(id seq.OpID, op *seq.Operation) {
		if !a.binary(op) || !a.returns(op, seq.Bool) || op.Pre.Panics {
			return
		}
		c := Contract{Tier: engine.Error, Doc: docEqual, Type: op.Params[0], Op: id, Cost: Linear}
		all = append(all, equalReflexive(c, op), equalSymmetric(c, op), equalTransitive(c, op))
		if !strings.HasPrefix(a.t.Types[op.Params[0]].Name, "*") { // of pointers reflexivity says so
			all = append(all, equalIdentical(c, op))
		}
		if op.Kind == seq.Method && strings.HasPrefix(a.t.Types[op.Params[0]].Name, "*") && !nilOK(op, 1) {
			all = append(all, equalNil(c, op, a.t))
		}
	})
	return all
}

func equalReflexive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "equal-reflexive", 1
	c.Assert = expr(op, "$0", "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		same, ok := callBool(caller, c.Op, v[0], v[0])
		if !ok || same || holdsFloat(true, v[0]) || holdsFunc(v[0]) {
			return true, ""
		}
		return false, "the value is not equal to itself"
	}
	return c
}

func equalSymmetric(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "equal-symmetric", 2
	c.Assert = expr(op, "$0", "$1") + " == " + expr(op, "$1", "$0")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		xy, ok := callBool(caller, c.Op, v[0], v[1])
		if !ok {
			return true, ""
		}
		yx, ok := callBool(caller, c.Op, v[1], v[0])
		if !ok || xy == yx {
			return true, ""
		}
		return false, "the first is equal to the second, or the second to the first, not both"
	}
	return c
}

// equalTransitive leaves out values with floating-point numbers, among which
// equality within a tolerance is customary and not transitive.
func equalTransitive(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "equal-transitive", 3
	c.Assert = "!(" + expr(op, "$0", "$1") + " && " + expr(op, "$1", "$2") + ") || " + expr(op, "$0", "$2")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		for _, p := range [][2]int{{0, 1}, {1, 2}} {
			if same, ok := callBool(caller, c.Op, v[p[0]], v[p[1]]); !ok || !same {
				return true, ""
			}
		}
		if same, ok := callBool(caller, c.Op, v[0], v[2]); !ok || same || holdsFloat(false, v...) {
			return true, ""
		}
		return false, "the first is equal to the second, the second to the third, the first not to the third"
	}
	return c
}

// equalIdentical is of values that == compares.
func equalIdentical(c Contract, op *seq.Operation) Contract {
	c.Name, c.Arity = "equal-identical", 2
	c.Doc = "values that == calls equal are; " + docEqual
	c.Assert = "$0 != $1 || " + expr(op, "$0", "$1")
	c.Holds = func(caller Caller, v []any) (bool, string) {
		if !identical(v[0], v[1]) {
			return true, ""
		}
		same, ok := callBool(caller, c.Op, v[0], v[1])
		if !ok || same || holdsFunc(v...) {
			return true, ""
		}
		return false, "two values are the same to ==, and not equal"
	}
	return c
}

// identical reports whether two values can be compared by ==, and are the same.
func identical(x, y any) bool {
	return reflect.ValueOf(x).Comparable() && reflect.ValueOf(y).Comparable() && x == y
}

// equalNil is a suspicion only: few Go methods document what they do with nil.
// Where the code deals with nil, nil may be equal to an empty value, and rightly.
func equalNil(c Contract, op *seq.Operation, t *seq.Table) Contract {
	c.Name, c.Arity, c.Tier = "equal-nil", 1, engine.Suspect
	c.Doc = "no value but nil is equal to nil [Pacheco09 fig. 7-3]"
	c.Assert = "!" + expr(op, "$0", "nil")
	untyped := t.Types[op.Params[1]].Interface
	c.Holds = func(caller Caller, v []any) (bool, string) {
		var none any
		if !untyped {
			none = zeroOf(v[0])
		}
		if same, ok := callBool(caller, c.Op, v[0], none); !ok || !same {
			return true, ""
		}
		return false, "the value is equal to nil"
	}
	return c
}
