//go:build unix

package build

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A process that tests leave ends with them: it holds a pipe, which ends with it.
func TestTrialEndsGroup(t *testing.T) {
	for _, unconfined := range []bool{false, true} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 600 & echo started")
		cmd.Stdout = w
		trial := &Trial{Temp: t.TempDir(), Unconfined: unconfined}
		if err := trial.run(cmd); err != nil {
			t.Fatal(err)
		}
		w.Close()
		_ = r.SetReadDeadline(time.Now().Add(time.Minute)) // else it would take ten
		if out, err := io.ReadAll(r); err != nil || string(out) != "started\n" {
			t.Errorf("unconfined %v: read %q, %v; want the end", unconfined, out, err)
		}
	}
}

// A compiler under way ends with the go command when the context is done: it may take long.
func TestInterruptedGroup(t *testing.T) {
	dir := t.TempDir()
	bin, began, status := filepath.Join(dir, "go"), filepath.Join(dir, "began"), filepath.Join(dir, "status")
	// As the go command does, it ends by an interrupt only after its compiler.
	script := "#!/bin/sh\ntrap : INT\nsh -c 'trap \"exit 7\" INT; : >" + began + "; while :; do sleep 0.01; done'\necho $? >" + status + "\n"
	if err := os.WriteFile(bin, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, _, err := (goCmd{bin: bin, group: true}).output(ctx, "build"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if got, err := os.ReadFile(status); string(got) != "7\n" {
		t.Errorf("the compiler ended with %q, %v; want an interrupt", got, err)
	}
}
