//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow are the flags to open a file of the store. A symbolic link in its place
// leads to a file of somebody else; opening a named pipe would wait for its other end.
const openNoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// othersMayWrite reports whether other users may write to a directory.
func othersMayWrite(info fs.FileInfo) bool {
	const othersWrite = 0o002
	return info.Mode()&othersWrite != 0 || isOthers(info)
}

// isOthers reports whether a file belongs to another user, who is not root.
func isOthers(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid != 0 && int(st.Uid) != os.Geteuid()
}
