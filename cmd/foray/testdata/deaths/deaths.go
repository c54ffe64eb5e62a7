// Package deaths ends its processes in several ways. Each takes a state that a few calls
// make, so a search has something to do before, between and after.
package deaths

import (
	"errors"
	"os"
)

// A Machine counts and remembers.
type Machine struct {
	level int
	kept  []int
	links map[string]*Machine
}

// New returns a machine.
func New() *Machine { return &Machine{} }

// Raise raises the level, at most to nine.
func (m *Machine) Raise(by int) error {
	if by < 0 || by > 3 {
		return errors.New("deaths: no such step")
	}
	if m.level += by; m.level > 9 {
		m.level = 9
	}
	return nil
}

// Lower lowers the level by one.
func (m *Machine) Lower() {
	if m.level > 0 {
		m.level--
	}
}

// Keep remembers the level.
func (m *Machine) Keep() int {
	m.kept = append(m.kept, m.level)
	return len(m.kept)
}

// Same reports whether the last two levels that were remembered are equal.
func (m *Machine) Same() bool {
	n := len(m.kept)
	return n > 1 && m.kept[n-1] == m.kept[n-2]
}

// Link names another machine.
func (m *Machine) Link(name string, to *Machine) {
	if m.links == nil {
		m.links = map[string]*Machine{}
	}
	m.links[name] = to
}

// Depth returns how many machines of one name follow each other. A cycle has no end.
func (m *Machine) Depth(name string) int {
	next := m.links[name]
	if next == nil {
		return 0
	}
	return 1 + next.Depth(name)
}

// Leave ends the process at a level that was remembered twice.
func (m *Machine) Leave() int {
	if m.level == 4 && m.Same() {
		os.Exit(3)
	}
	return m.level
}

// Spin does not return at an odd level.
func (m *Machine) Spin() int {
	n := 0
	for m.level == 5 && len(m.kept) > 0 || n < m.level {
		n++
	}
	return n
}

// Launch panics in another goroutine, where nothing recovers, if more is remembered than
// the level allows.
func (m *Machine) Launch() {
	level, kept := m.level, len(m.kept)
	go func() {
		if level > 1 && kept > level {
			panic("deaths: too much is kept")
		}
	}()
}

// Await waits for ever if the level was lowered since it was remembered.
func (m *Machine) Await() int {
	if n := len(m.kept); n > 0 && m.kept[n-1] > m.level {
		<-make(chan bool)
	}
	return m.level
}
