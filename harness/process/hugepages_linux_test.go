package process

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestBackHeap allocates after backHeap, and finds the memory marked for huge pages.
func TestBackHeap(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no huge pages")
	}
	backHeap()
	b := make([]byte, 1<<20)
	at := uint64(uintptr(unsafe.Pointer(&b[0])))
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	mapping := regexp.MustCompile(`^([0-9a-f]+)-([0-9a-f]+) `)
	inside := false
	for line := range bytes.Lines(maps) {
		if m := mapping.FindSubmatch(line); m != nil {
			from, _ := strconv.ParseUint(string(m[1]), 16, 64)
			to, _ := strconv.ParseUint(string(m[2]), 16, 64)
			inside = from <= at && at < to
		}
		if flags, ok := bytes.CutPrefix(line, []byte("VmFlags:")); ok && inside {
			if !bytes.Contains(flags, []byte(" hg ")) {
				t.Errorf("the heap at %x has the flags%s, want hg", at, flags)
			}
			return
		}
	}
	t.Errorf("no mapping has the heap at %x", at)
}
