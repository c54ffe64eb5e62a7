package main

import (
	"archive/zip"
	"context"
	"crypto/sha1"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/fuzzfile"
	"foray.test/engine/seq"
)

const importDoc = `Import takes raw inputs, one a file, into the corpus of a fuzz target that has one
argument, a []byte or a string: the corpus of libFuzzer, of OSS-Fuzz (a zip file will
do), or what AFL has written.

  foray corpus import -fuzz FuzzParse -pkg ./parse corpus.zip afl/out

They go where go test keeps the inputs that it finds, its fuzz cache, or below
-outdir. Those that are there already are left out.`

const exportDoc = `Export writes the inputs of a fuzz target that has one argument, a []byte or a
string, as raw files into a directory, named by their SHA-1 as libFuzzer does: those
of f.Add, of testdata/fuzz and of the fuzz cache.

  foray corpus export -fuzz FuzzParse -pkg ./parse seeds`

func rawFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.fuzz, "fuzz", "", "the target, as an `expression` that matches one name")
	packageFlags(fs, o)
}

// rawTarget is a fuzz target whose inputs are bytes.
type rawTarget struct {
	s     *subject
	seeds []input
	dirs  inputDirs
	typ   string // "[]byte" or "string"
}

// openRaw makes the target that the flags name ready.
func openRaw(ctx context.Context, o *options, out *output) (*rawTarget, error) {
	if o.fuzz == "" {
		return nil, &load.Error{Msg: "which fuzz target?", Hint: "-fuzz FuzzXxx names it, -pkg its package"}
	}
	targets, cache, err := findTargets(ctx, o, out)
	if err != nil {
		return nil, err
	}
	if len(targets) != 1 {
		return nil, &load.Error{Place: o.pkg, Msg: fmt.Sprintf("%d packages, want one", len(targets)), Hint: "-pkg names it"}
	}
	name, err := chooseTarget(targets[0], o.fuzz)
	if err != nil {
		return nil, err
	}
	dir, err := o.temps.make()
	if err != nil {
		return nil, err
	}
	defer o.temps.remove(dir)
	s, seeds, err := prepareTarget(ctx, targets[0], name, dir, o, out)
	if err != nil {
		return nil, err
	}
	if s.dir, err = s.storeDir(o, cache); err != nil {
		return nil, err
	}
	if s.listed > 0 {
		return nil, &load.Error{Place: s.name() + "." + s.fuzz, Msg: "it lists operations: its inputs are sequences, not raw bytes"}
	}
	params := s.table.Ops[0].Params
	t := &rawTarget{s: s, seeds: seeds, typ: s.table.Types[params[0]].Name}
	if len(params) != 1 || t.typ != "[]byte" && t.typ != "string" {
		return nil, &load.Error{Place: s.name() + "." + signature(s.table), Msg: "raw inputs are for a target with one argument, []byte or string"}
	}
	t.dirs = s.inputDirs(o, cache)
	return t, nil
}

func runImport(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1<<20, "directories, files or zip files"); err != nil {
		return exitUsage, err
	}
	t, err := openRaw(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	im := &importing{t: t, out: out}
	errs := 0
	for _, place := range o.args {
		if err := im.take(place); err != nil {
			errs += out.errors(&load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": ")})
		}
	}
	im.tell()
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// importing takes raw inputs.
type importing struct {
	t            *rawTarget
	out          *output
	added, known int
	large        int
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
	content := fuzzfile.Append(nil, []fuzzfile.Value{{Type: im.t.typ, Value: string(data)}})
	if len(content) > maxInputBytes {
		im.large++
		return nil
	}
	for _, dir := range im.t.dirs.all {
		if _, err := os.Stat(filepath.Join(dir, fuzzfile.Name(content))); err == nil {
			im.known++
			return nil
		}
	}
	_, err = writeInput(im.t.dirs.found, content)
	if err == nil {
		im.added++
	}
	return err
}

func (im *importing) tell() {
	t, o := im.t, im.out
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "imported", "package": t.s.name(), "target": t.s.fuzz, "dir": t.dirs.found,
			"added": im.added, "known": im.known, "large": im.large,
		})
		return
	}
	o.printer.println("%s.%s: %s added to %s, %d were there", t.s.name(), t.s.fuzz, plural(im.added, "input"), o.options.relative(t.dirs.found), im.known)
	if im.large > 0 {
		o.warn(plural(im.large, "input")+" left out that would take more than "+plural(maxInputBytes>>10, "KiB"), "")
	}
}

func runExport(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1, "the directory to write to"); err != nil {
		return exitUsage, err
	}
	t, err := openRaw(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	inputs := t.seeds
	for _, dir := range t.dirs.all {
		list, err := readInputs(dir)
		if err != nil {
			return exitUsage, err
		}
		inputs = append(inputs, list...)
	}
	dir := o.args[0]
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return exitUsage, &load.Error{Place: dir, Msg: err.Error()}
	}
	written, known := 0, 0
	for _, in := range inputs {
		steps, err := t.s.parseInput(in)
		if err != nil {
			out.warn(fmt.Sprintf("%s: %v", in.name, err), "")
			continue
		}
		isNew, err := writeRaw(dir, steps)
		if err != nil {
			return exitUsage, &load.Error{Place: dir, Msg: err.Error()}
		}
		if isNew {
			written++
		} else {
			known++
		}
	}
	if out.enc != nil {
		out.event(map[string]any{
			"schema": schema, "event": "exported", "package": t.s.name(), "target": t.s.fuzz, "dir": dir, "written": written, "known": known,
		})
		return exitClean, nil
	}
	out.printer.println("%s.%s: %s written to %s, %d were there", t.s.name(), t.s.fuzz, plural(written, "input"), dir, known)
	return exitClean, nil
}

// writeRaw writes the only argument of a call as a file, unless it is there.
func writeRaw(dir string, steps seq.Sequence) (isNew bool, err error) {
	data, _ := steps[0].Args[0].Lit.Value.(string)
	name := filepath.Join(dir, fmt.Sprintf("%x", sha1.Sum([]byte(data))))
	if _, err := os.Stat(name); err == nil {
		return false, nil
	}
	return true, os.WriteFile(name, []byte(data), 0o666)
}
