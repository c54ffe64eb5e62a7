package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine/internal/workertest"
)

// One worker and one seed have one history where processes die as well, if a count of
// sequences ends the run. Confirming goes on beside it, and ends when it likes.
func TestHistoryOfDeaths(t *testing.T) {
	table := workertest.Table("Crash", "Leave", "Recurse", "Spin", "Launch", "Block", "Leak")
	first := ""
	for range 2 {
		c, rec := config(t, table)
		c.Sequences, c.confirmTime = 2000, time.Millisecond
		res := run1(t, c)
		got := history(res, rec)
		if first == "" {
			first = got
		} else if got != first {
			t.Fatalf("one run:\n%s\nanother:\n%s", first, got)
		}
		if res.Deaths < 4 || res.Counts.Abandoned < 2 || len(rec.entries) < 10 {
			t.Errorf("the history is too simple to differ:\n%s", got)
		}
	}
}

// history returns the parts of the search that are to repeat themselves.
func history(res *Result, rec *recorder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n%d deaths\nbanned %v\nrefusals %+v\n", res.Counts, res.Deaths, res.Banned, res.Refusals)
	for _, op := range res.Ops {
		fmt.Fprintf(&b, "%s %+v\n", rec.table.Ops[op.Op].Name, op)
	}
	var hits []string
	for signature, n := range res.Hits {
		hits = append(hits, fmt.Sprintf("%d hits of %v\n", n, signature))
	}
	slices.Sort(hits)
	return b.String() + strings.Join(hits, "") + strings.Join(rec.entries, "\n")
}
