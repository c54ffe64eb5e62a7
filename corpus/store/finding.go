package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The files of a finding. The test does not end in .go: the store may lie in
// someone's module.
const (
	findingFile = "finding.json"
	testFile    = "foray_test.go.txt"
)

// maxFinding is the largest size in bytes of a finding that is stored and read.
// It is enough for a stack and a test with a large literal.
const maxFinding = 16 << 20

// A Finding is an oracle's verdict with the sequence that led to it. Tier, Kind
// and the texts are the reporter's; the store looks at the signature only.
type Finding struct {
	Signature     string    `json:"signature"`                // same cause, same signature
	Tier          string    `json:"tier"`                     // "error", "panic", "suspect"
	Claim         string    `json:"claim,omitempty"`          // what it asserts about the package
	Kind          string    `json:"kind"`                     // "panic", "contract" …
	Operation     string    `json:"operation,omitempty"`      // the operation that is blamed
	Message       string    `json:"message,omitempty"`        // a description in one line
	Rule          string    `json:"rule,omitempty"`           // the name of the rule that decided the tier
	Evidence      []string  `json:"evidence,omitempty"`       // the names of all rules and limits that apply to a crash
	Document      string    `json:"document,omitempty"`       // the sentence the rule leans on
	When          string    `json:"when,omitempty"`           // the circumstances in which it fails
	Statements    string    `json:"statements"`               // one a line
	Code          string    `json:"code,omitempty"`           // … as people read and paste them, with the check that fails
	Test          string    `json:"test,omitempty"`           // Go source of a test that fails
	Stack         string    `json:"stack,omitempty"`          // of the panic
	Steps         int       `json:"steps,omitempty"`          // in Statements
	OriginalSteps int       `json:"original_steps,omitempty"` // before minimizing
	Hits          uint64    `json:"hits,omitempty"`           // sequences that ended in it, over all runs
	Flaky         bool      `json:"flaky,omitempty"`          // a fresh process did not always confirm it
	First         time.Time `json:"first,omitzero"`           // when it was first seen
	Last          time.Time `json:"last,omitzero"`            // when it was last seen
}

// findingVersion is the newest format of finding.json.
const findingVersion = 1

type findingJSON struct {
	Version int `json:"version"`
	// Sum is the hash of the file without the line that holds it. Files of earlier versions
	// have none.
	Sum string `json:"sum,omitempty"`
	Finding
}

// sumLine begins the line with the checksum of a finding.
const sumLine = "\n\t\"sum\": \""

// sumOf returns the checksum of a file, which may hold it. Git may have changed the ends of lines.
func sumOf(data []byte) string {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if before, after, ok := bytes.Cut(data, []byte(sumLine)); ok {
		_, rest, _ := bytes.Cut(after, []byte("\n"))
		data = slices.Concat(before, []byte("\n"), rest)
	}
	return hash(string(data))
}

// PutFinding stores f, durably, in place of the finding with the same signature.
// Only times and counts are merged: the earlier First and the later Last stay, and
// f.Hits are more of them. Other calls of another tier need not have the same cause:
// a finding with these moves to quarantine.
func (s *Store) PutFinding(f Finding) error {
	if f.Signature == "" {
		return errors.New("corpus: finding without signature")
	}
	f.Signature = strings.ToValidUTF8(f.Signature, "\ufffd") // as JSON would
	name := hash(f.Signature)
	return failed(s.putFinding(name, f), "finding %s", name)
}

// RetireFinding moves the finding with a signature to quarantine and stores the
// reason beside it. It is no error if there is no such finding.
func (s *Store) RetireFinding(signature, reason string) error {
	name := hash(strings.ToValidUTF8(signature, "\ufffd"))
	_, err := s.setAside(findingsDir+"/"+name, "finding-"+name, reason)
	return failed(ignoreMissing(err), "finding %s", name)
}

// TestFile returns the file that holds the test of the finding with a signature.
func (s *Store) TestFile(signature string) string {
	return filepath.Join(s.dir, findingsDir, hash(strings.ToValidUTF8(signature, "\ufffd")), testFile)
}

func (s *Store) putFinding(name string, f Finding) error {
	dir := filepath.Join(s.dir, findingsDir, name)
	var useless uselessError
	var newer newerError
	switch old, err := s.readFinding(name); {
	case err == nil && old.Tier != f.Tier && old.Statements != f.Statements:
		if _, err := s.setAside(findingsDir+"/"+name, "finding-"+name, "a finding of tier "+f.Tier+" has its signature now"); ignoreMissing(err) != nil {
			return err
		}
	case err == nil:
		f.First = pickTime(f.First, old.First, time.Time.Before)
		f.Last = pickTime(f.Last, old.Last, time.Time.After)
		f.Hits += old.Hits
	case errors.As(err, &useless), errors.As(err, &newer): // not ours to overwrite
		if _, err := s.setAside(findingsDir+"/"+name, "finding-"+name, err.Error()); ignoreMissing(err) != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	data, err := encodeFinding(f)
	if err != nil {
		return err
	}
	if err := s.mkdir(dir); err != nil {
		return err
	}
	// Even if the directory was there: its maker may have died before the sync.
	if err := s.fs.SyncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	// The JSON holds the test too, so that the two always agree; the other file
	// is for people.
	if err := s.replace(dir, findingFile, data); err != nil {
		return err
	}
	if f.Test == "" {
		return ignoreMissing(s.fs.Remove(filepath.Join(dir, testFile)))
	}
	return s.replace(dir, testFile, []byte(f.Test))
}

func encodeFinding(f Finding) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	err := enc.Encode(findingJSON{Version: findingVersion, Finding: f})
	if err == nil {
		sum := sumOf(b.Bytes())
		b.Reset()
		err = enc.Encode(findingJSON{findingVersion, sum, f})
	}
	if err != nil {
		return nil, err
	}
	if b.Len() > maxFinding {
		return nil, fmt.Errorf("%d bytes, want at most %d", b.Len(), maxFinding)
	}
	return b.Bytes(), nil
}

// pickTime returns the time of a and b that prefer chooses; a zero time counts
// as missing.
func pickTime(a, b time.Time, prefer func(a, b time.Time) bool) time.Time {
	if a.IsZero() || !b.IsZero() && prefer(b, a) {
		return b
	}
	return a
}

// Findings returns all findings, ordered by the hash of their signature. It
// moves unreadable ones to quarantine and reports them, as [Store.Load] does.
func (s *Store) Findings() ([]Finding, []Problem, error) {
	dir := filepath.Join(s.dir, findingsDir)
	list, err := s.fs.ReadDir(dir)
	if err != nil {
		return nil, nil, failed(err, "load %q", s.dir)
	}
	var findings []Finding
	var problems []Problem
	for _, d := range list {
		name := d.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		s.sweepAll(filepath.Join(dir, name))
		f, err := s.readFinding(name)
		if err == nil {
			findings = append(findings, f)
		} else if !errors.Is(err, fs.ErrNotExist) { // a directory without finding.json is one about to get it
			problems = append(problems, s.settleFinding(name, err))
		}
	}
	return findings, problems, nil
}

func (s *Store) sweepAll(dir string) {
	list, err := s.fs.ReadDir(dir)
	if err != nil {
		return
	}
	for _, d := range list {
		s.sweep(dir, d)
	}
}

// settleFinding sets aside a finding that is useless, as err says.
func (s *Store) settleFinding(name string, err error) Problem {
	problem := Problem{File: findingsDir + "/" + name, Err: err}
	if useless := (uselessError{}); errors.As(err, &useless) && !s.view {
		var moveErr error
		problem.Moved, moveErr = s.setAside(problem.File, "finding-"+name, err.Error())
		if moveErr != nil {
			problem.Err = fmt.Errorf("%w, and moving it failed: %w", err, moveErr)
		}
	}
	return problem
}

func (s *Store) readFinding(name string) (Finding, error) {
	dir := filepath.Join(s.dir, findingsDir, name)
	info, err := s.fs.Lstat(dir)
	if err != nil {
		return Finding{}, err
	}
	if !info.IsDir() {
		return Finding{}, uselessError{errors.New("not a directory")}
	}
	data, err := s.readRegular(filepath.Join(dir, findingFile), maxFinding)
	if err != nil {
		return Finding{}, err
	}
	return decodeFinding(name, data)
}

func decodeFinding(name string, data []byte) (Finding, error) {
	var f findingJSON
	err := json.Unmarshal(data, &f)
	if f.Version > findingVersion { // whose other fields may have other types
		return Finding{}, newerError{f.Version}
	}
	if err != nil {
		return Finding{}, uselessError{err}
	}
	if f.Version < 1 {
		return Finding{}, uselessError{fmt.Errorf("version %d, want %d", f.Version, findingVersion)}
	}
	if f.Sum != "" && f.Sum != sumOf(data) {
		return Finding{}, uselessError{errors.New("damaged: the checksum is another")}
	}
	if want := hash(f.Signature); name != want {
		return Finding{}, uselessError{fmt.Errorf("the name is not the hash of the signature, %s", want)}
	}
	return f.Finding, nil
}
