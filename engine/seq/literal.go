package seq

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ImportName returns the name by which text refers to the package at importPath. That is
// the name in Imports, or else the last element of the path. If Imports gives that name
// to another package, "std" stands before it.
func (t *Table) ImportName(importPath string) string {
	name := path.Base(importPath)
	for _, im := range t.Imports {
		if im.Path == importPath {
			return im.Name
		}
	}
	if t.importsAs(name) {
		return "std" + name
	}
	return name
}

// VariableName returns name, with a number if a package goes by it: a variable of that name
// would hide the package from the text of steps.
func (t *Table) VariableName(name string) string {
	free := name
	for n := 2; t.importsAs(free); n++ {
		free = name + strconv.Itoa(n)
	}
	return free
}

// importsAs reports whether a package goes by name.
func (t *Table) importsAs(name string) bool {
	return slices.ContainsFunc(t.Imports, func(im Import) bool { return im.Name == name })
}

// AppendLiteral appends the text of l to dst, as it stands at hole h, which wants
// type want. It is untyped where that gives the same value of the same type:
// 3, "x", nil; else typed: int8(3), (*list.List)(nil).
func (t *Table) AppendLiteral(dst []byte, l *Literal, want TypeID, h Hole) []byte {
	if wrap := t.Wrap(h, l.Type, want); wrap != "" {
		return append(t.appendLiteral(append(dst, wrap...), l, want, Free), ')')
	}
	return t.appendLiteral(dst, l, want, h.Place())
}

// AppendTyped appends the text of l to dst as it stands anywhere: with its type.
func (t *Table) AppendTyped(dst []byte, l *Literal) []byte {
	return t.appendLiteral(dst, l, l.Type, Operand)
}

func (t *Table) appendLiteral(dst []byte, l *Literal, want TypeID, at Place) []byte {
	ty := &t.Types[l.Type]
	if ty.Hidden || l.Value == nil && at == Argument && l.Type == want {
		return append(dst, "nil"...)
	}
	bare := ty.Basic && l.Value != nil && (at == Argument && l.Type == want || at != Operand && isDefault(ty.Name))
	if bare && (t.isConstant(l) || ty.Name == "float64" || ty.Name == "complex128") {
		return t.appendValue(dst, l)
	}
	return append(t.appendValue(appendConversion(dst, ty.Name), l), ')')
}

// appendConversion appends the beginning of a conversion to type name, up to its
// opening parenthesis.
func appendConversion(dst []byte, name string) []byte {
	if strings.HasPrefix(name, "*") || strings.HasPrefix(name, "<-") ||
		strings.HasPrefix(name, "chan ") || strings.Contains(name, "func(") {
		return append(append(append(dst, '('), name...), ")("...)
	}
	return append(append(dst, name...), '(')
}

// isDefault reports whether untyped constants of some form take the type name.
// Those that take rune are written as integers, so that it is not among them.
func isDefault(name string) bool {
	switch name {
	case "int", "string", "bool", "float64", "complex128":
		return true
	}
	return false
}

// isConstant reports whether the text of l's value is a Go constant, so that it
// takes any type wanted.
func (t *Table) isConstant(l *Literal) bool {
	switch v := l.Value.(type) {
	case float64:
		return !isSpecial(v)
	case complex128:
		return !isSpecial(real(v)) && !isSpecial(imag(v))
	}
	return true
}

// isSpecial reports whether no Go constant has the value f.
func isSpecial(f float64) bool {
	return math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f)
}

func (t *Table) appendValue(dst []byte, l *Literal) []byte {
	switch v := l.Value.(type) {
	case nil:
		return append(dst, "nil"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case uint64:
		return strconv.AppendUint(dst, v, 10)
	case float64:
		return t.AppendFloat(dst, v, floatBits(&t.Types[l.Type]))
	case complex128:
		bits := floatBits(&t.Types[l.Type])
		dst = append(dst, "complex("...)
		dst = t.AppendFloat(dst, real(v), bits)
		dst = append(dst, ", "...)
		dst = t.AppendFloat(dst, imag(v), bits)
		return append(dst, ')')
	case string:
		return strconv.AppendQuote(dst, v)
	}
	panic(fmt.Sprintf("seq: literal of Go type %T", l.Value))
}

// floatBits returns the size of a Float, or of a part of a Complex.
func floatBits(ty *Type) int {
	if ty.Literal == Float && ty.Bits == 32 || ty.Literal == Complex && ty.Bits == 64 {
		return 32
	}
	return 64
}

// AppendFloat appends the text of a number of so many bits to dst, which is no constant if it
// is infinite, negative zero or no number.
func (t *Table) AppendFloat(dst []byte, f float64, bits int) []byte {
	if isSpecial(f) {
		dst = append(dst, t.ImportName("math")...)
		switch {
		case math.IsNaN(f):
			return append(dst, ".NaN()"...)
		case f == 0:
			return append(dst, ".Copysign(0, -1)"...)
		case f > 0:
			return append(dst, ".Inf(1)"...)
		}
		return append(dst, ".Inf(-1)"...)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, bits)
	for _, c := range dst[from:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// Character returns the printable character that the value of a literal is, if ty is byte or rune.
func (ty *Type) Character(value any) (rune, bool) {
	switch v := value.(type) {
	case int64:
		return rune(v), ty.Basic && ty.Name == "rune" && ' ' <= v && v <= unicode.MaxRune && unicode.IsPrint(rune(v))
	case uint64:
		return rune(v), ty.Basic && ty.Name == "byte" && ' ' <= v && v <= '~'
	}
	return 0, false
}

// QuoteText returns a string as people write it in Go: verbatim if it holds quotes and a single line.
func QuoteText(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// ParseLiteral reads text, an untyped Go literal with or without a sign, as a
// value of type id: the form of Type.Mined. It also reads nil, and the forms of
// AppendLiteral that are no constants: math.NaN() and its like.
func (t *Table) ParseLiteral(id TypeID, text string) (*Literal, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("seq: literal of %d bytes, want at most %d", len(text), MaxBytes)
	}
	if err := checkLimits(text); err != nil {
		return nil, err
	}
	n, err := parser.ParseExprFrom(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("seq: literal %q: %w", clip(text), err)
	}
	r, ok := readRaw(n, t.ImportName("math"))
	if !ok {
		return nil, fmt.Errorf("seq: %q is not a literal", clip(text))
	}
	v, ok := r.as(&t.Types[id])
	if !ok {
		return nil, fmt.Errorf("seq: %s is not a value of type %s", clip(text), t.Types[id].Name)
	}
	return &Literal{Type: id, Value: v}, nil
}

// A rawLiteral is a literal as text has it, before the wanted type is known.
type rawLiteral struct {
	def      string         // the type it has by itself: "int", "float64"; "" for nil
	constant constant.Value // nil for nil and for values that no constant has
	value    complex128     // where constant is nil: the value, of type def
}

// maxNumber bounds the text of a number: arithmetic on more is not linear.
const maxNumber = 400

// readRaw reads n if it is an untyped literal. mathName is the name of package math.
func readRaw(n ast.Expr, mathName string) (r rawLiteral, ok bool) {
	switch n := n.(type) {
	case *ast.Ident:
		switch n.Name {
		case "nil":
			return rawLiteral{}, true
		case "true", "false":
			return rawLiteral{def: "bool", constant: constant.MakeBool(n.Name == "true")}, true
		}
	case *ast.BasicLit:
		if n.Kind != token.STRING && len(n.Value) > maxNumber {
			return r, false
		}
		r.def = defaultTypes[n.Kind]
		r.constant = constant.MakeFromLiteral(n.Value, n.Kind, 0)
		return r, r.constant.Kind() != constant.Unknown
	case *ast.UnaryExpr:
		lit, isLit := n.X.(*ast.BasicLit)
		if !isLit || lit.Kind == token.STRING || n.Op != token.SUB && n.Op != token.ADD {
			return r, false
		}
		if r, ok = readRaw(lit, mathName); ok {
			r.constant = constant.UnaryOp(n.Op, r.constant, 0)
		}
		return r, ok
	case *ast.CallExpr:
		switch fun := n.Fun.(type) {
		case *ast.Ident:
			if fun.Name == "complex" && len(n.Args) == 2 {
				return readComplex(n.Args[0], n.Args[1], mathName)
			}
		case *ast.SelectorExpr:
			if x, isIdent := fun.X.(*ast.Ident); isIdent && x.Name == mathName {
				return readSpecial(fun.Sel.Name, n.Args)
			}
		}
	}
	return r, false
}

var defaultTypes = map[token.Token]string{
	token.INT: "int", token.FLOAT: "float64", token.IMAG: "complex128", token.CHAR: "int32", token.STRING: "string",
}

// readSpecial reads the call of a function of package math that stands for a
// value that no constant has.
func readSpecial(fun string, args []ast.Expr) (r rawLiteral, ok bool) {
	var nums [2]int64
	if len(args) > len(nums) {
		return r, false
	}
	for i, a := range args {
		arg, isRaw := readRaw(a, "")
		if !isRaw || arg.def != "int" {
			return r, false
		}
		if nums[i], ok = constant.Int64Val(arg.constant); !ok {
			return r, false
		}
	}
	r.def = "float64"
	switch {
	case fun == "NaN" && len(args) == 0:
		r.value = complex(math.NaN(), 0)
	case fun == "Inf" && len(args) == 1:
		r.value = complex(math.Inf(int(max(min(nums[0], 1), -1))), 0)
	case fun == "Copysign" && len(args) == 2 && nums == [2]int64{0, -1}:
		r.value = complex(math.Copysign(0, -1), 0)
	default:
		return r, false
	}
	return r, true
}

// readComplex reads complex(re, im), both numbers.
func readComplex(re, im ast.Expr, mathName string) (r rawLiteral, ok bool) {
	var parts [2]rawLiteral
	for i, n := range [2]ast.Expr{re, im} {
		if parts[i], ok = readRaw(n, mathName); !ok {
			return r, false
		}
		if d := parts[i].def; d != "int" && d != "float64" {
			return r, false
		}
	}
	r.def = "complex128"
	if parts[0].constant != nil && parts[1].constant != nil {
		r.constant = constant.BinaryOp(constant.ToComplex(parts[0].constant), token.ADD,
			constant.BinaryOp(parts[1].constant, token.MUL, constant.MakeImag(constant.MakeInt64(1))))
		return r, r.constant.Kind() != constant.Unknown
	}
	var f [2]float64
	for i, p := range parts {
		v, ok := p.as(&Type{Literal: Float, Bits: 64})
		if !ok {
			return r, false
		}
		f[i] = v.(float64)
	}
	r.value = complex(f[0], f[1])
	return r, true
}

// as returns r as the value of a literal of type ty, or false when it has none there.
func (r rawLiteral) as(ty *Type) (any, bool) {
	switch {
	case r.def == "":
		return nil, ty.Nilable
	case r.constant != nil:
		return ConstantAs(r.constant, ty)
	}
	re, im := real(r.value), imag(r.value)
	if floatBits(ty) == 32 {
		re, im = float64(float32(re)), float64(float32(im))
	}
	if ty.Literal == Complex {
		return complex(re, im), r.def == "complex128"
	}
	return re, ty.Literal == Float && r.def == "float64"
}

// ConstantAs returns a constant as the value of a literal of type ty, rounded to its
// size, and whether it is one.
func ConstantAs(c constant.Value, ty *Type) (any, bool) {
	switch kind := c.Kind(); {
	case ty.Literal == Bool && kind == constant.Bool:
		return constant.BoolVal(c), true
	case ty.Literal == String && kind == constant.String:
		return constant.StringVal(c), true
	case kind != constant.Int && kind != constant.Float && kind != constant.Complex:
		return nil, false
	}
	switch ty.Literal {
	case Int:
		v, exact := constant.Int64Val(constant.ToInt(c))
		return v, exact && ty.Fits(v)
	case Uint:
		v, exact := constant.Uint64Val(constant.ToInt(c))
		return v, exact && ty.Fits(v)
	case Float, Complex:
		re, ok1 := round(constant.Real(c), floatBits(ty))
		im, ok2 := round(constant.Imag(c), floatBits(ty))
		if ty.Literal == Complex {
			return complex(re, im), ok1 && ok2
		}
		return re, ok1 && ok2 && im == 0
	}
	return nil, false
}

func round(c constant.Value, bits int) (f float64, ok bool) {
	if bits == 32 {
		f32, _ := constant.Float32Val(c)
		f = float64(f32)
	} else {
		f, _ = constant.Float64Val(c)
	}
	if f == 0 {
		f = 0 // no constant is negative zero, but one may round to it
	}
	return f, !math.IsInf(f, 0)
}
