package catalog

import (
	"go/token"
	"go/types"
	"testing"
)

func TestZeroDocumented(t *testing.T) {
	for doc, want := range map[string]bool{
		"The zero value for List is an empty list ready to use.": true,
		"A T is a set. Its zero value is an empty set.":          true,
		"A zero T is empty.":                               true,
		"The zero value is not usable.":                    false,
		"The zero value must be initialized before use.":   false,
		"Do not copy a T. The zero value of a T is ready.": true,
		"The zero of the function is found by bisection.":  false,
		"": false,
	} {
		if got := zeroDocumented(doc, "T"); got != want {
			t.Errorf("%q: %v", doc, got)
		}
	}
}

func TestInternalParent(t *testing.T) {
	for path, want := range map[string]string{
		"a.org/m/internal/x": "a.org/m", "a.org/m/internal": "a.org/m", "internal/abi": "", "a.org/internal/b/internal/c": "a.org/internal/b",
	} {
		if got, ok := internalParent(path); got != want || !ok {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
	if parent, ok := internalParent("a.org/internals"); ok {
		t.Errorf("a.org/internals is internal to %q", parent)
	}
}

func TestReturnsError(t *testing.T) {
	err := types.Universe.Lookup("error").Type()
	signature := func(results ...types.Type) *types.Signature {
		var vars []*types.Var
		for _, r := range results {
			vars = append(vars, types.NewVar(token.NoPos, nil, "", r))
		}
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(vars...), false)
	}
	line := types.NewFunc(token.NoPos, nil, "Line", signature(types.Typ[types.Int]))
	placed := types.NewInterfaceType([]*types.Func{line}, []types.Type{err}) // an error with a place
	other := types.NewInterfaceType([]*types.Func{line}, nil)
	for _, test := range []struct {
		name string
		sig  *types.Signature
		want bool
	}{
		{"Open", signature(types.Typ[types.Int], err), true},
		{"Close", signature(err), true},
		{"Write", signature(err), true},
		{"New", signature(err), false}, // makes an error
		{"NewSyntaxError", signature(err), false},
		{"New", signature(types.Typ[types.Int], err), true},
		{"Err", signature(err), false}, // looks one up
		{"Errors", signature(err), true},
		{"Unwrap", signature(err), false},
		{"Cause", signature(err), false},
		{"Open", signature(err, types.Typ[types.Int]), false},
		{"Open", signature(), false},
		{"Open", signature(types.Typ[types.Int], placed), true},
		{"Open", signature(placed), false}, // may look one up
		{"Open", signature(types.Typ[types.Int], other), false},
	} {
		if got := returnsError(test.name, test.sig); got != test.want {
			t.Errorf("%s%v: %v", test.name, test.sig, got)
		}
	}
}

// Identical types have one key, and types that differ have two, with equal names
// too.
func TestTypeKey(t *testing.T) {
	inner := types.NewPackage("a.org/x/list", "list")
	other := types.NewPackage("a.org/y/list", "list")
	declare := func(p *types.Package, name string) types.Type {
		obj := types.NewTypeName(token.NoPos, p, name, nil)
		p.Scope().Insert(obj)
		return types.NewNamed(obj, types.Typ[types.Int], nil)
	}
	a, b := declare(inner, "T"), declare(other, "T")
	params := func(names ...string) *types.Tuple {
		var vars []*types.Var
		for _, name := range names {
			vars = append(vars, types.NewParam(token.NoPos, inner, name, types.Typ[types.Int]))
		}
		return types.NewTuple(vars...)
	}
	list := []types.Type{
		a, b, types.NewPointer(a), types.NewSlice(types.Typ[types.Uint8]), types.NewSlice(types.Universe.Lookup("byte").Type()),
		types.NewMap(a, b), types.NewMap(b, a), types.NewChan(types.RecvOnly, a), types.NewChan(types.SendRecv, types.NewChan(types.RecvOnly, a)),
		types.NewSignatureType(nil, nil, nil, params("n", "m"), nil, false), types.NewSignatureType(nil, nil, nil, params("", ""), nil, false),
		types.NewSignatureType(nil, nil, nil, nil, params("", ""), false), types.NewStruct(nil, nil), types.NewArray(a, 2), types.NewArray(a, 3),
		types.Universe.Lookup("any").Type(), types.NewInterfaceType(nil, nil), types.Universe.Lookup("error").Type(),
	}
	for i, x := range list {
		for j, y := range list {
			if (typeKey(x) == typeKey(y)) != types.Identical(x, y) {
				t.Errorf("%d %d: keys %q and %q, identical %v", i, j, typeKey(x), typeKey(y), types.Identical(x, y))
			}
		}
	}
}
