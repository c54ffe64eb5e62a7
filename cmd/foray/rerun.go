package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rerun returns the command that shows the findings of a package again, or the
// finding of a fuzz target that stands in file. It works as printed, from the
// directory that this process was started in.
func (s *subject) rerun(o *options, file string) string {
	if s.fuzz != "" && s.ownsTestdata(o) && strings.Contains(filepath.ToSlash(file), "testdata/fuzz/") {
		return s.goTest(o, s.fuzz+"/"+filepath.Base(file))
	}
	if s.fuzz != "" {
		// It begins with what has failed.
		return s.rerunBy(o, "fuzz", "-fuzz", quote("^"+s.fuzz+"$"), "-fuzztime", "1x")
	}
	return s.rerunBy(o, "replay")
}

// rerunBy returns the command of this program that begins with words.
func (s *subject) rerunBy(o *options, words ...string) string {
	words = append([]string{program()}, words...)
	if o.dir != "" {
		words = append(words, "-C", quote(o.dir))
	}
	if o.outdir != "" {
		words = append(words, "-outdir", quote(o.outdir))
	}
	if o.allow != nil {
		words = append(words, "-allow", quote(o.allow.String()))
	}
	for _, f := range o.build {
		words = append(words, quote(f))
	}
	return strings.Join(append(words, quote(s.name())), " ")
}

// goTest returns the go command that runs one test of the package.
func (s *subject) goTest(o *options, run string) string {
	words := []string{"go", "test"}
	if o.dir != "" {
		words = append(words, "-C", quote(o.dir))
	}
	for _, f := range o.build {
		words = append(words, quote(f))
	}
	return strings.Join(append(words, "-run="+quote(run), quote(o.patterns()[0])), " ")
}

// program returns what this program is called by.
func program() string {
	name := filepath.Base(os.Args[0])
	exe, err := os.Executable()
	if err != nil {
		return name
	}
	if found, err := exec.LookPath(name); err == nil && sameFile(found, exe) {
		return name
	}
	if strings.Contains(exe, string(filepath.Separator)+"go-build") {
		return "go run foray.test/cmd/foray" // what go run has built is gone by then
	}
	return quote(os.Args[0])
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// quote returns a word as a shell reads it.
func quote(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=:,@+%", r) || r > 127
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
