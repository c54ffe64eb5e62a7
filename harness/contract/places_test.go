package contract

var placesPlantings = []Planting{
	{`v0 := planted.NewGrid(); v0.Set(0, 1, 7)`, "set-at"},
	{`v0 := planted.NewCells(); v0.Set(2, 7)`, "set-at"},
	{`v0 := planted.NewCells(); v0.Set(0, 7)`, "set-at"},
}

var placesCases = []lawCase{
	{"set-at", "good", "", square(func(m []int, i, j, x int) { m[2*i+j] = x }), "NewGrid(); Set(v0, 0, 1, 7)", true},
	{"set-at", "symmetric", "", square(func(m []int, i, j, x int) { m[2*i+j], m[2*j+i] = x, x }), "NewGrid(); Set(v0, 0, 1, 7)", true},
	{"set-at", "rows overlap", "", square(func(m []int, i, j, x int) { m[j], m[2+j] = x, x }), "NewGrid(); Set(v0, 0, 1, 7)", false},
	{"set-at", "not there", "", square(func(m []int, i, j, x int) {}), "NewGrid(); Set(v0, 0, 1, 7)", false},
	{"set-at", "outside", "", square(func(m []int, i, j, x int) {}), "NewGrid(); Set(v0, 5, 1, 7)", true},
	{"set-at", "one index", "Len Push NewPot", ops("(*T).At(int) int", func(a []any) any { return po(a).keys[at(a, 1)] }, "(*T).Set(int, int)", func(a []any) any { po(a).keys[0] = at(a, 2); return many{} }),
		"NewPot(); Push(v0, 1); Push(v0, 2); Set(v0, 1, 7)", false},
	{"set-at", "nil takes away", "Len NewPot Add", ops("(*T).At(int) any", func([]any) any { return 1 }, "(*T).Set(int, any)", idle), "NewPot(); Add(v0, 1); Set(v0, 0, nil)", true},
}

// square returns the operations of a type of two rows and two columns.
func square(set func(m []int, i, j, x int)) map[string]func([]any) any {
	return ops("NewGrid() *p.T", func([]any) any { return &pot{keys: make([]int, 4)} }, "(*T).Dims() (int, int)", func([]any) any { return many{2, 2} },
		"(*T).At(int, int) int", func(a []any) any { return po(a).keys[2*at(a, 1)+at(a, 2)] },
		"(*T).Set(int, int, int)", func(a []any) any {
			if at(a, 1) < 2 && at(a, 2) < 2 {
				set(po(a).keys, at(a, 1), at(a, 2), at(a, 3))
			}
			return many{}
		})
}
