package bisect

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"foray.test/cmd/internal/farm/record"
	"foray.test/harness/build"
)

// A Trial runs the test of a finding at commits.
type Trial struct {
	Repo   *Repo
	Dir    string         // of the package, below the module
	Fuzz   string         // its fuzz target; empty: the test of the report is run
	Report *record.Report // of the finding
	Flags  []string       // of the go command
	Temp   string         // a directory for binaries
	Runs   int            // how often a test must pass to count as passing
}

// Names that a trial adds to a package.
const (
	trialFile  = "foray_bisect_test.go"
	trialInput = "foraybisect"
)

// Usable reports why a report has nothing that can be run at other commits, if so.
func (t *Trial) Usable() error {
	switch {
	case t.Report == nil || t.Fuzz != "" && len(t.Report.Input) == 0 || t.Fuzz == "" && !testName.MatchString(t.Report.Test):
		return errors.New("the store has no test of it")
	case t.Dir == "":
		return errors.New("its package is not in this module")
	}
	return nil
}

// Try runs the test at a commit. The verdict on a commit that does not compile is final. An
// error is not: a module that cannot be downloaded, for example.
func (t *Trial) Try(ctx context.Context, commit string) (*record.Tried, error) {
	root, err := t.Repo.checkout(ctx, commit)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, filepath.FromSlash(t.Dir))
	tried := &record.Tried{Commit: commit, Verdict: record.Untestable}
	if _, err := os.Stat(dir); err != nil {
		tried.Problem = "there is no directory " + t.Dir
		return tried, nil
	}
	temp, err := os.MkdirTemp(t.Temp, "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	trial := &build.Trial{Dir: dir, Flags: t.Flags, Temp: temp, NoVet: true, Files: map[string][]byte{}}
	if err := t.prepare(trial); err != nil {
		return nil, err
	}
	complaints, err := trial.Check(ctx, trialFile)
	if compile := (*build.CompileError)(nil); errors.As(err, &compile) {
		tried.Problem = compile.Error()
		return tried, nil
	}
	if err != nil {
		return nil, err
	}
	if len(complaints) > 0 {
		tried.Problem = complaints[0].Msg
		return tried, nil
	}
	return tried, t.run(ctx, trial, tried)
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// prepare adds the test to a package. The tests of the package that are of no use here are
// hidden: they may not compile, or have the same test already.
func (t *Trial) prepare(trial *build.Trial) error {
	if t.Fuzz != "" {
		dir := filepath.Join(trial.Dir, "testdata", "fuzz", t.Fuzz)
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, trialInput), t.Report.Input, 0o666)
	}
	tests, err := filepath.Glob(filepath.Join(trial.Dir, "*_test.go"))
	for _, file := range tests {
		trial.Files[filepath.Base(file)] = nil
	}
	trial.Files[trialFile] = []byte(t.Report.Test)
	return err
}

// run runs the test until it fails, and sets the verdict.
func (t *Trial) run(ctx context.Context, trial *build.Trial, tried *record.Tried) error {
	top, name := t.Fuzz, t.Fuzz+"/"+trialInput
	if t.Fuzz == "" {
		top = testName.FindStringSubmatch(t.Report.Test)[1]
		name = top
	}
	for run := range max(t.Runs, 1) {
		ran, err := trial.Run(ctx, []string{top}, 1+run%2)
		switch {
		case err != nil:
			return err
		case slices.Contains(ran.Failed, name):
			tried.Verdict = record.Fails
			return nil
		case len(ran.Failed) > 0:
			tried.Problem = ran.Failed[0] + " fails instead"
			return nil
		}
	}
	tried.Verdict = record.Passes
	return ctx.Err()
}
