package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/fuzztarget"
	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/rawinput"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/values"
	"foray.test/corpus/fuzzfile"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// rawOptions are the options of foray corpus import and export.
type rawOptions struct {
	*common
	fuzz   string // an expression that chooses targets
	format string // raw or go-fuzz
	typ    string // import: the struct type that inputs hold values of
}

// The values of -format.
const (
	formatRaw    = "raw"
	formatGoFuzz = "go-fuzz"
)

func (o *rawOptions) flags(fs *flag.FlagSet, verb, more string) {
	fs.StringVar(&o.fuzz, "fuzz", "", "the targets, as an `expression` that matches their names")
	fs.StringVar(&o.format, "format", formatRaw, verb+" `raw` files or go-fuzz: its workdir, with crashers and\nsuppressions"+more)
	o.packageFlags(fs)
}

// rawTarget is a fuzz target with bytes as inputs.
type rawTarget struct {
	s     *subject
	seeds []fuzztarget.Input
	dirs  fuzztarget.Dirs
	typ   string // "[]byte" or "string"
	spawn worker.Spawn
	below string // where its files lie in a directory that holds those of several targets
}

// each does f for each target that the flags name, and returns the exit code. One that takes no
// raw inputs is left out with a warning, unless it is the only one.
func (o *rawOptions) each(ctx context.Context, f func(t *rawTarget) error) (int, error) {
	if o.fuzz == "" {
		return exitUsage, &load.Error{Msg: "which fuzz target?", Hint: "-fuzz FuzzXxx names it, -pkg its package"}
	}
	if o.format != formatRaw && o.format != formatGoFuzz {
		return exitUsage, &load.Error{Place: "-format", Msg: fmt.Sprintf("%q, want raw or go-fuzz", o.format)}
	}
	chosen, packages, err := chooseTargets(ctx, o.common, o.fuzz)
	if err == nil && len(chosen) == 0 {
		err = &load.Error{Place: o.pkg, Msg: fmt.Sprintf("no fuzz target of %s matches %q", text.Plural(packages, "package"), o.fuzz)}
	}
	if err != nil {
		if e, ok := errors.AsType[*load.Error](err); ok && e.Hint == fuzztarget.NoTargetHint {
			e.Hint = "-pkg names the package of the target; without it that is the one in the current directory"
		}
		return exitUsage, err
	}
	return doEach(ctx, o.out, chosen, func(c choice) error {
		err := o.with(ctx, c, len(chosen) > 1, f)
		var unfit *unfitError
		if errors.As(err, &unfit) && len(chosen) > 1 && ctx.Err() == nil {
			o.out.Warn(unfit.Error(), "")
			return nil
		}
		return err
	})
}

// unfitError is the error of a target that takes no raw inputs.
type unfitError struct{ err *load.Error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// with makes a target ready, one of several or the only one, and does f.
func (o *rawOptions) with(ctx context.Context, c choice, several bool, f func(t *rawTarget) error) error {
	dir, err := c.temps.make()
	if err != nil {
		return err
	}
	defer c.temps.remove(dir)
	s, seeds, err := prepareTarget(ctx, c, dir)
	if err != nil {
		return err
	}
	if s.dir, err = s.storeDir(); err != nil {
		return err
	}
	if s.listed > 0 {
		return &unfitError{&load.Error{Place: s.name() + "." + s.fuzz, Msg: "it lists operations: its inputs are sequences, not raw bytes"}}
	}
	params := s.table.Ops[0].Params
	t := &rawTarget{s: s, seeds: seeds, typ: s.table.Types[params[0]].Name, spawn: s.spawn(dir)}
	if len(params) != 1 || t.typ != "[]byte" && t.typ != "string" {
		return &unfitError{&load.Error{Place: s.name() + "." + fuzztarget.Signature(s.table), Msg: "raw inputs are for a target with one argument, []byte or string"}}
	}
	t.dirs = s.inputDirs()
	if several {
		t.below = filepath.Join(filepath.FromSlash(s.target.Path), s.fuzz)
	}
	return f(t)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

const importDoc = `Import takes raw inputs, one a file, into the corpus of a fuzz target that has one
argument, a []byte or a string: the corpus of libFuzzer, of OSS-Fuzz (a zip file will
do), what AFL has written, or the workdir of go-fuzz.

  foray corpus import -fuzz FuzzParse -pkg ./parse corpus.zip afl/out
  foray corpus import -fuzz Fuzz workdir

They go where go test keeps the inputs that it finds, its fuzz cache, or below
-outdir. Those that are there already are left out. Of the workdir of go-fuzz come
the corpus, the crashers and the suppressions: a finding that one of these silences
is counted and not shown.

If -fuzz and -pkg name several targets, DIR/<import path>/<target> holds those of
each, as export writes them.

With -type the files are inputs of a target that is built on go-fuzz-headers, raw or
as go test keeps them: what NewConsumer(data).GenerateStruct makes of them becomes
entries of the package's own corpus, composite literals of that type, which foray
fuzz hands to the package's functions.

  foray corpus import -type Config -pkg ./config testdata/fuzz/FuzzConfig`

func newImport(fs *flag.FlagSet, c *common) runner {
	o := &rawOptions{common: c}
	fs.StringVar(&o.typ, "type", "", "read the files as go-fuzz-headers does, as values of the struct\n`type` of the package, and make entries of these")
	o.flags(fs, "read", "; a workdir is known without it")
	return o.runImport
}

func (o *rawOptions) runImport(ctx context.Context) (int, error) {
	if err := o.wants(1, many, "directories, files or zip files"); err != nil {
		return exitUsage, err
	}
	if o.typ != "" {
		return o.importValues(ctx)
	}
	return o.each(ctx, func(t *rawTarget) error {
		e := &event.ImportedInputs{Package: t.s.name(), Target: t.s.fuzz, Dir: t.dirs.Found, MaxBytes: rawinput.MaxBytes}
		r := &rawinput.Reader{
			Input: func(data []byte) error { return t.take(data, e) },
			Suppression: func(text []byte) error {
				isNew, err := gofuzz.Put(t.s.suppressionDir(), text)
				if isNew {
					e.Suppressions++
				}
				return err
			},
		}
		read := r.Read
		if o.format == formatGoFuzz {
			read = r.ReadWorkdir
		}
		var errs []error
		for _, place := range o.args {
			if exists(place) && t.below != "" {
				if place = filepath.Join(place, t.below); !exists(place) {
					continue // not every target has files everywhere
				}
			}
			if err := read(place); err != nil {
				hint := ""
				if errors.Is(err, rawinput.ErrNoWorkdir) {
					hint = "without -format go-fuzz the files are taken as they are"
				}
				errs = append(errs, &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": "), Hint: hint})
			}
		}
		e.Large += r.Large
		o.out.Print(e)
		return errors.Join(errs...)
	})
}

// take stores one input where fuzzing finds it.
func (t *rawTarget) take(data []byte, e *event.ImportedInputs) error {
	content := fuzzfile.Encode([]fuzzfile.Value{{Type: t.typ, Value: string(data)}})
	if len(content) > rawinput.MaxBytes {
		e.Large++
		return nil
	}
	for _, dir := range t.dirs.All {
		if exists(filepath.Join(dir, fuzzfile.Name(content))) {
			e.Known++
			return nil
		}
	}
	_, err := fuzztarget.Write(t.dirs.Found, content)
	if err == nil {
		e.Added++
	}
	return err
}

// importValues reads inputs in the encoding of go-fuzz-headers. The values of a struct type
// that they hold become entries of the package.
func (o *rawOptions) importValues(ctx context.Context) (int, error) {
	switch {
	case o.fuzz != "":
		return exitUsage, &load.Error{Msg: "-type is about a package, -fuzz about a target of its tests", Hint: "without -type the files are inputs of the target"}
	case o.format != formatRaw:
		return exitUsage, &load.Error{Place: "-format", Msg: "not with -type, which says what the files hold"}
	}
	s, a, close, err := o.corpusOf(ctx)
	if err != nil {
		return exitUsage, err
	}
	defer close()
	pkg, err := load.One(ctx, s.target)
	if err != nil {
		return exitUsage, err
	}
	t, err := values.Struct(pkg.Types, o.typ)
	if err != nil {
		return exitUsage, err
	}
	e := &event.ImportedValues{Package: s.name(), Type: o.typ, Dir: s.dir, MaxBytes: rawinput.MaxBytes}
	r := &rawinput.Reader{Input: func(data []byte) error {
		return values.Import(ctx, values.NewBuilder(s.table, s.pool, s.dropped()), a, data, t, e)
	}}
	code, err := doEach(ctx, o.out, o.args, func(place string) error {
		if err := r.Read(place); err != nil {
			return &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": ")}
		}
		return nil
	})
	e.Large = r.Large
	o.out.Print(e)
	return code, err
}

const exportDoc = `Export writes the inputs of a fuzz target that has one argument, a []byte or a
string, as raw files into a directory, named by their SHA-1 as libFuzzer does: those
of f.Add, of testdata/fuzz and of the fuzz cache.

  foray corpus export -fuzz FuzzParse -pkg ./parse seeds
  foray corpus export -fuzz . -pkg ./... seeds
  foray corpus export -format go-fuzz -fuzz Fuzz workdir

Those of several targets go to DIR/<import path>/<target>. As a workdir of go-fuzz,
inputs that fail go to crashers, with what they print, and what silences them to
suppressions; all are run to tell which.`

func newExport(fs *flag.FlagSet, c *common) runner {
	o := &rawOptions{common: c}
	o.flags(fs, "write", "")
	return o.runExport
}

func (o *rawOptions) runExport(ctx context.Context) (int, error) {
	if err := o.wants(1, 1, "the directory to write to"); err != nil {
		return exitUsage, err
	}
	return o.each(ctx, func(t *rawTarget) error {
		e := &event.Exported{Package: t.s.name(), Target: t.s.fuzz, Dir: filepath.Join(o.args[0], t.below)}
		ex := &exporting{t, e}
		if err := ex.export(ctx, o.format); err != nil {
			return &load.Error{Place: e.Dir, Msg: err.Error()}
		}
		o.out.Print(e)
		return nil
	})
}

// exporting writes raw inputs.
type exporting struct {
	t *rawTarget
	e *event.Exported
}

func (ex *exporting) export(ctx context.Context, format string) error {
	var calls []seq.Sequence
	inputs, err := ex.t.dirs.Read(ex.t.seeds)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		steps, err := in.Parse(ex.t.s.table, ex.t.s.pool)
		if err != nil {
			ex.t.s.out.Warn(fmt.Sprintf("%s: %v", in.Name, err), "")
			continue
		}
		calls = append(calls, steps)
	}
	if err := os.MkdirAll(ex.e.Dir, 0o777); err != nil {
		return err
	}
	if format == formatGoFuzz {
		return ex.workdir(ctx, calls)
	}
	for _, steps := range calls {
		if err := ex.count(gofuzz.Put(ex.e.Dir, rawBytes(steps))); err != nil {
			return err
		}
	}
	return nil
}

// rawBytes returns the only argument of a call.
func rawBytes(steps seq.Sequence) []byte {
	data, _ := steps[0].Args[0].Lit.Value.(string)
	return []byte(data)
}

func (ex *exporting) count(isNew bool, err error) error {
	if isNew {
		ex.e.Written++
	} else {
		ex.e.Known++
	}
	return err
}

// workdir writes the inputs as go-fuzz keeps them.
func (ex *exporting) workdir(ctx context.Context, calls []seq.Sequence) error {
	s := ex.t.s
	if err := gofuzz.Make(ex.e.Dir); err != nil {
		return err
	}
	var errs []error
	_, err := replay.All(ctx, s.config(ex.t.spawn), calls, func(i int, res replay.Shown) {
		data := rawBytes(calls[i])
		if res.Error != nil {
			ex.t.s.out.Warn(fmt.Sprintf("input %s: %v", gofuzz.Name(data), res.Error), "")
			return
		}
		if v := res.Verdict; v != nil && v.Tier != engine.Illegal {
			ex.e.Crashers++
			errs = append(errs, ex.count(gofuzz.PutCrasher(ex.e.Dir, data, fuzztarget.Crash(s.table, v, len(s.goFuzz) > 0))))
			return
		}
		errs = append(errs, ex.count(gofuzz.Put(filepath.Join(ex.e.Dir, gofuzz.Corpus), data)))
	})
	suppressions, readErr := fuzztarget.Suppressions(s.suppressionDir())
	for _, c := range suppressions {
		_, err := gofuzz.Put(filepath.Join(ex.e.Dir, gofuzz.Suppressions), c.Suppression())
		errs = append(errs, err)
	}
	return errors.Join(append(errs, err, readErr)...)
}
