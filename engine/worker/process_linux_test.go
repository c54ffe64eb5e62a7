package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// A confined process has the testdata of its package and beside it, and its end leaves them as they are.
func TestTestdata(t *testing.T) {
	root := t.TempDir()
	pkg := filepath.Join(root, "pkg")
	names := []string{"testdata", "../testdata"}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(pkg, name, "inner"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		spawn Spawn
		has   []string
	}{
		{Spawn{Package: pkg}, names},
		{Spawn{Package: root}, []string{"testdata"}},
		{Spawn{Package: pkg, Unconfined: true}, nil},
		{Spawn{Package: filepath.Join(pkg, "none", "none")}, nil},
		{Spawn{}, nil},
	} {
		tc.spawn.Dir = t.TempDir()
		for range 2 { // the second process finds it
			if err := tc.spawn.makePlace(); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			_, err := os.Stat(filepath.Join(tc.spawn.place(), name, "inner"))
			if want := confine.Supported() && slices.Contains(tc.has, name); (err == nil) != want {
				t.Errorf("%+v: %v, want %s: %v", tc.spawn, err, name, want)
			}
		}
		tc.spawn.Clean()
		if list, err := os.ReadDir(tc.spawn.place()); len(list) > 0 || err != nil {
			t.Errorf("left are %v, %v", list, err)
		}
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(pkg, name, "inner")); err != nil {
			t.Error(err)
		}
	}
}
