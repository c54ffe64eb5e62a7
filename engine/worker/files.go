package worker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Bounds on the files of the code under test. Removing 100,000 files takes a minute.
const (
	maxFiles     = 4096
	maxFileBytes = 64 << 20
	filesEvery   = 100 * time.Millisecond
)

// watchFiles kills the process once there is too much in the directory for files of the
// code under test, and then removes that. Other processes that use the directory do the same.
func (p *Process) watchFiles() {
	ticker := time.NewTicker(filesEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.exited:
			return
		case <-ticker.C:
		}
		if tooMuch(p.place) {
			p.mu.Lock()
			p.exit.Killed, p.exit.Files = true, true
			p.mu.Unlock()
			p.group.kill()
			<-p.exited
			empty(p.place)
			return
		}
	}
}

// Clean removes the files of the code under test, when no process of s runs.
func (s Spawn) Clean() { empty(s.place()) }

// errEnough ends the counting of files.
var errEnough = errors.New("enough")

// tooMuch reports whether the files below dir exceed a bound.
func tooMuch(dir string) bool {
	files, size := 0, int64(0)
	return filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it has gone, or cannot be read
		}
		if files++; d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		if files > maxFiles || size > maxFileBytes {
			return errEnough
		}
		return nil
	}) == errEnough
}

// empty removes the files in dir, also from directories without permissions. Some may resist;
// they go with the whole directory.
func empty(dir string) {
	list, _ := os.ReadDir(dir)
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		if os.RemoveAll(path) == nil {
			continue
		}
		_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
		_ = os.RemoveAll(path)
	}
}
