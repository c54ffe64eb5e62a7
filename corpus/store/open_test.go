package store

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// A store that is there can be read on a disk that cannot be written; one that
// has to be made cannot.
func TestOpenReadOnly(t *testing.T) {
	for _, fault := range []error{syscall.EROFS, syscall.EACCES} {
		d := newDisk()
		readOnly := func(_ int, what string) error {
			if op, _, _ := strings.Cut(what, " "); op == "mkdir" || op == "create" || op == "rename" {
				return fault
			}
			return nil
		}
		d.fault = readOnly
		_, err := open(testDir, d)
		if !errors.Is(err, fs.ErrPermission) || !errors.Is(err, fault) || !strings.HasPrefix(err.Error(), `corpus: open "`+testDir+`": `) {
			t.Errorf("open of nothing: %v, want %v", err, fault)
		}
		d.fault = nil
		if err := openTest(t, d).Put(entry(1)); err != nil {
			t.Fatal(err)
		}
		d.fault = readOnly
		if ids, problems := loadTest(t, openTest(t, d)); len(ids) != 1 || len(problems) > 0 {
			t.Errorf("loaded %q, problems %v; want one entry", ids, problems)
		}
	}
}

func TestOpenFile(t *testing.T) {
	d := newDisk()
	openTest(t, d)
	d.put(testDir+"/findings", "hello")
	if _, err := open(testDir, d); err == nil || !strings.HasSuffix(err.Error(), "/findings is not a directory") {
		t.Errorf("open with a file in place of a directory: %v", err)
	}
}
