package worker

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// TestStatus: how a process ended follows from its status, and from its text if the runtime
// may have ended it.
func TestStatus(t *testing.T) {
	const statusVar = "FORAY_TEST_STATUS"
	if n, err := strconv.ParseUint(os.Getenv(statusVar), 0, 32); err == nil {
		syscall.ExitProcess(uint32(n))
	}
	const crash = "panic: x\n\ngoroutine 1 [running]:\n"
	for _, tt := range []struct {
		status, text, signal string
		crashed              bool
	}{
		{"1", crash, "", false},
		{"2", crash, "", true},
		{"2", "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:\n", "", true},
		{"2", "usage: x\n", "", false},
		{"2", "goroutine 1 [running]:\npanic: x\n", "", false},
		{"0xc0000005", "", "exception 0xc0000005", false},
		{"0xc0000005", crash, "exception 0xc0000005", true},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStatus$")
		cmd.Env = append(os.Environ(), statusVar+"="+tt.status)
		_ = cmd.Run()
		st := cmd.ProcessState
		if signal, c := signalOf(st), crashed(st, tt.text); signal != tt.signal || c != tt.crashed {
			t.Errorf("status %s, %q: signal %q, crashed %v; want %q, %v", tt.status, tt.text, signal, c, tt.signal, tt.crashed)
		}
	}
}

// TestLives: this process is there, takes processor time and has memory; a child that has
// ended has not.
func TestLives(t *testing.T) {
	own := os.Getpid()
	if cpu, ok := cpuNow(own); !ok || cpu < 0 {
		t.Errorf("processor time %v, %v", cpu, ok)
	}
	if n := resident(own); n < 1<<20 || ended(own) {
		t.Errorf("%d bytes, ended %v; want a megabyte at least of a process that runs", n, ended(own))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if h := open(pid); h == 0 {
		t.Error("a process that was started cannot be opened")
	} else {
		_, _ = syscall.WaitForSingleObject(h, syscall.INFINITE)
		syscall.CloseHandle(h)
	}
	if !ended(pid) {
		t.Error("a process that nobody has waited for has not ended")
	}
	_ = cmd.Wait()
}
