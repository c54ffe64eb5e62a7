//go:build !linux

package record

// limit would bound what the process may use.
func limit() {}
