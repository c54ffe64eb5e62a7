package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/event"
)

// A program is a foray that was built.
type program struct {
	path    string
	version string // a hash of the file
}

// moduleRoot returns the directory of the project.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := goOutput(ctx, "", nil, "list", "-m", "-f={{.Dir}}", "foray.test")
	return strings.TrimSpace(out), err
}

// openProgram returns the program at path or, if that is empty, builds one. It is
// kept under its hash, for foray knows the workers it has built by the program
// that built them.
func openProgram(ctx context.Context, root, path string) (program, error) {
	if path != "" {
		abs, err := filepath.Abs(path)
		if err != nil {
			return program{}, err
		}
		version, err := hashFile(abs)
		return program{abs, version}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return program{}, err
	}
	tmp, err := os.MkdirTemp(cache, ".foray-")
	if err != nil {
		return program{}, err
	}
	defer os.RemoveAll(tmp)
	built := filepath.Join(tmp, "foray")
	if _, err := goOutput(ctx, root, nil, "build", "-trimpath", "-buildvcs=false", "-o", built, "./cmd/foray"); err != nil {
		return program{}, err
	}
	version, err := hashFile(built)
	if err != nil {
		return program{}, err
	}
	p := program{filepath.Join(cache, "foray-"+version), version}
	if _, err := os.Stat(p.path); err == nil {
		return p, nil
	}
	return p, os.Rename(built, p.path)
}

// cacheDir returns the directory for files that one run of bench leaves to the
// next.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "foray-bench")
	return dir, os.MkdirAll(dir, 0o777)
}

// emptyDir returns the directory that foray runs in, in no module. It is always
// the same, for foray knows packages by where they were asked for.
func emptyDir() (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "empty")
	return dir, os.MkdirAll(dir, 0o777)
}

func hashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:10], nil
}

// goOutput runs the go command and returns its standard output. env is added to
// the environment.
func goOutput(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, firstLine(stderr.String()+string(out)))
	}
	return string(out), nil
}

// A report is the output of a run of foray.
type report struct {
	findings []finding
	packages []packageEvent
	frontier []frontierEvent
	summary  summary
	exit     int
	wall     time.Duration
	cpu      time.Duration // of foray and of all processes that it has waited for
	stderr   []string      // warnings and errors, line by line
}

// The JSON events of foray, as far as they are of use here.
type (
	finding       = event.Finding
	memberRow     = event.Member
	frontierEvent = event.FrontierSide

	packageEvent struct {
		event.Package
		RestartSeconds []float64 `json:"restart_seconds"`
	}
	summary struct {
		event.Summary
		CPUSeconds   float64 `json:"cpu_seconds"`
		ConfirmCPU   float64 `json:"confirm_cpu_seconds"`
		ReadySeconds float64 `json:"ready_seconds"`
	}
)

// shown returns the signatures of the findings that people see, the surest first.
func (r *report) shown() []string {
	var list []string
	for _, p := range r.packages {
		list = append(list, p.Shown...)
	}
	return list
}

// A lineWriter hands on the text that is written to it, line by line.
type lineWriter struct {
	rest []byte
	take func(line string)
}

// Write implements [io.Writer].
func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.rest = rest
		w.take(string(line))
	}
}

// parse reads the events that foray printed.
func (r *report) parse(stdout []byte) error {
	for line := range bytes.Lines(stdout) {
		var kind struct{ Event string }
		if err := json.Unmarshal(line, &kind); err != nil {
			return fmt.Errorf("foray printed %.80q: %w", line, err)
		}
		var err error
		switch kind.Event {
		case "finding", "replayed":
			var f finding
			if err = json.Unmarshal(line, &f); f.Unconfirmed == "" {
				r.findings = append(r.findings, f)
			}
		case "frontier":
			var f frontierEvent
			err = json.Unmarshal(line, &f)
			r.frontier = append(r.frontier, f)
		case "package":
			var p packageEvent
			err = json.Unmarshal(line, &p)
			r.packages = append(r.packages, p)
		case "summary":
			err = json.Unmarshal(line, &r.summary)
		}
		if err != nil {
			return fmt.Errorf("event %s: %w", kind.Event, err)
		}
	}
	return nil
}

// pkg returns the event of the only package.
func (r *report) pkg() packageEvent {
	if len(r.packages) == 0 {
		return packageEvent{}
	}
	return r.packages[0]
}

// problem returns the first line that foray printed to stderr, and how many more
// there are.
func (r *report) problem() string {
	switch n := len(r.stderr); n {
	case 0:
		return ""
	case 1:
		return r.stderr[0]
	default:
		return fmt.Sprintf("%s (and %d more)", r.stderr[0], n-1)
	}
}

// A job is one run of foray, on an empty corpus of its own unless it names one.
type job struct {
	command string // fuzz, if it is empty
	args    []string
	dir     string                          // to run it in; a directory in no module, if it is empty
	corpus  string                          // a directory
	env     []string                        // added to the environment
	limit   time.Duration                   // after which it is stopped; 0 means 10 minutes
	watch   func(pid int) func()            // called once it runs; its result is called at the end
	stderr  func(line string) (enough bool) // called with each line; the run is interrupted once there is enough
}

// fuzzPackage runs foray fuzz on a package for so long.
func (p program) fuzzPackage(ctx context.Context, pkg string, each time.Duration, seed uint64) (*report, error) {
	return p.fuzz(ctx, job{
		args:  []string{"-fuzztime=" + each.String(), fmt.Sprintf("-seed=%d", seed), pkg},
		limit: each + buildTime,
	})
}

// fuzz runs foray, mostly to fuzz. That foray fails is not an error but part of the report.
func (p program) fuzz(ctx context.Context, j job) (*report, error) {
	corpus := j.corpus
	if corpus == "" {
		dir, err := os.MkdirTemp("", "bench-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		corpus = filepath.Join(dir, "corpus")
	}
	limit := cmp.Or(j.limit, 10*time.Minute)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, err := p.command(limited, j, corpus)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	began := time.Now()
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if j.stderr != nil {
		cmd.Stderr = io.MultiWriter(&stderr, &lineWriter{take: func(line string) {
			if j.stderr(line) {
				_ = cmd.Process.Signal(os.Interrupt) // it may have ended
			}
		}})
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if j.watch != nil {
		defer j.watch(cmd.Process.Pid)()
	}
	err = cmd.Wait()
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r := &report{wall: time.Since(began), cpu: cpu, exit: cmd.ProcessState.ExitCode(), stderr: problems(stderr.String())}
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		r.stderr = append([]string{"bench: stopped after " + limit.String()}, r.stderr...)
	case err != nil && !exited:
		return nil, err
	}
	if err := r.parse(stdout.Bytes()); err != nil {
		r.stderr = append([]string{"bench: " + err.Error()}, r.stderr...)
	}
	return r, nil
}

// command returns the command that a job runs. Once ctx is done it is interrupted as by Ctrl-C:
// foray then confirms its findings, which takes a while.
func (p program) command(ctx context.Context, j job, corpus string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, p.path, append([]string{cmp.Or(j.command, "fuzz"), "-json", "-outdir=" + corpus}, j.args...)...)
	var err error
	if cmd.Dir = j.dir; cmd.Dir == "" {
		cmd.Dir, err = emptyDir()
	}
	cmd.Env = append(os.Environ(), j.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	return cmd, err
}

// loadAverage returns the load of the machine over the last minute, empty if it is not known.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// problems returns the lines of stderr that are not about the time a build takes.
func problems(stderr string) []string {
	return slices.DeleteFunc(lines(stderr), func(l string) bool { return strings.HasSuffix(l, " so far") })
}

func firstLine(text string) string {
	if l := lines(text); len(l) > 0 {
		return l[0]
	}
	return ""
}
