package main

import (
	"archive/zip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/load"
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

func importFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.typ, "type", "", "read the files as go-fuzz-headers does, as values of the struct\n`type` of the package, and make entries of these")
	rawFlags(fs, o, "read")
}

func runImport(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1<<20, "directories, files or zip files"); err != nil {
		return exitUsage, err
	}
	if o.typ != "" {
		return importValues(ctx, o, out)
	}
	ts, err := openRaw(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	return ts.each(ctx, func(t *rawTarget) error {
		im := newRawImport(t, out)
		var errs []error
		for _, place := range o.args {
			if _, err := os.Stat(place); err == nil && t.below != "" {
				if place = filepath.Join(place, t.below); !exists(place) {
					continue // not every target has files everywhere
				}
			}
			if err := im.takeAs(o.format, place); err != nil {
				errs = append(errs, &load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": "), Hint: hintOf(err)})
			}
		}
		im.tell()
		return errors.Join(errs...)
	})
}

// importing finds raw inputs.
type importing struct {
	out   *output
	input func(data []byte) error
	// suppression takes one of go-fuzz; nil if they are of no use.
	suppression func(text []byte) error
	large       int // inputs left out
}

// A rawImport takes raw inputs for a target.
type rawImport struct {
	importing
	t            *rawTarget
	added, known int
	silenced     int // suppressions
}

func newRawImport(t *rawTarget, out *output) *rawImport {
	im := &rawImport{t: t}
	im.importing = importing{out: out, input: im.keep, suppression: im.silence}
	return im
}

// keep keeps one input where fuzzing finds it.
func (im *rawImport) keep(data []byte) error {
	content := fuzzfile.Append(nil, []fuzzfile.Value{{Type: im.t.typ, Value: string(data)}})
	if len(content) > maxInputBytes {
		im.large++
		return nil
	}
	for _, dir := range im.t.dirs.all {
		if exists(filepath.Join(dir, fuzzfile.Name(content))) {
			im.known++
			return nil
		}
	}
	_, err := writeInput(im.t.dirs.found, content)
	if err == nil {
		im.added++
	}
	return err
}

func (im *rawImport) silence(text []byte) error {
	isNew, err := gofuzz.Put(im.t.s.suppressionDir(), text)
	if isNew {
		im.silenced++
	}
	return err
}

// errNoWorkdir says that go-fuzz has not worked in a directory.
var errNoWorkdir = errors.New("no workdir of go-fuzz: want a directory corpus beside crashers or suppressions")

// hintOf returns what to do about an error of an import.
func hintOf(err error) string {
	if errors.Is(err, errNoWorkdir) {
		return "without -format go-fuzz the files are taken as they are"
	}
	return ""
}

// takeAs takes what lies at place, in a form that -format names.
func (im *importing) takeAs(format, place string) error {
	if format == formatGoFuzz {
		if _, err := os.Stat(place); err == nil && !gofuzz.IsWorkdir(place) {
			return errNoWorkdir
		}
	}
	return im.take(place)
}

// take takes a file, what a zip file holds, or what lies below a directory.
func (im *importing) take(place string) error {
	info, err := os.Stat(place)
	if err != nil {
		if e := (*fs.PathError)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return err
	}
	if info.IsDir() {
		return im.takeDir(place)
	}
	if strings.HasSuffix(place, ".zip") {
		r, err := zip.OpenReader(place)
		if err != nil {
			return err
		}
		defer r.Close()
		for _, f := range r.File {
			if f.Mode().IsRegular() {
				if err := im.takeFrom(f.Open); err != nil {
					return fmt.Errorf("%s: %w", f.Name, err)
				}
			}
		}
		return nil
	}
	return im.takeFile(place)
}

// aflDirs are the directories of inputs in what AFL writes, which holds statistics
// beside them.
var aflDirs = []string{"queue", "crashes", "hangs"}

func (im *importing) takeDir(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "fuzzer_stats")); err == nil {
		for _, sub := range aflDirs {
			if err := im.takeDir(filepath.Join(dir, sub)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if gofuzz.IsWorkdir(dir) {
		return im.takeWorkdir(dir)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		switch {
		case strings.HasPrefix(d.Name(), ".") || d.Name() == "README.txt": // AFL's state, and its remark on crashes
		case d.IsDir():
			err = im.takeDir(path)
		default:
			if info, statErr := os.Stat(path); statErr == nil && info.Mode().IsRegular() {
				err = im.takeFile(path)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeWorkdir takes what go-fuzz has left: inputs, those that crash among them, and
// what silences crashes.
func (im *importing) takeWorkdir(dir string) error {
	for _, sub := range []string{gofuzz.Corpus, gofuzz.Crashers, gofuzz.Suppressions} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, d := range list {
			path := filepath.Join(dir, sub, d.Name())
			switch {
			case !d.Type().IsRegular() || gofuzz.Describes(d.Name()):
			case sub == gofuzz.Suppressions:
				err = im.takeSuppression(path)
			default:
				err = im.takeFile(path)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// maxSuppression bounds the text of a crash's stack.
const maxSuppression = 1 << 20

func (im *importing) takeSuppression(path string) error {
	if im.suppression == nil {
		return nil
	}
	text, err := readRegular(path, maxSuppression)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return im.suppression(text)
}

func (im *importing) takeFile(path string) error {
	return im.takeFrom(func() (io.ReadCloser, error) { return os.Open(path) })
}

// takeFrom takes one input. One that is too large is counted and left out.
func (im *importing) takeFrom(open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxInputBytes+1))
	if err != nil {
		return err
	}
	if len(data) > maxInputBytes {
		im.large++
		return nil
	}
	return im.input(data)
}

func (im *rawImport) tell() {
	t, o := im.t, im.out
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "imported", "package": t.s.name(), "target": t.s.fuzz, "dir": t.dirs.found,
			"added": im.added, "known": im.known, "large": im.large, "suppressions": im.silenced,
		})
		return
	}
	more := ""
	if im.silenced > 0 {
		more = ", and " + plural(im.silenced, "suppression")
	}
	o.printer.println("%s.%s: %s added to %s, %d were there%s", t.s.name(), t.s.fuzz, plural(im.added, "input"), o.options.relative(t.dirs.found), im.known, more)
	im.tellLarge()
}

func (im *importing) tellLarge() {
	if im.large > 0 {
		im.out.warn(plural(im.large, "input")+" left out that would take more than "+plural(maxInputBytes>>10, "KiB"), "")
	}
}
