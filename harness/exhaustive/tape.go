package exhaustive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A choice is one answer of a run.
type choice struct {
	value int
	end   int // the walk goes on to end-1: n, unless the rest belongs to another worker
	n     int // the question: how many values there are; 0 in a parsed identity
}

// A tape holds the answers of a run in order. Choices of one value are not on it.
type tape struct {
	made  []choice
	given []choice // the answers that a run begins with, of an identity or of a task
}

// advance moves the tape to the next case in lexicographic order, and reports
// false if there is none.
func (t *tape) advance() bool {
	for i := len(t.made) - 1; i >= 0; i-- {
		if x := &t.made[i]; x.value+1 < x.end {
			x.value++
			t.made = t.made[:i+1]
			return true
		}
	}
	return false
}

// split takes half of the alternatives of the first choice that has some left. The
// result is the tape of their first case, nil if there is none.
func (t *tape) split() []choice {
	for i := range t.made {
		x := &t.made[i]
		if x.value+1 == x.end {
			continue
		}
		task := slices.Clone(t.made[:i+1])
		for j := range task[:i] {
			task[j].end = task[j].value + 1
		}
		mid := x.value + 1 + (x.end-x.value-1)/2
		task[i].value, x.end = mid, mid
		return task
	}
	return nil
}

// compare orders tapes as a walk does.
func compare(a, b []choice) int {
	return slices.CompareFunc(a, b, func(x, y choice) int { return x.value - y.value })
}

// format returns the identity of a tape.
func format(made []choice) string {
	if len(made) == 0 {
		return "-"
	}
	var b []byte
	for i, x := range made {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, int64(x.value), 10)
	}
	return string(b)
}

// parse returns the answers of an identity.
func parse(id string) ([]choice, error) {
	if id == "-" {
		return nil, nil
	}
	var given []choice
	for _, field := range strings.Split(id, ".") {
		v, err := strconv.ParseUint(field, 10, 62)
		if err != nil {
			return nil, fmt.Errorf("exhaustive: identity %q: want numbers separated by dots, as in 3.0.1, or -", id)
		}
		given = append(given, choice{value: int(v)})
	}
	return given, nil
}
