package catalog

import (
	"fmt"
	"go/types"

	"foray.test/engine/seq"
)

// makeAny wants the types that an any takes besides the package's own: int, string,
// and a type that cannot be compared.
func (f *finder) makeAny(depth int) {
	for _, t := range []types.Type{types.Typ[types.Int], types.Typ[types.String], types.NewSlice(types.Typ[types.Int])} {
		f.want(t, depth)
	}
}

// maker returns an operation that makes a t out of params.
func maker(kind seq.Kind, template string, t types.Type, depth int, params ...types.Type) *operation {
	return &operation{
		Operation: seq.Operation{Kind: kind, Template: template},
		params:    params, results: []types.Type{t}, depth: depth,
	}
}

// shaped sets the shape of op.
func shaped(shape seq.Shape, op *operation) *operation {
	op.Shape = shape
	return op
}

func (f *finder) makeSlice(t types.Type, s *types.Slice, depth int) {
	elem := types.Unalias(s.Elem())
	if b, ok := elem.(*types.Basic); ok && (b.Kind() == types.Byte || b.Kind() == types.Rune) {
		f.add(maker(seq.Convert, f.typeName(t)+"($0)", t, depth, types.Typ[types.String]))
	}
	if f.reach(elem) == nowhere {
		return
	}
	op := shaped(seq.Filled, maker(seq.Elements, f.typeName(t)+"{$*}", t, depth, elem))
	op.Variadic = true
	f.add(op)
}

func (f *finder) makeArray(t types.Type, a *types.Array, depth int) {
	n := int(min(a.Len(), seq.MaxArray+1))
	if n > seq.MaxArray {
		n = 1
	}
	elem := types.Unalias(a.Elem())
	var params []types.Type
	for range n {
		params = append(params, elem)
	}
	f.add(shaped(seq.Filled, maker(seq.Elements, f.typeName(t)+"{"+seq.Holes(0, n, false)+"}", t, depth, params...)))
}

func (f *finder) makeMap(t types.Type, m *types.Map, depth int) {
	k, e := types.Unalias(m.Key()), types.Unalias(m.Elem())
	name := f.typeName(t)
	f.add(shaped(seq.Empty, maker(seq.Elements, name+"{}", t, depth)))
	f.add(shaped(seq.Filled, maker(seq.Elements, name+"{$0: $1}", t, depth, k, e)))
	if types.IsInterface(k) {
		return // equal constants would not compile
	}
	// Two equal literals as keys would not compile: they go through a function.
	kn, en := f.typeName(k), f.typeName(e)
	two := fmt.Sprintf("func(a %s, b %s, c %s, d %s) %s { return %s{a: b, c: d} }($0, $1, $2, $3)", kn, en, kn, en, name, name)
	f.add(shaped(seq.Filled, maker(seq.Elements, two, t, depth, k, e, k, e)))
	if f.worklist.handed[typeKey(t)] { // tests make large ones; a map is never put into itself
		more := fmt.Sprintf("func(m %s, a %s, b %s) %s { c := %s{a: b}; for k, v := range m { c[k] = v }; return c }($0, $1, $2)", name, kn, en, name, name)
		f.add(shaped(seq.Filled, maker(seq.Elements, more, t, depth, t, k, e)))
	}
}

func (f *finder) makeChan(t types.Type, c *types.Chan, depth int) {
	both := types.Type(types.NewChan(types.SendRecv, c.Elem()))
	if c.Dir() == types.SendRecv {
		both = t
	}
	name := f.typeName(both)
	for _, size := range []string{"", ", 4"} {
		f.add(shaped(seq.Make, maker(seq.Chan, "make("+name+size+")", both, depth)))
	}
	f.useChan(both, types.NewChan(types.SendRecv, c.Elem()))
	f.addClose(both)
}

// makeStruct adds the literals of a struct type without a name, or of the pointer to one.
func (f *finder) makeStruct(t types.Type, st *types.Struct, depth int) {
	name := f.typeName(st)
	if t != types.Type(st) {
		name = "&" + name
	}
	f.add(shaped(seq.Empty, literal(seq.Composite, name, t, depth, nil)))
	fields := f.literalFields(st)
	if f.worklist.handed[typeKey(st)] {
		fields = f.allFields(st)
	}
	if len(fields) > 0 {
		f.add(shaped(seq.Filled, literal(seq.Composite, name, t, depth, fields)))
	}
}

// maxHandedFields bounds the fields that a literal of a handed type sets.
const maxHandedFields = 24

// allFields is literalFields with all fields of which the catalog may make a value.
func (f *finder) allFields(st *types.Struct) (fields []*types.Var) {
	for fld := range st.Fields() {
		t := types.Unalias(fld.Type())
		if fld.Exported() && len(fields) < maxHandedFields && (f.worklist.handed[typeKey(t)] || f.easy(t) || isStandard(t)) {
			fields = append(fields, fld)
		}
	}
	return fields
}

// makePointer adds the pointer to a new variable that holds a given value.
func (f *finder) makePointer(p *types.Pointer, depth int) {
	elem := types.Unalias(p.Elem())
	if hasLock(elem) {
		return
	}
	if st, ok := elem.(*types.Struct); ok && f.worklist.handed[typeKey(st)] {
		f.makeStruct(p, st, depth)
		return
	}
	name := f.typeName(elem)
	if isBasic(elem) || types.IsInterface(elem) { // var err error; F(&err)
		f.add(shaped(seq.New, maker(seq.Composite, "new("+name+")", p, depth)))
	}
	f.add(shaped(seq.Address, maker(seq.Composite, "func(x "+name+") *"+name+" { return &x }($0)", p, depth, elem)))
}
