package load

import (
	"errors"
	"go/token"
	"io/fs"
	"strings"

	"foray.test/harness/build"
)

// An Error is the reason why a package cannot be loaded, in one line, and a
// hint for the user, in another.
type Error struct {
	Place string // file:line:column, import path or pattern
	Msg   string
	Hint  string // may be empty
}

// NotWritten returns the error that a command cannot write into dir, of the package at place.
func NotWritten(command, place, dir string, err error) *Error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return &Error{Place: place, Msg: "cannot write into " + dir + ": " + err.Error(),
		Hint: command + " writes into the package: make its directory writable, or copy the module"}
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Msg
	}
	return e.Place + ": " + e.Msg
}

// hints are chosen by a part of the go command's message. The first that fits
// is given.
var hints = []struct{ part, hint string }{
	{"initialize build cache", "GOCACHE must name a directory that can be written"},
	{"C compiler", "install a C compiler, or leave the C parts out with CGO_ENABLED=0"},
	{"does not contain modules listed in go.work", "in a workspace, name a module: ./dir/...; GOWORK=off leaves it"},
	{"is not in std", "a directory is written ./dir, a package of another module path@version"},
	{"no required module provides package", "go get it, or name it with a version: path@latest"},
	{"cannot find main module", "run foray in a module, or name the package with a version: path@latest"},
	{"go.mod file not found", "run foray in a module, or name the package with a version: path@latest"},
	{"does not contain main module", "run foray in a module, or name the package with a version: path@latest"},
	{"outside main module or its selected dependencies", "run foray in the module of that directory (-C dir)"},
	{"does not contain package", "go list path/...@version names the packages of a module; one below another module is tested in its own (-C dir)"},
	{"build constraints exclude all Go files", "-tags, GOOS, GOARCH and CGO_ENABLED choose the files that are built"},
	{"no non-test Go files", "foray tests the code of a package, and this one has only tests; go test -fuzz runs fuzz targets that stand alone"},
	{"no Go files", "./... names the packages below a directory"},
	{"declares its path as", "the module has another name: take the path that it declares"},
	{"reading file://", "go list -m -versions path tells which versions there are, GOPROXY where they are looked for"},
	{"reading overlay", "-overlay names a JSON file: go help build"},
	{"open ", "a file is missing that a flag names, such as -modfile, or that go.mod or go.work does"},
	{"no such file or directory", "patterns are those of the go command: ./dir, ./..., an import path, path@version"},
	{"directory not found", "patterns are those of the go command: ./dir, ./..., an import path, path@version"},
	{"matched no packages", "patterns are those of the go command: ./dir, ./..., an import path, path@version"},
	{"missing go.sum entry", "go mod tidy, or go mod download, adds it"},
	{"updates to go.mod needed", "go mod tidy"},
	{"no go command", "foray needs the go command in PATH"},
	{"inconsistent vendoring", "go mod vendor"},
	{"unknown revision", "go list -m -versions path tells which versions there are"},
	{"no matching versions", "go list -m -versions path tells which versions there are"},
	{"invalid module version", "a version is v1.2.3, a branch, a commit or latest: path@latest"},
	{"can't request explicit version", "a version is for packages of other modules: github.com/google/btree@latest"},
	{"invalid char ':'", "an import path has no scheme: github.com/google/btree@latest"},
	{"malformed import path", "patterns are those of the go command: ./dir, ./..., an import path, path@version"},
	{"not supported (can be", "go help build lists the values of the flag"},
	{"invalid version", "a version is v1.2.3, a branch, a commit or latest"},
	{"reading http", "go list -m -versions path tells which versions there are, GOPROXY where they are looked for"},
	{"module lookup disabled", "a version that the module cache holds needs no network"},
	{"dial tcp", "a version that the module cache holds needs no network"},
	{"no such host", "a version that the module cache holds needs no network"},
	{"requires go >=", "a newer Go is needed; GOTOOLCHAIN=auto fetches it"},
	{"export data", "foray must be built with the Go that builds the package, or a newer one"},
	{"imported and not used", "the package must compile: go vet shows everything"},
	{"declared and not used", "the package must compile: go vet shows everything"},
	{"workspace modules listed in go.work", "go work use adds the module, GOWORK=off leaves the workspace"},
	{"fatal error: ", "cgo needs the C headers and libraries of the package; go build shows everything"},
	{"build cache is required", "GOCACHE names a directory for it"},
	{"expected ", "the package must compile: go vet shows everything"},
}

// newError makes an error of a message of the go command or the compiler.
func newError(place, msg string, tc *build.Toolchain) *Error {
	e := &Error{Place: place, Msg: strings.TrimPrefix(oneLine(msg), place+": ")}
	for _, h := range hints {
		if strings.Contains(e.Msg, h.part) {
			e.Hint = h.hint
			break
		}
	}
	if strings.Contains(e.Msg, "is not in std") && token.IsExported(strings.TrimLeft(place, "(*")) {
		e.Hint = "functions are chosen by -ops, where a command has it; a directory is written ./dir"
	}
	if strings.Contains(e.Msg, "undefined: ") {
		e.Hint = "the package must compile: go vet shows everything"
		if tc != nil && tc.Settings["CGO_ENABLED"] == "0" {
			e.Hint = "files that use cgo are left out, because CGO_ENABLED is 0"
		}
	}
	return e
}

// oneLine joins the lines of a message. It drops the go command's proposals:
// the hint has them.
func oneLine(msg string) string {
	msg, _, _ = strings.Cut(msg, "; to add")
	msg, _, _ = strings.Cut(msg, "; see 'go help")
	msg, _, _ = strings.Cut(msg, ". You can add the module")
	msg = strings.TrimPrefix(msg, "go list: ")
	return strings.Join(strings.Fields(msg), " ")
}
