package usage

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/catalog"
)

// Bounds on the functions of [Handed].
const (
	maxFuncs    = 64  // in all
	maxSameType = 4   // of one type
	maxFuncText = 300 // bytes of a function
)

// A source is a function of the tests, as far as other programs can have it: a func literal, or
// the type and body of a declared function.
type source struct {
	info *types.Info
	pkg  *types.Package // under test, without its tests
	fn   *ast.FuncLit
}

// A namer returns the name that a package goes by, given its import path and its own name.
// It returns "" if the package cannot be named.
type namer = func(path, name string) string

// functions returns the functions of tests that stand for themselves, by their types: see [source.standsAlone].
func (h *handed) functions(p *load.Package, tests []load.Tests) []catalog.Func {
	var found []catalog.Func
	seen, alike := map[string]bool{}, map[string]int{}
	add := func(s source, t types.Type) {
		if len(found) == maxFuncs || t == nil || !s.standsAlone() {
			return
		}
		sig := h.signature(t)
		text, ok := s.text(func(_, name string) string { return name })
		if sig == nil || !ok || seen[text] {
			return
		}
		key := catalog.TypeText(sig, (*types.Package).Path)
		if alike[key]++; alike[key] > maxSameType {
			return
		}
		seen[text] = true
		found = append(found, catalog.Func{Type: sig, Text: s.text})
	}
	for _, unit := range tests {
		for _, f := range unit.Files {
			for n := range ast.Preorder(f) {
				s := source{info: unit.Info, pkg: p.Types}
				switch n := n.(type) {
				case *ast.FuncLit:
					s.fn = n
					add(s, unit.Info.Types[n].Type)
				case *ast.FuncDecl:
					if obj := unit.Info.Defs[n.Name]; obj != nil && n.Recv == nil && n.Type.TypeParams == nil && n.Body != nil {
						s.fn = &ast.FuncLit{Type: n.Type, Body: n.Body}
						add(s, obj.Type())
					}
				}
			}
		}
	}
	return found
}

// signature returns the type of a function as the package under test knows it, nil if it
// depends on types that only the tests declare.
func (h *handed) signature(t types.Type) *types.Signature {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	tuple := func(of *types.Tuple) (*types.Tuple, bool) {
		var vars []*types.Var
		for v := range of.Variables() {
			t := v.Type()
			if !types.IsInterface(t) || isAny(t) { // others keep their identity, or have none
				t = h.written(t)
			}
			if t == nil {
				return nil, false
			}
			vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
		}
		return types.NewTuple(vars...), true
	}
	params, ok := tuple(sig.Params())
	results, all := tuple(sig.Results())
	if !ok || !all {
		return nil
	}
	return types.NewSignatureType(nil, nil, nil, params, results, sig.Variadic())
}

// pure are packages of the standard library whose functions depend on their arguments only,
// and change nothing else.
var pure = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "fmt": true, "maps": true, "math": true, "math/big": true, "math/bits": true, "path": true, "reflect": true,
	"regexp": true, "slices": true, "sort": true, "strconv": true, "strings": true, "time": true, "unicode": true, "unicode/utf8": true,
}

// impure matches the names of functions of these that do not.
var impure = regexp.MustCompile(`^(Print|Scan|Fscan|Now$|Since$|Until$|Sleep$|After|Tick$|NewTimer$|NewTicker$|Local$|LoadLocation)`)

// local matches names that mean something else in sequences.
var local = regexp.MustCompile(`^(v\d+[a-z]?|[rx]\d+)$`)

// standsAlone reports whether a function can be written elsewhere and does the same there. It
// captures nothing, names nothing but exported parts of the package under test and functions of the
// standard library without side effects, starts no goroutine, and uses no channel.
func (s source) standsAlone() bool {
	if len(s.fn.Body.List) == 0 || s.fn.End()-s.fn.Pos() > 2*maxFuncText {
		return false
	}
	for n := range ast.Preorder(s.fn) {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType, *ast.LabeledStmt:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return false
			}
		case *ast.Ident:
			if !s.known(n) {
				return false
			}
		}
	}
	return true
}

// known reports whether an identifier of the function means the same elsewhere.
func (s source) known(id *ast.Ident) bool {
	obj := s.info.Uses[id]
	if obj == nil {
		def := s.info.Defs[id]
		return (def != nil || s.info.Implicits[id] != nil || id.Name == "_" || s.declares(id)) && !local.MatchString(id.Name)
	}
	if name, ok := obj.(*types.PkgName); ok {
		path := name.Imported().Path()
		return path == s.pkg.Path() || pure[path]
	}
	switch {
	case obj.Pkg() == nil:
		return true
	case s.fn.Pos() <= obj.Pos() && obj.Pos() < s.fn.End():
		return true
	case obj.Pkg().Path() == s.pkg.Path():
		return obj.Exported() && (obj.Parent() == nil || obj.Parent() == obj.Pkg().Scope() && s.pkg.Scope().Lookup(obj.Name()) != nil)
	}
	return obj.Parent() == nil || pure[obj.Pkg().Path()] && !impure.MatchString(obj.Name())
}

// declares reports whether id is the variable of a type switch, which has an object in each case only.
func (s source) declares(id *ast.Ident) bool {
	for n := range ast.Preorder(s.fn) {
		if sw, ok := n.(*ast.TypeSwitchStmt); ok {
			if as, ok := sw.Assign.(*ast.AssignStmt); ok && as.Lhs[0] == id {
				return true
			}
		}
	}
	return false
}

// text returns the function on one line, as a program writes it that has names for packages.
// It reports false if there is no such text.
func (s source) text(name namer) (string, bool) {
	var names []string
	ok := true
	qualifier := func(p *types.Package) string {
		to := name(p.Path(), p.Name())
		ok = ok && to != "" && !s.hasLocal(to)
		return to
	}
	qualified := map[*ast.Ident]bool{}
	for n := range ast.Preorder(s.fn) {
		if sel, isSel := n.(*ast.SelectorExpr); isSel {
			qualified[sel.Sel] = true
		}
		id, isIdent := n.(*ast.Ident)
		if !isIdent {
			continue
		}
		to, obj := id.Name, s.info.Uses[id]
		if p, isName := obj.(*types.PkgName); isName {
			to = qualifier(p.Imported())
		} else if obj != nil && !qualified[id] && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			to = qualifier(obj.Pkg()) + "." + to
		}
		names = append(names, to)
	}
	var b strings.Builder
	if !ok || printer.Fprint(&b, token.NewFileSet(), s.fn) != nil {
		return "", false
	}
	text := oneLine(b.String(), names)
	if text == "" || len(text) > maxFuncText || strings.ContainsAny(text, "$`") {
		return "", false
	}
	return text, true
}

// hasLocal reports whether the function declares a name.
func (s source) hasLocal(name string) bool {
	for n := range ast.Preorder(s.fn) {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && s.info.Defs[id] != nil {
			return true
		}
	}
	return false
}

// oneLine returns the text of an expression on one line, without comments and with other names for
// its identifiers. It returns "" if there is no such text.
func oneLine(text string, names []string) string {
	var sc scanner.Scanner
	src := []byte(text)
	file := token.NewFileSet().AddFile("", 1, len(src))
	sc.Init(file, src, nil, 0)
	var b strings.Builder
	end, ended := 0, false // of the token before; whether a statement ends there
	before := token.ILLEGAL
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			ended = true
			continue
		}
		at := file.Offset(pos)
		closes := tok == token.RBRACE || tok == token.RPAREN || tok == token.RBRACK
		switch gap := text[end:at]; {
		case !strings.Contains(gap, "\n"):
			b.WriteString(gap)
		case ended && !closes:
			b.WriteString("; ")
		case tok != token.RPAREN && before != token.LPAREN:
			b.WriteByte(' ')
		}
		lit = cmp.Or(lit, tok.String())
		end, ended, before = at+len(lit), false, tok
		if tok == token.IDENT {
			if len(names) == 0 {
				return ""
			}
			lit, names = names[0], names[1:]
		}
		b.WriteString(lit)
	}
	out := b.String()
	if _, err := parser.ParseExpr(out); err != nil || len(names) > 0 || strings.Contains(out, "\n") {
		return ""
	}
	return out
}
