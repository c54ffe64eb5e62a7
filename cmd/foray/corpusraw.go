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
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
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

func (o *rawOptions) flags(fs *flag.FlagSet, verb string) {
	fs.StringVar(&o.fuzz, "fuzz", "", "the targets, as an `expression` that matches their names")
	fs.StringVar(&o.format, "format", formatRaw, verb+" `raw` files or go-fuzz: its workdir, with crashers and\nsuppressions (import knows one by itself)")
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

// rawTargets are the targets of an import or export.
type rawTargets struct {
	chosen []choice
	cache  string
	out    *event.Printer
}

// open finds the targets that the flags name.
func (o *rawOptions) open(ctx context.Context) (*rawTargets, error) {
	if o.fuzz == "" {
		return nil, &load.Error{Msg: "which fuzz target?", Hint: "-fuzz FuzzXxx names it, -pkg its package"}
	}
	if o.format != formatRaw && o.format != formatGoFuzz {
		return nil, &load.Error{Place: "-format", Msg: fmt.Sprintf("%q, want raw or go-fuzz", o.format)}
	}
	chosen, packages, cache, err := chooseTargets(ctx, o.common, o.fuzz)
	if err == nil && len(chosen) == 0 {
		err = &load.Error{Place: o.pkg, Msg: fmt.Sprintf("no fuzz target of %s matches %q", text.Plural(packages, "package"), o.fuzz)}
	}
	return &rawTargets{chosen, cache, o.out}, err
}

// each does f for each target and returns the exit code. One that takes no raw
// inputs is left out with a warning, unless it is the only one.
func (ts *rawTargets) each(ctx context.Context, f func(t *rawTarget) error) (int, error) {
	errs := 0
	for _, c := range ts.chosen {
		err := ts.with(ctx, c, f)
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		var unfit *unfitError
		switch {
		case errors.As(err, &unfit) && len(ts.chosen) > 1:
			ts.out.Warn(unfit.Error(), "")
		case ctx.Err() != nil:
			return exitUsage, err
		default:
			errs += ts.out.Errors(err)
		}
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// unfitError is the error of a target that takes no raw inputs.
type unfitError struct{ err *load.Error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// with makes a target ready and does f.
func (ts *rawTargets) with(ctx context.Context, c choice, f func(t *rawTarget) error) error {
	dir, err := c.temps.make()
	if err != nil {
		return err
	}
	defer c.temps.remove(dir)
	s, seeds, err := prepareTarget(ctx, c, dir)
	if err != nil {
		return err
	}
	if s.dir, err = s.storeDir(ts.cache); err != nil {
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
	t.dirs = s.inputDirs(ts.cache)
	if len(ts.chosen) > 1 {
		t.below = filepath.Join(filepath.FromSlash(s.target.Path), s.fuzz)
	}
	return f(t)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
