//go:build !nofarm

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/farmfile"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/report"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/load"
)

const farmStatusDoc = `Status prints what a farm knows of its targets and findings, with -json all of it.`

func newFarmStatus(fs *flag.FlagSet, c *common) runner {
	o := newFarmOptions(fs, c)
	c.jsonFlag(fs)
	c.verboseFlag(fs, "findings that may be misuse")
	return o.status
}

func (o *farmOptions) status(ctx context.Context) (int, error) {
	v, _, err := o.read(ctx)
	if err != nil {
		return exitUsage, err
	}
	if o.json {
		data, err := v.JSON()
		if err != nil {
			return exitUsage, err
		}
		_, err = os.Stdout.Write(data)
		return exitClean, err
	}
	what := fmt.Sprintf("%s, process %d on %s, since %s", v.Owner.State, v.Owner.PID, v.Owner.Host, v.Owner.Started.Local().Format(time.DateTime))
	if v.Owner.Released {
		what = "ended " + v.Owner.Ended.Local().Format(time.DateTime)
	}
	o.out.Printf("farm: %s; told to be %s; start %d; %d running, %d waiting", what, v.State, v.Owner.Epoch, v.Owner.Queue.Running, v.Owner.Queue.Waiting)
	report.Text(os.Stdout, v, o.verbose)
	return exitClean, nil
}

// read opens the store of a farm that has run before, and reads its state.
func (o *farmOptions) read(ctx context.Context) (*farm.View, store.Store, error) {
	address, err := o.address()
	if err != nil {
		return nil, nil, err
	}
	none := &load.Error{Place: o.out.Relative(address), Msg: "no farm has run here", Hint: "foray farm run ./... starts one"}
	if _, err := os.Stat(address); errors.Is(err, fs.ErrNotExist) && !strings.Contains(address, "://") {
		return nil, nil, none // opening would make it
	}
	s, _, err := o.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	v, err := farm.Read(ctx, s)
	if err == nil && v.Owner.Epoch == 0 {
		err = none
	}
	return v, s, o.explain(err)
}

const farmPauseDoc = `Pause has a farm give out no more jobs until resume; drain ends it once no job runs.
The farm notices within seconds.`

// setFarmState returns a command that tells a farm what to do.
func setFarmState(to farm.ControlState) func(*flag.FlagSet, *common) runner {
	return func(fs *flag.FlagSet, c *common) runner {
		o := newFarmOptions(fs, c)
		return func(ctx context.Context) (int, error) {
			v, s, err := o.read(ctx)
			if err != nil {
				return exitUsage, err
			}
			if err := farm.SetState(ctx, s, to); err != nil {
				return exitUsage, o.explain(err)
			}
			noticed := "it notices within seconds"
			if v.Owner.Released {
				noticed = "none runs now"
			}
			o.out.Printf("farm: told to be %s; %s", to, noticed)
			return exitClean, nil
		}
	}
}

const farmReportDoc = `Report writes the targets and findings of a farm for other programs: as markdown, for
the summary of a GitHub step; as sarif, for code scanning; as junit, for reports of
tests; as json; or as a patch that adds the tests of open findings. It exits 1 if there
is a finding of tier error that is neither fixed nor silenced.

  foray farm report -format markdown >> "$GITHUB_STEP_SUMMARY"
  foray farm report -format sarif > foray.sarif
  foray farm report -format patch | git apply`

// farmReportOptions are the options of foray farm report.
type farmReportOptions struct {
	*farmOptions
	format string
}

func newFarmReport(fs *flag.FlagSet, c *common) runner {
	o := &farmReportOptions{farmOptions: newFarmOptions(fs, c)}
	fs.StringVar(&o.format, "format", formatText, "write as `format`: text, markdown, sarif, junit, json\nor patch")
	c.verboseFlag(fs, "findings that may be misuse, as text")
	return o.run
}

func (o *farmReportOptions) run(ctx context.Context) (int, error) {
	v, s, err := o.read(ctx)
	if err != nil {
		return exitUsage, err
	}
	in, err := o.input(ctx, v, s)
	if err != nil {
		return exitUsage, err
	}
	switch o.format {
	case formatText:
		report.Text(os.Stdout, v, o.verbose)
	case "markdown":
		err = report.Markdown(os.Stdout, in)
	case "sarif":
		err = report.SARIF(os.Stdout, in)
	case "junit":
		err = report.JUnit(os.Stdout, in)
	case "patch":
		_, err = os.Stdout.WriteString(report.Patch(in, report.Open(v)))
	case "json":
		var data []byte
		if data, err = v.JSON(); err == nil {
			_, err = os.Stdout.Write(data)
		}
	default:
		err = &load.Error{Place: "-format", Msg: fmt.Sprintf("%q, want text, markdown, sarif, junit, json or patch", o.format)}
	}
	if err != nil {
		return exitUsage, err
	}
	if report.Fails(v) {
		return exitFindings, nil
	}
	return exitClean, nil
}

// input reads the reports of findings, and finds the places of what fails.
func (o *farmReportOptions) input(ctx context.Context, v *farm.View, s store.Store) (report.Input, error) {
	in := report.Input{View: v, Reports: map[string]*record.Report{}, Prefix: repositoryPrefix(ctx), Version: version()}
	root, err := moduleRoot()
	if err != nil {
		return in, err
	}
	in.Places = report.Locate(v, root)
	for i := range v.Findings {
		f := &v.Findings[i]
		r, err := farm.Report(ctx, s, f)
		if err != nil {
			o.log("%v", err)
			continue
		}
		in.Reports[f.Key] = r
	}
	return in, nil
}

const farmSilenceDoc = `Silence has a farm tell of a finding no more: it names the finding by its signature, and
says why. The finding is counted as silenced. Without -reason it is told again.`

func newFarmSilence(fs *flag.FlagSet, c *common) runner {
	o := newFarmOptions(fs, c)
	reason := ""
	fs.StringVar(&reason, "reason", "", "say `why`, such as 'issue 41'")
	return func(ctx context.Context) (int, error) {
		if len(o.args) != 1 {
			return exitUsage, &load.Error{Msg: "foray farm silence: want one signature", Hint: "foray farm status prints the signatures"}
		}
		_, s, err := o.read(ctx)
		if err != nil {
			return exitUsage, err
		}
		if err := farm.Silence(ctx, s, o.args[0], reason); err != nil {
			return exitUsage, &load.Error{Msg: err.Error(), Hint: cmp.Or(o.hint(err), "foray farm status -v prints the signatures")}
		}
		if reason == "" {
			o.out.Printf("farm: %s is told again", o.args[0])
		} else {
			o.out.Printf("farm: %s is silenced: %s", o.args[0], reason)
		}
		return exitClean, nil
	}
}

const farmInitDoc = `Init writes a farm file with a comment on each field, for foray farm run -f.`

func newFarmInit(fs *flag.FlagSet, c *common) runner {
	name := ""
	fs.StringVar(&name, "o", "foray-farm.yaml", "write `file`, which must not be there")
	return func(context.Context) (int, error) {
		if err := writeNew(name, farmfile.Template); err != nil {
			return exitUsage, err
		}
		c.out.Printf("written: %s", c.out.Relative(name))
		return exitClean, nil
	}
}

// writeNew writes a file that is not there yet.
func writeNew(name, content string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &load.Error{Place: name, Msg: "is there already", Hint: "-o names another file"}
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
