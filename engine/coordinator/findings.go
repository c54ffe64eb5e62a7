package coordinator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// findings are the findings of a run, by their key: see engine.Verdict.DedupKey.
type findings struct {
	known       map[string]bool                  // reported, in this run or before
	told        map[string]bool                  // … of them those that workers skip
	wordings    engine.Wordings                  // … in this run
	others      map[string][]confirm.Job         // more sequences of those that are being confirmed
	pending     map[string]engine.Finding        // being confirmed
	left        []engine.Finding                 // without a result at the end
	tiers       map[engine.Signature]engine.Tier // as which they were reported
	doubted     map[engine.Signature]engine.Tier // … as unconfirmed
	unshown     map[string]int                   // how many sequences no fresh process has confirmed
	changed     []confirm.Result                 // that wait for the end of the run: see settle
	settling    bool                             // … which has come
	byTier      [engine.Tiers]int                // confirmed
	unconfirmed int
	untried     [engine.Tiers]int // … of them those whose tests could not be tried
	deaths      bool              // some of those that were reported end their process
}

func newFindings(known []string) findings {
	f := findings{
		known: map[string]bool{}, told: map[string]bool{}, wordings: engine.Wordings{}, others: map[string][]confirm.Job{}, pending: map[string]engine.Finding{},
		tiers: map[engine.Signature]engine.Tier{}, doubted: map[engine.Signature]engine.Tier{}, unshown: map[string]int{},
	}
	for _, s := range known {
		f.known[s], f.told[s] = true, true
	}
	return f
}

func (r *run) takeFinding(m *wire.Finding) {
	r.findings.told[m.Verdict.DedupKey()] = true // by itself
	if !m.Verdict.IsNew(r.knows) || !r.repeats() && r.findings.wordings.Enough(&m.Verdict) {
		return
	}
	steps, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil {
		r.config.Report.Warn(fmt.Sprintf("finding %s: %v", m.Verdict.Signature, err))
		return
	}
	original, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Original)
	if err != nil {
		original = steps
	}
	m.Finding.Steps, m.Finding.Original = steps, original
	r.confirm(confirm.Job{Finding: m.Finding})
}

// confirm has a new finding confirmed, and tells all workers of it.
func (r *run) confirm(j confirm.Job) {
	key := j.Finding.Verdict.DedupKey()
	r.know(key)
	r.findings.pending[key] = j.Finding
	r.confirms.Add(j)
}

// know has all workers skip the findings of a key. A run that repeats itself does not tell
// them: confirming takes as long as it takes, and a worker may be at any sequence then.
func (r *run) know(key string) {
	r.findings.known[key] = true
	if !r.repeats() {
		r.findings.told[key] = true
		r.tell(nil, wire.Learn{Known: []string{key}})
	}
}

func (r *run) knows(key string) bool { return r.findings.known[key] }

// followDeath restricts operations after the death of a process that was started at the
// given time, and has the sequence confirmed that ended it.
func (r *run) followDeath(p *worker.Process, started time.Time) {
	d := p.Death()
	if d.Starter() == "init" {
		r.totals.atStart = p.LastLine()
		r.config.Report.Warn("a goroutine that the package starts when it is initialized ends its process: " + r.totals.atStart)
		return
	}
	s, err := p.Running(r.config.Table, r.config.Pool.Literals)
	j := confirm.Job{Death: true, Late: d.Late()}
	if j.Late {
		j.Before, j.Called = r.calling(slices.Concat(r.kept(), p.Earlier(r.config.Table, r.config.Pool.Literals)), d.Starter())
		_, called := r.calling([]seq.Sequence{s}, d.Starter())
		j.Called = append(j.Called, called...)
	}
	if n := len(j.Before); n > 0 && err == nil && len(s) == 0 {
		s, j.Before = j.Before[n-1], j.Before[:n-1]
	} else if n := len(j.Called); n > 0 && err == nil && len(s) == 0 {
		s = j.Called[n-1]
	}
	if err != nil || len(s) == 0 {
		how := fmt.Sprintf("%s: %s", p.State(), p.LastLine())
		if d.Hang { // its last line is of the dump that it was asked for
			how = "it ran no sequence, and did not go on"
			r.totals.stall(how)
		} else {
			r.totals.unexplain(how)
		}
		r.config.Report.Note("a worker died between sequences: " + how)
		r.restrict(d.Cause(nil), started)
		return
	}
	if d.Oracle.Known() && !j.Late {
		r.switchOff(s, d, started)
		return
	}
	r.restrict(d.Cause(s), started)
	if r.config.Explore != nil {
		r.lethal = append(r.lethal, seq.AppendBinary(nil, s))
	}
	if !j.Late && r.archive.drop(s, p.Shared().Begun()) && !r.isCheck(s) {
		r.config.Report.Warn("a corpus entry ends its process and is not run in this run: " + r.brief(s))
	}
	r.follow(s, d, j, fmt.Sprintf("a worker ended (%s)", p.State()))
}

// kept returns the entries of the run. A goroutine may panic so late that the sequence which
// started it has been forgotten, but one with the same call was often kept.
func (r *run) kept() []seq.Sequence {
	var list []seq.Sequence
	for _, b := range r.archive.entries {
		if s, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, b.steps); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// brief returns a sequence as a line of bounded length.
func (r *run) brief(s seq.Sequence) string {
	text := r.config.Table.OneLine(s)
	const most = 400
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// takeLost follows up a sequence that a worker gave up.
func (r *run) takeLost(m *wire.Lost) {
	s, err := seq.DecodeSteps(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker gave up what it cannot name: %v", err))
		return
	}
	if d := worker.DeathOf(m); d.Oracle.Known() {
		r.switchOff(s, d, time.Time{})
		return
	}
	if m.Endless {
		r.follow(s, worker.DeathOf(m), confirm.Job{Death: true, Endless: true}, "a sequence used up its fuel")
		return
	}
	if r.archive.drop(s, nil) {
		r.config.Report.Note("a corpus entry hangs and is not run in this run: " + r.config.Table.OneLine(s))
	}
	r.follow(s, worker.DeathOf(m), confirm.Job{Death: true}, "a call was given up")
}

// switchOff has an oracle held no more: a call that it made after s did not return. That is no
// evidence against s.
func (r *run) switchOff(s seq.Sequence, d worker.Death, started time.Time) {
	if r.restrict(d.Cause(s), started); !r.config.Spare {
		r.config.Report.Warn("a contract or law is held no more: a call that it makes " + unreturned(d))
	}
	r.config.Report.Note(fmt.Sprintf("a call that contracts or laws make %s: after %s", unreturned(d), r.config.Table.OneLine(s)))
}

// unreturned tells how a call ends that does not return.
func unreturned(d worker.Death) string {
	switch kind := d.Kind(); {
	case kind == engine.KindMemory:
		return "uses up the memory"
	case kind == engine.KindHang, d.Goexit:
		return "does not return"
	}
	return "ends the process"
}

// isCheck reports whether s ends in a contract of the user's.
func (r *run) isCheck(s seq.Sequence) bool {
	return r.config.Table.Ops[s[len(s)-1].Op].Kind == seq.Check
}

// follow judges a sequence that did not complete, and has it confirmed as j.
func (r *run) follow(s seq.Sequence, d worker.Death, j confirm.Job, how string) {
	v := r.config.JudgeDeath(s, d)
	r.config.Report.Note(fmt.Sprintf("%s: %s: %s", how, v.Message, r.config.Table.OneLine(s)))
	if last := s[len(s)-1].Op; r.isCheck(s) { // the place where it was interrupted is chance
		r.config.Report.Warn(r.config.Table.Ops[last].Short + " " + unreturned(d) + ", and is switched off")
		r.change(r.policy.Disable(last))
		return
	}
	if v.Tier == engine.Illegal {
		r.totals.counts.Illegal++
		r.totals.refusals.Add(engine.Refusal{Op: v.Op, Rule: v.Rule, Reason: v.Reason, Runs: 1})
		return
	}
	r.totals.hits[v.Signature]++
	j.Finding = engine.Finding{Verdict: v, Steps: s, Original: s}
	if v.IsNew(r.knows) {
		r.confirm(j)
		return
	}
	// How long confirming takes must not decide which sequences are tried.
	key, f := v.DedupKey(), &r.findings
	if _, pending := f.pending[key]; pending && f.unshown[key]+1+len(f.others[key]) < maxUnshown {
		f.others[key] = append(f.others[key], j)
	}
}

// leave gives up the findings that are being confirmed, but for those that are reported.
func (f *findings) leave() {
	for _, key := range slices.Sorted(maps.Keys(f.pending)) {
		if v := f.pending[key].Verdict; f.tiers[v.Signature] < v.Tier {
			f.left = append(f.left, f.pending[key])
		}
	}
	clear(f.pending)
}

// leftSequences returns the sequences of findings without a result, those of higher tiers first, and
// how many of them are reported all the same.
func (f *findings) leftSequences() (list []seq.Sequence, reported int) {
	slices.SortStableFunc(f.left, func(a, b engine.Finding) int { return cmp.Compare(b.Verdict.Tier, a.Verdict.Tier) })
	for i := range f.left {
		list = append(list, f.left[i].Steps)
		if f.left[i].Untried {
			reported++
		}
	}
	return list, reported
}

// undecided counts, by tier, the findings without a result.
func (f *findings) undecided() [engine.Tiers]int {
	n := f.untried
	for i := range f.left {
		if !f.left[i].Untried { // it is not reported
			n[f.left[i].Verdict.Tier]++
		}
	}
	return n
}

// settle handles the results that turned out to be other findings than the queued ones, in a
// run that repeats itself. Workers may have reported those as well, earlier or later.
func (r *run) settle() {
	f := &r.findings
	slices.SortFunc(f.changed, func(a, b confirm.Result) int { return cmp.Compare(a.Queued.DedupKey(), b.Queued.DedupKey()) })
	f.settling = true
	for _, res := range f.changed {
		r.confirmed(res)
	}
	f.changed = nil
}

// confirmed handles the result of a confirmation.
func (r *run) confirmed(res confirm.Result) {
	key, f := res.Queued.DedupKey(), &r.findings
	delete(f.pending, key)
	if res.Shown == 0 {
		r.slow = r.slow || res.Death && !res.Endless && res.Queued.Kind == engine.KindHang
		// The finding may depend on state that earlier sequences left: try the next one.
		if f.unshown[key]++; res.Death && f.unshown[key] < maxUnshown {
			delete(f.known, key)
			delete(f.told, key)
		}
		f.unconfirmed++
		if res.Death && res.Queued.Kind != engine.KindHang { // a hang was a slow call
			r.totals.unexplain(res.Queued.Message)
		}
		if list := f.others[key]; len(list) > 0 {
			f.others[key] = list[1:]
			r.confirm(list[0])
		}
		return
	}
	delete(f.others, key)
	if v := &res.Finding.Verdict; v.Signature != res.Queued.Signature || v.Tier > res.Queued.Tier {
		if r.repeats() && !r.findings.settling {
			f.changed = append(f.changed, res)
			return
		}
		if !v.IsNew(r.knows) {
			return
		}
		r.know(v.DedupKey())
	}
	found := res.Finding
	found.Flaky = res.Shown < confirm.Runs
	v := &found.Verdict
	if found.Flaky && (v.Kind == engine.KindFatal || v.Claim == engine.ClaimName) {
		// A goroutine of an earlier call may have done it. What a name promises, and chance breaks, was
		// perhaps meant for other values, such as a key that a package draws.
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "flaky", Reason: v.Reason})
	}
	if r.config.Weigh != nil {
		r.config.Weigh(&found)
	}
	if v.Tier == engine.Illegal {
		return
	}
	r.prove(found)
}
