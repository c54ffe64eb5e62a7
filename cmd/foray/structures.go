package main

import (
	"context"
	"errors"
	"flag"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/twin"
	"foray.test/cmd/internal/whitebox"
	"foray.test/harness/build"
)

// whiteBox are the options of solving for structures.
type whiteBox struct {
	objects positive
	all     bool
	file    string
	seeds   string
}

func (o *whiteBox) flags(fs *flag.FlagSet) {
	o.objects = 4
	fs.Var(&o.objects, "objects", "structures have `n` objects of a type at most (default 4)")
	fs.BoolVar(&o.all, "all", false, "write a test for each path on structures, not only for sides")
	fs.StringVar(&o.file, "o", "", "write the tests on structures to `file`, beside the package")
	fs.StringVar(&o.seeds, "seeds", "", "write a function that returns the receivers to `file`, for foray fuzz")
}

// method solves for the method of -func. It needs no worker.
func (o *solveOptions) method(ctx context.Context, target *build.Target) error {
	o.out.Stage("interpreting " + target.Path)
	defer o.out.Quiet()
	prog, err := concolic.Load(concolic.Config{Context: ctx, Dir: target.WorkDir, Env: target.Env, Flags: target.Flags, Patterns: []string{target.Path}})
	if err != nil {
		return &load.Error{Place: target.Path, Msg: err.Error()}
	}
	return o.structures(ctx, target, prog)
}

// hasStructures reports whether the function of -func has structures for arguments.
func (o *solveOptions) hasStructures(target *build.Target, prog *concolic.Program) (bool, error) {
	if o.function == "" {
		return false, nil
	}
	fn, err := whitebox.Find(prog.Fset, prog.Targets[0], o.function)
	if err != nil || whitebox.HasStructures(fn) {
		return true, err
	}
	if o.file != "" || o.seeds != "" {
		err = &load.Error{Place: target.Path, Msg: "-o, -seeds: " + o.function + " has no structures for arguments", Hint: "foray gen writes tests of what is solved for"}
	}
	return false, err
}

// structures solves for the function of -func, which has structures for arguments.
func (o *solveOptions) structures(ctx context.Context, target *build.Target, prog *concolic.Program) error {
	r, err := whitebox.Solve(prog, prog.Targets[0], whitebox.Config{
		Func: o.function, Objects: int(o.objects), Runs: int(o.runs), Seed: o.seed.n, All: o.all, Stop: func() bool { return ctx.Err() != nil },
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	e := &event.Structures{
		Package: target.Path, Function: o.function, Precondition: r.Pred, Objects: int(o.objects), Paths: r.Paths, Completions: r.Stats.Completions,
		Unfinished: r.Stats.Unfinished, Cut: r.Cut, Taken: r.Taken, Sides: r.Of, Lost: newProposals(&r.Stats, 0).Lost, Tests: []event.StructureTest{},
	}
	for _, t := range r.Tests {
		e.Tests = append(e.Tests, event.StructureTest{Code: t.Code, Panic: t.Panic})
	}
	if o.file != "" {
		if e.File, err = o.writeFile(target, o.file, whitebox.Mark, r.File); err != nil {
			return err
		}
	}
	if o.seeds != "" {
		if r.Seeds == nil {
			return &load.Error{Place: target.Path, Msg: "-seeds: " + o.function + " is no method of an exported type", Hint: "-o writes tests"}
		}
		if e.Seeds, err = o.writeFile(target, o.seeds, twin.SolvedMark, r.Seeds); err != nil {
			return err
		}
	}
	o.out.Quiet()
	o.out.Print(e)
	return nil
}

// writeFile writes a file of a package of the user's own.
func (o *solveOptions) writeFile(target *build.Target, file, mark string, source []byte) (string, error) {
	if err := wantOwn(target, "leave out -o and -seeds"); err != nil {
		return "", err
	}
	file, err := writeGenerated(o.common, target, generated{file, mark, "solve", source})
	if err != nil {
		return "", err
	}
	return o.out.Relative(file), nil
}
