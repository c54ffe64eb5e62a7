package usage

import (
	"cmp"
	"maps"
	"slices"

	"foray.test/engine/seq"
)

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
