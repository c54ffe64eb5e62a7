package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/harness/build"
)

const distillDoc = `Distill keeps of each corpus as little as shows all that the whole shows: the same
branch sides, and values of the same types and orders of size. Small and fast
entries are preferred, and each is cut to what it shows.

  foray corpus distill ./...

It begins a new generation: what is not needed goes to quarantine, with the reason,
and comes back with -undo. With -prune it is deleted.`

func distillFlags(fs *flag.FlagSet, o *options) {
	fs.BoolVar(&o.dryRun, "n", false, "tell what would be kept, and change nothing")
	fs.BoolVar(&o.prune, "prune", false, "delete what earlier distilling has left, and do no more")
	fs.BoolVar(&o.undo, "undo", false, "bring back the generation before, and do no more")
	corpusFlags(fs, o)
}

func runDistill(ctx context.Context, o *options, out *output) (int, error) {
	if o.prune && o.undo || o.dryRun && (o.prune || o.undo) {
		return exitUsage, &load.Error{Msg: "-n, -prune and -undo exclude each other"}
	}
	return eachPackage(ctx, o, out, func(target *build.Target, cache string) error {
		s := newSubject(target, o)
		if err := s.viewStore(o, cache); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				if len(o.args) == 1 && !strings.Contains(o.args[0], "...") {
					return &load.Error{Place: s.name(), Msg: "nothing is stored yet", Hint: "foray fuzz " + s.name() + " comes first"}
				}
				out.verbose(s.name() + ": nothing is stored yet")
				return nil
			}
			return err
		}
		if o.prune || o.undo {
			if err := s.openStore(o, cache); err != nil {
				return err
			}
			return s.locked(func() error { return s.turnBack(o, out) })
		}
		s, err := openCorpus(ctx, target, o, out, cache)
		if err != nil {
			return err
		}
		return s.locked(func() error { return distill(ctx, s, o, out) })
	})
}

// locked does f while the store is this process's own.
func (s *subject) locked(f func() error) error {
	unlock, err := s.store.TryLock()
	if err != nil {
		return &load.Error{Place: s.name(), Msg: err.Error(), Hint: "another foray works on this corpus: when it has ended, try again"}
	}
	defer unlock()
	return f()
}

// turnBack deletes earlier generations, or brings the last one back.
func (s *subject) turnBack(o *options, out *output) error {
	if o.prune {
		n, err := s.store.Prune()
		if err != nil {
			return &load.Error{Place: s.name(), Msg: err.Error()}
		}
		out.turned(s, "pruned", n, 0)
		return nil
	}
	back, lost, err := s.store.Undo()
	if errors.Is(err, fs.ErrNotExist) {
		return &load.Error{Place: s.name(), Msg: "no earlier generation", Hint: "foray corpus distill begins one"}
	}
	if err != nil {
		return &load.Error{Place: s.name(), Msg: err.Error()}
	}
	out.turned(s, "undone", back, lost)
	return nil
}

// distillation is what distilling comes to.
type distillation struct {
	before        []kept
	items         []corpus.Item // before, as Distill sees it
	after         []successor
	add           []store.Entry
	leave         []store.Departure
	sides, values int // that are shown before and after
	failing       int // entries that fail, and stay
}

// successor is an entry that stays, or stands in the place of others.
type successor struct {
	kept
	of []*kept // itself, if it stays
}

func distill(ctx context.Context, s *subject, o *options, out *output) error {
	out.stage("running the corpus of " + s.name())
	defer out.quiet()
	a, err := openAdmission(ctx, s, o, out)
	if err != nil {
		return err
	}
	defer a.close()
	d, err := a.distill(ctx)
	if err != nil {
		return err
	}
	out.quiet()
	if !o.dryRun && len(d.leave) > 0 {
		if err := s.store.Distill(d.add, d.leave); err != nil {
			return &load.Error{Place: s.name(), Msg: err.Error()}
		}
	}
	out.distilled(s, d)
	return nil
}

// distill chooses what stays.
func (a *admission) distill(ctx context.Context) (*distillation, error) {
	again := make([]stored, len(a.kept))
	for i := range a.kept {
		again[i] = a.kept[i].stored
	}
	second, err := study(ctx, a.bench, again)
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
		cut, res, err := a.bench.Prune(ctx, k.steps)
		if err != nil {
			return nil, err
		}
		d.after = append(d.after, successor{newKept(stored{steps: cut, value: k.value}, res), []*kept{k}})
	}
	if err := d.join(ctx, a.bench); err != nil {
		return nil, err
	}
	if err := d.complete(ctx, a); err != nil {
		return nil, err
	}
	d.fail()
	d.replace(a.s)
	return d, nil
}

// fail has entries that fail stay: for replay to tell.
func (d *distillation) fail() {
	for i := range d.before {
		k := &d.before[i]
		if v := k.study.Verdict; v != nil && v.Tier != engine.Illegal {
			d.failing++
			d.after = append(d.after, successor{*k, []*kept{k}})
		}
	}
}

// Bounds of joining: of the length of an entry, which a person is to read, and of
// the pairs that are tried.
const (
	maxJoined      = 20 // steps
	maxJoinedPairs = 2000
)

// join puts single entries in the place of two, the shortest first, as long as that
// saves steps.
func (d *distillation) join(ctx context.Context, b *replay.Bench) error {
	tried := map[[2]*successor]bool{}
	list := make([]*successor, len(d.after))
	for i := range d.after {
		list[i] = &d.after[i]
	}
	for pairs := 0; pairs < maxJoinedPairs; {
		slices.SortStableFunc(list, func(x, y *successor) int { return len(x.steps) - len(y.steps) })
		x, y := untried(list, tried)
		if x == nil {
			break
		}
		pairs++
		tried[[2]*successor{x, y}] = true
		steps, res, ok, err := b.Join(ctx, x.steps, y.steps, maxJoined)
		if err != nil {
			return err
		}
		if ok {
			list = slices.DeleteFunc(list, func(k *successor) bool { return k == x || k == y })
			list = append(list, &successor{newKept(stored{steps: steps}, res), append(x.of, y.of...)})
		}
	}
	d.after = nil
	for _, k := range list {
		d.after = append(d.after, *k)
	}
	return nil
}

// untried returns the first two entries that may be joined and were not tried.
func untried(list []*successor, tried map[[2]*successor]bool) (x, y *successor) {
	for j := 1; j < len(list); j++ {
		for i := range j {
			// One step at least is saved.
			if len(list[i].steps)+len(list[j].steps) <= maxJoined+1 && !tried[[2]*successor{list[i], list[j]}] {
				return list[i], list[j]
			}
		}
	}
	return nil, nil
}

// replace names the entries that are to come and to go.
func (d *distillation) replace(s *subject) {
	stays := map[string]bool{} // also what was cut to become another that was there
	by := map[*kept]string{}   // the entry that stands in the place of another
	names := map[corpus.Feature]string{}
	for i := range d.after {
		k := &d.after[i]
		if k.id == "" {
			origin := originComposed
			if k.value {
				origin = originValue
			}
			e := s.entry(k.steps, origin, len(k.study.Sides))
			if k.id = store.ID(e.Statements); len(k.of) > 1 || k.of[0].id != k.id {
				d.add = append(d.add, e)
			}
		}
		stays[k.id] = true
		for _, old := range k.of {
			by[old] = k.id
		}
		for _, f := range k.features {
			if names[f] == "" {
				names[f] = k.id
			}
		}
	}
	for i := range d.before {
		k := &d.before[i]
		if stays[k.id] {
			continue
		}
		reason := ""
		switch v := k.study.Verdict; {
		case by[k] != "":
			reason = fmt.Sprintf("entry %s shows all that it does", by[k])
		case v != nil:
			reason = "breaks a precondition: " + oneLine(v.Message, 100)
		case k.study.Error != nil:
			reason = "cannot be run: " + oneLine(k.study.Error.Error(), 100)
		default:
			reason = covers(d.items[i].Features, names)
		}
		d.leave = append(d.leave, store.Departure{ID: k.id, Reason: reason})
	}
}

// items returns what Distill is to choose from. A side or value class that some
// entry shows in both runs counts where it was seen twice; any other, which comes
// and goes, wherever it was seen.
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
		it.Cost = cost(first[i].steps, min(first[i].study.Took, second[i].study.Took))
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

// complete runs what is to stay in a process of its own, where other entries have
// left nothing behind, and adds the entries with what does not show there.
func (d *distillation) complete(ctx context.Context, a *admission) error {
	b := replay.NewBench(a.s.config(a.s.spawn(a.dir)))
	defer b.Close()
	shown := map[corpus.Feature]bool{}
	for i := range d.after {
		res, err := b.Study(ctx, d.after[i].steps)
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
	d.count(shown)
	return nil
}

// covers says where the features of an entry are to be found.
func covers(features []corpus.Feature, by map[corpus.Feature]string) string {
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
	return fmt.Sprintf("its %s and %s are in %s%s", plural(sides, "branch side"), valueClasses(len(features)-sides), strings.Join(names, ", "), more)
}

// count counts features.
func (d *distillation) count(features map[corpus.Feature]bool) {
	for f := range features {
		if _, ok := f.Side(); ok {
			d.sides++
		} else {
			d.values++
		}
	}
}

// steps returns how many steps there are before and after.
func (d *distillation) steps() (before, after int) {
	for _, k := range d.before {
		before += len(k.steps)
	}
	for _, k := range d.after {
		after += len(k.steps)
	}
	return before, after
}

// distilled tells what became of a corpus.
func (o *output) distilled(s *subject, d *distillation) {
	before, after := d.steps()
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "distilled", "package": s.name(), "entries": len(d.before), "kept": len(d.after), "cut": len(d.add),
			"left": len(d.leave), "failing": d.failing, "steps": before, "steps_kept": after,
			"sides": d.sides, "value_classes": d.values, "dry_run": o.options.dryRun,
		})
		return
	}
	for _, l := range d.leave {
		o.verbose(fmt.Sprintf("entry %.12s: %s", l.ID, l.Reason))
	}
	verb := "kept"
	if o.options.dryRun {
		verb = "would be kept"
	}
	o.printer.println("%s: %d of %s %s, %d of %s: %s and %s as before", s.name(), len(d.after), plural(len(d.before), "entry"), verb,
		after, plural(before, "step"), plural(d.sides, "branch side"), valueClasses(d.values))
	if d.failing > 0 {
		o.warn(fmt.Sprintf("%s: %s; nothing that fails is left out", s.name(), failingEntries(d.failing)), "foray replay "+s.name()+" shows how")
	}
}

// turned tells what became of earlier generations.
func (o *output) turned(s *subject, what string, entries, lost int) {
	if o.enc != nil {
		o.event(map[string]any{"schema": schema, "event": what, "package": s.name(), "entries": entries, "lost": lost})
		return
	}
	if what == "pruned" {
		o.printer.println("%s: %s deleted", s.name(), plural(entries, "entry"))
		return
	}
	o.printer.println("%s: %s back", s.name(), plural(entries, "entry"))
	if lost > 0 {
		o.warn(fmt.Sprintf("%s: %s more in quarantine no longer", s.name(), plural(lost, "entry")), "")
	}
}

func valueClasses(n int) string {
	if n == 1 {
		return "1 class of values"
	}
	return fmt.Sprintf("%d classes of values", n)
}

func failingEntries(n int) string {
	if n == 1 {
		return "1 entry fails"
	}
	return plural(n, "entry") + " fail"
}
