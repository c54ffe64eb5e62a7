package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/revision"
	"foray.test/cmd/internal/text"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/versions"
	"foray.test/harness/build"
	"foray.test/harness/emit"
	"foray.test/harness/impact"
)

const diffDoc = `Diff runs the same sequences of calls on two versions of a package and prints
what behaves differently: each difference once, minimized, with both results and
a Go test that passes on OLD and fails on NEW.

  foray diff github.com/google/btree@v1.1.2 github.com/google/btree@v1.1.3
  foray diff v1.4.0 .          # in the directory of a package: a git revision, and now
  foray diff ../before ../after

OLD and NEW are packages at a version, directories, or git revisions, which stand
for the package of the current directory as it was then; the working tree stays
as it is. Both versions are fuzzed, starting from the stored corpora of both.

What a call returns, panics with or leaves in its arguments is compared as
callers see it: unexported fields and addresses do not count. What does not
repeat itself in one version (clocks, random numbers, map order) is left out.

The exit status is 0 if there is no difference, 1 if there is, 2 for wrong usage
or a version that cannot be built.`

// diffOptions are the options of foray diff.
type diffOptions struct {
	*common
	fuzzTime fuzzTime
	seed     seed
	format   string // text or markdown
}

func newDiff(fs *flag.FlagSet, c *common) runner {
	o := &diffOptions{common: c}
	fs.Func("fuzztime", "compare for `60s` or, as 5000x, that many sequences (default: until\nnothing new comes, at most 60s)", o.fuzzTime.set)
	fs.Func("seed", "start the random source at `n` (default: from the clock)", o.seed.set)
	c.operationFlags(fs)
	c.readFlags(fs)
	fs.StringVar(&o.format, "format", formatText, "print as `text` or markdown, for a pull request")
	c.verboseFlag(fs, "build steps, operations that do not repeat themselves")
	return o.run
}

func (o *diffOptions) run(ctx context.Context) (int, error) {
	if len(o.args) != 2 {
		return exitUsage, &load.Error{Msg: fmt.Sprintf("diff: %s, want OLD and NEW", text.Plural(len(o.args), "version")), Hint: "foray diff v1.4.0 . compares a git revision with the directory"}
	}
	if o.format != formatText && o.format != formatMarkdown {
		return exitUsage, &load.Error{Msg: fmt.Sprintf("-format %s: want text or markdown", o.format)}
	}
	if o.json && o.format == formatMarkdown {
		return exitUsage, &load.Error{Msg: "-json and -format markdown exclude each other"}
	}
	o.seed.setSeed()
	began := time.Now()
	stop := context.AfterFunc(ctx, o.out.Interrupted)
	defer stop()
	c, err := o.compared(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted before both versions were built")
		}
		return exitUsage, err
	}
	r, err := newDiffRecorder(ctx, c, o)
	if err != nil {
		return exitUsage, err
	}
	for _, g := range c.old.found.Gone {
		r.removed(g)
	}
	res, err := r.run(ctx)
	if err != nil {
		return exitUsage, &load.Error{Place: c.old.target.Path, Msg: err.Error()}
	}
	r.done(res, time.Since(began))
	if r.sum.Differences > 0 {
		return exitFindings, nil
	}
	return exitClean, nil
}

const formatMarkdown = "markdown"

// compared is two versions of a package. Their workers have one table, of the operations that
// both have.
type compared struct {
	old, new         *subject
	oldName, newName string // as the user has them
	commits          [2]string
}

// gone is an exported function or method of OLD that NEW does not have, or not with
// the signature that it had.
type gone struct {
	Member string
	Old    string // signature
	New    string // signature; empty if it is removed
	Test   string // that compiles in OLD only; empty if there is no such
}

// compared finds, loads and builds both versions.
func (o *diffOptions) compared(ctx context.Context) (*compared, error) {
	o.warnUnconfined()
	c := &compared{oldName: o.args[0], newName: o.args[1]}
	subjects, err := o.findVersions(ctx)
	if err != nil {
		return nil, err
	}
	c.old, c.new = subjects[0], subjects[1]
	c.commits = [2]string{revision.Commit(ctx, c.oldName), revision.Commit(ctx, c.newName)}
	if revision.Majorless(c.old.target) != revision.Majorless(c.new.target) {
		return nil, &load.Error{Place: c.newName, Msg: fmt.Sprintf("package %s, want %s as in %s", c.new.target.Path, c.old.target.Path, c.oldName), Hint: "diff compares two versions of one package"}
	}
	c.stamp(o.common)
	if c.cached() {
		return c, nil
	}
	var loaded [2]*load.Package
	for i, s := range subjects {
		o.out.Stage("loading " + o.args[i])
		pkg, err := s.find(ctx)
		o.out.Quiet()
		if err != nil {
			return nil, named(o.args[i], "", err)
		}
		loaded[i] = pkg
	}
	table, left := seq.Common(c.old.table, c.new.table)
	if !callable(table) {
		return nil, &load.Error{Place: c.newName, Msg: "nothing exported in common with " + c.oldName, Hint: "diff compares two versions of one package"}
	}
	c.old.found.Gone = missing(c.old, c.new, table, left)
	if o.ops != nil || o.skip != nil {
		c.old.found.Gone = slices.DeleteFunc(c.old.found.Gone, func(g gone) bool { return c.old.signatureOf(g.Member) == "" })
	}
	c.old.found.Changed = impact.Reached(versionOf(loaded[0]), versionOf(loaded[1]))
	c.old.table, c.new.table = table, table.As(c.new.table)
	for i, s := range subjects {
		if err := s.compile(ctx, loaded[i]); err != nil {
			return nil, named(o.args[i], "", err)
		}
		o.out.Quiet()
	}
	return c, nil
}

// findVersions finds the packages that the two arguments name.
func (o *diffOptions) findVersions(ctx context.Context) (subjects [2]*subject, err error) {
	for i, arg := range o.args {
		o.out.Stage("looking for " + arg)
		target, err := findVersion(ctx, arg, o.common)
		if err != nil && i == 1 {
			if moved := revision.AtMajor(subjects[0].target, arg); moved != "" {
				if found, err2 := findVersion(ctx, moved, o.common); err2 == nil {
					target, err = found, nil
				}
			}
		}
		o.out.Quiet()
		if err != nil {
			return subjects, err
		}
		subjects[i] = newSubject(target, o.common)
		subjects[i].versus = true
	}
	return subjects, nil
}

// versionOf returns the parts of a package that change impact analysis needs.
func versionOf(p *load.Package) impact.Version {
	return impact.Version{Fset: p.Fset, Files: p.Files, Sources: p.Sources, Types: p.Types, Info: p.Info}
}

// findVersion finds the one package that an argument of diff names: a package at a
// version, a directory, or a git revision. A revision means the package of the
// current directory at that revision.
func findVersion(ctx context.Context, arg string, o *common) (*build.Target, error) {
	c := load.Config{Flags: o.build, Patterns: []string{arg}}
	tree := ""
	switch info, err := os.Stat(arg); {
	case err == nil && info.IsDir():
		c.Dir, c.Patterns = arg, []string{"."}
	case revision.May(arg):
		dir, err := o.temps.make()
		if err != nil {
			return nil, err
		}
		prefix, err := revision.CheckOut(ctx, arg, dir)
		if err != nil {
			return nil, err
		}
		tree = dir
		c.Dir, c.Patterns = filepath.Join(dir, prefix), []string{"."}
		if _, err := os.Stat(c.Dir); err != nil {
			return nil, &load.Error{Place: arg, Msg: fmt.Sprintf("%s was not there at that revision", filepath.Clean(prefix)), Hint: "run foray diff in the directory of a package that both revisions have"}
		}
	}
	targets, err := load.List(ctx, c)
	if err != nil && tree != "" && strings.Contains(err.Error(), "no Go files in") {
		return nil, &load.Error{Place: arg, Msg: "no package in the current directory at that revision", Hint: "run foray diff in the directory of the package (-C dir)"}
	}
	if err != nil {
		return nil, named(arg, tree, err)
	}
	if len(targets) != 1 {
		return nil, &load.Error{Place: arg, Msg: text.Plural(len(targets), "package") + ", want one", Hint: "diff compares two versions of one package"}
	}
	return targets[0], nil
}

// named returns an error about the version arg. Its files are in the directory tree if they
// were checked out for this run.
func named(arg, tree string, err error) error {
	if e, ok := errors.AsType[*load.Error](err); ok {
		told := *e
		if tree != "" {
			told.Place = strings.ReplaceAll(told.Place, tree+string(filepath.Separator), arg+":")
			told.Msg = strings.ReplaceAll(told.Msg, tree+string(filepath.Separator), arg+":")
		}
		if !strings.Contains(told.Place, arg) {
			told.Msg, told.Place = told.Error(), arg
		}
		return &told
	}
	return fmt.Errorf("%s: %w", arg, err)
}

// stamp gives the workers their cache keys: each depends on both versions.
func (c *compared) stamp(o *common) {
	a, b := stampOf(c.old.target, o), stampOf(c.new.target, o)
	c.old.stamp = c.old.target.Stamp("diff old", a, b)
	c.new.stamp = c.new.target.Stamp("diff new", a, b)
}

// cached takes both workers from the cache, if they are there.
func (c *compared) cached() bool {
	for _, s := range []*subject{c.old, c.new} {
		w, extra, ok := build.Lookup("", s.stamp)
		if !ok || json.Unmarshal(extra, &s.found) != nil {
			return false
		}
		s.worker = w
		if s.readTable() != nil {
			return false
		}
	}
	return true
}

// missing lists the members of old that next does not have, or not as they were.
// left are the operations of old that are not in common.
func missing(old, next *subject, common *seq.Table, left []seq.OpID) []gone {
	var list []gone
	for _, m := range old.found.Members {
		if !slices.ContainsFunc(next.found.Members, func(n string) bool { return sameMember(m, n) }) {
			list = append(list, old.gone(m, ""))
		}
	}
	has := map[string]bool{} // members with an operation in common
	for i := range common.Ops {
		has[common.Ops[i].Member] = true
	}
	for _, id := range left {
		m := old.table.Ops[id].Member
		if m == "" || has[m] || !slices.Contains(old.found.Members, m) {
			continue
		}
		has[m] = true
		// An excluded member has no operation there, though callers may call it.
		if now := next.signatureOf(m); now != "" {
			list = append(list, old.gone(m, now))
		}
	}
	return list
}

// gone returns a member as missing in the next version, where its signature is now.
func (s *subject) gone(member, now string) gone {
	g := gone{Member: member, Old: member, New: now}
	if op := s.operation(member); op >= 0 {
		g.Old = event.Signature(s.table, &s.table.Ops[op])
		if test, err := emit.Signature(s.table, seq.OpID(op), emit.Options{Package: s.target.Name, Raise: s.target.Below(emit.Language)}); err == nil {
			g.Test = string(test)
		}
	}
	return g
}

// signatureOf returns the signature of a member, or nothing if no operation calls it.
func (s *subject) signatureOf(member string) string {
	if op := s.operation(member); op >= 0 {
		return event.Signature(s.table, &s.table.Ops[op])
	}
	return ""
}

// operation returns the number of the first operation that calls a member, -1 if none does.
func (s *subject) operation(member string) int {
	return slices.IndexFunc(s.table.Ops, func(op seq.Operation) bool { return op.Member == member })
}

// sameMember reports whether two members are the same but for how they take their
// receiver.
func sameMember(a, b string) bool {
	return strings.Replace(a, "(*", "(", 1) == strings.Replace(b, "(*", "(", 1)
}

// diffRecorder prints the results of a comparison. It implements [versions.Reporter].
type diffRecorder struct {
	*diffOptions
	c       *compared
	names   event.Versions
	entries []seq.Sequence
	sum     event.DiffSummary
}

func newDiffRecorder(ctx context.Context, c *compared, o *diffOptions) (*diffRecorder, error) {
	t := c.old.table
	r := &diffRecorder{diffOptions: o, c: c, names: event.Versions{Old: c.oldName, New: c.newName, Markdown: o.format == formatMarkdown}}
	r.sum = event.DiffSummary{
		Package: c.old.target.Path, Old: c.oldName, New: c.newName, Classes: map[string]int{}, Seed: o.seed.n, Markdown: r.names.Markdown,
	}
	for _, s := range []*subject{c.old, c.new} {
		if err := s.openStore(); err != nil {
			return nil, err
		}
		if err := r.read(s); err != nil {
			return nil, err
		}
	}
	o.out.Print(&event.Compared{
		Versions: r.names, Commits: c.commits, Package: c.old.target.Path, Operations: len(t.Ops), Calls: len(t.OpsThat(isCall)), Seed: o.seed.n,
	})
	return r, nil
}

// read reads the stored entries of a version, as far as both versions can run them.
func (r *diffRecorder) read(s *subject) error {
	entries, _, err := s.store.Load()
	if err != nil {
		return err
	}
	parser, err := seq.NewParser(s.table)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if steps, _, err := parser.ParseLenient(e.Statements); err == nil && len(steps) > 0 {
			r.entries = append(r.entries, steps)
		}
	}
	return nil
}

// defaultDiffTime bounds a comparison without -fuzztime that reaches no plateau.
const defaultDiffTime = 60 * time.Second

func (r *diffRecorder) run(ctx context.Context) (*versions.Result, error) {
	dir, err := r.temps.make()
	if err != nil {
		return nil, err
	}
	defer r.temps.remove(dir)
	c := versions.Config{
		Old: r.c.old.spawn(dir), New: r.c.new.spawn(dir), Table: r.c.old.table, Pool: r.c.old.pool,
		Seed: r.seed.n, Duration: r.fuzzTime.duration, Sequences: r.fuzzTime.sequences, Entries: r.entries,
		Dropped: append(r.c.old.dropped(), r.c.new.dropped()...), JudgeDeath: r.c.old.judgeDeath,
		Changed: r.c.old.found.Changed, Report: r,
	}
	if c.Duration == 0 && c.Sequences == 0 {
		c.Duration, c.Plateau = defaultDiffTime, true
	}
	return versions.Compare(ctx, c)
}

// Warn implements [versions.Reporter].
func (r *diffRecorder) Warn(msg string) { r.out.Warn(r.c.old.target.Path+": "+msg, "") }

// Note implements [versions.Reporter].
func (r *diffRecorder) Note(msg string) { r.out.Note(msg) }

// Progress implements [versions.Reporter].
func (r *diffRecorder) Progress(s versions.Snapshot) {
	if !r.names.Markdown || r.out.Live() {
		r.out.Progress(s.Elapsed, func() string { return event.DiffProgress(s) }, nil)
	}
}

// removed prints an operation that the new version lacks, or has with another signature.
func (r *diffRecorder) removed(g gone) {
	r.sum.Differences++
	r.sum.Classes[difference.Removed]++
	r.out.Print(&event.Difference{
		Package: r.c.old.target.Path, Operation: g.Member, Class: difference.Removed,
		Old: g.Old, New: cmp.Or(g.New, "removed"), Test: g.Test, Versions: r.names,
	})
}

// Difference implements [versions.Reporter]. It prints the difference, and in JSON also the
// others that have the same cause.
func (r *diffRecorder) Difference(d versions.Cause) {
	t := r.c.old.table
	r.sum.Differences++
	r.sum.Classes[d.Class]++
	r.sum.SameCause += len(d.Also)
	e := r.event(&d.Difference)
	var others []seq.OpID
	for _, f := range d.Also {
		others = append(others, f.Op)
	}
	e.AlsoAt = operationNames(t, others)
	var keep []int32
	if d.Place == difference.InSlot {
		keep = []int32{int32(d.Index)}
	}
	e.Code = emit.Statements(t, d.Steps, keep...)
	r.out.Print(e)
	for i := range d.Also {
		also := r.event(&d.Also[i])
		also.SameCauseAs = e.Operation
		r.out.Print(also)
	}
}

// event returns the event of a difference.
func (r *diffRecorder) event(d *versions.Difference) *event.Difference {
	t := r.c.old.table
	named := emit.Versions{Old: cmp.Or(r.c.old.version, r.c.oldName), New: cmp.Or(r.c.new.version, r.c.newName)}
	test, err := emit.Difference(t, d.Steps, d.Difference, d.Op, d.Before, d.After, named, emit.Options{
		Package: r.c.old.target.Name, Raise: r.c.old.target.Below(emit.Language) || r.c.new.target.Below(emit.Language),
	})
	if err != nil {
		r.Note(fmt.Sprintf("%s of %s: no test: %v", d.Class, t.Ops[d.Op].Short, err))
	}
	return &event.Difference{
		Package: r.c.old.target.Path, Operation: operationName(&t.Ops[d.Op]), Class: d.Class, Where: d.Where(), SeenBy: operationNames(t, d.SeenBy),
		Steps: d.Steps.Calls(t), OriginalSteps: d.Original.Calls(t), Sequence: t.String(d.Steps),
		Old: d.Old.String(), New: d.New.String(), Test: string(test), Versions: r.names,
	}
}

// done prints the end of a comparison.
func (r *diffRecorder) done(res *versions.Result, elapsed time.Duration) {
	s := &r.sum
	s.Sequences, s.Operations, s.Snapshot, s.Ended = res.Sequences, res.Steps, res.Snapshot, res.Stopped
	s.Unstable, s.Flaky = operationNames(r.c.old.table, res.Unstable), res.Flaky
	s.CPUSeconds, s.WallSeconds = event.Seconds(res.CPU), event.Seconds(elapsed)
	r.out.Print(s)
}

// operationName returns the name of an operation. An exported function or method goes by its
// name alone.
func operationName(op *seq.Operation) string { return cmp.Or(op.Member, op.Short) }

// operationNames returns the names of operations, each once.
func operationNames(t *seq.Table, ops []seq.OpID) []string {
	list := []string{}
	for _, id := range ops {
		if name := operationName(&t.Ops[id]); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
