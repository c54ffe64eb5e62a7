package main

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/fuzztarget"
	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/rawinput"
	"foray.test/cmd/internal/values"
	"foray.test/corpus/fuzzfile"
)

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
	o.flags(fs, "read")
	return o.runImport
}

func (o *rawOptions) runImport(ctx context.Context) (int, error) {
	if err := o.wants(1, many, "directories, files or zip files"); err != nil {
		return exitUsage, err
	}
	if o.typ != "" {
		return o.importValues(ctx)
	}
	ts, err := o.open(ctx)
	if err != nil {
		return exitUsage, err
	}
	return ts.each(ctx, func(t *rawTarget) error {
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
	content := fuzzfile.Append(nil, []fuzzfile.Value{{Type: t.typ, Value: string(data)}})
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
	pkg, err := loadOne(ctx, s.target)
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
	code, err := o.eachArgument(ctx, func(place string) error {
		if err := r.Read(place); err != nil {
			return &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": ")}
		}
		return nil
	})
	e.Large = r.Large
	o.out.Print(e)
	return code, err
}
