package catalog

import (
	"go/types"
	"regexp"
	"strings"

	"foray.test/engine/seq"
)

// names gives packages the identifiers that templates call them by.
type names struct{ seq.PackageNames }

func (n *names) of(p *types.Package) string { return n.Use(p.Path(), p.Name()) }

// imports lists the packages that texts refer to, and the one at path always.
func (n *names) imports(path string, texts []string) []seq.Import {
	used := map[string]bool{}
	if name, ok := n.Known(path); ok {
		used[name] = true
	}
	for _, text := range texts {
		for _, m := range qualifier.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
	}
	return n.Imports(func(name string) bool { return used[name] })
}

var qualifier = regexp.MustCompile(`\b([\pL_][\pL\d_]*)\.`)

// expand replaces the names of packages in text by their paths.
func (n *names) expand(text string) string {
	return qualifier.ReplaceAllStringFunc(text, func(s string) string {
		if path, ok := n.Path(s[:len(s)-1]); ok {
			return path + "."
		}
		return s
	})
}

// kindWords start the identity of operations that have no name of their own.
var kindWords = map[seq.Kind]string{
	seq.Composite: "literal", seq.Elements: "elements", seq.Convert: "convert",
	seq.Assert: "assert", seq.Index: "index", seq.Chan: "chan", seq.Call: "call", seq.Range: "range",
	seq.FuncLit: "func", seq.Standard: "value",
}

// identity returns the Name of an operation that is no function or method.
func (f *finder) identity(op *operation) string {
	return kindWords[op.Kind] + " " + f.names.expand(op.Template) + " " + signatureKey(op.params, op.results)
}

// signatureKey writes parameter and result types with import paths.
func signatureKey(params, results []types.Type) string {
	return seq.SignatureText(typeTexts(params, typeKey), typeTexts(results, typeKey))
}

func joinTypes(list []types.Type, text func(types.Type) string) string {
	return strings.Join(typeTexts(list, text), ", ")
}

func typeTexts(list []types.Type, text func(types.Type) string) []string {
	var texts []string
	for _, t := range list {
		texts = append(texts, text(t))
	}
	return texts
}
