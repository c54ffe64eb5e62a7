package coordinator

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

	"foray.test/engine/wire"
)

// process is one worker process: its ends of the private descriptors, the shared
// mapping, and what it wrote to standard error.
type process struct {
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

// Spawn is what starts a worker.
type Spawn struct {
	Binary     string // the worker
	Table      string // file of its table
	Conditions string // file of the table of conditions; only an analysis build needs it
	Dir        string // working directory
	Temp       string // directory for files of our own; empty: Dir
	Args       []string
	Around     bool // take counters around the steps
	Race       bool // end it at the first race that the detector reports
	Past       bool // go on behind calls that panic, if their caller is to blame
	// Counters is the directory where a worker that was built to count statements
	// leaves the counts when it ends in peace; see [Cover].
	Counters string
}

// start starts a worker and waits until it is ready to take orders.
func (s Spawn) start(ctx context.Context) (*process, error) {
	p, err := s.spawn()
	if err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if err := p.awaitReady(ctx); err != nil {
		p.kill()
		p.dispose()
		return nil, fmt.Errorf("worker: %w", err)
	}
	return p, nil
}

func (s Spawn) spawn() (*process, error) {
	p := &process{
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
	mapping, err := sharedFile(cmp.Or(s.Temp, s.Dir))
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
	if p.shared, err = wire.Map(mapping); err == nil {
		p.cmd = s.command(fromUs, fromWorker, mapping)
		p.cmd.Stderr = p.stderr
		if err = p.cmd.Start(); err != nil {
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
		_ = p.cmd.Wait()
		// What the code under test has started goes with it, and what it left in
		// the pipe is there: no one is to wait for more.
		killGroup(p.cmd)
		_ = reports.SetReadDeadline(time.Now().Add(lastWords))
		close(p.exited)
	}()
	return p, nil
}

// lastWords is how long the reports of a process that is gone are read, should
// someone else hold its end of the pipe.
const lastWords = 5 * time.Second

func (s Spawn) command(files ...*os.File) *exec.Cmd {
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Dir = s.Dir
	// The race detector would have each process sleep for a second at its end.
	detector := os.Getenv("GORACE") + " atexit_sleep_ms=0"
	if s.Race {
		detector += fmt.Sprintf(" halt_on_error=1 exitcode=%d", exitRace)
	}
	cmd.Env = append(os.Environ(), wire.EnvTable+"="+s.Table, "PWD="+s.Dir, "GOTRACEBACK=crash", "GORACE="+detector)
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

func (p *process) awaitReady(ctx context.Context) error {
	timer := time.NewTimer(readyTimeout)
	defer timer.Stop()
	select {
	case m, ok := <-p.messages:
		if ok && m.Ready {
			return nil
		}
		p.kill()
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
func (p *process) read(reports *os.File) {
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

// send gives p an order. It does not wait for it to be read, and one that p does
// not live to read is lost.
func (p *process) send(m *wire.Message) {
	p.mu.Lock()
	p.queue = append(p.queue, m)
	p.mu.Unlock()
	select {
	case p.orders <- struct{}{}:
	default:
	}
}

// write writes the orders to the worker.
func (p *process) write() {
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

// kill ends the process at once.
func (p *process) kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	killGroup(p.cmd)
}

// quit ends a process that hangs: asked for its goroutines first, which it
// writes to standard error. One that is near the limit of its memory does not get
// on because the collector hardly stops.
func (p *process) quit(idle bool) {
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

// dumpTime is how long a process may take to write its goroutines down.
const dumpTime = 2 * time.Second

// fate says what is known of why a process ended, beside what the system says.
func (p *process) fate() (killed, hung bool, garbled error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed, p.hung, p.garbled
}

// dispose ends a process, in peace if it will, waits for it and frees what it
// held. What it still says is dropped.
func (p *process) dispose() {
	p.hangUp()
	go func() {
		for range p.messages {
		}
	}()
	select {
	case <-p.exited:
	case <-time.After(time.Second):
		p.kill()
		<-p.exited
	}
	_ = wire.Unmap(p.shared)
}

// cpu returns the processor time of a reaped process.
func (p *process) cpu() time.Duration {
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
