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
	lists := f.typeArgs(named.TypeParams())
	for _, targs := range lists {
		inst, err := types.Instantiate(f.ctx, named, targs, true)
		if err == nil {
			f.addType(inst.(*types.Named))
		}
	}
	if len(lists) == 0 && !types.IsInterface(named) {
		for i := range named.NumMethods() {
			f.excludeMethod(named, named.Method(i), "no type arguments found that satisfy the constraints of "+obj.Name())
		}
	}
}

func (f *finder) excludeMethod(named *types.Named, fn *types.Func, reason string) {
	if !fn.Exported() {
		return
	}
	recv := types.Unalias(fn.Type().(*types.Signature).Recv().Type())
	_, ptr := recv.(*types.Pointer)
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
	for i := range st.NumFields() {
		fld := st.Field(i)
		if !fld.Exported() || f.reach(fld.Type()) == nowhere || hasLock(fld.Type()) {
			continue
		}
		file, line := f.source.place(fld.Pos())
		get := &operation{params: []types.Type{f.form(named)}, results: []types.Type{types.Unalias(fld.Type())}}
		get.Kind, get.Template = seq.FieldGet, "$0."+fld.Name()
		get.Name, get.Short = "field "+key+"."+fld.Name(), "("+name+")."+fld.Name()
		get.File, get.Line = file, line
		f.add(get)
		set := &operation{params: []types.Type{types.NewPointer(named), types.Unalias(fld.Type())}}
		set.Kind, set.Template = seq.FieldSet, "$0."+fld.Name()+" = $1"
		set.Name, set.Short = "set "+get.Name, "(*"+name+")."+fld.Name()+" ="
		set.File, set.Line = file, line
		f.add(set)
	}
}

// addLiterals adds T{} and the literal that sets exported fields, or the
// pointers to these.
func (f *finder) addLiterals(named *types.Named, st *types.Struct, ptr bool) {
	if f.reach(named) != everywhere || !ptr && hasLock(named) {
		return
	}
	bodies := []string{"{}"}
	params := [][]types.Type{nil}
	if body, list := f.literalFields(st); len(list) > 0 {
		bodies, params = append(bodies, body), append(params, list)
	}
	file, line := f.source.place(named.Obj().Pos())
	for i, body := range bodies {
		op := &operation{params: params[i], results: []types.Type{named}}
		op.Kind, op.Template = seq.Composite, f.typeName(named)+body
		op.Zero = f.zeroIsSuspect(named, st)
		op.Incomplete = leavesNil(st, body)
		op.File, op.Line = file, line
		if op.Shape = seq.Empty; len(params[i]) > 0 {
			op.Shape = seq.Filled
		}
		if ptr {
			op.Template = "&" + op.Template
			op.results[0] = types.NewPointer(named)
		}
		f.add(op)
	}
}

// literalFields returns "{A: $0, B: $1}" for the fields that have values easy to
// come by.
func (f *finder) literalFields(st *types.Struct) (string, []types.Type) {
	var fields []*types.Var
	for fld := range st.Fields() {
		if fld.Exported() && len(fields) < seq.MaxLiteralFields && f.easy(fld.Type()) {
			fields = append(fields, fld)
		}
	}
	return fieldValues(fields)
}

// fieldValues returns "{A: $0, B: $1}" and the types of the holes.
func fieldValues(fields []*types.Var) (string, []types.Type) {
	var parts []string
	var params []types.Type
	for i, fld := range fields {
		parts = append(parts, fmt.Sprintf("%s: $%d", fld.Name(), i))
		params = append(params, types.Unalias(fld.Type()))
	}
	return "{" + strings.Join(parts, ", ") + "}", params
}

// leavesNil reports whether a literal of st with the given body leaves an
// exported field nil that is no slice: an empty slice is as good as nil.
func leavesNil(st *types.Struct, body string) bool {
	for i := range st.NumFields() {
		fld := st.Field(i)
		if !fld.Exported() || strings.Contains(body, "{"+fld.Name()+":") || strings.Contains(body, " "+fld.Name()+":") {
			continue
		}
		switch u := fld.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Chan, *types.Slice:
			return true
		case *types.Struct:
			if fld.Embedded() && leavesNil(u, "") {
				return true
			}
		}
	}
	return false
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
	hides := false
	for i := range st.NumFields() {
		hides = hides || !st.Field(i).Exported()
	}
	doc := f.source.typeDocs[named.Obj()]
	made := f.ctors[named.Obj()] || initDocumented(doc) || f.nilIsEmpty(named, st)
	return hides && made && !zeroDocumented(doc, named.Obj().Name())
}

// hidesReference reports whether a struct has no exported field, and has a field
// with a nil zero value.
func hidesReference(st *types.Struct) bool {
	leads := false
	for i := range st.NumFields() {
		fld := st.Field(i)
		if fld.Exported() {
			return false
		}
		switch fld.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Chan:
			leads = true
		}
	}
	return leads
}

// nilIsEmpty reports whether nil is the type's empty value, so that a zero struct is
// never valid. Its methods handle a nil receiver, and it hides a field of an
// interface type with methods: a node of a tree, with its key.
func (f *finder) nilIsEmpty(named *types.Named, st *types.Struct) bool {
	calls := false
	for i := range st.NumFields() {
		if iface, ok := st.Field(i).Type().Underlying().(*types.Interface); ok && iface.NumMethods() > 0 {
			calls = true
		}
	}
	if !calls || !hidesReference(st) {
		return false
	}
	for i := range named.NumMethods() {
		decl := f.source.decl(named.Method(i))
		if decl == nil {
			continue
		}
		if objs := f.parameters(decl); objs[0] != nil && f.nilTested(decl)[objs[0]] {
			return true
		}
	}
	return false
}

// initDocumented reports whether a type's documentation has its values initialized by
// some call: "Methods may only be called on a value that has been initialized by …".
func initDocumented(doc string) bool {
	return regexp.MustCompile(`(?i)\b(may|must|can|should) only be (called|used)\b.*\b(initiali[sz]ed|created|constructed)\b|\bmust be (initiali[sz]ed|created|constructed)\b`).MatchString(strings.ReplaceAll(doc, "\n", " "))
}

var zeroDenied = regexp.MustCompile(`(?i)\b(not|invalid|must|panics?|unusable|never|cannot|after|until|unless|once|before)\b`)

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
	file, line := f.source.place(v.Pos())
	name := f.names.of(f.pkg) + "." + v.Name()
	t := types.Unalias(v.Type())
	get := &operation{results: []types.Type{t}}
	get.Kind, get.Template, get.Name = seq.VarGet, name, "var "+f.pkg.Path()+"."+v.Name()
	get.File, get.Line = file, line
	f.add(get)
	if _, ok := t.Underlying().(*types.Basic); !ok {
		return
	}
	set := &operation{params: []types.Type{t}}
	set.Kind, set.Template, set.Name = seq.VarSet, name+" = $0", "set "+get.Name
	set.File, set.Line = file, line
	f.add(set)
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
	op := &operation{results: []types.Type{named}}
	op.Kind, op.Template = seq.Const, f.names.of(c.Pkg())+"."+c.Name()
	op.Name = "const " + c.Pkg().Path() + "." + c.Name()
	if c.Pkg() == f.pkg {
		op.File, op.Line = f.source.place(c.Pos())
	}
	f.add(op)
}
