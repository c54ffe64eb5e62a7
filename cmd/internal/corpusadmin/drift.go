package corpusadmin

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
)

// driftReason begins the reason why entries that do not fit a changed package are in
// quarantine.
const driftReason = "drift: "

// settle sets entries aside that do not fit the package any more. It runs what is left of
// them, and keeps rests that show anything that the intact entries do not. It returns the
// entries to go on with, and tells in one line what happened.
func (rd *reader) settle(ctx context.Context) ([]Stored, error) {
	var intact, cut []Stored
	for _, st := range rd.list {
		if st.Cut {
			cut = append(cut, st)
		} else {
			intact = append(intact, st)
		}
	}
	var leave []store.Departure
	for _, st := range slices.Concat(rd.gone, cut) {
		leave = append(leave, store.Departure{ID: st.ID, Reason: driftReason + st.Why})
	}
	if len(leave) == 0 {
		return intact, nil
	}
	rests, err := rd.rests(ctx, intact, cut)
	if err != nil {
		return nil, err
	}
	var add []store.Entry
	for i := range rests {
		add = append(add, rd.Entry(rests[i].Steps, originDrift, 0))
		rests[i].ID = store.ID(add[i].Statements)
		rests[i].Name = entryName(rests[i].ID)
		rests[i].Cut = false
	}
	stays := "nothing of them stays"
	if len(rests) > 0 {
		stays = fmt.Sprintf("a part stays of %d", len(rests))
	}
	rd.Out.Warn(fmt.Sprintf("%s: corpus: %s set aside in %s: the package has changed (%s: %s); %s",
		rd.Path, text.Plural(len(leave), "entry"), rd.Out.Relative(filepath.Join(rd.Dir, "quarantine")),
		entryName(leave[0].ID), strings.TrimPrefix(leave[0].Reason, driftReason), stays),
		"they come back by themselves when the package fits them again")
	if err = rd.Store.Put(add...); err == nil {
		err = rd.Store.Quarantine(leave...)
	}
	if err != nil {
		rd.Out.Warn(rd.Path+": "+err.Error(), "")
	}
	return append(intact, rests...), nil
}

// rests returns the cut entries that are worth keeping: those that fail now, and those
// with features that no other entry has.
func (rd *reader) rests(ctx context.Context, intact, cut []Stored) ([]Stored, error) {
	if len(cut) == 0 {
		return nil, nil
	}
	b := rd.NewBench()
	defer b.Close()
	var have []corpus.Feature
	for _, st := range intact {
		study, err := b.Study(ctx, st.Steps)
		if err != nil {
			return nil, err
		}
		have = append(have, study.Features()...)
	}
	var rests []Stored
	items := make([]corpus.Item, len(cut))
	for i, st := range cut {
		study, err := b.Study(ctx, st.Steps)
		if err != nil {
			return nil, err
		}
		switch v := study.Verdict; {
		case study.Error != nil || v != nil && v.Tier == engine.Illegal:
		case v != nil:
			rests = append(rests, st)
		default:
			items[i] = corpus.Item{Features: study.Features(), Cost: cost(st.Steps, study.Took)}
		}
	}
	for _, i := range corpus.Distill(items, have) {
		rests = append(rests, cut[i])
	}
	return rests, nil
}

// restore brings back entries that were set aside because the package did not fit them, if
// it does now. It reports whether any came back. present are the entries that are stored.
func (rd *reader) restore(present []store.Entry) bool {
	byID := map[string]store.Entry{}
	for _, e := range present {
		byID[e.ID] = e
	}
	aside, err := rd.Store.Quarantined()
	back := 0
	for _, a := range aside {
		if !strings.HasPrefix(a.Reason, driftReason) {
			continue
		}
		e, readErr := rd.Store.Entry(a)
		if readErr != nil {
			continue
		}
		if _, why := rd.parse(e.Statements, e.Calls); why != "" {
			continue
		}
		// One of the same text may have been stored meanwhile, with other signatures. It leaves
		// first: Restore keeps what is there.
		if _, why := rd.parse(e.Statements, byID[e.ID].Calls); why != "" {
			if err = rd.Store.Quarantine(store.Departure{ID: e.ID, Reason: driftReason + why}); err != nil {
				break
			}
			delete(byID, e.ID)
		}
		if err = rd.Store.Restore(a); err != nil {
			break
		}
		back++
	}
	if err != nil {
		rd.Out.Warn(rd.Path+": "+err.Error(), "")
	}
	if back > 0 {
		rd.Out.Note(fmt.Sprintf("%s: corpus: %s back from quarantine: the package fits again", rd.Path, text.Plural(back, "entry")))
	}
	return back > 0
}
