//go:build !unix

package store

import "io/fs"

const openNoFollow = 0

// othersMayWrite returns false: the mode of a file tells nothing about that.
func othersMayWrite(fs.FileInfo) bool { return false }
