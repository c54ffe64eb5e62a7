package seq

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// The limits of the parsers. Larger text is an error before anything is allocated.
const (
	MaxBytes   = 1 << 20 // of text, or of binary form
	MaxSteps   = 10_000
	maxNesting = 200 // of brackets
)

// A Dropped is a statement that means nothing under a table. ParseLenient leaves it out;
// Parse returns it as its error.
type Dropped struct {
	Line, Col int    // of the error, counted from one
	Text      string // the call or value that is wrong, clipped
	Reason    string
}

// Error returns the place, the thing and the reason: "seq: 3:8: v1.Pop: no value v1".
func (d *Dropped) Error() string {
	return fmt.Sprintf("seq: %d:%d: %s: %s", d.Line, d.Col, d.Text, d.Reason)
}

// A Parser reads the text of sequences under one table. Any number of goroutines
// may use it.
type Parser struct {
	t          *Table
	templates  map[shape][]template // ordered by OpID
	types      map[string]TypeID    // by their compacted text
	mathName   string
	paramCount int // the most parameters of any operation
}

// NewParser returns a parser of sequences under t. An error says which template
// is no Go, or does not show all parameters.
func NewParser(t *Table) (*Parser, error) {
	p := &Parser{
		t:         t,
		templates: map[shape][]template{},
		types:     make(map[string]TypeID, len(t.Types)),
		mathName:  t.ImportName("math"),
	}
	for _, im := range t.Imports {
		if isValueName(im.Name) {
			return nil, fmt.Errorf("seq: import of %q as %s: the form of a value's name", im.Path, im.Name)
		}
	}
	for id := 1; id < len(t.Types); id++ {
		if name := compact(t.Types[id].Name); !t.Types[id].Hidden && p.types[name] == 0 {
			p.types[name] = TypeID(id)
		}
	}
	for _, pair := range [][2]string{{"byte", "uint8"}, {"rune", "int32"}, {"any", "interface{}"}} {
		for i, name := range pair {
			if p.types[name] == 0 && p.types[pair[1-i]] != 0 {
				p.types[name] = p.types[pair[1-i]]
			}
		}
	}
	for id := range t.Ops {
		tm, err := parseTemplate(&t.Ops[id])
		if err != nil {
			return nil, fmt.Errorf("seq: template %q of %s: %w", t.Ops[id].Template, t.Ops[id].Short, err)
		}
		tm.op = OpID(id)
		p.templates[tm.shape] = append(p.templates[tm.shape], tm)
		p.paramCount = max(p.paramCount, len(t.Ops[id].Params))
	}
	return p, nil
}

// Parse reads text with a parser made for this one use: see [Parser.Parse].
func (t *Table) Parse(text string) (Sequence, error) {
	p, err := NewParser(t)
	if err != nil {
		return nil, err
	}
	return p.Parse(text)
}

// Parse reads the text of a sequence: statements separated by newlines or
// semicolons, with comments. It takes the text of [Table.Append] and other text that a
// person may write. Numbers of values may have gaps. A call may leave its results without
// names, or name them _. Literals may have other forms, and be untyped where Go allows it.
//
// Several operations may share a text, as a method called on a value of an interface type
// and of a type that implements it. Then the lowest OpID with exactly the types of the
// arguments as parameters is meant, or else the lowest that takes them. So the operation
// that is read back may differ from the one that was written, but the Go text of both is
// the same.
func (p *Parser) Parse(text string) (Sequence, error) {
	s, dropped, err := p.parse(text, false)
	if err == nil && len(dropped) > 0 {
		err = &dropped[0]
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ParseLenient is Parse for text that may be older than the table. It drops a statement
// that means nothing, with all statements that depend on its results. Text that is not Go,
// or too large, is still an error.
func (p *Parser) ParseLenient(text string) (Sequence, []Dropped, error) {
	return p.parse(text, true)
}

const (
	filePrefix = "package p;func _(){\n" // so that lines count from two
	fileSuffix = "\n}\n"
)

func (p *Parser) parse(text string, lenient bool) (Sequence, []Dropped, error) {
	if err := checkLimits(text); err != nil {
		return nil, nil, err
	}
	src := make([]byte, 0, len(filePrefix)+len(text)+len(fileSuffix))
	src = append(append(append(src, filePrefix...), text...), fileSuffix...)
	fset := token.NewFileSet()
	body, err := parseBody(fset, src)
	if err != nil {
		return nil, nil, syntaxError(err)
	}
	if body == nil || fset.PositionFor(body.Rbrace, false).Offset != len(src)-2 {
		return nil, nil, errors.New("seq: 1:1: text ends the list of statements it stands in")
	}
	if len(body.List) > MaxSteps { // statements parted by a comment are not counted before
		return nil, nil, fmt.Errorf("seq: 1:1: more than %d statements", MaxSteps)
	}
	m := &matcher{
		Parser: p, src: src, base: fset.File(body.Pos()).Base(),
		values: make(map[string]int32, len(body.List)), args: make([]boundArg, p.paramCount),
	}
	s := make(Sequence, 0, len(body.List))
	var dropped []Dropped
	for _, st := range body.List {
		step, d := m.statement(st)
		if d != nil {
			at := fset.PositionFor(m.failure.at, false)
			d.Line, d.Col = at.Line-1, at.Column
			dropped = append(dropped, *d)
			if !lenient {
				break
			}
			continue
		}
		s = append(s, step)
	}
	if err := s.Check(p.t); err != nil {
		return nil, nil, err
	}
	return s, dropped, nil
}

// parseBody returns the statements of src, which stand between filePrefix and fileSuffix, and
// nil if they end the function there.
func parseBody(fset *token.FileSet, src any) (*ast.BlockStmt, error) {
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return nil, err
	}
	f, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok {
		return nil, nil
	}
	return f.Body, nil
}

func syntaxError(err error) error {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Errorf("seq: %d:%d: %s", max(list[0].Pos.Line-1, 1), list[0].Pos.Column, list[0].Msg)
	}
	return fmt.Errorf("seq: 1:1: %w", err)
}

// checkLimits returns an error for text that is too long, holds too many
// statements, or nests too deep, and for brackets that close none. It skips
// strings, runes and comments.
func checkLimits(text string) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("seq: text of %d bytes, want at most %d", len(text), MaxBytes)
	}
	steps, depth, line := 0, 0, 1
	blank := true // no statement has begun since the last separator
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r':
		case '\n', ';':
			if c == '\n' {
				line++
			}
			blank = blank || depth == 0
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '`', '\'', '/':
			end := skipQuoted(text, i)
			isComment := c == '/' && end > i+1
			line += strings.Count(text[i:end], "\n")
			i = end - 1
			if isComment {
				continue
			}
			fallthrough
		default:
			if blank && depth == 0 {
				blank = false
				steps++
			}
		}
		if depth < 0 {
			return fmt.Errorf("seq: %d:1: a bracket closes none", line)
		}
		if depth > maxNesting {
			return fmt.Errorf("seq: %d:1: brackets nest deeper than %d", line, maxNesting)
		}
		if steps > MaxSteps {
			return fmt.Errorf("seq: %d:1: more than %d statements", line, MaxSteps)
		}
	}
	return nil
}

// skipQuoted returns the end of the string, rune or comment that starts at
// text[i], or i+1 for a slash that starts none. A comment's newline is not part of it.
func skipQuoted(text string, i int) int {
	quote := text[i]
	if quote == '/' {
		if i+1 < len(text) && text[i+1] == '/' {
			for i < len(text) && text[i] != '\n' {
				i++
			}
			return i
		}
		if i+1 >= len(text) || text[i+1] != '*' {
			return i + 1
		}
		for i += 2; i < len(text); i++ {
			if text[i] == '/' && text[i-1] == '*' {
				return i + 1
			}
		}
		return i
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1
		case c == '\n' && quote != '`':
			return i
		case c == '\\' && quote != '`':
			i++
		}
	}
	return len(text)
}

// clip returns s, shortened to the length that an error may have.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most-3] + "..."
}
