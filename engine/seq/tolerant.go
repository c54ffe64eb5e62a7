package seq

import (
	"go/token"
	"strings"
)

// maxBad bounds the statements that ParseTolerant drops because they are not Go: for
// each it may scan all the text behind it.
const maxBad = 64

// ParseTolerant reads text that an editor of bytes such as go test -fuzz has changed. It
// drops the statements that [Parser.ParseLenient] drops, and those that are not Go.
func (p *Parser) ParseTolerant(text string) Sequence {
	s, _, err := p.ParseLenient(text)
	if err == nil {
		return s
	}
	if len(text) > MaxBytes {
		return nil
	}
	s, _, err = p.ParseLenient(wellFormed(text))
	if err != nil {
		return nil // too many statements
	}
	return s
}

// wellFormed returns the statements of text that parse on their own, one a line.
func wellFormed(text string) string {
	var b strings.Builder
	for bad := 0; text != "" && bad < maxBad; {
		statement, first := pieces(text)
		if s := strings.TrimSpace(text[:statement]); s == "" || isStatement(s) {
			b.WriteString(s + "\n")
			text = text[min(statement+1, len(text)):]
			continue
		}
		// An extra bracket or quote may hide the statements behind it.
		bad++
		text = text[min(first+1, len(text)):]
	}
	return b.String()
}

// pieces returns the end of the first statement of text, a semicolon or newline
// outside of brackets, strings and comments, and the first semicolon or newline at all.
func pieces(text string) (statement, first int) {
	first = strings.IndexAny(text, ";\n")
	if first < 0 {
		first = len(text)
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '`', '\'', '/':
			i = skipQuoted(text, i) - 1
		case ';', '\n':
			if depth <= 0 {
				return i, first
			}
		}
	}
	return len(text), first
}

// isStatement reports whether text is one Go statement, or only a comment.
func isStatement(text string) bool {
	if checkLimits(text) != nil {
		return false
	}
	body, err := parseBody(token.NewFileSet(), filePrefix+text+fileSuffix)
	return err == nil && body != nil && len(body.List) <= 1
}
