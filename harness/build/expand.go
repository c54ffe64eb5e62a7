package build

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A variable of a template stands for an argument, a result or the variadic arguments.
type variable struct {
	kind byte // 'a' $0, 'r' $r0, '*' $*
	n    int  // of $n and $rn
}

// variables matches a variable, or a literal: a $ inside one is text.
var variables = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|\\$(?:\\*|r?[0-9]+)")

// expand returns a template with each variable replaced by its name.
func expand(template string, name func(variable) string) string {
	return variables.ReplaceAllStringFunc(template, func(s string) string {
		switch {
		case s[0] != '$':
			return s
		case s == "$*":
			return name(variable{kind: '*'})
		}
		v := variable{kind: 'a'}
		digits, isResult := strings.CutPrefix(s[1:], "r")
		if isResult {
			v.kind = 'r'
		}
		v.n, _ = strconv.Atoi(digits)
		return name(v)
	})
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
