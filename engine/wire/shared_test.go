package wire

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

func TestSharedLayout(t *testing.T) {
	var s Shared
	if got := unsafe.Sizeof(s); got != SharedBytes {
		t.Errorf("Shared takes %d bytes, want %d: both ends map that many", got, SharedBytes)
	}
	for _, f := range []struct {
		name   string
		offset uintptr
	}{
		{"Sequences", unsafe.Offsetof(s.Sequences)},
		{"Steps", unsafe.Offsetof(s.Steps)},
		{"Counts", unsafe.Offsetof(s.Counts)},
	} {
		if f.offset%8 != 0 {
			t.Errorf("%s at offset %d is not aligned for 64-bit atomics", f.name, f.offset)
		}
	}
	if end := unsafe.Offsetof(s.Journal) + unsafe.Sizeof(s.Journal); end != SharedBytes {
		t.Errorf("the journal ends at %d, want %d", end, SharedBytes)
	}
}

func TestSharedOfWantsAll(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("SharedOf of a mapping that is too small returned")
		}
	}()
	SharedOf(make([]byte, SharedBytes-1))
}

// Two mappings of one file are one memory: what a process writes the other reads,
// after the first has gone, too.
func TestMap(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "shared"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := Map(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Map(f)
	if err != nil {
		t.Fatal(err)
	}
	a.Steps.Add(3)
	a.Judging.Store(1)
	n := copy(a.Journal[:], "journal")
	a.Journal[len(a.Journal)-1] = 'z'
	a.Length.Store(uint32(n))
	if err := Unmap(a); err != nil {
		t.Fatal(err)
	}
	if got := b.Steps.Load(); got != 3 {
		t.Errorf("Steps = %d, want 3", got)
	}
	if got := string(b.Journal[:b.Length.Load()]); got != "journal" || b.Judging.Load() != 1 {
		t.Errorf("journal %q, judging %d; want %q, 1", got, b.Judging.Load(), "journal")
	}
	if got := b.Journal[len(b.Journal)-1]; got != 'z' {
		t.Errorf("last byte of the journal %q, want 'z'", got)
	}
	if err := Unmap(b); err != nil {
		t.Fatal(err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != SharedBytes {
		t.Errorf("the file takes %v bytes (%v), want %d", st.Size(), err, SharedBytes)
	}
}

func TestMapRefuses(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Map(f); err == nil {
		t.Error("Map of a file that cannot be resized returned no error")
	}
}
