package owned

import (
	"os"
	"syscall"
)

// createLocked creates a file that no other process can open.
func createLocked(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const notShared = 0
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, notShared, nil, syscall.CREATE_NEW, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// lock reports true: f could be opened, so that its owner is dead.
func lock(*os.File) (bool, error) { return true, nil }

// removeWith closes a locked file, without which its directory cannot be removed, and does so.
func removeWith(dir string, f *os.File) error {
	err := empty(dir)
	f.Close()
	if err != nil {
		return err
	}
	return RemoveAll(dir)
}
