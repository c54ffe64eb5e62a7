package catalog

import (
	"go/types"
)

// A Callee is a function or method that some call names, as go/types describes it.
type Callee struct {
	Func     *types.Func
	Sig      *types.Signature // of this call: type parameters are replaced
	Recv     types.Type       // the type of the receiver expression; nil for a function
	TypeArgs []types.Type     // of a function
	Spread   bool             // the last argument is followed by "..."
}

// OperationName returns the Name of the operation that makes the call, if the catalog
// of its package has one. Types of other universes will do: only their names count.
func (c Callee) OperationName() string {
	name := c.Func.FullName()
	switch {
	case c.Recv != nil:
		named, _ := pointee(c.Recv)
		if named == nil {
			return ""
		}
		full := typeKey(named)
		if types.NewMethodSet(named).Lookup(c.Func.Pkg(), c.Func.Name()) == nil {
			full = "*" + full
		}
		name = "(" + full + ")." + c.Func.Name()
	case len(c.TypeArgs) > 0:
		name += "[" + joinTypes(c.TypeArgs, typeKey) + "]"
	}
	name += " " + callSignature(c.Sig)
	if c.Spread {
		name += spreadSuffix
	}
	return name
}

// Member returns the Member of the operations that make the call.
func (c Callee) Member() string {
	if c.Recv == nil {
		return c.Func.Name()
	}
	named, _ := pointee(c.Recv)
	if named == nil {
		return ""
	}
	return memberName(named.Obj(), types.NewMethodSet(named).Lookup(c.Func.Pkg(), c.Func.Name()) == nil, c.Func.Name())
}

// TypeText writes a type as tables do. qualify returns the name of a package.
func TypeText(t types.Type, qualify func(*types.Package) string) string {
	return typeWriter{qual: qualify}.text(t)
}
