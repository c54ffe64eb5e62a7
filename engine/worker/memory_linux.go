package worker

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"foray.test/engine/wire"
)

// sharedMemory returns a file of memory that the system gives up when nobody has it open.
// No file system can be too full for it, and no process can make it smaller: reading a
// mapping beyond the end of its file would end this process. Kernels before 3.17 have no
// such files: then it is one in dir.
func sharedMemory(dir string) (*os.File, error) {
	if memfdCreate == 0 {
		return reservedFile(dir)
	}
	const (
		closeOnExec  = 1
		allowSealing = 2
		addSeals     = 1033
		sealAll      = 1 | 2 | 4 // no more seals, no shrinking, no growing
	)
	name := [...]byte{'f', 'o', 'r', 'a', 'y', 0}
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name)), closeOnExec|allowSealing, 0)
	if errno != 0 {
		return reservedFile(dir)
	}
	f := os.NewFile(fd, "shared memory")
	err := f.Truncate(wire.SharedBytes)
	if err == nil {
		if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, sealAll); errno != 0 {
			err = fmt.Errorf("seal shared memory: %w", errno)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
