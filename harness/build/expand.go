package build

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// A piece is a part of a template: text, or a variable in it.
type piece struct {
	text string
	kind byte // 0 text, 'a' $0, 'r' $r0, '*' $*
	n    int  // of $n and $rn
}

// pieces splits a template. A $ inside a literal is text.
func pieces(template string) []piece {
	var ps []piece
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			ps = append(ps, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(template); {
		c := template[i]
		if c == '"' || c == '\'' || c == '`' {
			end := literalEnd(template, i)
			text.WriteString(template[i:end])
			i = end
			continue
		}
		if p, width := variable(template[i:]); width > 0 {
			flush()
			ps = append(ps, p)
			i += width
			continue
		}
		text.WriteByte(c)
		i++
	}
	flush()
	return ps
}

// variable reads $*, $3 or $r3 at the start of s; its width is zero if there is none.
func variable(s string) (piece, int) {
	if strings.HasPrefix(s, "$*") {
		return piece{kind: '*'}, 2
	}
	kind, from := byte('a'), 1
	if strings.HasPrefix(s, "$r") {
		kind, from = 'r', 2
	}
	if !strings.HasPrefix(s, "$") {
		return piece{}, 0
	}
	end := from
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[from:end])
	if err != nil {
		return piece{}, 0
	}
	return piece{kind: kind, n: n}, end
}

func literalEnd(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// expand returns the text of a template with each variable replaced by its
// name.
func expand(ps []piece, name func(piece) string) string {
	var b strings.Builder
	for _, p := range ps {
		if p.kind == 0 {
			b.WriteString(p.text)
		} else {
			b.WriteString(name(p))
		}
	}
	return b.String()
}

// restName is the variable that holds the arguments of $*.
const restName = "forayRest"

// spread rewrites an expression or statement with a restName, which stands for
// any number of values, to take them from the slice of that name. f(a, rest)
// becomes f(a, rest...), []T{a, rest} becomes append([]T{a}, rest...), and
// &T{rest} the address of the latter. An array is filled by copying.
func spread(text string) (string, error) {
	head := "package p\nfunc _() {\n"
	if !strings.HasPrefix(text, "if ") {
		head += "_ = "
	}
	src := head + text + "\n}"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, 0)
	if err != nil {
		return "", fmt.Errorf("%q: %w", text, err)
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset - len(head) }
	out := ""
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if endsInRest(n.Args) {
				end := at(n.Args[len(n.Args)-1].End())
				out = text[:end] + "..." + text[end:]
			}
		case *ast.CompositeLit:
			if !endsInRest(n.Elts) {
				return true
			}
			rest := at(n.Elts[len(n.Elts)-1].Pos())
			before := strings.TrimRight(strings.TrimSpace(text[:rest]), ",")
			from, to := at(n.Pos()), at(n.End())
			if a, ok := n.Type.(*ast.ArrayType); ok && a.Len != nil {
				typ := text[at(a.Pos()):at(a.End())]
				out = fmt.Sprintf("%sfunc() (a %s) { copy(a[:], %s); return }()%s", text[:from], typ, restName, text[to:])
			} else if head, ok := strings.CutSuffix(text[:from], "&"); ok {
				typ := text[at(n.Type.Pos()):at(n.Type.End())]
				out = fmt.Sprintf("%sfunc() *%s { x := append(%s}, %s...); return &x }()%s", head, typ, before[from:], restName, text[to:])
			} else {
				out = text[:from] + "append(" + before[from:] + "}, " + restName + "...)" + text[to:]
			}
		}
		return out == ""
	})
	if out == "" {
		return "", fmt.Errorf("%q: $* stands neither last in a call nor last in a composite literal", text)
	}
	return out, nil
}

func endsInRest(list []ast.Expr) bool {
	if len(list) == 0 {
		return false
	}
	id, ok := list[len(list)-1].(*ast.Ident)
	return ok && id.Name == restName
}
