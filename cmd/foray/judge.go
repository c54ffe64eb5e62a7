package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/engine"
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

// The verdicts of a person on a finding.
const (
	judgedReal  = "real"
	judgedFalse = "false"
)

func newJudge(fs *flag.FlagSet, c *common) runner {
	return func(ctx context.Context) (int, error) {
		const hint = "foray judge -h shows examples"
		if len(c.args) < 3 {
			return exitUsage, &load.Error{Place: "judge", Msg: "want SIGNATURE, real or false, and a REASON", Hint: hint}
		}
		j := judgement{signature: c.args[0], verdict: c.args[1], reason: strings.TrimSpace(c.args[2])}
		if err := j.check(); err != nil {
			return exitUsage, &load.Error{Place: "judge", Msg: err.Error(), Hint: hint}
		}
		if c.args = c.args[3:]; len(c.args) == 0 {
			c.args = []string{"."}
		}
		return c.eachPackage(ctx, func(target *build.Target, _ string) error {
			if target.Where != build.MainModule {
				return &load.Error{Place: target.Path, Msg: "a package outside of the main module", Hint: "judge runs in the module of the package"}
			}
			file := filepath.Join(target.Dir, filepath.FromSlash(knownFile))
			if err := j.write(file); err != nil {
				return err
			}
			c.out.Printf("%s: %s", c.out.Relative(file), j.line())
			return nil
		})
	}
}

// judgement is a line of a list of known findings.
type judgement struct{ signature, verdict, reason string }

func (j *judgement) check() error {
	switch {
	case engine.ParseSignature(j.signature).Kind == "":
		return fmt.Errorf("%q is not a signature: want one such as panic:index:(*Queue).Get", j.signature)
	case j.verdict != judgedReal && j.verdict != judgedFalse:
		return fmt.Errorf("%q, want real or false", j.verdict)
	case j.reason == "" || text.OneLine(j.reason, len(j.reason)) != j.reason:
		return errors.New("the reason must be one line of text")
	}
	return nil
}

// line returns j as the list has it.
func (j *judgement) line() string {
	signature := j.signature
	if strings.Contains(signature, " #") || strings.HasPrefix(signature, `"`) {
		signature = strconv.Quote(signature)
	}
	return signature + "  # " + j.verdict + ": " + j.reason
}

// write writes j into a list, in place of an earlier line on its signature.
func (j *judgement) write(file string) error {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines []string
	found := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if signature, _, err := parseKnown(strings.TrimSpace(line)); err == nil && signature == j.signature {
			if found {
				continue
			}
			line, found = j.line(), true
		}
		lines = append(lines, line)
	}
	if !found {
		lines = append(lines, j.line())
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666)
}
