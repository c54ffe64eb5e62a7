package contract

var heapPlantings = []Planting{
	{`v0 := planted.NewHeap(); v0.Push(1); v0.Push(2)`, "heap-push-pop"},
	{`v0 := planted.NewHoard(); v0.Push(1)`, "heap-push-pop push-len"},
}

var heapCases = []lawCase{
	{"heap-push-pop", "good", "", heapOf(false, 1), "NewHeap(); Push(v0, 1); Push(v0, 2)", true},
	{"heap-push-pop", "at the front", "", heapOf(true, 1), "NewHeap(); Push(v0, 1); Push(v0, 2)", false},
	{"heap-push-pop", "twice", "", heapOf(false, 2), "NewHeap(); Push(v0, 1)", false},
}

// heapOf is a heap.Interface that adds elements at front or at the end.
func heapOf(front bool, add int) map[string]func([]any) any {
	return ops("NewHeap() *p.Heap", newPot, "(*Heap).Len() int", func(a []any) any { return len(po(a).keys) },
		"(*Heap).Less(int, int) bool", lessAt, "(*Heap).Swap(int, int)", func(a []any) any {
			k := po(a).keys
			k[at(a, 1)], k[at(a, 2)] = k[at(a, 2)], k[at(a, 1)]
			return many{}
		},
		"(*Heap).Push(any)", func(a []any) any {
			for range add {
				if front {
					po(a).keys = append([]int{int(a[1].(int64))}, po(a).keys...)
				} else {
					po(a).keys = append(po(a).keys, int(a[1].(int64)))
				}
			}
			return many{}
		},
		"(*Heap).Pop() any", func(a []any) any {
			k := po(a).keys
			po(a).keys = k[:len(k)-1]
			return any(int64(k[len(k)-1]))
		})
}
