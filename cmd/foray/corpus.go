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

const corpusDoc = `The corpus of a package holds the results of earlier runs: entries, which are
short sequences of calls, and findings. It is in the fuzz cache of the go command,
or in -outdir, as text, one file for each entry.

  foray corpus stat ./...
  foray corpus distill container/list

Only distill -prune deletes entries. All others that leave the corpus go to
quarantine, with the reason.`

func corpusCommands() []command {
	return []command{
		{name: "stat", args: "[flags] packages...", short: "count what there is", doc: statDoc, new: newStat},
		{name: "show", args: "[flags] FILE|HASH...", short: "print entries as Go", doc: showDoc, new: newShow, files: true},
		{name: "add", args: "[flags] FILE...", short: "add entries written by hand", doc: addDoc, new: newAdd, files: true},
		{name: "distill", args: "[flags] packages...", short: "keep no more than it takes", doc: distillDoc, new: newDistill},
		{name: "merge", args: "[flags] DIR...", short: "copy what other corpora have more", doc: mergeDoc, new: newMerge, files: true},
		{name: "move", args: "[flags] OLD NEW", short: "follow a package to another path", doc: moveDoc, new: newMove, files: true},
		{name: "import", args: "[flags] DIR...", short: "take raw inputs for a fuzz target", doc: importDoc, new: newImport, files: true},
		{name: "export", args: "[flags] DIR", short: "write raw inputs of a fuzz target", doc: exportDoc, new: newExport, files: true},
	}
}

// corpusFlags are the flags of all commands of foray corpus.
func (c *common) corpusFlags(fs *flag.FlagSet) {
	c.storeFlags(fs)
	c.verboseFlag(fs, "build steps, what becomes of each entry")
}

// packageFlag is for commands with files as arguments.
func (c *common) packageFlag(fs *flag.FlagSet) {
	fs.StringVar(&c.pkg, "pkg", ".", "the `package` of the corpus")
}

// packageFlags are the flags of a command that brings files in or out.
func (c *common) packageFlags(fs *flag.FlagSet) {
	c.packageFlag(fs)
	c.corpusFlags(fs)
}

// corpusOf makes the package that -pkg names ready, opens its store, and runs its entries.
// close must be called.
func (c *common) corpusOf(ctx context.Context) (s *subject, a *corpusadmin.Admission, close func(), err error) {
	targets, err := findTargets(ctx, c)
	if err == nil && len(targets) != 1 {
		err = &load.Error{Place: strings.Join(c.patterns(), " "), Msg: fmt.Sprintf("%d packages, want one", len(targets)), Hint: "-pkg names it"}
	}
	if err == nil {
		s, err = openSubject(ctx, targets[0], c)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	a, close, err = s.admission(ctx)
	return s, a, close, err
}

// admission runs the entries of a package. close must be called.
func (s *subject) admission(ctx context.Context) (a *corpusadmin.Admission, close func(), err error) {
	dir, err := s.temps.make()
	if err != nil {
		return nil, nil, err
	}
	if a, err = s.corpus(s.spawn(dir)).Open(ctx); err != nil {
		s.temps.remove(dir)
		return nil, nil, err
	}
	return a, func() {
		a.Close()
		s.temps.remove(dir)
	}, nil
}

// doEach does f for each element of a list, and prints its errors. It returns the exit code.
func doEach[T any](ctx context.Context, out *event.Printer, list []T, f func(T) error) (int, error) {
	errs := 0
	for _, x := range list {
		err := f(x)
		if ctx.Err() != nil {
			return exitUsage, errors.New("interrupted")
		}
		errs += out.Errors(err)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// admitEach returns a command that does f for each argument with the corpus of a package, and
// prints what that came to.
func (c *common) admitEach(fs *flag.FlagSet, what string, f func(ctx context.Context, s *subject, a *corpusadmin.Admission, arg string) (event.Event, error)) runner {
	c.packageFlags(fs)
	return func(ctx context.Context) (int, error) {
		if err := c.wants(1, many, what); err != nil {
			return exitUsage, err
		}
		s, a, close, err := c.corpusOf(ctx)
		if err != nil {
			return exitUsage, err
		}
		defer close()
		return doEach(ctx, c.out, c.args, func(arg string) error {
			e, err := f(ctx, s, a, arg)
			if err == nil {
				c.out.Print(e)
			}
			return err
		})
	}
}

// wants returns an error unless there are as many arguments as a command takes.
func (c *common) wants(least, most int, what string) error {
	if n := len(c.args); n < least || n > most {
		return &load.Error{Msg: fmt.Sprintf("%s, want %s", text.Plural(n, "argument"), what), Hint: "-h shows an example"}
	}
	return nil
}

// many is no limit for the number of arguments.
const many = 1 << 20

const addDoc = `Add puts entries into the corpus of a package: files of foray, files of go test
that hold a sequence, or plain statements such as

  v0 := list.New()
  v1 := v0.PushBack("x")

  foray corpus add -pkg container/list moved.txt

Each is run first. Add refuses a sequence that fails: fuzz reports findings. It cuts
a sequence to the calls that its branch sides and values need. If an entry takes the
same sides and leaves equal values (by their Equal method, if they have one), the
smaller of the two stays.`

func newAdd(fs *flag.FlagSet, c *common) runner {
	return c.admitEach(fs, "files", func(ctx context.Context, _ *subject, a *corpusadmin.Admission, file string) (event.Event, error) {
		return a.Add(ctx, file)
	})
}

const mergeDoc = `Merge copies entries and findings from other corpora of a package: entries with
branch sides or value classes that its corpus lacks, the smallest first, and
findings that it lacks. The other corpora do not change.

  foray corpus merge -pkg ./queue ~/nightly

A DIR is the -outdir of another run, the fuzz cache of another machine, or the
directory of one corpus, which holds entries.`

func newMerge(fs *flag.FlagSet, c *common) runner {
	return c.admitEach(fs, "directories", func(ctx context.Context, s *subject, a *corpusadmin.Admission, dir string) (event.Event, error) {
		from, err := corpusadmin.View(dir, s.target.Path, s.version)
		if err != nil {
			return nil, err
		}
		return a.Merge(ctx, from, dir)
	})
}

const moveDoc = `Move moves the corpus of a package that has a new import path, such as one of a new
major version. A call that the new package lacks, or has with other parameters, is
dropped, with the calls that depend on it; the rest is run. OLD need not exist any
more.

  foray corpus move example.com/queue example.com/queue/v2
  foray corpus move -r 'list.NewQueue() -> queue.New()' example.com/list example.com/queue

Entries that have moved go to the quarantine of OLD. Findings stay: fuzz finds them
again.`

// moveOptions are the options of foray corpus move.
type moveOptions struct {
	*common
	renames corpusadmin.Renames
}

func newMove(fs *flag.FlagSet, c *common) runner {
	o := &moveOptions{common: c}
	fs.Func("r", "rewrite 'OLD -> NEW' in the text of each statement first; may be\nrepeated", o.renames.Set)
	c.corpusFlags(fs)
	return o.run
}

func (o *moveOptions) run(ctx context.Context) (int, error) {
	if err := o.wants(2, 2, "the old and the new import path"); err != nil {
		return exitUsage, err
	}
	old := o.args[0]
	o.pkg = o.args[1]
	s, a, close, err := o.corpusOf(ctx)
	if err != nil {
		return exitUsage, err
	}
	defer close()
	from, err := s.openOld(ctx, old)
	if err != nil {
		return exitUsage, err
	}
	moved, err := a.Move(ctx, from, old, o.renames)
	if ctx.Err() != nil {
		return exitUsage, errors.New("interrupted")
	}
	if err != nil {
		return exitUsage, err
	}
	o.out.Print(moved)
	return exitClean, nil
}

// openOld opens the corpus of an import path, perhaps at a version. Its package need not
// exist any more.
func (s *subject) openOld(ctx context.Context, old string) (*store.Store, error) {
	path, version, _ := strings.Cut(old, "@")
	outdir, err := s.absOutdir()
	if err != nil {
		return nil, err
	}
	dir := store.Dir(s.target.Go.Cache, path, version, outdir)
	if dir == s.dir {
		return nil, &load.Error{Place: old, Msg: "moves to itself"}
	}
	if _, err := store.View(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &load.Error{Place: old, Msg: "no corpus in " + s.out.Relative(dir), Hint: "outside of the main module, a path goes with its version: " + path + "@v1.2.3"}
		}
		return nil, &load.Error{Place: old, Msg: err.Error()}
	}
	return store.Open(dir)
}

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
	return o.eachPackage(ctx, func(target *build.Target) error {
		s := newSubject(target, o.common)
		err := s.viewStore()
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
			err = s.openStore()
			change = func() error { return o.turnBack(s) }
		} else {
			s, err = openSubject(ctx, target, o.common)
		}
		if err == nil && o.dryRun {
			err = s.viewStore()
		}
		if err != nil {
			return err
		}
		if o.dryRun {
			return change()
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
	c.viewFlags(fs)
	c.verboseFlag(fs, "files in quarantine, packages without a corpus")
	return c.stat
}

func (c *common) stat(ctx context.Context) (int, error) {
	var list event.Corpora
	var unknown []string
	code, err := c.eachPackage(ctx, func(target *build.Target) error {
		s := newSubject(target, c)
		err := s.viewStore()
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
func (s *subject) viewStore() error {
	var err error
	if s.dir, err = s.storeDir(); err != nil {
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
	c.packageFlag(fs)
	c.viewFlags(fs)
	return c.show
}

func (c *common) show(ctx context.Context) (int, error) {
	if err := c.wants(1, many, "files or hashes"); err != nil {
		return exitUsage, err
	}
	var dirs []string // in which hashes are looked for
	return doEach(ctx, c.out, c.args, func(file string) error {
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
	targets, err := findTargets(ctx, c)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, target := range targets {
		s := newSubject(target, c)
		dir, err := s.storeDir()
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, filepath.Join(dir, "entries"), filepath.Join(dir, "quarantine"))
		for _, pattern := range []string{
			filepath.Join(target.Dir, "testdata", "fuzz", "Fuzz*"), filepath.Join(target.Go.Cache, "fuzz", filepath.FromSlash(target.Path), "Fuzz*"),
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
