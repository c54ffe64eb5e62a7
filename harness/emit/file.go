package emit

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"go/version"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// standard are the packages that asserted expressions may name without being
// among the table's imports.
var standard = []string{
	"bytes", "cmp", "encoding/json", "errors", "fmt", "io", "iter", "maps", "math", "reflect",
	"slices", "sort", "strconv", "strings", "testing/fstest", "testing/iotest", "time", "unicode/utf8",
}

var qualified = regexp.MustCompile(`@([a-z/]+)\.`)

// qualify replaces names such as @os/exec. in text by the name under which the
// emitted file imports the package.
func (w *writer) qualify(text string) string {
	return qualified.ReplaceAllStringFunc(text, func(m string) string {
		return w.t.ImportName(m[1:len(m)-1]) + "."
	})
}

// file returns the file that holds tests, with the declarations and imports that
// they need.
func (w *writer) file(packageName, tests string) ([]byte, error) {
	names, decls, err := w.needs(tests)
	if err != nil {
		return nil, err
	}
	std, other := w.specs(names.qualifiers)
	imports := "import (\n" + importLines(std) + "\n" + importLines(other) + ")\n"
	src := BuildLine(w.builds) + "package " + packageName + "\n\n" + imports + decls + tests
	out, err := format.Source([]byte(src))
	if err != nil {
		return nil, fmt.Errorf("emit: %w in\n%s", err, src)
	}
	return out, nil
}

// BuildLine returns the line, and an empty one, that has a file built only where all constraints
// hold. Without a constraint it is empty.
func BuildLine(constraints []string) string {
	if terms := Terms(constraints); len(terms) > 0 {
		return "//go:build " + strings.Join(terms, " && ") + "\n\n"
	}
	return ""
}

// Terms returns the parts of build constraints that must all hold, each once, in order. A
// release of Go before [Language] is none: it would lower the version of the file.
func Terms(constraints []string) []string {
	var list []string
	var add func(x constraint.Expr)
	add = func(x constraint.Expr) {
		release := constraint.GoVersion(x)
		switch and, _ := x.(*constraint.AndExpr); {
		case and != nil:
			add(and.X)
			add(and.Y)
		case release == "" || version.Compare(release, Language) >= 0:
			list = append(list, operand(x))
		}
	}
	for _, text := range constraints {
		if x, err := constraint.Parse("//go:build " + text); err == nil {
			add(x)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// operand returns a constraint as it stands beside others.
func operand(x constraint.Expr) string {
	if _, ok := x.(*constraint.OrExpr); ok {
		return "(" + x.String() + ")"
	}
	return x.String()
}

// importLines returns import specs as a file has them.
func importLines(specs []string) (lines string) {
	for _, spec := range specs {
		if !strings.Contains(spec, `"`) {
			spec = strconv.Quote(spec)
		}
		lines += spec + "\n"
	}
	return lines
}

// needs returns the declarations that text, declarations of functions, needs, and the names
// that both take from elsewhere.
func (w *writer) needs(text string) (names fileNames, decls string, err error) {
	taken := make([]bool, len(w.t.Decls))
	for more := true; more; {
		if names, err = namesIn(decls + text); err != nil {
			return names, "", err
		}
		more = false
		for i, d := range w.t.Decls {
			if !taken[i] && names.free[d.Name] {
				taken[i], more = true, true
				decls += "\n" + strings.TrimSpace(d.Text) + "\n"
			}
		}
	}
	return names, decls, nil
}

// specs returns the import specs of the packages named in used, in order of their paths:
// those of the standard library, and the others. A spec is a path or, if the package has
// another name, the name and the quoted path.
func (w *writer) specs(used map[string]bool) (std, other []string) {
	paths := map[string]string{} // by name
	for _, im := range w.t.Imports {
		paths[im.Name] = im.Path
	}
	own := []string{"bytes", "context", "fmt", "os", "os/exec", "runtime", "runtime/debug", "sync", "testing", "time"}
	for _, p := range slices.Concat(own, standard, w.others) {
		paths[w.t.ImportName(p)] = p
	}
	byPath := map[string]string{}
	for name, p := range paths {
		if used[name] {
			byPath[p] = name
		}
	}
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		spec := p
		if byPath[p] != path.Base(p) {
			spec = byPath[p] + " " + strconv.Quote(p)
		}
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
			other = append(other, spec)
		} else {
			std = append(std, spec)
		}
	}
	return std, other
}

// fileNames are the names that a piece of source takes from elsewhere.
type fileNames struct {
	qualifiers map[string]bool // of selectors: the packages, and values from elsewhere
	free       map[string]bool // all
}

func namesIn(decls string) (fileNames, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+decls, 0)
	if err != nil {
		return fileNames{}, fmt.Errorf("emit: %w in\n%s", err, decls)
	}
	names := fileNames{map[string]bool{}, map[string]bool{}}
	unresolved := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		names.free[id.Name], unresolved[id] = true, true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && unresolved[id] {
				names.qualifiers[id.Name] = true
			}
		}
		return true
	})
	return names, nil
}
