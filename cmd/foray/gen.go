package main

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"strconv"

	"foray.test/cmd/internal/gentest"
	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

const genDoc = `Gen writes what earlier runs of foray fuzz have stored as Go tests into the
directory of each package: its findings, which fail until the bug is fixed, as
foray_fail_test.go, and regression tests of its corpus, which pass until the
package behaves differently, as foray_regression_test.go.

  foray fuzz . && foray gen .
  foray gen -regression ./...
  foray gen -o DIR container/list     # a module in DIR that tests list

The tests import only the package under test and the standard library. A file has the
build constraints of the functions that its tests call. A regression test asserts the
results of calls, and of later calls that only read, but never of calls that show a
finding. Of many, gen writes some 15 (-n), those that show the most. Tests of findings
that are fixed stay, and pass; those of suspects are written with -suspects, and of
findings that testdata/foray/known lists none.
Gen leaves out tests that do not compile, that go vet objects to, or that behave
differently in fresh processes. It names those of findings, and with -v all. It
overwrites no file that it has not written.

The exit status is 0 if all was written, 2 otherwise. Of several packages, one
with nothing to write is no failure.`

// genOptions are the options of foray gen.
type genOptions struct {
	*common
	failing    bool
	regression bool
	suspects   bool
	most       int
	nothing    bool   // the last package had nothing to write
	dir        string // -o: for tests of packages outside of the main module
}

func newGen(fs *flag.FlagSet, c *common) runner {
	o := &genOptions{common: c}
	fs.BoolVar(&o.failing, "failing", false, "write tests of the findings only")
	fs.BoolVar(&o.regression, "regression", false, "write regression tests of the corpus only")
	fs.BoolVar(&o.suspects, "suspects", false, "write tests of suspects, too")
	o.most = 15
	fs.Func("n", "write at most `n` regression tests a package, chosen by what they\nshow (default 15); 0: all", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return errors.New("want a number, zero or above")
		}
		o.most = int(n)
		return nil
	})
	fs.StringVar(&o.dir, "o", "", "write a module with the tests of a package outside of the main\nmodule into `dir`; of several packages, a module below it for each")
	c.readFlags(fs)
	c.verboseFlag(fs, "build steps, every entry without a test")
	return o.run
}

func (o *genOptions) run(ctx context.Context) (int, error) {
	if !o.failing && !o.regression {
		o.failing, o.regression = true, true
	}
	targets, err := findTargets(ctx, o.common)
	return o.each(ctx, targets, err, func(target *build.Target) error {
		dir := o.dir
		if dir != "" && len(targets) > 1 {
			dir = filepath.Join(dir, filepath.FromSlash(target.Path))
		}
		err := o.one(ctx, target, dir)
		if err != nil && o.nothing && len(targets) > 1 {
			o.nothing = false
			o.out.Note(err.Error())
			return nil
		}
		return err
	})
}

// none returns the error that there is no test to write, which is none of one package among
// many.
func (o *genOptions) none(target *build.Target, msg, hint string) error {
	o.nothing = true
	return &load.Error{Place: target.Path, Msg: msg, Hint: hint}
}

// one writes the tests of one package, into a module in dir if that is not empty.
func (o *genOptions) one(ctx context.Context, target *build.Target, dir string) error {
	temp, err := o.temps.make()
	if err != nil {
		return err
	}
	defer o.temps.remove(temp)
	module, err := o.temps.make()
	if err != nil {
		return err
	}
	defer o.temps.remove(module)
	place, err := gentest.NewPlace(target, dir, module)
	if err != nil {
		return err
	}
	g := &gentest.Generator{Place: place, Temp: temp, Flags: o.build, Failing: o.failing, Regression: o.regression, Suspects: o.suspects, Most: o.most, Out: o.out}
	if err := g.MayWrite(); err != nil {
		return err
	}
	s, err := openSubject(ctx, target, o.common)
	if err != nil {
		return err
	}
	spawn := s.spawn(temp)
	entries, findings, err := s.readStored(ctx, spawn)
	if err != nil {
		return err
	}
	spawn.AfterPanic = true // the run that made the findings may have had it
	g.Name, g.Version, g.Table, g.Config, g.Conditions, g.Unconfined = s.name(), s.version, s.table, s.config(spawn), s.found.Conditions, s.free
	g.Known = s.readKnown().Lines
	done, err := g.Write(ctx, findings, entries)
	if errors.Is(err, gentest.ErrNothing) {
		fuzz := "foray fuzz "
		if o.outdir != "" {
			fuzz += "-outdir " + o.outdir + " "
		}
		return o.none(target, err.Error(), fuzz+target.Path+" first")
	}
	if err != nil {
		return err
	}
	o.out.Print(done)
	if len(done.Files) == 0 {
		return o.none(target, "no test is left to write", "foray replay "+target.Path+" shows which stored sequences fail")
	}
	return nil
}
