//go:build !unix && !windows

package planted

// Elsewhere a number names no descriptor.

func closeDescriptor(int) {}

func writeDescriptor(int, []byte) {}
