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

// guard waits for the end of the foray with a mark, and then ends its processes.
func guard(mark string) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	_, _ = io.Copy(io.Discard, os.Stdin)
	endRun(mark)
}

func endRun(mark string) {
	worker.EndMarked(func(m string) bool { return strings.HasPrefix(m, mark) })
}

// guarded is our end of the guard's input. The system closes it when this process ends.
var guarded io.Closer

// stopGuard ends the guard, which has nothing left to do.
func stopGuard() {
	if guarded != nil {
		worker.Limit(0, "") // this process is none of those that the guard ends
		guarded.Close()
	}
}

// startGuard starts the guard of this process, where processes have marks. Without a guard
// only a kill of foray leaves processes.
var startGuard = sync.OnceFunc(func() {
	exe, err := os.Executable()
	if err != nil {
		return
	}
	mark := worker.Run()
	cmd := exec.Command(exe)
	cmd.Args[0] = os.Args[0] // a test of foray goes by the name
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
