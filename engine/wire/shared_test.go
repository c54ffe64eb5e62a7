package wire

import (
	"os"
	"strings"
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

// Earlier sequences are told as far as the journal still has them.
func TestEarlier(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ended  uint32
		begin  uint32
		length uint32
		places []Place // from the first on
		want   string
	}{
		{"none", 0, 0, 3, nil, ""},
		{"two", 2, 5, 2, []Place{{0, 2}, {2, 5}}, "ab cde"},
		{"one overwritten by what runs", 3, 0, 2, []Place{{0, 2}, {2, 5}, {5, 6}}, "cde f"},
		{"one overwritten by another", 3, 9, 0, []Place{{2, 5}, {0, 2}, {4, 6}}, "ab ef"},
		{"garbage", 2, 9, 0, []Place{{0, 1}, {7, 1 << 30}}, ""},
		{"garbage turned round", 2, 9, 0, []Place{{0, 1}, {7, 2}}, ""},
		{"more than there are places", uint32(len(Shared{}.Places)) + 2, 9, 0, []Place{{0, 2}, {2, 5}}, "ab cde"},
	} {
		s := new(Shared)
		copy(s.Journal[:], "abcdefghijklmnop")
		copy(s.Places[:], tt.places)
		s.Ended.Store(tt.ended)
		s.Begin.Store(tt.begin)
		s.Length.Store(tt.length)
		var got []string
		for _, b := range s.Earlier() {
			if len(b) > 0 {
				got = append(got, string(b))
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
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

// Two mappings of one file are one memory: one process reads the writes of the other,
// even after that has ended.
func TestMap(t *testing.T) {
	f, err := backing(t)
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
	a.Oracle.Store(7)
	n := copy(a.Journal[:], "journal")
	a.Journal[len(a.Journal)-1] = 'z'
	a.Length.Store(uint32(n))
	if err := Unmap(a); err != nil {
		t.Fatal(err)
	}
	if got := b.Steps.Load(); got != 3 {
		t.Errorf("Steps = %d, want 3", got)
	}
	if got := string(b.Journal[:b.Length.Load()]); got != "journal" || b.Oracle.Load() != 7 {
		t.Errorf("journal %q, oracle %d; want %q, 7", got, b.Oracle.Load(), "journal")
	}
	if got := b.Journal[len(b.Journal)-1]; got != 'z' {
		t.Errorf("last byte of the journal %q, want 'z'", got)
	}
	if err := Unmap(b); err != nil {
		t.Fatal(err)
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
