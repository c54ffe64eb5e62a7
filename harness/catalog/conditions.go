package catalog

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// conditions adds a contract on calls:
//
//	var get = harness.Contract{
//		Call:     (*queue.Queue).Get,
//		Requires: func(q *queue.Queue, i int) bool { return i < q.Len() },
//		Ensures:  func(q *queue.Queue, i int, x string, err error) bool { return err == nil },
//	}
func (t *testDecls) conditions(file *ast.File, variable, name, doc string, fields map[string]ast.Expr) error {
	switch {
	case fields["Holds"] != nil:
		return errors.New("want Holds, or Call with Requires or Ensures, not both")
	case fields["Call"] == nil:
		return errors.New("want Call to name what Requires and Ensures speak of, a function or a method expression such as (*T).M")
	case fields["Requires"] == nil && fields["Ensures"] == nil:
		return errors.New("want Requires or Ensures to say what holds of " + types.ExprString(fields["Call"]))
	}
	scope, qualifier := t.scope(file)
	call, err := scope.callee(t.f, fields["Call"], qualifier)
	if err != nil {
		return err
	}
	for _, part := range []string{"Requires", "Ensures"} {
		if fields[part] == nil {
			continue
		}
		c := copier{t: t, file: file, prefix: seq.DeclPrefix + part + strings.ToUpper(variable[:1]) + variable[1:]}
		typ, body, err := c.function(fields[part])
		if err == errHolds {
			err = fmt.Errorf("want %s to be a func literal, or a function of the tests", part)
		}
		if err != nil {
			return err
		}
		want := append([]types.Type{}, tupleTypes(call.sig.Params())...)
		if part == "Ensures" {
			want = append(want, tupleTypes(call.sig.Results())...)
		}
		got, ok := scope.signature(typ)
		if !ok || !slices.EqualFunc(tupleTypes(got.Params()), want, types.Identical) {
			return fmt.Errorf("%s is a %s, want func(%s) bool, or error", part, types.ExprString(typ), joinTypes(want, func(t types.Type) string { return types.TypeString(t, qualifier) }))
		}
		// Templates number their arguments with one digit.
		if len(want) > 10 {
			return fmt.Errorf("%s takes %d values, want at most 10", part, len(want))
		}
		c.declare(body)
		for _, op := range call.ops {
			template, adapter := checking(c.prefix+"("+t.f.conditionArguments(op, call.sig, got)+")", isError(got.Results().At(0).Type()))
			op.conditions = append(op.conditions, condition{ensures: part == "Ensures", Operation: seq.Operation{
				Kind: seq.Check, Name: "contract " + variable + " " + part + " " + op.Name, Short: "contract " + name, Base: name, Declaration: seq.Declaration{Doc: doc}, Template: template, Adapter: adapter,
			}})
		}
	}
	return nil
}

// conditionArguments returns the arguments that a condition passes to its function
// of signature got, in the order of its parameters. The arguments are numbered as in
// seq.Operation.Ensures.
func (f *finder) conditionArguments(op *operation, sig, got *types.Signature) string {
	first := got.Params().Len() - sig.Params().Len() // of the arguments: that many results
	var list []string
	for i, p := range op.params {
		arg := "$" + strconv.Itoa(first+i)
		_, ptr := pointee(p)
		_, wantsPtr := pointee(sig.Params().At(i).Type())
		switch variadic := i == len(op.params)-1 && sig.Variadic(); {
		case variadic && got.Variadic() && op.Variadic:
			arg = "$*"
		case variadic && op.Variadic:
			arg = "[]" + f.typeName(p) + "{$*}"
		case variadic && got.Variadic():
			arg += "..."
		case i == 0 && ptr && !wantsPtr:
			arg = "*" + arg
		}
		list = append(list, arg)
	}
	for i := range first {
		list = append(list, "$"+strconv.Itoa(i))
	}
	return strings.Join(list, ", ")
}

// A testScope resolves the names by which a test file refers to the packages that it
// imports.
type testScope struct {
	fset *token.FileSet
	pkg  *types.Package
}

// scope returns that of file, and how its texts name packages.
func (t *testDecls) scope(file *ast.File) (testScope, types.Qualifier) {
	s := testScope{fset: t.f.in.Fset, pkg: types.NewPackage(t.f.pkg.Path()+"_test", file.Name.Name)}
	names := map[string]string{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		imported := t.f.importer.byPath[p]
		if imported == nil && t.f.in.Importer != nil && err == nil && p != harnessPath {
			imported, _ = t.f.in.Importer.Import(p)
		}
		if imported == nil {
			continue
		}
		name := imported.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[p] = name
		s.pkg.Scope().Insert(types.NewPkgName(token.NoPos, s.pkg, name, imported))
	}
	return s, func(p *types.Package) string {
		if name, ok := names[p.Path()]; ok {
			return name
		}
		return path.Base(p.Path())
	}
}

// signature returns the signature of a function of the tests. It reports whether the
// function returns a bool or an error.
func (s testScope) signature(typ *ast.FuncType) (*types.Signature, bool) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if typ.TypeParams != nil || types.CheckExpr(s.fset, s.pkg, token.NoPos, typ, info) != nil {
		return nil, false
	}
	got, ok := info.Types[typ].Type.(*types.Signature)
	if !ok || got.Results().Len() != 1 {
		return nil, false
	}
	r := got.Results().At(0).Type()
	return got, types.Identical(r, types.Typ[types.Bool]) || isError(r)
}

// A contractCall is the function that a contract is about.
type contractCall struct {
	sig *types.Signature // receiver first
	ops []*operation     // that make such calls; none if the user chose others
}

// callee finds the operations that call the function named by e.
func (s testScope) callee(f *finder, e ast.Expr, qualifier types.Qualifier) (contractCall, error) {
	text := types.ExprString(e)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if err := types.CheckExpr(s.fset, s.pkg, token.NoPos, e, info); err != nil {
		var at types.Error
		if errors.As(err, &at) {
			err = errors.New(at.Msg)
		}
		return contractCall{}, fmt.Errorf("its Call is %s, want a function of package %s, or a method expression such as (*T).M: %w", text, f.pkg.Name(), err)
	}
	var fn *types.Func
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok && fn == nil {
			fn, _ = info.Uses[id].(*types.Func)
		}
	}
	sig, ok := info.Types[e].Type.(*types.Signature)
	if fn == nil || !ok || fn.Pkg() != f.pkg {
		return contractCall{}, fmt.Errorf("its Call is %s, want a function of package %s, or a method expression such as (*T).M", text, f.pkg.Name())
	}
	if sig.TypeParams() != nil {
		return contractCall{}, fmt.Errorf("its Call is %s, want it with type arguments, such as %s[int]", text, text)
	}
	c := contractCall{sig: sig}
	for _, op := range f.ops {
		if op.calls(fn, sig) {
			c.ops = append(c.ops, op)
		}
	}
	if len(c.ops) > 0 {
		return c, nil
	}
	for _, op := range f.ops {
		if op.Kind == seq.Method && op.named(fn) && types.Identical(types.NewPointer(op.params[0]), sig.Params().At(0).Type()) {
			return c, fmt.Errorf("its Call is %s, want %s.%s", text, types.TypeString(op.params[0], qualifier), fn.Name())
		}
	}
	member := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		named, ptr := pointee(recv.Type())
		member = memberName(named.Obj(), ptr, fn.Name())
	}
	if why := f.excluded[member]; why == NotChosen {
		return c, nil
	} else if why != "" {
		return c, fmt.Errorf("its Call is %s, which is not called: %s", text, why)
	}
	return c, fmt.Errorf("its Call is %s, which is not called with these types", text)
}

// named reports whether op calls a function, or a method, of that name.
func (op *operation) named(fn *types.Func) bool {
	return op.API && op.Base == fn.Name()
}

// calls reports whether op calls fn, which has the given signature, receiver first.
func (op *operation) calls(fn *types.Func, sig *types.Signature) bool {
	isMethod := fn.Signature().Recv() != nil
	if !op.named(fn) || (op.Kind == seq.Method) != isMethod || op.Kind != seq.Method && op.Kind != seq.Func || len(op.params) != sig.Params().Len() {
		return false
	}
	for i, want := range tupleTypes(sig.Params()) {
		p := op.params[i]
		if i == 0 && isMethod && types.Identical(p, types.NewPointer(want)) {
			continue // a value method, called on a pointer
		}
		if op.Variadic && i == len(op.params)-1 {
			p = types.NewSlice(p)
		}
		if !types.Identical(p, want) {
			return false
		}
	}
	return slices.EqualFunc(op.results, tupleTypes(sig.Results()), types.Identical)
}
