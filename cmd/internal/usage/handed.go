package usage

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"foray.test/cmd/internal/load"
	"foray.test/harness/catalog"
)

// Bounds on the types of [Handed].
const (
	maxHanded   = 32
	maxTypeText = 4000 // bytes of a type
)

// Handed returns types and functions that only the tests of a package declare, and the calls
// of other packages that they make. The types are those
// of values for parameters of type any, of its functions and of those of the tests, and
// for elements and fields of type any. Of many types it returns
// those that differ most. Types that only the tests declare are written out, so that any program
// can name them: see [writer].
func Handed(p *load.Package, tests []load.Tests) catalog.Handed {
	h := handed{writer: newWriter(p.Types), seen: map[string]bool{}, outside: map[catalog.Call]*outside{}}
	for _, unit := range tests {
		h.unit = unit
		for _, f := range unit.Files {
			for n := range ast.Preorder(f) {
				h.node(n)
			}
		}
	}
	return catalog.Handed{Types: varied(append(h.direct, h.other...), maxHanded), Funcs: h.functions(p, tests), Calls: h.calls()}
}

// varied returns n of some types at most: the first, and then always the one that has most
// that those before have not. See [features].
func varied(list []types.Type, n int) (chosen []types.Type) {
	have := map[string]bool{}
	for len(list) > 0 && len(chosen) < n {
		best, most := 0, 0
		for i, t := range list {
			fresh := 0
			for f := range features(t) {
				if !have[f] {
					fresh++
				}
			}
			if len(chosen) > 0 && fresh > most {
				best, most = i, fresh
			}
		}
		for f := range features(list[best]) {
			have[f] = true
		}
		chosen = append(chosen, list[best])
		list = slices.Delete(list, best, best+1)
	}
	return chosen
}

// features returns what functions that look at types tell apart: kinds of types as they are
// nested, basic and named types, and options in the tags of fields.
func features(t types.Type) map[string]bool {
	found := map[string]bool{}
	var walk func(t types.Type, path string)
	walk = func(t types.Type, path string) {
		switch u := types.Unalias(t).(type) {
		case *types.Struct:
			found[path+"struct"] = true
			for i := range u.NumFields() {
				for _, option := range tagOptions(u.Tag(i)) {
					found["tag "+option] = true
					found["tag "+option+" "+kindText(u.Field(i).Type())] = true
				}
				walk(u.Field(i).Type(), "field ")
			}
		case *types.Map:
			found[path+"map "+kindText(u.Key())] = true
			walk(u.Elem(), path+"map ")
		case interface{ Elem() types.Type }:
			walk(u.Elem(), path+kindText(t)+" ")
		default:
			found[path+kindText(t)] = true
		}
	}
	walk(t, "")
	return found
}

// kindText returns the name of a type, or of its kind if it is made of others.
func kindText(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return "*"
	case *types.Slice:
		return "[]"
	case *types.Array:
		return "[n]"
	case *types.Map:
		return "map"
	case *types.Struct:
		return "struct"
	default:
		return t.String()
	}
}

// tagOptions returns the options of the tag of a field: of `k:"name,omitempty" l:"-"` they are
// k:omitempty and l:-. Of one without a comma the key stands for a name.
func tagOptions(tag string) (list []string) {
	for _, m := range tagPart.FindAllStringSubmatch(tag, -1) {
		value, _ := strconv.Unquote(m[2])
		name, options, _ := strings.Cut(value, ",")
		if name == "-" || name == "" {
			list = append(list, m[1]+":"+name)
		} else {
			list = append(list, m[1])
		}
		for _, option := range strings.FieldsFunc(options, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
			key, _, _ := strings.Cut(option, ":")
			list = append(list, m[1]+":"+key)
		}
	}
	return list
}

var tagPart = regexp.MustCompile(`([^\s":]+):("(?:[^"\\]|\\.)*")`)

// handed gathers the types of [Handed].
type handed struct {
	*writer
	unit          load.Tests
	seen          map[string]bool
	direct, other []types.Type
	outside       map[catalog.Call]*outside
}

func (h *handed) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		h.call(n)
		h.noteCall(n)
	case *ast.ExprStmt:
		h.noteDiscarded(n)
	case *ast.CompositeLit:
		h.composite(n)
	}
}

// call takes the types of the arguments of a call of the package or of the tests.
func (h *handed) call(e *ast.CallExpr) {
	fun := h.unit.Info.Types[e.Fun]
	if fun.IsType() {
		if len(e.Args) == 1 && isAny(fun.Type) {
			h.take(&h.other, e.Args[0])
		}
		return
	}
	sig, ok := fun.Type.(*types.Signature)
	if !ok {
		return
	}
	list := &h.other
	if fn := calledFunc(h.unit.Info, e); fn != nil && fn.Pkg() != nil {
		switch {
		case fn.Pkg().Path() == h.pkg.Path() && (h.pkg.Scope().Lookup(fn.Name()) != nil || fn.Signature().Recv() != nil):
			list = &h.direct
		case fn.Pkg() != h.unit.Types:
			return // a function that prints or compares takes everything
		}
	}
	for i, a := range e.Args {
		if t := parameterOf(sig, i, e.Ellipsis.IsValid()); t != nil && isAny(t) {
			h.take(list, a)
		}
	}
}

// parameterOf returns the type of the parameter that takes argument i of a call.
func parameterOf(sig *types.Signature, i int, spread bool) types.Type {
	last := sig.Params().Len() - 1
	switch {
	case last < 0:
		return nil
	case !sig.Variadic() || i < last || spread:
		return sig.Params().At(min(i, last)).Type()
	}
	if s, ok := sig.Params().At(last).Type().(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// calledFunc returns the function or method that a call names, nil if it is not declared.
func calledFunc(info *types.Info, call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(info, call).(*types.Func)
	return fn
}

// composite takes the types of the elements or fields of a literal that have type any.
func (h *handed) composite(e *ast.CompositeLit) {
	t := h.unit.Info.Types[e].Type
	if t == nil {
		return
	}
	for i, elt := range e.Elts {
		key, val := ast.Expr(nil), elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key, val = kv.Key, kv.Value
		}
		if want := elemType(t, i, key); want != nil && isAny(want) {
			h.take(&h.other, val)
		}
	}
}

func isAny(t types.Type) bool {
	u, ok := t.Underlying().(*types.Interface)
	return ok && u.Empty()
}

// take adds the type of an expression to a list.
func (h *handed) take(list *[]types.Type, e ast.Expr) {
	t := h.unit.Info.Types[e].Type
	if t == nil || types.IsInterface(t) {
		return
	}
	t = h.written(types.Default(t))
	if t == nil {
		return
	}
	text := catalog.TypeText(t, (*types.Package).Path)
	if len(text) <= maxTypeText && !h.seen[text] {
		h.seen[text] = true
		*list = append(*list, t)
	}
}

// A writer writes out types of tests. It keeps the types of a package and those that any program
// can import. Others are declared by the tests, or by packages that only the tests import: their
// underlying types stand for them. Methods of these get lost, as do fields that are not exported or cannot be written.
// Where such a type holds itself, it holds an any.
type writer struct {
	pkg   *types.Package            // under test, without its tests
	known map[string]*types.Package // it, and its dependencies, by path
	done  map[types.Type]types.Type // nil for a type that cannot be written
	busy  map[*types.TypeName]bool
	left  int // see maxParts
}

func newWriter(p *types.Package) *writer {
	return &writer{pkg: p, known: catalog.Dependencies(p), done: map[types.Type]types.Type{}, busy: map[*types.TypeName]bool{}}
}

// written returns a type written out, nil if it cannot be.
func (w *writer) written(t types.Type) types.Type {
	t = types.Unalias(t)
	if out, ok := w.done[t]; ok {
		return out
	}
	if len(w.busy) > 0 { // it may hold an any that depends on where it began
		if w.left--; w.left < 0 {
			return nil
		}
		return w.write(t)
	}
	w.left = maxParts
	out := w.write(t)
	if w.left < 0 {
		out, w.left = nil, 0
	}
	w.done[t] = out
	return out
}

// maxParts is how many parts a type may have to be written out: of structs that all refer to each
// other, each is written in each of the others.
const maxParts = 2000

func (w *writer) write(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsConstType != 0 {
			return t
		}
	case *types.Named:
		return w.named(t)
	case *types.Pointer:
		elem := w.written(t.Elem())
		if named, ok := types.Unalias(t.Elem()).(*types.Named); ok && w.busy[named.Obj()] {
			return elem // the any that it holds in its place
		}
		if elem != nil {
			return types.NewPointer(elem)
		}
	case *types.Slice:
		if elem := w.written(t.Elem()); elem != nil {
			return types.NewSlice(elem)
		}
	case *types.Array:
		if elem := w.written(t.Elem()); elem != nil {
			return types.NewArray(elem, t.Len())
		}
	case *types.Map:
		if key, elem := w.written(t.Key()), w.written(t.Elem()); key != nil && elem != nil && types.Comparable(key) {
			return types.NewMap(key, elem)
		}
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		if t.Empty() {
			return t
		}
	}
	return nil
}

// structure writes out a struct: its exported fields. A field that embeds a type of the tests
// has the name of that type.
func (w *writer) structure(t *types.Struct) types.Type {
	var fields []*types.Var
	var tags []string
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() {
			continue
		}
		of := w.written(f.Type())
		if of == nil {
			continue
		}
		embeds := f.Embedded()
		if embeds {
			_, isNamed := pointed(of).(*types.Named)
			embeds = isNamed
		}
		fields = append(fields, types.NewField(f.Pos(), w.pkg, f.Name(), of, embeds))
		tags = append(tags, t.Tag(i))
	}
	return types.NewStruct(fields, tags)
}

// pointed returns the type that t points to, or t, which may be nil.
func pointed(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return t
}

// named returns a named type as the package under test knows it, or what a type of the tests is.
func (w *writer) named(t *types.Named) types.Type {
	obj := t.Obj()
	switch {
	case obj.Pkg() == nil:
		return t
	case w.ofTests(obj):
		if t.TypeArgs().Len() > 0 {
			return nil
		}
		if w.busy[obj] {
			return types.Universe.Lookup("any").Type()
		}
		w.busy[obj] = true
		defer delete(w.busy, obj)
		return w.written(t.Underlying())
	}
	if !obj.Exported() || t.TypeArgs().Len() > 0 {
		return nil
	}
	if p := w.known[obj.Pkg().Path()]; p != nil {
		if here, ok := p.Scope().Lookup(obj.Name()).(*types.TypeName); ok {
			return here.Type()
		}
	}
	return t
}

// ofTests reports whether the tests declare a type, or another package that only they import.
func (w *writer) ofTests(obj *types.TypeName) bool {
	path := obj.Pkg().Path()
	if path == w.pkg.Path() {
		return obj.Parent() != obj.Pkg().Scope() || w.pkg.Scope().Lookup(obj.Name()) == nil
	}
	first, _, _ := strings.Cut(path, "/")
	return path == w.pkg.Path()+"_test" || w.known[path] == nil && strings.Contains(first, ".")
}
