package catalog

import (
	"go/constant"
	"go/types"
	"regexp"
	"slices"

	"foray.test/engine/seq"
)

// tableType describes t; Assignable and Mined are left to the caller.
func (f *finder) tableType(t types.Type) seq.Type {
	ty := seq.Type{
		Name:      f.typeName(t),
		Nilable:   nilable(t),
		Interface: types.IsInterface(t),
		Hidden:    f.reach(t) != everywhere,
	}
	ty.Shared, ty.Locks = f.shared(t)
	f.describe(&ty, t)
	if named, ptr := pointee(t); ptr && named != nil {
		ty.ByValue = f.byValue(named)
	}
	_, ty.Basic = types.Unalias(t).(*types.Basic)
	if !ty.Hidden && !f.exitType(t) {
		ty.Literal, ty.Bits = f.literalKind(t)
	}
	if ty.Literal == seq.Int || ty.Literal == seq.Uint {
		ty.Constants, ty.ZeroIsNone = f.constants(t)
	}
	return ty
}

// noValue matches names of constants that stand for the lack of a value: KindInvalid,
// UnknownState. So does "No" with the name of the type.
var noValue = regexp.MustCompile(`^(Invalid|Unknown|Undefined|Unspecified)[A-Z_]|(Invalid|Unset|Unknown|Undefined|Unspecified|_(INVALID|UNKNOWN|UNDEFINED|UNSPECIFIED))$`)

// constants returns the values of the exported constants that are declared of a named type,
// in order and each once, without those that stand for no value. zeroIsNone reports whether
// zero is one of the latter.
func (f *finder) constants(t types.Type) (list []int64, zeroIsNone bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil, false
	}
	for _, c := range constantsOf(named) {
		n, exact := constant.Int64Val(constant.ToInt(c.Val()))
		switch name := c.Name(); {
		case !exact || !c.Exported():
		case noValue.MatchString(name) || name == "No"+named.Obj().Name():
			zeroIsNone = zeroIsNone || n == 0
		default:
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), zeroIsNone
}

// againstCopies matches documentation of types that are to be used by pointer.
var againstCopies = regexp.MustCompile(`(?i)\bcop(y|ied)\b`)

// byValue reports whether the documentation of a struct makes its users expect that
// they may hold it by value.
func (f *finder) byValue(named *types.Named) bool {
	doc := f.source.typeDocs[named.Obj()]
	_, isStruct := named.Underlying().(*types.Struct)
	why, _ := f.shared(types.NewPointer(named))
	return isStruct && zeroDocumented(doc, named.Obj().Name()) && !againstCopies.MatchString(doc) && why == ""
}

func nilable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// literalKind returns which literals t takes, and their width.
func (f *finder) literalKind(t types.Type) (seq.LiteralKind, uint8) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return seq.NoLiteral, 0
	}
	return seq.LiteralOf(types.Typ[b.Kind()].Name(), uint8(8*f.in.Sizes.Sizeof(types.Typ[types.Int])))
}
