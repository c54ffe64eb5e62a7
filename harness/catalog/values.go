package catalog

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// addTypeName adds an exported type of the package, a generic one by
// its instances.
func (f *finder) addTypeName(obj *types.TypeName) {
	named, ok := types.Unalias(obj.Type()).(*types.Named)
	if !ok || named.Obj().Pkg() != f.pkg {
		return
	}
	if obj.IsAlias() && (named.Obj().Exported() || named.TypeParams().Len() > 0) {
		return
	}
	if named.TypeParams().Len() == 0 || named.TypeArgs().Len() > 0 {
		f.addType(named)
		return
	}
	lists := f.typeArgs(named, named.TypeParams())
	for _, targs := range lists {
		inst, err := types.Instantiate(f.ctx, named, targs, true)
		if err == nil {
			f.addType(inst.(*types.Named))
		}
	}
	if len(lists) == 0 && !types.IsInterface(named) {
		for m := range named.Methods() {
			f.excludeMethod(named, m, "no type arguments found that satisfy the constraints of "+obj.Name())
		}
	}
}

func (f *finder) excludeMethod(named *types.Named, fn *types.Func, reason string) {
	if !fn.Exported() {
		return
	}
	_, ptr := pointee(fn.Signature().Recv().Type())
	member := memberName(named.Obj(), ptr, fn.Name())
	f.members[member] = true
	f.exclude(member, reason)
}

// addType adds the methods, fields and literals of a type of the package. An
// interface waits until something returns it.
func (f *finder) addType(named *types.Named) {
	if types.IsInterface(named) {
		return
	}
	if key := typeKey(named); f.stamped[key] {
		return
	} else {
		f.stamped[key] = true
	}
	f.addMethods(named)
	if st, ok := named.Underlying().(*types.Struct); ok {
		f.addFields(named, st)
		f.addLiterals(named, st, f.primary(named))
	}
	f.addConversion(named)
}

// form returns *T or T, as the package hands it out.
func (f *finder) form(named *types.Named) types.Type {
	if f.primary(named) {
		return types.NewPointer(named)
	}
	return named
}

// addFields adds reads and writes of exported fields.
func (f *finder) addFields(named *types.Named, st *types.Struct) {
	if f.reach(named) == nowhere {
		return
	}
	key, name := typeKey(named), named.Obj().Name()
	for fld := range st.Fields() {
		if !fld.Exported() || f.reach(fld.Type()) == nowhere || hasLock(fld.Type()) {
			continue
		}
		t := types.Unalias(fld.Type())
		get := maker(seq.FieldGet, "$0."+fld.Name(), t, 0, f.form(named))
		get.Vars = []string{fld.Name()}
		get.Name, get.Short = "field "+key+"."+fld.Name(), "("+name+")."+fld.Name()
		f.addPlaced(fld, get)
		set := setter(seq.FieldSet, "$0."+fld.Name()+" = $1", types.NewPointer(named), t)
		set.Vars = get.Vars
		set.Name, set.Short = "set "+get.Name, "(*"+name+")."+fld.Name()+" ="
		f.addPlaced(fld, set)
	}
}

// setter returns an operation without a result.
func setter(kind seq.Kind, template string, params ...types.Type) *operation {
	return &operation{Operation: seq.Operation{Kind: kind, Template: template}, params: params}
}

// addPlaced adds an operation with the place of an object.
func (f *finder) addPlaced(obj types.Object, op *operation) {
	f.source.declare(op, obj.Pos())
	f.add(op)
}

// addLiterals adds T{} and the literal that sets exported fields, or the
// pointers to these.
func (f *finder) addLiterals(named *types.Named, st *types.Struct, ptr bool) {
	if f.reach(named) != everywhere || !ptr && hasLock(named) {
		return
	}
	t, text := types.Type(named), f.typeName(named)
	if ptr {
		t, text = types.NewPointer(named), "&"+text
	}
	add := func(shape seq.Shape, fields []*types.Var) {
		op := shaped(shape, literal(seq.Composite, text, t, 0, fields))
		op.Zero, op.Incomplete = f.zeroIsSuspect(named, st), leavesNil(st, fields)
		f.addPlaced(named.Obj(), op)
	}
	add(seq.Empty, nil)
	if fields := f.literalFields(st); len(fields) > 0 {
		add(seq.Filled, fields)
	}
}

// literalFields returns the fields that have values easy to come by.
func (f *finder) literalFields(st *types.Struct) (fields []*types.Var) {
	for fld := range st.Fields() {
		if fld.Exported() && len(fields) < seq.MaxLiteralFields && f.easy(fld.Type()) {
			fields = append(fields, fld)
		}
	}
	return fields
}

// literal returns an operation that makes a t by a literal of a struct type with that name and
// these fields: name{A: $0, B: $1}.
func literal(kind seq.Kind, name string, t types.Type, depth int, fields []*types.Var) *operation {
	op := maker(kind, "", t, depth)
	var parts []string
	for i, fld := range fields {
		parts = append(parts, fmt.Sprintf("%s: $%d", fld.Name(), i))
		op.params, op.Vars = append(op.params, types.Unalias(fld.Type())), append(op.Vars, fld.Name())
	}
	op.Template = name + "{" + strings.Join(parts, ", ") + "}"
	return op
}

// leavesNil reports whether a literal of st with the given fields leaves another
// exported field nil that is no slice: an empty slice is as good as nil.
func leavesNil(st *types.Struct, fields []*types.Var) bool {
	return anyField(st, func(fld *types.Var) bool {
		if !fld.Exported() || slices.Contains(fields, fld) {
			return false
		}
		switch u := fld.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Chan, *types.Slice:
			return true
		case *types.Struct:
			return fld.Embedded() && leavesNil(u, nil)
		}
		return false
	})
}

// anyField reports whether a field of st is as asked.
func anyField(st *types.Struct, is func(*types.Var) bool) bool {
	return slices.ContainsFunc(slices.Collect(st.Fields()), is)
}

// easy reports whether values of t are always at hand. Those are basic ones, the
// package's own structs, slices of these, functions and any. So are those of an
// interface of the package that a type of it implements.
func (f *finder) easy(t types.Type) bool { return f.easyIn(t, maxDepth) }

// easyIn is easy for a type in so many slices at most: a slice type may be its own element.
func (f *finder) easyIn(t types.Type, depth int) bool {
	if f.reach(t) != everywhere || hasLock(t) {
		return false
	}
	if named, _ := pointee(t); named != nil && named.Obj().Pkg() == f.pkg {
		if _, ok := named.Underlying().(*types.Struct); ok {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsConstType != 0
	case *types.Slice:
		return depth > 0 && f.easyIn(u.Elem(), depth-1)
	case *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() == 0 || f.implemented(t)
	}
	return false
}

// implemented reports whether t is an interface of the package, and another type of it implements t.
func (f *finder) implemented(t types.Type) bool {
	named, _ := types.Unalias(t).(*types.Named)
	return named != nil && named.Obj().Pkg() == f.pkg && slices.ContainsFunc(f.ownTypes(false), func(own types.Type) bool { return types.AssignableTo(own, t) })
}

// zeroIsSuspect reports whether calling methods on the zero value of a type may be
// misuse. The type hides fields, the package makes its values, and the documentation does
// not call the zero value useful.
func (f *finder) zeroIsSuspect(named *types.Named, st *types.Struct) bool {
	hides := anyField(st, func(fld *types.Var) bool { return !fld.Exported() })
	doc := f.source.typeDocs[named.Obj()]
	return hides && f.ctors[named.Obj()] && !zeroDocumented(doc, named.Obj().Name())
}

// hidesReference reports whether a struct has no exported field, and has a field
// with a nil zero value.
func hidesReference(st *types.Struct) bool {
	leads := func(fld *types.Var) bool {
		switch fld.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Chan:
			return true
		}
		return false
	}
	return anyField(st, leads) && !anyField(st, (*types.Var).Exported)
}

var zeroDenied = regexp.MustCompile(`(?i)\b(not|invalid|must|after)\b`)

func zeroDocumented(doc, name string) bool {
	said := regexp.MustCompile(`(?i)\b(an?|the|its) zero[- ](value|` + regexp.QuoteMeta(name) + `)\b`)
	return slices.ContainsFunc(sentences(doc), func(s string) bool { return said.MatchString(s) && !zeroDenied.MatchString(s) })
}

// addConversion adds T(x) for a named type that is no struct.
func (f *finder) addConversion(named *types.Named) {
	u := named.Underlying()
	if _, ok := u.(*types.Struct); ok || f.reach(named) != everywhere || f.reach(u) != everywhere || f.exitType(named) {
		return
	}
	if b, ok := u.(*types.Basic); ok && b.Info()&types.IsConstType == 0 {
		return
	}
	f.add(maker(seq.Convert, f.typeName(named)+"($0)", named, 0, u))
}

// addVar adds the read of an exported variable, and its write if it holds a basic
// value. Anything larger is state that would outlive the sequence in ways that are
// hard to see.
func (f *finder) addVar(v *types.Var) {
	if f.reach(v.Type()) == nowhere || hasLock(v.Type()) || f.exiting[v] {
		return
	}
	text := f.names.of(f.pkg) + "." + v.Name()
	t := types.Unalias(v.Type())
	get := maker(seq.VarGet, text, t, 0)
	get.Vars = []string{text}
	get.Name = "var " + f.pkg.Path() + "." + v.Name()
	f.addPlaced(v, get)
	if _, ok := t.Underlying().(*types.Basic); ok {
		set := setter(seq.VarSet, text+" = $0", t)
		set.Name, set.Vars = "set "+get.Name, get.Vars
		f.addPlaced(v, set)
	}
}

// maxConsts bounds the constants of one type that are operations; all are mined.
const maxConsts = 64

func (f *finder) addConst(c *types.Const) {
	named, ok := types.Unalias(c.Type()).(*types.Named)
	if !ok || !c.Exported() || f.reach(named) == nowhere || f.exits(c) {
		return
	}
	if f.worklist.consts[typeKey(named)]++; f.worklist.consts[typeKey(named)] > maxConsts {
		return
	}
	op := maker(seq.Const, f.names.of(c.Pkg())+"."+c.Name(), named, 0)
	op.Name = "const " + c.Pkg().Path() + "." + c.Name()
	if c.Pkg() == f.pkg {
		f.source.declare(op, c.Pos())
	}
	f.add(op)
}
