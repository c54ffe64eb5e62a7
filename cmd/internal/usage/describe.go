package usage

import (
	"cmp"
	"fmt"
	"maps"
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
			if line := "in the tests, " + paramName(op, l.Param) + " is " + summary(l.Texts); !slices.Contains(lines, line) {
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

// Cover returns a few of the sequences, at most n, that together make all calls which any of
// them makes, as far as so many can: greedily, the shorter first.
func Cover(t *seq.Table, sequences []string, n int) (chosen []string) {
	const most = 400 // bytes of a sequence
	type candidate struct {
		text  string
		calls map[seq.OpID]bool
	}
	var list []candidate
	for _, text := range sequences {
		s, err := t.Parse(text)
		if err != nil || len(text) > most {
			continue
		}
		calls := map[seq.OpID]bool{}
		for i := range s {
			if t.Ops[s[i].Op].API {
				calls[s[i].Op] = true
			}
		}
		list = append(list, candidate{text, calls})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(len(a.text), len(b.text)) })
	covered := map[seq.OpID]bool{}
	for len(chosen) < n {
		best, gain := -1, 0
		for i := range list {
			fresh := 0
			for id := range list[i].calls {
				if !covered[id] {
					fresh++
				}
			}
			if fresh > gain {
				best, gain = i, fresh
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, list[best].text)
		maps.Copy(covered, list[best].calls)
	}
	return chosen
}
