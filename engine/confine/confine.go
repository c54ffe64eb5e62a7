// Package confine starts processes that run code under test, and keeps what they may
// do to the machine within bounds: they read what they like, but create, write and
// remove files in a few directories only, open no TCP connections, send no datagrams,
// and signal nobody else.
//
// A search calls whatever a package offers, with whatever arguments: RemoveAll("/")
// among them, through an interface or three packages away, where no reading of the
// source finds it. What is left alone as dangerous by its source (package
// harness/catalog) is the first line; this is the second, and holds on Linux, by
// Landlock (kernel 5.13; connections from 6.7, signals from 6.12) and a seccomp filter.
// Elsewhere processes start as they are: see [Supported]. Which programs are run is
// not confined: they are, too. Nor are sockets of this machine with a name in the file
// system. It keeps accidents off; whoever means harm finds ways around.
package confine

import (
	"os/exec"
	"runtime"
)

// A Command is a process that was started.
type Command struct {
	ended chan error
}

// Start starts cmd so that it, and what it starts, can create, change and remove only
// what lies in the given directories, write to the null device and the like, and connect
// to nobody by TCP or UDP. What it inherits open it may use.
func Start(cmd *exec.Cmd, dirs ...string) (*Command, error) {
	c := &Command{ended: make(chan error, 1)}
	started := make(chan error)
	// The bounds are a thread's, and its child's. The thread ends with the goroutine,
	// which is never unlocked, and not before the child: to whom its death would be
	// that of its parent (prctl(2), PR_SET_PDEATHSIG).
	go func() {
		runtime.LockOSThread()
		err := bound(dirs)
		if err == nil {
			err = cmd.Start()
		}
		if started <- err; err == nil {
			c.ended <- cmd.Wait()
		}
	}()
	return c, <-started
}

// Wait waits until the process has ended, as [exec.Cmd.Wait] does. It is to be called once.
func (c *Command) Wait() error { return <-c.ended }

// Run starts cmd within the bounds of [Start] and waits for it.
func Run(cmd *exec.Cmd, dirs ...string) error {
	c, err := Start(cmd, dirs...)
	if err != nil {
		return err
	}
	return c.Wait()
}

// Supported reports whether processes are confined to the directories here.
func Supported() bool { return supported() }
