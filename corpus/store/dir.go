package store

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Dir returns the directory of a package's store. goCache is the output of "go
// env GOCACHE". version is the version of the package's module: empty in the
// main module, and the Go version for the standard library.
//
//	$GOCACHE/fuzz/<import path>[@version]/foray
//
// With an outdir it is outdir/<import path>. Different packages never share a
// directory, and no store contains the files of another.
func Dir(goCache, importPath, version, outdir string) string {
	var elems []string
	for elem := range strings.SplitSeq(importPath, "/") {
		elems = append(elems, escapeElem(elem))
	}
	path := filepath.Join(elems...)
	if outdir != "" {
		return filepath.Join(outdir, path)
	}
	if version != "" {
		path += "@" + escapeElem(version)
	}
	return filepath.Join(goCache, "fuzz", path, "foray")
}

// escapeElem returns an element of an import path as the name of a directory.
// It escapes characters and names that mean something to a file system or the
// store.
func escapeElem(elem string) string {
	switch elem {
	case "":
		return "%"
	case ".", "..", entriesDir, findingsDir, quarantineDir, generationsDir, stateFile, profileFile, lockFile:
		return fmt.Sprintf("%%%02X", elem[0]) + elem[1:]
	}
	var b strings.Builder
	for i := range len(elem) {
		switch c := elem[i]; {
		case c <= ' ', c == 0x7f, strings.IndexByte(`%@/\:*?"<>|`, c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
