package coordinator

import (
	"fmt"
	"slices"
	"testing"

	"foray.test/engine/wire"
)

// A process runs the entries that none of its build has run, and 64 of the others, which
// are not those of the process before.
func TestBeginningOfProcesses(t *testing.T) {
	a := newArchive(10, nil)
	for i := range 100 {
		a.add([]byte(fmt.Sprint(i)))
	}
	a.values = [][]byte{[]byte("value")}
	run, known := a.beginning(false, 0)
	if len(run) != 101 || len(known) != 0 {
		t.Fatalf("the first process runs %d sequences and knows %d, want 101 and 0", len(run), len(known))
	}
	for i := range 100 {
		m := &wire.Entry{Steps: []byte(fmt.Sprint(i)), Again: true}
		if i < 90 { // the others took no sides beside those
			m.Sides = []int32{int32(i % 10)}
		}
		a.ran(false, m)
	}
	run, known = a.beginning(false, 1)
	next, _ := a.beginning(false, 2)
	if len(run) != warmEntries+1 || len(known) != 90 {
		t.Errorf("the next process runs %d sequences and knows %d, want %d and 90", len(run), len(known), warmEntries+1)
	}
	all := map[string]bool{}
	for _, e := range slices.Concat(run, next) {
		all[string(e)] = true
	}
	if len(all) != 101 {
		t.Errorf("two processes run %d different sequences, want 101", len(all))
	}
	if run, known = a.beginning(true, 3); len(run) != 101 || len(known) != 0 {
		t.Errorf("the first process of the other build runs %d sequences and knows %d, want 101 and 0", len(run), len(known))
	}
	a.ran(false, &wire.Entry{Steps: []byte("0")}) // by a worker that had the sides already
	if _, known = a.beginning(false, 4); len(known) != 90 {
		t.Errorf("%d known entries after another report, want 90", len(known))
	}
}
