package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"foray.test/cmd/internal/text"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// Frontier tells the sides that were on the frontier when the search aimed at it.
type Frontier struct {
	Start   int            `json:"frontier_start"`
	Flipped int            `json:"frontier_flipped"`
	Status  map[string]int `json:"frontier_status"` // by [engine.Side] status; not nil
}

// Add adds the counts of another package.
func (f *Frontier) Add(other Frontier) {
	f.Start += other.Start
	f.Flipped += other.Flipped
	if f.Status == nil {
		f.Status = map[string]int{}
	}
	for status, n := range other.Status {
		f.Status[status] += n
	}
}

// String tells in one line what became of the frontier.
func (f Frontier) String() string {
	line := fmt.Sprintf("%d of %s taken since it was aimed at", f.Flipped, text.Plural(f.Start, "side"))
	sep := "; left: "
	for _, status := range slices.Sorted(maps.Keys(f.Status)) {
		if status != engine.SideFlipped {
			line += fmt.Sprintf("%s%d %s", sep, f.Status[status], status)
			sep = ", "
		}
	}
	return line
}

// A FrontierSide is a side that is or was on the frontier.
type FrontierSide struct {
	Package    string `json:"package"`
	ID         string `json:"id"` // of the condition
	File       string `json:"file"`
	Line       int    `json:"line"`
	Side       string `json:"side"`
	Text       string `json:"text"`
	Status     string `json:"status"`
	Edit       string `json:"edit"`
	Runs       uint64 `json:"runs"`
	Witnesses  int    `json:"witnesses"`
	Impossible int    `json:"impossible"` // witnesses, if a solver found no literals along any that take the side
}

func (*FrontierSide) name() string  { return "frontier" }
func (*FrontierSide) text(*Printer) {}

// A Member is an exported function or method, with the number of sequences that called it.
type Member struct {
	Member string `json:"member"`
	Tried  uint64 `json:"tried"`
	Legal  uint64 `json:"legal"`
	Failed uint64 `json:"failed"`  // returned a non-nil error
	Broken uint64 `json:"illegal"` // panicked
	Why    string `json:"why,omitempty"`
}

// Members counts the calls of each member, the tried ones first. why says why members
// were not called.
func Members(names []string, t *seq.Table, res *coordinator.Result, why map[string]string) []Member {
	rows := map[string]*Member{}
	for _, m := range names {
		rows[m] = &Member{Member: m, Why: why[m]}
	}
	for _, c := range res.Ops {
		op := &t.Ops[c.Op]
		if row := rows[op.Member]; row != nil && op.API {
			row.Tried += c.Runs
			row.Legal += c.Normal
			row.Failed += c.Failed
			row.Broken += c.Broken
		}
	}
	for _, id := range res.Banned {
		if row := rows[t.Ops[id].Member]; row != nil {
			row.Why = "disabled: it ended too many processes"
		}
	}
	var list []Member
	for _, row := range rows {
		if row.Tried == 0 && row.Why == "" {
			row.Why = "not tried"
		}
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b Member) int {
		if (a.Tried > 0) != (b.Tried > 0) {
			return cmp.Compare(b.Tried, a.Tried)
		}
		return strings.Compare(a.Member, b.Member)
	})
	return list
}

// A Function counts the branch sides of a function.
type Function struct {
	Name    string `json:"name"`
	Sides   int    `json:"sides"`
	Covered int    `json:"covered"`
}

// Functions counts the sides of each function of a package.
func Functions(state *report.State) []Function {
	rows := []Function{}
	for _, f := range state.Functions() {
		rows = append(rows, Function{f.Name, f.Sides, f.Taken})
	}
	return rows
}

// Package is the end of a run on one package.
type Package struct {
	Package           string `json:"package"`
	Target            string `json:"target,omitempty"`
	Sequences         uint64 `json:"sequences"`
	DistinctSequences uint64 `json:"distinct_sequences"`
	Steps             uint64 `json:"steps"`
	DistinctValues    uint64 `json:"distinct_values"`
	Sides             int    `json:"sides"`
	SidesCovered      int    `json:"sides_covered"`
	LastNewSide       uint64 `json:"last_new_side"` // the sequence that last took one, 0 if none did
	Frontier
	CorpusEntries int     `json:"corpus_entries"`
	Ended         string  `json:"ended"`
	Discovery     float64 `json:"discovery"`
	Unconfirmed   int     `json:"unconfirmed"`
	Known         int     `json:"known"`       // findings that are listed as known, and have shown
	StillThere    int     `json:"still_there"` // findings of earlier runs that still fail
	Fixed         int     `json:"fixed"`       // … that do not fail any more
	// Hits counts the sequences of this run that ended in each finding.
	Hits         map[engine.Signature]uint64 `json:"hits"`
	Shown        []string                    `json:"shown,omitempty"`   // the signatures of the findings that people see, the surest first
	AlsoAt       map[string][]string         `json:"also_at,omitempty"` // other signatures with the cause of a finding
	Restarts     int                         `json:"restarts"`
	RestartTime  []Seconds                   `json:"restart_seconds"` // of each replaced process, to the first report of the next
	Abandoned    uint64                      `json:"abandoned"`       // sequences given up in a call that waits
	Operations   int                         `json:"operations"`
	Members      int                         `json:"members"`
	MembersLegal int                         `json:"members_legal"`
	MemberRows   []Member                    `json:"member_rows"`
	Functions    []Function                  `json:"functions"`
	Explored     *Explored                   `json:"explored,omitempty"` // of foray explore
	Solved       *Handover                   `json:"solved,omitempty"`   // if conditions were solved for
	Small        *Small                      `json:"small,omitempty"`    // if the package has files of foray twin, or could have one
	Text         PackageText                 `json:"-"`
}

// Small tells what the files of foray twin brought to a run.
type Small struct {
	Functions []string `json:"functions"`      // that make small values
	Entries   int      `json:"entries"`        // that call one
	Type      string   `json:"type,omitempty"` // with an invariant, if no function makes any
}

// Handover tells what solving for conditions brought to a run.
type Handover struct {
	Proposed int     `json:"proposed"` // sequences
	Sides    int     `json:"sides"`    // that entries from them took first
	Seconds  Seconds `json:"seconds"`
	// Impossible is the number of sides that no literals take along the path of any entry.
	Impossible int `json:"impossible"`
}

// NewHandover returns nil if nothing was solved for.
func NewHandover(s coordinator.Solved, state *report.State) *Handover {
	if s.Asked == 0 {
		return nil
	}
	h := &Handover{Proposed: s.Proposed, Sides: s.Sides, Seconds: Seconds(s.Time)}
	for i := range state.Conditions {
		for _, side := range state.Conditions[i].Sides {
			if side.Remark() != "" {
				h.Impossible++
			}
		}
	}
	return h
}

// PackageText is what the text form of a Package needs beside the fields of its JSON form.
type PackageText struct {
	Result     *coordinator.Result
	State      *report.State
	Group      *Group
	Dir        string // of findings
	Corpus     string // where entries are kept
	Earlier    int    // entries of earlier runs
	Values     int    // entries that are kept for the values they make
	KnownFile  string
	Known      int    // findings that are listed there
	KnownHits  uint64 // sequences that ended in them
	Suppressed int    // findings that a suppression of go-fuzz silences
}

func (*Package) name() string { return "package" }

func (e *Package) before() []Event {
	var list []Event
	for i := range e.Text.State.Conditions {
		c := &e.Text.State.Conditions[i]
		for _, side := range c.Sides {
			if side.Status != "" {
				list = append(list, &FrontierSide{
					Package: e.Package, ID: c.ID, File: c.File, Line: c.Line, Side: side.Name, Text: c.Text,
					Status: side.Status, Edit: side.Edit, Runs: side.Runs, Witnesses: side.Witnesses, Impossible: side.Impossible,
				})
			}
		}
	}
	return list
}

// corpus counts the entries of the corpus.
func (e *Package) corpus() string {
	return text.Plural(e.CorpusEntries, "entry") + when(e.Text.Values > 0, " (%d for the values they make)", e.Text.Values)
}

func (e *Package) text(p *Printer) {
	d := &e.Text
	if e.Explored != nil {
		p.Printf("%s", ExploreProgress(d.Result.Snapshot))
	} else {
		end := Status{Snapshot: d.Result.Snapshot, Sides: e.Sides, Earlier: d.Earlier}
		p.Printf("%s", end.Line())
	}
	d.Group.rest(p, d.Dir)
	if d.Known > 0 {
		p.Printf("known: %s listed in %s, in which %s ended", text.Plural(d.Known, "finding"), p.Relative(d.KnownFile), text.Plural(d.KnownHits, "sequence"))
	}
	if d.Suppressed > 0 {
		p.Printf("suppressed: %s, by suppressions of go-fuzz", text.Plural(d.Suppressed, "finding"))
	}
	if e.Target == "" {
		e.memberTable(p)
	}
	if e.Sides > 0 {
		p.Printf("coverage: %d of %d branch sides (%.1f%%), %d on the frontier", e.SidesCovered, e.Sides, text.Percent(e.SidesCovered, e.Sides), d.State.Totals().Frontier)
		if d.Result.AimedFrom != nil {
			p.Printf("frontier: %v", e.Frontier)
		}
	}
	if e.Solved != nil && e.Solved.Proposed+e.Solved.Impossible > 0 {
		impossible := when(e.Solved.Impossible > 0, "; %s impossible along the entries", text.Plural(e.Solved.Impossible, "side"))
		p.Printf("solving: %s proposed in %v took %s%s", text.Plural(e.Solved.Proposed, "sequence"), time.Duration(e.Solved.Seconds).Round(time.Millisecond),
			text.Plural(e.Solved.Sides, "new side"), impossible)
	}
	if e.Sides > 0 && e.Explored == nil && d.Result.Counts.Sampled >= minSampled {
		p.Printf("estimate: the next sequence takes a new branch side with probability %s (Good-Turing)", discovery(d.Result.Counts))
	}
	if n := e.Unconfirmed - d.Result.Late; n > 0 { // a warning tells of late ones
		p.Printf("unconfirmed: %s, which no test in a fresh process has shown%s", text.Plural(n, "finding"), when(!p.Verbose, "; -v shows them"))
	}
	if e.Small != nil {
		e.Small.text(p, e)
	}
	p.Printf("corpus: %s in %s", e.corpus(), p.Relative(d.Corpus))
	if e.Explored != nil {
		e.Explored.text(p, e.Ended)
		return
	}
	p.Printf("ended: %s\n", ended(e.Ended))
}

func (s *Small) text(p *Printer, e *Package) {
	if s.Type != "" {
		p.Printf("small values: none, though %[1]s has an invariant; foray twin %[1]s %[2]s writes a function that makes them", s.Type, e.Package)
		return
	}
	p.Printf("small values: %d of %s make one, by %s", s.Entries, text.Plural(e.CorpusEntries, "entry"), strings.Join(s.Functions, ", "))
}

// ended says why a run ended.
func ended(stopped string) string {
	switch stopped {
	case "time":
		return "the time was up"
	case "sequences":
		return "all sequences were run"
	case "states":
		return "the bound of states was reached"
	case "too long":
		return "it would go on for more than an hour"
	case "no side":
		return "no branch was taken in two seconds, so a longer run would test nothing either"
	case "plateau":
		return "nothing new came for as long as the run had taken to get there"
	}
	return stopped
}

// minSampled is how many sequences an estimate rests on at least. Its standard error is 0.07 then;
// a run in which nearly each sequence ends its process samples fewer.
const minSampled = 50

// discovery returns a probability as text, a bound if no side was ever new.
func discovery(c engine.Counts) string {
	if p := c.Discovery(); p > 0 {
		return fmt.Sprintf("%.1g", p)
	}
	return fmt.Sprintf("below %.1g", 1/float64(c.Sampled))
}

// memberTable prints the members that never returned normally, with -v all. It only counts those
// that were not chosen.
func (e *Package) memberTable(p *Printer) {
	legal, left := 0, 0
	var odd []Member
	for _, r := range e.MemberRows {
		switch {
		case r.Legal > 0:
			legal++
		case r.Why == catalog.NotChosen:
			left++
			continue
		}
		if r.Legal == 0 || p.Verbose {
			odd = append(odd, r)
		}
	}
	chosen := when(left > 0, "; %d were %s", left, catalog.NotChosen)
	p.Printf("operations: %d of %d exported functions and methods returned normally at least once%s", legal, len(e.MemberRows), chosen)
	if len(odd) == 0 {
		return
	}
	const most = 40
	more := 0
	if len(odd) > most && !p.Verbose {
		odd, more = odd[:most], len(odd)-most
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := 0
	for _, r := range odd {
		width = max(width, utf8.RuneCountInString(r.Member))
	}
	fmt.Fprintf(tw, "  %-*s\ttried\tlegal\terror\tpanic\t\n", width, "")
	for _, r := range odd {
		harm := when(catalog.IsHarm(r.Why), "not called: it uses ")
		fmt.Fprintf(tw, "  %-*s\t%d\t%d\t%d\t%d\t%s\n", width, r.Member, r.Tried, r.Legal, r.Failed, r.Broken, when(r.Why != "", "  %s%s", harm, r.Why))
	}
	tw.Flush()
	if more > 0 {
		p.Printf("  … %d more; -v shows all", more)
	}
}

// Summary is the end of a run on some packages.
type Summary struct {
	Packages       int     `json:"packages"`
	Sequences      uint64  `json:"sequences"`
	Aimed          uint64  `json:"aimed"`      // … of them at the frontier
	WithUse        uint64  `json:"with_use"`   // … composed ones that might take up what tests do
	Operations     uint64  `json:"operations"` // executed steps
	DistinctValues uint64  `json:"distinct_values"`
	CPUSeconds     Seconds `json:"cpu_seconds"`         // of the workers
	ConfirmCPU     Seconds `json:"confirm_cpu_seconds"` // to minimize and confirm findings
	RunSeconds     Seconds `json:"run_seconds"`         // that workers ran sequences
	ContractTime   Seconds `json:"contract_seconds"`    // … of that contracts
	ReadySeconds   Seconds `json:"ready_seconds"`       // of packages before their first worker starts: finding, building
	WallSeconds    Seconds `json:"wall_seconds"`
	Conditions     int     `json:"conditions"`
	Sides          int     `json:"sides"`
	SidesCovered   int     `json:"sides_covered"`
	OnFrontier     int     `json:"frontier"`
	Frontier
	CorpusEntries int            `json:"corpus_entries"`
	Findings      FindingsByTier `json:"findings"`
	Known         int            `json:"known"` // findings that are listed as known, and have shown
	Fixed         int            `json:"fixed"` // findings of earlier runs that do not fail any more
	Illegal       uint64         `json:"illegal"`
	Seed          uint64         `json:"seed"`
	Left          int            `json:"-"` // packages that an interrupt has left out
	Explores      bool           `json:"-"` // it is foray explore
}

// FindingsByTier counts findings.
type FindingsByTier struct {
	Error   int `json:"error"`
	Panic   int `json:"panic"`
	Suspect int `json:"suspect"`
}

// Add counts findings as [coordinator.Result] does.
func (f *FindingsByTier) Add(byTier [engine.Tiers]int) {
	f.Error += byTier[engine.Error]
	f.Panic += byTier[engine.Panic]
	f.Suspect += byTier[engine.Suspect]
}

// Total is the number of findings of all tiers.
func (f FindingsByTier) Total() int { return f.Error + f.Panic + f.Suspect }

// unsure tells the findings below tier error, each with a word before, and empty if there
// are none.
func (f FindingsByTier) unsure(more string) string {
	var list []string
	if f.Panic > 0 {
		list = append(list, text.Plural(f.Panic, more+"panic"))
	}
	if f.Suspect > 0 {
		list = append(list, text.Plural(f.Suspect, more+"suspect"))
	}
	return strings.Join(list, " and ")
}

// found is the number of findings, of all tiers that count as such.
func found(byTier [engine.Tiers]int) int {
	return byTier[engine.Error] + byTier[engine.Panic] + byTier[engine.Suspect]
}

// Seconds is a time that JSON has in seconds, with milliseconds.
type Seconds time.Duration

// MarshalJSON implements [json.Marshaler].
func (s Seconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(s.Float())
}

// Float returns the number that JSON has.
func (s Seconds) Float() float64 { return float64(time.Duration(s).Milliseconds()) / 1000 }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts the output of MarshalJSON.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	var n float64
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*s = Seconds(math.Round(n*1000)) * Seconds(time.Millisecond)
	return nil
}

// AllSeconds returns times as JSON has them; never nil.
func AllSeconds(list []time.Duration) []Seconds {
	all := make([]Seconds, len(list))
	for i, d := range list {
		all[i] = Seconds(d)
	}
	return all
}

func (*Summary) name() string { return "summary" }

func (e *Summary) text(p *Printer) {
	command := "fuzz"
	if e.Explores {
		command = "explore"
	}
	if e.Left > 0 {
		p.Printf("%s: interrupted, with %s not done", command, text.Plural(e.Left, "package"))
	}
	if e.Packages > 1 {
		p.Printf("%s: %s, %s, findings: %d error, %d panic, %d suspect, in %v", command, text.Plural(e.Packages, "package"), text.Plural(e.Sequences, "sequence"),
			e.Findings.Error, e.Findings.Panic, e.Findings.Suspect, time.Duration(e.WallSeconds).Round(100*time.Millisecond))
	}
}
