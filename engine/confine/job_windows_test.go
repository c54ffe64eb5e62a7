package confine

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"unsafe"
)

// TestJobLimits: the system takes the structure by its size.
func TestJobLimits(t *testing.T) {
	want := uintptr(144)
	if unsafe.Sizeof(uintptr(0)) == 4 {
		want = 112
	}
	if got := unsafe.Sizeof(jobLimits{}); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

const familyVar = "FORAY_CONFINE_FAMILY"

// TestJob: a job ends a process and the child that it has started. Both write to one pipe,
// which ends when the last of them has.
func TestJob(t *testing.T) {
	switch os.Getenv(familyVar) {
	case "parent":
		cmd := exec.Command(os.Args[0], "-test.run=^TestJob$")
		cmd.Env, cmd.Stdin, cmd.Stdout = append(os.Environ(), familyVar+"=child"), os.Stdin, os.Stdout
		_, _ = io.ReadFull(os.Stdin, make([]byte, 1)) // it is in the job
		_ = cmd.Run()
		return
	case "child":
		_, _ = os.Stdout.WriteString("child\n")
		_, _ = io.ReadFull(os.Stdin, make([]byte, 1)) // which does not come
	}
	for name, end := range map[string]func(*Job){"Kill": (*Job).Kill, "Close": (*Job).Close} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestJob$")
		cmd.Env = append(os.Environ(), familyVar+"=parent")
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
		job, err := NewJob(cmd.Process, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = in.Write([]byte{0})
		r := bufio.NewReader(out)
		if line, err := r.ReadString('\n'); err != nil || line != "child\n" {
			t.Errorf("%s: read %q, %v", name, line, err)
		}
		end(job)
		if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
			t.Errorf("%s: then %q, %v, want the end", name, rest, err)
		}
		_ = cmd.Wait() // which the end of the child has waited for, if it ended by itself
		job.Close()
		job.Kill() // does nothing
	}
}
