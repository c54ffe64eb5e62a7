package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// A generated is a test file that a command writes beside a package.
type generated struct {
	name    string
	mark    string // it begins with
	command string
	source  []byte
}

// wantOwn returns an error with a hint for a package that is not the user's.
func wantOwn(target *build.Target, hint string) error {
	if target.Own() {
		return nil
	}
	return &load.Error{Place: target.Path, Msg: "a package of the " + target.Where.String() + ", want one of your own", Hint: hint}
}

// writeGenerated writes a file, unless one is there that the command has not written. It
// returns its path.
func writeGenerated(c *common, target *build.Target, g generated) (string, error) {
	if !strings.HasSuffix(g.name, "_test.go") || filepath.Base(g.name) != g.name {
		return "", &load.Error{Place: g.name, Msg: "want the name of a test file, without a directory", Hint: "it is written beside the package: " + g.command + "_test.go"}
	}
	file := filepath.Join(target.Dir, g.name)
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case !strings.HasPrefix(string(old), g.mark):
		return "", &load.Error{Place: c.out.Relative(file), Msg: "is there already, and foray " + g.command + " has not written it", Hint: "name another file"}
	}
	return file, os.WriteFile(file, g.source, 0o666)
}
