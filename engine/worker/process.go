// Package worker is the coordinator's end of a worker: a process that links the code
// under test, so that anything may happen to it. It starts one, gives it orders and
// hands on what it reports, tells one that hangs from one that is slow, ends it with
// all that it has started, and says what is known of its end.
//
//	p, err := spawn.Start(ctx)
//	p.Send(&wire.Message{Exec: order})
//	for m := range p.Messages() { … }
//	<-p.Exited()
//	d := p.Death(false)
//	p.Dispose()
//
// What is said is engine/wire's matter, the other end of it the Main of harness/process.
package worker

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"foray.test/engine/confine"
	"foray.test/engine/wire"
)

// A Process is one worker process: our ends of the private descriptors, the shared
// mapping, and what it wrote to standard error. Whoever started it must call Dispose.
type Process struct {
	cmd      *exec.Cmd
	commands *os.File
	messages chan *wire.Message // closed when the worker's end is
	shared   *wire.Shared
	stderr   *tail
	exited   chan struct{} // closed once the process is reaped

	// Orders wait here until the worker reads them: whoever gives them must not
	// wait for a worker that hangs, or that waits for its reports to be taken.
	orders chan struct{} // holds one token while the queue may not be empty
	hungUp chan struct{} // closed when no order will follow
	hangUp func()        // … which this says

	mu      sync.Mutex
	queue   []*wire.Message
	killed  bool  // by us: its end says nothing
	hung    bool  // it was asked for its goroutines
	idle    bool  // … when it did not use the processor
	full    bool  // … when it was near the limit of its memory
	garbled error // what it said last was no message
}

// A Spawn says how to start a worker.
type Spawn struct {
	Binary     string // the worker
	Table      string // file of its table
	Conditions string // file of the table of conditions; only an analysis build needs it
	Dir        string // working directory
	Temp       string // directory for files, ours and those of the code under test; empty: Dir
	Args       []string
	Around     bool // take counters around the steps
	Race       bool // end it at the first race that the detector reports
	Past       bool // go on behind calls that panic, if their caller is to blame
	Unconfined bool // let it write anywhere: see [confine.Start]
	// Counters is the directory where a worker that was built to count statements
	// leaves the counts when it ends in peace; see [Process.Leave].
	Counters string
}

// Start starts a worker and waits until it is ready to take orders.
func (s Spawn) Start(ctx context.Context) (*Process, error) {
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

func (s Spawn) spawn() (*Process, error) {
	p := &Process{
		stderr: newTail(stderrBytes), exited: make(chan struct{}), messages: make(chan *wire.Message, 64),
		orders: make(chan struct{}, 1), hungUp: make(chan struct{}),
	}
	fromUs, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer fromUs.Close()
	reports, fromWorker, err := os.Pipe()
	if err != nil {
		commands.Close()
		return nil, err
	}
	defer fromWorker.Close()
	mapping, err := sharedFile(s.temp())
	if err != nil {
		commands.Close()
		reports.Close()
		return nil, err
	}
	defer mapping.Close()
	p.commands = commands
	p.hangUp = sync.OnceFunc(func() {
		close(p.hungUp)
		commands.Close()
	})
	var wait func() error
	if p.shared, err = wire.Map(mapping); err == nil {
		p.cmd = s.command(fromUs, fromWorker, mapping)
		p.cmd.Stderr = p.stderr
		if wait, err = s.start(p.cmd); err != nil {
			_ = wire.Unmap(p.shared)
		}
	}
	if err != nil {
		commands.Close()
		reports.Close()
		return nil, err
	}
	go p.read(reports)
	go p.write()
	go func() {
		// The error is in the process state, which who asks reads from there.
		_ = wait()
		// What the code under test has started goes with it, and what it left in
		// the pipe is there: no one is to wait for more.
		killGroup(p.cmd)
		_ = reports.SetReadDeadline(time.Now().Add(lastWords))
		close(p.exited)
	}()
	return p, nil
}

// start starts the process within bounds and returns what waits for it.
func (s Spawn) start(cmd *exec.Cmd) (wait func() error, err error) {
	if s.Unconfined {
		return cmd.Wait, cmd.Start()
	}
	dirs := []string{s.temp()}
	if s.Counters != "" {
		dirs = append(dirs, s.Counters)
	}
	c, err := confine.Start(cmd, dirs...)
	return c.Wait, err
}

// temp is where files are made.
func (s Spawn) temp() string { return cmp.Or(s.Temp, s.Dir) }

// ExitRace is what a process ends with whose race detector has reported a race.
const ExitRace = 66

// lastWords is how long the reports of a process that is gone are read, should
// someone else hold its end of the pipe.
const lastWords = 5 * time.Second

func (s Spawn) command(files ...*os.File) *exec.Cmd {
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Dir = s.Dir
	// The race detector would have each process sleep for a second at its end.
	detector := os.Getenv("GORACE") + " atexit_sleep_ms=0"
	if s.Race {
		detector += fmt.Sprintf(" halt_on_error=1 exitcode=%d", ExitRace)
	}
	cmd.Env = append(os.Environ(), wire.EnvTable+"="+s.Table, "PWD="+s.Dir, "GOTRACEBACK=crash", "GORACE="+detector)
	if !s.Unconfined {
		cmd.Env = append(cmd.Env, "TMPDIR="+s.temp())
	}
	if s.Conditions != "" {
		cmd.Env = append(cmd.Env, wire.EnvConditions+"="+s.Conditions)
	}
	if s.Around {
		cmd.Env = append(cmd.Env, wire.EnvAround+"=1")
	}
	if s.Past {
		cmd.Env = append(cmd.Env, wire.EnvPast+"=1")
	}
	if s.Counters != "" {
		cmd.Env = append(cmd.Env, "GOCOVERDIR="+s.Counters)
	}
	cmd.WaitDelay = time.Second // children of the code under test may hold our pipes
	cmd.ExtraFiles = files
	cmd.SysProcAttr = processGroup()
	return cmd
}

// readyTimeout bounds how long a worker may take to start: package initializers
// of the code under test run in it.
const readyTimeout = 30 * time.Second

func (p *Process) awaitReady(ctx context.Context) error {
	timer := time.NewTimer(readyTimeout)
	defer timer.Stop()
	select {
	case m, ok := <-p.messages:
		if ok && m.Ready {
			return nil
		}
		p.Kill()
		<-p.exited
		return fmt.Errorf("%s before it was ready: %s", p.cmd.ProcessState, p.stderr.lastLine())
	case <-timer.C:
		return fmt.Errorf("not ready within %v", readyTimeout)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read hands messages on until the worker's end closes or what comes is no
// message. A worker that cannot be heard any more is ended: after a while, since
// most often it is about to.
func (p *Process) read(reports *os.File) {
	defer reports.Close()
	r := bufio.NewReader(reports)
	var err error
	for err == nil {
		var m *wire.Message
		if m, err = wire.Read(r); err == nil {
			p.messages <- m
		}
	}
	close(p.messages)
	if !errors.Is(err, wire.ErrCorrupt) {
		err = errors.New("it closed its reports")
		select {
		case <-p.exited:
			return
		case <-time.After(lastWords):
		}
	}
	p.mu.Lock()
	p.garbled = err
	p.mu.Unlock()
	killGroup(p.cmd)
}

// Send gives p an order. It does not wait for it to be read, and one that p does
// not live to read is lost.
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
		case <-p.hungUp:
			return
		}
		p.mu.Lock()
		list := p.queue
		p.queue = nil
		p.mu.Unlock()
		for _, m := range list {
			if wire.Write(p.commands, m) != nil {
				return // it is dying: its end will tell
			}
		}
	}
}

// Kill ends the process at once.
func (p *Process) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	killGroup(p.cmd)
}

// Quit ends a process that hangs, idle or not: asked for its goroutines first, which
// it writes to standard error. It takes up to two seconds. One that is near the limit of its memory does not get
// on because the collector hardly stops.
func (p *Process) Quit(idle bool) {
	full := resident(p.cmd.Process.Pid) >= wire.MemoryBytes*3/4
	p.mu.Lock()
	p.hung, p.idle, p.full = true, idle, full
	p.mu.Unlock()
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(dumpTime):
		killGroup(p.cmd)
	}
}

// Messages returns what the worker reports. It is closed when the worker's end is,
// and must be read: a worker waits for its reports to be taken.
func (p *Process) Messages() <-chan *wire.Message { return p.messages }

// Exited returns what is closed once the process is reaped.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Shared returns the mapping that the worker journals in. It is gone with Dispose.
func (p *Process) Shared() *wire.Shared { return p.shared }

// State says how the process ended; nil before that.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// LastLine returns the last line that the process wrote to standard error.
func (p *Process) LastLine() string { return p.stderr.lastLine() }

// Stopwatch returns a stopwatch that runs from now on.
func (p *Process) Stopwatch() Stopwatch {
	w := Stopwatch{pid: p.cmd.Process.Pid}
	w.Restart()
	return w
}

// dumpTime is how long a process may take to write its goroutines down.
const dumpTime = 2 * time.Second

// Fate says what is known of why a process ended, beside what the system says:
// whether Kill or Quit was called, and why what it said last was no message.
func (p *Process) Fate() (killed, hung bool, garbled error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed, p.hung, p.garbled
}

// LeaveTime is how long a worker may take to be gone after its last word.
const LeaveTime = 5 * time.Second

// Leave ends a process in peace, with time to write what it counted. It is an error
// if the process does not succeed.
func (p *Process) Leave() error {
	p.hangUp()
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

// Dispose ends a process, in peace if it will, waits for it and frees what it
// held. What it still says is dropped.
func (p *Process) Dispose() {
	p.hangUp()
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
	_ = wire.Unmap(p.shared)
}

// CPU returns the processor time of a reaped process.
func (p *Process) CPU() time.Duration {
	if st := p.cmd.ProcessState; st != nil {
		return st.UserTime() + st.SystemTime()
	}
	return 0
}

// sharedFile makes the file behind the mapping. It has no name by the time the
// code under test runs.
func sharedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "shared")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
