package usage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/coverage/instrument"
	"foray.test/engine/confine"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/record"
)

// recordTime bounds a run of tests that is recorded. Tests set it.
var recordTime = time.Minute

// A Recording is a run of a package's tests that is recorded.
type Recording struct {
	functions []instrument.Function
	file      string // of the record
	ended     chan struct{}
	cmd       *exec.Cmd
	killGroup func() // kills the process and its children
	note      string
	survived  bool
}

// StartRecording builds the tests of a package with probes, and starts them. It works below
// dir, where the tests may write, too, and nowhere else unless they are unconfined. The error
// says why the tests cannot run.
func StartRecording(ctx context.Context, p *load.Package, dir string, unconfined bool) (*Recording, error) {
	binary, functions, err := buildRecording(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	r := &Recording{functions: functions, ended: make(chan struct{})}
	if err := r.start(ctx, p, binary, dir, unconfined); err != nil {
		return nil, err
	}
	return r, nil
}

// start starts the tests of a package that have been built.
func (r *Recording) start(ctx context.Context, p *load.Package, binary, dir string, unconfined bool) error {
	temp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temp, 0o777); err != nil {
		return err
	}
	r.file = filepath.Join(temp, "record")
	args := build.GiveWay(binary, "-test.short", "-test.paniconexit0", "-test.timeout=0")
	r.cmd = exec.Command(args[0], args[1:]...)
	r.cmd.Dir = p.Dir
	r.cmd.Env = append(os.Environ(), record.EnvFile+"="+r.file, "PWD="+p.Dir, "GOTRACEBACK=none")
	r.cmd.Env = append(r.cmd.Env, confine.TempEnv(temp)...)
	r.cmd.SysProcAttr = build.ChildAttr(true, syscall.SIGKILL)
	wait, err := build.Start(r.cmd, temp, unconfined)
	if err != nil {
		return err
	}
	r.killGroup = build.Ender(r.cmd)
	go r.watch(ctx, wait)
	return nil
}

// watch waits for the end of the tests, and ends them when their time is over.
func (r *Recording) watch(ctx context.Context, wait func() error) {
	defer close(r.ended)
	timer := time.NewTimer(recordTime)
	defer timer.Stop()
	done := make(chan error, 1)
	go func() { done <- wait() }()
	var err error
	select {
	case err = <-done:
	case <-timer.C:
		r.note = fmt.Sprintf("tests stopped after %v", recordTime)
	case <-ctx.Done():
		r.note = "tests stopped at the end of the run"
	}
	r.killGroup()
	_ = r.cmd.Process.Kill()
	if r.note != "" {
		<-done
		return
	}
	r.survived = true
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.survived = exit.ExitCode() == 1 // some test failed
		r.note = "tests ended with " + exit.ProcessState.String()
	}
}

// Use waits for the end of the tests and returns the use that they made of the package. t is
// the table of the package, dropped are its operations that cannot be called.
func (r *Recording) Use(p *load.Package, tests []load.Tests, t *seq.Table, dropped []seq.OpID) *Usage {
	<-r.ended
	data, err := os.ReadFile(r.file)
	if err != nil && r.note == "" {
		r.note = "tests call nothing"
	}
	u := readRecord(data, r.survived, r.functions, p, tests, t, dropped)
	u.Note = r.note
	return u
}

// buildRecording builds the test binary of a package with probes.
func buildRecording(ctx context.Context, p *load.Package, dir string) (binary string, functions []instrument.Function, err error) {
	sources, functions := instrument.Record(instrument.Package{
		Path: p.Path, Fset: p.Fset, Files: p.Files, Names: p.GoFiles, Sources: p.Sources, Types: p.Types, Info: p.Info,
	}, build.RecordPath)
	binary, err = build.BuildTests(ctx, &p.Target, sources, dir)
	return binary, functions, err
}
