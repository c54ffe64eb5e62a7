package seq

import (
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Package harness/catalog finds operations in source, package harness by reflection. Both
// write them by these rules, so that the text of one means the same to the other.

// Bounds of the literals that are written for types.
const (
	MaxLiteralFields = 6 // fields that one composite literal sets
	MaxArray         = 8 // elements of an array that takes all as arguments; a larger one takes the first
	MaxLiteralParams = 6 // parameters of functions that func literals are written for
)

// DeclPrefix begins the names of foray's own declarations.
const DeclPrefix = "foray"

// PackageNames gives packages the identifiers that templates call them by: their own
// names, numbered where two clash. The zero value is empty.
type PackageNames struct {
	byPath map[string]string
	paths  map[string]string // by name
}

// reserved matches the variables of templates, adapters and sequences: a, x1, v0, v12b, r2.
var reserved = regexp.MustCompile(`^([a-z]|v\d+[a-z]?|[rx]\d|in|out|ok|yield|cancel|init|_)$`)

// alsoPredeclared are the predeclared identifiers that [predeclared] does not list.
const alsoPredeclared = " comparable false iota make new nil panic print println recover true "

// unfit reports whether no package may go by name.
func unfit(name string) bool {
	return reserved.MatchString(name) || token.IsKeyword(name) || strings.HasPrefix(name, DeclPrefix) ||
		predeclared[name] || strings.Contains(alsoPredeclared, " "+name+" ")
}

// Use returns the identifier of the package at importPath, which calls itself name. Another
// identifier than name is not the last element of the path either: an import of that has no name.
func (n *PackageNames) Use(importPath, name string) string {
	if got, ok := n.byPath[importPath]; ok {
		return got
	}
	own := name
	if n.byPath == nil {
		n.byPath, n.paths = map[string]string{}, map[string]string{}
	}
	switch {
	case strings.HasPrefix(name, DeclPrefix):
		name = "pkg" + name // a suffix would leave it unfit
	case name == "main" || unfit(name):
		name += "pkg"
	}
	pick := name
	for i := 2; n.paths[pick] != "" || unfit(pick) || pick != own && pick == path.Base(importPath); i++ {
		pick = name + strconv.Itoa(i)
	}
	n.byPath[importPath], n.paths[pick] = pick, importPath
	return pick
}

// Known returns the identifier of the package at path, if it has one.
func (n *PackageNames) Known(path string) (string, bool) {
	name, ok := n.byPath[path]
	return name, ok
}

// Path returns the import path of the package that goes by name.
func (n *PackageNames) Path(name string) (string, bool) {
	path, ok := n.paths[name]
	return path, ok
}

// Imports lists the packages for which used holds, by name.
func (n *PackageNames) Imports(used func(name string) bool) []Import {
	var list []Import
	for _, name := range slices.Sorted(maps.Keys(n.paths)) {
		if used(name) {
			list = append(list, Import{Name: name, Path: n.paths[name]})
		}
	}
	return list
}

// Holes returns "$1, $2, $*": the arguments of a template from number first up to n, of
// which the last is variadic or not.
func Holes(first, n int, variadic bool) string {
	var parts []string
	for i := first; i < n; i++ {
		if variadic && i == n-1 {
			parts = append(parts, "$*")
		} else {
			parts = append(parts, "$"+strconv.Itoa(i))
		}
	}
	return strings.Join(parts, ", ")
}

// FuncHeader returns "func(a, b int, c ...string) bool" for the names of parameter and
// result types. A variadic parameter begins with "...".
func FuncHeader(params, results []string) string {
	var parts []string
	for i, typ := range params {
		part := string(rune('a' + i))
		if i+1 == len(params) || typ != params[i+1] {
			part += " " + typ
		}
		parts = append(parts, part)
	}
	return "func" + SignatureText(parts, results)
}

// SignatureText returns "(int, ...string) (bool, error)" for lists of parameters and of
// result types.
func SignatureText(params, results []string) string {
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}
