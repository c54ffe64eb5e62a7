package harness_test

import (
	"container/list"
	"errors"
	"testing"

	"foray.test/harness"
)

// FuzzList is an example of a test of container/list. go test runs it on its seeds,
// go test -fuzz=FuzzList searches on.
func FuzzList(f *testing.F) {
	f.Add(`v0 := list.New(); v1 := v0.PushBack("a"); v0.MoveToFront(v1); v2 := v0.Remove(v1)`)
	harness.Fuzz(f, harness.API{
		Operations: []any{
			list.New,
			(*list.List).PushBack,
			(*list.List).PushFront,
			(*list.List).MoveToFront,
			(*list.List).Remove,
			(*list.List).Len,
			(*list.Element).Next,
		},
		Contracts: []harness.Contract{{Name: "length", Holds: length}},
	})
}

// length says that a list has as many elements as it says.
func length(l *list.List) error {
	n := 0
	for e := l.Front(); e != nil; e = e.Next() {
		n++
	}
	if n != l.Len() {
		return errors.New("Len counts other elements than Next finds")
	}
	return nil
}
