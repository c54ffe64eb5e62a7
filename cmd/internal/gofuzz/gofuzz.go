// Package gofuzz reads and writes the working directory of go-fuzz:
//
//	corpus/3f786850e387550fdab836ed7e6dc881de23001b            an input
//	corpus/89e6c98d92887913cadf06b2adb97f26cde4849b-1          … and a number of go-fuzz's own
//	crashers/2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69          an input that crashes
//	crashers/2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69.quoted   … as a Go string, a few bytes a line
//	crashers/2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69.output   … the output of the process
//	suppressions/86f7e437faa5a7fce15d1ddcb9eaeaea377667b8      a crash; go-fuzz keeps one input of it
//
// Files are named by the SHA-1 of their content, and the companions of a
// crasher by the SHA-1 of its input. A suppression is a part of the output: the
// first line of the crash and the functions of the goroutine that crashed, a
// line each.
//
//	panic: runtime error: index out of range [0] with length 0
//	example.org/word.Initial
//	example.org/word.Fuzz
//	go-fuzz-dep.Main
//	main.main
//
// The code of go-fuzz for all of this is in its command, which cannot be
// imported.
package gofuzz

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The directories of a working directory.
const (
	Corpus       = "corpus"
	Crashers     = "crashers"
	Suppressions = "suppressions"
)

// The endings of the files beside a crasher.
const (
	quotedExt = ".quoted"
	outputExt = ".output"
)

// IsWorkdir reports whether dir looks as go-fuzz leaves its working directory: a
// corpus, and at least one of the directories that it makes beside it.
func IsWorkdir(dir string) bool {
	isDir := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.IsDir()
	}
	return isDir(Corpus) && (isDir(Crashers) || isDir(Suppressions))
}

// Name returns the name of the file that holds data.
func Name(data []byte) string { return fmt.Sprintf("%x", sha1.Sum(data)) }

// Describes reports whether a file of that name is no input, but describes one: a hash,
// a dot and anything.
func Describes(name string) bool {
	const length = 2 * sha1.Size
	return len(name) > length+1 && name[length] == '.' && strings.Trim(name[:length], "0123456789abcdef") == ""
}

// bytesPerLine is how much of an input stands on a line of a .quoted file.
const bytesPerLine = 20

// Quoted returns data as a Go expression, the content of a .quoted file.
func Quoted(data []byte) []byte {
	if len(data) == 0 {
		return []byte("\t\"\"\n")
	}
	var lines []string
	for part := range slices.Chunk(data, bytesPerLine) {
		lines = append(lines, "\t"+strconv.Quote(string(part)))
	}
	return []byte(strings.Join(lines, " +\n") + "\n")
}

// A Crash is how an input ended.
type Crash struct {
	// First is the line by which the runtime begins to tell of it, "panic: no good",
	// or all there is.
	First string
	// Functions are those on the stack, the innermost first, Places where they stood,
	// as file:line, if that is known.
	Functions, Places []string
}

// Output returns the output of a process with this crash, the content of a
// .output file.
func (c *Crash) Output() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, c.First)
	if len(c.Functions) == 0 {
		return b.Bytes()
	}
	b.WriteString("\ngoroutine 1 [running]:\n")
	for i, f := range c.Functions {
		fmt.Fprintf(&b, "%s(...)\n", f)
		if i < len(c.Places) && c.Places[i] != "" {
			fmt.Fprintf(&b, "\t%s\n", c.Places[i])
		}
	}
	b.WriteString("exit status 2")
	return b.Bytes()
}

// Suppression returns the content of a suppression of the crash.
func (c *Crash) Suppression() []byte {
	return []byte(strings.Join(append([]string{c.First}, c.Functions...), "\n") + "\n")
}

// ParseSuppression parses the content of a suppression.
func ParseSuppression(text []byte) Crash {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return Crash{First: lines[0], Functions: lines[1:]}
}

// Silences reports whether a suppression, c, covers other: a crash in the same
// functions with the same first line. The suppression may have less of the
// line, as older releases of Go print it. Functions of the runtime and the
// callers of the fuzz function are ignored.
func (c *Crash) Silences(other *Crash) bool {
	return c.First != "" && strings.HasPrefix(other.First, c.First) && slices.Equal(own(c.Functions), own(other.Functions))
}

// own returns the functions of a crash that are not of the runtime nor of go-fuzz.
func own(functions []string) []string {
	return slices.DeleteFunc(slices.Clone(functions), func(f string) bool {
		return f == "panic" || f == "main.main" || strings.HasPrefix(f, "runtime.") || strings.HasPrefix(f, depPackage)
	})
}

// depPackage begins the names of the functions by which a process of go-fuzz calls
// the fuzz function.
const depPackage = "go-fuzz-dep."

// Callers are the functions that stand above the fuzz function in a process of go-fuzz.
var Callers = []string{depPackage + "Main", "main.main"}

// Put writes data into a directory under its name, unless it is there. A file of another size is
// one that was not written to its end.
func Put(dir string, data []byte) (isNew bool, err error) {
	file := filepath.Join(dir, Name(data))
	if info, err := os.Stat(file); err == nil && info.Size() == int64(len(data)) {
		return false, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, err
	}
	return true, os.WriteFile(file, data, 0o666)
}

// PutCrasher writes an input that crashes to a working directory, with its
// companions and the suppression of the crash.
func PutCrasher(workdir string, data []byte, c *Crash) (isNew bool, err error) {
	dir := filepath.Join(workdir, Crashers)
	if isNew, err = Put(dir, data); err != nil {
		return false, err
	}
	base := filepath.Join(dir, Name(data))
	if err := os.WriteFile(base+quotedExt, Quoted(data), 0o666); err != nil {
		return isNew, err
	}
	if err := os.WriteFile(base+outputExt, c.Output(), 0o666); err != nil {
		return isNew, err
	}
	_, err = Put(filepath.Join(workdir, Suppressions), c.Suppression())
	return isNew, err
}

// Make makes the directories of a working directory.
func Make(workdir string) error {
	for _, sub := range []string{Corpus, Crashers, Suppressions} {
		if err := os.MkdirAll(filepath.Join(workdir, sub), 0o777); err != nil {
			return err
		}
	}
	return nil
}
