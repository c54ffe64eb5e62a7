package planted

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// handle returns the handle that stands for a descriptor of a worker on other systems.
func handle(fd int) syscall.Handle {
	if list := strings.Split(os.Getenv("FORAY_HANDLES"), ","); fd-3 < len(list) {
		if h, err := strconv.ParseUint(list[fd-3], 10, 64); err == nil {
			return syscall.Handle(h)
		}
	}
	return syscall.InvalidHandle
}

func closeDescriptor(fd int) { _ = syscall.CloseHandle(handle(fd)) }

func writeDescriptor(fd int, data []byte) { _, _ = syscall.Write(handle(fd), data) }
