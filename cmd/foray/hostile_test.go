package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"foray.test/cmd/internal/event"
	"foray.test/engine/confine"
)

var hostile = flag.Bool("hostile", false, "run all rows of testdata/hostile, not only the quick ones, and print the code of more packages")

// TestHostile fuzzes packages that harm their process, as testdata/hostile has them. Each
// file is a row: a first line that says what the package does, lines of directives, and
// the files of the package.
//
//	finds kind operation   a confirmed finding, which is not flaky
//	lacks regexp           no confirmed finding has a signature that matches
//	says regexp            standard output or error matches
//	exits n                the exit status (default: 1)
//	alone                  the package has nothing else; otherwise it has a [laterFile],
//	                       and the run must go on to find the bug there
//	flags flag...          instead of hostileFlags
//	late                   what dies does so later than a count of sequences may take: the
//	                       run has no budget, and is interrupted when all is found
//	tmpfs size             the temporary directory is a file system of that size
//	needs condition...     linux, confined, tmpfs: or else the row is skipped
//	quick                  the row runs without -hostile, too
//
// Whatever the row, foray must come to its end with whole JSON, leave no file in the
// temporary directory and no process behind, and the test of each finding that it
// calls confirmed must fail when it is built as a user builds it.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "hostile", "*.txtar"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d rows, want at least 40: %v", len(files), err)
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup; processes inherit that, but not that it is caught
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	h := &hostileSuite{cache: t.TempDir(), env: goEnv(t)}
	for _, file := range files {
		r, err := readHostile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !r.quick && !*hostile {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			for _, need := range r.needs {
				if !have(need) {
					t.Skipf("row %s cannot run here: it needs %s", r.name, need)
				}
			}
			t.Parallel()
			h.run(t, r)
		})
	}
}

// have reports whether this machine meets a condition of a row.
func have(need string) bool {
	switch need {
	case "linux":
		return runtime.GOOS == "linux"
	case "confined":
		return confine.Supported()
	case "tmpfs":
		return haveTmpfs()
	}
	panic("no such condition: " + need)
}

// hostileFlags are the flags of a row without its own. No clock ends the run. Those of late
// rows come after them.
var (
	hostileFlags = []string{"-fuzztime", "3000x", "-parallel", "2", "-seed", "1", "-allow", "."}
	lateFlags    = []string{"-fuzztime", "24h"}
)

// laterFile is beside the hostile code of a row: the run must go on to find its bug.
const laterFile = `package p

// Later counts.
type Later struct{ n int }

// NewLater returns a Later.
func NewLater() *Later { return &Later{} }

// Add adds one.
func (l *Later) Add() int { l.n++; return l.n }

// Check returns the count.
func (l *Later) Check() int {
	if l.n == 2 {
		var m map[int]int
		m[l.n] = 1
	}
	return l.n
}
`

type hostileRow struct {
	name        string
	archive     *txtar.Archive
	finds       [][2]string // kind and operation
	lacks, says []*regexp.Regexp
	exits       int
	alone       bool
	quick       bool
	late        bool
	flags       []string
	tmpfs       string
	needs       []string
}

func readHostile(file string) (*hostileRow, error) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	r := &hostileRow{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), archive: a, exits: 1, flags: hostileFlags}
	lines := strings.Split(strings.TrimSpace(string(a.Comment)), "\n")
	for i, line := range lines[1:] {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "finds":
			kind, op, _ := strings.Cut(rest, " ")
			r.finds = append(r.finds, [2]string{kind, op})
		case "lacks", "says":
			re, err := regexp.Compile(rest)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
			}
			if word == "lacks" {
				r.lacks = append(r.lacks, re)
			} else {
				r.says = append(r.says, re)
			}
		case "exits":
			r.exits, err = strconv.Atoi(rest)
		case "alone":
			r.alone = true
		case "quick":
			r.quick = true
		case "late":
			r.late, r.flags = true, slices.Concat(r.flags, lateFlags)
		case "flags":
			r.flags = strings.Fields(rest)
		case "tmpfs":
			r.tmpfs, r.needs = rest, append(r.needs, "tmpfs")
		case "needs":
			r.needs = append(r.needs, strings.Fields(rest)...)
		default:
			err = errors.New("no such directive: " + word)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
	}
	if !r.alone {
		a.Files = append(a.Files, txtar.File{Name: "later.go", Data: []byte(laterFile)})
		r.finds = append(r.finds, [2]string{"panic", "(*Later).Check"})
	}
	return r, nil
}

// hostileSuite is shared by the rows.
type hostileSuite struct {
	cache string            // of workers
	env   map[string]string // of the go command
}

// hostileTime only ends a row that does not end.
const hostileTime = 30 * time.Minute

func (h *hostileSuite) run(t *testing.T, r *hostileRow) {
	dir, temp := t.TempDir(), t.TempDir()
	pkg := filepath.Join(dir, "p")
	writeFile(t, filepath.Join(dir, "go.mod"), "module m.test/hostile\n\ngo 1.26\n")
	for _, f := range r.archive.Files {
		writeFile(t, filepath.Join(pkg, filepath.FromSlash(f.Name)), string(f.Data))
	}
	if r.tmpfs != "" {
		mountTmpfs(t, temp, r.tmpfs)
	}
	p := hostileProcess{dir: dir, mark: fmt.Sprintf("HOSTILE=%s-%d", r.name, os.Getpid())}
	for k, v := range h.env {
		p.env = append(p.env, k+"="+v)
	}
	p.env = append(p.env, "TMPDIR="+temp, "GOTMPDIR="+t.TempDir(), "XDG_CACHE_HOME="+h.cache, "GOFLAGS=", "GOWORK=off", p.mark)
	foray, err := exec.LookPath("foray")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"fuzz", "-strict", "-json", "-outdir", filepath.Join(dir, "out")}, r.flags...)
	var seen []event.Finding
	stdout, stderr, code := p.watch(t, func(line []byte) (ends bool) {
		var e struct {
			Event string
			event.Finding
		}
		if json.Unmarshal(line, &e) == nil && e.Event == "finding" {
			seen = append(seen, e.Finding)
		}
		return r.late && len(r.missing(seen)) == 0
	}, foray, append(args, "./p")...)
	if code != r.exits {
		t.Errorf("exit status %d, want %d", code, r.exits)
	}
	findings := readFindings(t, stdout, r.exits != exitUsage)
	r.compare(t, findings, stdout+stderr)
	p.noStrays(t)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v %v", left, err)
	}
	p.runTests(t, pkg, findings)
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", shortened(stdout), shortened(stderr))
	}
}

func shortened(text string) string { return text[:min(len(text), 1500)] }

// missing returns the wanted findings that are not among those of a run.
func (r *hostileRow) missing(findings []event.Finding) [][2]string {
	return slices.DeleteFunc(slices.Clone(r.finds), func(want [2]string) bool {
		return slices.ContainsFunc(findings, func(f event.Finding) bool {
			return f.Kind == want[0] && f.Operation == want[1] && !f.Flaky && f.Unconfirmed == ""
		})
	})
}

// compare compares the findings and all output with what the row wants.
func (r *hostileRow) compare(t *testing.T, findings []event.Finding, output string) {
	for _, want := range r.missing(findings) {
		t.Errorf("no finding of kind %s in %s", want[0], want[1])
	}
	for _, f := range findings {
		t.Logf("%s: %s (flaky %v, unconfirmed %q): %s", f.Tier, f.Signature, f.Flaky, f.Unconfirmed, shortened(f.Message))
		for _, re := range r.lacks {
			if f.Unconfirmed == "" && re.MatchString(f.Signature) {
				t.Errorf("finding %s, want none that matches %s", f.Signature, re)
			}
		}
	}
	for _, re := range r.says {
		if !re.MatchString(output) {
			t.Errorf("the output does not match %s", re)
		}
	}
}

// readFindings returns the findings of a run, whose output must be whole.
func readFindings(t *testing.T, stdout string, ends bool) []event.Finding {
	var list []event.Finding
	summary := false
	for line := range strings.Lines(stdout) {
		var e struct{ Event string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("torn output: %v: %s", err, shortened(line))
			continue
		}
		if len(line) > 1<<20 {
			t.Errorf("a line of %d bytes", len(line))
		}
		summary = summary || e.Event == "summary"
		if e.Event == "finding" {
			var f event.Finding
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Error(err)
			}
			list = append(list, f)
		}
	}
	if ends && !summary {
		t.Error("no summary")
	}
	return list
}

// hostileProcess says how the processes of a row are run.
type hostileProcess struct {
	dir  string
	env  []string
	mark string // in the environment of each of them
}

// run runs a command and returns its output and exit status.
func (p *hostileProcess) run(t *testing.T, name string, args ...string) (stdout, stderr string, code int) {
	return p.watch(t, func([]byte) bool { return false }, name, args...)
}

// watch is run, and interrupts the command after a line of its output for which ends is true.
func (p *hostileProcess) watch(t *testing.T, ends func(line []byte) bool, name string, args ...string) (stdout, stderr string, code int) {
	ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var errs bytes.Buffer
	out := lineWriter{each: func(line []byte) {
		if ends(line) {
			_ = cmd.Process.Signal(os.Interrupt)
			ends = func([]byte) bool { return false }
		}
	}}
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &out, &errs
	cmd.Env, cmd.WaitDelay = append(os.Environ(), p.env...), time.Second
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Errorf("%s: %v", filepath.Base(name), err)
	}
	if ctx.Err() != nil {
		t.Errorf("%s has not ended after %v", filepath.Base(name), hostileTime)
	}
	return string(out.text), errs.String(), cmd.ProcessState.ExitCode()
}

// lineWriter keeps what is written to it, and calls each with each whole line.
type lineWriter struct {
	text []byte
	seen int // where the line under way begins
	each func(line []byte)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	for i := bytes.IndexByte(w.text[w.seen:], '\n'); i >= 0; i = bytes.IndexByte(w.text[w.seen:], '\n') {
		w.each(w.text[w.seen : w.seen+i])
		w.seen += i + 1
	}
	return len(p), nil
}

// runTests builds the tests of confirmed findings and wants each to fail.
func (p *hostileProcess) runTests(t *testing.T, pkg string, findings []event.Finding) {
	var names []string
	for i, f := range findings {
		if f.Test == "" || f.Unconfirmed != "" || f.Flaky {
			continue
		}
		unique := fmt.Sprintf("TestForay%dx", i)
		src := strings.ReplaceAll(f.Test, "TestForay", unique)
		writeFile(t, filepath.Join(pkg, fmt.Sprintf("foray%d_test.go", i)), src)
		names = append(names, regexp.MustCompile(unique+`\w*`).FindString(src))
	}
	if len(names) == 0 {
		return
	}
	binary := filepath.Join(p.dir, "p.test")
	if _, stderr, code := p.run(t, "go", "test", "-c", "-vet=off", "-o", binary, "./p"); code != 0 {
		t.Errorf("the tests do not compile: %s", shortened(stderr))
		return
	}
	for _, name := range names {
		if stdout, _, code := p.run(t, binary, "-test.run=^"+name+"$", "-test.timeout=5m"); code == 0 {
			t.Errorf("%s passes: %s", name, shortened(stdout))
		}
	}
	p.noStrays(t)
}

// noStrays wants that none of the row's processes is left.
func (p *hostileProcess) noStrays(t *testing.T) {
	const patience = 10 * time.Second // until the system has ended those that were killed
	var left []int
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		if left = p.strays(); len(left) == 0 {
			return
		}
	}
	for _, pid := range left {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("process %d is left: %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		if found, err := os.FindProcess(pid); err == nil {
			_ = found.Kill()
		}
	}
}

// strays returns the processes with the row's mark, where the system tells them.
func (p *hostileProcess) strays() []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var list []int
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil && slices.ContainsFunc(bytes.Split(data, []byte{0}), func(v []byte) bool { return string(v) == p.mark }) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			list = append(list, pid)
		}
	}
	return list
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
