package harness

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// packages gives packages the identifiers that text calls them by, as the catalog does.
type packages struct{ seq.PackageNames }

// name returns the identifier for the package at path. The package's own name is
// name or the last element of path.
func (p *packages) name(importPath, name string) string {
	name = cmp.Or(name, lastElement(importPath))
	return p.Use(importPath, name)
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// lastElement guesses the name of a package from its path.
func lastElement(importPath string) string {
	dir, name := path.Split(importPath)
	if majorVersion.MatchString(name) && dir != "" {
		name = path.Base(dir)
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "go-"), ".")
	return strings.ReplaceAll(name, "-", "_")
}

// note notes the names that the packages of t and of its parts have.
func (p *packages) note(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if t.PkgPath() != "" {
		name, _, _ := strings.Cut(t.String(), ".")
		p.name(t.PkgPath(), name)
		return
	}
	for _, part := range parts(t) {
		p.note(part, seen)
	}
}

// parts returns the types that a type without a name is written with.
func parts(t reflect.Type) []reflect.Type {
	switch t.Kind() {
	case reflect.Map:
		return []reflect.Type{t.Key(), t.Elem()}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return []reflect.Type{t.Elem()}
	case reflect.Func:
		return append(ins(t), outs(t)...)
	}
	return nil
}

// ins and outs return the types of the parameters and of the results of a function.
func ins(t reflect.Type) []reflect.Type  { return listed(t.NumIn(), t.In) }
func outs(t reflect.Type) []reflect.Type { return listed(t.NumOut(), t.Out) }

func listed(n int, at func(int) reflect.Type) []reflect.Type {
	list := make([]reflect.Type, n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}

// text returns t as sequences write it, key with import paths: identical types
// have equal keys. Both are as the catalog has them.
func (p *packages) text(t reflect.Type) string {
	return typeText(t, func(path string) string { return p.name(path, "") })
}
func key(t reflect.Type) string { return typeText(t, func(path string) string { return path }) }

func typeText(t reflect.Type, qualify func(path string) string) string {
	write := func(t reflect.Type) string { return typeText(t, qualify) }
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		name, args, generic := strings.Cut(t.Name(), "[")
		if name = qualify(t.PkgPath()) + "." + name; generic {
			name += "[" + argumentsText(args, qualify)
		}
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + write(t.Elem())
	case reflect.Slice:
		return "[]" + byteText(t.Elem(), write)
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + byteText(t.Elem(), write)
	case reflect.Map:
		return "map[" + write(t.Key()) + "]" + write(t.Elem())
	case reflect.Chan:
		return t.ChanDir().String() + " " + write(t.Elem())
	case reflect.Func:
		return "func" + seq.SignatureText(signatureTexts(t, 0, write))
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "any"
		}
	}
	return argumentsText(t.String(), qualify)
}

// byteText writes an element: bytes are called so there.
func byteText(t reflect.Type, write func(reflect.Type) string) string {
	if t == reflect.TypeFor[byte]() {
		return "byte"
	}
	return write(t)
}

// signatureTexts returns the parameters of t from number first on, and its results.
func signatureTexts(t reflect.Type, first int, write func(reflect.Type) string) (params, results []string) {
	for _, p := range ins(t)[first:] {
		params = append(params, write(p))
	}
	if n := len(params); t.IsVariadic() {
		params[n-1] = "..." + write(t.In(t.NumIn()-1).Elem())
	}
	for _, r := range outs(t) {
		results = append(results, write(r))
	}
	return params, results
}

// signatureKey returns the signature in the identity of an operation.
func signatureKey(t reflect.Type, first int) string {
	variadic := ""
	params, results := signatureTexts(t, first, key)
	if n := len(params); t.IsVariadic() {
		variadic, params[n-1] = "variadic ", key(t.In(t.NumIn()-1))
	}
	return variadic + seq.SignatureText(params, results)
}

var (
	qualified  = regexp.MustCompile(`[^\s\[\](){},;*]+\.`)
	emptyIface = regexp.MustCompile(`interface ?\{ ?\}`)
	tightComma = regexp.MustCompile(`,(\S)`)
)

// argumentsText rewrites the text of types with import paths by package reflect:
// "int,map[string]example.org/p.T]".
func argumentsText(text string, qualify func(path string) string) string {
	text = qualified.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "..") {
			return s // of a variadic parameter
		}
		return qualify(godump.UnescapePath(s[:len(s)-1])) + "."
	})
	return tightComma.ReplaceAllString(emptyIface.ReplaceAllString(text, "any"), ", $1")
}
