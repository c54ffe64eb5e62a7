package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/load"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

const exportDoc = `Export writes the inputs of a fuzz target that has one argument, a []byte or a
string, as raw files into a directory, named by their SHA-1 as libFuzzer does: those
of f.Add, of testdata/fuzz and of the fuzz cache.

  foray corpus export -fuzz FuzzParse -pkg ./parse seeds
  foray corpus export -fuzz . -pkg ./... seeds
  foray corpus export -format go-fuzz -fuzz Fuzz workdir

Those of several targets go to DIR/<import path>/<target>. As a workdir of go-fuzz,
inputs that fail go to crashers, with what they print, and what silences them to
suppressions; all are run to tell which.`

func exportFlags(fs *flag.FlagSet, o *options) { rawFlags(fs, o, "write") }

func runExport(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1, "the directory to write to"); err != nil {
		return exitUsage, err
	}
	ts, err := openRaw(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	return ts.each(ctx, func(t *rawTarget) error {
		ex := &exporting{t: t, out: out, dir: filepath.Join(o.args[0], t.below)}
		if err := ex.export(ctx, o.format); err != nil {
			return &load.Error{Place: ex.dir, Msg: err.Error()}
		}
		ex.tell()
		return nil
	})
}

// exporting writes raw inputs.
type exporting struct {
	t              *rawTarget
	out            *output
	dir            string
	written, known int
	crashers       int // among them
}

func (ex *exporting) export(ctx context.Context, format string) error {
	var calls []seq.Sequence
	inputs := ex.t.seeds
	for _, dir := range ex.t.dirs.all {
		list, err := readInputs(dir)
		if err != nil {
			return err
		}
		inputs = append(inputs, list...)
	}
	for _, in := range inputs {
		steps, err := ex.t.s.parseInput(in)
		if err != nil {
			ex.out.warn(fmt.Sprintf("%s: %v", in.name, err), "")
			continue
		}
		calls = append(calls, steps)
	}
	if err := os.MkdirAll(ex.dir, 0o777); err != nil {
		return err
	}
	if format == formatGoFuzz {
		return ex.workdir(ctx, calls)
	}
	for _, steps := range calls {
		if err := ex.count(gofuzz.Put(ex.dir, rawBytes(steps))); err != nil {
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
		ex.written++
	} else {
		ex.known++
	}
	return err
}

// workdir writes the inputs as go-fuzz keeps them.
func (ex *exporting) workdir(ctx context.Context, calls []seq.Sequence) error {
	s := ex.t.s
	if err := gofuzz.Make(ex.dir); err != nil {
		return err
	}
	var errs []error
	_, err := replay.All(ctx, s.config(ex.t.spawn), calls, func(i int, res replay.Shown) {
		data := rawBytes(calls[i])
		if res.Error != nil {
			ex.out.warn(fmt.Sprintf("input %s: %v", gofuzz.Name(data), res.Error), "")
			return
		}
		if v := res.Verdict; v != nil && v.Tier != engine.Illegal {
			ex.crashers++
			errs = append(errs, ex.count(gofuzz.PutCrasher(ex.dir, data, s.crash(v))))
			return
		}
		errs = append(errs, ex.count(gofuzz.Put(filepath.Join(ex.dir, gofuzz.Corpus), data)))
	})
	suppressions, readErr := s.readSuppressions()
	for _, c := range suppressions {
		_, err := gofuzz.Put(filepath.Join(ex.dir, gofuzz.Suppressions), c.Suppression())
		errs = append(errs, err)
	}
	return errors.Join(append(errs, err, readErr)...)
}

func (ex *exporting) tell() {
	t := ex.t
	if ex.out.enc != nil {
		ex.out.event(map[string]any{
			"schema": schema, "event": "exported", "package": t.s.name(), "target": t.s.fuzz, "dir": ex.dir,
			"written": ex.written, "known": ex.known, "crashers": ex.crashers,
		})
		return
	}
	more := ""
	if ex.crashers > 0 {
		more = fmt.Sprintf(", %d of them crashers", ex.crashers)
	}
	ex.out.printer.println("%s.%s: %s written to %s, %d were there%s", t.s.name(), t.s.fuzz, plural(ex.written, "input"), ex.dir, ex.known, more)
}
