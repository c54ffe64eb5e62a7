package seq

import (
	"strconv"
	"strings"
)

// Append appends the canonical text of s to dst, one statement a line.
//
// The results of a step are named vN, N counting the steps that have results
// from zero; a second result of the same step is vNb, a third vNc. The text is
// stable under gofmt as far as the templates are. [Parser.Parse] reads it.
func (t *Table) Append(dst []byte, s Sequence) []byte {
	if len(s) == 0 {
		return dst
	}
	return append(t.appendSteps(dst, s, "\n", nil), '\n')
}

// AppendAs is [Table.Append] with other text for literals: literal appends that of argument
// arg of a step, which stands at hole h.
func (t *Table) AppendAs(dst []byte, s Sequence, literal func(dst []byte, step, arg int, h Hole) []byte) []byte {
	return t.appendSteps(dst, s, "\n", literal)
}

// String returns the canonical text of s.
func (t *Table) String(s Sequence) string { return string(t.Append(nil, s)) }

// A valueName is the name of a slot: step number n of those with results, result
// number k of that step; and the slot's type.
type valueName struct {
	n, k int32
	typ  TypeID
}

// appendSteps writes literals by a function, or as usual if it is nil.
func (t *Table) appendSteps(dst []byte, s Sequence, sep string, literal func(dst []byte, step, arg int, h Hole) []byte) []byte {
	var buf [64]valueName
	names := buf[:0]
	n := int32(0)
	for i := range s {
		st := &s[i]
		op := &t.Ops[st.Op]
		if i > 0 {
			dst = append(dst, sep...)
		}
		if len(op.Results) > 0 {
			for k, typ := range op.Results {
				if k > 0 {
					dst = append(dst, ", "...)
				}
				name := valueName{n, int32(k), typ}
				dst = appendName(dst, name)
				names = append(names, name)
			}
			dst = append(dst, " := "...)
			n++
		}
		dst = t.AppendCall(dst, st, func(dst []byte, j int, h Hole) []byte {
			a := &st.Args[j]
			if a.Lit != nil && literal != nil {
				return literal(dst, i, j, h)
			}
			if a.Lit != nil {
				return t.AppendLiteral(dst, a.Lit, op.Param(j), h)
			}
			name := names[a.Slot]
			if wrap := t.Wrap(h, name.typ, op.Param(j)); wrap != "" {
				return append(appendName(append(dst, wrap...), name), ')')
			}
			return appendName(dst, name)
		})
	}
	return dst
}

func appendName(dst []byte, name valueName) []byte {
	dst = append(dst, 'v')
	if name.n < 10 {
		dst = append(dst, byte('0'+name.n))
	} else {
		dst = strconv.AppendInt(dst, int64(name.n), 10)
	}
	switch {
	case name.k == 0:
		return dst
	case name.k < 26:
		return append(dst, byte('a'+name.k))
	}
	return strconv.AppendInt(append(dst, 'z'), int64(name.k), 10)
}

// ValueName returns the name of result k of a step, the n-th with results.
func ValueName(n, k int) string { return string(appendName(nil, valueName{n: int32(n), k: int32(k)})) }

// isValueName reports whether name has the form of a value's name: v3, v3b, v3z26.
func isValueName(name string) bool {
	if len(name) < 2 || name[0] != 'v' {
		return false
	}
	i := digits(name, 1)
	if i == 1 {
		return false
	}
	if i < len(name) && 'b' <= name[i] && name[i] <= 'z' {
		if i++; name[i-1] == 'z' {
			i = digits(name, i)
		}
	}
	return i == len(name)
}

// digits returns the end of the decimal digits that start at s[i].
func digits(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// AppendCall appends the text of one call, an expression or statement, to dst;
// arg appends the text of argument i, which stands at hole h of the template.
func (t *Table) AppendCall(dst []byte, st *Step, arg func(dst []byte, i int, h Hole) []byte) []byte {
	op := &t.Ops[st.Op]
	text := op.Template
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '$')
		if at < 0 {
			return append(dst, text[from:]...)
		}
		at += from
		n, end := holeAt(text, at)
		h := Hole{op, at, end}
		switch {
		case n >= 0:
			dst = append(dst, text[from:at]...)
			dst = arg(dst, n, h)
		case n == holeRest:
			first := max(len(op.Params)-1, 0)
			before := text[from:at]
			if len(st.Args) <= first {
				before = strings.TrimSuffix(before, ", ")
			}
			dst = append(dst, before...)
			for i := first; i < len(st.Args); i++ {
				if i > first {
					dst = append(dst, ", "...)
				}
				dst = arg(dst, i, h)
			}
		default:
			dst = append(dst, text[from:end]...)
		}
		from = end
	}
}

const (
	holeNone = -1 // a dollar sign that is none of ours
	holeRest = -2 // $*
)

// holeAt reads the hole at text[at], a dollar sign: which argument it stands
// for, and where it ends.
func holeAt(text string, at int) (n, end int) {
	if at+1 == len(text) {
		return holeNone, at + 1
	}
	c := text[at+1]
	if c == '*' {
		return holeRest, at + 2
	}
	isDigit := '0' <= c && c <= '9'
	if isDigit && (at+2 == len(text) || text[at+2] < '0' || text[at+2] > '9') {
		return int(c - '0'), at + 2
	}
	end = digits(text, at+1)
	if end == at+1 || end > at+4 {
		return holeNone, at + 1
	}
	for _, c := range []byte(text[at+1 : end]) {
		n = n*10 + int(c-'0')
	}
	return n, end
}

// A Place is the syntactic place of a hole in a template.
type Place uint8

const (
	// Operand is the place of a receiver, of a function called, of an indexed
	// value: nothing gives an untyped operand its type there.
	Operand Place = iota
	// Free is a place where an untyped operand takes its default type. It is the
	// argument of a conversion, an index, or anything within a func literal or
	// passed to an iterator, since its type arguments are inferred.
	Free
	// Argument is a place of the parameter's own type: the argument of a call,
	// the element of a composite literal, the value assigned or sent.
	Argument
)

// A Hole is one place of a template where an argument stands.
type Hole struct {
	op      *Operation
	at, end int
}

// Wrap returns the conversion that an argument of type typ at h needs for the
// text to be Go, "any(" say, to be closed behind it; or "". A type assertion is
// on values of interface types only, and a method belongs to one of two types
// that are assignable to each other.
func (t *Table) Wrap(h Hole, typ, want TypeID) string {
	if typ == want || t.Types[typ].Interface || t.Types[want].Hidden {
		return ""
	}
	isAssert := h.op.Kind == Assert && t.Types[want].Interface
	isReceiver := h.op.Kind == Method && !t.Types[want].Interface
	if !isAssert && !(isReceiver && h.Place() == Operand) {
		return ""
	}
	return string(appendConversion(nil, t.Types[want].Name))
}

// Place classes h by the template's text around it.
func (h Hole) Place() Place {
	text := h.op.Template
	before := strings.TrimRight(text[:h.at], " ")
	after := text[h.end:]
	if after == "" {
		isSend := strings.HasSuffix(before, "<-") && len(before) > 2
		isAssign := strings.HasSuffix(before, " =")
		if isSend || isAssign {
			return Argument
		}
		return Operand
	}
	if h.op.Kind == FuncLit || h.op.Kind == Range {
		return Free
	}
	if before == "" || !strings.ContainsRune("(,{:[", rune(before[len(before)-1])) {
		return Operand
	}
	if !strings.ContainsRune("),}:]", rune(after[0])) && !strings.HasPrefix(after, "...") {
		return Operand
	}
	open := enclosing(before)
	if open < 0 {
		return Operand
	}
	if text[open] == '[' {
		return Free
	}
	if text[open] == '(' && (h.op.Kind == Convert || isConversion(text[:open])) {
		return Free
	}
	return Argument
}

// enclosing returns the place of the last bracket that before opens and leaves
// open, or -1.
func enclosing(before string) int {
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')', '}', ']':
			depth++
		case '(', '{', '[':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// isConversion reports whether callee, the text up to an opening parenthesis,
// ends in something that gives its argument no type: []byte, (*T), int64, complex.
func isConversion(callee string) bool {
	i := len(callee)
	for i > 0 && isIdentByte(callee[i-1]) {
		i--
	}
	switch name := callee[i:]; {
	case name == "":
		return strings.HasSuffix(callee, ")")
	case i > 0 && callee[i-1] == ']':
		return true
	case i > 0 && callee[i-1] == '.':
		return false
	default:
		return predeclared[name]
	}
}

func isIdentByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// predeclared are the predeclared types, and the predeclared functions that take
// any type in some place.
var predeclared = map[string]bool{
	"bool": true, "string": true, "byte": true, "rune": true, "any": true, "error": true, "uintptr": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true, "complex64": true, "complex128": true,
	"complex": true, "real": true, "imag": true, "min": true, "max": true, "append": true, "cap": true,
	"clear": true, "close": true, "copy": true, "delete": true, "len": true,
}
