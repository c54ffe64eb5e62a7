//go:build !unix

package store

import "io/fs"

const openNoFollow = 0

func isOthers(fs.FileInfo) bool { return false }
