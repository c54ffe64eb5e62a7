package catalog

import (
	"cmp"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// An assembly turns the operations found into a table. It drops operations that can
// never run and steps that make unused values, and numbers the types of the rest.
type assembly struct {
	f     *finder
	ids   map[string]int // index into list by key
	list  []types.Type
	takes [][]int // by type: the types assignable to it
	args  [][]int // by operation: its parameters
	outs  [][]int // by operation: its results
	keep  []bool  // by operation
}

func (f *finder) assemble() *Catalog {
	a := &assembly{f: f, ids: map[string]int{}}
	slices.SortStableFunc(f.ops, func(x, y *operation) int {
		if x.Kind != y.Kind {
			return int(x.Kind) - int(y.Kind)
		}
		return strings.Compare(x.Name, y.Name)
	})
	a.number()
	c := &Catalog{}
	made := a.dropUnmade()
	a.dropUnwanted()
	a.unreachable(c, made)
	a.fillTable(&c.Table)
	a.fillMembers(c)
	return c
}

func (a *assembly) id(t types.Type) int {
	key := typeKey(t)
	if i, ok := a.ids[key]; ok {
		return i
	}
	a.ids[key] = len(a.list)
	a.list = append(a.list, types.Unalias(t))
	return len(a.list) - 1
}

// basics returns the types of the literals that any takes.
func (a *assembly) basics() []types.Type {
	return append([]types.Type{types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Bool]}, a.f.worklist.basics...)
}

func (a *assembly) number() {
	for _, op := range a.f.ops {
		var args, outs []int
		for _, t := range op.params {
			args = append(args, a.id(t))
		}
		for _, t := range op.results {
			outs = append(outs, a.id(t))
		}
		a.args, a.outs, a.keep = append(a.args, args), append(a.outs, outs), append(a.keep, true)
	}
	for _, t := range a.basics() {
		a.id(t)
	}
	a.takes = make([][]int, len(a.list))
	for to, t := range a.list {
		a.takes[to] = []int{to}
		for from, u := range a.list {
			if from != to && types.AssignableTo(u, t) {
				a.takes[to] = append(a.takes[to], from)
			}
		}
	}
}

// dropUnmade drops operations that can never run, and returns which types have
// values: nil alone is not one.
func (a *assembly) dropUnmade() []bool {
	made := make([]bool, len(a.list))
	for i, t := range a.list {
		kind, _ := a.f.literalKind(t)
		made[i] = kind != seq.NoLiteral && a.f.reach(t) == everywhere
	}
	runs := make([]bool, len(a.keep))
	for changed := true; changed; {
		changed = false
		for i := range a.keep {
			if runs[i] || a.missing(i, made) >= 0 {
				continue
			}
			runs[i], changed = true, true
			for _, out := range a.outs[i] {
				made[out] = true
			}
		}
	}
	for i, op := range a.f.ops {
		if runs[i] {
			continue
		}
		a.keep[i] = false
		if op.API && op.Member != "" {
			a.f.exclude(op.Member, "no value of type "+a.f.typeName(a.list[a.missing(i, made)])+" can be made")
		}
	}
	return made
}

// missing returns a type that operation i needs and none of made is assignable
// to, or -1. A call of the API takes nil, but not as its receiver.
func (a *assembly) missing(i int, made []bool) int {
	op := a.f.ops[i]
	for j, want := range a.args[i] {
		switch {
		case op.Variadic && j == len(a.args[i])-1:
		case a.available(want, made):
		case op.API && nilable(a.list[want]) && op.Kind != seq.Call && !(j == 0 && op.Kind != seq.Func):
		default:
			return want
		}
	}
	return -1
}

func (a *assembly) available(want int, made []bool) bool {
	return slices.ContainsFunc(a.takes[want], func(from int) bool { return made[from] })
}

// dropUnwanted drops steps that only make values for which no call has a use.
func (a *assembly) dropUnwanted() {
	wanted := make([]bool, len(a.list)) // some kept operation takes a value of the type
	useful := make([]bool, len(a.keep))
	for changed := true; changed; {
		changed = false
		for i := range a.f.ops {
			if !a.keep[i] || useful[i] || !a.ownStep(i) && !a.anyWanted(i, wanted) {
				continue
			}
			useful[i], changed = true, true
			for _, want := range a.args[i] {
				for _, from := range a.takes[want] {
					wanted[from] = wanted[from] || from == want || !isAny(a.list[want]) || a.f.plain(a.list[from])
				}
			}
		}
	}
	copy(a.keep, useful)
}

// plain reports whether values of t are made for parameters of type any: the
// package's own types, int, string, and a type that cannot be compared.
func (f *finder) plain(t types.Type) bool {
	if named, _ := pointee(t); named != nil {
		return named.Obj().Pkg() == f.pkg || f.worklist.handed[typeKey(t)]
	}
	key := typeKey(t)
	return f.worklist.handed[key] || key == "int" || key == "string" || key == "[]int"
}

// ownStep reports whether operation i is of use even if nothing takes its results.
// It may be a call, an access to a field or variable, or an operation on a channel
// that the package returns.
func (a *assembly) ownStep(i int) bool {
	switch op := a.f.ops[i]; op.Kind {
	case seq.FieldGet, seq.FieldSet, seq.VarGet, seq.VarSet:
		return true
	case seq.Chan:
		return len(op.params) > 0 && a.f.worklist.made[typeKey(op.params[0])]
	default:
		return op.API
	}
}

// anyWanted reports whether a call has a use for one of the results outs of a
// step. A send or close without results is of use if its channel is, a method of another
// package if its receiver is.
func (a *assembly) anyWanted(i int, wanted []bool) bool {
	op := a.f.ops[i]
	if (len(a.outs[i]) == 0 || op.Outside() && op.Kind == seq.Method) && wanted[a.args[i][0]] {
		return true
	}
	return slices.ContainsFunc(a.outs[i], func(t int) bool { return wanted[t] })
}

// unreachable reports the types that calls want and nothing makes.
func (a *assembly) unreachable(c *Catalog, made []bool) {
	by := map[int][]string{}
	for i, op := range a.f.ops {
		for j, want := range a.args[i] {
			if a.keep[i] && op.API && !(j == 0 && op.Kind != seq.Func) && !a.available(want, made) {
				by[want] = append(by[want], op.Short)
			}
		}
	}
	for want, shorts := range by {
		slices.Sort(shorts)
		t := a.list[want]
		c.Unreachable = append(c.Unreachable, Unreachable{
			Type: a.f.typeName(t), Reason: a.f.whyUnreachable(t), Wanted: slices.Compact(shorts),
		})
	}
	slices.SortFunc(c.Unreachable, func(x, y Unreachable) int { return strings.Compare(x.Type, y.Type) })
}

func (f *finder) whyUnreachable(t types.Type) string {
	named, _ := pointee(t)
	switch {
	case f.reach(t) != everywhere:
		return "it has no exported name and no operation returns it"
	case types.IsInterface(t):
		return "no type in play implements it"
	case named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg() != f.pkg:
		return "no function of " + named.Obj().Pkg().Path() + " with simple arguments returns it"
	}
	return "no operation returns it"
}

// fillTable writes the kept operations and the types that they name.
func (a *assembly) fillTable(t *seq.Table) {
	t.Package, t.Name = a.f.pkg.Path(), a.f.names.of(a.f.pkg)
	order := a.sortTypes()
	t.Types = make([]seq.Type, 1, len(order)+1)
	number := map[int]seq.TypeID{}
	for i, old := range order {
		number[old] = seq.TypeID(i + 1)
	}
	mined := a.f.mine()
	for _, old := range order {
		ty := a.f.tableType(a.list[old])
		ty.Mined = mined.of(a.list[old], ty)
		for _, from := range a.takes[old] {
			if id, ok := number[from]; ok {
				ty.Assignable = append(ty.Assignable, id)
			}
		}
		slices.Sort(ty.Assignable[1:])
		t.Types = append(t.Types, ty)
	}
	var kept []*operation
	for i, op := range a.f.ops {
		if a.keep[i] {
			op.Params, op.Results = renumber(a.args[i], number), renumber(a.outs[i], number)
			t.Ops, kept = append(t.Ops, op.Operation), append(kept, op)
		}
	}
	for i, op := range kept {
		for _, c := range op.conditions {
			t.AddCondition(seq.OpID(i), c.Operation, c.ensures)
		}
	}
	a.fillDecls(t)
}

func renumber(list []int, number map[int]seq.TypeID) []seq.TypeID {
	var ids []seq.TypeID
	for _, i := range list {
		ids = append(ids, number[i])
	}
	return ids
}

// sortTypes returns the types of kept operations, and those that any takes as
// literals, by name.
func (a *assembly) sortTypes() []int {
	used := make([]bool, len(a.list))
	for i := range a.keep {
		if a.keep[i] {
			for _, list := range [][]int{a.args[i], a.outs[i]} {
				for _, t := range list {
					used[t] = true
				}
			}
		}
	}
	for _, t := range a.basics() {
		used[a.id(t)] = true
	}
	var order []int
	for i := range a.list {
		if used[i] {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return compareTypes(a.list[x], a.list[y]) })
	return order
}

// fillDecls lists the declarations and imports that the table's texts refer to.
func (a *assembly) fillDecls(t *seq.Table) {
	var texts []string
	for i := range t.Ops {
		texts = append(texts, t.Ops[i].Template, t.Ops[i].Adapter)
	}
	all := strings.Join(texts, "\n")
	for _, name := range slices.Sorted(maps.Keys(a.f.decls)) {
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(all) {
			t.Decls = append(t.Decls, a.f.decls[name])
			texts = append(texts, a.f.decls[name].Text)
		}
	}
	for i := range t.Types {
		texts = append(texts, t.Types[i].Name)
	}
	t.Imports = a.f.names.imports(a.f.pkg.Path(), texts)
}

// fillMembers lists the members, and why those without an operation have none.
func (a *assembly) fillMembers(c *Catalog) {
	have := map[string]bool{}
	for i := range c.Table.Ops {
		have[c.Table.Ops[i].Member] = true
	}
	c.Members = slices.Sorted(maps.Keys(a.f.members))
	for _, m := range c.Members {
		if have[m] {
			continue
		}
		why := cmp.Or(a.f.excluded[m], "no operation makes its receiver")
		c.Excluded = append(c.Excluded, seq.Excluded{Member: m, Reason: why})
	}
}
