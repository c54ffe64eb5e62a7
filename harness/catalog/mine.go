package catalog

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// maxMined bounds the values mined for one type, maxMinedText their length if strings.
const (
	maxMined     = 256
	maxMinedText = 200
)

// A rank orders literals by their place in the source: a lower one is more telling.
type rank int

const (
	compared rank = iota // an operand of a comparison, a case, the text of a search
	declared             // a constant
	plain                // any other literal of the package
	example              // of its tests and examples
	message              // a format, the text of an error
	ranks
)

// A literalFind is one literal, and where it stood first.
type literalFind struct {
	value constant.Value
	typ   string // key of its type; "" when it is not known or untyped
	char  bool   // written as a character
	rank  rank
	order int // of first appearance
}

// mined is the literals of a package.
type mined struct {
	f     *finder
	finds map[string]*literalFind // by type and value
	order int
}

// mine collects the literals of the package and of its tests.
func (f *finder) mine() *mined {
	m := &mined{f: f, finds: map[string]*literalFind{}}
	for _, file := range f.in.Files {
		m.file(file, plain)
	}
	for _, file := range f.in.TestFiles {
		m.file(file, example)
	}
	return m
}

// file collects the literals of one file. base is the rank of a literal without a
// special place.
func (m *mined) file(file *ast.File, base rank) {
	telling := m.tellingPlaces(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				return false
			}
		case ast.Expr:
			v, typ := m.constant(n)
			if v == nil {
				return true
			}
			r, ok := telling[n]
			if !ok || base == example {
				r = max(r, base)
			}
			m.add(v, typ, isCharacter(n), r)
			return false
		}
		return true
	})
}

// constant returns the value of a constant expression that is a literal, is
// made of literals, or names a constant; and the key of its type.
func (m *mined) constant(e ast.Expr) (constant.Value, string) {
	if tv, ok := m.f.in.Info.Types[e]; ok {
		if tv.Value == nil {
			return nil, ""
		}
		if b, ok := types.Unalias(tv.Type).(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			return tv.Value, ""
		}
		return tv.Value, typeKey(tv.Type)
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.IMAG {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0), ""
		}
	case *ast.UnaryExpr:
		if v, _ := m.constant(e.X); v != nil && e.Op == token.SUB && v.Kind() != constant.String {
			return constant.UnaryOp(token.SUB, v, 0), ""
		}
	}
	return nil, ""
}

// tellingPlaces ranks the expressions of a file that stand in a place more or less
// telling than others.
func (m *mined) tellingPlaces(file *ast.File) map[ast.Expr]rank {
	places := map[ast.Expr]rank{}
	mark := func(r rank, list ...ast.Expr) {
		for _, e := range list {
			if _, ok := places[e]; !ok {
				places[e] = r
			}
		}
	}
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				mark(compared, n.X, n.Y)
			}
		case *ast.CaseClause:
			mark(compared, n.List...)
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				for _, spec := range n.Specs {
					mark(declared, spec.(*ast.ValueSpec).Values...)
				}
			}
		case *ast.CallExpr:
			mark(callRank(n), n.Args...)
		}
	}
	return places
}

// callRank ranks the arguments of a call by the name of the function.
func callRank(call *ast.CallExpr) rank {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if fun.Name == "panic" || strings.HasSuffix(fun.Name, "rrorf") {
			return message
		}
	case *ast.SelectorExpr:
		x, _ := fun.X.(*ast.Ident)
		switch name := fun.Sel.Name; {
		case x != nil && (x.Name == "strings" || x.Name == "bytes"):
			return compared
		case x != nil && x.Name == "errors", strings.HasSuffix(name, "f") && name != "If",
			strings.HasPrefix(name, "Error"), strings.HasPrefix(name, "Fatal"), strings.HasPrefix(name, "Log"), name == "Skip", name == "Run":
			return message
		}
	}
	return plain
}

func (m *mined) add(v constant.Value, typ string, char bool, r rank) {
	switch v.Kind() {
	case constant.String:
		s := constant.StringVal(v)
		if len(s) > maxMinedText {
			return
		}
		if r != compared && (strings.Contains(s, "%") && strings.Contains(s, " ") || strings.Count(s, " ") >= 2 && r == plain) {
			r = message
		}
	case constant.Int, constant.Float:
	default:
		return
	}
	m.order++
	key := typ + " " + v.ExactString()
	old := m.finds[key]
	if old == nil {
		m.finds[key] = &literalFind{value: v, typ: typ, char: char, rank: r, order: m.order}
		return
	}
	old.rank, old.char = min(r, old.rank), char || old.char
}

// of returns the mined values for type t, described by ty. Values of type t itself
// come first, then untyped ones, then others.
func (m *mined) of(t types.Type, ty seq.Type) []string {
	if ty.Literal != seq.Int && ty.Literal != seq.Uint && ty.Literal != seq.Float && ty.Literal != seq.String {
		return nil
	}
	key := typeKey(t)
	list := slices.AppendSeq(m.foreignConstants(t), maps.Values(m.finds))
	slices.SortFunc(list, func(a, b *literalFind) int {
		if c := cmp.Or(
			cmp.Compare(m.distance(a, key, ty), m.distance(b, key, ty)),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.order, b.order), cmp.Compare(a.typ, b.typ)); c != 0 {
			return c
		}
		return strings.Compare(a.value.ExactString(), b.value.ExactString()) // a constant and a literal, each counted on its own; to quote takes long
	})
	var texts []string
	seen := map[string]bool{}
	for _, fd := range list {
		text, ok := literalText(fd, ty)
		if !ok || seen[text] || !ty.Basic && fd.typ != key && len(texts) >= maxUntyped {
			continue
		}
		seen[text] = true
		if texts = append(texts, text); len(texts) == maxMined {
			break
		}
	}
	return texts
}

// maxUntyped bounds the values that a named type gets from other types.
const maxUntyped = 32

// distance returns how far the type of a find is from the type with the given key.
func (m *mined) distance(fd *literalFind, key string, ty seq.Type) int {
	switch {
	case fd.typ == key, ty.Literal == seq.String && fd.char:
		return 0
	case ty.Basic && fd.typ == "":
		return 0
	case fd.typ == "":
		return 1
	}
	return 2
}

// foreignConstants returns the constants of a named type, of the package under
// test or another.
func (m *mined) foreignConstants(t types.Type) []*literalFind {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	var list []*literalFind
	scope := named.Obj().Pkg().Scope()
	for i, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), t) {
			list = append(list, &literalFind{value: c.Val(), typ: typeKey(t), rank: declared, order: i})
		}
	}
	return list
}

// literalText writes a find as a Go literal of type ty, if it is a value of it.
func literalText(fd *literalFind, ty seq.Type) (string, bool) {
	if ty.Literal == seq.String && fd.value.Kind() == constant.Int { // a character that some scanner looks for
		n, exact := constant.Int64Val(fd.value)
		return strconv.Quote(string(rune(n))), exact && fd.rank == compared && fd.char && n > 0 && n < 0x110000
	}
	v, ok := seq.ConstantAs(fd.value, &ty)
	switch v := v.(type) {
	case string:
		return strconv.Quote(v), ok
	case int64:
		return strconv.FormatInt(v, 10), ok
	case uint64:
		return strconv.FormatUint(v, 10), ok
	case float64:
		return strconv.FormatFloat(v, 'g', -1, int(ty.Bits)), ok
	}
	return "", false
}

func isCharacter(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.CHAR
}
