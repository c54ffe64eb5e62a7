//go:build !nofarm

package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/bisect"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/load"
)

const farmBisectDoc = `Bisect finds the commits that brought findings. It runs the test of a finding at the
commit at which the farm saw it, at one before it came, and at commits between, in a
clone that it removes afterwards. If it knows none at which the test passes, it tries the
parents of the first, further and further back.

Without signatures, it bisects all findings of tier error and panic that are neither
fixed nor silenced, each once. What it has tried is in the store: after an interruption
it goes on. foray farm status, reports and pages show what it has found.

  foray farm bisect
  foray farm bisect -good v1.4.0 'panic:index:(*Queue).Get'`

func newFarmBisect(fs *flag.FlagSet, c *common) runner {
	o := newFarmOptions(fs, c)
	good, bad := "", ""
	fs.StringVar(&good, "good", "", "begin with a `commit` before the finding came (default: the last\none that the farm ran without seeing it)")
	fs.StringVar(&bad, "bad", "", "begin with a `commit` at which it fails (default: the last one at\nwhich the farm saw it)")
	return func(ctx context.Context) (int, error) { return o.bisect(ctx, good, bad) }
}

func (o *farmOptions) bisect(ctx context.Context, good, bad string) (int, error) {
	v, s, err := o.read(ctx)
	if err != nil {
		return exitUsage, err
	}
	findings, err := o.chosen(v)
	if err != nil {
		return exitUsage, err
	}
	if len(findings) == 0 {
		o.out.Printf("farm: nothing to bisect")
		return exitClean, nil
	}
	b, err := o.bisector(ctx, s, good, bad)
	if err != nil {
		return exitUsage, err
	}
	code := exitClean
	for i := range findings {
		f := &findings[i]
		o.out.Printf("farm: bisecting %s of %s", f.Signature, v.Name(f.Target))
		found, err := b.Finding(ctx, v, f)
		if ctx.Err() != nil {
			return exitUsage, ctx.Err()
		}
		if err != nil {
			o.log("%v", err)
			if len(o.args) > 0 {
				code = exitUsage
			}
			continue
		}
		o.out.Printf("%s", found)
	}
	return code, nil
}

// chosen returns the findings that the arguments name, or else all that are due.
func (o *farmOptions) chosen(v *farm.View) ([]ledger.Finding, error) {
	if len(o.args) == 0 {
		return slices.DeleteFunc(slices.Clone(v.Findings), func(f ledger.Finding) bool { return !farm.Due(&f) }), nil
	}
	var list []ledger.Finding
	for _, name := range o.args {
		n := len(list)
		for _, f := range v.Findings {
			if f.Signature == name || f.Key == name {
				list = append(list, f)
			}
		}
		if len(list) == n {
			return nil, &load.Error{Msg: fmt.Sprintf("%q: no finding has this signature or key", name), Hint: "foray farm status -v prints the signatures"}
		}
	}
	return list, nil
}

// bisector returns what bisects findings of the module at hand.
func (o *farmOptions) bisector(ctx context.Context, s store.Store, good, bad string) (*farm.Bisector, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	clone, err := o.temps.make()
	if err != nil {
		return nil, err
	}
	temp, err := o.temps.make()
	if err != nil {
		return nil, err
	}
	repo, err := bisect.Clone(ctx, root, clone)
	if err != nil {
		return nil, &load.Error{Msg: err.Error(), Hint: "foray farm bisect works in a checkout of git"}
	}
	b := &farm.Bisector{Store: s, Repo: repo, Flags: o.build, Temp: temp, Log: func(format string, args ...any) { o.out.Printf("  "+format, args...) }}
	for name, to := range map[string]*string{good: &b.Good, bad: &b.Bad} {
		if name == "" {
			continue
		}
		if *to, err = repo.Resolve(ctx, name); err != nil {
			return nil, &load.Error{Place: name, Msg: err.Error()}
		}
	}
	return b, nil
}
