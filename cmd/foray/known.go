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
// with # are ignored.
const knownFile = "testdata/foray/known"

// known holds the listed findings.
type known struct {
	file  string
	lines map[string]int // by signature
}

// readKnown reads the list of the package in dir, if there is one. Each error is about
// one line, as file:line. The other lines are used.
func readKnown(dir string) (known, []error) {
	k := known{file: filepath.Join(dir, filepath.FromSlash(knownFile)), lines: map[string]int{}}
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
		signature, err := parseKnown(line)
		if was := k.lines[signature]; err == nil && was > 0 {
			err = fmt.Errorf("%s stands in line %d, too", signature, was)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", knownFile, n, err))
			continue
		}
		k.lines[signature] = n
	}
	return k, bad
}

// parseKnown returns the signature of a line that is not empty.
func parseKnown(line string) (string, error) {
	signature, reason, _ := strings.Cut(line, " #")
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		if signature, err = strconv.Unquote(quoted); err != nil {
			return "", err
		}
		_, reason, _ = strings.Cut(line[len(quoted):], "#")
	}
	signature = strings.TrimSpace(signature)
	if engine.ParseSignature(signature).Kind == "" {
		return "", fmt.Errorf("%q is no signature: want one such as panic:index:(*Queue).Get", signature)
	}
	if strings.TrimSpace(reason) == "" {
		return "", errors.New("no reason: want it behind the signature and #")
	}
	return signature, nil
}

// readKnown reads the list of a package, and warns of lines that it cannot read.
func (s *subject) readKnown() known {
	k, bad := readKnown(s.target.Dir)
	for _, err := range bad {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
	}
	return k
}
