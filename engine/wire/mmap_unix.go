//go:build unix

package wire

import (
	"fmt"
	"os"
	"syscall"
)

// Map maps f, which is made SharedBytes long.
func Map(f *os.File) (*Shared, error) {
	if err := f.Truncate(SharedBytes); err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, SharedBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("wire: map shared memory: %w", err)
	}
	return SharedOf(b), nil
}

// Unmap ends a mapping.
func Unmap(s *Shared) error {
	return syscall.Munmap((*[SharedBytes]byte)(s.pointer())[:])
}
