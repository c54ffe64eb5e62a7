package catalog

import (
	"cmp"
	"go/types"
	"slices"

	"foray.test/engine/seq"
)

// addIndex adds the read of an element of a slice, array or map that the package
// returns. In other containers the sequence itself put the elements.
func (f *finder) addIndex(t, key, elem types.Type, api bool) {
	if !api || f.reach(elem) == nowhere || hasLock(elem) {
		return
	}
	f.addPart(maker(seq.Index, "$0[$1]", types.Unalias(elem), maxDepth, t, types.Unalias(key)), api)
}

// encoder shows the JSON of a value.
var encoder = seq.Decl{Name: "forayJSON", Text: `// forayJSON returns v as JSON.
func forayJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}`}

// addEncoding adds the JSON of a value of type T, if T or *T has a method for its
// encoding. That method is an operation too, but most callers encode a struct that
// holds a T. There the method counts only if T itself has it.
func (f *finder) addEncoding(named *types.Named) {
	marshals := implemented(types.NewPointer(named))&(seq.StdJSONMarshaler|seq.StdTextMarshaler) != 0
	if types.IsInterface(named) || hasLock(named) || !marshals || f.names.Use("encoding/json", "json") != "json" {
		return
	}
	f.decls[encoder.Name] = encoder
	var from types.Type = named
	template := encoder.Name + "($0)"
	if f.primary(named) {
		from, template = types.NewPointer(named), encoder.Name+"(*$0)"
	}
	f.add(&operation{
		Operation: seq.Operation{
			Kind: seq.Index, Template: template, Short: "json.Marshal", ReturnsError: true,
		},
		params: []types.Type{from}, results: []types.Type{types.Typ[types.String], types.Universe.Lookup("error").Type()},
		depth: maxDepth, // no values are looked for just to encode them
	})
}

// addPart adds an operation that takes a part of a value that the package returns.
// The part counts as returned by the package too.
func (f *finder) addPart(op *operation, api bool) {
	f.add(op)
	if api {
		for _, t := range op.results {
			f.produce(t, true)
		}
	}
}

func (f *finder) addDeref(t types.Type, p *types.Pointer, api bool) {
	named, _ := pointee(t)
	if named != nil && !isBasic(named) || f.reach(p.Elem()) == nowhere || hasLock(p.Elem()) {
		return // a copy that no call wants
	}
	f.addPart(maker(seq.Index, "*$0", types.Unalias(p.Elem()), maxDepth, t), api)
}

// addMapKeys adds the sorted keys of a map with ordered keys.
func (f *finder) addMapKeys(t types.Type, m *types.Map, api bool) {
	if !api || !isOrdered(m.Key()) {
		return
	}
	sl, mp := f.names.Use("slices", "slices"), f.names.Use("maps", "maps")
	f.addPart(maker(seq.Range, sl+".Sorted("+mp+".Keys($0))", types.NewSlice(m.Key()), maxDepth, t), api)
}

// maxAsserts bounds the type assertions on one interface type.
const maxAsserts = 12

// useInterface adds the methods of an interface that the package returns, because
// the package also implements them. It adds assertions to the types that the
// interface may hold.
func (f *finder) useInterface(t types.Type, iface *types.Interface) {
	named, _ := t.(*types.Named)
	for m := range iface.Methods() {
		if m.Exported() && f.reach(t) != nowhere {
			f.addInterfaceMethod(t, named, m)
		}
	}
	for _, to := range f.assertable(iface) {
		f.addPart(maker(seq.Assert, "$0.("+f.typeName(to)+")", to, maxDepth, t), true)
	}
}

func (f *finder) addInterfaceMethod(t types.Type, named *types.Named, m *types.Func) {
	short := f.typeName(t)
	if named != nil && named.Obj().Pkg() == f.pkg {
		short = named.Obj().Name()
		f.members["("+short+")."+m.Name()] = true
	}
	f.addCallable(method(m, m.Signature(), t, typeKey(t), short, short))
}

// assertable returns the types of the package that implement iface; for any
// these are its structs and named types that it hands out, and int and string.
func (f *finder) assertable(iface *types.Interface) []types.Type {
	var list []types.Type
	if iface.NumMethods() == 0 {
		list = append(list, types.Typ[types.Int], types.Typ[types.String])
	}
	for _, t := range f.ownTypes(false) {
		named, ptr := pointee(t)
		if ptr != f.primary(named) && (ptr || !f.primary(named)) && !types.Implements(t, iface) {
			continue
		}
		switch {
		case !types.Implements(t, iface):
		case iface.NumMethods() == 0 && (ptr != f.primary(named) || !f.ctors[named.Obj()]):
		case ptr && types.Implements(named, iface) && !f.primary(named):
		case !ptr && f.primary(named):
		default:
			list = append(list, t)
		}
	}
	return list[:min(len(list), maxAsserts)]
}

// useFunc adds the call of a function that the package returns; an iterator is
// ranged over.
func (f *finder) useFunc(t types.Type, sig *types.Signature) {
	if f.unspeakable(sig) != nil {
		return
	}
	if elems := yields(sig); elems != nil {
		f.addRanges(t, elems)
		return
	}
	if slices.ContainsFunc(tupleTypes(sig.Results()), func(r types.Type) bool { return f.reach(r) == nowhere }) {
		return
	}
	op := callOf(seq.Call, "$0", t, sig)
	op.API, op.Short = true, "call of "+f.typeName(t)
	op.ReturnsError = returnsError("", sig)
	op.Pre.NilOK = make([]bool, len(op.params))
	f.add(op)
}

// yields returns the types of the elements that the iterator type sig yields, or nil
// if it is no iterator.
func yields(sig *types.Signature) []types.Type {
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.Variadic() {
		return nil
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok || yield.Results().Len() != 1 || yield.Params().Len() == 0 || yield.Params().Len() > 2 {
		return nil
	}
	if !types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool]) {
		return nil
	}
	return tupleTypes(yield.Params())
}

// addRanges adds the run of an iterator, up to 64 elements that are collected,
// and its stop after the first and after the second.
func (f *finder) addRanges(t types.Type, elems []types.Type) {
	add := func(template, short string, results ...types.Type) {
		op := setter(seq.Range, template, t)
		op.Short, op.API, op.results = short+f.typeName(t), true, results
		op.Pre.NilOK = []bool{false}
		f.add(op)
	}
	add("for range $0 { break }", "first of ")
	decl := collectors[len(elems)-1]
	f.decls[decl.Name] = decl
	var lists []types.Type
	for _, e := range elems {
		if f.reach(e) == nowhere {
			return
		}
		lists = append(lists, types.NewSlice(e))
	}
	add(decl.Name+"($0)", "range over ", lists...)
}

// collectors run an iterator of one or two values for at most 64 elements.
var collectors = []seq.Decl{
	{Name: "forayCollect", Text: `// forayCollect returns the first elements of an iterator, 64 at most.
func forayCollect[T any](seq func(yield func(T) bool)) (list []T) {
	for x := range seq {
		if list = append(list, x); len(list) == 64 {
			break
		}
	}
	return list
}`},
	{Name: "forayCollect2", Text: `// forayCollect2 returns the first pairs of an iterator, 64 at most.
func forayCollect2[K, V any](seq func(yield func(K, V) bool)) (keys []K, values []V) {
	for k, v := range seq {
		keys, values = append(keys, k), append(values, v)
		if len(keys) == 64 {
			break
		}
	}
	return keys, values
}`},
}

// useChan adds receive, send and close. A channel operation of a sequence waits for
// two milliseconds. If it would wait longer, the adapter panics, and the step is
// dropped.
func (f *finder) useChan(t types.Type, c *types.Chan) {
	if f.reach(c.Elem()) == nowhere {
		return
	}
	tm := f.names.Use("time", "time")
	wait := "case <-" + tm + ".After(2 * " + tm + ".Millisecond): panic(\"foray: would block\")"
	if c.Dir() != types.SendOnly {
		op := shaped(seq.Receive, maker(seq.Chan, "<-$0", types.Unalias(c.Elem()), maxDepth, t))
		op.Adapter = "select { case x := <-$0: $r0 = x; " + wait + " }"
		op.Pre.Blocks = true
		f.add(op)
	}
	if c.Dir() != types.RecvOnly {
		op := shaped(seq.Send, setter(seq.Chan, "$0 <- $1", t, types.Unalias(c.Elem())))
		op.depth = 1
		op.Adapter = "select { case $0 <- $1:; " + wait + " }"
		op.Pre.Blocks = true
		f.add(op)
		f.addClose(t)
	}
}

func (f *finder) addClose(t types.Type) {
	op := shaped(seq.Close, setter(seq.Chan, "close($0)", t))
	op.depth = maxDepth
	f.add(op)
}

func compareTypes(a, b types.Type) int { return cmp.Compare(typeKey(a), typeKey(b)) }
