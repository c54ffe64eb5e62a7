package wire

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// envHandles is the environment variable with the handles of the inherited files, in the
// order of the fields. They have the same numbers in the worker.
const envHandles = "FORAY_HANDLES"

// Inherit returns the inherited files. If a child of the worker held the write end of the
// reports after the worker has ended, the coordinator would wait for more.
func Inherit() (Inherited, error) {
	var files []*os.File
	for number := range strings.SplitSeq(os.Getenv(envHandles), ",") {
		h, err := strconv.ParseUint(number, 10, 64)
		if err == nil {
			err = syscall.SetHandleInformation(syscall.Handle(h), syscall.HANDLE_FLAG_INHERIT, 0)
		}
		if err != nil {
			return Inherited{}, fmt.Errorf("wire: %s: handle %q: %w", envHandles, number, err)
		}
		files = append(files, os.NewFile(uintptr(h), "handle "+number))
	}
	if len(files) != 3 {
		return Inherited{}, fmt.Errorf("wire: %s: %d handles, want 3", envHandles, len(files))
	}
	return Inherited{files[0], files[1], files[2]}, nil
}

// HandOver marks the files for a worker as inheritable, in the order of the fields. It
// returns their handles, and the environment variable that names them.
func HandOver(files ...*os.File) (handles []syscall.Handle, env string, err error) {
	var numbers []string
	for _, f := range files {
		h := syscall.Handle(f.Fd())
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return nil, "", fmt.Errorf("wire: hand over %s: %w", f.Name(), err)
		}
		handles, numbers = append(handles, h), append(numbers, strconv.FormatUint(uint64(h), 10))
	}
	return handles, envHandles + "=" + strings.Join(numbers, ","), nil
}
