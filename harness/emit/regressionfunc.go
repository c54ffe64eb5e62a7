package emit

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// regressionFunc writes the body of one test function.
type regressionFunc struct {
	w      *regressionWriter
	test   *regression.Test
	r      *renderer
	used   map[string]bool // names of variables
	fields []tableField
	wants  map[[2]int]string // by step and result: the field that holds the wanted value
	calls  map[int]string    // by step: … which calls are
	lits   map[[2]int]string // by step and argument: the field that holds a literal
	// Names of results that only their assertions use, of statements before.
	standing []string
}

// body returns the statements of one run.
func (f *regressionFunc) body() string {
	t := f.test
	f.r = newRenderer(f.w.t, t.Steps, f.kept())
	f.r.fields = f.lits
	f.rename()
	var b strings.Builder
	b.WriteString(f.w.variablesBack(t.Steps))
	for i := range t.Steps {
		switch {
		case f.r.inlined[i]:
		case t.Asserts[i] == nil && t.Calls[i] == nil:
			f.r.statement(&b, i)
		default:
			f.asserted(&b, i)
		}
	}
	for n, e := range t.Ends {
		f.end(&b, n, e)
	}
	return b.String()
}

// kept returns the slots that need a name: those compared with others, and all
// with assertions in a step that has used results.
func (f *regressionFunc) kept() []int32 {
	t := f.test
	var list []int32
	for _, e := range t.Ends {
		list = append(list, e.Slot)
	}
	for i := range t.Steps {
		for _, r := range t.Asserts[i] {
			if r.How == regression.Same {
				list = append(list, r.Slot)
			}
		}
	}
	// Those that are compared with may make others of their step need one.
	for again := true; again; {
		again = false
		slot := int32(0)
		for i := range t.Steps {
			n := int32(len(f.w.t.Ops[t.Steps[i].Op].Results))
			named := false
			for s := slot; s < slot+n; s++ {
				named = named || slices.Contains(list, s) || len(seq.Uses(t.Steps, s)) > 0
			}
			for k, r := range t.Asserts[i] {
				if s := slot + int32(k); named && r.How != regression.None && !slices.Contains(list, s) {
					list, again = append(list, s), true
				}
			}
			slot += n
		}
	}
	return list
}

// rename gives variables names after their types: l, e, e2.
func (f *regressionFunc) rename() {
	f.used = map[string]bool{f.w.testVar: true, f.w.row: true, "i": true, "got": true}
	for _, im := range f.w.t.Imports {
		f.used[im.Name] = true
	}
	for _, p := range standard {
		f.used[f.w.t.ImportName(p)] = true
	}
	for i := range f.test.Steps {
		if op := f.r.op(i); op.Kind == seq.FuncLit && len(op.Params) > 0 {
			f.takeNames(op)
		}
	}
	for slot, name := range f.r.names {
		if name != "" {
			f.r.names[slot] = unusedName(variable(f.w.t.Types[f.r.typ(int32(slot))].Name), f.used)
		}
	}
}

// takeNames takes the names in a function literal: it may hold variables, which none of its own
// may hide.
func (f *regressionFunc) takeNames(op *seq.Operation) {
	fn := parseFuncLit(strings.ReplaceAll(op.Template, "$", "_"))
	if fn == nil {
		return
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.used[id.Name] = true
		}
		return true
	})
}

// variable returns a name for a variable of a type: "e" for *list.Element. It
// is "tree" for *btree.BTreeG[int], where function literals or tests use the
// single letter.
func variable(typ string) string {
	switch base := strings.TrimLeft(typ, "*&"); {
	case strings.HasPrefix(base, "func("):
		return "fn"
	case strings.HasPrefix(base, "["):
		return "list"
	case strings.HasPrefix(base, "map["):
		return "m"
	case strings.HasPrefix(base, "chan ") || strings.HasPrefix(base, "<-"):
		return "ch"
	case base == "any" || strings.HasPrefix(base, "interface"):
		return "v"
	case base == "error":
		return "err"
	case base == "bool":
		return "ok"
	case base == "string":
		return "s"
	case strings.HasPrefix(base, "int") || strings.HasPrefix(base, "uint"):
		return "n"
	default:
		base, _, _ = strings.Cut(base, "[")
		base = base[strings.LastIndex(base, ".")+1:]
		letter := strings.ToLower(base[:1])
		if letter >= "g" && letter <= "z" && letter != "t" && letter != "x" && token.IsIdentifier(letter) || letter == "e" {
			return letter
		}
		word := lowerFirst(base)
		if !token.IsIdentifier(word) || predeclared[word] {
			return "v"
		}
		return word
	}
}

// lowerFirst returns an exported name as Go would have it unexported: "astNode" for ASTNode.
func lowerFirst(name string) string {
	n := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsUpper(r) })
	switch {
	case n < 0:
		return strings.ToLower(name)
	case n > 1:
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}
