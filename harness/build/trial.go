package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"foray.test/engine/confine"
)

// A Trial compiles and runs test files as if they stood in the directory of a
// package, before they do.
type Trial struct {
	Dir   string            // of the package
	Env   []string          // of the go command; nil: the environment of this process
	Flags []string          // build flags as the user gave them
	Go    Toolchain         // of the package, for the flags in its GOFLAGS
	Files map[string][]byte // files overlaid on Dir, by base name; nil hides a file
	Temp  string            // a directory for the output of the trial and its tests
	// Unconfined lets the tests write anywhere: see [confine.Start].
	Unconfined bool
	NoVet      bool          // Check leaves go vet out
	Time       time.Duration // bounds one run; zero means a minute
	Processor  time.Duration // bounds the processor time of each process of a run, on Linux; zero does not
}

// A Complaint is a message of the compiler or of go vet about a line of a file.
type Complaint struct {
	Line int
	Msg  string
}

// trialTime bounds one run of all tests. Tests that take longer hang, or do not
// belong in a package.
const trialTime = 60 * time.Second

func (t *Trial) binary() string { return filepath.Join(t.Temp, executable("trial.test")) }

// Check compiles the tests of the package, with its other tests, and runs go
// vet on them. It returns the messages about the file of a name. Messages about
// other files are an error if the tests do not compile because of them.
func (t *Trial) Check(ctx context.Context, name string) ([]Complaint, error) {
	overlayFile, flags, err := t.overlay()
	if err != nil {
		return nil, err
	}
	g := goCmd{dir: t.Dir, env: t.Env, group: true}
	args := []string{"test", "-c", "-vet=off", "-o", t.binary(), "-overlay=" + overlayFile}
	args = append(append(args, withoutDWARF(flags, &t.Go)...), flags...)
	if v, _ := CutFlag(flags, "gcflags"); v == "" {
		args = append(args, "-gcflags=-e") // all errors, not the first ten
	}
	stdout, stderr, err := g.output(ctx, append(args, ".")...)
	if err != nil {
		list := complaints(stdout, stderr, name)
		if len(list) == 0 && ctx.Err() == nil {
			if d, ok := firstDiagnostic(string(stdout) + string(stderr)); ok {
				err = &CompileError{Pos: d.pos(), Msg: d.msg}
			}
			return nil, err
		}
		return list, ctx.Err()
	}
	if t.NoVet {
		return nil, ctx.Err()
	}
	_, modFlags := CutFlag(flags, "gcflags")
	stdout, stderr, err = g.output(ctx, append(append([]string{"vet", "-overlay=" + overlayFile}, modFlags...), ".")...)
	if err != nil && ctx.Err() == nil {
		return complaints(stdout, stderr, name), nil
	}
	return nil, ctx.Err()
}

// run runs a command that runs code under test, and ends the processes that it leaves.
func (t *Trial) run(cmd *exec.Cmd) error {
	cmd.SysProcAttr = ChildAttr(true, syscall.SIGKILL)
	wait, err := Start(cmd, t.Temp, t.Unconfined)
	if err != nil {
		return err
	}
	defer Ender(cmd)()
	if t.Processor > 0 {
		limitProcessor(cmd.Process.Pid, t.Processor)
	}
	return wait()
}

// Start starts a command that may write in the directory temp, and nowhere else unless it is
// unconfined: see [confine.Start].
func Start(cmd *exec.Cmd, temp string, unconfined bool) (wait func() error, err error) {
	if unconfined {
		return cmd.Wait, cmd.Start()
	}
	c, err := confine.Start(cmd, temp)
	return c.Wait, err
}

// bounded keeps the beginning and the end of an output: tests may print without end.
type bounded struct{ first, last []byte }

// boundedBytes is how much it keeps of each, about.
const boundedBytes = 256 << 10

func (b *bounded) Write(data []byte) (int, error) {
	n := len(data)
	if room := boundedBytes - len(b.first); room > 0 {
		room = min(room, len(data))
		b.first, data = append(b.first, data[:room]...), data[room:]
	}
	b.last = append(b.last, data[max(0, len(data)-boundedBytes):]...)
	if len(b.last) > 2*boundedBytes {
		b.last = append(b.last[:0], b.last[len(b.last)-boundedBytes:]...)
	}
	return n, nil
}

func (b *bounded) String() string { return string(b.first) + string(b.last) }

// overlay writes the overlay file, and returns it and the flags without the user's own.
func (t *Trial) overlay() (file string, flags []string, err error) {
	own, flags := CutFlag(t.Flags, "overlay")
	l := &layer{dir: filepath.Join(t.Temp, "files"), replace: make(map[string]string)}
	user, err := readOverlay(own, t.Dir)
	if err != nil {
		return "", nil, err
	}
	maps.Copy(l.replace, user)
	for name, src := range t.Files {
		if src == nil {
			l.replace[filepath.Join(t.Dir, name)] = ""
			continue
		}
		if err := l.put(filepath.Join(t.Dir, name), src); err != nil {
			return "", nil, err
		}
	}
	file, err = l.write()
	return file, flags, err
}

// complaints returns the messages about the file of a base name.
func complaints(stdout, stderr []byte, name string) []Complaint {
	var list []Complaint
	for _, d := range diagnostics(strings.ReplaceAll(string(stdout)+string(stderr), "vet: ", "")) {
		if filepath.Base(d.file) == name {
			list = append(list, Complaint{d.line, d.msg})
		}
	}
	return list
}

var (
	failLine = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	runLine  = regexp.MustCompile(`(?m)^=== (?:RUN|CONT|NAME) +(\S+)`)
	doneLine = regexp.MustCompile(`(?m)^ *--- (?:PASS|FAIL|SKIP): (\S+)`)
	endLine  = regexp.MustCompile(`(?m)^(?:FAIL|PASS|ok)$`)
)

// Ran is how tests in one process ended.
type Ran struct {
	Failed []string // of a table the rows
	// Ended says that one of them ended the process, or did not return: others may not have run.
	Ended     bool
	Processor time.Duration // that the process took, with those that it waited for
}

// Run runs tests of the binary that Check has built, by their names, shuffled, in a
// fresh process with so many processors.
func (t *Trial) Run(ctx context.Context, names []string, procs int) (Ran, error) {
	limit := cmp.Or(t.Time, trialTime)
	ctx, cancel := context.WithTimeout(ctx, 2*limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.binary(), "-test.run=^("+strings.Join(tops(names), "|")+")$", "-test.v", "-test.shuffle=on", "-test.timeout="+limit.String(), "-test.paniconexit0")
	cmd.Dir = t.Dir
	cmd.WaitDelay = time.Second
	cmd.Env = t.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), "GOMAXPROCS="+strconv.Itoa(procs), "PWD="+t.Dir)
	cmd.Env = append(cmd.Env, confine.TempEnv(t.Temp)...)
	var out bounded
	cmd.Stdout, cmd.Stderr = &out, &out
	err := t.run(cmd)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return Ran{}, fmt.Errorf("run tests: %w", err)
	}
	r := Ran{Processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if err == nil {
		return r, nil
	}
	if r.Failed, r.Ended = failures(out.String()); len(r.Failed) > 0 {
		return r, nil
	}
	return Ran{}, fmt.Errorf("run tests: %w: %s", err, firstLine([]byte(out.String())))
}

// tops returns the names of the test functions, each once.
func tops(names []string) []string {
	var list []string
	for _, n := range names {
		top, _, _ := strings.Cut(n, "/")
		list = append(list, top)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// failures returns the tests that failed in the output of go test -v. ended
// reports whether one of them ended the process; that one is among them.
func failures(out string) (list []string, ended bool) {
	failed := map[string]bool{}
	for _, m := range failLine.FindAllStringSubmatch(out, -1) {
		failed[m[1]] = true
	}
	if ended = !endLine.MatchString(out) || strings.Contains(out, "\npanic: "); ended {
		// The last test that began and is not done, or failed by its panic.
		done := map[string]bool{}
		for _, m := range doneLine.FindAllStringSubmatch(out, -1) {
			done[m[1]] = !failed[m[1]]
		}
		for _, m := range slices.Backward(runLine.FindAllStringSubmatch(out, -1)) {
			if !done[m[1]] {
				failed[m[1]] = true
				break
			}
		}
	}
	for name := range failed {
		row := false
		for other := range failed {
			row = row || strings.HasPrefix(other, name+"/")
		}
		if !row {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list, ended
}
