package seq

// A TypeIndex lists which types may stand where and which operations make and take
// values of each type. It is built once for a table and does not change, so any
// number of goroutines may use it. Callers must not change its lists.
type TypeIndex struct {
	Table *Table

	IsParam   []bool     // by type: some operation has a parameter of exactly this type
	StandsFor [][]TypeID // by type: the types it is assignable to, the reverse of Type.Assignable
	Wanted    [][]TypeID // by type: those of StandsFor that are types of parameters
	Literals  [][]TypeID // by wanted type: the assignable types that have literals
	Makers    [][]OpID   // by wanted type: the operations with an assignable result
	Takers    [][]OpID   // by type: the operations that take it as a parameter without literals
}

// NewTypeIndex returns the index of t. Operations and the types of StandsFor and Wanted
// are in ascending order, those of Literals in the order of Type.Assignable.
func NewTypeIndex(t *Table) *TypeIndex {
	n := len(t.Types)
	x := &TypeIndex{
		Table: t, IsParam: make([]bool, n), StandsFor: make([][]TypeID, n), Wanted: make([][]TypeID, n),
		Literals: make([][]TypeID, n), Makers: make([][]OpID, n), Takers: make([][]OpID, n),
	}
	for i := range t.Ops {
		for _, p := range t.Ops[i].Params {
			x.IsParam[p] = true
		}
	}
	for i := range t.Types {
		to := TypeID(i)
		for _, from := range t.Types[to].Assignable {
			x.StandsFor[from] = append(x.StandsFor[from], to)
			if x.IsParam[to] {
				x.Wanted[from] = append(x.Wanted[from], to)
			}
			if t.Types[from].Literal != NoLiteral {
				x.Literals[to] = append(x.Literals[to], from)
			}
		}
	}
	for i := range t.Ops {
		x.addOp(OpID(i))
	}
	return x
}

func (x *TypeIndex) addOp(id OpID) {
	op := &x.Table.Ops[id]
	add := func(list *[]OpID) {
		if n := len(*list); n == 0 || (*list)[n-1] != id {
			*list = append(*list, id)
		}
	}
	for _, made := range op.Results {
		for _, to := range x.StandsFor[made] {
			add(&x.Makers[to])
		}
	}
	for _, want := range op.Params {
		if x.Table.Types[want].Literal != NoLiteral {
			continue
		}
		for _, from := range x.Table.Types[want].Assignable {
			add(&x.Takers[from])
		}
	}
}
