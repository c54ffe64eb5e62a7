//go:build unix

package wire

import (
	"os"
	"path/filepath"
	"testing"
)

// backing returns a file to map.
func backing(t *testing.T) (*os.File, error) {
	return os.Create(filepath.Join(t.TempDir(), "shared"))
}

// Map makes a file as long as the mapping.
func TestMapTruncates(t *testing.T) {
	f, err := backing(t)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := Map(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unmap(s); err != nil {
		t.Error(err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != SharedBytes {
		t.Errorf("the file takes %v bytes (%v), want %d", st.Size(), err, SharedBytes)
	}
}
