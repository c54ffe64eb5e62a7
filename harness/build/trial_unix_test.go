//go:build unix

package build

import (
	"io"
	"os"
	"os/exec"
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
