package coordinator

import (
	"fmt"
	"strings"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

func (r *run) takeFinding(m *wire.Finding) {
	if !m.Verdict.IsNews(r.knows) {
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
	r.know(m.Verdict.News())
	r.pending[m.Verdict.News()] = true
	r.confirms.Add(confirm.Job{Finding: engine.Finding{Verdict: m.Verdict, Steps: steps, Original: original}})
}

// know tells all of a finding that is reported: see engine.Verdict.News.
func (r *run) know(news string) {
	r.known[news] = true
	r.tell(nil, wire.Learn{Known: []string{news}})
}

func (r *run) knows(news string) bool { return r.known[news] }

// tookDown follows up a sequence that ended a worker.
func (r *run) tookDown(w *workerState, p *worker.Process, hung bool) {
	d := p.Death(hung)
	s, err := p.Running(r.config.Table, r.config.Pool.Literals)
	j := confirm.Job{Death: true, Late: d.Late()}
	if j.Late {
		j.Before = r.callers(p.Earlier(r.config.Table, r.config.Pool.Literals), d.Starter())
	}
	if n := len(j.Before); n > 0 && err == nil && len(s) == 0 {
		s, j.Before = j.Before[n-1], j.Before[:n-1]
	}
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker died between sequences: %s: %s", p.State(), p.LastLine()))
		r.blame(w, nil, d)
		return
	}
	r.blame(w, s, d)
	if !j.Late && r.dropEntry(s) {
		r.config.Report.Warn("a corpus entry ends its process and is left alone in this run: " + r.brief(s))
	}
	r.follow(s, d, j, fmt.Sprintf("a worker ended (%s)", p.State()))
}

// brief returns a sequence as a line that a person may look at.
func (r *run) brief(s seq.Sequence) string {
	text := r.config.Table.OneLine(s)
	const most = 400
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// takeLost takes in a sequence that a worker gave up.
func (r *run) takeLost(m *wire.Lost) {
	s, err := seq.DecodeSteps(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker gave up what it cannot name: %v", err))
		return
	}
	if m.Endless {
		r.follow(s, worker.DeathOf(m), confirm.Job{Death: true, Endless: true}, "a sequence used up its fuel")
		return
	}
	if r.dropEntry(s) {
		r.config.Report.Note("a corpus entry does not come to its end and is left alone in this run: " + r.config.Table.OneLine(s))
	}
	r.follow(s, worker.DeathOf(m), confirm.Job{Death: true}, "a call was given up")
}

// follow judges a sequence that did not come to its end, and has it confirmed as j.
func (r *run) follow(s seq.Sequence, d worker.Death, j confirm.Job, how string) {
	v := r.config.JudgeDeath(s, d)
	r.config.Report.Note(fmt.Sprintf("%s: %s: %s", how, v.Message, r.config.Table.OneLine(s)))
	if last := s[len(s)-1].Op; r.config.Table.Ops[last].Kind == seq.Check {
		// A contract of the user's. Where it was when it was looked at tells nothing.
		r.config.Report.Warn(r.config.Table.Ops[last].Short + " does not come to its end, and is switched off")
		r.banned = append(r.banned, last)
		r.tell(nil, wire.Learn{Ban: []seq.OpID{last}})
		return
	}
	if v.Tier == engine.Illegal {
		r.past.Illegal++
		r.refuse(v.Op, v.Document, 1)
		return
	}
	r.hits[v.Signature]++
	if !v.IsNews(r.knows) {
		return
	}
	r.know(v.News())
	r.pending[v.News()] = true
	j.Finding = engine.Finding{Verdict: v, Steps: s, Original: s}
	r.confirms.Add(j)
}

// maxUnshown is how many sequences of a signature are tried before it is dropped.
const maxUnshown = 3

func (r *run) confirmed(res confirm.Result) {
	queued := res.Queued.News()
	delete(r.pending, queued)
	if res.Shown == 0 {
		r.slow = r.slow || res.Death && !res.Endless && res.Queued.Kind == engine.KindHang
		// A sequence alone may show nothing of what those before it left behind: the
		// next may.
		if r.unshown[queued]++; res.Death && r.unshown[queued] < maxUnshown {
			delete(r.known, queued)
		}
		r.unconfirmed++
		return
	}
	if v := &res.Finding.Verdict; v.Signature != res.Queued.Signature || v.Tier > res.Queued.Tier {
		if !v.IsNews(r.knows) {
			return
		}
		r.know(v.News())
	}
	f := confirm.Finding{Finding: res.Finding, Flaky: res.Shown < confirm.Runs}
	if f.Flaky && f.Verdict.Kind == engine.KindFatal {
		// A goroutine of an earlier call may have done it: whose fault it is, is not known.
		f.Verdict.Tier = min(f.Verdict.Tier, engine.Suspect)
	}
	if f.Verdict.Tier == engine.Illegal {
		return
	}
	if sig := f.Verdict.Signature; f.Verdict.Tier == engine.Suspect {
		r.suspects[sig] = true
	} else if r.suspects[sig] { // it was more than that
		r.findings[engine.Suspect]--
		delete(r.suspects, sig)
	}
	r.findings[f.Verdict.Tier]++
	r.config.Report.Finding(f)
}
