package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/seq"
)

const moveDoc = `Move makes the corpus of a package that has changed its import path that of its new
one, such as a new major version. Entries are read as the new package has them: a
call that it lacks, or has with other parameters, goes with what hangs on it, and
the rest is run. OLD need not exist any more.

  foray corpus move example.com/queue example.com/queue/v2
  foray corpus move -r 'list.NewQueue() -> queue.New()' example.com/list example.com/queue

What has moved goes to the quarantine of OLD. Findings stay: fuzz finds them again.`

func moveFlags(fs *flag.FlagSet, o *options) {
	fs.Var(&o.rename, "r", "rewrite 'OLD -> NEW' in the text of each statement first; may be\nrepeated")
	corpusFlags(fs, o)
}

// renames are rewrites of text, in order.
type renames [][2]string

// String implements [flag.Value].
func (r *renames) String() string { return "" }

// Set implements [flag.Value].
func (r *renames) Set(s string) error {
	old, name, ok := strings.Cut(s, "->")
	old, name = strings.TrimSpace(old), strings.TrimSpace(name)
	if !ok || old == "" {
		return errors.New("want 'OLD -> NEW'")
	}
	*r = append(*r, [2]string{old, name})
	return nil
}

func (r renames) apply(text string) string {
	for _, pair := range r {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

const originMoved = "move"

func runMove(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(2, 2, "the old and the new import path"); err != nil {
		return exitUsage, err
	}
	old, path := o.args[0], o.args[1]
	o.pkg = path
	s, err := corpusOf(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	from, err := openOld(ctx, old, s, o)
	if err != nil {
		return exitUsage, err
	}
	m, err := move(ctx, from, old, s, o, out)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		return exitUsage, err
	}
	out.moved(s, old, m)
	return exitClean, nil
}

// openOld opens the corpus of an import path, perhaps at a version, of which there
// need be no source.
func openOld(ctx context.Context, old string, s *subject, o *options) (*store.Store, error) {
	cache, err := goCache(ctx)
	if err != nil {
		return nil, err
	}
	path, version, _ := strings.Cut(old, "@")
	outdir := o.outdir
	if outdir != "" {
		if outdir, err = filepath.Abs(outdir); err != nil {
			return nil, err
		}
	}
	dir := store.Dir(cache, path, version, outdir)
	if dir == s.dir {
		return nil, &load.Error{Place: old, Msg: "moves to itself"}
	}
	if _, err := store.View(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &load.Error{Place: old, Msg: "no corpus in " + o.relative(dir), Hint: "outside the main module a path goes with its version: " + path + "@v1.2.3"}
		}
		return nil, &load.Error{Place: old, Msg: err.Error()}
	}
	return store.Open(dir)
}

// moved is what became of the entries of a package that moved.
type moved struct {
	entries, whole, part, useless, failing int
}

// move makes entries of from, as far as they can be called, those of s.
func move(ctx context.Context, from *store.Store, old string, s *subject, o *options, out *output) (moved, error) {
	var m moved
	entries, problems, err := from.Load()
	if err != nil {
		return m, err
	}
	for _, p := range problems {
		out.warn(old+": "+p.String(), "")
	}
	a, err := openAdmission(ctx, s, o, out)
	if err != nil {
		return m, err
	}
	defer a.close()
	rd, err := newReader(s, o, out)
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		rd.readEntry(translated(e, old, s, o.rename))
	}
	m.entries, m.useless = len(entries), len(rd.gone)
	studied, err := study(ctx, a.bench, rd.list)
	if err != nil {
		return m, err
	}
	var add []store.Entry
	var leave []store.Departure
	for i := range studied {
		k := &studied[i]
		v := k.study.Verdict
		fails := v != nil && v.Tier != engine.Illegal
		if k.study.Error != nil || v != nil && !fails || len(k.study.Sides) == 0 && !k.value {
			m.useless++
			continue
		}
		switch {
		case fails:
			m.failing++
		case k.cut:
			m.part++
		default:
			m.whole++
		}
		e := s.entry(k.steps, originMoved, len(k.study.Sides))
		if k.value {
			e.Origin = originValue
		}
		add = append(add, e)
		leave = append(leave, store.Departure{ID: k.id, Reason: "moved to " + s.name()})
	}
	if err := s.store.Put(add...); err != nil {
		return m, &load.Error{Place: s.name(), Msg: err.Error()}
	}
	if err := from.Quarantine(leave...); err != nil {
		out.warn(old+": "+err.Error(), "")
	}
	return m, nil
}

// translated returns an entry of a package at another path as the new one would
// have it. Its ID stays that of the old one.
func translated(e store.Entry, old string, s *subject, r renames) store.Entry {
	name := s.table.Name
	e.Statements = seq.Requalify(r.apply(e.Statements), packageName(old, e.Statements, name), name)
	e.Calls = slices.Clone(e.Calls)
	was, is := modules(old, s.target.Path)
	for i := range e.Calls {
		e.Calls[i] = strings.ReplaceAll(r.apply(e.Calls[i]), was+"/", is+"/")
	}
	return e
}

// modules returns two import paths without the elements at the end that they share:
// what stands for their modules in the paths of other packages.
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

// packageName guesses the name of the package at a path that may be gone: it is that
// of the new one if the statements use that, else the last element of the path that
// is no version.
func packageName(path, statements, name string) string {
	if seq.Requalify(statements, name, name+"_") != statements {
		return name
	}
	path, _, _ = strings.Cut(path, "@")
	elems := strings.Split(path, "/")
	last := elems[len(elems)-1]
	if len(elems) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = elems[len(elems)-2]
	}
	return last
}

func (o *output) moved(s *subject, old string, m moved) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "moved", "package": s.name(), "from": old, "entries": m.entries,
			"whole": m.whole, "part": m.part, "failing": m.failing, "useless": m.useless,
		})
		return
	}
	o.printer.println("%s: %s of %s: %d whole, %d in part; %d show nothing here and stay", s.name(), plural(m.entries, "entry"), old, m.whole, m.part, m.useless)
	if m.failing > 0 {
		o.warn(fmt.Sprintf("%s: %s", s.name(), failingEntries(m.failing)), "foray replay "+s.name()+" shows how")
	}
}
