package process

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// TestBackHeap finds as much memory that huge pages are asked for as a worker may use. One allocation may lie
// in memory that the runtime had before.
func TestBackHeap(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no huge pages")
	}
	backHeap()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	mapping := regexp.MustCompile(`^([0-9a-f]+)-([0-9a-f]+) `)
	asked, size := uint64(0), uint64(0)
	for line := range bytes.Lines(maps) {
		if m := mapping.FindSubmatch(line); m != nil {
			from, _ := strconv.ParseUint(string(m[1]), 16, 64)
			to, _ := strconv.ParseUint(string(m[2]), 16, 64)
			size = to - from
		}
		if flags, ok := bytes.CutPrefix(line, []byte("VmFlags:")); ok && bytes.Contains(flags, []byte(" hg ")) {
			asked += size
		}
	}
	if asked < heapLimit {
		t.Errorf("huge pages are asked for %d bytes, want %d or more", asked, heapLimit)
	}
}
