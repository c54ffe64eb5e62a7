//go:build !unix

package farm

// alive reports whether there may be a process on this machine.
func alive(int) bool { return true }
