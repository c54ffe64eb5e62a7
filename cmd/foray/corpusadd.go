package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/corpus"
	"foray.test/corpus/store"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

const addDoc = `Add puts entries into the corpus of a package: files of foray, files of go test
that hold a sequence, or plain statements such as

  v0 := list.New()
  v1 := v0.PushBack("x")

  foray corpus add -pkg container/list moved.txt

Each is run first. One that breaks is refused: fuzz reports findings. It is cut to
what its branch sides and values need. If an entry with the same ones leaves the
same values (as their Equal says, if they have it), the smaller of the two stays.`

const originAdded = "added"

func runAdd(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1<<20, "files"); err != nil {
		return exitUsage, err
	}
	s, err := corpusOf(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	a, err := openAdmission(ctx, s, o, out)
	if err != nil {
		return exitUsage, err
	}
	defer a.close()
	errs := 0
	for _, file := range o.args {
		outcome, err := a.add(ctx, file)
		if ctx.Err() != nil {
			return exitUsage, errors.New("interrupted")
		}
		if err != nil {
			errs += out.errors(err)
			continue
		}
		out.added(s, file, outcome)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// admission decides what comes into a corpus.
type admission struct {
	s     *subject
	o     *options
	bench *replay.Bench
	kept  []kept
	dir   string
}

// kept is an entry of the corpus with what its run shows.
type kept struct {
	stored
	study    replay.Study
	features []corpus.Feature // in order
}

// openAdmission runs the entries that there are.
func openAdmission(ctx context.Context, s *subject, o *options, out *output) (*admission, error) {
	dir, err := o.temps.make()
	if err != nil {
		return nil, err
	}
	spawn := s.spawn(dir)
	a := &admission{s: s, o: o, bench: replay.NewBench(s.config(spawn)), dir: dir}
	list, err := s.entries(ctx, spawn, o, out)
	if err == nil {
		a.kept, err = study(ctx, a.bench, list)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *admission) close() {
	a.bench.Close()
	a.o.temps.remove(a.dir)
}

// study runs entries and tells what each shows.
func study(ctx context.Context, b *replay.Bench, list []stored) ([]kept, error) {
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].steps
	}
	studied := make([]kept, len(list))
	err := b.StudyAll(ctx, sequences, func(i int, res replay.Study) { studied[i] = newKept(list[i], res) })
	return studied, err
}

func newKept(st stored, res replay.Study) kept {
	k := kept{stored: st, study: res, features: res.Features()}
	slices.Sort(k.features)
	return k
}

// legal reports whether an entry runs without anything to say against it.
func (k *kept) legal() bool { return k.study.Verdict == nil && k.study.Error == nil }

// What became of a file that was to be added.
const (
	isAdded    = "added"
	isKnown    = "known"
	isReplaced = "replaced"
)

// addition is what became of a file.
type addition struct {
	what  string
	id    string
	other string // the entry that shows the same
	steps int
	from  int // steps before it was cut
}

// add adds the entry in a file.
func (a *admission) add(ctx context.Context, file string) (addition, error) {
	steps, err := a.read(file)
	if err != nil {
		return addition{}, err
	}
	cut, res, err := a.bench.Prune(ctx, steps)
	if err != nil {
		return addition{}, err
	}
	place := a.o.relative(file)
	switch v := res.Verdict; {
	case res.Error != nil:
		return addition{}, &load.Error{Place: place, Msg: res.Error.Error()}
	case v != nil:
		return addition{}, &load.Error{Place: place, Msg: fmt.Sprintf("breaks (%s): %s", v.Tier, oneLine(v.Message, 100)), Hint: "an entry runs through; what fails is for foray fuzz to find"}
	}
	done, err := a.admit(ctx, cut, res, originAdded)
	done.from = len(steps)
	if err != nil {
		err = &load.Error{Place: place, Msg: err.Error()}
	}
	return done, err
}

// admit adds an entry that runs through and shows what res says, unless there is one
// that shows the same and is no larger.
func (a *admission) admit(ctx context.Context, steps seq.Sequence, res replay.Study, origin string) (addition, error) {
	entry := a.s.entry(steps, origin, len(res.Sides))
	k := newKept(stored{id: store.ID(entry.Statements), steps: steps}, res)
	done := addition{what: isAdded, id: k.id, steps: len(steps), from: len(steps)}
	same, err := a.same(ctx, &k)
	if err != nil {
		return done, err
	}
	if same != nil && (same.id == k.id || len(same.steps) <= len(k.steps)) {
		done.what, done.other = isKnown, same.id
		return done, nil
	}
	if err := a.s.store.Put(entry); err != nil {
		return done, err
	}
	if same != nil {
		done.what, done.other = isReplaced, same.id
		if err := a.s.store.Quarantine(store.Departure{ID: same.id, Reason: "shows what entry " + k.id + " does, and is larger"}); err != nil {
			return done, err
		}
	}
	a.kept = append(a.kept, k)
	return done, nil
}

// same returns an entry with the features of k that leaves equal values.
func (a *admission) same(ctx context.Context, k *kept) (*kept, error) {
	for i := range a.kept {
		o := &a.kept[i]
		if !o.legal() || !slices.Equal(o.features, k.features) {
			continue
		}
		if o.study.State == k.study.State {
			return o, nil
		}
		if alike, err := a.bench.Alike(ctx, k.steps, o.steps); alike || err != nil {
			return o, err
		}
	}
	return nil, nil
}

// read reads a file as a sequence of the package.
func (a *admission) read(file string) (seq.Sequence, error) {
	place := a.o.relative(file)
	data, err := readRegular(file, maxShown)
	if err != nil {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	text := string(data)
	if stock, _, err := seq.ReadFuzzFile(data); err == nil {
		text = stock
	} else if e, err := store.Parse(data); err == nil {
		text = e.Statements
	} else if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "foray corpus v") || strings.HasPrefix(first, "go test fuzz v") {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	steps, err := a.s.table.Parse(text)
	if d := (*seq.Dropped)(nil); errors.As(err, &d) {
		return nil, &load.Error{Place: fmt.Sprintf("%s: statement %d", place, d.Line), Msg: d.Text + ": " + d.Reason, Hint: "foray list -v " + a.s.name() + " lists what can be called"}
	}
	if err == nil && len(steps) == 0 {
		err = errors.New("no statement")
	}
	if err != nil {
		return nil, &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), "seq: "), Hint: "statements stand one a line: v0 := list.New()"}
	}
	return steps, nil
}

func (o *output) added(s *subject, file string, a addition) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "added", "package": s.name(), "file": file, "what": a.what, "id": a.id, "other": a.other,
			"steps": a.steps, "original_steps": a.from,
		})
		return
	}
	place := o.options.relative(file)
	cut := ""
	if a.steps < a.from {
		cut = fmt.Sprintf(", cut from %s to %d", plural(a.from, "step"), a.steps)
	}
	switch a.what {
	case isKnown:
		o.printer.println("%s: not added: entry %.12s shows the same%s", place, a.other, cut)
	case isReplaced:
		o.printer.println("%s: entry %.12s, in place of %.12s, which is larger%s", place, a.id, a.other, cut)
	default:
		o.printer.println("%s: entry %.12s%s", place, a.id, cut)
	}
}
