// Package foray holds the sources that workers link.
//
// A worker is a test binary of the package under test. It links harness/process,
// harness/target or harness, and what these import, which are laid over GOROOT as packages of
// their own (see harness/build). The foray command therefore carries their sources
// along, so that it needs no copy of this module where it runs.
package foray

import (
	"embed"
	"io/fs"
	"strings"
)

// Module is the path of this module.
const Module = "foray.test"

// sources lists foray.test/harness, foray.test/harness/target and the packages that
// they import. The test of this package says which line to add or remove.
//
//go:embed corpus/*.go corpus/fuzzfile/*.go coverage/*.go coverage/probe/*.go engine/*.go engine/difference/*.go engine/draw/*.go engine/godump/*.go engine/predicate/*.go engine/regression/*.go engine/seq/*.go engine/wire/*.go harness/*.go harness/blame/*.go harness/contract/*.go harness/contract/property/*.go harness/digest/*.go harness/executor/*.go harness/golit/*.go harness/naming/*.go harness/observe/*.go harness/process/*.go harness/record/*.go harness/target/*.go mutators/*.go
var sources embed.FS

// Runtime returns the Go sources that a worker links, by their slash-separated
// path in this module.
func Runtime() map[string][]byte {
	files := make(map[string][]byte)
	err := fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = sources.ReadFile(path)
		return err
	})
	if err != nil {
		panic("foray: embedded sources: " + err.Error())
	}
	return files
}
