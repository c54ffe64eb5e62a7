package usage

import (
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/catalog"
)

// A typeFinder finds types by the text that package harness/record writes of them.
type typeFinder struct {
	pkg      *types.Package
	packages map[string]*types.Package // by path
	tests    []load.Tests
	known    map[string]types.Type
}

// newTypeFinder returns a finder of the types of p, of its tests and of the packages that it
// and they depend on.
func newTypeFinder(p *types.Package, tests []load.Tests) *typeFinder {
	packages := catalog.Dependencies(p)
	for _, unit := range tests {
		for _, im := range unit.Types.Imports() {
			for path, of := range catalog.Dependencies(im) {
				if packages[path] == nil {
					packages[path] = of
				}
			}
		}
	}
	return &typeFinder{pkg: p, packages: packages, tests: tests, known: map[string]types.Type{}}
}

// find returns the type with a text, nil if there is none.
func (f *typeFinder) find(text string) types.Type {
	if t, ok := f.known[text]; ok {
		return t
	}
	scope := types.NewPackage(f.pkg.Path(), f.pkg.Name()) // of the names in the text
	source := qualified.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasSuffix(s, `"`) {
			return s // the tag of a field
		}
		dot := strings.LastIndexByte(s, '.')
		of, name := s[:dot], s[dot+1:]
		path, err := strconv.Unquote(of)
		t := f.named(func(p *types.Package) bool { return err == nil && p.Path() == path || err != nil && p.Name() == of }, name)
		if t == nil {
			return "_" // there is no type with this text
		}
		return nameIn(scope, name, t)
	})
	var t types.Type
	if tv, err := types.Eval(token.NewFileSet(), scope, token.NoPos, source); err == nil && tv.IsType() {
		t = tv.Type
	}
	f.known[text] = t
	return t
}

// qualified matches the names of types with their packages: by path or, in a struct, by name. It
// also matches tags.
var qualified = regexp.MustCompile(`("(?:[^"\\]|\\.)*"|[\pL_][\pL\pN_]*)\.[\pL_][\pL\pN_]*|"(?:[^"\\]|\\.)*"`)

// nameIn returns the name of a type in a package, where it declares it if need be. It is the own
// name of the type, which a field that embeds it has, unless another one goes by that.
func nameIn(p *types.Package, name string, t types.Type) string {
	for {
		switch obj := p.Scope().Lookup(name); {
		case obj == nil && types.Universe.Lookup(name) == nil:
			p.Scope().Insert(types.NewTypeName(token.NoPos, p, name, t))
			return name
		case obj != nil && types.Identical(obj.Type(), t):
			return name
		}
		name += "_"
	}
}

// named returns the type of a name in a package: one of its own, of its tests, or one that a
// function of the tests declares, the first of these.
func (f *typeFinder) named(is func(*types.Package) bool, name string) types.Type {
	for _, path := range slices.Sorted(maps.Keys(f.packages)) {
		if p := f.packages[path]; is(p) {
			if obj, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				return obj.Type()
			}
		}
	}
	var local *types.TypeName
	for _, unit := range f.tests {
		if !is(unit.Types) {
			continue
		}
		if obj, ok := unit.Types.Scope().Lookup(name).(*types.TypeName); ok {
			return obj.Type()
		}
		for _, obj := range unit.Info.Defs {
			if t, ok := obj.(*types.TypeName); ok && t.Name() == name && (local == nil || t.Pos() < local.Pos()) {
				local = t
			}
		}
	}
	if local == nil {
		return nil
	}
	return local.Type()
}
