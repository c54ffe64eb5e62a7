package main

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"foray.test/engine/worker"
)

// guardVar is the environment variable that makes this program a guard: a process that
// outlives a foray that is killed, and ends the processes that code under test has started.
const guardVar = "FORAY_GUARD"

// guard ends the processes of a foray with a mark, which has been killed.
func guard(mark string) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	endRun(mark)
}

// guardShell waits for the end of foray, and is a guard unless foray has written a line before. A
// shell takes 2 ms of a processor to start, this program 60. Descriptor 3 is this program, even if its file is gone.
const guardShell = "trap '' INT TERM HUP; read -r line || exec /proc/self/fd/3"

func endRun(mark string) {
	worker.EndMarked(func(m string) bool { return strings.HasPrefix(m, mark) })
}

// guarded is our end of the guard's input. The system closes it when this process ends.
var guarded io.WriteCloser

// stopGuard ends the guard's shell, which has nothing left to do.
func stopGuard() {
	if guarded != nil {
		_, _ = io.WriteString(guarded, "ended\n")
		guarded.Close()
	}
}

// startGuard starts the guard of this process, where processes have marks. Without a guard
// only a kill of foray leaves processes.
var startGuard = sync.OnceFunc(func() {
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer exe.Close()
	mark := worker.Run()
	cmd := exec.Command("/bin/sh", "-c", guardShell)
	cmd.ExtraFiles = []*os.File{exe}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, worker.EnvRun+"=") }), guardVar+"="+mark)
	detach(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if cmd.Start() != nil {
		in.Close()
		return
	}
	guarded = in
	// The go command, and the tests that foray tries, have the mark of the run itself.
	os.Setenv(worker.EnvRun, mark)
	worker.Limit(0, mark)
})
