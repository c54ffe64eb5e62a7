// Package untested says what a run on a package does not test, and why.
package untested

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// Why says why a run says nothing about the package, or nothing that decides, "" if it does. left tells of
// the findings that there was no time to confirm; those of tier least or a higher one would fail the
// run. The hint may be empty.
func Why(t *seq.Table, res *coordinator.Result, left string, least engine.Tier) (msg, hint string) {
	sum := func(byTier []int) (n int) {
		for _, k := range byTier {
			n += k
		}
		return n
	}
	off, undecided := 0, sum(res.Undecided[least:])
	calls := t.OpsThat(func(op *seq.Operation) bool { return op.API })
	for _, id := range calls {
		if slices.Contains(res.Banned, id) {
			off++
		}
	}
	switch {
	case sum(res.Findings[least:]) > 0, undecided == 0 && sum(res.Findings[engine.Suspect:]) > 0:
		return "", ""
	case res.Stopped == "no worker left":
		return "not tested: all its processes ended", ""
	case len(calls) > 0 && off == len(calls):
		return "not tested: all its calls ended their processes and were set aside", ""
	case res.AtStart != "":
		return "not tested: a goroutine that it starts when it is initialized ends its processes", ""
	case res.Counts.Sequences < uint64(res.Unexplained)*sequencesPerEnd:
		return "not tested: " + text.Plural(res.Unexplained, "process") + " ended, and nothing shows why", ""
	case undecided > 0:
		return "undecided: " + cmp.Or(left, "tests of "+text.Plural(undecided, "finding")+" could not be tried"), "a longer run, or a quieter machine, may show whether they fail"
	}
	return "", ""
}

// sequencesPerEnd is how many sequences a run has for each process that ended for no reason
// that shows, or it says nothing. One in more may be the machine. Not measured.
const sequencesPerEnd = 1000

// GivenNil tells, by member, of which type a call is given nil only.
func GivenNil(t *seq.Table, list []catalog.Unreachable) map[string]string {
	why := map[string]string{}
	for i := range t.Ops {
		for _, u := range list {
			if op := &t.Ops[i]; op.API && slices.Contains(u.Wanted, op.Short) {
				why[op.Member] = "given nil only: nothing at hand makes a " + u.Type
			}
		}
	}
	return why
}

// NilOnly returns a warning if one function makes the receivers of more than half of the
// members, and takes an interface of which there is no value but nil. Else it is empty.
func NilOnly(t *seq.Table, members int) string {
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

// Skipped returns the warning that most of a package's members are excluded, and its hint;
// empty if they are not. Members that the user did not choose do not count.
func Skipped(list []seq.Excluded, members int, name string, confined bool) (msg, hint string) {
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

// Unconfined returns the warning for a system. A Linux that is too old for a sandbox gets none.
func Unconfined(system string, supported bool) string {
	if supported || system == "linux" {
		return ""
	}
	msg := "no sandbox on " + system + ": calls can write and remove any file and open connections"
	if system != "windows" {
		msg += ", and their memory has no bound"
	}
	return msg + "; fuzz unknown code in a container"
}
