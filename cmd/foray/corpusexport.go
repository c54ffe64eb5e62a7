package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/fuzztarget"
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

func newExport(fs *flag.FlagSet, c *common) runner {
	o := &rawOptions{common: c}
	o.flags(fs, "write")
	return o.runExport
}

func (o *rawOptions) runExport(ctx context.Context) (int, error) {
	if err := o.wants(1, 1, "the directory to write to"); err != nil {
		return exitUsage, err
	}
	ts, err := o.open(ctx)
	if err != nil {
		return exitUsage, err
	}
	return ts.each(ctx, func(t *rawTarget) error {
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
