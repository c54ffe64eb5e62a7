package replay

import (
	"context"
	"slices"
	"time"

	"foray.test/corpus"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A Study is the profile of a stored sequence: its verdict, its branch sides, and the
// values that it leaves.
type Study struct {
	Verdict *engine.Verdict // nil if there is no finding
	Error   error           // it could not be run
	Sides   []int32         // the branch sides that it took, in order
	Values  []wire.Value    // the classes of values that it leaves; none if a step broke
	State   uint64          // equal for sequences that leave the same values
	Took    time.Duration   // until the answer, or of the steps alone if they completed
	Alike   bool            // see [Bench.Alike]
}

// Features returns the features that the sequence may be kept for.
func (st *Study) Features() []corpus.Feature {
	features := make([]corpus.Feature, 0, len(st.Sides)+len(st.Values))
	for _, side := range st.Sides {
		features = append(features, corpus.SideFeature(side))
	}
	for _, v := range st.Values {
		features = append(features, corpus.ValueFeature(uint32(v.Type), v.Size))
	}
	return features
}

// Study runs s. An error means that no process could be had, or that ctx is done.
func (b *Bench) Study(ctx context.Context, s seq.Sequence) (Study, error) {
	x, err := b.Run(ctx, s, Trial{Deadline: StoredTime, Study: true})
	return newStudy(x), err
}

// Alike reports whether s and other leave equal values: equal by their digests, or
// as the Equal method of their type says. Neither must break.
func (b *Bench) Alike(ctx context.Context, s, other seq.Sequence) (bool, error) {
	x, err := b.Run(ctx, s, Trial{Deadline: StoredTime, Study: true, Like: other})
	return newStudy(x).Alike, err
}

// StudyAll runs the sequences of a list, one after the other, and calls visit with the
// profile of each.
func (b *Bench) StudyAll(ctx context.Context, list []seq.Sequence, visit func(i int, st Study)) error {
	return b.RunAll(ctx, list, Trial{Deadline: StoredTime, Study: true}, func(i int, x Shown) { visit(i, newStudy(x)) })
}

func newStudy(x Shown) Study {
	st := Study{Verdict: x.Verdict, Error: x.Error, Sides: x.Sides, Took: x.Took}
	if l := x.Left; l != nil && x.Error == nil {
		st.Values, st.State, st.Took, st.Alike = l.Values, l.State, l.Took, l.Alike
	}
	return st
}

// Prune returns s without the steps that contribute none of its features: its branch
// sides and the classes of values that it leaves. A run has shown that the result has
// all of them. It returns s itself if no step could go, or if s breaks.
func (b *Bench) Prune(ctx context.Context, s seq.Sequence) (seq.Sequence, Study, error) {
	whole, err := b.Study(ctx, s)
	if err != nil || whole.Verdict != nil || whole.Error != nil {
		return s, whole, err
	}
	r := Reduction[Study]{Steps: s, Shown: whole, Over: func() bool { return err != nil }, Try: func(cand seq.Sequence) (st Study, ok bool) {
		st, err = b.Study(ctx, cand)
		return st, err == nil && st.shows(whole)
	}}
	engine.Shorten(b.runner.config.Table, s, r.Keep)
	return r.Steps, r.Shown, err
}

// Join returns one sequence that has the features of both a and b in fewer steps than
// they have together, as a run has shown. It reports false if there is none, or if it
// has more than most steps.
func (b *Bench) Join(ctx context.Context, a, other seq.Sequence, most int) (seq.Sequence, Study, bool, error) {
	var err error
	var both Study
	for _, s := range []seq.Sequence{a, other} {
		var st Study
		if st, err = b.Study(ctx, s); err != nil || st.Verdict != nil || st.Error != nil {
			return nil, st, false, err
		}
		both.Sides, both.Values = union(both.Sides, st.Sides), union(both.Values, st.Values)
	}
	r := Reduction[Study]{Over: func() bool { return err != nil }, Try: func(cand seq.Sequence) (st Study, ok bool) {
		st, err = b.Study(ctx, cand)
		return st, err == nil && st.shows(both)
	}}
	s, ok := engine.Join(b.runner.config.Table, a, other, r.Keep)
	return s, r.Shown, ok && len(s) <= most && err == nil, err
}

// shows reports whether st has all features of other, and no finding.
func (st *Study) shows(other Study) bool {
	return st.Verdict == nil && st.Error == nil && within(other.Sides, st.Sides) && within(other.Values, st.Values)
}

// within reports whether all of a are in b.
func within[T comparable](a, b []T) bool {
	return !slices.ContainsFunc(a, func(x T) bool { return !slices.Contains(b, x) })
}

// union returns a with the elements that only b has.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
