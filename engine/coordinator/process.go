package coordinator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

	mu     sync.Mutex
	killed bool
	hung   bool
	idle   bool // it hung without using the processor
}

// Spawn is what starts a worker.
type Spawn struct {
	Binary string // the worker
	Table  string // file of its table
	Dir    string // working directory
	Around bool   // take counters around the steps
}

// start starts a worker and waits until it is ready to take orders.
func (s Spawn) start(ctx context.Context) (*process, error) {
	p := &process{stderr: newTail(stderrBytes), exited: make(chan struct{}), messages: make(chan *wire.Message, 64)}
	fromUs, commands, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	defer fromUs.Close()
	reports, fromWorker, err := os.Pipe()
	if err != nil {
		commands.Close()
		return nil, fmt.Errorf("worker: %w", err)
	}
	defer fromWorker.Close()
	p.commands = commands
	mapping, err := sharedFile(s.Dir)
	if err == nil {
		p.shared, err = wire.Map(mapping)
	}
	if err != nil {
		commands.Close()
		reports.Close()
		return nil, fmt.Errorf("worker: %w", err)
	}
	defer mapping.Close()

	p.cmd = exec.Command(s.Binary)
	p.cmd.Dir = s.Dir
	p.cmd.Env = append(os.Environ(), wire.EnvTable+"="+s.Table, "GOTRACEBACK=crash")
	if s.Around {
		p.cmd.Env = append(p.cmd.Env, wire.EnvAround+"=1")
	}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second // children of the code under test may hold our pipes
	p.cmd.ExtraFiles = []*os.File{fromUs, fromWorker, mapping}
	p.cmd.SysProcAttr = processGroup()
	if err := p.cmd.Start(); err != nil {
		commands.Close()
		reports.Close()
		return nil, fmt.Errorf("worker: start: %w", err)
	}
	go p.read(reports)
	go func() {
		// The error is in the process state, which who asks reads from there.
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	return p, p.awaitReady(ctx)
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
		<-p.exited
		return fmt.Errorf("worker: %s before it was ready: %s", p.cmd.ProcessState, p.stderr.lastLine())
	case <-timer.C:
		p.kill()
		return fmt.Errorf("worker: not ready within %v", readyTimeout)
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	}
}

// read hands messages on until the worker's end closes or what comes is no message.
func (p *process) read(reports *os.File) {
	defer close(p.messages)
	defer reports.Close()
	r := bufio.NewReader(reports)
	for {
		m, err := wire.Read(r)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.kill()
			}
			return
		}
		p.messages <- m
	}
}

func (p *process) send(m *wire.Message) error { return wire.Write(p.commands, m) }

// kill ends the process at once.
func (p *process) kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	killGroup(p.cmd)
}

// quit ends a process that hangs: asked for its goroutines first, which it
// writes to standard error.
func (p *process) quit(idle bool) {
	p.mu.Lock()
	p.hung, p.idle = true, idle
	p.mu.Unlock()
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(2 * time.Second):
		killGroup(p.cmd)
	}
}

// release frees what the process held. It must have been reaped.
func (p *process) release() {
	p.commands.Close()
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
