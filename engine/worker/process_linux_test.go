package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"foray.test/engine/confine"
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

// A confined process has the testdata of its package, and its end leaves them as they are.
func TestTestdata(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		spawn Spawn
		has   bool
	}{
		{Spawn{Testdata: data}, confine.Supported()},
		{Spawn{Testdata: data, Unconfined: true}, false},
		{Spawn{Testdata: file + "s"}, false},
		{Spawn{}, false},
	} {
		tc.spawn.Dir = t.TempDir()
		for range 2 { // the second process finds it
			if err := tc.spawn.makePlace(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(filepath.Join(tc.spawn.place(), "testdata", "file")); (err == nil) != tc.has {
			t.Errorf("%+v: %v, want testdata: %v", tc.spawn, err, tc.has)
		}
		tc.spawn.Clean()
		if list, err := os.ReadDir(tc.spawn.place()); len(list) > 0 || err != nil {
			t.Errorf("left are %v, %v", list, err)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
