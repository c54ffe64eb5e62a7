package seq

import (
	"go/ast"
	"go/token"
	"strings"
)

// OneLine returns the canonical text of s with its statements separated by "; ".
func (t *Table) OneLine(s Sequence) string { return string(t.appendSteps(nil, s, "; ", nil)) }

// Lines returns text, statements on one line or several, with each on a line of its
// own. It knows no operations: ok says that all have the form of a step, an
// assignment or a call, and that there is at least one.
func Lines(text string) (lines string, ok bool) {
	if checkLimits(text) != nil {
		return "", false
	}
	src := filePrefix + text + fileSuffix
	fset := token.NewFileSet()
	body, err := parseBody(fset, src)
	if err != nil || body == nil || len(body.List) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, st := range body.List {
		switch st := st.(type) {
		case *ast.AssignStmt:
		case *ast.ExprStmt:
			if _, isCall := st.X.(*ast.CallExpr); !isCall {
				return "", false
			}
		default:
			return "", false
		}
		b.WriteString(src[fset.PositionFor(st.Pos(), false).Offset:fset.PositionFor(st.End(), false).Offset])
		b.WriteByte('\n')
	}
	return b.String(), true
}
