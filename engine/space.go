package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// A space is the set of calls that an explorer makes, with their arguments.
type space struct {
	table   *seq.Table
	pool    *Pool
	values  int
	ops     []seq.OpID // that are called
	wanted  []bool     // by type: its values may be arguments
	fixed   [][]alt    // by parameter type: literals, or values that are made for a call
	leftOut []LeftOut

	makes bool           // some of fixed are made
	list  []seq.Sequence // the calls that extend the state before
	live  []liveSlot     // … which had these slots
}

// An alt is an alternative for an argument: a literal, a slot, or the last slot of steps
// that make a value.
type alt struct {
	arg   seq.Arg
	steps seq.Sequence
}

func newSpace(t *seq.Table, pool *Pool, values int) *space {
	sp := &space{table: t, pool: pool, values: values, wanted: make([]bool, len(t.Types)), fixed: make([][]alt, len(t.Types))}
	impossible := Impossible(t)
	for i := range t.Ops {
		id := seq.OpID(i)
		switch {
		case !t.Ops[i].API:
		case impossible[i]:
			sp.leftOut = append(sp.leftOut, LeftOut{id, leftImpossible})
		default:
			sp.ops = append(sp.ops, id)
		}
	}
	for _, id := range sp.ops {
		for _, p := range t.Ops[id].Params {
			sp.fix(p)
		}
	}
	return sp
}

// fix finds the alternatives for a parameter of type ty that do not depend on the state.
func (sp *space) fix(ty seq.TypeID) {
	if sp.fixed[ty] != nil {
		return
	}
	sp.fixed[ty] = []alt{}
	from := sp.pool.plain[ty]
	if sp.table.Types[ty].Literal != seq.NoLiteral {
		from = ty
	}
	if from != 0 {
		small := sp.pool.byType[from].small
		for _, l := range small[:min(sp.values, len(small))] {
			sp.fixed[ty] = append(sp.fixed[ty], alt{arg: seq.Lit(l)})
		}
		return
	}
	for _, made := range sp.table.Types[ty].Assignable {
		sp.wanted[made] = true
	}
	if !sp.constructed(ty) {
		sp.fixed[ty] = sp.makers(ty)
		sp.makes = sp.makes || len(sp.fixed[ty]) > 0
	}
}

// constructed reports whether a function of the API makes values of type ty out of others.
func (sp *space) constructed(ty seq.TypeID) bool {
	return slices.ContainsFunc(sp.ops, func(id seq.OpID) bool {
		op := &sp.table.Ops[id]
		makes := slices.ContainsFunc(op.Results, func(r seq.TypeID) bool { return sp.table.AssignableTo(r, ty) })
		takes := slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return sp.table.AssignableTo(p, ty) })
		return op.Kind == seq.Func && makes && !takes
	})
}

// makers returns the values of type ty that operations make which are no calls, the first
// ones, each with the simplest arguments.
func (sp *space) makers(ty seq.TypeID) []alt {
	list := []alt{}
	for _, id := range sp.pool.Index.Makers[ty] {
		op := &sp.table.Ops[id]
		switch op.Kind {
		case seq.FuncLit, seq.Standard, seq.Composite, seq.Elements, seq.Convert, seq.Const:
		default:
			continue
		}
		if op.API || op.Zero || len(op.Results) != 1 || len(list) >= sp.values {
			continue
		}
		d := simplest{seq.NewDraft(sp.table, nil), sp.pool}
		if d.call(id, simplestDepth) && !slices.ContainsFunc(d.Steps, func(st seq.Step) bool { return sp.table.Ops[st.Op].API }) {
			list = append(list, alt{steps: d.Steps})
		}
	}
	return list
}

// alternatives returns the arguments for parameter i of an operation: live slots, then
// those that do not depend on the state, then nil.
func (sp *space) alternatives(id seq.OpID, i int, live []liveSlot) []alt {
	op := &sp.table.Ops[id]
	ty := op.Params[i]
	var list []alt
	if sp.takesSlots(ty) {
		for _, l := range live {
			if sp.table.AssignableTo(l.ty, ty) {
				list = append(list, alt{arg: seq.Arg{Slot: l.slot}})
			}
		}
	}
	list = append(list, sp.fixed[ty]...)
	if sp.takesNil(op, i) {
		list = append(list, alt{arg: seq.Lit(sp.pool.Nil(ty))})
	}
	return list
}

// takesSlots reports whether arguments of type ty are values: where literals may stand,
// only literals do.
func (sp *space) takesSlots(ty seq.TypeID) bool {
	return sp.table.Types[ty].Literal == seq.NoLiteral && sp.pool.plain[ty] == 0
}

func (sp *space) takesNil(op *seq.Operation, i int) bool {
	return sp.takesSlots(op.Params[i]) && sp.pool.Nil(op.Params[i]) != nil && (i > 0 || op.Kind != seq.Method)
}

// extending returns the calls that extend a state, as calls does, until it is called again.
// States with equal live slots have equal calls, unless values are made for them: these have
// slots behind those of the state.
func (sp *space) extending(live []liveSlot, base int32) []seq.Sequence {
	if sp.list == nil || sp.makes || !slices.Equal(live, sp.live) {
		sp.list = sp.calls(sp.list[:0], live, base)
		sp.live = append(sp.live[:0], live...)
	}
	return sp.list
}

// calls appends the calls that extend a state with live slots, in order. base is the
// number of its slots.
func (sp *space) calls(list []seq.Sequence, live []liveSlot, base int32) []seq.Sequence {
	for _, id := range sp.ops {
		op := &sp.table.Ops[id]
		for n := op.Fewest(); n <= len(op.Params); n++ {
			alts, ways := make([][]alt, n), 1
			for i := range alts {
				alts[i] = sp.alternatives(id, i, live)
				ways = min(ways*len(alts[i]), maxCalls+1)
			}
			if ways > maxCalls {
				sp.leave(id)
				break
			}
			for k := range ways {
				list = append(list, sp.call(id, alts, k, base))
			}
		}
	}
	return list
}

// leave notes that an operation has calls that are not made.
func (sp *space) leave(id seq.OpID) {
	l := LeftOut{id, leftMany}
	if !slices.Contains(sp.leftOut, l) {
		sp.leftOut = append(sp.leftOut, l)
	}
}

// call returns call number k of an operation whose arguments have alternatives. The last
// argument changes fastest.
func (sp *space) call(id seq.OpID, alts [][]alt, k int, base int32) seq.Sequence {
	args := make([]seq.Arg, len(alts))
	var steps seq.Sequence
	pick := make([]alt, len(alts))
	for i := len(alts) - 1; i >= 0; i-- {
		pick[i] = alts[i][k%len(alts[i])]
		k /= len(alts[i])
	}
	for i, a := range pick {
		if args[i] = a.arg; a.steps == nil {
			continue
		}
		for _, st := range a.steps.Clone() {
			for j := range st.Args {
				if st.Args[j].Lit == nil {
					st.Args[j].Slot += base
				}
			}
			steps = append(steps, st)
		}
		base += int32(a.steps.Slots(sp.table))
		args[i] = seq.Arg{Slot: base - 1}
	}
	return append(steps, seq.Step{Op: id, Args: args})
}

// Estimate returns about how many sequences there are in a scope, if no two of them left
// equal states. It takes each result of a call for a value unlike all others, and no value
// that is made for one call for an argument of later ones. It reports false if there are
// too many combinations of values: then there are more sequences.
func (s Scope) Estimate(t *seq.Table, pool *Pool) (sequences float64, ok bool) {
	sp := newSpace(t, pool, s.Values)
	level := map[string]float64{string(make([]byte, len(t.Types))): 1} // by the number of live slots of each type
	for range s.Calls {
		next := map[string]float64{}
		for counts, n := range level {
			for _, id := range sp.ops {
				ways := n * sp.ways(id, counts)
				if ways == 0 {
					continue
				}
				sequences += ways
				next[sp.after(id, counts)] += ways
			}
		}
		if level = next; len(level)*len(sp.ops) > estimateWork {
			return sequences, false
		}
	}
	return sequences, true
}

// ways returns how many calls of an operation extend a state with so many live slots of
// each type.
func (sp *space) ways(id seq.OpID, counts string) float64 {
	op := &sp.table.Ops[id]
	sum := 0.0
	for n := op.Fewest(); n <= len(op.Params); n++ {
		ways := 1.0
		for i, ty := range op.Params[:n] {
			k := len(sp.fixed[ty])
			if sp.takesNil(op, i) {
				k++
			}
			if sp.takesSlots(ty) {
				for _, from := range sp.table.Types[ty].Assignable {
					k += int(counts[from])
				}
			}
			ways *= float64(k)
		}
		sum += ways
	}
	return sum
}

// after returns the number of live slots of each type after a call of an operation.
func (sp *space) after(id seq.OpID, counts string) string {
	c := []byte(counts)
	for _, r := range sp.table.Ops[id].Results {
		if sp.wanted[r] && c[r] < 255 {
			c[r]++
		}
	}
	return string(c)
}
