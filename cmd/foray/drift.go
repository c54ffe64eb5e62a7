package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Why entries lie in quarantine that the package does not fit any more, and where
// those come from that stand for what is left of them.
const (
	driftReason = "drift: "
	originDrift = "drift"
)

// drift is what a changed package has made of the entries of its corpus.
type drift struct {
	s      *subject
	out    *output
	intact []stored // entries that mean what they did
	cut    []stored // of these something is left
	gone   []stored // of these nothing
}

func newDrift(rd *reader) *drift {
	d := &drift{s: rd.s, out: rd.out, gone: rd.gone}
	for _, st := range rd.list {
		if st.cut {
			d.cut = append(d.cut, st)
		} else {
			d.intact = append(d.intact, st)
		}
	}
	return d
}

// settle runs what is left of the entries that do not fit, keeps of it what shows
// anything that the others do not, and sets the originals aside. It returns the
// entries to go on with, and tells in one line what happened.
func (d *drift) settle(ctx context.Context, spawn worker.Spawn) ([]stored, error) {
	if len(d.cut)+len(d.gone) == 0 {
		return d.intact, nil
	}
	b := replay.NewBench(d.s.config(spawn))
	defer b.Close()
	rests, err := d.rests(ctx, b)
	if err != nil {
		return nil, err
	}
	var add []store.Entry
	for i := range rests {
		add = append(add, d.s.entry(rests[i].steps, originDrift, 0))
		rests[i].id = store.ID(add[i].Statements)
		rests[i].name = fmt.Sprintf("entry %.12s", rests[i].id)
		rests[i].cut = false
	}
	var leave []store.Departure
	first := ""
	for _, list := range [][]stored{d.gone, d.cut} {
		for _, st := range list {
			if first == "" {
				first = st.name + ": " + st.why
			}
			leave = append(leave, store.Departure{ID: st.id, Reason: driftReason + st.why})
		}
	}
	d.out.warn(fmt.Sprintf("%s: corpus: %s not fit the package any more (%s): %s in part; set aside in %s",
		d.s.target.Path, does(len(leave), "entry"), first, goOn(len(rests)), d.out.options.relative(filepath.Join(d.s.dir, "quarantine"))),
		"they come back by themselves when the package fits them again")
	if err := d.s.store.Put(add...); err != nil {
		d.out.warn(d.s.target.Path+": "+err.Error(), "")
	} else if err := d.s.store.Quarantine(leave...); err != nil {
		d.out.warn(d.s.target.Path+": "+err.Error(), "")
	}
	return append(d.intact, rests...), nil
}

// does returns "1 entry does", "2 entries do".
func does(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " does"
	}
	return plural(n, noun) + " do"
}

// goOn says how many entries are there in place of others.
func goOn(n int) string {
	switch n {
	case 0:
		return "none goes on"
	case 1:
		return "1 goes on"
	}
	return fmt.Sprintf("%d go on", n)
}

// rests returns what is left of entries and worth keeping: what fails now, and
// what has features that no other entry has.
func (d *drift) rests(ctx context.Context, b *replay.Bench) ([]stored, error) {
	if len(d.cut) == 0 {
		return nil, nil
	}
	var have []corpus.Feature
	for _, st := range d.intact {
		study, err := b.Study(ctx, st.steps)
		if err != nil {
			return nil, err
		}
		have = append(have, study.Features()...)
	}
	var rests []stored
	var items []corpus.Item
	for _, st := range d.cut {
		study, err := b.Study(ctx, st.steps)
		if err != nil {
			return nil, err
		}
		v := study.Verdict
		switch {
		case study.Error != nil || v != nil && v.Tier == engine.Illegal:
			items = append(items, corpus.Item{})
		case v != nil:
			items = append(items, corpus.Item{})
			rests = append(rests, st)
		default:
			items = append(items, corpus.Item{Features: study.Features(), Cost: cost(st.steps, study.Took)})
		}
	}
	for _, i := range corpus.Distill(items, have) {
		rests = append(rests, d.cut[i])
	}
	return rests, nil
}

// restore brings back entries that were set aside because the package did not fit
// them, if it does now.
func (rd *reader) restore() {
	aside, err := rd.s.store.Quarantined()
	if err != nil {
		rd.out.warn(rd.s.target.Path+": "+err.Error(), "")
		return
	}
	back := 0
	for _, a := range aside {
		if !strings.HasPrefix(a.Reason, driftReason) {
			continue
		}
		e, err := rd.s.store.Entry(a)
		if err != nil {
			continue
		}
		if _, why := rd.parse(e.Statements, e.Calls); why != "" {
			continue
		}
		if err := rd.s.store.Restore(a); err != nil {
			rd.out.warn(rd.s.target.Path+": "+err.Error(), "")
			return
		}
		back++
	}
	if back > 0 {
		rd.out.verbose(fmt.Sprintf("%s: corpus: %s back from quarantine: the package fits again", rd.s.target.Path, plural(back, "entry")))
	}
}

// entry returns the file of a sequence of the package.
func (s *subject) entry(steps seq.Sequence, origin string, sides int) store.Entry {
	return store.Entry{Statements: s.table.String(steps), Origin: origin, Sides: sides, Calls: s.table.Calls(steps)}
}

// config says how sequences of the package are run.
func (s *subject) config(spawn worker.Spawn) replay.Config {
	return replay.Config{Spawn: spawn, Table: s.table, Pool: s.pool, Sides: s.sides(), JudgeDeath: s.judgeDeath}
}

// cost says how dear it is to keep and run an entry: that there is one counts as
// much as eight steps, as does a millisecond, below which all are fast and the clock
// says more of the machine than of the entry.
func cost(steps seq.Sequence, took time.Duration) int {
	const entry, perMS = 8, 8
	return entry + len(steps) + perMS*int(took.Milliseconds())
}
