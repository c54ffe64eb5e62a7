package corpusadmin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
)

// Distill keeps as few entries as show all that the corpus shows. dryRun says to change
// nothing.
func (a *Admission) Distill(ctx context.Context, dryRun bool) (*event.Distilled, error) {
	d, err := a.distill(ctx)
	if err != nil {
		return nil, err
	}
	if !dryRun && len(d.leave) > 0 {
		if err := a.Store.Distill(d.add, d.leave); err != nil {
			return nil, &load.Error{Place: a.Name, Msg: err.Error()}
		}
	}
	e := &event.Distilled{
		Package: a.Name, Entries: len(d.before), Kept: len(d.after), Cut: len(d.add), Left: len(d.leave), Failing: d.failing,
		Sides: d.sides, ValueClasses: d.values, DryRun: dryRun, Departures: d.leave,
	}
	for _, k := range d.before {
		e.Steps += len(k.Steps)
	}
	for _, k := range d.after {
		e.StepsKept += len(k.Steps)
	}
	return e, nil
}

// distillation is a choice of entries.
type distillation struct {
	before        []kept
	items         []corpus.Item // before, as [corpus.Distill] takes them
	after         []successor
	add           []store.Entry
	leave         []store.Departure
	sides, values int // features that are shown before and after
	failing       int // entries that fail; they stay
}

// successor is an entry that stays, or that replaces others.
type successor struct {
	kept
	of []*kept // itself, if it stays
}

// distill chooses the entries that stay.
func (a *Admission) distill(ctx context.Context) (*distillation, error) {
	again := make([]Stored, len(a.kept))
	for i := range a.kept {
		again[i] = a.kept[i].Stored
	}
	second, err := a.study(ctx, again)
	if err != nil {
		return nil, err
	}
	for i := range second {
		if a.kept[i].legal() && !second[i].legal() {
			a.kept[i] = second[i] // it does not always fail
		}
	}
	d := &distillation{before: a.kept, items: items(a.kept, second)}
	for _, i := range corpus.Distill(d.items, nil) {
		k := &a.kept[i]
		cut, res, err := a.Prune(ctx, k.Steps)
		if err != nil {
			return nil, err
		}
		d.after = append(d.after, successor{newKept(Stored{Steps: cut, Value: k.Value}, res), []*kept{k}})
	}
	if err := d.join(ctx, a.Bench); err != nil {
		return nil, err
	}
	if err := d.complete(ctx, a.NewBench()); err != nil {
		return nil, err
	}
	d.keepFailing()
	d.replace(a.Corpus)
	return d, nil
}

// items returns the entries to choose from. A feature that some entry shows in both runs
// counts only where it was seen twice; one that comes and goes counts wherever it was seen.
func items(first, second []kept) []corpus.Item {
	steady := map[corpus.Feature]bool{}
	for i := range first {
		for _, f := range first[i].features {
			if _, ok := slices.BinarySearch(second[i].features, f); ok {
				steady[f] = true
			}
		}
	}
	list := make([]corpus.Item, len(first))
	for i := range first {
		if !first[i].legal() || !second[i].legal() {
			continue
		}
		it := &list[i]
		it.Cost = cost(first[i].Steps, min(first[i].study.Took, second[i].study.Took))
		for _, f := range first[i].features {
			if _, twice := slices.BinarySearch(second[i].features, f); twice || !steady[f] {
				it.Features = append(it.Features, f)
			}
		}
		for _, f := range second[i].features {
			if !steady[f] {
				it.Features = append(it.Features, f)
			}
		}
	}
	return list
}

// Bounds of joining: the length of a joined entry, which people read, and the pairs that
// are tried.
const (
	maxJoined      = 20 // steps
	maxJoinedPairs = 2000
)

// join replaces pairs of entries by one, the shortest pairs first, as long as that saves
// steps.
func (d *distillation) join(ctx context.Context, b Bench) error {
	tried := map[[2]*successor]bool{}
	list := make([]*successor, len(d.after))
	for i := range d.after {
		list[i] = &d.after[i]
	}
	for range maxJoinedPairs {
		slices.SortStableFunc(list, func(x, y *successor) int { return len(x.Steps) - len(y.Steps) })
		x, y := untried(list, tried)
		if x == nil {
			break
		}
		tried[[2]*successor{x, y}] = true
		steps, res, ok, err := b.Join(ctx, x.Steps, y.Steps, maxJoined)
		if err != nil {
			return err
		}
		if ok {
			list = slices.DeleteFunc(list, func(k *successor) bool { return k == x || k == y })
			list = append(list, &successor{newKept(Stored{Steps: steps}, res), append(x.of, y.of...)})
		}
	}
	after := make([]successor, len(list))
	for i, k := range list {
		after[i] = *k
	}
	d.after = after
	return nil
}

// untried returns the first two entries that may be joined and were not tried.
func untried(list []*successor, tried map[[2]*successor]bool) (x, y *successor) {
	for j := 1; j < len(list); j++ {
		for i := range j {
			// Joining saves at least one step.
			if len(list[i].Steps)+len(list[j].Steps) <= maxJoined+1 && !tried[[2]*successor{list[i], list[j]}] {
				return list[i], list[j]
			}
		}
	}
	return nil, nil
}

// complete runs the chosen entries in a process of their own, where other entries have left
// nothing behind. It adds the entries with features that are missing there.
func (d *distillation) complete(ctx context.Context, b Bench) error {
	defer b.Close()
	shown := map[corpus.Feature]bool{}
	for i := range d.after {
		res, err := b.Study(ctx, d.after[i].Steps)
		if err != nil {
			return err
		}
		for _, f := range res.Features() {
			shown[f] = true
		}
	}
	for i, it := range d.items {
		if slices.ContainsFunc(it.Features, func(f corpus.Feature) bool { return !shown[f] }) {
			k := &d.before[i]
			d.after = append(d.after, successor{*k, []*kept{k}})
		}
		for _, f := range it.Features {
			shown[f] = true
		}
	}
	for f := range shown {
		if _, ok := f.Side(); ok {
			d.sides++
		} else {
			d.values++
		}
	}
	return nil
}

// keepFailing keeps the entries that fail, so that replay shows them.
func (d *distillation) keepFailing() {
	for i := range d.before {
		k := &d.before[i]
		if v := k.study.Verdict; v != nil && v.Tier != engine.Illegal {
			d.failing++
			d.after = append(d.after, successor{*k, []*kept{k}})
		}
	}
}

// replace names the entries that come and go.
func (d *distillation) replace(c *Corpus) {
	stays := map[string]bool{} // also an entry that was there and that another was cut to
	by := map[*kept]string{}   // the entry that replaces another
	names := map[corpus.Feature]string{}
	for i := range d.after {
		k := &d.after[i]
		if k.ID == "" {
			origin := OriginComposed
			if k.Value {
				origin = OriginValue
			}
			e := c.Entry(k.Steps, origin, len(k.study.Sides))
			if k.ID = store.ID(e.Statements); len(k.of) > 1 || k.of[0].ID != k.ID {
				d.add = append(d.add, e)
			}
		}
		stays[k.ID] = true
		for _, old := range k.of {
			by[old] = k.ID
		}
		for _, f := range k.features {
			names[f] = cmp.Or(names[f], k.ID)
		}
	}
	for i := range d.before {
		k := &d.before[i]
		if stays[k.ID] {
			continue
		}
		reason := ""
		switch v := k.study.Verdict; {
		case by[k] != "":
			reason = fmt.Sprintf("entry %s shows all that it does", by[k])
		case v != nil:
			reason = "breaks a precondition: " + text.OneLine(v.Message, 100)
		case k.study.Error != nil:
			reason = "cannot be run: " + text.OneLine(k.study.Error.Error(), 100)
		default:
			reason = shownBy(d.items[i].Features, names)
		}
		d.leave = append(d.leave, store.Departure{ID: k.ID, Reason: reason})
	}
}

// shownBy names the entries that show the features of another.
func shownBy(features []corpus.Feature, by map[corpus.Feature]string) string {
	sides := 0
	var names []string
	for _, f := range features {
		if _, ok := f.Side(); ok {
			sides++
		}
		if name := by[f]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(features) == 0 {
		return "takes no branch side and leaves no value"
	}
	const most = 4
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return fmt.Sprintf("its %s and %s are in %s%s", text.Plural(sides, "branch side"), text.Plural(len(features)-sides, "value class"), strings.Join(names, ", "), more)
}
