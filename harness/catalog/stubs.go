package catalog

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// maxStubFields bounds how many results of its methods a stub is given. Others are zero.
const maxStubFields = 4

// addStubs adds a maker of each interface that calls take and no type implements, as a visitor or a store
// that only callers have. The value is of a type that foray declares. Its methods return what
// it was given, and do nothing else:
//
//	type forayStubStore struct {
//		f0 string
//		f1 error
//	}
//
//	func (x *forayStubStore) Get(a0 int) (r0 string, r1 error) { return x.f0, x.f1 }
func (f *finder) addStubs() {
	looked := map[string]bool{} // at these types, by key
	for _, op := range slices.Clone(f.ops) {
		for i, t := range op.params {
			iface, ok := t.Underlying().(*types.Interface)
			if !ok || iface.NumMethods() == 0 || !op.API || i == 0 && op.Kind == seq.Method || looked[typeKey(t)] {
				continue
			}
			if looked[typeKey(t)] = true; !f.inPlay(t) {
				f.addStub(t, iface, op.depth+1)
			}
		}
	}
	f.runWorklist()
}

// inPlay reports whether an operation makes values that implement t, of others than such.
func (f *finder) inPlay(t types.Type) bool {
	takes := func(op *operation) bool {
		return slices.ContainsFunc(op.params, func(p types.Type) bool { return types.Identical(p, t) })
	}
	return slices.ContainsFunc(f.ops, func(op *operation) bool {
		return !takes(op) && slices.ContainsFunc(op.results, func(r types.Type) bool { return types.AssignableTo(r, t) })
	})
}

func (f *finder) addStub(t types.Type, iface *types.Interface, depth int) {
	named, _ := types.Unalias(t).(*types.Named)
	if named == nil || named.TypeArgs().Len() > 0 || f.reach(t) != everywhere || !iface.IsMethodSet() || f.hasImplementation(iface) {
		return
	}
	name := seq.DeclPrefix + "Stub"
	if p := named.Obj().Pkg(); p != f.pkg && p != nil {
		name += "_" + f.names.of(p) + "_"
	}
	s := stub{f: f, of: named, name: name + named.Obj().Name()}
	text, ok := s.declaration(iface)
	if !ok {
		return
	}
	var args []string
	for i := range s.fields {
		args = append(args, fmt.Sprintf("$%d", i))
	}
	f.decls[s.name] = seq.Decl{Name: s.name, Text: text}
	f.add(shaped(seq.Stub, maker(seq.Standard, fmt.Sprintf("%s(&%s{%s})", f.typeName(named), s.name, strings.Join(args, ", ")), t, depth, s.fields...)))
}

// A stub is a type that implements an interface.
type stub struct {
	f      *finder
	of     *types.Named
	name   string
	fields []types.Type
}

// declaration returns the declaration of s, with its methods. It reports false if only the package can
// write one of them.
func (s *stub) declaration(iface *types.Interface) (text string, ok bool) {
	methods := ""
	for m := range iface.Methods() {
		sig := m.Signature()
		spoken := func(t types.Type) bool { return s.f.reach(t) == everywhere }
		if !m.Exported() || !every(spoken, tupleTypes(sig.Params()), tupleTypes(sig.Results())) {
			return "", false
		}
		methods += fmt.Sprintf("\n\nfunc (x *%s) %s%s {%s}", s.name, m.Name(), s.signature(sig), s.body(sig))
	}
	text = fmt.Sprintf("// %s is a %s that a caller may have. Its methods return its fields.\ntype %[1]s struct {", s.name, s.f.typeName(s.of))
	for i, t := range s.fields {
		text += fmt.Sprintf("\n\tf%d %s", i, s.f.typeName(t))
	}
	if len(s.fields) > 0 {
		text += "\n"
	}
	return text + "}" + methods, true
}

// signature returns the text of sig, with names of parameters and results.
func (s *stub) signature(sig *types.Signature) string {
	params, results := s.f.writer().signature(sig)
	for i := range params {
		params[i] = fmt.Sprintf("a%d %s", i, params[i])
	}
	for i := range results {
		results[i] = fmt.Sprintf("r%d %s", i, results[i])
	}
	text := "(" + strings.Join(params, ", ") + ")"
	if len(results) > 0 {
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}

// body returns the body of a method. One of bytes that returns a number and an error takes them all, as
// a Write does.
func (s *stub) body(sig *types.Signature) string {
	params, results := tupleTypes(sig.Params()), tupleTypes(sig.Results())
	if len(results) == 0 {
		return ""
	}
	if len(params) == 1 && isBytes(params[0]) && len(results) == 2 && types.Identical(results[0], types.Typ[types.Int]) && isError(results[1]) {
		return " return len(a0), nil "
	}
	var values []string
	for i, t := range results {
		values = append(values, s.value(i, t))
	}
	return " return " + strings.Join(values, ", ") + " "
}

// value returns the expression of result i of a method, of type t: the stub itself, a field, or zero.
func (s *stub) value(i int, t types.Type) string {
	if types.Identical(t, s.of) {
		return "x"
	}
	at := slices.IndexFunc(s.fields, func(of types.Type) bool { return types.Identical(of, t) })
	if at < 0 && len(s.fields) < maxStubFields && s.gives(t) {
		at, s.fields = len(s.fields), append(s.fields, t)
	}
	if at < 0 {
		return fmt.Sprintf("r%d", i)
	}
	return fmt.Sprintf("x.f%d", at)
}

// gives reports whether a stub can be given values of type t: plain ones, and those that calls return.
func (s *stub) gives(t types.Type) bool {
	return isBasic(t) || isError(t) || isBytes(t) || s.f.worklist.made[typeKey(t)]
}

// isBytes reports whether t is []byte, or the like with a name.
func isBytes(t types.Type) bool {
	sl, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(sl.Elem(), types.Typ[types.Byte])
}
