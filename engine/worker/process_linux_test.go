package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestStopped shows that the state of a process is told whatever its name is.
func TestStopped(t *testing.T) {
	script := filepath.Join(t.TempDir(), "a) R (b")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nread line\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer func() {
		cmd.Process.Kill()
		in.Close()
		cmd.Wait()
	}()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %v, %v", status, err)
	}
	if !stopped(pid) || ready(pid) {
		t.Errorf("stopped %v, runnable %v, want it stopped", stopped(pid), ready(pid))
	}
	if own := os.Getpid(); stopped(own) || !ready(own) {
		t.Errorf("this process: stopped %v, runnable %v, want it runnable", stopped(own), ready(own))
	}
	if own := os.Getpid(); ended(pid) || ended(own) {
		t.Error("a process that is there has ended")
	}
	if stopped(-1) || ready(-1) {
		t.Error("a process that does not exist has a state")
	}
}

func ready(pid int) bool {
	is, _ := runnable(pid)
	return is
}
