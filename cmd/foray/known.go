package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"foray.test/engine"
)

// knownFile lists the findings of a package that are no news to its authors, in the
// package's directory. Each line has the printed signature of a finding, and a reason:
//
//	panic:index:(*Queue).Get  # issue 41
//
// A signature with " #" in it is quoted as a Go string. Empty lines and those that begin
// with # are ignored. A reason that begins with "real:" keeps a finding shown; one that
// begins with "false:" lowers other crashes in the same function.
const knownFile = "testdata/foray/known"

// known holds the listed findings.
type known struct {
	file  string
	lines map[string]int  // by signature: those that are not shown
	real  map[string]int  // by signature: those that are
	false map[string]bool // functions with a finding that is judged false: see engine.Signature
}

// readKnown reads the list of the package in dir, if there is one. Each error is about
// one line, as file:line. The other lines are used.
func readKnown(dir string) (known, []error) {
	k := known{file: filepath.Join(dir, filepath.FromSlash(knownFile)), lines: map[string]int{}, real: map[string]int{}, false: map[string]bool{}}
	data, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, []error{err}
	}
	var bad []error
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		signature, verdict, err := parseKnown(line)
		if was := max(k.lines[signature], k.real[signature]); err == nil && was > 0 {
			err = fmt.Errorf("%s is in line %d, too", signature, was)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", knownFile, n, err))
			continue
		}
		if verdict == judgedReal {
			k.real[signature] = n
			continue
		}
		k.lines[signature] = n
		if s := engine.ParseSignature(signature); verdict == judgedFalse && s.Kind != engine.KindContract && s.Where != "" {
			k.false[s.Where] = true
		}
	}
	return k, bad
}

// parseKnown returns the signature of a line that is not empty, and the verdict if its
// reason begins with one.
func parseKnown(line string) (signature, verdict string, err error) {
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
	if ok && (before == judgedReal || before == judgedFalse) {
		verdict = before
	}
	return signature, verdict, nil
}

// readKnown reads the list of a package, and warns of lines that it cannot read.
func (s *subject) readKnown() known {
	k, bad := readKnown(s.target.Dir)
	for _, err := range bad {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
	}
	return k
}
