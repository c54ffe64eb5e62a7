// Package record has the things that a farm writes down: targets, jobs, the results of
// jobs, and reports of findings. They are JSON, in objects of a store. What comes from
// another machine is checked before it is used.
package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/corpus/fuzzfile"
	corpus "foray.test/corpus/store"
)

// Limits of what a machine may add.
const (
	MaxEntry  = 64 << 10 // bytes
	MaxReport = 1 << 20  // bytes
	maxRun    = 256 << 10
	maxSeen   = 200 // findings of one run
	maxText   = 4 << 10
	maxDepth  = 200 // nested brackets of an entry
)

// ID returns the name of something that is told apart by texts: 16 hexadecimal digits.
func ID(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// A Target is something to fuzz: the API of a package, or one fuzz target of its tests.
type Target struct {
	Package string `json:"package"`          // import path
	Version string `json:"version"`          // of its module; empty in the module at hand
	Fuzz    string `json:"target,omitempty"` // FuzzXxx or Fuzz; empty for the API
	Pattern string `json:"pattern"`          // names the package for foray fuzz
	Module  string `json:"module,omitempty"` // path of the module at hand
	Dir     string `json:"dir,omitempty"`    // of the package, below the root of the module; with slashes
	Build   string `json:"build"`            // changes with the code
}

// ID returns the name of the target in the store. It does not depend on the code.
func (t *Target) ID() string { return ID(t.Package, t.Version, t.Fuzz) }

// Family returns the name that all versions of the target have in common.
func (t *Target) Family() string { return ID(t.Package, t.Fuzz) }

// String returns the name that people see: example.com/m/queue.FuzzQueue.
func (t *Target) String() string {
	name := t.Package
	if t.Version != "" && strings.Contains(t.Pattern, "@") {
		name += "@" + t.Version
	}
	if t.Fuzz != "" {
		name += "." + t.Fuzz
	}
	return name
}

// A JobID names a job. Epoch counts the starts of the farm, Seq the jobs since. Later jobs
// have larger IDs, whatever clocks say.
type JobID struct {
	Epoch uint64 `json:"epoch"`
	Seq   uint64 `json:"seq"`
}

// String returns the ID as the name of an object; names sort as IDs do.
func (id JobID) String() string { return fmt.Sprintf("%06d.%08d", id.Epoch, id.Seq) }

// Compare orders jobs by when they were made.
func (id JobID) Compare(other JobID) int {
	return cmp.Or(cmp.Compare(id.Epoch, other.Epoch), cmp.Compare(id.Seq, other.Seq))
}

// A Job is a share of work: one target for some time, from one seed of the random source.
type Job struct {
	ID       JobID     `json:"id"`
	Kind     string    `json:"kind,omitempty"` // Distill, or empty: fuzz
	Target   Target    `json:"fuzz"`
	Seed     uint64    `json:"seed"`
	Seconds  float64   `json:"seconds"`
	Created  time.Time `json:"created"`  // by the clock of the farm
	Revision string    `json:"revision"` // the commit; empty if it is not known
	Version  string    `json:"version"`  // of the farm's foray
	Farm     string    `json:"farm"`     // that made it, by the name that its store has
	// Versions are the IDs of other versions of the target, with entries that may serve.
	Versions []string `json:"versions,omitempty"`
}

// Distill is the kind of a job that chooses the entries that are worth keeping.
const Distill = "distill"

// How a run ended, beside the reasons that foray fuzz gives.
const (
	EndedFailed      = "failed" // it could not be built or started: see Problem
	EndedInterrupted = "interrupted"
)

// Counts are what a run counts, or several.
type Counts struct {
	Seconds      float64 `json:"seconds"`
	CPU          float64 `json:"cpu_seconds"`
	Sequences    uint64  `json:"sequences"`
	Steps        uint64  `json:"steps"`
	Sides        int     `json:"sides"`
	SidesCovered int     `json:"sides_covered"`
	Frontier     int     `json:"frontier"`
	Entries      int     `json:"entries"`     // in the corpus afterwards
	NewEntries   int     `json:"new_entries"` // that the farm did not have
}

// A Run is the result of a job. A job that two machines ran has one result: the first that
// is stored counts.
type Run struct {
	Job      JobID     `json:"job"`
	Kind     string    `json:"kind,omitempty"`
	Target   string    `json:"target"` // ID
	Build    string    `json:"build"`
	Revision string    `json:"revision,omitempty"`
	Created  time.Time `json:"created"` // of the job
	Worker   string    `json:"worker"`
	Counts
	Seen    []Seen   `json:"seen,omitempty"`
	Fixed   []string `json:"fixed,omitempty"` // signatures that do not fail any more
	Ended   string   `json:"ended"`
	Problem string   `json:"problem,omitempty"` // one line
}

// Seen is a finding that a run has seen.
type Seen struct {
	Signature string `json:"signature"`
	Tier      string `json:"tier"`
	Kind      string `json:"kind"`
	Operation string `json:"operation"`
	Message   string `json:"message"`
	Flaky     bool   `json:"flaky,omitempty"`
	Report    string `json:"report,omitempty"` // the name of the object with the report
}

// A Report is a finding in full, as the run that saw it tells it.
type Report struct {
	Target    string `json:"target"` // ID
	Package   string `json:"package"`
	Signature string `json:"signature"`
	Tier      string `json:"tier"`
	Kind      string `json:"kind"`
	Operation string `json:"operation"`
	Message   string `json:"message"`
	Rule      string `json:"rule,omitempty"`
	Claim     string `json:"claim,omitempty"`
	Document  string `json:"document,omitempty"`
	Steps     int    `json:"steps"`
	Sequence  string `json:"sequence"`
	Test      string `json:"test"`
	Input     []byte `json:"input,omitempty"` // of a fuzz target: the file of go test
	Flaky     bool   `json:"flaky,omitempty"`
}

// OwnerName is the name of the manifest of the farm that a store has.
const OwnerName = "manifest/farm"

// FindingKey returns the name of a finding in the store: equal for equal signatures of one
// target.
func FindingKey(target, signature string) string { return ID(target, signature) }

// Name returns the name of the object of a run.
func (r *Run) Name() string { return "runs/" + r.Target + "/" + r.Job.String() }

// Encode returns the JSON of a record.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Decode reads a record of at most limit bytes.
func Decode(data []byte, limit int, v any) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes, want at most %d", len(data), limit)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

// DecodeRun reads the run that an object of a name holds.
func DecodeRun(name string, data []byte) (*Run, error) {
	r := new(Run)
	if err := Decode(data, maxRun, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case r.Name() != name:
		return nil, fmt.Errorf("%s: it holds the run %s", name, r.Name())
	case len(r.Seen) > maxSeen || len(r.Fixed) > maxSeen:
		return nil, fmt.Errorf("%s: %d findings, want at most %d", name, max(len(r.Seen), len(r.Fixed)), maxSeen)
	}
	for i := range r.Seen {
		if s := &r.Seen[i]; !s.fits() {
			return nil, fmt.Errorf("%s: finding %.60q: want a signature, and at most %d bytes of text", name, s.Signature, maxText)
		}
	}
	return r, nil
}

// fits reports whether a finding has a signature, and no more text than DecodeRun accepts.
func (s *Seen) fits() bool {
	return s.Signature != "" && len(s.Signature)+len(s.Message)+len(s.Operation) <= maxText
}

// Trim shortens a run to what DecodeRun accepts. It cuts texts, and leaves out findings with too
// long a signature, then the last ones.
func (r *Run) Trim() {
	for i := range r.Seen {
		s := &r.Seen[i]
		s.Message, s.Operation = cut(s.Message, maxText/4), cut(s.Operation, maxText/4)
	}
	r.Seen = slices.DeleteFunc(r.Seen, func(s Seen) bool { return !s.fits() })
	r.Fixed = slices.DeleteFunc(r.Fixed, func(signature string) bool { return len(signature) > maxText })
	r.Seen = r.Seen[:min(len(r.Seen), maxSeen)]
	r.Fixed = r.Fixed[:min(len(r.Fixed), maxSeen)]
	r.Problem = cut(r.Problem, maxText/4)
	for len(r.Seen)+len(r.Fixed) > 0 {
		if data, err := Encode(r); err != nil || len(data) <= maxRun {
			return
		}
		r.Seen, r.Fixed = r.Seen[:len(r.Seen)*3/4], r.Fixed[:len(r.Fixed)*3/4]
	}
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Name returns the name of the object that holds the JSON of a report.
func (r *Report) Name(data []byte) string {
	return "findings/" + r.Target + "/" + FindingKey(r.Target, r.Signature) + "/" + ID(string(data))
}

// DecodeReport reads the report that an object of a name holds.
func DecodeReport(name string, data []byte) (*Report, error) {
	r := new(Report)
	if err := Decode(data, MaxReport, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Name(data) != name {
		return nil, fmt.Errorf("%s: its content is that of %s", name, r.Name(data))
	}
	return r, nil
}

// EntryName returns the name of the object of an entry of a target. data is a file as foray
// fuzz stores it, in the form of corpus/store or, of a fuzz target, of go test.
func EntryName(t *Target, data []byte) (string, error) {
	hash, err := EntryHash(t.Fuzz != "", data)
	return "entries/" + t.ID() + "/" + hash, err
}

// EntryHash checks the file of an entry and returns its hash: of the statements, without
// the comments above them, or of the input of a fuzz target.
func EntryHash(fuzz bool, data []byte) (string, error) {
	if len(data) > MaxEntry {
		return "", fmt.Errorf("entry of %d bytes, want at most %d", len(data), MaxEntry)
	}
	if fuzz {
		if _, err := fuzzfile.Parse(data); err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:16]), nil
	}
	if deep(data) {
		return "", fmt.Errorf("entry with more than %d nested brackets", maxDepth)
	}
	e, err := corpus.Parse(data)
	return e.ID, err
}

// deep reports whether brackets nest too deep for a parser that recurses, whatever stands
// in literals.
func deep(data []byte) bool {
	depth := 0
	for _, c := range data {
		switch c {
		case '(', '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ')', ']', '}':
			depth--
		}
	}
	return false
}

// A Generation says which entries of a target are worth giving to jobs: all but those that
// are retired. It is a manifest. Entries that are added later are worth it until the next one.
type Generation struct {
	Number  int                  `json:"number"`
	Retired map[string]time.Time `json:"retired"` // by hash; when, by the clock of the farm
}

// GenerationName returns the name of the manifest of a target's generation.
func GenerationName(target string) string { return "manifest/generation-" + target }

// Poison is a job that ended its workers.
type Poison struct {
	Job        Job    `json:"job"`
	Deliveries uint64 `json:"deliveries"`
	Problem    string `json:"problem"`
}

// Name returns the name of the object of a poisonous job.
func (p *Poison) Name() string { return "poison/" + p.Job.ID.String() }

// A Verdict is what the test of a finding shows at a commit.
type Verdict string

// Verdicts.
const (
	Fails      Verdict = "fails"
	Passes     Verdict = "passes"
	Untestable Verdict = "cannot be run"
)

// A Commit is a commit of the repository under test.
type Commit struct {
	Hash    string    `json:"hash"`
	Parents []string  `json:"parents,omitempty"`
	At      time.Time `json:"at"`
	Author  string    `json:"author"`
	Subject string    `json:"subject"`
}

// String returns the commit in a line.
func (c *Commit) String() string {
	return fmt.Sprintf("%.12s %q, %s, %s", c.Hash, c.Subject, c.Author, c.At.Format(time.DateOnly))
}

// Tried is what the test of a finding showed at a commit. It is an object of the store: a
// search for the first bad commit that was interrupted goes on from there.
type Tried struct {
	Target  string  `json:"target"`
	Finding string  `json:"finding"` // key
	Commit  string  `json:"commit"`
	Verdict Verdict `json:"verdict"`
	Problem string  `json:"problem,omitempty"` // why it cannot be run
}

// Name returns the name of the object.
func (t *Tried) Name() string { return "tried/" + t.Target + "/" + t.Finding + "/" + t.Commit }

// A Bisection says which commit brought a finding, or why that is not known.
type Bisection struct {
	First   Commit   `json:"first_bad,omitzero"`
	Before  Verdict  `json:"before,omitempty"` // of its test at the parents of First; empty: it has none
	Or      []string `json:"or,omitempty"`     // commits that may be the first: the test cannot be run there
	Problem string   `json:"problem,omitempty"`
	Changes int      `json:"changes"` // of the finding's state when it was made; after another it is made anew
}

// String returns the bisection in a line.
func (b *Bisection) String() string {
	if b.First.Hash == "" {
		return "not bisected: " + b.Problem
	}
	s := "since commit " + b.First.String()
	if b.Before == Untestable {
		s += "; its test cannot be run before"
	}
	if len(b.Or) > 0 {
		s += fmt.Sprintf("; or %s before it, at which its test cannot be run", text.Plural(len(b.Or), "commit"))
	}
	return s
}
