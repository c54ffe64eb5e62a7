package main

import (
	"context"
	"flag"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

const judgeDoc = `Judge writes your verdict on a finding, real or false, with a reason of one line into
testdata/foray/known of its package, or replaces an earlier one. SIGNATURE is printed
with each finding.

  foray judge 'panic:index:(*Queue).Get' false 'the caller checks Len first'
  foray judge 'panic:nil:Parse' real 'issue 41' ./parse

A finding that is false is not shown any more, and fails no run. Findings of the
same cause, crashes in the same function of the package, are suspects from then on.
A real one is shown as before; the line keeps the reason.

It runs nothing. The exit status is 0 if the verdict was written, 2 otherwise.`

func newJudge(fs *flag.FlagSet, c *common) runner {
	return func(ctx context.Context) (int, error) {
		const hint = "foray judge -h shows examples"
		if len(c.args) < 3 {
			return exitUsage, &load.Error{Place: "judge", Msg: "want SIGNATURE, real or false, and a REASON", Hint: hint}
		}
		j := known.Judgement{Signature: c.args[0], Verdict: c.args[1], Reason: strings.TrimSpace(c.args[2])}
		if err := j.Check(); err != nil {
			return exitUsage, &load.Error{Place: "judge", Msg: err.Error(), Hint: hint}
		}
		if c.args = c.args[3:]; len(c.args) == 0 {
			c.args = []string{"."}
		}
		return c.eachPackage(ctx, func(target *build.Target, _ string) error {
			if target.Where != build.MainModule {
				return &load.Error{Place: target.Path, Msg: "a package outside of the main module", Hint: "judge runs in the module of the package"}
			}
			file := filepath.Join(target.Dir, filepath.FromSlash(known.File))
			if err := j.Write(file); err != nil {
				return load.NotWritten("judge", target.Path, c.out.Relative(filepath.Dir(file)), err)
			}
			c.out.Printf("%s: %s", c.out.Relative(file), j.Line())
			return nil
		})
	}
}
