package executor

import (
	"foray.test/coverage"
	"foray.test/coverage/probe"
)

// aroundCounter takes the counters around the steps: the worker itself calls the
// package under test (strings, fmt, reflect …), and the sides that it takes there are
// not the sequence's.
type aroundCounter struct {
	seen []byte
}

func newAroundCounter() *aroundCounter { return &aroundCounter{seen: make([]byte, Sides())} }

func (a *aroundCounter) reset() { clear(a.seen) }

func (a *aroundCounter) begin() { clear(probe.Hits[:]) }

func (a *aroundCounter) end() { coverage.MergeHits(a.seen, probe.Hits[:]) }

// Sides is the number of branch sides of the code under test.
func Sides() int { return len(probe.Hits) }
