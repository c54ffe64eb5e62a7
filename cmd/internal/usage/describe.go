package usage

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine/seq"
)

// Describe returns, a line each, how tests use an operation: all those of t of which is holds.
// There is none for a package without tests.
func (u *Usage) Describe(t *seq.Table, is func(*seq.Operation) bool) []string {
	if u.Functions == 0 {
		return nil
	}
	places, caught := 0, false
	for _, c := range u.Calls {
		if is(&t.Ops[c.Op]) {
			places += c.Places
		}
	}
	for _, id := range u.Caught {
		caught = caught || is(&t.Ops[id])
	}
	line := "tests do not call it"
	if places > 0 {
		line = "tests call it at " + text.Plural(places, "place")
	}
	if caught {
		line += "; one expects its panic"
	}
	lines := []string{line}
	for _, l := range u.Literals {
		if op := &t.Ops[l.Op]; is(op) {
			name := fmt.Sprintf("argument %d", l.Param)
			if l.Param < len(op.Names) && op.Names[l.Param] != "" {
				name = op.Names[l.Param]
			}
			if line := "in the tests, " + name + " is " + summary(l.Texts); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// summary describes literals in a few words.
func summary(texts []string) string {
	const most = 3
	if len(texts) <= most {
		return text.OneLine(strings.Join(texts, ", "), 100)
	}
	low, high, ok := bounds(texts)
	if !ok {
		return fmt.Sprintf("%s and %d others", text.OneLine(strings.Join(texts[:most-1], ", "), 80), len(texts)-most+1)
	}
	sign := ""
	if low.Sign() >= 0 {
		sign = ", never negative"
	}
	return fmt.Sprintf("from %s to %s%s", low, high, sign)
}

// bounds returns the least and the greatest of integers. It reports false if there are others.
func bounds(texts []string) (low, high *big.Int, ok bool) {
	for _, t := range texts {
		n, ok := new(big.Int).SetString(t, 10)
		if !ok {
			return nil, nil, false
		}
		if low == nil || n.Cmp(low) < 0 {
			low = n
		}
		if high == nil || n.Cmp(high) > 0 {
			high = n
		}
	}
	return low, high, len(texts) > 0
}
