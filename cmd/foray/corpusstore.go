package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
	"foray.test/engine/worker"
	"foray.test/harness/build"
)

const distillDoc = `Distill keeps as few entries of each corpus as take the same branch sides, and leave
values of the same types and orders of size. It prefers small and fast entries, and
cuts each to the calls that it needs.

  foray corpus distill ./...

It begins a new generation: entries that are not needed go to quarantine, with the
reason. -undo brings them back, -prune deletes them.`

// distillOptions are the options of foray corpus distill.
type distillOptions struct {
	*common
	dryRun, prune, undo bool
}

func newDistill(fs *flag.FlagSet, c *common) runner {
	o := &distillOptions{common: c}
	fs.BoolVar(&o.dryRun, "n", false, "print what would be kept, and change nothing")
	fs.BoolVar(&o.prune, "prune", false, "only delete the entries that earlier distilling has left out")
	fs.BoolVar(&o.undo, "undo", false, "only bring back the previous generation")
	c.corpusFlags(fs)
	return o.run
}

func (o *distillOptions) run(ctx context.Context) (int, error) {
	if o.prune && o.undo || o.dryRun && (o.prune || o.undo) {
		return exitUsage, &load.Error{Msg: "-n, -prune and -undo exclude each other"}
	}
	return o.eachPackage(ctx, func(target *build.Target, cache string) error {
		s := newSubject(target, o.common)
		err := s.viewStore(cache)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(o.args) == 1 && !strings.Contains(o.args[0], "..."):
			return &load.Error{Place: s.name(), Msg: "nothing is stored yet", Hint: "foray fuzz " + s.name() + " comes first"}
		case errors.Is(err, fs.ErrNotExist):
			o.out.Note(s.name() + ": nothing is stored yet")
			return nil
		case err != nil:
			return err
		}
		change := func() error { return o.distill(ctx, s) }
		if o.prune || o.undo {
			err = s.openStore(cache)
			change = func() error { return o.turnBack(s) }
		} else {
			s, err = openSubject(ctx, target, o.common, cache)
		}
		if err != nil {
			return err
		}
		unlock, err := s.store.TryLock()
		if err != nil {
			return &load.Error{Place: s.name(), Msg: err.Error(), Hint: "another foray works on this corpus: try again when it has ended"}
		}
		defer unlock()
		return change()
	})
}

func (o *distillOptions) distill(ctx context.Context, s *subject) error {
	o.out.Stage("running the corpus of " + s.name())
	defer o.out.Quiet()
	a, close, err := s.admission(ctx)
	if err != nil {
		return err
	}
	defer close()
	distilled, err := a.Distill(ctx, o.dryRun)
	if err == nil {
		o.out.Print(distilled)
	}
	return err
}

// turnBack deletes earlier generations, or brings the last one back.
func (o *distillOptions) turnBack(s *subject) error {
	if o.prune {
		n, err := s.store.Prune()
		if err != nil {
			return &load.Error{Place: s.name(), Msg: err.Error()}
		}
		o.out.Print(&event.Pruned{Package: s.name(), Entries: n})
		return nil
	}
	back, lost, err := s.store.Undo()
	if errors.Is(err, fs.ErrNotExist) {
		return &load.Error{Place: s.name(), Msg: "no earlier generation", Hint: "foray corpus distill begins one"}
	}
	if err != nil {
		return &load.Error{Place: s.name(), Msg: err.Error()}
	}
	o.out.Print(&event.Undone{Package: s.name(), Entries: back, Lost: lost})
	return nil
}

const statDoc = `Stat counts the contents of the corpus of each package. It runs and changes nothing.

  foray corpus stat ./...

Sides are the branch sides taken so far, of all. Quarantine holds files that were
set aside, each with its reason. Generations are earlier states of the corpus, from
before distill; distill -prune would delete them.`

func newStat(fs *flag.FlagSet, c *common) runner {
	c.corpusFlags(fs)
	return c.stat
}

func (c *common) stat(ctx context.Context) (int, error) {
	var list event.Corpora
	var unknown []string
	code, err := c.eachPackage(ctx, func(target *build.Target, cache string) error {
		s := newSubject(target, c)
		err := s.viewStore(cache)
		if err == nil {
			var e event.Corpus
			if e, err = s.corpus(worker.Spawn{}).Count(); err == nil {
				list = append(list, e)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			unknown = append(unknown, target.Path)
			return nil
		}
		return err
	})
	if err != nil {
		return code, err
	}
	if len(list) == 0 && len(unknown) > 0 && code == exitClean {
		return exitUsage, &load.Error{Place: text.Some(unknown, c.verbose), Msg: "nothing is stored yet", Hint: "foray fuzz " + strings.Join(c.args, " ") + " comes first"}
	}
	if len(unknown) > 0 {
		c.out.Note(fmt.Sprintf("nothing is stored of %s: %s", text.Plural(len(unknown), "package"), text.Some(unknown, true)))
	}
	c.out.Print(list)
	return code, nil
}

// viewStore opens the package's corpus to read it. The error is [fs.ErrNotExist] if there is
// none.
func (s *subject) viewStore(goCache string) error {
	var err error
	if s.dir, err = s.storeDir(goCache); err != nil {
		return err
	}
	s.store, err = store.View(s.dir)
	return err
}

const showDoc = `Show prints entries as Go code: those of foray and those of go test, which keeps
the inputs of a FuzzXxx in files of its own.

  foray corpus show testdata/fuzz/FuzzParse/4f2a91c02be7d3aa
  foray corpus show -pkg container/list 3f9c

A HASH is the name of an entry, or how it begins; it is looked for in the corpus of
the package that -pkg names, in its quarantine, and among the inputs of its fuzz
targets.`

func newShow(fs *flag.FlagSet, c *common) runner {
	c.packageFlags(fs)
	return c.show
}

func (c *common) show(ctx context.Context) (int, error) {
	if err := c.wants(1, many, "files or hashes"); err != nil {
		return exitUsage, err
	}
	var dirs []string // in which hashes are looked for
	return c.eachArgument(ctx, func(file string) error {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			if dirs == nil {
				if dirs, err = c.entryDirs(ctx); err != nil {
					return err
				}
			}
			if file, err = corpusadmin.Find(dirs, file); err != nil {
				return err
			}
		}
		e, err := corpusadmin.Show(file)
		if err != nil {
			return &load.Error{Place: c.out.Relative(file), Msg: err.Error(), Hint: "an entry begins with the line \"foray corpus v1\" or \"go test fuzz v1\""}
		}
		c.out.Print(e)
		return nil
	})
}

// entryDirs returns the directories where entries of the package may lie.
func (c *common) entryDirs(ctx context.Context) ([]string, error) {
	targets, cache, err := findTargets(ctx, c)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, target := range targets {
		s := newSubject(target, c)
		dir, err := s.storeDir(cache)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, filepath.Join(dir, "entries"), filepath.Join(dir, "quarantine"))
		for _, pattern := range []string{
			filepath.Join(target.Dir, "testdata", "fuzz", "Fuzz*"), filepath.Join(cache, "fuzz", filepath.FromSlash(target.Path), "Fuzz*"),
			filepath.Join(dir, "Fuzz*"), filepath.Join(dir, "testdata", "fuzz", "Fuzz*"),
		} {
			names, err := filepath.Glob(pattern)
			if err != nil {
				return nil, err
			}
			dirs = append(dirs, names...)
		}
	}
	return dirs, nil
}
