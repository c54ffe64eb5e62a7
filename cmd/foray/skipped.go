package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine/confine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// warnOfSkipped warns if a run calls half of the package's functions and methods or fewer.
func (s *subject) warnOfSkipped() {
	confined := confine.Supported() && !s.free
	if msg, hint := skipped(s.found.Excluded, len(s.found.Members), s.name(), confined); msg != "" {
		s.out.Warn(s.target.Path+": "+msg, hint)
	}
}

// skipped returns the warning that most of a package's members are excluded, and its hint;
// empty if they are not. Members that the user did not choose do not count.
func skipped(list []seq.Excluded, members int, name string, confined bool) (msg, hint string) {
	reasons := map[string]int{}
	var harmful []string
	n := 0
	for _, e := range list {
		if e.Reason == catalog.NotChosen {
			members--
			continue
		}
		n++
		reasons[e.Reason]++
		if catalog.IsHarm(e.Reason) {
			harmful = append(harmful, regexp.QuoteMeta(e.Member))
		}
	}
	if n == 0 || 2*n <= members {
		return "", ""
	}
	order := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	for i, r := range order {
		order[i] = fmt.Sprintf("%s (%d)", r, reasons[r])
	}
	msg = fmt.Sprintf("%d of %d exported functions and methods are not called: %s", n, members, text.Some(order, false))
	hint = "foray list " + name + " names them"
	const most = 3
	switch {
	case len(harmful) == 0:
		return msg, hint
	case len(harmful) > most:
		hint += "; -allow ."
	default:
		hint += fmt.Sprintf("; -allow '^(%s)$'", strings.Join(harmful, "|"))
	}
	if hint += " lets those be called that may do harm"; confined {
		hint += ", confined"
	}
	return msg, hint
}
