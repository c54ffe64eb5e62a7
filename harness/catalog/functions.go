package catalog

import (
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// A callable is one function or method with its type arguments, about to become
// an operation.
type callable struct {
	fn     *types.Func
	sig    *types.Signature // without receiver and type parameters
	recv   types.Type       // of the operation; nil for a function
	name   string           // seq.Operation.Name without the signature
	member string
	short  string
	call   string       // "queue.New[int]", "$0.Put"
	args   []types.Type // type arguments
}

// addFunc adds an exported function, once for each instantiation.
func (f *finder) addFunc(fn *types.Func) {
	sig := fn.Type().(*types.Signature)
	f.members[fn.Name()] = true
	c := callable{fn: fn, sig: sig, name: fn.FullName(), member: fn.Name(), short: fn.Name()}
	c.call = f.names.of(f.pkg) + "." + fn.Name()
	list := f.instances(c, f.typeArgs(sig, sig.TypeParams()))
	for _, inst := range list {
		f.addCallable(inst)
	}
	if len(list) == 0 {
		f.exclude(fn.Name(), "no type arguments found that satisfy its constraints")
	}
}

// method returns a method before it is called. The text of its receiver is full with import paths.
func method(fn *types.Func, sig *types.Signature, recv types.Type, full, member, short string) callable {
	var args []types.Type
	if named, _ := pointee(recv); named != nil {
		args = slices.Collect(named.TypeArgs().Types())
	}
	return callable{
		fn: fn, sig: withoutReceiver(sig), recv: recv, args: args, call: "$0." + fn.Name(),
		name: "(" + full + ")." + fn.Name(), member: "(" + member + ")." + fn.Name(), short: "(" + short + ")." + fn.Name(),
	}
}

func withoutReceiver(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
}

// instances returns a function with each of some lists of type arguments, itself if it has no type
// parameters.
func (f *finder) instances(c callable, lists [][]types.Type) []callable {
	if c.sig.TypeParams().Len() == 0 {
		return []callable{c}
	}
	var list []callable
	for _, targs := range lists {
		inst, err := types.Instantiate(f.ctx, c.sig, targs, true)
		if err != nil {
			continue
		}
		d := c
		d.sig, d.args = inst.(*types.Signature), targs
		d.name += "[" + joinTypes(targs, typeKey) + "]"
		d.short += "[" + joinTypes(targs, f.typeName) + "]"
		d.call += "[" + joinTypes(targs, f.typeName) + "]"
		list = append(list, d)
	}
	return list
}

// addMethods adds the exported methods of a named type: of an interface only if
// something returns it. Methods that take the value are called on the form that
// the package hands out, see primary.
func (f *finder) addMethods(named *types.Named) {
	ptr := types.NewPointer(named)
	values := types.NewMethodSet(named)
	set := values
	if !types.IsInterface(named) {
		set = types.NewMethodSet(ptr)
	}
	for sel := range set.Methods() {
		fn := sel.Obj().(*types.Func)
		if !fn.Exported() {
			continue
		}
		recv := types.Type(named)
		needsPtr := values.Lookup(fn.Pkg(), fn.Name()) == nil
		if needsPtr || f.primary(named) {
			recv = ptr
		}
		f.addMethod(named, recv, needsPtr, fn, sel.Type().(*types.Signature))
	}
}

func (f *finder) addMethod(named *types.Named, recv types.Type, needsPtr bool, fn *types.Func, sig *types.Signature) {
	star := ""
	if needsPtr {
		star = "*"
	}
	short := strings.TrimPrefix(f.typeName(named), f.names.of(f.pkg)+".")
	c := method(fn, sig, recv, star+typeKey(named), star+named.Obj().Name(), star+short)
	f.members[c.member] = true
	if f.reach(recv) == nowhere {
		f.exclude(c.member, "its receiver has no name")
		return
	}
	f.addCallable(c)
}

// memberName returns "(*List).PushBack".
func memberName(obj *types.TypeName, ptr bool, method string) string {
	name := obj.Name()
	if ptr {
		name = "*" + name
	}
	return "(" + name + ")." + method
}

// NotChosen is the reason by which members are excluded that the user did not ask for.
const NotChosen = "not chosen by -ops and -skip"

// spreadSuffix ends the Name of an operation that takes its variadic arguments as a slice.
const spreadSuffix = " spread"

// addCallable makes the operations of one function or method: a variadic one
// has a second, that takes a slice.
func (f *finder) addCallable(c callable) {
	if !f.selected(c.member, c.short) {
		f.exclude(c.member, NotChosen)
		return
	}
	if why := f.danger(c); why != "" {
		f.exclude(c.member, why)
		return
	}
	if bad := f.unspeakable(c.sig); bad != nil {
		f.exclude(c.member, "type "+typeKey(bad)+" cannot be named here")
		return
	}
	told := f.directives(c)
	if told.skip {
		f.exclude(c.member, "//foray:ignore")
		return
	}
	op := f.callOperation(c)
	op.Ignore = told.ignore
	if told.panics != "" {
		op.Pre.Panics, op.Pre.Sentence, op.Pre.Guard = true, told.panics, false
	}
	op.Pre.Blocks = op.Pre.Blocks || told.waits != ""
	f.add(op)
	if !c.sig.Variadic() {
		return
	}
	spread := *op
	spread.Variadic, spread.Spread = false, true
	spread.Name = op.Name + spreadSuffix
	spread.Short = op.Short + "..."
	spread.params = append([]types.Type{}, op.params...)
	last := len(op.params) - 1
	spread.params[last] = types.NewSlice(op.params[last])
	spread.Template = strings.Replace(op.Template, "$*", "$"+strconv.Itoa(last)+"...", 1)
	f.add(&spread)
}

// callOf returns an operation that calls a function of a signature. recv is its first argument,
// which stands in the text of the function, if it is not nil.
func callOf(kind seq.Kind, text string, recv types.Type, sig *types.Signature) *operation {
	op := &operation{results: tupleTypes(sig.Results())}
	if recv != nil {
		op.params = []types.Type{recv}
	}
	first := len(op.params)
	op.params = append(op.params, tupleTypes(sig.Params())...)
	if last := len(op.params) - 1; sig.Variadic() {
		op.params[last] = variadicElem(op.params[last])
	}
	op.Kind, op.Variadic = kind, sig.Variadic()
	op.Template = text + "(" + seq.Holes(first, len(op.params), op.Variadic) + ")"
	return op
}

func (f *finder) callOperation(c callable) *operation {
	kind := seq.Func
	if c.recv != nil {
		kind = seq.Method
	}
	op := callOf(kind, c.call, c.recv, c.sig)
	op.Name = c.name + " " + callSignature(c.sig)
	op.Short, op.Member, op.Base, op.API = c.short, c.member, c.fn.Name(), true
	if len(op.results) == 1 && f.reach(op.results[0]) == nowhere {
		op.Shape, op.Template = seq.Unnamed, "any("+op.Template+")"
		op.results[0] = types.Universe.Lookup("any").Type()
	}
	op.TypeArgs, op.ReturnsError = typeTexts(c.args, f.typeName), returnsError(c.fn.Name(), c.sig)
	op.Pre, op.Forwards = f.precondition(c), f.forwards(c)
	op.Pre.Exits = f.mayExit(c)
	op.Doc, op.Names = f.source.docLine(c.fn), parameterNames(c)
	op.Alone = alone.MatchString(f.source.doc(c.fn))
	op.Callback = c.recv != nil && callback(c.fn.Name(), c.sig)
	op.SetsReceiver = f.setsReceiver(c.fn)
	op.MinusOne = slices.ContainsFunc(append(f.implementations(c.fn), c.fn.Origin()), f.returnsMinusOne)
	if c.fn.Pkg() == f.pkg {
		f.source.declare(op, c.fn.Pos())
	}
	return op
}

// parameterNames returns the names of c's parameters, receiver first; nil if
// none has one.
func parameterNames(c callable) []string {
	var names []string
	if c.recv != nil {
		names = append(names, c.fn.Type().(*types.Signature).Recv().Name())
	}
	named := false
	for p := range c.sig.Params().Variables() {
		names = append(names, p.Name())
		named = named || p.Name() != "" && p.Name() != "_"
	}
	if !named {
		return nil
	}
	return names
}

func callSignature(sig *types.Signature) string {
	s := signatureKey(tupleTypes(sig.Params()), tupleTypes(sig.Results()))
	if sig.Variadic() {
		s = "variadic " + s
	}
	return "func" + s
}

// unspeakable returns a type of sig that keeps it from being called: one of a
// parameter, or one of several results. A lone result is taken as any.
func (f *finder) unspeakable(sig *types.Signature) types.Type {
	list := tupleTypes(sig.Params())
	if sig.Results().Len() > 1 {
		list = append(list, tupleTypes(sig.Results())...)
	}
	for _, t := range list {
		if f.reach(t) == nowhere {
			return t
		}
	}
	return nil
}

func tupleTypes(t *types.Tuple) []types.Type {
	var list []types.Type
	for v := range t.Variables() {
		list = append(list, types.Unalias(v.Type()))
	}
	return list
}

// variadicElem returns the type of one argument of a variadic parameter. A string
// stands for its bytes, as in append.
func variadicElem(t types.Type) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return types.Unalias(s.Elem())
	}
	return types.Typ[types.Byte]
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// extendsError reports whether t is an interface type with the methods of error and others.
func extendsError(t types.Type) bool {
	return types.IsInterface(t) && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// returnsError reports whether a non-nil last result means that the call did
// not do its work. Functions that make or look up an error did.
func returnsError(name string, sig *types.Signature) bool {
	n := sig.Results().Len()
	if n > 1 {
		return extendsError(sig.Results().At(n - 1).Type())
	}
	if n == 0 || !isError(sig.Results().At(0).Type()) {
		return false
	}
	for _, maker := range []string{"New", "Errorf", "Wrap", "Join", "With", "Cause", "Unwrap", "Err"} {
		if name == maker || name != "Write" && strings.HasPrefix(name, maker) && maker != "Err" {
			return false
		}
	}
	return true
}

// primary reports whether the package returns *T rather than T, or T must not be
// copied. Then methods of the value are called through the pointer.
func (f *finder) primary(named *types.Named) bool {
	if types.IsInterface(named) {
		return false
	}
	if hasLock(named) {
		return true
	}
	if ptr, ok := f.pointers[named.Obj()]; ok {
		return ptr
	}
	return named.Origin().NumMethods() > 0 && hasPointerMethod(named.Origin())
}

func hasPointerMethod(named *types.Named) bool {
	for m := range named.Methods() {
		if _, ptr := pointee(m.Signature().Recv().Type()); ptr && m.Exported() {
			return true
		}
	}
	return false
}

var constructorName = regexp.MustCompile(`^(?i:new|make)`)

// surveyResults looks through the results of the package's functions and methods.
// pointers has the package's types among them, and whether an exported function
// returns a pointer to the type. ctors has the types that the package makes: an
// exported function returns them, any function called new does so first, or see surveyMade.
func (f *finder) surveyResults() (pointers, ctors map[*types.TypeName]bool) {
	pointers, ctors = map[*types.TypeName]bool{}, map[*types.TypeName]bool{}
	survey := func(fn *types.Func, function bool) {
		for i, t := range tupleTypes(fn.Signature().Results()) {
			named, ptr := pointee(t)
			if named == nil || named.Obj().Pkg() != f.pkg {
				continue
			}
			if _, ok := pointers[named.Obj()]; fn.Exported() && (!ok || ptr) {
				pointers[named.Obj()] = ptr
			}
			// A method that hands out another type makes it, as tree.Iterator() does.
			handsOut := !function && fn.Exported() && !sameNamed(fn.Signature().Recv().Type(), named)
			if function && fn.Exported() || handsOut || i == 0 && constructorName.MatchString(fn.Name()) {
				ctors[named.Obj()] = true
				if el := elementOf(named); function && el != nil && el.Obj().Pkg() == f.pkg {
					ctors[el.Obj()] = true // NewConstraints makes each Constraint
				}
			}
		}
	}
	for fn := range objects[*types.Func](f.pkg) {
		survey(fn, true)
	}
	for obj := range objects[*types.TypeName](f.pkg) {
		if named, ok := obj.Type().(*types.Named); ok {
			for m := range named.Methods() {
				survey(m, false)
			}
		}
	}
	f.surveyMade(ctors)
	return pointers, ctors
}

// elementOf returns the named type that a slice type is a list of, or of pointers to.
func elementOf(list *types.Named) *types.Named {
	s, ok := list.Underlying().(*types.Slice)
	if !ok {
		return nil
	}
	el, _ := pointee(s.Elem())
	return el
}

// sameNamed reports whether t is, or points to, named or an instance of it.
func sameNamed(t types.Type, named *types.Named) bool {
	n, _ := pointee(t)
	return n != nil && n.Obj() == named.Obj()
}

// pointee returns the named type that t is or points to, and which.
func pointee(t types.Type) (named *types.Named, ptr bool) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t, ptr = types.Unalias(p.Elem()), true
	}
	named, _ = t.(*types.Named)
	return named, ptr
}
