// Package known reads and writes the list of findings that a package's authors know of.
//
//	list, bad := known.Read(dir)
//	list.Lines["panic:index:(*Queue).Get"] // its line, if it is not to be shown
package known

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
)

// File lists the findings of a package that are no news to its authors, in the
// package's directory. Each line has the printed signature of a finding, and a reason:
//
//	panic:index:(*Queue).Get  # issue 41
//
// A signature with " #" in it is quoted as a Go string. Empty lines and those that begin
// with # are ignored. A reason that begins with "real:" keeps a finding shown; one that
// begins with "false:" lowers other crashes in the same function.
const File = "testdata/foray/known"

// The verdicts of a person on a finding.
const (
	Real  = "real"
	False = "false"
)

// List holds the listed findings.
type List struct {
	Path  string
	Lines map[string]int  // by signature: those that are not shown
	Real  map[string]int  // by signature: those that are
	False map[string]bool // functions with a finding that is judged false: see engine.Signature
}

// Read reads the list of the package in dir, if there is one. Each error is about
// one line, as file:line. The other lines are used.
func Read(dir string) (List, []error) {
	k := List{Path: filepath.Join(dir, filepath.FromSlash(File)), Lines: map[string]int{}, Real: map[string]int{}, False: map[string]bool{}}
	data, err := os.ReadFile(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, []error{err}
	}
	var bad []error
	n := 0
	for line := range lines(data) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		signature, verdict, err := parse(line)
		if was := max(k.Lines[signature], k.Real[signature]); err == nil && was > 0 {
			err = fmt.Errorf("%s is in line %d, too", signature, was)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", File, n, err))
			continue
		}
		if verdict == Real {
			k.Real[signature] = n
			continue
		}
		k.Lines[signature] = n
		if s := engine.ParseSignature(signature); verdict == False && s.Kind != engine.KindContract && s.Where != "" {
			k.False[s.Where] = true
		}
	}
	return k, bad
}

// lines returns the lines of a list, without the byte order mark of some editors.
func lines(data []byte) iter.Seq[string] {
	return strings.Lines(strings.TrimPrefix(string(data), "\ufeff"))
}

// parse returns the signature of a line that is not empty, and the verdict if its
// reason begins with one.
func parse(line string) (signature, verdict string, err error) {
	signature, reason, _ := strings.Cut(line, " #")
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		if signature, err = strconv.Unquote(quoted); err != nil {
			return "", "", err
		}
		_, reason, _ = strings.Cut(line[len(quoted):], "#")
	}
	signature = strings.TrimSpace(signature)
	if engine.ParseSignature(signature).Kind == "" {
		return "", "", fmt.Errorf("%q is not a signature: want one such as panic:index:(*Queue).Get", signature)
	}
	if strings.TrimSpace(reason) == "" {
		return "", "", errors.New("no reason: want it behind the signature and #")
	}
	before, _, ok := strings.Cut(strings.TrimSpace(reason), ":")
	if ok && (before == Real || before == False) {
		verdict = before
	}
	return signature, verdict, nil
}

// A Judgement is a line of a list of known findings.
type Judgement struct{ Signature, Verdict, Reason string }

// Check says why the list cannot have j.
func (j *Judgement) Check() error {
	switch {
	case engine.ParseSignature(j.Signature).Kind == "":
		return fmt.Errorf("%q is not a signature: want one such as panic:index:(*Queue).Get", j.Signature)
	case j.Verdict != Real && j.Verdict != False:
		return fmt.Errorf("%q, want real or false", j.Verdict)
	case j.Reason == "" || text.OneLine(j.Reason, len(j.Reason)) != j.Reason:
		return errors.New("the reason must be one line of text")
	}
	return nil
}

// Line returns j as the list has it.
func (j *Judgement) Line() string {
	signature := j.Signature
	if strings.Contains(signature, " #") || strings.HasPrefix(signature, `"`) {
		signature = strconv.Quote(signature)
	}
	return signature + "  # " + j.Verdict + ": " + j.Reason
}

// Write writes j into a list, in place of an earlier line on its signature. It waits while
// another process writes.
func (j *Judgement) Write(file string) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	temp, err := reserve(file)
	if err != nil {
		return err
	}
	data, err := j.in(file)
	if err == nil {
		err = replace(file, temp, data)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// in returns the content of a list with j in it.
func (j *Judgement) in(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []string
	found := false
	for line := range lines(data) {
		line = strings.TrimRight(line, "\r\n")
		if signature, _, err := parse(strings.TrimSpace(line)); err == nil && signature == j.Signature {
			if found {
				continue
			}
			line, found = j.Line(), true
		}
		list = append(list, line)
	}
	if !found {
		list = append(list, j.Line())
	}
	return []byte(strings.Join(list, "\n") + "\n"), nil
}

// A BusyError says that another process writes into a list, or was killed while it did.
type BusyError struct{ File string } // that it writes

func (e *BusyError) Error() string { return e.File + " is there: another process writes the list" }

// How long a list is waited for that another process writes, and between looks.
const (
	busyTime  = 5 * time.Second
	busyEvery = 10 * time.Millisecond
)

// reserve makes the file that is to replace a list. No other process can make it meanwhile.
func reserve(file string) (temp string, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	temp = file + ".new"
	for waited := time.Duration(0); ; waited += busyEvery {
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return temp, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if waited >= busyTime {
			return "", &BusyError{temp}
		}
		time.Sleep(busyEvery)
	}
}

// replace makes data the content of a file, by way of another, or leaves the file as it is.
func replace(file, temp string, data []byte) error {
	err := os.WriteFile(temp, data, 0o666)
	if info, statErr := os.Stat(file); err == nil && statErr == nil {
		err = os.Chmod(temp, info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(temp, file)
	}
	return err
}
