package emit

import (
	"errors"
	"strings"

	"foray.test/engine/seq"
)

// Fork returns the first steps of s and the others as Go statements. The others
// may use values made by the first.
func Fork(t *seq.Table, s seq.Sequence, fork int) (first, both string, err error) {
	if fork <= 0 || fork >= len(s) {
		return "", "", errors.New("no step after the fork")
	}
	made := int32(s[:fork].Slots(t))
	var shared []int32
	for i := range s[fork:] {
		for _, a := range s[fork+i].Args {
			if a.Lit == nil && a.Slot < made {
				shared = append(shared, a.Slot)
			}
		}
	}
	first = newRenderer(t, s[:fork], shared).statements()
	both, ok := strings.CutPrefix(newRenderer(t, s, shared).statements(), first)
	if !ok || both == "" {
		return "", "", errors.New("the calls of the two goroutines cannot be told from those before")
	}
	return first, both, nil
}

// race returns the body of a test that fails under go test -race.
func (w *writer) race(f Finding) (string, error) {
	first, both, err := Fork(w.t, f.Sequence, f.Verdict.Fork)
	if err != nil {
		return "", err
	}
	group := w.t.VariableName("goroutines")
	return first + w.qualify(`	var `+group+` @sync.WaitGroup
	for i := 0; i < 2; i++ {
		`+group+`.Add(1)
		go func() { // go test -race reports their data race
			defer `+group+`.Done()
`) + both + `		}()
	}
	` + group + `.Wait()
`, nil
}
