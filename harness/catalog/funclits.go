package catalog

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// A funcShape is a func type that literals are written for, taken apart.
type funcShape struct {
	f       *finder
	t       *types.Signature
	params  []types.Type
	results []types.Type
	header  string // "func(a int, b string) bool"
	depth   int
}

// makeFunc adds func literals of sig: one returns its hole arguments, one returns a
// parameter, others compare, hash or panic.
func (f *finder) makeFunc(sig *types.Signature, depth int) {
	s := funcShape{f: f, params: tupleTypes(sig.Params()), results: tupleTypes(sig.Results()), depth: depth}
	s.t = withoutReceiver(sig)
	if len(s.params) > seq.MaxLiteralParams || f.reach(s.t) != everywhere {
		return
	}
	s.header = s.writeHeader(sig.Variadic())
	if elems := yields(sig); elems != nil {
		s.iterate(elems)
	}
	s.constant()
	s.parameter()
	s.compare()
	s.predicate()
	s.hash()
	s.literal(seq.Throw, fmt.Sprintf("panic(%q)", seq.Thrown))
	f.funcShapes = append(f.funcShapes, s)
}

// tested adds the functions of the tests that have the type. Of those that compare it has its
// own, which are known to be an ordering or an equality.
func (s *funcShape) tested(list []Func) {
	if s.compared() != nil {
		return
	}
	for _, fn := range list {
		if typeKey(fn.Type) != typeKey(s.t) {
			continue
		}
		if text, ok := fn.Text(s.f.names.Use); ok {
			s.f.add(shaped(seq.Tested, maker(seq.FuncLit, text, s.t, s.depth)))
		}
	}
}

func (s *funcShape) writeHeader(variadic bool) string {
	params := make([]string, len(s.params))
	for i := len(s.params) - 1; i >= 0; i-- {
		switch {
		case variadic && i == len(s.params)-1:
			params[i] = "..." + s.f.typeName(variadicElem(s.params[i]))
		case i+1 < len(s.params) && types.Identical(s.params[i], s.params[i+1]) && !(variadic && i == len(s.params)-2):
			params[i] = params[i+1] // byte and uint8 are one type with two names
		default:
			params[i] = s.f.typeName(s.params[i])
		}
	}
	return seq.FuncHeader(params, typeTexts(s.results, s.f.typeName))
}

func (s *funcShape) param(i int) string { return string(rune('a' + i)) }

// literal adds the func literal with a body that takes no arguments of the operation.
func (s *funcShape) literal(shape seq.Shape, body string) {
	text := s.header + " { " + body + " }"
	if body == "" {
		text = s.header + " {}"
	}
	s.f.add(shaped(shape, maker(seq.FuncLit, text, s.t, s.depth)))
}

// capture adds the func literal with a body that mentions $0, $1 …: arguments
// of the operation. The adapter copies them out of the slice that holds them.
func (s *funcShape) capture(shape seq.Shape, body string, args ...types.Type) {
	op := shaped(shape, maker(seq.FuncLit, s.header+" { "+body+" }", s.t, s.depth, args...))
	var params, values []string
	copied := body
	for i, t := range args {
		x, arg := fmt.Sprintf("x%d", i), fmt.Sprintf("$%d", i)
		params = append(params, x+" "+s.f.typeName(t))
		values = append(values, arg)
		copied = strings.ReplaceAll(copied, arg, x)
	}
	if len(args) > 0 {
		op.Adapter = "$r0 = func(" + strings.Join(params, ", ") + ") " + s.f.typeName(s.t) +
			" { return " + s.header + " { " + copied + " } }(" + strings.Join(values, ", ") + ")"
	}
	s.f.add(op)
}

// constant returns the operation's arguments, or does nothing.
func (s *funcShape) constant() {
	if len(s.results) == 0 {
		s.literal(seq.Constant, "")
		return
	}
	s.capture(seq.Constant, "return "+seq.Holes(0, len(s.results), false), s.results...)
}

// parameter returns the first parameter that fits as first result.
func (s *funcShape) parameter() {
	if len(s.results) == 0 {
		return
	}
	for i, p := range s.params {
		if types.AssignableTo(p, s.results[0]) {
			rest := s.results[1:]
			body := "return " + s.param(i)
			if len(rest) > 0 {
				body += ", " + seq.Holes(0, len(rest), false)
			}
			s.capture(seq.Parameter, body, rest...)
			return
		}
	}
}

// compared returns the result of a function that may compare two parameters of one type: a bool
// or a signed integer. It returns nil for other functions.
func (s *funcShape) compared() *types.Basic {
	if len(s.params) != 2 || len(s.results) != 1 || !types.Identical(s.params[0], s.params[1]) {
		return nil
	}
	b, ok := s.results[0].Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsBoolean == 0 && (b.Info()&types.IsInteger == 0 || b.Info()&types.IsUnsigned != 0) {
		return nil
	}
	return b
}

// compare orders two parameters of one type, or finds them equal.
func (s *funcShape) compare() {
	b := s.compared()
	if b == nil {
		return
	}
	// Of values that have no order, the texts are compared.
	operands := [][2]string{{"{fmt}.Sprint(a)", "{fmt}.Sprint(b)"}}
	switch {
	case isOrdered(s.params[0]):
		operands = [][2]string{{"a", "b"}}
	case isAny(s.params[0]):
		operands = slices.Insert(operands, 0, [2]string{"a.(int)", "b.(int)"})
	}
	if b.Info()&types.IsBoolean != 0 {
		for _, x := range operands {
			s.literal(seq.Less, s.fmt("return "+x[0]+" < "+x[1]))
		}
		if types.Comparable(s.params[0]) {
			s.literal(seq.Same, "return a == b")
		}
		return
	}
	for _, x := range operands {
		call := "{cmp}.Compare(" + x[0] + ", " + x[1] + ")"
		if result := s.f.typeName(s.results[0]); result != "int" {
			call = result + "(" + call + ")"
		}
		s.literal(seq.Compare, s.fmt("return "+call))
	}
}

// fmt fills in the names of the packages that bodies use.
func (s *funcShape) fmt(body string) string {
	for _, p := range []string{"fmt", "cmp"} {
		if strings.Contains(body, "{"+p+"}") {
			body = strings.ReplaceAll(body, "{"+p+"}", s.f.names.Use(p, p))
		}
	}
	return body
}

// predicate is true for some values of a parameter.
func (s *funcShape) predicate() {
	if len(s.results) != 1 || len(s.params) == 0 || len(s.params) > 2 {
		return
	}
	if b, ok := s.results[0].Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return
	}
	b, ok := s.params[0].Underlying().(*types.Basic)
	switch {
	case ok && b.Info()&types.IsInteger != 0:
		s.literal(seq.Predicate, "return a%2 == 0")
	case ok && b.Info()&types.IsString != 0:
		s.literal(seq.Predicate, "return len(a)%2 == 0")
	case isAny(s.params[0]) && len(s.params) == 1:
		s.literal(seq.Predicate, "_, ok := a.(int); return ok")
	}
}

// hash turns one parameter into a small number, so that hashes collide.
func (s *funcShape) hash() {
	if len(s.results) != 1 || len(s.params) != 1 {
		return
	}
	b, ok := s.results[0].Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || types.Identical(s.params[0], s.results[0]) {
		return
	}
	name := s.f.typeName(s.results[0])
	if p, ok := s.params[0].Underlying().(*types.Basic); ok && p.Info()&types.IsNumeric != 0 && p.Info()&types.IsComplex == 0 {
		s.literal(seq.Hash, "return "+name+"(a)")
		return
	}
	s.literal(seq.Hash, s.fmt("return "+name+"(len({fmt}.Sprint(a)))"))
}

// iterate is for iterators that the package takes: it yields the elements of a slice.
func (s *funcShape) iterate(elems []types.Type) {
	list := types.NewSlice(elems[0])
	if len(elems) == 1 {
		s.capture(seq.Yield, "for _, x := range $0 { if !a(x) { return } }", list)
		return
	}
	s.capture(seq.Yield, "for _, x := range $0 { if !a(x, $1) { return } }", list, elems[1])
}

func isOrdered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}
