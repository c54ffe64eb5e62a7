package contract

var orderingPlantings = []Planting{
	{`v0 := planted.NewMirror(7)`, "compare-reflexive"},
	{`v0 := planted.NewMirror(7); v1 := planted.NewMirror(8)`, "compare-antisymmetric compare-reflexive"},
	{`v0 := planted.NewCircle(0); v1 := planted.NewCircle(1); v2 := planted.NewCircle(2)`, "compare-transitive"},
	{`v0 := planted.NewRanked(1, 2); v1 := planted.NewRanked(1, 3)`, "compare-equal"},
	{`v0 := planted.NewRank(0); v1 := planted.NewRank(3)`, "compare-less"},
	{`v0 := planted.NewLesser(7)`, "less-irreflexive"},
	{`v0 := planted.NewLesser(7); v1 := planted.NewLesser(8); v2 := v0.Less(v1)`, "less-irreflexive"},
	{`v0 := planted.NewLesser(3); v1 := planted.NewLesser(7)`, "less-asymmetric"},
	{`v0 := planted.NewLesser(7); v1 := planted.NewLesser(3)`, "less-asymmetric less-irreflexive"},
	{`v0 := planted.NewRing(0); v1 := planted.NewRing(1); v2 := planted.NewRing(2)`, "less-transitive"},
	{`v0 := planted.Sorted(1, 1, 2)`, "sort-less"},
}

var orderingContracts = []contractCase{
	{"compare", "compare-reflexive", ops("(*T).Compare(*p.T) int", compareFake), values(th(1)), true},
	{"never zero", "compare-reflexive", ops("(*T).Compare(*p.T) int", ints(func(x, y int) int { return 1 })), values(th(1)), false},
	{"NaN compares as it likes", "compare-reflexive", ops("(*T).Compare(*p.T) int", ints(func(x, y int) int { return 1 })), values(nan()), true},
	{"antisymmetric", "compare-antisymmetric", ops("(*T).Cmp(*p.T) int", compareFake), values(th(1), th(3)), true},
	{"distance is no order", "compare-antisymmetric", ops("(*T).Cmp(*p.T) int", ints(func(x, y int) int { return max(x-y, y-x) })), values(th(1), th(3)), false},
	{"ordered", "compare-transitive", ops("Compare(*p.T, *p.T) p.Ordering", compareFake), values(num3(1, 2, 3)...), true},
	{"rock, paper, scissors", "compare-transitive", ops("Compare(*p.T, *p.T) p.Ordering", ints(rps)), values(num3(0, 1, 2)...), false},
	{"agrees", "compare-equal", ops("(*T).Compare(*p.T) int", compareFake, "(*T).Equal(*p.T) bool", equalFake), values(th(1), th(2)), true},
	{"disagrees", "compare-equal", ops("(*T).Compare(*p.T) int", ints(func(x, y int) int { return 0 }), "(*T).Equal(*p.T) bool", equalFake), values(th(1), th(2)), false},
	{"less", "less-irreflexive", ops("(*T).Less(*p.T) bool", lessFake), values(th(1)), true},
	{"less or equal", "less-irreflexive", ops("(*T).Less(*p.T) bool", bools(func(x, y int) bool { return x <= y })), values(th(1)), false},
	{"asymmetric", "less-asymmetric", ops("Less(*p.T, *p.T) bool", lessFake), values(th(1), th(2)), true},
	{"different is not less", "less-asymmetric", ops("Less(*p.T, *p.T) bool", bools(func(x, y int) bool { return x != y })), values(th(1), th(2)), false},
	{"transitively less", "less-transitive", ops("(*T).LessThan(*p.T) bool", lessFake), values(num3(1, 2, 3)...), true},
	{"successor is not less", "less-transitive", ops("(*T).LessThan(*p.T) bool", bools(func(x, y int) bool { return x+1 == y })), values(num3(1, 2, 3)...), false},
	{"less as it compares", "compare-less", ops("(*T).Compare(*p.T) int", compareFake, "(*T).Less(*p.T) bool", lessFake), values(th(1), th(2)), true},
	{"less when equal", "compare-less", ops("(*T).Compare(*p.T) int", compareFake, "(*T).Before(*p.T) bool", bools(func(x, y int) bool { return x <= y })), values(th(1), th(1)), false},
	{"sortable", "sort-less", ops("(*T).Len() int", hash64(1), "(*T).Swap(int, int)", panics, "(*T).Less(int, int) bool", func(a []any) any { return a[1].(int) < a[2].(int) }), values(th(3)), true},
	{"sorts by less or equal", "sort-less", ops("(*T).Len() int", hash64(1), "(*T).Swap(int, int)", panics, "(*T).Less(int, int) bool", func(a []any) any { return a[1].(int) <= a[2].(int) }), values(th(3)), false},
}

func rps(x, y int) int { return []int{0, 1, -1}[(x-y+3)%3] }
