package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
)

// review runs the findings of earlier runs again. Those that still fail are reported
// and not searched for. The others are fixed: that is reported once, and the finding
// goes to quarantine. A flaky finding may be found again. After limit the rest is skipped.
func (r *recorder) review(ctx context.Context, c replay.Config, limit time.Duration) error {
	list := withoutFoundAfterRun(slices.Collect(maps.Values(r.earlier)))
	order := func(st corpusadmin.Stored) string {
		return fmt.Sprint(!quick(st.Finding.Kind), " ", st.Finding.Signature)
	} // the quick ones first
	slices.SortFunc(list, func(a, b corpusadmin.Stored) int { return cmp.Compare(order(a), order(b)) })
	findings := make([]engine.Finding, len(list))
	for i, st := range list {
		findings[i] = engine.Finding{Verdict: engine.Verdict{Signature: engine.ParseSignature(st.Finding.Signature), Kind: st.Finding.Kind}, Steps: st.Steps}
	}
	return confirm.Review(ctx, c, findings, limit, func(i int, res replay.Shown) { r.reviewed(list[i], res) })
}

// reviewed records the result of running a finding of an earlier run again.
func (r *recorder) reviewed(was corpusadmin.Stored, res replay.Shown) {
	v := res.Verdict
	shows := v != nil && v.Tier != engine.Illegal
	switch {
	case res.Error != nil:
		r.Note(was.Name + ": " + res.Error.Error())
	case shows && v.Signature.String() == was.Finding.Signature:
		r.still++
		r.showsNow(was, *v)
	case shows: // a function on its way has another name now
		r.retire(was, "it fails as "+v.Signature.String()+" now")
		r.showsNow(was, *v)
	case !was.Finding.Flaky:
		r.retire(was, "it does not fail any more")
		r.fixed++
		r.f.out.Print(&event.Fixed{Package: r.s.name(), Name: was.Name, Signature: was.Finding.Signature})
	}
}

// showsNow reports the failure of an earlier finding's sequence.
func (r *recorder) showsNow(was corpusadmin.Stored, v engine.Verdict) {
	if _, told := r.told[v.Signature.String()]; told {
		return
	}
	was.Restore(&v)
	r.quiet = append(r.quiet, v.DedupKey())
	if !r.silenced(v.Signature) {
		f := engine.Finding{Verdict: v, Steps: was.Steps, Original: was.Steps, Flaky: was.Finding.Flaky}
		r.s.weigh(&f)
		r.outside[f.Verdict.Tier]++
		r.tell(f)
	}
}

// retire moves a finding of an earlier run to quarantine.
func (r *recorder) retire(was corpusadmin.Stored, reason string) {
	if err := r.s.store.RetireFinding(was.Finding.Signature, reason); err != nil {
		r.Warn(err.Error())
	}
	delete(r.earlier, was.Finding.Signature)
}

// silenced reports whether the package's authors know of a finding, and records that
// it has shown.
func (r *recorder) silenced(signature engine.Signature) bool {
	if r.known.Lines[signature.String()] == 0 {
		return false
	}
	r.knownSeen[signature] = true
	return true
}

// count records how many sequences ended in each finding.
func (r *recorder) count(hits map[engine.Signature]uint64) {
	for signature, n := range hits {
		if n > 0 && r.silenced(signature) {
			r.knownHits += n
		}
	}
	for _, signature := range slices.Sorted(maps.Keys(r.told)) {
		if n := hits[engine.ParseSignature(signature)]; n > 0 {
			sf := r.told[signature]
			sf.Hits = n
			if err := r.s.store.PutFinding(sf); err != nil {
				r.Warn(err.Error())
			}
		}
	}
}
