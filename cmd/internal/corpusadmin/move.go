package corpusadmin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// Renames are rewrites of text, in order.
type Renames [][2]string

// Set adds a rewrite, as a flag has it.
func (r *Renames) Set(s string) error {
	old, name, ok := strings.Cut(s, "->")
	old, name = strings.TrimSpace(old), strings.TrimSpace(name)
	if !ok || old == "" {
		return errors.New("want 'OLD -> NEW'")
	}
	*r = append(*r, [2]string{old, name})
	return nil
}

func (r Renames) apply(text string) string {
	for _, pair := range r {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

// Move takes the entries of the package that was at path old, as far as they can be called.
// They go to quarantine there.
func (a *Admission) Move(ctx context.Context, from *store.Store, old string, r Renames) (*event.Moved, error) {
	entries, err := a.load(from, old)
	if err != nil {
		return nil, err
	}
	rd, err := a.newReader()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		rd.readEntry(a.translated(e, old, r))
	}
	m := &event.Moved{Package: a.Name, From: old, Entries: len(entries), Useless: len(rd.gone)}
	studied, err := a.study(ctx, rd.list)
	if err != nil {
		return nil, err
	}
	var add []store.Entry
	var leave []store.Departure
	for i := range studied {
		k := &studied[i]
		v := k.study.Verdict
		switch {
		case k.study.Error != nil || v != nil && v.Tier == engine.Illegal || len(k.study.Sides) == 0 && !k.Value:
			m.Useless++
			continue
		case v != nil:
			m.Failing++
		case k.Cut:
			m.Part++
		default:
			m.Whole++
		}
		origin := originMoved
		if k.Value {
			origin = OriginValue
		}
		add = append(add, a.Entry(k.Steps, origin, len(k.study.Sides)))
		leave = append(leave, store.Departure{ID: k.ID, Reason: "moved to " + a.Name})
	}
	if err := a.Store.Put(add...); err != nil {
		return nil, &load.Error{Place: a.Name, Msg: err.Error()}
	}
	if err := from.Quarantine(leave...); err != nil {
		a.Out.Warn(old+": "+err.Error(), "")
	}
	return m, nil
}

// translated returns an entry of the package at path old as this package would have it. It
// keeps the ID of the old entry.
func (c *Corpus) translated(e store.Entry, old string, r Renames) store.Entry {
	name := c.Table.Name
	e.Statements = seq.Requalify(r.apply(e.Statements), packageName(old, e.Statements, name), name)
	e.Calls = slices.Clone(e.Calls)
	was, is := modules(old, c.Path)
	for i := range e.Calls {
		e.Calls[i] = strings.ReplaceAll(r.apply(e.Calls[i]), was+"/", is+"/")
	}
	return e
}

// modules returns two import paths without the elements that they share at the end. They
// stand for the module paths in the paths of other packages.
func modules(old, path string) (was, is string) {
	was, _, _ = strings.Cut(old, "@")
	is = path
	for {
		i, j := strings.LastIndexByte(was, '/'), strings.LastIndexByte(is, '/')
		if i < 0 || j < 0 || was[i:] != is[j:] {
			return was, is
		}
		was, is = was[:i], is[:j]
	}
}

// packageName guesses the name of a package that may be gone. It is the name of the new one
// if the statements use that, else the last element of the path that is no version.
func packageName(path, statements, name string) string {
	if seq.Requalify(statements, name, name+"_") != statements {
		return name
	}
	path, _, _ = strings.Cut(path, "@")
	if prefix, _, ok := module.SplitPathVersion(path); ok {
		path = prefix
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}
