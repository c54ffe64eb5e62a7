package store

import (
	"os"
	"syscall"
	"unsafe"
)

const errLocked = syscall.Errno(33) // ERROR_LOCK_VIOLATION

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// flock locks an open file. It returns errLocked if another has. The
// locked byte is one far beyond the end, as nobody can read one that is locked.
func flock(f *os.File) error {
	const (
		failImmediately = 1
		exclusive       = 2
		reserved, bytes = 0, 1
	)
	place := syscall.Overlapped{Offset: 1 << 30}
	if ok, _, err := lockFileEx.Call(f.Fd(), exclusive|failImmediately, reserved, bytes, 0, uintptr(unsafe.Pointer(&place))); ok == 0 {
		return err
	}
	return nil
}
