package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode/utf8"
)

// version is the newest format of entry files, and so far the only one.
const version = 1

const versionPrefix = "foray corpus v"

// maxEntry is the size in bytes past which a file is not taken for an entry. It
// is far above any sequence that is worth keeping, and low enough to read.
const maxEntry = 1 << 20

// An Entry is a kept sequence as stored on disk.
type Entry struct {
	// ID is the name of the entry: [ID] of its statements. Put sets its own.
	ID string
	// Statements is the sequence in Go, one statement a line, each line ended
	// by a newline.
	Statements string
	// Origin says where the entry came from ("composed", "import f.go:12"). May be empty.
	Origin string
	// Sides is the number of branch sides that its run took; zero if unknown.
	Sides int
	// Calls are the functions and methods that it calls, with their signatures, as
	// they were when it was stored: "(*Queue).Put func(int) bool". None if unknown.
	Calls []string
}

// ID returns the name under which an entry with these statements is stored: the
// first 32 hexadecimal digits of the SHA-256 of their [Canonical] text.
func ID(statements string) string {
	return hash(Canonical(statements))
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// isID reports whether name has the form of an ID.
func isID(name string) bool {
	return len(name) == 32 && strings.Trim(name, "0123456789abcdef") == ""
}

// Canonical returns statements without blank lines, lines that are comments, and
// space around lines, each line ended by a newline.
func Canonical(statements string) string {
	var b strings.Builder
	b.Grow(len(statements) + 1)
	for line := range strings.Lines(statements) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// encode returns the ID and the file of e.
func encode(e Entry) (id string, data []byte, err error) {
	text := Canonical(e.Statements)
	id = hash(text)
	if text == "" {
		return "", nil, errors.New("corpus: entry without statements")
	}
	fail := func(err error) (string, []byte, error) {
		return "", nil, fmt.Errorf("corpus: entry %s: %w", id, err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%d\n", versionPrefix, version)
	if e.Origin != "" {
		if err := writeHeader(&b, "origin", e.Origin); err != nil {
			return fail(err)
		}
	}
	if e.Sides > 0 {
		fmt.Fprintf(&b, "// sides: %d\n", e.Sides)
	}
	for _, call := range e.Calls {
		if err := writeHeader(&b, "call", call); err != nil {
			return fail(err)
		}
	}
	b.WriteString(text)
	if err := checkText(b.Bytes()); err != nil {
		return fail(err)
	}
	if b.Len() > maxEntry {
		return fail(fmt.Errorf("%d bytes, want at most %d", b.Len(), maxEntry))
	}
	return id, b.Bytes(), nil
}

func writeHeader(b *bytes.Buffer, key, value string) error {
	if strings.Contains(value, "\n") || value != strings.TrimSpace(value) {
		return fmt.Errorf("header %q: %q: want one line, without space around it", key, value)
	}
	fmt.Fprintf(b, "// %s: %s\n", key, value)
	return nil
}

// A newerError is a file of a version that a later foray wrote.
type newerError struct{ version int }

func (e newerError) Error() string {
	return fmt.Sprintf("version %d, want at most %d", e.version, version)
}

// decode reads the file of an entry. It skips header lines that it cannot read,
// since only the statements matter. It does not check that the statements are
// Go; their hash shows that, or else checkGo.
func decode(data []byte) (Entry, error) {
	if len(data) == 0 {
		return Entry{}, errors.New("empty")
	}
	if len(data) > maxEntry {
		return Entry{}, fmt.Errorf("more than %d bytes", maxEntry)
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	first = strings.TrimSpace(first)
	digits, ok := strings.CutPrefix(first, versionPrefix)
	v, err := strconv.Atoi(digits)
	if !ok || err != nil || v < 1 {
		return Entry{}, fmt.Errorf("line 1: %.40q, want %q", first, versionPrefix+strconv.Itoa(version))
	}
	if v > version {
		return Entry{}, newerError{v}
	}
	if err := checkText(data); err != nil {
		return Entry{}, err
	}
	e := Entry{Statements: Canonical(rest)}
	if e.Statements == "" {
		return Entry{}, errors.New("no statements")
	}
	e.ID = hash(e.Statements)
	e.readHeader(rest)
	return e, nil
}

// Parse reads the file of an entry under any name, such as one written by hand.
func Parse(file []byte) (Entry, error) {
	e, err := decode(file)
	if err == nil {
		err = checkGo(e.Statements)
	}
	if err != nil {
		return Entry{}, err
	}
	return e, nil
}

// readHeader takes the lines "// key: value" that stand before the first statement. Lines with
// other keys are remarks of whoever wrote the file.
func (e *Entry) readHeader(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			return
		}
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "origin":
			e.Origin = value
		case "sides":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				e.Sides = n
			}
		case "call":
			e.Calls = append(e.Calls, value)
		}
	}
}

// checkText distinguishes text from the remains of a file: blocks of zeros, flipped bits.
func checkText(data []byte) error {
	line := 1
	for i := 0; i < len(data); {
		c := data[i]
		size := 1
		switch {
		case c == '\n':
			line++
		case c == '\t' || c == '\r' && i+1 < len(data) && data[i+1] == '\n':
		case c < ' ' || c == 0x7f:
			return fmt.Errorf("line %d: control character %#02x", line, c)
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRune(data[i:]); r == utf8.RuneError && size == 1 {
				return fmt.Errorf("line %d: byte %#02x is not UTF-8", line, c)
			}
		}
		i += size
	}
	return nil
}

// checkGo reports the first line of canonical statements that is not Go.
func checkGo(statements string) error {
	n := 0
	for line := range strings.Lines(statements) {
		n++
		src := "package p\nfunc _() {\n" + line + "}\n"
		f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil || !holdsStatements(f) {
			return fmt.Errorf("statement %d: %.60q is not Go", n, strings.TrimSpace(line))
		}
	}
	return nil
}

// holdsStatements reports whether f is one function with at least one statement:
// text like "} func _() {" would make it two.
func holdsStatements(f *ast.File) bool {
	if len(f.Decls) != 1 {
		return false
	}
	d, ok := f.Decls[0].(*ast.FuncDecl)
	return ok && len(d.Body.List) > 0
}
