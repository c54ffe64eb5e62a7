// Package fuzzrun runs a job of a farm: foray fuzz, as a process of its own.
//
// A process can be ended with all that it started, has its own directory and standard
// output, and cannot take the farm along when it dies. It costs some 20 ms a job.
package fuzzrun

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/farm/record"
	corpus "foray.test/corpus/store"
	"foray.test/harness/build"
	"foray.test/harness/owned"
)

// A Runner runs jobs.
type Runner struct {
	Foray string   // the program
	Dir   string   // the root of the module at hand
	Flags []string // further flags of foray fuzz
}

// grace is how long foray fuzz may take to end: it confirms findings for ten seconds.
const grace = 30 * time.Second

// An Output is what a job gave, beside the entries in its directory.
type Output struct {
	Run     record.Run // without what the farm adds
	Reports []record.Report
}

// Distill runs foray corpus distill on the corpus in dir. What it leaves is the corpus.
func (r *Runner) Distill(ctx context.Context, job *record.Job, dir string) error {
	cmd, errs := r.command(ctx, job, "corpus", "distill", "-outdir", dir)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("distill: %s", cmp.Or(errs.problem(), err.Error()))
	}
	return ctx.Err()
}

// command returns a command of foray on the target of a job, and what it prints to stderr.
func (r *Runner) command(ctx context.Context, job *record.Job, args ...string) (*exec.Cmd, *tail) {
	cmd := exec.CommandContext(ctx, r.Foray, slices.Concat(args, r.Flags, []string{job.Target.Pattern})...)
	// Ctrl-C reaches the farm only, which interrupts foray fuzz once.
	cmd.Dir, cmd.SysProcAttr, cmd.WaitDelay = r.Dir, build.ChildAttr(true, syscall.SIGINT), grace
	cmd.Cancel = func() error { return build.Interrupt(cmd.Process, false) }
	errs := &tail{}
	cmd.Stderr = errs
	return cmd, errs
}

// Run runs a job with its corpus in dir. If ctx ends, the run ends early, with the results
// it has. A package that cannot be built, and an end without result, are a Problem of the
// run, not an error.
func (r *Runner) Run(ctx context.Context, job *record.Job, dir string) (*Output, error) {
	began, length := time.Now(), time.Duration(job.Seconds*float64(time.Second))
	args := []string{
		"fuzz", "-json", "-outdir", dir, "-seed", strconv.FormatUint(job.Seed, 10), "-fuzztime", length.String(), "-parallel", "1",
	}
	if job.Target.Fuzz != "" {
		args = append(args, "-fuzz", "^"+job.Target.Fuzz+"$")
	}
	cmd, errs := r.command(ctx, job, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", r.Foray, err)
	}
	timeout := time.AfterFunc(length+buildTime, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()
	res := &Output{}
	readErr := res.read(out)
	err = cmd.Wait()
	res.Run.Seconds = time.Since(began).Seconds()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %w", r.Foray, err)
	}
	switch {
	case ctx.Err() != nil:
		res.Run.Ended = record.EndedInterrupted
	case res.Run.Ended == "":
		res.Run.Ended = record.EndedFailed
		res.Run.Problem = cmp.Or(errs.problem(), fmt.Sprintf("%v: %v", job.Target.Pattern, errors.Join(err, readErr)))
	}
	res.addInputs(&job.Target, dir)
	return res, nil
}

// buildTime bounds the time that a job takes beside fuzzing: building with a cold cache,
// and confirming.
const buildTime = 15 * time.Minute

// addInputs adds to reports of a fuzz target the inputs that foray has stored.
func (o *Output) addInputs(t *record.Target, dir string) {
	if t.Fuzz == "" {
		return
	}
	for i := range o.Reports {
		r := &o.Reports[i]
		if rel, err := filepath.Rel(dir, string(r.Input)); err == nil && filepath.IsLocal(rel) {
			r.Input, _ = os.ReadFile(filepath.Join(dir, rel))
		} else {
			r.Input = nil
		}
	}
}

// maxLine bounds a line of the output: a test with a large literal.
const maxLine = 16 << 20

// read takes in the output of foray fuzz. It reads to the end, also after an error.
func (o *Output) read(out io.Reader) error {
	s := bufio.NewScanner(out)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		o.take(s.Bytes())
	}
	_, err := io.Copy(io.Discard, out)
	return errors.Join(s.Err(), err)
}

// take takes in a line that foray fuzz prints, if it is an event that counts here.
func (o *Output) take(line []byte) {
	var kind struct{ Event string }
	if json.Unmarshal(line, &kind) != nil {
		return
	}
	switch kind.Event {
	case "finding":
		decode(line, o.finding)
	case "fixed":
		decode(line, func(e *event.Fixed) { o.Run.Fixed = append(o.Run.Fixed, e.Signature) })
	case "package":
		decode(line, func(e *event.Package) {
			o.Run.Sequences, o.Run.Steps = e.Sequences, e.Steps
			o.Run.Sides, o.Run.SidesCovered, o.Run.Entries, o.Run.Ended = e.Sides, e.SidesCovered, e.CorpusEntries, e.Ended
		})
	case "summary":
		decode(line, func(e *event.Summary) { o.Run.CPU, o.Run.Frontier = e.CPUSeconds.Float(), e.OnFrontier })
	}
}

// decode calls f with the event of a line, if it is one.
func decode[E any](line []byte, f func(*E)) {
	if e := new(E); json.Unmarshal(line, e) == nil {
		f(e)
	}
}

func (o *Output) finding(e *event.Finding) {
	if slices.ContainsFunc(o.Run.Seen, func(s record.Seen) bool { return s.Signature == e.Signature }) {
		return
	}
	o.Run.Seen = append(o.Run.Seen, record.Seen{Signature: e.Signature, Tier: e.Tier, Kind: e.Kind, Operation: e.Operation, Message: e.Message, Flaky: e.Flaky})
	o.Reports = append(o.Reports, record.Report{
		Package: e.Package, Signature: e.Signature, Tier: e.Tier, Kind: e.Kind, Operation: e.Operation, Message: e.Message,
		Rule: e.Rule, Claim: e.Claim, Document: e.Document, Steps: e.Steps, Sequence: e.Sequence, Test: e.Test, Flaky: e.Flaky,
		Input: []byte(e.File),
	})
}

// tail keeps the end of what a process prints.
type tail struct{ data []byte }

const maxTail = 64 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if n := len(t.data) - maxTail; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(p), nil
}

// problem returns the first error that foray printed, in one line.
func (t *tail) problem() string {
	for text := range bytes.Lines(t.data) {
		msg, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "foray: ")
		if ok && !strings.HasPrefix(msg, "warning: ") {
			return msg
		}
	}
	return ""
}

// Places are the directories of a target's corpus below the directory of a job.
type Places struct {
	Entries string // files of entries, or inputs of a fuzz target
	Failing string // inputs that fail, of a fuzz target
	corpus  string
}

// PlacesOf returns the places of a target, where foray fuzz -outdir has them.
func PlacesOf(t *record.Target, dir string) Places {
	at := corpus.Dir("", t.Package, "", dir)
	if t.Fuzz == "" {
		return Places{Entries: filepath.Join(at, "entries"), corpus: at}
	}
	return Places{Entries: filepath.Join(at, t.Fuzz), Failing: filepath.Join(at, "testdata", "fuzz", t.Fuzz), corpus: at}
}

// EntryFile returns the name of the file of an entry, as foray fuzz and go test name it.
func (p *Places) EntryFile(hash string) string {
	const goTest = 16 // digits of an input
	if p.Failing != "" && len(hash) > goTest {
		return hash[:goTest]
	}
	return hash
}

// HasEntry reports whether an entry is there, or was set aside: its calls are not those of the
// package.
func (p *Places) HasEntry(hash string) bool {
	files := []string{filepath.Join(p.Entries, p.EntryFile(hash))}
	if p.Failing == "" {
		files = append(files, filepath.Join(p.corpus, "quarantine", hash))
	}
	return slices.ContainsFunc(files, func(file string) bool {
		_, err := os.Lstat(file)
		return err == nil
	})
}

// Kept returns the files of the entries that distilling has left, and of those that were set aside
// for another reason. These do not fit the package at this revision.
func (p *Places) Kept() (map[string]bool, error) {
	list, err := os.ReadDir(p.Entries)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, e := range list {
		kept[e.Name()] = true
	}
	s, err := corpus.View(p.corpus)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil // of a fuzz target
	}
	if err != nil {
		return nil, err
	}
	aside, err := s.Quarantined()
	for i := range aside {
		if a := &aside[i]; !a.Distilled() {
			name, _, _ := strings.Cut(a.Name, ".") // without the number of a second one
			kept[name] = true
		}
	}
	return kept, err
}

// AddEntry adds the file of an entry that others have found, whole or not at all. One that is
// there is never added again, and distilling retires an entry that cannot be read.
func (p *Places) AddEntry(hash string, data []byte) error {
	return owned.WriteFile(filepath.Join(p.Entries, p.EntryFile(hash)), data)
}

// AddReport adds a finding that others have made, to be run first.
func (p *Places) AddReport(r *record.Report) error {
	if p.Failing != "" {
		if len(r.Input) == 0 {
			return nil
		}
		return owned.WriteFile(filepath.Join(p.Failing, record.ID(r.Signature)), r.Input)
	}
	s, err := corpus.Open(p.corpus)
	if err != nil {
		return err
	}
	now := time.Now()
	return s.PutFinding(corpus.Finding{
		Signature: r.Signature, Tier: r.Tier, Kind: r.Kind, Operation: r.Operation, Message: r.Message, Rule: r.Rule, Claim: r.Claim, Document: r.Document,
		Statements: r.Sequence, Test: r.Test, Steps: r.Steps, OriginalSteps: r.Steps, Flaky: r.Flaky, First: now, Last: now,
	})
}
