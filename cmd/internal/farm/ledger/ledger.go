// Package ledger says what a farm knows of its targets and findings. All of it follows
// from the runs: any order of adding them, and adding some twice, gives the same.
//
//	l := ledger.New(runs...)
//	l.Add(run)
//	l.Targets(); l.Findings()
package ledger

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"foray.test/cmd/internal/farm/record"
)

// State is the state of a finding.
type State string

// The states of a finding.
const (
	StateNew      State = "new"      // seen for the first time since the farm was started
	StateOpen     State = "open"     // seen by an earlier start, too
	StateFixed    State = "fixed"    // it does not fail any more, with other code than it was seen in
	StateReopened State = "reopened" // seen again after it was fixed
	StateSilenced State = "silenced" // somebody does not want to hear of it
)

// A Finding is what all runs say of one signature of a target.
type Finding struct {
	Key         string    `json:"key"` // the name of its directory of reports
	Target      string    `json:"target"`
	record.Seen           // as it was seen last; flaky if it ever was
	State       State     `json:"state"`
	Reason      string    `json:"reason,omitempty"` // why it is silenced
	Runs        int       `json:"runs"`             // that saw it
	First       time.Time `json:"first"`
	Last        time.Time `json:"last"`
	FixedAt     time.Time `json:"fixed_at,omitzero"`
	Changes     []Change  `json:"changes,omitempty"`         // of its state, oldest first
	Bad         string    `json:"revision,omitempty"`        // in which it was last seen
	Good        string    `json:"revision_before,omitempty"` // of the last run before it came that did not see it
	// Bisection says which commit brought it. It is not a matter of runs.
	Bisection *record.Bisection `json:"bisection,omitempty"`
	lastBuild string            // of the last run that saw it
}

// A Change is one change of the state of a finding.
type Change struct {
	State    State     `json:"state"`
	At       time.Time `json:"at"`
	Job      string    `json:"job"`
	Revision string    `json:"revision,omitempty"`
}

// A Target is what all runs say of a target.
type Target struct {
	ID            string    `json:"id"`
	Runs          int       `json:"runs"`
	record.Counts           // sums, but for sides and entries, which are the present ones
	Distilled     string    `json:"distilled,omitempty"` // the job that did it last
	AtDistill     int       `json:"entries_distilled"`   // that it left
	LastNew       time.Time `json:"last_new,omitzero"`   // the run that last added an entry or took a side
	Dry           float64   `json:"dry_seconds"`         // of fuzzing since then
	Last          time.Time `json:"last"`
	Build         string    `json:"build"`
	BuildRuns     int       `json:"build_runs"`        // with that build
	Problem       string    `json:"problem,omitempty"` // of the last run
	Points        []Point   `json:"points,omitempty"`
	revision      string    // of the last run
}

// A Point is the state of a target after a run.
type Point struct {
	At           time.Time `json:"at"`
	Seconds      float64   `json:"seconds"` // of fuzzing until then
	SidesCovered int       `json:"sides_covered"`
	Frontier     int       `json:"frontier"`
	Entries      int       `json:"entries"`
}

// A Ledger holds the runs of a farm. It is not for use by several goroutines.
type Ledger struct {
	runs     map[string]*record.Run // by name
	epoch    uint64                 // the present start of the farm
	silenced map[string]string      // reasons, by key of the finding
	targets  map[string]*Target
	findings map[string]*Finding
	stale    bool // targets and findings do not know all runs
	last     record.JobID
}

// New returns a ledger of a farm that was started for the epoch'th time.
func New(epoch uint64) *Ledger {
	return &Ledger{runs: map[string]*record.Run{}, epoch: epoch, targets: map[string]*Target{}, findings: map[string]*Finding{}}
}

// Silence sets the reasons for which findings are silenced, by key.
func (l *Ledger) Silence(reasons map[string]string) { l.silenced = reasons }

// Add adds a run and reports whether it is new to the ledger.
func (l *Ledger) Add(r *record.Run) bool {
	name := r.Name()
	if l.runs[name] != nil {
		return false
	}
	l.runs[name] = r
	if !l.stale && l.last.Compare(r.Job) < 0 {
		l.fold(r)
	} else {
		l.stale = true
	}
	return true
}

// Has reports whether the ledger has the run of a name.
func (l *Ledger) Has(name string) bool { return l.runs[name] != nil }

// Runs returns the number of runs.
func (l *Ledger) Runs() int { return len(l.runs) }

// settle folds all runs in the order of their jobs, unless that is done.
func (l *Ledger) settle() {
	if !l.stale {
		return
	}
	l.stale, l.last = false, record.JobID{}
	l.targets, l.findings = map[string]*Target{}, map[string]*Finding{}
	runs := slices.SortedFunc(maps.Values(l.runs), func(a, b *record.Run) int {
		return cmp.Or(a.Job.Compare(b.Job), cmp.Compare(a.Target, b.Target))
	})
	for _, r := range runs {
		l.fold(r)
	}
}

// fold takes in a run. All earlier runs have been taken in.
func (l *Ledger) fold(r *record.Run) {
	l.last = r.Job
	t := l.targets[r.Target]
	if t == nil {
		t = &Target{ID: r.Target}
		l.targets[r.Target] = t
	}
	before := t.revision
	t.add(r)
	for i := range r.Seen {
		l.saw(r, &r.Seen[i], before)
	}
	for _, signature := range r.Fixed {
		l.fixed(r, signature)
	}
}

func (t *Target) add(r *record.Run) {
	t.Runs++
	if r.Kind == record.Distill {
		t.Distilled, t.Entries, t.AtDistill = r.Job.String(), r.Entries, r.Entries
		return
	}
	t.Last, t.Problem, t.revision = r.Created, r.Problem, r.Revision
	if t.Build != r.Build {
		t.Build, t.BuildRuns = r.Build, 0
	}
	t.BuildRuns++
	if r.Ended == record.EndedFailed {
		return
	}
	t.Seconds += r.Seconds
	t.CPU += r.CPU
	t.Sequences += r.Sequences
	t.Steps += r.Steps
	t.NewEntries += r.NewEntries
	t.Entries = r.Entries
	if r.Sides == 0 && r.Ended == record.EndedInterrupted {
		return // before it counted them
	}
	if r.NewEntries > 0 || r.Sides == t.Sides && r.SidesCovered > t.SidesCovered {
		t.LastNew, t.Dry = r.Created, 0
	} else {
		t.Dry += r.Seconds
	}
	if r.Sides != t.Sides { // the code has changed
		t.SidesCovered = 0
	}
	t.Sides, t.Frontier = r.Sides, r.Frontier
	t.SidesCovered = max(t.SidesCovered, r.SidesCovered)
	t.Points = append(t.Points, Point{At: r.Created, Seconds: t.Seconds, SidesCovered: t.SidesCovered, Frontier: t.Frontier, Entries: t.Entries})
	if len(t.Points) > maxPoints {
		t.Points = thin(t.Points)
	}
}

// maxPoints bounds the points of a plot.
const maxPoints = 512

// thin leaves out every second point, and keeps the last.
func thin(points []Point) []Point {
	kept := points[:0]
	for i, p := range points {
		if i%2 == 0 || i == len(points)-1 {
			kept = append(kept, p)
		}
	}
	return kept
}

// saw takes in a finding of a run. before is the revision of the run of the target before it.
func (l *Ledger) saw(r *record.Run, s *record.Seen, before string) {
	key := record.FindingKey(r.Target, s.Signature)
	f := l.findings[key]
	if f == nil {
		f = &Finding{Key: key, Target: r.Target, State: StateOpen, First: r.Created, Good: before}
		if r.Job.Epoch >= l.epoch {
			f.State = StateNew
		}
		f.Changes = append(f.Changes, Change{StateNew, r.Created, r.Job.String(), r.Revision})
		l.findings[key] = f
	}
	if f.State == StateFixed {
		f.Good = before
		f.change(StateReopened, r)
	}
	was := f.Seen
	f.Seen = *s
	f.Flaky = s.Flaky || was.Flaky
	f.Report = cmp.Or(s.Report, was.Report)
	f.Runs++
	f.Last, f.lastBuild = r.Created, r.Build
	f.Bad = r.Revision
}

// fixed takes in that a finding did not fail any more. In the code in which it has failed
// that means that it is flaky.
func (l *Ledger) fixed(r *record.Run, signature string) {
	f := l.findings[record.FindingKey(r.Target, signature)]
	switch {
	case f == nil || f.State == StateFixed:
	case f.lastBuild == r.Build:
		f.Flaky = true
	default:
		f.change(StateFixed, r)
		f.FixedAt = r.Created
	}
}

// Open reports whether a finding is neither fixed nor silenced.
func (f *Finding) Open() bool { return f.State != StateFixed && f.State != StateSilenced }

func (f *Finding) change(to State, r *record.Run) {
	f.State = to
	f.Changes = append(f.Changes, Change{to, r.Created, r.Job.String(), r.Revision})
}

// Target returns a copy of a target, nil if nothing ran on it.
func (l *Ledger) Target(id string) *Target {
	l.settle()
	t := l.targets[id]
	if t == nil {
		return nil
	}
	c := *t
	c.Points = slices.Clone(t.Points)
	return &c
}

// Findings returns copies of all findings: errors first, then by when they were first seen.
func (l *Ledger) Findings() []Finding {
	l.settle()
	list := make([]Finding, 0, len(l.findings))
	for _, f := range l.findings {
		c := *f
		c.Changes = slices.Clone(f.Changes)
		if reason, ok := l.silenced[f.Key]; ok {
			c.State, c.Reason = StateSilenced, reason
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), a.First.Compare(b.First), cmp.Compare(a.Key, b.Key))
	})
	return list
}
