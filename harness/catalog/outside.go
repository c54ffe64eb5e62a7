package catalog

import (
	"go/types"
	"iter"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// maxOutside bounds the calls into other packages that a table takes over from the tests.
const maxOutside = 32

// A Call is a function or method of another package, as tests call it.
type Call struct {
	Path      string // of the package
	Type      string // the name of the receiver's type; empty for a function
	Name      string
	Discarded bool // some call drops the results: it is made for its effect
}

// addOutside adds calls into other packages that make or change values which operations want:
// of a type of such a package, tests know how it is filled. A call may want further values,
// for which later rounds look.
func (f *finder) addOutside(calls []Call) {
	left := slices.Clone(calls)
	n := 0
	for before := -1; n > before; {
		before = n
		left = slices.DeleteFunc(left, func(c Call) bool {
			if n == maxOutside || !f.addOutsideCall(c) {
				return false
			}
			n++
			f.runWorklist()
			return true
		})
	}
}

// addOutsideCall adds the operation of a call if it is of use, and reports whether it did.
func (f *finder) addOutsideCall(call Call) bool {
	c, ok := f.outside(call)
	if !ok || c.sig.TypeParams().Len() > 0 || f.danger(c) != "" || blockingName(call.Name) || f.unspeakable(c.sig) != nil {
		return false
	}
	depth := f.wantedResult(c.sig)
	if d := f.wantedEffect(c, call.Discarded); depth == 0 || d > 0 && d < depth {
		depth = d
	}
	if depth == 0 {
		return false
	}
	f.nameOutside(&c)
	op := f.callOperation(c)
	op.API, op.Member, op.Base, op.depth = false, "", "", depth
	known := slices.ContainsFunc(f.ops, func(o *operation) bool { return o.Kind == seq.Standard && o.Template == op.Template })
	if known || op.Shape == seq.Unnamed || op.Pre.Blocks {
		return false
	}
	f.add(op)
	return f.byName[op.Name]
}

// outside returns the function or method that a call names. It is of a dependency of the package
// under test, or of the standard library.
func (f *finder) outside(call Call) (c callable, ok bool) {
	first, _, _ := strings.Cut(call.Path, "/")
	if call.Path == f.pkg.Path() || f.importer.byPath[call.Path] == nil && strings.Contains(first, ".") {
		return c, false
	}
	p := f.importer.find(call.Path)
	if p == nil || !f.importer.importable(p) {
		return c, false
	}
	if call.Type == "" {
		fn, ok := p.Scope().Lookup(call.Name).(*types.Func)
		if !ok {
			return c, false
		}
		return callable{fn: fn, sig: fn.Signature(), name: fn.FullName()}, true
	}
	named := namedIn(p, call.Type)
	if named == nil {
		return c, false
	}
	recv := types.Type(named)
	if types.NewMethodSet(named).Lookup(p, call.Name) == nil {
		recv = types.NewPointer(named)
	}
	sel := types.NewMethodSet(recv).Lookup(p, call.Name)
	if sel == nil || !sel.Obj().Exported() {
		return c, false
	}
	fn := sel.Obj().(*types.Func)
	return callable{fn: fn, sig: withoutReceiver(fn.Signature()), recv: recv}, true
}

// nameOutside names a call of another package, now that it is of use: its import takes a name.
func (f *finder) nameOutside(c *callable) {
	if c.recv == nil {
		c.call = f.names.of(c.fn.Pkg()) + "." + c.fn.Name()
		c.short = c.call
		return
	}
	*c = method(c.fn, c.sig, c.recv, typeKey(c.recv), "", f.typeName(c.recv))
}

// objects returns the objects of a kind that a package declares, by name.
func objects[T types.Object](p *types.Package) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, name := range p.Scope().Names() {
			if obj, ok := p.Scope().Lookup(name).(T); ok && !yield(obj) {
				return
			}
		}
	}
}

// namedIn returns a type of a package by its name, nil if it is not exported or has type parameters.
func namedIn(p *types.Package, name string) *types.Named {
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok || !obj.Exported() {
		return nil
	}
	named, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return nil
	}
	return named
}

// wantedResult returns the least depth at which something wants a result, 0 if nothing does.
func (f *finder) wantedResult(sig *types.Signature) (depth int) {
	for _, r := range tupleTypes(sig.Results()) {
		for _, want := range f.worklist.foreign {
			if types.AssignableTo(r, want.t) && (depth == 0 || want.depth < depth) {
				depth = want.depth
			}
		}
	}
	return depth
}

// wantedEffect returns the depth at which something wants the receiver of a method that
// changes it, as far as its type and its calls tell; 0 if nothing does.
func (f *finder) wantedEffect(c callable, discarded bool) (depth int) {
	if c.recv == nil {
		return 0
	}
	switch c.recv.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map:
	default:
		return 0
	}
	results := tupleTypes(c.sig.Results())
	if !discarded && len(results) > 0 && (len(results) > 1 || !isError(results[0])) {
		return 0
	}
	return f.worklist.foreign[typeKey(c.recv)].depth
}
