package fuzztarget

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/rawinput"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// Suppressions returns the crashes that go-fuzz has silenced, by the files in a directory, which
// need not be there.
func Suppressions(dir string) ([]gofuzz.Crash, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var crashes []gofuzz.Crash
	errs := []error{err}
	for _, d := range list {
		text, err := corpusadmin.ReadRegular(filepath.Join(dir, d.Name()), rawinput.MaxSuppression)
		if err == nil {
			crashes = append(crashes, gofuzz.ParseSuppression(text))
		}
		errs = append(errs, err)
	}
	return crashes, errors.Join(errs...)
}

// Crash returns the output of a go-fuzz process for a verdict. own reports whether the target is
// a function of go-fuzz.
func Crash(t *seq.Table, v *engine.Verdict, own bool) *gofuzz.Crash {
	short := t.Ops[v.Op].Short
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
	if own {
		c.Functions = append(c.Functions, gofuzz.Callers...)
	}
	return c
}
