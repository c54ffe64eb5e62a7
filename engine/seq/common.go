package seq

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Common returns the part of old that next, another version of the package, has as well.
// These are the operations with the same Go text, parameters and results, and the types
// that they need. A sequence under it runs on both versions. Mined values are those of
// both. gone lists, in order, the operations of old that it lacks.
func Common(old, next *Table) (common *Table, gone []OpID) {
	has := make(map[string]bool, len(next.Ops))
	for i := range next.Ops {
		has[next.text(&next.Ops[i])] = true
	}
	c := &Table{Package: old.Package, Name: old.Name, Imports: old.Imports, Decls: old.Decls}
	var kept []OpID
	used := make([]bool, len(old.Types))
	for i := range old.Ops {
		op := &old.Ops[i]
		if !has[old.text(op)] {
			gone = append(gone, OpID(i))
			continue
		}
		kept = append(kept, OpID(i))
		for _, id := range slices.Concat(op.Params, op.Results) {
			used[id] = true
		}
	}
	to := old.keepTypes(c, used, next)
	for _, id := range kept {
		op := old.Ops[id]
		op.Params, op.Results = renumber(op.Params, to), renumber(op.Results, to)
		op.Requires, op.Ensures = placesIn(kept, op.Requires), placesIn(kept, op.Ensures)
		c.Ops = append(c.Ops, op)
	}
	return c, gone
}

// As returns t, which is part of next as well, for a worker of next: the same table, but
// that packages have the import paths that next has for them. They differ where the path
// of the module tells its major version.
func (t *Table) As(next *Table) *Table {
	as := *t
	as.Package = next.Package
	as.Imports = slices.Clone(t.Imports)
	for i := range as.Imports {
		im := &as.Imports[i]
		if j := slices.IndexFunc(next.Imports, func(other Import) bool { return other.Name == im.Name }); j >= 0 {
			im.Path = next.Imports[j].Path
		}
	}
	return &as
}

// text returns text that identifies an operation in any table of its package: its Go
// text and its types. Whether a method takes its receiver by pointer is no part of it.
func (t *Table) text(op *Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %v %v", op.Kind, op.Template, op.Variadic, op.Spread)
	for _, list := range [][]TypeID{op.Params, op.Results} {
		b.WriteString(" |")
		for _, id := range list {
			b.WriteString(" " + t.typeText(id))
		}
	}
	return b.String()
}

// typeText is the name of a type in the one of several forms that all share.
func (t *Table) typeText(id TypeID) string {
	return strings.ReplaceAll(compact(t.Types[id].Name), "interface{}", "any")
}

// keepTypes puts the used types of t, and those that their literals may stand for,
// into c. It returns the new number of each, zero for one left out.
func (t *Table) keepTypes(c *Table, used []bool, next *Table) []TypeID {
	for id := range t.Types { // default types of untyped literals, and literal types that interfaces take
		used[id] = used[id] || t.Types[id].Literal != NoLiteral
	}
	also := make(map[string]*Type, len(next.Types))
	for id := 1; id < len(next.Types); id++ {
		also[next.typeText(TypeID(id))] = &next.Types[id]
	}
	to := make([]TypeID, len(t.Types))
	c.Types = make([]Type, 1, len(t.Types))
	for id := 1; id < len(t.Types); id++ {
		if other := also[t.typeText(TypeID(id))]; used[id] && other != nil {
			to[id] = TypeID(len(c.Types))
			ty := t.Types[id]
			ty.Mined = mergeMined(ty.Mined, other.Mined)
			ty.Nilable = ty.Nilable && other.Nilable
			ty.Std &= other.Std
			if ty.Literal != other.Literal {
				ty.Literal, ty.Mined = NoLiteral, nil
			}
			c.Types = append(c.Types, ty)
		}
	}
	for id := 1; id < len(t.Types); id++ {
		if to[id] == 0 {
			continue
		}
		other := also[t.typeText(TypeID(id))]
		var takes []TypeID
		for _, from := range t.Types[id].Assignable {
			if to[from] != 0 && next.assignableText(other, t.typeText(from)) {
				takes = append(takes, to[from])
			}
		}
		c.Types[to[id]].Assignable = takes
	}
	return to
}

// assignableText reports whether values of the type named from may stand where ty is wanted.
func (t *Table) assignableText(ty *Type, from string) bool {
	return slices.ContainsFunc(ty.Assignable, func(id TypeID) bool { return t.typeText(id) == from })
}

// mergeMined merges two lists of mined values, taking turns: the most telling stand
// first in each. A value of one list is more telling than a value of both.
func mergeMined(a, b []string) []string {
	type entry struct {
		text string
		rank int
	}
	var list []entry
	for i, text := range a {
		e := entry{text, 2 * i}
		if slices.Contains(b, text) {
			e.rank += len(a) + len(b)
		}
		list = append(list, e)
	}
	for i, text := range b {
		if !slices.Contains(a, text) {
			list = append(list, entry{text, 2*i + 1})
		}
	}
	slices.SortStableFunc(list, func(x, y entry) int { return cmp.Compare(x.rank, y.rank) })
	merged := make([]string, len(list))
	for i, e := range list {
		merged[i] = e.text
	}
	return merged
}

// placesIn returns the places in kept of those of ids that are there.
func placesIn(kept, ids []OpID) []OpID {
	var list []OpID
	for _, id := range ids {
		if i := slices.Index(kept, id); i >= 0 {
			list = append(list, OpID(i))
		}
	}
	return list
}

func renumber(ids, to []TypeID) []TypeID {
	list := make([]TypeID, len(ids))
	for i, id := range ids {
		list[i] = to[id]
	}
	return list
}
