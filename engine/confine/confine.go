// Package confine starts processes that run code under test and restricts their
// access to the machine. They may read all files, but create, write and remove
// files only in a few directories. They cannot open TCP connections, send
// datagrams, or signal other processes. If root starts them, they lack its
// privileges, such as to take a network interface down.
//
// A search calls every function of a package with arbitrary arguments.
// RemoveAll("/") may be among the calls, through an interface or three packages
// away, where no reading of the source finds it. The first defence is package
// harness/catalog, which skips functions with dangerous source. This package is
// the second. It works on Linux, by Landlock (kernel 5.13; connections from
// 6.7, signals from 6.12) and a seccomp filter. Elsewhere processes start
// unrestricted: see [Supported].
//
// Processes may run any program, under the same restrictions. Sockets of this
// machine with a name in the file system stay reachable. The restrictions
// prevent accidents; they do not stop an attacker.
package confine

import (
	"os/exec"
	"runtime"
)

// A Command is a process that was started.
type Command struct {
	ended chan error
}

// Start starts cmd with restrictions that also hold for its children. They can
// create, change and remove files only below the given directories. They can
// also write to devices such as the null device. They cannot connect or send by
// TCP or UDP. Open files that cmd inherits stay usable.
func Start(cmd *exec.Cmd, dirs ...string) (*Command, error) {
	c := &Command{ended: make(chan error, 1)}
	started := make(chan error)
	onOwnThread(func() {
		err := bound(dirs)
		if err == nil {
			err = cmd.Start()
		}
		if started <- err; err == nil {
			c.ended <- cmd.Wait()
		}
	})
	return c, <-started
}

// onOwnThread runs f in a goroutine with a thread of its own. The restrictions of f hold
// for that thread and its child processes. The goroutine is never unlocked, so the thread
// ends with it, and not before the child: the child would take the thread's death for that
// of its parent (prctl(2), PR_SET_PDEATHSIG).
//
// The thread is not the main one, which lives on and stands for the process. A child with the
// restrictions of the main thread could send signals to its parent.
func onOwnThread(f func()) {
	locked := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		if isMainThread() {
			onOwnThread(f) // in another thread, for this goroutine has the main one
			runtime.UnlockOSThread()
			close(locked)
			return
		}
		close(locked)
		f()
	}()
	<-locked
}

// Wait waits until the process has ended, as [exec.Cmd.Wait] does. It is to be called once.
func (c *Command) Wait() error { return <-c.ended }

// TempEnv returns the environment variables that make a process use dir for temporary files.
func TempEnv(dir string) []string {
	var env []string
	for _, name := range tempVars() {
		env = append(env, name+"="+dir)
	}
	return env
}

// Supported reports whether processes are confined to the directories here.
func Supported() bool { return supported() }
