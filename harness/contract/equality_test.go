package contract

var equalityPlantings = []Planting{
	{`v0 := planted.NewReflexive(7)`, "equal-reflexive"},
	{`v0 := planted.NewSymmetric(7); v1 := planted.NewSymmetric(8)`, "equal-symmetric"},
	{`v0 := planted.NewTransitive(1); v1 := planted.NewTransitive(2); v2 := planted.NewTransitive(3)`, "equal-transitive"},
}

var equalityContracts = []contractCase{
	{"equal", "equal-reflexive", ops("(*T).Equal(*p.T) bool", equalFake), values(th(1)), true},
	{"never equal", "equal-reflexive", ops("(*T).Equal(*p.T) bool", bools(func(x, y int) bool { return false })), values(th(1)), false},
	{"NaN is not equal to itself", "equal-reflexive", ops("(*T).Equal(*p.T) bool", nanFake), values(nan()), true},
	{"a panic is not its to judge", "equal-reflexive", ops("(*T).Equal(*p.T) bool", panics), values(th(1)), true},
	{"nil is left alone", "equal-reflexive", ops("(*T).Equal(*p.T) bool", panics), values((*thing)(nil)), true},
	{"symmetric", "equal-symmetric", ops("(*T).Equals(any) bool", equalFake), values(th(1), th(2)), true},
	{"subset is not symmetric", "equal-symmetric", ops("(*T).Equals(any) bool", bools(func(x, y int) bool { return x <= y })), values(th(1), th(2)), false},
	{"transitive", "equal-transitive", ops("Equal(*p.T, *p.T) bool", equalFake), values(th(1), th(1), th(1)), true},
	{"nearly equal is not transitive", "equal-transitive", ops("Equal(*p.T, *p.T) bool", bools(func(x, y int) bool { return x-y < 2 && y-x < 2 })), values(num3(1, 2, 3)...), false},
	{"premise does not hold", "equal-transitive", ops("Equal(*p.T, *p.T) bool", equalFake), values(th(1), th(1), th(2)), true},
}
