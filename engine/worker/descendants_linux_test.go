package worker

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

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
