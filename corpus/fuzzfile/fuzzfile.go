// Package fuzzfile reads and writes the files in which go test keeps the inputs
// of a FuzzXxx, under testdata/fuzz and in its cache:
//
//	go test fuzz v1
//	[]byte("GET / HTTP/1.1\r\n\r\n")
//	int(7)
//
// There is one value a line, one for each argument of the fuzz function. Encode
// writes the same bytes as go test, so that both give one input one name.
package fuzzfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// header is the version line.
const header = "go test fuzz v1"

// A Value is one argument.
type Value struct {
	// Type is one of Types: byte and rune go by the names uint8 and int32.
	Type string
	// Value is a bool, int64, uint64, float64, or string, which []byte is too.
	Value any
}

// Types lists the types that arguments of a fuzz function may have.
func Types() []string {
	return []string{
		"[]byte", "string", "bool", "float32", "float64",
		"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
	}
}

// Name returns the name that go test gives a file with this content.
func Name(file []byte) string {
	sum := sha256.Sum256(file)
	return fmt.Sprintf("%x", sum[:])[:16]
}

// Encode returns the file that holds values. It panics if a value is not of its type.
func Encode(values []Value) []byte {
	file := []byte(header + "\n")
	for _, v := range values {
		file = append(appendValue(file, v), '\n')
	}
	return file
}

// Literal returns v as written in a file, in Go: "int8(-3)".
func Literal(v Value) string { return string(appendValue(nil, v)) }

func appendValue(dst []byte, v Value) []byte {
	switch x := v.Value.(type) {
	case string:
		return fmt.Appendf(dst, "%s(%q)", v.Type, x)
	case float64:
		return appendFloat(dst, v.Type, x)
	case uint64:
		if v.Type == "uint8" {
			// Not a rune that is written as a number: each byte has a character.
			return fmt.Appendf(dst, "byte(%q)", byte(x))
		}
	case int64:
		if r := rune(x); v.Type == "int32" && utf8.ValidRune(r) {
			return fmt.Appendf(dst, "rune(%q)", r)
		}
	case bool:
	default:
		panic(fmt.Sprintf("fuzzfile: value of Go type %T", x))
	}
	return fmt.Appendf(dst, "%s(%v)", v.Type, v.Value)
}

// appendFloat writes a NaN with other bits than the usual one as its bits.
func appendFloat(dst []byte, typ string, x float64) []byte {
	if typ == "float32" {
		f := float32(x)
		if bits := math.Float32bits(f); x != x && bits != math.Float32bits(float32(math.NaN())) {
			return fmt.Appendf(dst, "math.Float32frombits(0x%x)", bits)
		}
		return fmt.Appendf(dst, "float32(%v)", f)
	}
	if bits := math.Float64bits(x); x != x && bits != math.Float64bits(math.NaN()) {
		return fmt.Appendf(dst, "math.Float64frombits(0x%x)", bits)
	}
	return fmt.Appendf(dst, "float64(%v)", x)
}

// Parse reads a file. It takes all that go test takes. An error names the line.
func Parse(file []byte) ([]Value, error) {
	lines := strings.Split(string(file), "\n")
	if strings.TrimSuffix(lines[0], "\r") != header {
		return nil, fmt.Errorf("1: %.40q, want %q", lines[0], header)
	}
	var values []Value
	for i, line := range lines[1:] {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		v, err := parseValue(line)
		if err != nil {
			return nil, fmt.Errorf("%d: %.60s: %w", i+2, line, err)
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return nil, errors.New("no value")
	}
	return values, nil
}

var (
	errNoValue = errors.New("no value of the form type(literal)")
	errLiteral = errors.New("a literal of another type")
)

// Text returns the only value of a file, which must be a string, and the comment behind it.
func Text(file []byte) (text, comment string, ok bool) {
	values, err := Parse(file)
	if err != nil || len(values) != 1 || values[0].Type != "string" {
		return "", "", false
	}
	_, line, _ := strings.Cut(string(file), "\n")
	line = strings.TrimSpace(line)
	call, _ := parseCall(line)
	_, comment, _ = strings.Cut(line[call.Rparen:], "//")
	return values[0].Value.(string), strings.TrimSpace(comment), true
}

// parseCall reads the line of a value, whose first character has position 1.
func parseCall(line string) (*ast.CallExpr, error) {
	expr, err := parser.ParseExprFrom(token.NewFileSet(), "", line, parser.SkipObjectResolution)
	if call, ok := expr.(*ast.CallExpr); err == nil && ok && len(call.Args) == 1 {
		return call, nil
	}
	return nil, errNoValue
}

func parseValue(line string) (Value, error) {
	call, err := parseCall(line)
	if err != nil {
		return Value{}, err
	}
	typ := typeName(call.Fun)
	text, kind := literal(call.Args[0])
	switch typ {
	case "[]byte", "string":
		if kind == token.STRING {
			s, err := strconv.Unquote(text)
			return Value{typ, s}, err
		}
	case "bool":
		if text == "true" || text == "false" {
			return Value{typ, text == "true"}, nil
		}
	case "byte", "rune":
		if kind == token.CHAR {
			return character(typ, text)
		}
		return number(map[string]string{"byte": "uint8", "rune": "int32"}[typ], text, kind)
	case "math.Float32frombits":
		bits, err := strconv.ParseUint(text, 0, 32)
		return Value{"float32", float64(math.Float32frombits(uint32(bits)))}, err
	case "math.Float64frombits":
		bits, err := strconv.ParseUint(text, 0, 64)
		return Value{"float64", math.Float64frombits(bits)}, err
	case "":
		return Value{}, errNoValue
	default:
		return number(typ, text, kind)
	}
	return Value{}, errLiteral
}

// typeName returns the text of n if it names a type of these files.
func typeName(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.ArrayType:
		if elem, ok := n.Elt.(*ast.Ident); ok && n.Len == nil && elem.Name == "byte" {
			return "[]byte"
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			return x.Name + "." + n.Sel.Name
		}
	}
	return ""
}

// literal returns the text of a literal with its sign, and its kind. NaN and
// Inf count as floats, true and false as identifiers.
func literal(n ast.Expr) (string, token.Token) {
	sign := ""
	if u, ok := n.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		sign, n = u.Op.String(), u.X
	}
	switch n := n.(type) {
	case *ast.BasicLit:
		return sign + n.Value, n.Kind
	case *ast.Ident:
		if n.Name == "NaN" || n.Name == "Inf" {
			return sign + n.Name, token.FLOAT
		}
		return sign + n.Name, token.IDENT
	}
	return "", token.ILLEGAL
}

func character(typ, text string) (Value, error) {
	r, _, _, err := strconv.UnquoteChar(text[1:len(text)-1], '\'')
	if err != nil {
		return Value{}, err
	}
	if typ == "rune" {
		return Value{"int32", int64(r)}, nil
	}
	if r > 0xff {
		return Value{}, errLiteral
	}
	return Value{"uint8", uint64(r)}, nil
}

// bitSize is the size of a number by the name of its type. Of int and uint it is
// the largest: files come from other machines, too.
var bitSize = map[string]int{
	"int": 64, "int8": 8, "int16": 16, "int32": 32, "int64": 64,
	"uint": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
	"float32": 32, "float64": 64,
}

func number(typ, text string, kind token.Token) (Value, error) {
	bits := bitSize[typ]
	switch {
	case bits == 0:
		return Value{}, fmt.Errorf("no type %s", typ)
	case typ[0] == 'f' && (kind == token.FLOAT || kind == token.INT):
		x, err := strconv.ParseFloat(text, bits)
		return Value{typ, x}, err
	case typ[0] == 'i' && kind == token.INT:
		x, err := strconv.ParseInt(text, 0, bits)
		return Value{typ, x}, err
	case typ[0] == 'u' && kind == token.INT:
		x, err := strconv.ParseUint(text, 0, bits)
		return Value{typ, x}, err
	}
	return Value{}, errLiteral
}
