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

// A Study is what a stored sequence shows, and what it leaves.
type Study struct {
	Verdict *engine.Verdict // nil if all was well
	Error   error           // it could not be run
	Sides   []int32         // the branch sides that it took, in order
	Values  []wire.Value    // the classes of values that it leaves; none if it broke
	State   uint64          // equal for sequences that leave the same values
	Took    time.Duration   // to the answer, or of the steps alone if it was studied
	Alike   bool            // see [Bench.Alike]
}

// Features returns what the sequence may be kept for.
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

// StudyAll runs the sequences of a list, one after the other, and tells visit what
// each shows.
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

// Prune returns s without the steps that it takes none of its features from: its
// branch sides and the classes of values that it leaves. What it returns shows them
// all, as was seen in a run; s itself if nothing could go, or if it breaks.
func (b *Bench) Prune(ctx context.Context, s seq.Sequence) (seq.Sequence, Study, error) {
	whole, err := b.Study(ctx, s)
	if err != nil || whole.Verdict != nil || whole.Error != nil {
		return s, whole, err
	}
	best := whole
	shorter := engine.Shorten(b.runner.config.Table, s, func(cand seq.Sequence) bool {
		if err != nil {
			return false
		}
		var st Study
		if st, err = b.Study(ctx, cand); err != nil || st.Verdict != nil || st.Error != nil || !st.shows(whole) {
			return false
		}
		best = st
		return true
	})
	return shorter, best, err
}

// Join returns one sequence in place of a and b that shows what both show, in fewer
// steps than they have together, as was seen in a run. It reports false if there is
// none, or if it is longer than most.
func (b *Bench) Join(ctx context.Context, a, other seq.Sequence, most int) (seq.Sequence, Study, bool, error) {
	var err error
	var best, both Study
	study := func(s seq.Sequence) (st Study) {
		if err == nil {
			st, err = b.Study(ctx, s)
		}
		return st
	}
	for _, s := range []seq.Sequence{a, other} {
		st := study(s)
		if err != nil || st.Verdict != nil || st.Error != nil {
			return nil, st, false, err
		}
		both.Sides, both.Values = union(both.Sides, st.Sides), union(both.Values, st.Values)
	}
	s, ok := engine.Join(b.runner.config.Table, a, other, func(cand seq.Sequence) bool {
		st := study(cand)
		if err != nil || st.Verdict != nil || st.Error != nil || !st.shows(both) {
			return false
		}
		best = st
		return true
	})
	return s, best, ok && len(s) <= most && err == nil, err
}

// shows reports whether st has all features of other.
func (st *Study) shows(other Study) bool {
	return within(other.Sides, st.Sides) && within(other.Values, st.Values)
}

// within reports whether all of a are in b.
func within[T comparable](a, b []T) bool {
	return !slices.ContainsFunc(a, func(x T) bool { return !slices.Contains(b, x) })
}

// union returns a and what only b has.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
