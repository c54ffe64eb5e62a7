//go:build unix

package worker

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// A group is a process with its children.
type group struct{ cmd *exec.Cmd }

func newGroup(cmd *exec.Cmd, _ bool) *group { return &group{cmd} }

// inherit has the process start with files as descriptors.
func (g *group) inherit(files []*os.File) error {
	g.cmd.ExtraFiles = files
	return nil
}

// lowNice is how much nicer than foray processes are that give way. Beside a process of the priority of
// foray, one on the same processor has a quarter of it: what else the machine does is not to end the search.
const lowNice = 5

// lower gives the processes of a group, by its id, a lower priority than foray has. Without one they only
// run beside the others.
func lower(pgid int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, pgid, min(niceness()+lowNice, 19)) }

// niceness returns that of foray.
func niceness() int {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	switch {
	case err != nil:
		return 0
	case runtime.GOOS == "linux":
		return 20 - n // the system call itself returns no negative number
	}
	return n
}

// started is called when the process has started.
func (g *group) started() {}

// kill kills the process and its children.
func (g *group) kill() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	_ = g.cmd.Process.Kill()
}

// crash has the runtime of the process print its goroutines and end it.
func (g *group) crash() { _ = g.cmd.Process.Signal(syscall.SIGQUIT) }

// close does nothing: the group holds nothing.
func (g *group) close() {}

// crashed reports whether the runtime ended a process. Workers run with GOTRACEBACK=crash:
// the runtime ends them by SIGABRT.
func crashed(st *os.ProcessState, _ string) bool { return signalOf(st) == "SIGABRT" }

// signalOf names the signal that ended a process, if one did.
func signalOf(st *os.ProcessState) string {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return signalName(ws.Signal())
	}
	return ""
}

// signalNames are the signals that processes send each other. Package syscall describes
// them only.
var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGHUP: "SIGHUP",
	syscall.SIGILL: "SIGILL", syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL", syscall.SIGPIPE: "SIGPIPE", syscall.SIGQUIT: "SIGQUIT",
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP", syscall.SIGUSR1: "SIGUSR1",
	syscall.SIGUSR2: "SIGUSR2", syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return s.String()
}
