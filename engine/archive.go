package engine

import (
	"slices"

	"foray.test/corpus"
	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// An Entry is a kept sequence with the branch sides it was kept for; one without
// sides was kept for the value it makes.
type Entry struct {
	Steps seq.Sequence
	Sides []int32
	Rank  int8 // see Outcome; not below zero
	Seed  bool // it is, or was cut from, a sequence that was not composed here: of the package's tests, or solved for

	Solved bool // … solved for; set by the coordinator

	Costly bool  // it takes so long or allocates so much that no sequence starts from it
	Spent  int64 // fuel, of one that was added
}

// An archive is the memory of an engine: which branch sides were taken, which sequences
// were kept, which values they make, and which findings are known. It runs nothing.
type archive struct {
	table   *seq.Table
	covered *coverage.Set // sides taken by any sequence
	kept    *coverage.Set // sides taken by entries; all of them are covered
	rare    rareSides

	entries   []Entry
	ranked    bool  // some entries have a rank
	resumed   bool  // there were entries before it composed
	costliest int64 // fuel: the most that an entry used

	components *corpus.Components
	values     *corpus.ValueSet
	executed   *corpus.ValueSet

	known    map[string]bool // by dedup key
	wordings Wordings
	hits     map[Signature]uint64 // sequences that ended in that finding
}

func newArchive(t *seq.Table, x *seq.TypeIndex, sides int) *archive {
	return &archive{
		table: t, covered: coverage.NewSet(sides), kept: coverage.NewSet(sides), rare: newRareSides(sides),
		components: corpus.NewComponents(x, componentsPerType),
		values:     corpus.NewValueSet(valueSetBytes),
		executed:   corpus.NewValueSet(executedSetBytes),
		known:      map[string]bool{}, wordings: Wordings{}, hits: map[Signature]uint64{},
	}
}

// isNew reports whether hits has a side that no entry takes.
func (a *archive) isNew(hits []byte) bool { return coverage.HasNew(a.kept, hits) }

// claim returns the sides of hits that no entry takes, which one takes from now on.
func (a *archive) claim(hits []byte) []int32 {
	sides := a.kept.AppendNew(nil, hits)
	a.kept.AddHits(hits)
	return sides
}

// add adds an entry to those that sequences start from. It leaves out entries that are
// costly or write fields or variables: the package may not expect such a state.
func (a *archive) add(en Entry) {
	if !en.Costly && !writes(a.table, en.Steps) {
		a.entries = append(a.entries, en)
		a.ranked = a.ranked || en.Rank > 0
	}
}

// writes reports whether s writes fields or variables.
func writes(t *seq.Table, s seq.Sequence) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool {
		k := t.Ops[st.Op].Kind
		return k == seq.FieldSet || k == seq.VarSet
	})
}

// removeCalls removes the entries that call an operation. It returns how many of the first
// n are left.
func (a *archive) removeCalls(op seq.OpID, n int) (left int) {
	kept := a.entries[:0]
	for i, en := range a.entries {
		if calledIn(en.Steps, op) {
			continue
		}
		kept = append(kept, en)
		if i < n {
			left++
		}
	}
	clear(a.entries[len(kept):])
	a.entries = kept
	return left
}

// drawEntry draws an entry. If some entries have a rank, an entry without one is replaced
// by a second draw, so that ranked ones come about twice as often, as in go-fuzz.
func (a *archive) drawEntry(src *draw.Source) *Entry {
	en := a.anyEntry(src)
	if a.ranked && en.Rank == 0 {
		en = a.anyEntry(src)
	}
	return en
}

// anyEntry draws an entry, every other time one of the newest: few runs have built on
// those yet.
func (a *archive) anyEntry(src *draw.Source) *Entry {
	n := len(a.entries)
	if src.OneIn("new entry", newEntryOneIn) {
		newest := 1 + n/newestShare
		return &a.entries[n-1-src.Choose("entry", newest)]
	}
	return &a.entries[src.Choose("entry", n)]
}

// representatives returns components that make distinct values: of each wanted type the
// shortest, at most perType and max in all.
func (a *archive) representatives(isWanted func(seq.TypeID) bool, perType, max int) []seq.Sequence {
	var list []seq.Sequence
	for i := range a.table.Types {
		ty := seq.TypeID(i)
		if !isWanted(ty) || a.table.Types[ty].Literal != seq.NoLiteral {
			continue
		}
		comps := slices.Clone(a.components.Of(ty))
		comps = slices.DeleteFunc(comps, func(c corpus.Component) bool { return c.Steps.Calls(a.table) == 0 })
		slices.SortStableFunc(comps, func(a, b corpus.Component) int { return len(a.Steps) - len(b.Steps) })
		for _, c := range comps[:min(len(comps), perType)] {
			list = append(list, c.Steps)
		}
	}
	return list[:min(len(list), max)]
}
