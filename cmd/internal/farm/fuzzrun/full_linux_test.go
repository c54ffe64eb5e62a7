package fuzzrun

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"foray.test/cmd/internal/farm/record"
)

// An entry that the disk had no room for is not there: what is there is whole, so a second try adds
// it.
func TestAddEntryFull(t *testing.T) {
	for _, fuzz := range []string{"", "FuzzF"} {
		places := PlacesOf(&record.Target{Package: "m.test/p", Fuzz: fuzz}, t.TempDir())
		data, hash := []byte(strings.Repeat("x", 10_000)), strings.Repeat("a", 32)
		var err error
		withLimit(t, 4096, func() { err = places.AddEntry(hash, data) })
		if err == nil || places.HasEntry(hash) {
			t.Errorf("%q: error %v, there: %v; want an error and no entry", fuzz, err, places.HasEntry(hash))
		}
		if list, err := os.ReadDir(places.Entries); err != nil || len(list) != 0 {
			t.Errorf("%q: %v, %v are left; want nothing", fuzz, list, err)
		}
		if err := places.AddEntry(hash, data); err != nil || !places.HasEntry(hash) {
			t.Errorf("%q: second try: %v", fuzz, err)
		}
	}
}

// withLimit calls f while files cannot grow beyond a size: what is written is cut, as on a full disk.
func withLimit(t *testing.T, size uint64, f func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	f()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
}
