package seq

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// holePrefix begins the identifiers that stand for holes while a template is
// parsed. No template of Go code at large has it.
const holePrefix = "ĦħĦ"

// A template is an operation's template as go/parser reads it.
type template struct {
	op    OpID
	shape shape
	node  ast.Node // an ast.Expr, or an ast.Stmt that is more than one
}

// A shape is the part that a statement must share with a template to be worth matching.
// It is the kind of the outermost node, and the name that is called or selected there.
type shape struct {
	kind byte
	name string
}

func parseTemplate(op *Operation) (template, error) {
	text, err := nameHoles(op)
	if err != nil {
		return template{}, err
	}
	body, err := parseBody(token.NewFileSet(), filePrefix+text+fileSuffix)
	if err != nil {
		return template{}, err
	}
	if body == nil || len(body.List) != 1 {
		return template{}, errors.New("want one statement")
	}
	tm := template{node: body.List[0]}
	if e, ok := body.List[0].(*ast.ExprStmt); ok {
		tm.node = e.X
	} else if len(op.Results) > 0 {
		return template{}, errors.New("a statement has no results")
	}
	if id, ok := tm.node.(*ast.Ident); ok && strings.HasPrefix(id.Name, holePrefix) {
		return template{}, errors.New("nothing but a hole")
	}
	tm.shape = shapeOf(tm.node)
	return tm, nil
}

// nameHoles returns the template of op with an identifier in the place of each hole. It
// is an error if a parameter has no hole.
func nameHoles(op *Operation) (string, error) {
	var b strings.Builder
	shown := make([]bool, len(op.Params))
	for i := 0; i < len(op.Template); i++ {
		c := op.Template[i]
		if c == '\n' {
			return "", errors.New("a newline within it")
		}
		n, end := holeNone, i+1
		if c == '$' {
			n, end = holeAt(op.Template, i)
		}
		switch {
		case n == holeNone:
			b.WriteByte(c)
		case n == holeRest && op.Variadic:
			b.WriteString(holePrefix + "R")
			n = len(op.Params) - 1
			shown[n] = true
		case n < 0 || n >= len(op.Params):
			return "", fmt.Errorf("no parameter %s", op.Template[i:end])
		default:
			b.WriteString(holePrefix + strconv.Itoa(n))
			shown[n] = true
		}
		i = end - 1
	}
	for i, ok := range shown {
		if !ok {
			return "", fmt.Errorf("parameter $%d does not occur", i)
		}
	}
	return b.String(), nil
}

func shapeOf(n ast.Node) shape {
	switch n := n.(type) {
	case *ast.CallExpr:
		return shape{'(', calleeName(n.Fun)}
	case *ast.SelectorExpr:
		return shape{'.', n.Sel.Name}
	case *ast.CompositeLit:
		return shape{'{', calleeName(n.Type)}
	case *ast.Ident:
		return shape{'n', n.Name}
	case *ast.UnaryExpr:
		return shape{'u', n.Op.String()}
	case *ast.BinaryExpr:
		return shape{'b', n.Op.String()}
	case *ast.StarExpr:
		return shape{kind: '*'}
	case *ast.IndexExpr:
		return shape{kind: '['}
	case *ast.SliceExpr:
		return shape{kind: ':'}
	case *ast.TypeAssertExpr:
		return shape{kind: 't'}
	case *ast.FuncLit:
		return shape{kind: 'f'}
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 {
			return shape{'=', calleeName(n.Lhs[0])}
		}
	}
	return shape{}
}

// calleeName returns the name that n ends in, without type arguments; empty for
// an operand, which is another in the template.
func calleeName(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		if !strings.HasPrefix(n.Name, holePrefix) && !isValueName(n.Name) {
			return n.Name
		}
	case *ast.SelectorExpr:
		return n.Sel.Name
	case *ast.IndexExpr:
		return calleeName(n.X)
	case *ast.IndexListExpr:
		return calleeName(n.X)
	}
	return ""
}

// matcher reads the statements of one text.
type matcher struct {
	*Parser
	src    []byte
	base   int              // token.Pos of src[0]
	values map[string]int32 // slot by name; -1 for a dropped one
	slots  []TypeID

	// of the candidate that is being matched
	op      *Operation
	args    []boundArg // by parameter
	rest    []Arg      // the arguments for $*
	exact   bool
	failure failure
}

type boundArg struct {
	Arg
	bound bool
}

// failure is why a statement matches nothing: the failure that came closest.
type failure struct {
	at     token.Pos
	reason string
	weight int
}

const (
	noOperation = iota + 1
	misfit
	noValue
)

func (m *matcher) fail(weight int, n ast.Node, reason func() string) bool {
	if weight > m.failure.weight {
		m.failure = failure{n.Pos(), reason(), weight}
	}
	return false
}

func (m *matcher) statement(st ast.Stmt) (Step, *Dropped) {
	m.failure = failure{}
	node, names := splitResults(st)
	for i, id := range names {
		if id.Name == "_" {
			continue
		}
		if !isValueName(id.Name) {
			m.fail(noValue, id, func() string { return id.Name + " is not the name of a value, want v0, v1, v1b ..." })
		}
		_, taken := m.values[id.Name]
		for _, earlier := range names[:i] {
			taken = taken || earlier.Name == id.Name
		}
		if taken {
			m.fail(noValue, id, func() string { return id.Name + " is declared twice" })
		}
	}
	if m.failure.weight == 0 {
		if op, ok := m.choose(node, names); ok {
			return m.accept(op, names), nil
		}
	}
	for _, id := range names {
		if _, taken := m.values[id.Name]; !taken && id.Name != "_" {
			m.values[id.Name] = -1
		}
	}
	m.fail(noOperation, node, func() string { return "no such operation" })
	shown := node
	if call, ok := node.(*ast.CallExpr); ok {
		shown = call.Fun
	}
	return Step{}, &Dropped{Text: clip(string(m.source(shown))), Reason: m.failure.reason}
}

// splitResults returns the call in st, and the names it gives to the results.
// Without names all results are unused, or there are none.
func splitResults(st ast.Stmt) (ast.Node, []*ast.Ident) {
	switch st := st.(type) {
	case *ast.ExprStmt:
		return st.X, nil
	case *ast.AssignStmt:
		if len(st.Rhs) != 1 || st.Tok != token.DEFINE && st.Tok != token.ASSIGN {
			break
		}
		names := make([]*ast.Ident, 0, len(st.Lhs))
		for _, l := range st.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || st.Tok == token.ASSIGN && id.Name != "_" {
				return st, nil
			}
			names = append(names, id)
		}
		return st.Rhs[0], names
	}
	return st, nil
}

// choose finds the operation that node is a call of, and leaves its arguments in m.
func (m *matcher) choose(node ast.Node, names []*ast.Ident) (op OpID, ok bool) {
	list := m.templates[shapeOf(node)]
	first := -1
	for i := range list {
		if m.try(&list[i], node, names) {
			if m.exact {
				return list[i].op, true
			}
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return 0, false
	}
	return list[first].op, m.try(&list[first], node, names)
}

// try matches one template.
func (m *matcher) try(tm *template, node ast.Node, names []*ast.Ident) bool {
	m.op = &m.t.Ops[tm.op]
	clear(m.args)
	m.rest = m.rest[:0]
	m.exact = true
	if !m.match(tm.node, node) {
		return false
	}
	if len(names) > 0 && len(names) != len(m.op.Results) {
		return m.fail(misfit, node, func() string {
			return fmt.Sprintf("%d results, want %d", len(m.op.Results), len(names))
		})
	}
	return true
}

// accept makes the step from the arguments that try has bound, and names its results.
func (m *matcher) accept(id OpID, names []*ast.Ident) Step {
	op := &m.t.Ops[id]
	n := op.Fewest()
	args := make([]Arg, 0, n+len(m.rest))
	for i := range n {
		args = append(args, m.args[i].Arg)
	}
	args = append(args, m.rest...)
	for i, id := range names {
		if id.Name != "_" {
			m.values[id.Name] = int32(len(m.slots) + i)
		}
	}
	m.slots = append(m.slots, op.Results...)
	return Step{Op: id, Args: args}
}

func (m *matcher) source(n ast.Node) []byte {
	return m.src[int(n.Pos())-m.base : int(n.End())-m.base]
}

// match reports whether node is template node want with operands in its holes.
func (m *matcher) match(want, node ast.Node) bool {
	switch want := want.(type) {
	case *ast.Ident:
		if strings.HasPrefix(want.Name, holePrefix) {
			return m.hole(want.Name[len(holePrefix):], node)
		}
		got, ok := node.(*ast.Ident)
		return ok && got.Name == want.Name
	case *ast.SelectorExpr:
		got, ok := node.(*ast.SelectorExpr)
		return ok && got.Sel.Name == want.Sel.Name && m.match(want.X, got.X)
	case *ast.CallExpr:
		got, ok := node.(*ast.CallExpr)
		return ok && got.Ellipsis.IsValid() == want.Ellipsis.IsValid() &&
			m.match(want.Fun, got.Fun) && m.matchList(want.Args, got.Args)
	case *ast.CompositeLit:
		got, ok := node.(*ast.CompositeLit)
		return ok && m.matchValue(reflect.ValueOf(&want.Type).Elem(), reflect.ValueOf(&got.Type).Elem()) &&
			m.matchList(want.Elts, got.Elts)
	case *ast.BasicLit:
		got, ok := node.(*ast.BasicLit)
		return ok && got.Value == want.Value
	}
	w, g := reflect.ValueOf(want), reflect.ValueOf(node)
	return w.Type() == g.Type() && m.matchValue(w.Elem(), g.Elem())
}

// matchList matches lists of expressions; a $* takes all that is left.
func (m *matcher) matchList(want, nodes []ast.Expr) bool {
	for i, w := range want {
		if id, ok := w.(*ast.Ident); ok && id.Name == holePrefix+"R" {
			for _, n := range nodes[i:] {
				if !m.hole("R", n) {
					return false
				}
			}
			return true
		}
		if i >= len(nodes) || !m.match(w, nodes[i]) {
			return false
		}
	}
	return len(nodes) == len(want)
}

var (
	posType  = reflect.TypeFor[token.Pos]()
	listType = reflect.TypeFor[[]ast.Expr]()
)

// matchValue matches any part of a syntax tree, but not where in the text it stands.
func (m *matcher) matchValue(want, got reflect.Value) bool {
	if want.Type() == posType {
		return true
	}
	switch want.Kind() {
	case reflect.Interface, reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			return want.IsNil() == got.IsNil()
		}
		if w, ok := want.Interface().(ast.Node); ok {
			return m.match(w, got.Interface().(ast.Node))
		}
		return m.matchValue(want.Elem(), got.Elem())
	case reflect.Struct:
		for i := range want.NumField() {
			if !m.matchValue(want.Field(i), got.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if want.Type() == listType {
			return m.matchList(want.Interface().([]ast.Expr), got.Interface().([]ast.Expr))
		}
		if want.Len() != got.Len() {
			return false
		}
		for i := range want.Len() {
			if !m.matchValue(want.Index(i), got.Index(i)) {
				return false
			}
		}
		return true
	}
	return want.Equal(got)
}

// hole binds the operand node to a hole: a parameter's number, or R.
func (m *matcher) hole(number string, node ast.Node) bool {
	n, isExpr := node.(ast.Expr)
	if !isExpr {
		return false
	}
	if number == "R" {
		a, ok := m.operand(n, m.op.Params[len(m.op.Params)-1])
		m.rest = append(m.rest, a)
		return ok
	}
	i := int(number[0] - '0')
	if len(number) > 1 {
		i, _ = strconv.Atoi(number)
	}
	a, ok := m.operand(n, m.op.Params[i])
	if !ok {
		return false
	}
	if b := &m.args[i]; !b.bound {
		*b = boundArg{a, true}
	} else if !b.Arg.Equal(a) {
		return false
	}
	return true
}

// compact returns the text of a type without the blanks that do not matter.
func compact(name string) string {
	if !strings.ContainsAny(name, " \t\n\r") {
		return name
	}
	var b strings.Builder
	for _, f := range strings.Fields(name) {
		if s := b.String(); s != "" && isIdentByte(s[len(s)-1]) && isIdentByte(f[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(f)
	}
	return b.String()
}
