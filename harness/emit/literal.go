package emit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"

	"foray.test/engine/seq"
)

// appendLiteral appends the text of l at hole h, which wants type want, as people write it.
// A byte or rune is 'v', a duration time.Hour, text with quotes `{"a": 1}`.
func (r *renderer) appendLiteral(dst []byte, l *seq.Literal, want seq.TypeID, h seq.Hole) []byte {
	ty := &r.t.Types[l.Type]
	isUntyped := h.Place() == seq.Argument && l.Type == want && r.t.Wrap(h, l.Type, want) == ""
	if c, ok := ty.Character(l.Value); ok && isUntyped {
		return strconv.AppendQuoteRune(dst, c)
	}
	if n, ok := l.Value.(int64); ok && ty.Duration() {
		return r.appendDuration(dst, n, h.Place(), isUntyped)
	}
	return verbatim(r.t.AppendLiteral(dst, l, want, h), l)
}

// verbatim returns text, which ends with l, with the string of l in back quotes if it holds
// double quotes and a single line.
func verbatim(text []byte, l *seq.Literal) []byte {
	if s, ok := l.Value.(string); ok {
		quoted := strconv.AppendQuote(nil, s)
		if i := bytes.LastIndex(text, quoted); i >= 0 {
			return slices.Replace(text, i, i+len(quoted), []byte(seq.QuoteText(s))...)
		}
	}
	return text
}

// duration returns the duration that step i converts a literal to, if it does that.
func (r *renderer) duration(i int) (int64, bool) {
	op, args := r.op(i), r.s[i].Args
	if op.Kind != seq.Convert || len(args) != 1 || args[0].Lit == nil || r.fields[[2]int{i, 0}] != "" || len(op.Results) != 1 || !r.t.Types[op.Results[0]].Duration() {
		return 0, false
	}
	n, ok := args[0].Lit.Value.(int64)
	return n, ok
}

// units are the constants of package time, the longest first.
var units = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
	{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}, {time.Nanosecond, "Nanosecond"},
}

// maxUnits is the most of a unit that people count: more is a number.
const maxUnits = 100000

// appendDuration appends a duration of n nanoseconds. isUntyped says that a number alone
// would be a duration there.
func (r *renderer) appendDuration(dst []byte, n int64, at seq.Place, isUntyped bool) []byte {
	pkg := r.t.ImportName("time")
	for _, u := range units {
		k := n / int64(u.size)
		if n == 0 || n%int64(u.size) != 0 || k > maxUnits || k < -maxUnits {
			continue
		}
		text := strconv.FormatInt(k, 10) + "*" + pkg + "." + u.name
		switch k {
		case 1:
			text = pkg + "." + u.name
		case -1:
			text = "-" + pkg + "." + u.name
		}
		if at == seq.Operand && k != 1 {
			text = "(" + text + ")"
		}
		return append(dst, text...)
	}
	if isUntyped {
		return strconv.AppendInt(dst, n, 10)
	}
	return append(strconv.AppendInt(append(dst, pkg+".Duration("...), n, 10), ')')
}

// renameParams returns the text of a function literal with its parameters named after their
// types, or without names if its body uses none of them.
func renameParams(text string) string {
	fn := parseFuncLit(text)
	if fn == nil {
		return text
	}
	var params []*ast.Ident
	types := map[string]string{} // of the parameters, by name
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			params = append(params, id)
			types[id.Name] = typeText(text, field.Type)
		}
	}
	uses, others, clear := paramUses(fn.Body, types)
	switch {
	case !clear:
		return text
	case len(uses) == 0:
		return withoutNames(text, fn)
	}
	var edits []edit
	names := map[string]string{}
	for _, id := range params {
		names[id.Name] = unusedName(parameter(types[id.Name]), others)
	}
	for _, id := range slices.Concat(params, uses) {
		edits = append(edits, edit{id.Pos(), id.End(), names[id.Name]})
	}
	return apply(text, edits)
}

// paramUses returns the uses of parameters in the body of a function, and the other names in
// it. It reports false if a name in it may be one of a parameter or not.
func paramUses(body *ast.BlockStmt, params map[string]string) (uses []*ast.Ident, others map[string]bool, clear bool) {
	others, clear = map[string]bool{}, true
	isParam := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && params[id.Name] != ""
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // of a nested function
			clear = clear && !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return isParam(id) })
		case *ast.AssignStmt:
			clear = clear && !(n.Tok == token.DEFINE && slices.ContainsFunc(n.Lhs, isParam))
		case *ast.RangeStmt:
			clear = clear && !isParam(n.Key) && !isParam(n.Value)
		case *ast.KeyValueExpr:
			clear = clear && !isParam(n.Key) // it may be a field
		case *ast.SelectorExpr:
			clear = clear && !isParam(n.Sel)
		case *ast.Ident:
			if isParam(n) {
				uses = append(uses, n)
			} else {
				others[n.Name] = true
			}
		}
		return true
	})
	return uses, others, clear
}

// before stands before the text of an expression in a file.
const before = "package p; var _ = "

// parseFuncLit returns the syntax of a function literal, nil if text is none. Its positions
// count from 1, and include before.
func parseFuncLit(text string) *ast.FuncLit {
	f, err := parser.ParseFile(token.NewFileSet(), "", before+text, 0)
	if err != nil {
		return nil
	}
	decl, _ := f.Decls[0].(*ast.GenDecl)
	fn, _ := decl.Specs[0].(*ast.ValueSpec).Values[0].(*ast.FuncLit)
	return fn
}

func typeText(text string, typ ast.Expr) string {
	const offset = token.Pos(len(before) + 1)
	return text[typ.Pos()-offset : typ.End()-offset]
}

// parameter returns a name for a parameter of a type.
func parameter(typ string) string {
	switch typ = strings.TrimPrefix(typ, "..."); {
	case typ == "context.Context":
		return "ctx"
	case typ == "rune":
		return "r"
	case typ == "byte":
		return "c"
	case strings.HasPrefix(typ, "float"):
		return "x"
	case strings.HasPrefix(typ, "func("):
		return "f"
	}
	return variable(typ)
}

// unusedName returns base, followed by a number if it is taken, and takes it.
func unusedName(base string, taken map[string]bool) string {
	name := numbered(base, func(name string) bool { return taken[name] })
	taken[name] = true
	return name
}

// numbered returns base, followed by a number if it is taken.
func numbered(base string, taken func(name string) bool) string {
	name := base
	for n := 2; taken(name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

// withoutNames returns the text of a function literal without the names of its parameters.
func withoutNames(text string, fn *ast.FuncLit) string {
	var types []string
	for _, field := range fn.Type.Params.List {
		for range max(len(field.Names), 1) {
			types = append(types, typeText(text, field.Type))
		}
	}
	return apply(text, []edit{{fn.Type.Params.Opening + 1, fn.Type.Params.Closing, strings.Join(types, ", ")}})
}

// An edit replaces the text from pos to end, which count as those of parseFuncLit do.
type edit struct {
	pos, end token.Pos
	text     string
}

// apply returns text after edits that do not overlap.
func apply(text string, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return int(b.pos - a.pos) })
	const offset = token.Pos(len(before) + 1)
	for _, e := range edits {
		text = text[:e.pos-offset] + e.text + text[e.end-offset:]
	}
	return text
}
