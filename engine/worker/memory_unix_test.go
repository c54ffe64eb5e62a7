//go:build unix

package worker

import (
	"os"
	"testing"

	"foray.test/engine/wire"
)

// TestSharedMemory: the memory is there, and on Linux no process can take it away.
func TestSharedMemory(t *testing.T) {
	for name, create := range map[string]func(string) (*os.File, error){"sharedMemory": sharedMemory, "reservedFile": reservedFile} {
		dir := t.TempDir()
		f, err := create(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || info.Size() != wire.SharedBytes {
			t.Errorf("%s: %v bytes (%v), want %d", name, info.Size(), err, wire.SharedBytes)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s left %v (%v)", name, left, err)
		}
		m, err := wire.Map(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m.Journal[len(m.Journal)-1] = 'x'
		if err := wire.Unmap(m); err != nil {
			t.Error(err)
		}
		if sealed := memfdCreate > 0 && name == "sharedMemory"; sealed && f.Truncate(0) == nil {
			t.Errorf("%s: the mapping was made smaller", name)
		}
	}
}
