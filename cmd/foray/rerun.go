package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/text"
)

// rerun returns the command that shows the findings of a package again, or the
// finding of a fuzz target in file. It works as printed, from the
// directory that this process was started in.
func (s *subject) rerun(file string) string {
	if s.fuzz != "" && s.ownsTestdata() && strings.Contains(filepath.ToSlash(file), "testdata/fuzz/") {
		return s.goTest(s.fuzz + "/" + filepath.Base(file))
	}
	if s.fuzz != "" {
		// It runs the failing inputs first.
		return s.rerunBy("fuzz", "-fuzz", text.Quote("^"+s.fuzz+"$"), "-fuzztime", "1x")
	}
	return s.rerunBy("replay")
}

// rerunBy returns the command of this program that begins with words.
func (s *subject) rerunBy(words ...string) string {
	words = append([]string{program()}, words...)
	if s.common.dir != "" {
		words = append(words, "-C", text.Quote(s.common.dir))
	}
	if s.outdir != "" {
		words = append(words, "-outdir", text.Quote(s.outdir))
	}
	if s.strict {
		words = append(words, "-strict")
	}
	if s.bar != "" {
		words = append(words, "-likely", s.bar)
	}
	if s.allow != nil {
		words = append(words, "-allow", text.Quote(s.allow.String()))
	}
	if s.unconfined {
		words = append(words, "-unconfined")
	}
	for _, f := range s.build {
		words = append(words, text.Quote(f))
	}
	return strings.Join(append(words, text.Quote(s.name())), " ")
}

// goTest returns the go command that runs one test of the package.
func (s *subject) goTest(run string) string {
	words := []string{"go", "test"}
	if s.common.dir != "" {
		words = append(words, "-C", text.Quote(s.common.dir))
	}
	for _, f := range s.build {
		words = append(words, text.Quote(f))
	}
	return strings.Join(append(words, "-run="+text.Quote(run), text.Quote(s.patterns()[0])), " ")
}

// program returns the command that starts this program.
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
		return "go run foray.test/cmd/foray" // go run removes its binary
	}
	return text.Quote(os.Args[0])
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
