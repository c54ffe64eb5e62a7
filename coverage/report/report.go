// Package report collects the results of several runs on the branch sides of a
// package, and shows them in the source.
//
// A run makes a [State] of its conditions, merges the State of earlier runs,
// and stores it as JSON:
//
//	s := &report.State{Package: "container/list", Runs: 1, Files: files}
//	s.Add(conditions, covered, tried)
//	s.Merge(old)
//
// A State identifies a condition by [coverage.Condition.ID] and a side by its
// name, since both outlive the build that numbered them. [HTML] writes a page
// of the source with the sides that no run took.
//
// The package reads no files and does not know how sides are searched for. The
// search chooses the words of a status.
package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"foray.test/coverage"
)

// Schema is the version of a State's JSON.
const Schema = 1

// A State holds the results of runs on the conditions of one package, and of those packages of
// its module that are instrumented with it.
type State struct {
	Package    string      `json:"package"`
	Version    string      `json:"version,omitempty"` // of its module, or of Go; empty in a main module
	Runs       int         `json:"runs"`              // that went into it
	Sequences  uint64      `json:"sequences"`         // that they executed
	Files      []File      `json:"files"`             // of the packages, as they were when they ran last
	Conditions []Condition `json:"conditions"`
	Calls      []Calls     `json:"calls,omitempty"`   // of operations, by how they ended
	History    []Run       `json:"history,omitempty"` // the latest runs, in order of time; an older foray neither reads nor keeps it
	// Unconfirmed are sequences, one statement a line, that failed in the latest run, which had no
	// time to confirm it. The next run begins with them.
	Unconfirmed []string `json:"unconfirmed,omitempty"`

	noted bool // NoteImpossible has replaced the notes of before
}

// Calls counts the sequences that came to one end with an operation.
type Calls struct {
	Operation string `json:"operation"`
	End       string `json:"end"`              // "returned", "failed", "illegal"
	Rule      string `json:"rule,omitempty"`   // the name of the rule, for illegal calls
	Reason    string `json:"reason,omitempty"` // the sentence of one of them
	Sequences uint64 `json:"sequences"`
}

// A File is a source file.
type File struct {
	Name string `json:"name"` // see FileName
	Sum  string `json:"sum"`  // of its content: see Sum
}

// A Condition is a condition with the state of its sides.
type Condition struct {
	ID    string        `json:"id"`
	Func  string        `json:"func"`
	Text  string        `json:"text"`
	File  string        `json:"file"` // see FileName
	Line  int           `json:"line"` // from 1
	Col   int           `json:"col"`  // in bytes, from 1
	Kind  coverage.Kind `json:"kind"`
	Sides []Side        `json:"sides"`
}

// A Side is the state of one side of a condition.
type Side struct {
	Name      string `json:"name"`
	Taken     bool   `json:"taken,omitempty"`
	Status    string `json:"status,omitempty"`    // result of the search for it; empty if there was no search
	Edit      string `json:"edit,omitempty"`      // the edit that found it
	Runs      uint64 `json:"runs,omitempty"`      // spent on it
	Price     uint32 `json:"price,omitempty"`     // of the next attempt at it: those of before, mere guesses counted for more
	Witnesses int    `json:"witnesses,omitempty"` // sequences that reach its condition
	// Impossible is the number of sequences that reach its condition, along none of which any literals
	// take it: all that a solver has looked at. Along another path it may be possible.
	Impossible int `json:"impossible,omitempty"`
}

// Add adds conditions to s. covered holds the taken sides. tried holds the
// state of sides by number; their Name and Taken need not be set.
func (s *State) Add(conds []coverage.Condition, covered *coverage.Set, tried map[int]Side) {
	for i := range conds {
		c := &conds[i]
		rec := Condition{ID: c.ID(), Func: c.Func, Text: c.Text, File: FileName(s.Package, c.Package, c.File), Line: c.Line, Col: c.Col, Kind: c.Kind}
		for j, name := range c.Sides {
			side := tried[c.First+j]
			side.Name, side.Taken = name, covered.Has(c.First+j)
			rec.Sides = append(rec.Sides, side)
		}
		s.Conditions = append(s.Conditions, rec)
	}
}

// FileName returns the name of a file in the state of pkg: without directory, and behind the import
// path of its package if that is another.
func FileName(pkg, of, file string) string {
	if of == pkg {
		return base(file)
	}
	return path.Join(of, base(file))
}

// base returns a file name without its directory, with either kind of
// separator.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// Sum returns a checksum of a file's content.
func Sum(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}

// Merge takes over the taken sides of old, a State of the same package, and its
// tries of sides that are still untaken. It skips files that have changed,
// because the code after a condition may have changed too; entries of the
// corpus that still take a side do so in every run. Conditions that s lacks are
// forgotten.
func (s *State) Merge(old *State) {
	s.Runs += old.Runs
	s.Sequences += old.Sequences
	s.mergeCalls(old.Calls)
	s.mergeHistory(old.History)
	same := map[string]bool{}
	for _, f := range old.Files {
		same[f.Name] = f.Sum == s.sum(f.Name)
	}
	known := map[string]*Condition{}
	for i := range old.Conditions {
		if c := &old.Conditions[i]; same[c.File] {
			known[c.ID] = c
		}
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		was := known[c.ID]
		if was == nil || was.File != c.File {
			continue
		}
		for j := range c.Sides {
			if side := was.side(c.Sides[j].Name); side != nil {
				known := *side
				if s.noted {
					known.Impossible = 0
				}
				c.Sides[j].merge(&known)
			}
		}
	}
}

// mergeCalls adds the counts of old to s.
func (s *State) mergeCalls(old []Calls) {
	byReason := func(c Calls) Calls { return Calls{Operation: c.Operation, End: c.End, Reason: c.Reason} }
	rules := map[Calls]string{} // files of before have reasons without rules
	for _, c := range s.Calls {
		rules[byReason(c)] = c.Rule
	}
	counts := map[Calls]*Calls{}
	for _, c := range slices.Concat(s.Calls, old) {
		c.Rule = cmp.Or(c.Rule, rules[byReason(c)])
		key := byReason(c)
		if c.Rule != "" {
			key.Rule, key.Reason = c.Rule, ""
		}
		if was := counts[key]; was != nil {
			was.Sequences += c.Sequences
			continue
		}
		counts[key] = &c
	}
	s.Calls = nil
	for _, c := range counts {
		s.Calls = append(s.Calls, *c)
	}
	slices.SortFunc(s.Calls, func(a, b Calls) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.End, b.End), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason))
	})
}

// sum returns the sum of a file, empty if s has no such file.
func (s *State) sum(name string) string {
	if i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		return s.Files[i].Sum
	}
	return ""
}

func (c *Condition) side(name string) *Side {
	if j := slices.IndexFunc(c.Sides, func(s Side) bool { return s.Name == name }); j >= 0 {
		return &c.Sides[j]
	}
	return nil
}

// merge takes over the earlier state of a side.
func (s *Side) merge(old *Side) {
	switch {
	case old.Taken && (!s.Taken || s.Status == ""):
		*s = *old // how it was taken first
	case s.Taken:
		// News: it was not taken before.
	default:
		runs, price := s.Runs+old.Runs, max(s.Price, old.Price)
		witnesses, impossible := max(s.Witnesses, old.Witnesses), cmp.Or(s.Impossible, old.Impossible)
		if old.Runs > s.Runs { // the state with more runs is better founded
			*s = *old
		}
		s.Runs, s.Price, s.Witnesses, s.Impossible = runs, price, witnesses, impossible
	}
}

// Prices returns the prices of sides that are not taken, by their numbers in conds. It leaves out
// files that have changed.
func (s *State) Prices(conds []coverage.Condition, files []File) map[int32]uint32 {
	prices := map[int32]uint32{}
	s.sides(conds, files, func(side *Side, number int) {
		if number >= 0 && side.Price > 0 {
			prices[int32(number)] = side.Price
		}
	})
	return prices
}

// sides calls f for each side, with its number in conds. That is -1 if the side is taken, if
// there is no such side now, or if its file has changed.
func (s *State) sides(conds []coverage.Condition, files []File, f func(side *Side, number int)) {
	same := map[string]bool{}
	for _, f := range files {
		same[f.Name] = s.sum(f.Name) == f.Sum
	}
	byID := map[string]*coverage.Condition{}
	for i := range conds {
		byID[conds[i].ID()] = &conds[i]
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		now := byID[c.ID]
		for j := range c.Sides {
			side, number := &c.Sides[j], -1
			if now != nil && same[c.File] && !side.Taken {
				if k := slices.Index(now.Sides, side.Name); k >= 0 {
					number = now.First + k
				}
			}
			f(side, number)
		}
	}
}

// NoteImpossible notes how many witnesses a solver has refuted sides along, by their
// numbers in conds. It does so for sides that are not taken, in files that have not changed.
// Other notes of before go, unless witnesses is nil.
func (s *State) NoteImpossible(conds []coverage.Condition, files []File, witnesses map[int]int) {
	if witnesses == nil {
		return
	}
	s.noted = true
	s.sides(conds, files, func(side *Side, number int) { side.Impossible = witnesses[number] })
}

// Remark tells what is known of a side beside its status: "impossible along 3 witnesses".
func (s *Side) Remark() string {
	switch {
	case s.Taken || s.Impossible == 0:
		return ""
	case s.Impossible == 1:
		return "impossible along 1 witness"
	}
	return fmt.Sprintf("impossible along %d witnesses", s.Impossible)
}

// Reached reports whether some side of c is taken.
func (c *Condition) Reached() bool { return c.Taken() > 0 }

// Taken returns the number of sides taken.
func (c *Condition) Taken() int {
	n := 0
	for _, s := range c.Sides {
		if s.Taken {
			n++
		}
	}
	return n
}

// Totals count sides. Sides of unreached conditions are in neither Taken nor
// Frontier.
type Totals struct {
	Conditions, Sides, Taken, Frontier int
}

// Unreached returns the number of sides of conditions that no run reached.
func (t Totals) Unreached() int { return t.Sides - t.Taken - t.Frontier }

func (t *Totals) add(c *Condition) {
	t.Conditions++
	t.Sides += len(c.Sides)
	if n := c.Taken(); n > 0 {
		t.Taken += n
		t.Frontier += len(c.Sides) - n
	}
}

// Totals counts all sides.
func (s *State) Totals() Totals {
	var t Totals
	for i := range s.Conditions {
		t.add(&s.Conditions[i])
	}
	return t
}

// A Function counts the sides of one function, or of one package variable's value.
type Function struct {
	Name, File string
	Line       int // of the first condition in the table
	Totals
}

// Functions counts sides by function, in the order of the conditions.
func (s *State) Functions() []Function {
	var list []Function
	at := map[[2]string]int{}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		key := [2]string{c.File, c.Func}
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, Function{Name: c.Func, File: c.File, Line: c.Line})
		}
		list[n].add(c)
	}
	return list
}

// Changed returns the names of the files that have changed or are missing from
// sources, a map by name.
func (s *State) Changed(sources map[string][]byte) []string {
	var names []string
	for _, f := range s.Files {
		if src, ok := sources[f.Name]; !ok || Sum(src) != f.Sum {
			names = append(names, f.Name)
		}
	}
	return names
}

// stateJSON is the JSON form of a State.
type stateJSON struct {
	Schema int `json:"schema"`
	fields
}

// fields are those of a State, without its methods.
type fields State

// MarshalJSON implements [json.Marshaler].
func (s *State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{Schema, fields(*s)})
}

// newerError is the schema of a later version. Its state is not ours to replace.
type newerError int

func (e newerError) Error() string {
	return fmt.Sprintf("schema %d, want at most %d: it is of a later foray, and stays as it is", int(e), Schema)
}

// Newer tells the store that the file stays.
func (newerError) Newer() bool { return true }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts the output of
// MarshalJSON for a State of the same package as s, or of any if s has none. On
// error s is unchanged.
func (s *State) UnmarshalJSON(data []byte) error {
	var version struct{ Schema int } // alone: the rest may have other types
	if err := json.Unmarshal(data, &version); err == nil && version.Schema > Schema {
		return newerError(version.Schema)
	}
	var j stateJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	if j.Schema != Schema {
		return fmt.Errorf("schema %d, want %d", j.Schema, Schema)
	}
	if s.Package != "" && s.Package != j.Package {
		return fmt.Errorf("it is of package %q, want %q", j.Package, s.Package)
	}
	t := State(j.fields)
	if err := t.check(); err != nil {
		return err
	}
	*s = t
	return nil
}

// check validates a State that was read.
func (s *State) check() error {
	if s.Package == "" || s.Runs < 1 {
		return errors.New("no package, or no run")
	}
	if err := checkHistory(s.History); err != nil {
		return err
	}
	files := map[string]bool{}
	for _, f := range s.Files {
		if !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) || files[f.Name] {
			return fmt.Errorf("file %q: want a name, perhaps behind an import path, once", f.Name)
		}
		files[f.Name] = true
	}
	ids := map[string]bool{}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if c.ID == "" || ids[c.ID] {
			return fmt.Errorf("condition %q: want an id, once", c.ID)
		}
		ids[c.ID] = true
		if !files[c.File] || c.Line < 1 || c.Col < 1 || len(c.Sides) == 0 {
			return fmt.Errorf("condition %s: at %s:%d:%d with %d sides: want a place in a file, and sides", c.ID, c.File, c.Line, c.Col, len(c.Sides))
		}
		for _, side := range c.Sides {
			if side.Name == "" || side.Witnesses < 0 || side.Impossible < 0 {
				return fmt.Errorf("condition %s: side %q has %d witnesses", c.ID, side.Name, min(side.Witnesses, side.Impossible))
			}
		}
	}
	return nil
}
