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

// warnOfNil warns if most of the package's members need the result of a function that can be
// given nothing but nil.
func (s *subject) warnOfNil() {
	if msg := nilOnly(s.table, len(s.found.Members)); msg != "" {
		s.out.Warn(s.target.Path+": "+msg, "a fuzz test as foray init writes it can list a function that makes one")
	}
}

// nilOnly returns a warning if one function makes the receivers of more than half of the
// members, and takes an interface of which there is no value but nil. Else it is empty.
func nilOnly(t *seq.Table, members int) string {
	ix := seq.NewTypeIndex(t)
	poor := func(op *seq.Operation) (wants seq.TypeID, ok bool) {
		for _, p := range op.Params {
			if t.Types[p].Interface && len(ix.Makers[p]) == 0 && len(ix.Literals[p]) == 0 {
				return p, true
			}
		}
		return 0, false
	}
	methods := map[seq.TypeID]int{}
	for i := range t.Ops {
		if op := &t.Ops[i]; op.API && op.Kind == seq.Method {
			methods[op.Params[0]]++
		}
	}
	for id, n := range methods {
		makers := slices.DeleteFunc(slices.Clone(ix.Makers[id]), func(op seq.OpID) bool { return !t.Ops[op].API })
		if 2*n <= members || len(makers) != 1 || t.Types[id].Interface {
			continue
		}
		if maker := &t.Ops[makers[0]]; maker.Kind == seq.Func {
			if wants, ok := poor(maker); ok {
				return fmt.Sprintf("%s is given nil only, since nothing at hand makes a %s: %d of %d functions and methods need its result",
					maker.Short, t.Types[wants].Name, n, members)
			}
		}
	}
	return ""
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
