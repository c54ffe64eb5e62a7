package build

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// The names of the two generated files. The second one, which only hidden types
// need, belongs to the package itself and gives them names.
const (
	adaptersFile = "foray_adapters_test.go"
	typesFile    = "foray_types_test.go"
)

// A generator writes the adapters of a table. It leaves out parts that failed
// to compile before.
type generator struct {
	table  *seq.Table
	target *Target
	hash   string // of the table

	dropped     map[seq.OpID]string // why
	badType     map[seq.TypeID]bool // has no name that compiles
	badDecl     map[int]bool
	badImport   map[string]string // by path: why
	unused      map[string]bool   // imports, by path, that only seem to be used
	badCase     map[[2]seq.TypeID]bool
	converters  map[seq.TypeID]bool
	file        string
	b           *bytes.Buffer
	usesRest    bool
	hiddenNames map[seq.TypeID]string // names that the package itself has for hidden types
}

func newGenerator(t *seq.Table, target *Target, hash string) *generator {
	g := &generator{
		table: t, target: target, hash: hash,
		dropped: make(map[seq.OpID]string), badType: make(map[seq.TypeID]bool), badDecl: make(map[int]bool),
		badImport: make(map[string]string), badCase: make(map[[2]seq.TypeID]bool), unused: make(map[string]bool), hiddenNames: make(map[seq.TypeID]string),
	}
	for i := 1; i < len(t.Types); i++ {
		if t.Types[i].Hidden {
			g.hiddenNames[seq.TypeID(i)] = inPackage(t.Types[i].Name, g.qualifier())
		}
	}
	return g
}

// qualifier is the name by which templates refer to the package under test.
func (g *generator) qualifier() string {
	for _, imp := range g.table.Imports {
		if imp.Path == g.target.Path {
			return imp.Name
		}
	}
	return g.table.Name
}

// inPackage returns how the package named qualifier itself writes a type, or
// nothing if name is no Go type.
func inPackage(name, qualifier string) string {
	expr, err := parser.ParseExpr(name)
	if err != nil {
		return ""
	}
	var cuts []token.Pos
	ast.Inspect(expr, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == qualifier {
				cuts = append(cuts, id.Pos())
			}
		}
		return true
	})
	for i := len(cuts) - 1; i >= 0; i-- {
		from := int(cuts[i]) - 1
		name = name[:from] + name[from+len(qualifier)+1:]
	}
	return name
}

// alias is the name that a hidden type gets in the package.
func alias(id seq.TypeID) string { return "ForayType" + strconv.Itoa(int(id)) }

// typeName returns how the adapters write a type, or nothing if they cannot.
func (g *generator) typeName(id seq.TypeID) string {
	t := &g.table.Types[id]
	switch {
	case g.badType[id]:
		return ""
	case !t.Hidden:
		return t.Name
	case g.hiddenNames[id] != "":
		return g.qualifier() + "." + alias(id)
	}
	return ""
}

// printf writes text.
func (g *generator) printf(format string, args ...any) { fmt.Fprintf(g.b, format, args...) }

// own writes text for a part of the table: an operation, a type, a declaration, an import or a case
// of a converter, with its number. In place of the file, messages of the compiler name the part:
// see [generator.learn].
func (g *generator) own(part, format string, args ...any) {
	g.printf("//line %s_%s.go:1\n", strings.TrimSuffix(g.file, "_test.go"), part)
	g.printf(format, args...)
	g.printf("//line %s:1\n", g.file)
}

// generate returns the generated files by base name.
func (g *generator) generate() map[string][]byte {
	g.converters = make(map[seq.TypeID]bool)
	g.usesRest = false
	files := make(map[string][]byte)

	var types bytes.Buffer
	g.begin(typesFile, &types)
	hidden := 0
	for i := range g.table.Types {
		id := seq.TypeID(i)
		if name := g.hiddenNames[id]; name != "" && !g.badType[id] {
			hidden++
			g.own(fmt.Sprint("type_", i), "type %s = %s\n", alias(id), name)
		}
	}
	if hidden > 0 {
		files[typesFile] = g.finish(g.target.Name, nil)
	}

	var adapters bytes.Buffer
	g.begin(adaptersFile, &adapters)
	g.bindings()
	for i, d := range g.table.Decls {
		if !g.badDecl[i] {
			g.own(fmt.Sprint("decl_", i), "\n%s\n", d.Text)
		}
	}
	for i := range g.table.Ops {
		id := seq.OpID(i)
		if _, gone := g.dropped[id]; gone {
			continue
		}
		body, err := g.adapter(&g.table.Ops[i])
		if err != nil {
			g.dropped[id] = err.Error()
			continue
		}
		g.own(fmt.Sprint("op_", i), "\nfunc forayOp%d(forayIn, forayOut []any) {\n%s}\n", i, body)
	}
	g.tables()
	g.helpers()
	files[adaptersFile] = g.finish(g.target.Name+"_test", []seq.Import{
		{Name: "forayExecutor", Path: RuntimePath + "/harness/executor"},
		{Name: "forayProcess", Path: RuntimePath + "/harness/process"},
		{Name: "forayReflect", Path: "reflect"},
		{Name: "forayTesting", Path: "testing"},
	})
	return files
}

func (g *generator) begin(file string, b *bytes.Buffer) {
	g.file, g.b = file, b
}

// bindings writes the main function of the worker.
func (g *generator) bindings() {
	g.printf(`
func TestMain(*forayTesting.M) {
	forayProcess.Main(forayExecutor.Bindings{Hash: %q, Ops: forayOps[:], Types: forayTypes()})
}
`, g.hash)
}

// tables writes the tables of adapters and types.
func (g *generator) tables() {
	g.printf("\nvar forayOps = [%d]forayExecutor.Adapter{\n", len(g.table.Ops))
	for i := range g.table.Ops {
		if _, gone := g.dropped[seq.OpID(i)]; !gone {
			g.printf("\t%d: forayOp%d,\n", i, i)
		}
	}
	g.printf("}\n\nfunc forayTypes() []forayReflect.Type {\n\tt := make([]forayReflect.Type, %d)\n", len(g.table.Types))
	for i := range g.table.Types {
		id := seq.TypeID(i)
		if i == 0 || g.table.Types[i].Hidden || g.badType[id] {
			continue
		}
		g.own(fmt.Sprint("type_", i), "\tt[%d] = forayReflect.TypeOf((*%s)(nil)).Elem()\n", i, g.typeName(id))
	}
	g.printf("\treturn t\n}\n")
}

// finish prepends the package clause and the imports that are used.
func (g *generator) finish(pkg string, fixed []seq.Import) []byte {
	body := g.b.Bytes()
	g.b = new(bytes.Buffer)
	g.printf("// Code generated by foray; DO NOT EDIT.\n\n//go:build %s\n\npackage %s\n\nimport (\n", g.target.Go.Language(), pkg)
	for _, imp := range fixed {
		g.printf("\t%s %q\n", imp.Name, imp.Path)
	}
	used := qualifiers(body)
	for i, imp := range g.table.Imports {
		own := imp.Path == g.target.Path && pkg == g.target.Name
		if !used[imp.Name] || g.unused[imp.Path] || g.badImport[imp.Path] != "" || own {
			continue
		}
		p := imp.Path
		if g.target.Where == Std {
			p = strings.TrimPrefix(p, "vendor/")
		}
		g.own(fmt.Sprint("import_", i), "\t%s %q\n", imp.Name, p)
	}
	g.printf(")\n\n")
	return append(g.b.Bytes(), body...)
}

// qualifiers returns the identifiers that stand before a dot in src.
func qualifiers(src []byte) map[string]bool {
	used := make(map[string]bool)
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(src)), src, func(token.Position, string) {}, 0)
	before, id := token.ILLEGAL, ""
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return used
		case tok == token.PERIOD && id != "":
			used[id] = true
		}
		id = ""
		if tok == token.IDENT && before != token.PERIOD {
			id = lit
		}
		before = tok
	}
}
