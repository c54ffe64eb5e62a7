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

// startSleeper starts a program that prints a line when it sleeps, and awaits the line; before
// is done to the program before it may go on.
func startSleeper(t *testing.T, cmd *exec.Cmd, before func(pid int)) *exec.Cmd {
	t.Helper()
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
	before(cmd.Process.Pid)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// wasKilled awaits the end of a program and reports it unless it was killed.
func wasKilled(t *testing.T, cmd *exec.Cmd, name string) {
	t.Helper()
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%s ended with %v, want it killed", name, err)
	}
}

// TestEndMarked: processes with the mark of a dead worker are ended, those of a live one
// are not. They become no other program after they have answered: while that starts, the system
// tells no environment.
func TestEndMarked(t *testing.T) {
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "read line; echo; read line")
		cmd.Env = append(os.Environ(), EnvRun+"="+mark)
		return startSleeper(t, cmd, func(int) {})
	}
	living, dying := newMark(), newMark()
	kept, left := start(living), start(dying)
	workers.swept = time.Time{}
	dead(dying)
	wasKilled(t, left, "the process of a dead worker")
	if list := marked(func(m string) bool { return m == living }); len(list) != 1 || list[0] != kept.Process.Pid {
		t.Errorf("processes of the live worker: %v, want %d", list, kept.Process.Pid)
	}
	dead(living)
	EndMarked(func(m string) bool { return strings.HasPrefix(m, Run()) })
	wasKilled(t, kept, "the process of a live worker, after the end of the run")
}

// TestEndCleaned: a process is ended that was started without the environment of the worker.
func TestEndCleaned(t *testing.T) {
	mark := newMark()
	cmd := exec.Command("sh", "-c", "read line; exec env -i sh -c 'echo; exec sleep 60'")
	startSleeper(t, cmd, func(pid int) {
		for _, want := range []string{mark, "", mark} {
			Limit(pid, want)
			if got := inLimit(pid); got != want {
				t.Fatalf("the limit holds the mark %q, want %q", got, want)
			}
		}
	})
	EndMarked(func(m string) bool { return m == mark })
	wasKilled(t, cmd, "the process of another environment")
}
