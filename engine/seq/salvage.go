package seq

import (
	"go/parser"
	"go/token"
	"strings"
)

// maxBad bounds the statements that Salvage leaves out for being no Go: each may
// take a look at all the text behind it.
const maxBad = 64

// Salvage reads text in which an editor of bytes has been at work, as go test -fuzz
// is one: what [Parser.ParseLenient] drops is dropped, and so are statements that
// are no Go. Of text that is none at all nothing is left.
func (p *Parser) Salvage(text string) Sequence {
	s, _, err := p.ParseLenient(text)
	if err == nil {
		return s
	}
	if len(text) > MaxBytes {
		return nil
	}
	s, _, err = p.ParseLenient(wellFormed(text))
	if err != nil {
		return nil // together they are too many
	}
	return s
}

// wellFormed returns the statements of text that are Go each by itself, one a line.
func wellFormed(text string) string {
	var b strings.Builder
	for bad := 0; text != "" && bad < maxBad; {
		statement, first := pieces(text)
		if s := strings.TrimSpace(text[:statement]); s == "" || isStatement(s) {
			b.WriteString(s + "\n")
			text = text[min(statement+1, len(text)):]
			continue
		}
		// A bracket or quote too many may have swallowed what follows.
		bad++
		text = text[min(first+1, len(text)):]
	}
	return b.String()
}

// pieces returns where the first statement of text ends, at a semicolon or newline
// outside of brackets, strings and comments, and where the first semicolon or
// newline of any kind stands.
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

// isStatement reports whether text is one Go statement, or none but a comment.
func isStatement(text string) bool {
	if checkLimits(text) != nil {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", filePrefix+text+fileSuffix, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	body := onlyBody(file)
	return body != nil && len(body.List) <= 1
}
