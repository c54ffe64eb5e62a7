package contract

var sizesPlantings = []Planting{
	{`v0 := planted.NewGap(3)`, "empty-size size-not-negative"},
	{`v0 := planted.NewBits(3); v0.Shrink(2)`, "count-within-len"},
	{`v0 := planted.NewShelf(); v0.Shelve("a"); v0.Shelve("b"); v0.Shelve("c")`, "lists-all"},
	{`v0 := planted.NewSet(3)`, "listed-found"},
}

var sizesContracts = []contractCase{
	{"length", "size-not-negative", ops("(*T).Len() int", hash64(1)), values(th(0)), true},
	{"negative length", "size-not-negative", ops("(*T).Len() int", hash64(1)), values(th(-1)), false},
	{"counts within", "count-within-len", ops("(*T).Len() int", hash64(2), "(*T).Count() uint", hash(1)), values(th(1)), true},
	{"counts more than there can be", "count-within-len", ops("(*T).Len() int", hash64(1), "(*T).Count() uint", hash(2)), values(th(1)), false},
	{"lists all", "lists-all", ops("(*T).Len() int", hash64(1), "(*T).Values() []int", upTo(0)), values(th(3)), true},
	{"lists one less", "lists-all", ops("(*T).Size() int", hash64(1), "(*T).Values() []int", upTo(-1)), values(th(3)), false},
	{"listing panics", "lists-all", ops("(*T).Size() int", hash64(1), "(*T).Values() []int", panics), values(th(3)), true},
	{"listed and found", "listed-found", ops("(*T).Keys() []int", upTo(0), "(*T).Has(int) bool", below(0)), values(th(3)), true},
	{"listed, not found", "listed-found", ops("(*T).Keys() []int", upTo(0), "(*T).Has(int) bool", below(-1)), values(th(3)), false},
	{"got by key", "listed-found", ops("(*T).Keys() []int", upTo(0), "(*T).Get(int) (string, bool)", gets(0)), values(th(3)), true},
	{"not got by key", "listed-found", ops("(*T).Keys() []int", upTo(0), "(*T).Get(int) (string, bool)", gets(-1)), values(th(3)), false},
	{"empty", "empty-size", ops("(*T).Size() int", hash64(1), "(*T).IsEmpty() bool", func(a []any) any { return num(a[0]) == 0 }), values(th(0)), true},
	{"not empty of none", "empty-size", ops("(*T).Size() int", hash64(1), "(*T).Empty() bool", func(a []any) any { return false }), values(th(0)), false},
}

// upTo lists the numbers below that of the thing and more.
func upTo(more int) func([]any) any {
	return func(a []any) any {
		list := []int{}
		for i := range num(a[0]) + more {
			list = append(list, i)
		}
		return list
	}
}

func below(more int) func([]any) any {
	return func(a []any) any { return a[1].(int) < num(a[0])+more }
}

func gets(more int) func([]any) any {
	return func(a []any) any { return many{"x", a[1].(int) < num(a[0])+more} }
}
