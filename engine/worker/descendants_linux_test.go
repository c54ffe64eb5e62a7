package worker

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestLimits: a mark is the same after it was a limit.
func TestLimits(t *testing.T) {
	for _, mark := range []string{Run(), newMark(), "00000000ff.1.", "ffffffffff.1048574.", "0123456789."} {
		n, ok := limitOf(mark)
		if back := markOf(n); !ok || back != mark {
			t.Errorf("%q is %q after it was the limit %x", mark, back, n)
		}
	}
	for _, mark := range []string{"", "x", "ffffffffff.1048576.", "10000000000.1."} {
		if n, ok := limitOf(mark); ok {
			t.Errorf("%q is the limit %x, want none", mark, n)
		}
	}
	for _, n := range []uint64{0, 1, 1<<64 - 1, 1 << 62, limitBit >> 1} {
		if mark := markOf(n); mark != "" {
			t.Errorf("the limit %x is the mark %q, want none", n, mark)
		}
	}
}

// TestEndMarked: processes with the mark of a dead worker are ended, those of a live one
// are not.
func TestEndMarked(t *testing.T) {
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "echo; exec sleep 600")
		cmd.Env = append(os.Environ(), EnvRun+"="+mark)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it runs
			t.Fatal(err)
		}
		return cmd
	}
	living, dying := newMark(), newMark()
	kept, left := start(living), start(dying)
	workers.swept = time.Time{}
	dead(dying)
	if err := left.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the process of a dead worker ended with %v, want it killed", err)
	}
	if list := marked(func(m string) bool { return m == living }); len(list) != 1 || list[0] != kept.Process.Pid {
		t.Errorf("processes of the live worker: %v, want %d", list, kept.Process.Pid)
	}
	dead(living)
	EndMarked(func(m string) bool { return strings.HasPrefix(m, Run()) })
	if err := kept.Wait(); err == nil {
		t.Error("a process lived on after the end of the run")
	}
}

// TestEndCleaned: a process is ended that was started without the environment of the worker.
func TestEndCleaned(t *testing.T) {
	mark := newMark()
	cmd := exec.Command("sh", "-c", "read line; exec env -i sh -c 'echo; exec sleep 600'")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	Limit(cmd.Process.Pid, mark)
	if inLimit(cmd.Process.Pid) != mark {
		t.Skip("the system keeps no mark in a limit")
	}
	Limit(cmd.Process.Pid, "")
	if got := inLimit(cmd.Process.Pid); got != "" {
		t.Errorf("the mark %q was taken away, and is there", got)
	}
	Limit(cmd.Process.Pid, mark)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it sleeps
		t.Fatal(err)
	}
	EndMarked(func(m string) bool { return m == mark })
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended with %v, want it killed", err)
	}
}
