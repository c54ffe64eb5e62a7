package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// A fileSystem is the part of the disk that the store uses. Tests replace it by
// one that loses unsynced writes, or fails at a chosen call.
type fileSystem interface {
	Mkdir(name string) error
	// Create makes a file that must not exist yet.
	Create(name string) (file, error)
	// ReadFile returns the first limit+1 bytes of a file at most.
	ReadFile(name string, limit int64) ([]byte, error)
	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	Lstat(name string) (fs.FileInfo, error)
	// Rename replaces newname if it exists; after a crash either both names
	// are as before or both are as after.
	Rename(oldname, newname string) error
	Remove(name string) error
	// Sync makes the content of a file durable, SyncDir the names in a directory.
	Sync(name string) error
	SyncDir(name string) error
}

// A file is a file being written.
type file interface {
	io.WriteCloser
	Sync() error
}

// osFS is the real file system.
type osFS struct{}

func (osFS) Mkdir(name string) error                    { return os.Mkdir(name, 0o777) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osFS) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (osFS) Remove(name string) error                   { return os.Remove(name) }

func (osFS) Rename(oldname, newname string) error {
	return retry(func() error { return os.Rename(oldname, newname) })
}

func (osFS) Create(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osFS) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := openRetrying(name, os.O_RDONLY|openNoFollow)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	// It takes one read more than the size to see the end.
	data := make([]byte, min(info.Size(), limit)+1)
	n, err := io.ReadFull(f, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return data[:n], err
}

func (osFS) Sync(name string) error {
	mode := os.O_RDONLY
	if runtime.GOOS == "windows" {
		mode = os.O_RDWR // FlushFileBuffers wants a handle that may write
	}
	return syncFile(name, mode)
}

func (osFS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there
	}
	err := syncFile(name, os.O_RDONLY)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some file systems offer no such thing
	}
	return err
}

func openRetrying(name string, mode int) (f *os.File, err error) {
	err = retry(func() error {
		f, err = os.OpenFile(name, mode, 0)
		return err
	})
	return f, err
}

func syncFile(name string, mode int) error {
	f, err := openRetrying(name, mode)
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// failed names the place and the thing that err happened to, unless err is nil or does so
// itself. A read-only file system counts as a missing permission.
func failed(err error, format string, args ...any) error {
	if err == nil || strings.HasPrefix(err.Error(), "corpus: ") {
		return err
	}
	if errors.Is(err, syscall.EROFS) && !errors.Is(err, fs.ErrPermission) {
		err = readOnlyError{err}
	}
	return fmt.Errorf("corpus: %s: %w", fmt.Sprintf(format, args...), err)
}

type readOnlyError struct{ error }

func (e readOnlyError) Unwrap() error        { return e.error }
func (e readOnlyError) Is(target error) bool { return target == fs.ErrPermission }
