package wire

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// NewSection returns memory that the system gives up when nobody has it open. It is no file,
// but can be mapped, inherited and closed.
func NewSection() (*os.File, error) {
	h, err := syscall.CreateFileMapping(syscall.InvalidHandle, nil, syscall.PAGE_READWRITE, 0, SharedBytes, nil)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", os.NewSyscallError("CreateFileMapping", err))
	}
	return os.NewFile(uintptr(h), "shared memory"), nil
}

// Map maps a section, which is SharedBytes long.
func Map(section *os.File) (*Shared, error) {
	addr, err := syscall.MapViewOfFile(syscall.Handle(section.Fd()), syscall.FILE_MAP_READ|syscall.FILE_MAP_WRITE, 0, 0, SharedBytes)
	if err != nil {
		return nil, fmt.Errorf("wire: map shared memory: %w", err)
	}
	// The conversion by way of an address is one that go vet takes for a misuse elsewhere.
	return SharedOf((*[SharedBytes]byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))[:]), nil
}

// Unmap ends a mapping.
func Unmap(s *Shared) error { return syscall.UnmapViewOfFile(uintptr(s.pointer())) }
