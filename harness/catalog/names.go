package catalog

import (
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// names gives packages the identifiers that templates call them by.
type names struct {
	byPath map[string]string
	paths  map[string]string // path by name
}

func newNames() *names {
	return &names{byPath: map[string]string{}, paths: map[string]string{}}
}

// reserved matches what templates, adapters and sequences call their variables:
// a, x1, v0, v12b, r2.
var reserved = regexp.MustCompile(`^([a-z]|v\d+[a-z]?|[rx]\d|in|out|ok|yield|cancel|init|_)$`)

func (n *names) of(p *types.Package) string { return n.use(p.Path(), p.Name()) }

// use returns the identifier for the package at path, which calls itself name.
func (n *names) use(path, name string) string {
	if got, ok := n.byPath[path]; ok {
		return got
	}
	if name == "main" || unfit(name) {
		name += "pkg"
	}
	pick := name
	for i := 2; n.paths[pick] != "" || unfit(pick); i++ {
		pick = name + strconv.Itoa(i)
	}
	n.byPath[path] = pick
	n.paths[pick] = path
	return pick
}

// unfit reports whether a package must not go by that name.
func unfit(name string) bool {
	return reserved.MatchString(name) || token.IsKeyword(name) ||
		types.Universe.Lookup(name) != nil || strings.HasPrefix(name, declPrefix)
}

// imports lists the packages that texts refer to, and the one at path always.
func (n *names) imports(path string, texts []string) []seq.Import {
	used := map[string]bool{n.byPath[path]: true}
	for _, text := range texts {
		for _, m := range qualifier.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
	}
	var list []seq.Import
	for _, name := range sortedKeys(n.paths) {
		if used[name] {
			list = append(list, seq.Import{Name: name, Path: n.paths[name]})
		}
	}
	return list
}

var qualifier = regexp.MustCompile(`\b([\pL_][\pL\d_]*)\.`)

// expand replaces the names of packages in text by their paths.
func (n *names) expand(text string) string {
	return qualifier.ReplaceAllStringFunc(text, func(s string) string {
		if path, ok := n.paths[s[:len(s)-1]]; ok {
			return path + "."
		}
		return s
	})
}

// kindWords start the identity of operations that are no functions or methods.
var kindWords = map[seq.Kind]string{
	seq.FieldGet: "field", seq.FieldSet: "set field", seq.VarGet: "var", seq.VarSet: "set var",
	seq.Const: "const", seq.Composite: "literal", seq.Elements: "elements", seq.Convert: "convert",
	seq.Assert: "assert", seq.Index: "index", seq.Chan: "chan", seq.Call: "call", seq.Range: "range",
	seq.FuncLit: "func", seq.Standard: "value", seq.Check: "contract",
}

// identity returns the Name of an operation that is no function or method.
func (f *finder) identity(op *operation) string {
	return kindWords[op.Kind] + " " + f.names.expand(op.Template) + " " + signatureKey(op.params, op.results)
}

// signatureKey writes parameter and result types with import paths.
func signatureKey(params, results []types.Type) string {
	s := "(" + joinTypes(params, typeKey) + ")"
	switch len(results) {
	case 0:
		return s
	case 1:
		return s + " " + typeKey(results[0])
	}
	return s + " (" + joinTypes(results, typeKey) + ")"
}

func joinTypes(list []types.Type, name func(types.Type) string) string {
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = name(t)
	}
	return strings.Join(parts, ", ")
}
