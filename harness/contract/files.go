package contract

import (
	"errors"
	"io/fs"
	"reflect"
	"strconv"
	"testing/fstest"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docFS    = `package testing/fstest, TestFS: "tests a file system implementation. It walks the entire tree of files in fsys, opening and checking that each file behaves correctly"`
	docGroup = `package log/slog, Handler: "If the name is empty, WithGroup returns the receiver"`
)

// fileLaws lists what holds of file systems.
func fileLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Open", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) == 2 && len(op.Results) == 2 && op.ReturnsError && a.t.Types[op.Params[1]].Name == "string" && a.t.Types[op.Results[0]].Name == "fs.File" {
			all = append(all, testsFS(Law{On: id, Op: id, Tier: engine.Error, Changes: true}))
		}
	})
	return all
}

// testsFS is that a small tree of files is as package fs wants it.
func testsFS(law Law) Law {
	law.Name, law.Doc = "fs-test", docFS
	law.Check = func(c *Call, _ any) *Breach {
		fsys, ok := c.Args[0].(fs.FS)
		name, ok2 := anyFile(fsys)
		if !ok || !ok2 {
			return nil
		}
		err := testFS(fsys, name)
		if err == nil {
			return nil
		}
		return &Breach{
			Detail: "walking its files says: " + line(err.Error()), Doubt: c.unchecked(),
			Assert: c.std("testing/fstest") + "TestFS(" + c.arg(0) + ", " + strconv.Quote(name) + ") == nil",
		}
	}
	return law
}

// maxFiles is how many files of a file system are looked at: one with more is not.
const maxFiles = 32

var errTooMany = errors.New("contract: there are more files than are looked at")

// anyFile returns the name of a file in fsys; false if there is none, or there are
// too many.
func anyFile(fsys fs.FS) (name string, ok bool) {
	defer func() { ok = recover() == nil && ok }()
	n := 0
	err := fs.WalkDir(fsys, ".", func(path string, _ fs.DirEntry, err error) error {
		if n++; n > maxFiles {
			return errTooMany
		}
		name = path
		return err
	})
	return name, err == nil && n > 1
}

// testFS is that of package fstest; a panic of the code under test is no error of this
// law's.
func testFS(fsys fs.FS, name string) (err error) {
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	return fstest.TestFS(fsys, name)
}

// handlerLaws lists what holds of slog.Handler whatever it writes.
func handlerLaws(a *api) []Law {
	var all []Law
	a.eachMethod("WithGroup", func(id seq.OpID, op *seq.Operation) {
		if len(op.Params) == 2 && len(op.Results) == 1 && a.t.Types[op.Params[1]].Name == "string" && a.t.Types[op.Results[0]].Name == "slog.Handler" && a.has(op.Params[0], "Handle") {
			all = append(all, keepsGroup(Law{On: id, Op: id, Tier: engine.Error}))
		}
	})
	return all
}

// keepsGroup is that a group without a name is none.
func keepsGroup(law Law) Law {
	law.Name, law.Doc = "handler-group", docGroup
	law.Check = func(c *Call, _ any) *Breach {
		if name, ok := c.Args[1].(string); !ok || name != "" || reflect.DeepEqual(c.Results[0], c.Args[0]) || odd(c.Args[0]) {
			return nil
		}
		return &Breach{
			Detail: "given no name, it does not return its receiver",
			Assert: c.std("reflect") + "DeepEqual(" + c.result(0) + ", " + c.arg(0) + ")",
		}
	}
	return law
}
