package contract

import (
	"cmp"
	"errors"
	"io/fs"
	"strconv"
	"testing/fstest"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docFS    = `package testing/fstest, TestFS: "tests a file system implementation. It walks the entire tree of files in fsys, opening and checking that each file behaves correctly"`
	docGroup = `package log/slog, Handler: "If the name is empty, WithGroup returns the receiver"`
)

// fileLaws adds the laws of file systems: package testing/fstest accepts a small
// tree of files.
func fileLaws(a *api, add func(...Law)) {
	a.everyMethod("Open", "string -> fs.File, error", func(o operation) {
		add(o.law("fs-test", engine.ClaimPromise, docFS).changing().checked(func(c *Call) *Breach {
			fsys := input[fs.FS](c, 0)
			name, ok := anyFile(fsys.value)
			if !ok {
				return nil
			}
			b := check2(c, property.FSTest, fsys, literal(name, strconv.Quote(name)))
			if b != nil {
				completes(func() { b.Detail = "walking its files says: " + blame.OneLine(fstest.TestFS(fsys.value, name).Error()) })
				b.Doubt = cmp.Or(c.unchecked(), c.readFrom())
			}
			return b
		}))
	})
}

// readFrom returns why the receiver may hold what another one would not, or "": it reads bytes that
// may be damaged, such as an archive.
func (c *Call) readFrom() string {
	a := c.step().Args[0]
	if a.Lit != nil {
		return ""
	}
	for n := range blame.NewHistory(c.Table, c.Steps, nil, 0).Ancestors(a.Slot) {
		if ty := &c.Table.Types[c.slotType(n)]; ty.IsBytes() || ty.Std.Has(seq.StdReader) || ty.Std.Has(seq.StdReaderAt) {
			return "it reads bytes that may be damaged"
		}
	}
	return ""
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

// handlerLaws adds the laws of slog.Handler that are independent of its output: a
// group without a name has no effect.
func handlerLaws(a *api, add func(...Law)) {
	a.everyMethod("WithGroup", "string -> slog.Handler", func(o operation) {
		if !a.has(o.Params[0], "Handle") {
			return
		}
		add(o.law("handler-group", engine.ClaimPromise, docGroup).checked(func(c *Call) *Breach {
			if name, ok := c.Args[1].(string); !ok || name != "" || noEquality(c.Args[0]) {
				return nil
			}
			return check2(c, property.HandlerGroup, c.out(0), c.in(0)).says("given no name, it does not return its receiver")
		}))
	})
}
