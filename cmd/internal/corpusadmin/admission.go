package corpusadmin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus"
	"foray.test/corpus/fuzzfile"
	"foray.test/corpus/store"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// An Admission decides which entries come into a corpus. It must be closed.
type Admission struct {
	*Corpus
	Bench
	kept []kept
}

// kept is an entry of the corpus with what its run shows.
type kept struct {
	Stored
	study    replay.Study
	features []corpus.Feature // in order
}

// Open runs the entries of a corpus.
func (c *Corpus) Open(ctx context.Context) (*Admission, error) {
	list, err := c.Entries(ctx)
	if err != nil {
		return nil, err
	}
	a := &Admission{Corpus: c, Bench: c.NewBench()}
	if a.kept, err = a.study(ctx, list); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// study runs entries.
func (a *Admission) study(ctx context.Context, list []Stored) ([]kept, error) {
	studied := make([]kept, len(list))
	err := a.StudyAll(ctx, Sequences(list), func(i int, res replay.Study) { studied[i] = newKept(list[i], res) })
	return studied, err
}

func newKept(st Stored, res replay.Study) kept {
	k := kept{Stored: st, study: res, features: res.Features()}
	slices.Sort(k.features)
	return k
}

// Sides returns the branch sides that the entries take.
func (a *Admission) Sides() map[int32]bool {
	sides := map[int32]bool{}
	for i := range a.kept {
		for _, side := range a.kept[i].study.Sides {
			sides[side] = true
		}
	}
	return sides
}

// Legal returns the entries that run and do not fail.
func (a *Admission) Legal() []seq.Sequence {
	var list []seq.Sequence
	for i := range a.kept {
		if k := &a.kept[i]; k.legal() && !k.Value {
			list = append(list, k.Steps)
		}
	}
	return list
}

// legal reports whether an entry runs and does not fail.
func (k *kept) legal() bool { return k.study.Verdict == nil && k.study.Error == nil }

// Add adds the entry in a file. It refuses a sequence that fails.
func (a *Admission) Add(ctx context.Context, file string) (*event.Added, error) {
	place := a.Out.Relative(file)
	steps, err := a.read(file, place)
	if err != nil {
		return nil, err
	}
	cut, res, err := a.Prune(ctx, steps)
	if err != nil {
		return nil, err
	}
	switch v := res.Verdict; {
	case res.Error != nil:
		return nil, &load.Error{Place: place, Msg: res.Error.Error()}
	case v != nil:
		return nil, &load.Error{Place: place, Msg: fmt.Sprintf("fails (%s): %s", v.Tier, text.OneLine(v.Message, 100)), Hint: "a corpus holds sequences that do not fail; foray fuzz reports findings"}
	}
	added, err := a.Admit(ctx, cut, res, originAdded)
	if err != nil {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	added.File, added.OriginalSteps = file, len(steps)
	return added, nil
}

// Admit adds a sequence that was run, unless an entry that is no larger shows the same.
func (a *Admission) Admit(ctx context.Context, steps seq.Sequence, res replay.Study, origin string) (*event.Added, error) {
	entry := a.Entry(steps, origin, len(res.Sides))
	k := newKept(Stored{ID: store.ID(entry.Statements), Steps: steps}, res)
	added := &event.Added{Package: a.Name, What: event.IsAdded, ID: k.ID, Steps: len(steps), OriginalSteps: len(steps)}
	same, err := a.same(ctx, &k)
	if err != nil {
		return nil, err
	}
	if same != nil {
		added.Other = same.ID
		if same.ID == k.ID || len(same.Steps) <= len(k.Steps) {
			added.What = event.IsKnown
			return added, nil
		}
	}
	if err := a.Store.Put(entry); err != nil {
		return nil, err
	}
	if same == nil {
		a.kept = append(a.kept, k)
		return added, nil
	}
	added.What = event.IsReplaced
	if err := a.Store.Quarantine(store.Departure{ID: same.ID, Reason: "shows what entry " + k.ID + " does, and is larger"}); err != nil {
		return nil, err
	}
	*same = k
	return added, nil
}

// same returns an entry with the features of k that leaves equal values.
func (a *Admission) same(ctx context.Context, k *kept) (*kept, error) {
	for i := range a.kept {
		o := &a.kept[i]
		if !o.legal() || !slices.Equal(o.features, k.features) {
			continue
		}
		if o.study.State == k.study.State {
			return o, nil
		}
		if alike, err := a.Alike(ctx, k.Steps, o.Steps); alike || err != nil {
			return o, err
		}
	}
	return nil, nil
}

// read reads a file as a sequence of the package.
func (a *Admission) read(file, place string) (seq.Sequence, error) {
	data, err := ReadRegular(file, MaxFile)
	if err != nil {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	statements := string(data)
	if stock, _, ok := fuzzfile.Text(data); ok {
		statements = stock
	} else if e, err := store.Parse(data); err == nil {
		statements = e.Statements
	} else if first, _, _ := strings.Cut(statements, "\n"); strings.HasPrefix(first, "foray corpus v") || strings.HasPrefix(first, "go test fuzz v") {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	steps, err := a.Table.Parse(statements)
	if d := (*seq.Dropped)(nil); errors.As(err, &d) {
		return nil, &load.Error{Place: fmt.Sprintf("%s: statement %d", place, d.Line), Msg: d.Text + ": " + d.Reason, Hint: "foray list -v " + a.Name + " lists what can be called"}
	}
	if err == nil && len(steps) == 0 {
		err = errors.New("no statement")
	}
	if err != nil {
		return nil, &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), "seq: "), Hint: "write one statement a line, such as v0 := list.New()"}
	}
	return steps, nil
}

// MaxFile bounds the files of entries that are read.
const MaxFile = 4 << 20

// ReadRegular reads a file of at most so many bytes. It does not read a pipe or a device,
// which might block for ever.
func ReadRegular(file string, most int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		if e := (*os.PathError)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%d bytes, want at most %d", info.Size(), most)
	}
	return os.ReadFile(file)
}
