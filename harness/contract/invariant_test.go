package contract

import "errors"

var invariantPlantings = []Planting{
	{`v0 := planted.NewChecked(7)`, "invariant"},
	{`v0 := planted.NewJudged(7)`, "invariant"},
	{`v0 := planted.NewTested(7)`, "invariant"},
}

var invariantContracts = []contractCase{
	{"invariant holds", "invariant", ops("(*T).RepOK() bool", func([]any) any { return true }), values(th(1)), true},
	{"invariant says false", "invariant", ops("(*T).RepOK() bool", func([]any) any { return false }), values(th(1)), false},
	{"invariant returns an error", "invariant", ops("(*T).CheckInvariants() error", func([]any) any { return errors.New("black height") }), values(th(1)), false},
	{"invariant panics", "invariant", ops("(*T).CheckRep()", panics), values(th(1)), false},
	{"invariant is not asked", "invariant", ops("(*T).CheckRep()", func([]any) any { panic(ErrRefused) }), values(th(1)), true},
	{"invariant returns", "invariant", ops("(*T).CheckRep()", func([]any) any { return nil }), values(th(1)), true},
	{"invariant of nothing", "invariant", ops("(*T).CheckRep()", panics), values((*thing)(nil)), true},
}
