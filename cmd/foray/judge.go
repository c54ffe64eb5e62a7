package main

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
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

A signature that no stored finding has is refused, for it may be mistyped. With -unstored
it is written all the same: another machine or a run that stored nothing has shown it. If
nothing is stored at all, judge only says so.

It runs nothing. The exit status is 0 if the verdict was written, 2 otherwise.`

func newJudge(fs *flag.FlagSet, c *common) runner {
	unstored := fs.Bool("unstored", false, "write of a finding that is not stored, too")
	fs.StringVar(&c.outdir, "outdir", "", "look for the finding in `dir` (default: the fuzz cache of\nthe go command)")
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
		return c.eachPackage(ctx, func(target *build.Target) error {
			if target.Where != build.MainModule {
				return &load.Error{Place: target.Path, Msg: "a package outside of the main module", Hint: "judge runs in the module of the package"}
			}
			if err := newSubject(target, c).isFinding(j.Signature); err != nil && !*unstored {
				return err
			}
			file := filepath.Join(target.Dir, filepath.FromSlash(known.File))
			err := j.Write(file)
			if busy := (*known.BusyError)(nil); errors.As(err, &busy) {
				return &load.Error{Place: target.Path, Msg: err.Error(), Hint: "remove it if no foray judge runs"}
			}
			if err != nil {
				return load.NotWritten("judge", target.Path, c.out.Relative(filepath.Dir(file)), err)
			}
			c.out.Printf("%s: %s", c.out.Relative(file), j.Line())
			return nil
		})
	}
}

// isFinding returns an error if findings are stored, or listed as known, and none has a signature.
func (s *subject) isFinding(signature string) error {
	listed, _ := known.Read(s.target.Dir)
	if listed.Lines[signature]+listed.Real[signature] > 0 {
		return nil
	}
	dir, err := s.storeDir()
	if err != nil {
		return err
	}
	var findings []store.Finding
	if st, err := store.View(dir); err == nil {
		findings, _, err = st.Findings()
		if err != nil {
			return err
		}
	}
	if len(findings) == 0 {
		s.out.Warn(s.target.Path+": nothing is stored to look for "+signature, "-outdir names the place of the findings")
		return nil
	}
	names := make([]string, len(findings))
	for i, f := range findings {
		names[i] = f.Signature
	}
	if slices.Contains(names, signature) {
		return nil
	}
	hint := "foray replay " + s.name() + " shows those that are;"
	if near := text.Nearest(signature, names); near != "" {
		hint = "did you mean " + text.Quote(near) + "?"
	}
	return &load.Error{Place: s.target.Path, Msg: "no finding " + signature + " is stored", Hint: hint + " -unstored writes the line all the same"}
}
