package seq

import (
	"slices"
	"testing"
)

// The index of a table equals the result of asking for each type and each operation
// whether it is assignable.
func TestTypeIndexNaively(t *testing.T) {
	d := newDraw(t, newFixture())
	for range 50 {
		table := &Table{Types: slices.Clone(d.Types), Ops: slices.Clone(d.Ops)}
		for id := range table.Types {
			ty := &table.Types[id]
			ty.Assignable = slices.Clone(ty.Assignable)
			for i := 1; i < len(ty.Assignable); i++ {
				ty.Assignable[i] = TypeID(1 + d.IntN(len(table.Types)-1))
			}
			slices.Sort(ty.Assignable)
			ty.Assignable = slices.Compact(ty.Assignable)
		}
		d.Shuffle(len(table.Ops), func(i, j int) { table.Ops[i], table.Ops[j] = table.Ops[j], table.Ops[i] })
		table.Ops = table.Ops[:d.IntN(len(table.Ops))]
		compareIndex(t, table, NewTypeIndex(table))
	}
}

func compareIndex(t *testing.T, table *Table, x *TypeIndex) {
	t.Helper()
	isParam := func(id TypeID) bool {
		return slices.ContainsFunc(table.Ops, func(op Operation) bool { return slices.Contains(op.Params, id) })
	}
	for i := 1; i < len(table.Types); i++ {
		id := TypeID(i)
		var standsFor, wanted, literals []TypeID
		for j := 1; j < len(table.Types); j++ {
			if other := TypeID(j); table.AssignableTo(id, other) {
				standsFor = append(standsFor, other)
				if isParam(other) {
					wanted = append(wanted, other)
				}
			}
			if table.AssignableTo(TypeID(j), id) && table.Types[j].Literal != NoLiteral {
				literals = append(literals, TypeID(j))
			}
		}
		makers := table.OpsThat(func(op *Operation) bool {
			return slices.ContainsFunc(op.Results, func(made TypeID) bool { return table.AssignableTo(made, id) })
		})
		takers := table.OpsThat(func(op *Operation) bool {
			return slices.ContainsFunc(op.Params, func(want TypeID) bool {
				return table.Types[want].Literal == NoLiteral && table.AssignableTo(id, want)
			})
		})
		ok := x.IsParam[id] == isParam(id) && slices.Equal(x.StandsFor[id], standsFor) && slices.Equal(x.Wanted[id], wanted) &&
			slices.Equal(x.Literals[id], literals) && slices.Equal(x.Makers[id], makers) && slices.Equal(x.Takers[id], takers)
		if !ok {
			t.Fatalf("type %d: %t, %v, %v, %v, %v, %v\nwant %t, %v, %v, %v, %v, %v", id,
				x.IsParam[id], x.StandsFor[id], x.Wanted[id], x.Literals[id], x.Makers[id], x.Takers[id],
				isParam(id), standsFor, wanted, literals, makers, takers)
		}
	}
}
