package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"foray.test/cmd/internal/concolic"
	"foray.test/coverage"
)

// taken reports whether the package itself has taken a side of an If, by the position of its
// condition. It knows conditions and clauses of switches.
func (s *Search) taken(side int32) bool {
	return slices.ContainsFunc(s.conditionSides(side), s.Covered)
}

// conditionSides returns the sides of a condition of which one is taken if a side of an If is,
// none if they are not known.
func (s *Search) conditionSides(side int32) []int {
	site := &s.m.Sites[side/2]
	if site.Kind != concolic.If || !site.Pos.IsValid() {
		return nil
	}
	if e := s.places.at(s.prog.Fset.PositionFor(site.Pos, false)); e != nil {
		return e.sides[side&1]
	}
	return nil
}

// A conditionMap finds the condition at a position.
type conditionMap struct {
	fset   *token.FileSet
	files  map[string][]extent // by the name without directory
	parsed map[string]map[position][]ast.Node
}

func newConditionMap(conds []coverage.Condition, path string) *conditionMap {
	m := &conditionMap{fset: token.NewFileSet(), files: map[string][]extent{}, parsed: map[string]map[position][]ast.Node{}}
	for i := range conds {
		if c := &conds[i]; c.Package == path {
			m.add(c)
		}
	}
	m.parsed = nil
	return m
}

type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

// extent is where an expression stands that is a condition, or one of a case. It is true,
// or false, if one of some sides is taken.
type extent struct {
	from, to position
	sides    [2][]int
}

// add notes where the expressions of a condition stand. They are left out if the file has
// changed.
func (m *conditionMap) add(c *coverage.Condition) {
	for _, n := range m.nodes(c.File)[position{c.Line, c.Col}] {
		switch n := n.(type) {
		case ast.Expr:
			if c.Kind == coverage.Bool && types.ExprString(ast.Unparen(n)) == c.Text {
				m.note(c.File, n, []int{c.First + 1}, []int{c.First})
				return
			}
		case *ast.SwitchStmt:
			if c.Kind != coverage.Switch || len(n.Body.List) > len(c.Sides) {
				continue
			}
			var all []int
			for i := range c.Sides {
				all = append(all, c.First+i)
			}
			for i, clause := range n.Body.List {
				others := slices.Delete(slices.Clone(all), i, i+1)
				for _, e := range clause.(*ast.CaseClause).List {
					m.note(c.File, e, all[i:i+1], others)
				}
			}
			return
		}
	}
}

func (m *conditionMap) note(file string, n ast.Expr, sides ...[]int) {
	file = filepath.Base(file)
	m.files[file] = append(m.files[file], extent{m.position(n.Pos()), m.position(n.End()), [2][]int(sides)})
}

func (m *conditionMap) position(p token.Pos) position {
	at := m.fset.PositionFor(p, false)
	return position{at.Line, at.Column}
}

// nodes returns the nodes of a file by the places where they begin.
func (m *conditionMap) nodes(file string) map[position][]ast.Node {
	list, ok := m.parsed[file]
	if ok {
		return list
	}
	list = map[position][]ast.Node{}
	m.parsed[file] = list
	f, err := parser.ParseFile(m.fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return list
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			at := m.position(n.Pos())
			list[at] = append(list[at], n)
		}
		return true
	})
	return list
}

// at returns the innermost expression around a position, or nil.
func (m *conditionMap) at(p token.Position) *extent {
	at := position{p.Line, p.Column}
	var inner *extent
	list := m.files[filepath.Base(p.Filename)]
	for i := range list {
		if e := &list[i]; !at.before(e.from) && at.before(e.to) && (inner == nil || inner.from.before(e.from)) {
			inner = e
		}
	}
	return inner
}
