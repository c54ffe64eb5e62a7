package seq

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// fuzzHeader is the version line of files under testdata/fuzz.
const fuzzHeader = "go test fuzz v1"

// OneLine returns the canonical text of s with its statements separated by "; ".
func (t *Table) OneLine(s Sequence) string { return string(t.appendSteps(nil, s, "; ", nil)) }

// Lines returns text, statements on one line or several, with each on a line of its
// own. It knows no operations: ok says that all have the form of a step, an
// assignment or a call, and that there is at least one.
func Lines(text string) (lines string, ok bool) {
	if checkLimits(text) != nil {
		return "", false
	}
	src := filePrefix + text + fileSuffix
	fset := token.NewFileSet()
	body, err := parseBody(fset, src)
	if err != nil || body == nil || len(body.List) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, st := range body.List {
		switch st := st.(type) {
		case *ast.AssignStmt:
		case *ast.ExprStmt:
			if _, isCall := st.X.(*ast.CallExpr); !isCall {
				return "", false
			}
		default:
			return "", false
		}
		b.WriteString(src[fset.PositionFor(st.Pos(), false).Offset:fset.PositionFor(st.End(), false).Offset])
		b.WriteByte('\n')
	}
	return b.String(), true
}

// AppendFuzzFile appends to dst the file that holds text, statements on one
// line, under testdata/fuzz, where stock go test reads it as one string:
//
//	go test fuzz v1
//	string(`v0 := queue.New(2); v0.Put("x")`) // comment
//
// The comment, which may be empty, must be one line.
func AppendFuzzFile(dst []byte, text, comment string) []byte {
	dst = append(dst, fuzzHeader+"\nstring("...)
	if strconv.CanBackquote(text) {
		dst = append(dst, '`')
		dst = append(dst, text...)
		dst = append(dst, '`')
	} else {
		dst = strconv.AppendQuote(dst, text)
	}
	dst = append(dst, ')')
	if comment != "" {
		dst = append(append(dst, " // "...), comment...)
	}
	return append(dst, '\n')
}

// ReadFuzzFile returns the text and the comment of a file that AppendFuzzFile
// has written. An error says that the file is another's: it holds more values,
// or one that is no string.
func ReadFuzzFile(file []byte) (text, comment string, err error) {
	if len(file) > 4*MaxBytes {
		return "", "", fmt.Errorf("seq: file of %d bytes, want at most %d", len(file), 4*MaxBytes)
	}
	header, rest, _ := bytes.Cut(file, []byte("\n"))
	if string(bytes.TrimRight(header, "\r")) != fuzzHeader {
		return "", "", fmt.Errorf("seq: 1:1: %q, want %q", clip(string(header)), fuzzHeader)
	}
	line := strings.TrimSpace(string(rest))
	if strings.Contains(line, "\n") {
		return "", "", errors.New("seq: 3:1: more than one value")
	}
	notString := errors.New("seq: 2:1: no value of the form string(`...`)")
	const open = "string("
	if !strings.HasPrefix(line, open) || len(line) == len(open) {
		return "", "", notString
	}
	end := skipQuoted(line, len(open))
	value, err := strconv.Unquote(line[len(open):end])
	if quote := line[len(open)]; err != nil || quote != '"' && quote != '`' {
		return "", "", notString
	}
	after := strings.TrimLeft(line[end:], " \t")
	if !strings.HasPrefix(after, ")") {
		return "", "", notString
	}
	after = strings.TrimSpace(after[1:])
	if after != "" && !strings.HasPrefix(after, "//") {
		return "", "", notString
	}
	return value, strings.TrimSpace(strings.TrimPrefix(after, "//")), nil
}
