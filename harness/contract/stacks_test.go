package contract

import "slices"

var stacksPlantings = []Planting{
	{`v0 := planted.NewQueue(); v0.Push(1); v0.Push(2); v1, v2 := v0.Pop()`, "peek-pop"},
	{`v0 := planted.NewQueue(); v0.Push(0)`, "push-len"},
	{`v0 := planted.NewStack(); v0.Push("a"); v0.Push("b"); v0.Push("c")`, "push-pop"},
}

var stacksCases = []lawCase{
	{"peek-pop", "good", "NewPot Push Pop Peek", nil, "NewPot(); Push(v0, 1); Push(v0, 2); Pop(v0)", true},
	{"peek-pop", "peeks at the bottom", "NewPot Push Pop", ops("(*T).Peek() (int, bool)", func(a []any) any { return many{po(a).keys[0], true} }), "NewPot(); Push(v0, 1); Push(v0, 2); Pop(v0)", false},
	{"push-len", "good", "NewPot Push Len", nil, "NewPot(); Push(v0, 1); Push(v0, 1)", true},
	{"push-len", "drops equal ones", "NewPot Len", ops("(*T).Push(int)", func(a []any) any { po(a).add(at(a, 1)); return many{} }), "NewPot(); Push(v0, 1); Push(v0, 1)", false},
	{"push-pop", "good", "", pile(func(p *pot, k int) { p.keys = append(p.keys, k) }), "NewStack(); Push(v0, 1); Push(v0, 2)", true},
	{"push-pop", "a queue", "", pile(func(p *pot, k int) { p.keys = slices.Insert(p.keys, 0, k) }), "NewStack(); Push(v0, 1); Push(v0, 2)", false},
	{"push-len", "drops nil", "NewPot Len", ops("(*T).Push(any)", idle), "NewPot(); Push(v0, nil)", true},
}

func pile(push func(p *pot, k int)) map[string]func([]any) any {
	return ops("NewStack() *p.Stack", newPot, "(*Stack).Push(int)", func(a []any) any { push(po(a), at(a, 1)); return many{} },
		"(*Stack).Pop() (int, bool)", good["(*T).Pop() (int, bool)"])
}
