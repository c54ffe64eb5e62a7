// Package worker runs worker processes for the coordinator. A worker links the code under
// test, so anything may happen to it. This package starts one, sends it orders, hands on
// its reports, tells a process that hangs from a slow one, ends it with all its children,
// and describes its end.
//
//	p, err := spawn.Start(ctx)
//	p.Send(&wire.Message{Exec: order})
//	for m := range p.Messages() { … }
//	<-p.Exited()
//	d := p.Death()
//	p.Dispose()
//
// Package wire defines the messages; the other end of them is the Main of harness/process.
package worker

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"foray.test/engine/confine"
	"foray.test/engine/wire"
)

// A Process is one worker process: our ends of the private descriptors, the shared
// mapping, and its standard error. The caller of Start must call Dispose.
type Process struct {
	cmd      *exec.Cmd
	group    *group
	commands *os.File
	messages chan *wire.Message // closed when the worker's end is
	shared   *wire.Shared
	stderr   *tail
	exited   chan struct{} // closed once the process is reaped
	stepFunc string        // the function that calls the operations, as stacks name it
	place    string        // the directory for files of the code under test
	mark     string        // in the environment of its children

	// Orders wait here until the worker reads them: the sender must not wait for a
	// worker that hangs, or that waits for its reports to be read.
	orders        chan struct{} // holds one token while the queue may not be empty
	closing       chan struct{} // closed by closeCommands
	closeCommands func()        // no order follows

	mu       sync.Mutex
	queue    []*wire.Message
	exit     ExitReason
	disposed bool // shared is no more
}

// An ExitReason is why a process ended, beside its exit status.
type ExitReason struct {
	Killed      bool  // by Kill: its end means nothing
	Hung        bool  // by Abort
	Idle        bool  // it used no processor when Abort was called
	Full        bool  // it was near the limit of its memory then
	Stopped     bool  // a signal had stopped it
	Files       bool  // it was killed because there were too many files, or bytes in them
	ProtocolErr error // its last report was no message
}

// A Spawn says how to start a worker.
type Spawn struct {
	Binary     string // the worker
	Table      string // file of its table
	Conditions string // file of the table of conditions; only an analysis build needs it
	Dir        string // working directory
	Temp       string // directory for our files and those of the code under test; empty: Dir
	Place      string // the directory below Temp for files of the code; empty: "work"
	// Package is the directory of the package. The code reads testdata and ../testdata there, if they exist,
	// as in a test. A process that is not confined does not have them, since it could write there.
	Package string
	Args    []string
	Around  bool // take counters around the steps
	Race    bool // end the process at the first race that the detector reports
	// AfterPanic continues a sequence after a call that panics, if the caller is to blame.
	AfterPanic bool
	Unconfined bool // let it write anywhere: see [confine.Start]
	Serial     bool // one thread at a time runs Go code, so that its goroutines take turns as ever
	// Low has the process give way to others, such as those that confirm: it has a low priority,
	// where the system has such.
	Low bool
	// Counters is the directory for the counts of a worker that was built to count
	// statements; see [Process.Leave].
	Counters string
}

// startTries is how often a worker is started that is killed before it is ready.
const startTries = 8

// Start starts a worker and waits until it is ready to take orders. If it is killed before,
// perhaps from outside, Start starts another.
func (s Spawn) Start(ctx context.Context) (*Process, error) {
	p, err := s.startOnce(ctx)
	for tries := 1; tries < startTries && errors.Is(err, errKilled); tries++ {
		p, err = s.startOnce(ctx)
	}
	return p, err
}

func (s Spawn) startOnce(ctx context.Context) (*Process, error) {
	// On a busy machine starting takes seconds, and nobody waits for the process any more.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	p, err := s.spawn()
	if err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if err := p.awaitReady(ctx); err != nil {
		p.Kill()
		p.Dispose()
		return nil, fmt.Errorf("worker: %w", err)
	}
	return p, nil
}

func (s Spawn) spawn() (p *Process, err error) {
	var ours, theirs []*os.File
	defer func() {
		if err != nil {
			closeAll(ours)
		}
		closeAll(theirs)
	}()
	fromUs, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, commands), append(theirs, fromUs)
	reports, fromWorker, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, reports), append(theirs, fromWorker)
	if err := s.makePlace(); err != nil {
		return nil, err
	}
	mapping, err := sharedMemory(s.temp())
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, mapping)
	p = &Process{
		cmd: s.command(), commands: commands, stderr: newTail(stderrBytes), exited: make(chan struct{}),
		place: s.place(), mark: newMark(), messages: make(chan *wire.Message, 64), orders: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	p.closeCommands = sync.OnceFunc(func() {
		close(p.closing)
		commands.Close()
	})
	if p.shared, err = wire.Map(mapping); err != nil {
		return nil, err
	}
	p.cmd.Stderr, p.cmd.Env = p.stderr, append(p.cmd.Env, EnvRun+"="+p.mark)
	p.group = newGroup(p.cmd, s.Race)
	wait, err := s.startGroup(p.group, p.mark, theirs)
	if err != nil {
		_ = wire.Unmap(p.shared)
		return nil, err
	}
	go p.read(reports)
	go p.write()
	go p.watchFiles()
	go p.reap(wait, reports)
	return p, nil
}

// makePlace makes the directory of the process, but not the one that it is to be in.
func (s Spawn) makePlace() error {
	if s.Dir != "" {
		if _, err := os.Stat(s.Dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.place(), 0o777); err != nil {
		return err
	}
	if s.Package == "" || s.Unconfined || !confine.Supported() {
		return nil
	}
	for from, to := range map[string]string{s.place(): s.Package, s.temp(): filepath.Dir(s.Package)} {
		data := filepath.Join(to, "testdata")
		if _, err := os.Stat(data); err != nil {
			continue
		}
		// Another process may have made the link, or the code under test something of that name.
		if err := os.Symlink(data, filepath.Join(from, "testdata")); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// reap waits for the process. Its children end with it. Its reports are in the pipe by
// then, so nothing waits for more.
func (p *Process) reap(wait func() error, reports *os.File) {
	_ = wait() // the process state has the error
	p.group.kill()
	dead(p.mark)
	_ = reports.SetReadDeadline(time.Now().Add(drainTime))
	close(p.exited)
}

// startGroup starts the process of a group, with a mark and files besides the standard ones.
func (s Spawn) startGroup(g *group, mark string, files []*os.File) (wait func() error, err error) {
	if err := g.inherit(files); err != nil {
		return nil, err
	}
	if wait, err = s.start(g.cmd); err != nil {
		g.close()
		return nil, err
	}
	Limit(g.cmd.Process.Pid, mark)
	if s.Low {
		lower(g.cmd.Process.Pid)
	}
	g.started()
	return wait, nil
}

// start starts the process, confined, and returns the function that waits for it.
func (s Spawn) start(cmd *exec.Cmd) (wait func() error, err error) {
	if s.Unconfined {
		return cmd.Wait, cmd.Start()
	}
	dirs := []string{s.place()}
	if s.Counters != "" {
		dirs = append(dirs, s.Counters)
	}
	if dir := os.Getenv(wire.EnvProfile); dir != "" {
		dirs = append(dirs, dir)
	}
	c, err := confine.Start(cmd, dirs...)
	return c.Wait, err
}

// temp returns the directory for files.
func (s Spawn) temp() string { return cmp.Or(s.Temp, s.Dir) }

// place returns the directory for files of the code under test. It is the same for all
// processes, since results may contain its name.
func (s Spawn) place() string { return filepath.Join(s.temp(), cmp.Or(s.Place, "work")) }

// ExitRace is the exit status of a process that had a data race.
const ExitRace = 66

// drainTime bounds how long the next report of a dead process is waited for, should another
// process hold its end of the pipe. Tests change it.
var drainTime = 5 * time.Second

// Name is what os.Args[0] holds in a worker's process. Messages of package flag and of logs begin
// with it, and their text must not depend on where the binary is.
const Name = "foray-worker"

func (s Spawn) command() *exec.Cmd {
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Args[0] = Name
	if cmd.Dir = s.Dir; s.temp() == s.Dir {
		cmd.Dir = s.place()
	}
	// The race detector would have each process sleep for a second at its end.
	detector := os.Getenv("GORACE") + " atexit_sleep_ms=0"
	if s.Race {
		detector += fmt.Sprintf(" halt_on_error=1 exitcode=%d", ExitRace)
	}
	cmd.Env = append(os.Environ(), wire.EnvTable+"="+s.Table, "PWD="+cmd.Dir, "GOTRACEBACK=crash", "GORACE="+detector)
	if !s.Unconfined {
		cmd.Env = append(cmd.Env, confine.TempEnv(s.place())...)
	}
	if s.Conditions != "" {
		cmd.Env = append(cmd.Env, wire.EnvConditions+"="+s.Conditions)
	}
	if s.Around {
		cmd.Env = append(cmd.Env, wire.EnvAround+"=1")
	}
	if s.AfterPanic {
		cmd.Env = append(cmd.Env, wire.EnvAfterPanic+"=1")
	}
	if s.Counters != "" {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+s.Counters)
	}
	if s.Serial {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	}
	cmd.WaitDelay = time.Second // children of the code under test may hold our pipes
	cmd.SysProcAttr = processGroup()
	return cmd
}

// readyTimeout bounds how long a worker may compute or wait to start, which includes the package
// initializers of the code under test. A busy machine may keep it from running for longer. Tests change
// it.
var readyTimeout = 30 * time.Second

// errKilled is the error of a process that was killed before it was ready.
var errKilled = errors.New("killed")

func (p *Process) awaitReady(ctx context.Context) error {
	limits := Limits{Compute: readyTimeout, Wait: readyTimeout, Total: readyTimeout}
	dog, ticker := newWatchdog(p, false), time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case m, ok := <-p.messages:
			return p.greeted(m, ok)
		case <-ticker.C:
			if hangs, _ := dog.Hangs(limits); hangs {
				return fmt.Errorf("not ready within %v", readyTimeout)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// greeted takes in the first message of a process, or that it has ended, and ends it unless it is ready.
func (p *Process) greeted(m *wire.Message, ok bool) error {
	if ok && m.Ready != nil {
		p.stepFunc = m.Ready.StepFunc
		return nil
	}
	p.Kill()
	<-p.exited
	if !ok && signalOf(p.cmd.ProcessState) == "SIGKILL" {
		return fmt.Errorf("%w before it was ready: %s", errKilled, p.LastLine())
	}
	return fmt.Errorf("%s before it was ready: %s", p.cmd.ProcessState, p.LastLine())
}

// read hands messages on until the worker closes its end or sends bytes that are no
// message. Then it ends the worker, after a while: most often the worker is about to end.
func (p *Process) read(reports *os.File) {
	defer reports.Close()
	r := bufio.NewReader(reports)
	var err error
	for err == nil {
		var m *wire.Message
		if m, err = wire.Read(r); err == nil {
			p.messages <- m
			p.drain(reports)
		}
	}
	if errors.Is(err, wire.ErrCorrupt) {
		p.spoilt(err) // before anyone learns of the end, which the process may bring about itself
		close(p.messages)
	} else {
		close(p.messages)
		select {
		case <-p.exited:
			return
		case <-time.After(drainTime):
		}
		p.spoilt(errors.New("it closed its reports"))
	}
	p.group.kill()
}

// spoilt notes why no report of p is read any more.
func (p *Process) spoilt(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exit.ProtocolErr = err
}

// drain has the next report of a dead process be waited for anew: whoever takes the reports may
// have been busy.
func (p *Process) drain(reports *os.File) {
	select {
	case <-p.exited:
		_ = reports.SetReadDeadline(time.Now().Add(drainTime))
	default:
	}
}

// Send gives p an order and returns at once. An order is lost if p dies before it reads it.
func (p *Process) Send(m *wire.Message) {
	p.mu.Lock()
	p.queue = append(p.queue, m)
	p.mu.Unlock()
	select {
	case p.orders <- struct{}{}:
	default:
	}
}

// write writes the orders to the worker.
func (p *Process) write() {
	for {
		select {
		case <-p.orders:
		case <-p.closing:
			return
		}
		p.mu.Lock()
		list := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, m := range list {
			if wire.Write(p.commands, m) != nil {
				return // it is dying
			}
		}
	}
}

// Kill ends the process at once.
func (p *Process) Kill() {
	p.mu.Lock()
	p.exit.Killed = true
	p.mu.Unlock()
	p.group.kill()
}

// Abort ends a process that hangs. With stack it asks the process for the stack of the
// call first. The process makes no step then. If no goroutine of it can answer, the runtime
// is made to print all, until there is as much as is kept. To print 20,000 goroutines takes
// 2.5 s of processor time. A process near the
// limit of its memory hangs because the collector hardly stops. One that has ended makes no
// steps either: on a busy machine it takes a while until all its children are found.
func (p *Process) Abort(idle, stack bool) {
	if ended(p.cmd.Process.Pid) {
		return
	}
	full, halted := resident(p.cmd.Process.Pid) >= wire.MemoryBytes*3/4, stopped(p.cmd.Process.Pid)
	p.mu.Lock()
	p.exit.Hung, p.exit.Idle, p.exit.Full, p.exit.Stopped = true, idle, full, halted
	p.mu.Unlock()
	if stack && !halted && !p.tells(answerTime, func() bool { return false }) {
		p.group.crash()
		p.tells(dumpTime, p.stderr.full)
	}
	p.group.kill()
}

// tells asks the process for the stack of the call, and waits until it has told it, has
// ended or enough holds. It reports whether that took less than limit.
func (p *Process) tells(limit time.Duration, enough func() bool) bool {
	const look = time.Millisecond
	answered := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.disposed {
			return true
		}
		p.shared.Asked.Store(1)
		return p.shared.Told.Load() > 0
	}
	for end := time.Now().Add(limit); !answered() && !enough(); {
		select {
		case <-p.exited:
			return true
		case <-time.After(look):
		}
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Messages returns the reports of the worker. The channel is closed when the worker's
// end is. It must be read: a worker waits for its reports to be taken.
func (p *Process) Messages() <-chan *wire.Message { return p.messages }

// Exited returns a channel that is closed once the process is reaped.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Shared returns the mapping that holds the worker's journal, until Dispose.
func (p *Process) Shared() *wire.Shared { return p.shared }

// State returns the state in which the process ended; nil before that.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// LastLine returns the message with which the runtime ended the process, or the last line
// that it wrote to standard error.
func (p *Process) LastLine() string {
	if m := crashLine.FindString(ofCrash(p.stderr.String())); m != "" && crashed(p.cmd.ProcessState, p.stderr.String()) {
		return m
	}
	return p.stderr.lastLine()
}

// crashLine matches the message of a crash.
var crashLine = regexp.MustCompile(`(?m)^(panic|fatal error): .{1,200}`)

// Watchdog returns a watchdog over the steps of p.
func (p *Process) Watchdog() *Watchdog { return newWatchdog(p, true) }

func (p *Process) steps() uint64              { return p.shared.Beat() }
func (p *Process) cpu() (time.Duration, bool) { return p.CPUNow() }

// CPUNow returns the processor time that p has taken so far, and false if it has ended or the
// system does not tell.
func (p *Process) CPUNow() (time.Duration, bool) { return cpuNow(p.cmd.Process.Pid) }

// OwnCPU returns the processor time that this process has taken so far, and false if the
// system does not tell.
func OwnCPU() (time.Duration, bool) { return cpuNow(os.Getpid()) }

func (p *Process) runnable() (ready, known bool) { return runnable(p.cmd.Process.Pid) }

// answerTime is how long a process may take to tell the stack of a call. Tests change it.
var answerTime = 2 * time.Second

// dumpTime is how long a process may take to print its goroutines.
const dumpTime = 10 * time.Second

// ExitReason returns why p ended, beside its exit status.
func (p *Process) ExitReason() ExitReason {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// LeaveTime is how long a worker may take to exit after its last report.
const LeaveTime = 5 * time.Second

// Leave has a process exit, with time to write its counts. It returns an error if the
// process does not succeed.
func (p *Process) Leave() error {
	p.closeCommands()
	select {
	case <-p.exited:
	case <-time.After(LeaveTime):
	}
	p.Dispose()
	if st := p.cmd.ProcessState; !st.Success() {
		return fmt.Errorf("%s: %s", st, p.stderr.lastLine())
	}
	return nil
}

// Dispose has a process exit, kills it if it does not, waits for it and frees its
// resources. Further reports are dropped.
func (p *Process) Dispose() {
	p.closeCommands()
	go func() {
		for range p.messages {
		}
	}()
	select {
	case <-p.exited:
	case <-time.After(time.Second):
		p.Kill()
		<-p.exited
	}
	p.group.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disposed = true
	_ = wire.Unmap(p.shared)
}

// CPU returns the processor time of a reaped process.
func (p *Process) CPU() time.Duration {
	if st := p.cmd.ProcessState; st != nil {
		return st.UserTime() + st.SystemTime()
	}
	return 0
}
