package property

import (
	"errors"
	"io/fs"
	"reflect"
	"testing/fstest"
)

// TypedNil: an error is nil if there is nothing in it.
func TypedNil(err error) bool { return err == nil || !reflect.ValueOf(err).IsNil() }

// ErrorUnwraps: the chain of errors that an error wraps ends. A list of errors that was appended
// to itself a few times is long.
func ErrorUnwraps(failed error) bool {
	err := failed
	for i := 0; i < 1<<16; i++ {
		if err = errors.Unwrap(err); err == nil {
			return true
		}
	}
	return false
}

// ErrorIs: an error is none that it has nothing to do with.
func ErrorIs(err error) bool { return !errors.Is(err, errors.New("foray")) }

// ErrorAs: an error is of no type that it has nothing to do with.
func ErrorAs(err error) bool {
	var target interface{ Foray() }
	return !errors.As(err, &target)
}

// FSTest: a file system that has a file of that name is as package fs wants it.
func FSTest(fsys fs.FS, name string) bool { return fstest.TestFS(fsys, name) == nil }

// HandlerGroup: a group without a name is none.
func HandlerGroup(group, handler any) bool { return reflect.DeepEqual(group, handler) }
