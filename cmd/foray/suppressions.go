package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/rawinput"

	"foray.test/cmd/internal/gofuzz"
	"foray.test/engine"
)

// suppressionDir is where the suppressions of a fuzz target are that were imported.
func (s *subject) suppressionDir() string {
	return filepath.Join(s.dir, gofuzz.Suppressions, s.fuzz)
}

// readSuppressions returns the crashes that go-fuzz has silenced for a fuzz target.
func (s *subject) readSuppressions() ([]gofuzz.Crash, error) {
	list, err := os.ReadDir(s.suppressionDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var crashes []gofuzz.Crash
	errs := []error{err}
	for _, d := range list {
		text, err := corpusadmin.ReadRegular(filepath.Join(s.suppressionDir(), d.Name()), rawinput.MaxSuppression)
		if err == nil {
			crashes = append(crashes, gofuzz.ParseSuppression(text))
		}
		errs = append(errs, err)
	}
	return crashes, errors.Join(errs...)
}

// suppressed reports whether go-fuzz has silenced a finding, and records that it has
// shown.
func (r *targetRecorder) suppressed(v *engine.Verdict) bool {
	if len(r.suppressions) == 0 {
		return false
	}
	crash := r.s.crash(v)
	for i := range r.suppressions {
		if r.suppressions[i].Silences(crash) {
			r.muted[v.Signature] = true
			return true
		}
	}
	return false
}

// crash returns the output of a go-fuzz process for a verdict.
func (s *subject) crash(v *engine.Verdict) *gofuzz.Crash {
	short := s.table.Ops[v.Op].Short
	text, _ := strings.CutSuffix(strings.TrimPrefix(v.Message, short+" "), " …")
	c := &gofuzz.Crash{}
	switch v.Kind {
	case engine.KindPanic:
		c.First = "panic: " + strings.TrimPrefix(text, "panics: ")
	case engine.KindFatal:
		c.First = strings.TrimPrefix(text, "ends the process: ")
		if !strings.HasPrefix(c.First, "fatal error: ") {
			c.First = "fatal error: " + c.First
		}
	case engine.KindMemory:
		c.First = "fatal error: runtime: out of memory"
	case engine.KindHang: // which go-fuzz ends by a signal, and takes all for one
		c.First = "SIGABRT: abort"
		return c
	default:
		c.First, _, _ = strings.Cut(v.Message, "\n")
		return c
	}
	for line := range strings.Lines(v.Stack) {
		line = strings.TrimRight(line, "\n")
		if place, ok := strings.CutPrefix(line, "\t"); ok {
			c.Places[len(c.Places)-1] = place
			continue
		}
		c.Functions, c.Places = append(c.Functions, line), append(c.Places, "")
	}
	if len(s.goFuzz) > 0 {
		c.Functions = append(c.Functions, gofuzz.Callers...)
	}
	return c
}
