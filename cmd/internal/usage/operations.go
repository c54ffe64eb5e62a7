package usage

import (
	"go/ast"
	"go/parser"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// Operations finds the operations of a table by what tests write.
type operations struct {
	table     *seq.Table
	byName    map[string]seq.OpID
	byMember  map[string][]seq.OpID
	standard  map[string][]seq.OpID // by import path and name: "strings.NewReader"
	converted map[string][]seq.OpID // … those that convert the value to an interface
	steps     map[conversion]seq.OpID
	fields    map[field]seq.OpID
	funcs     map[seq.TypeID][]seq.OpID // func literals by their type
	templates map[string]seq.OpID       // of kind Standard
	sources   map[string]seq.OpID       // func literals of the tests by their text
	texts     map[seq.TypeID][]seq.OpID // conversions from strings by the type of their result
	makers    map[seq.TypeID]seq.OpID   // operations without parameters that make nothing but a zero value
}

// A conversion is a step of one parameter and one result that changes the type of a value.
type conversion struct {
	kind     seq.Kind
	from, to seq.TypeID
}

// A field is read from, or set in, values of a type.
type field struct {
	kind seq.Kind
	of   seq.TypeID
	name string
}

func newOperations(t *seq.Table, dropped []seq.OpID) operations {
	o := operations{
		table: t, byName: map[string]seq.OpID{}, byMember: map[string][]seq.OpID{}, standard: map[string][]seq.OpID{}, converted: map[string][]seq.OpID{},
		steps: map[conversion]seq.OpID{}, fields: map[field]seq.OpID{}, funcs: map[seq.TypeID][]seq.OpID{}, makers: map[seq.TypeID]seq.OpID{},
		texts: map[seq.TypeID][]seq.OpID{}, templates: map[string]seq.OpID{}, sources: map[string]seq.OpID{},
	}
	for i := range t.Ops {
		id, op := seq.OpID(i), &t.Ops[i]
		if slices.Contains(dropped, id) {
			continue
		}
		o.byName[op.Name] = id
		if op.API {
			o.byMember[op.Member] = append(o.byMember[op.Member], id)
			continue
		}
		o.addStep(id, op)
	}
	return o
}

// addStep indexes an operation that is no call of the package under test.
func (o *operations) addStep(id seq.OpID, op *seq.Operation) {
	if len(op.Results) == 1 && len(op.Params) == 1 {
		c := conversion{op.Kind, op.Params[0], op.Results[0]}
		if _, ok := o.steps[c]; !ok {
			o.steps[c] = id
		}
	}
	switch op.Kind {
	case seq.Convert:
		if r := op.Results[0]; o.table.Types[op.Params[0]].Literal == seq.String && o.table.Types[r].Literal == seq.NoLiteral {
			o.texts[r] = append(o.texts[r], id)
		}
	case seq.FieldGet, seq.FieldSet:
		o.fields[field{op.Kind, op.Params[0], op.Vars[0]}] = id
	case seq.FuncLit:
		if op.Shape == seq.Tested {
			o.sources[op.Template] = id
		}
		o.funcs[op.Results[0]] = append(o.funcs[op.Results[0]], id)
	case seq.Standard:
		o.templates[op.Template] = id
		if name, converted := o.standardName(op); converted {
			o.converted[name] = append(o.converted[name], id)
		} else if name != "" {
			o.standard[name] = append(o.standard[name], id)
		}
	}
	if len(op.Params) == 0 && len(op.Results) == 1 && (op.Kind == seq.Composite || op.Kind == seq.Standard && emptyValue.MatchString(op.Template)) {
		if _, ok := o.makers[op.Results[0]]; !ok {
			o.makers[op.Results[0]] = id
		}
	}
}

// valuesOf returns the operations that call a function of another package, by import path
// and name, with their parameters in order.
func (o *operations) valuesOf(name string) []seq.OpID {
	return slices.Concat(o.standard[name], o.converted[name])
}

// emptyValue matches expressions of zero values: new(T), &T{}, I(&T{}).
var emptyValue = regexp.MustCompile(`^(new\(|([\w./]+\()?&[\w.]+\{\}\)?$)`)

// standardName returns the import path and name of the function that op calls with its
// parameters in order, or of the variable that it reads. It reports whether op converts the
// value to an interface.
func (o *operations) standardName(op *seq.Operation) (name string, converted bool) {
	text := strings.NewReplacer("$*", "ħ", "$", "ħ").Replace(op.Template)
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", false
	}
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && types.ExprString(call.Fun) == o.table.Types[op.Results[0]].Name {
		e, converted = call.Args[0], true
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if len(call.Args) != len(op.Params) {
			return "", false
		}
		for _, a := range call.Args {
			if id, ok := a.(*ast.Ident); !ok || !strings.HasPrefix(id.Name, "ħ") {
				return "", false
			}
		}
		e = call.Fun
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := sel.X.(*ast.Ident)
	i := slices.IndexFunc(o.table.Imports, func(im seq.Import) bool { return ok && im.Name == x.Name })
	if i < 0 {
		return "", false
	}
	return o.table.Imports[i].Path + "." + sel.Sel.Name, converted
}

// candidates returns the operations that make a call: the one of its very types, or those
// of the same generic function with other type arguments, the closest first.
func (o *operations) candidates(c catalog.Callee) (ids []seq.OpID, loose bool) {
	if id, ok := o.byName[c.OperationName()]; ok {
		return []seq.OpID{id}, false
	}
	list := slices.DeleteFunc(slices.Clone(o.byMember[c.Member()]), func(id seq.OpID) bool {
		op := &o.table.Ops[id]
		return op.Spread != c.Spread || len(op.TypeArgs) == 0
	})
	wanted := c.TypeArgs
	if c.Recv != nil {
		wanted = typeArgs(c.Recv)
	}
	slices.SortStableFunc(list, func(a, b seq.OpID) int { return o.closeness(b, wanted) - o.closeness(a, wanted) })
	return list, true
}

// closeness is how many of the first type arguments of an operation are the wanted ones.
func (o *operations) closeness(id seq.OpID, wanted []types.Type) int {
	n := 0
	for i, text := range o.table.Ops[id].TypeArgs {
		if i < len(wanted) && text == types.TypeString(wanted[i], (*types.Package).Name) {
			n++
		}
	}
	return n
}

// typeArgs returns the type arguments of a type, or of the one that it points to.
func typeArgs(t types.Type) []types.Type {
	if named, ok := pointed(t).(*types.Named); ok {
		return slices.Collect(named.TypeArgs().Types())
	}
	return nil
}

// tested returns the operation that makes a function of the tests.
func (o *operations) tested(src *source) (seq.OpID, bool) {
	if src == nil || len(o.sources) == 0 || !src.standsAlone() {
		return 0, false
	}
	text, ok := src.text(func(path, _ string) string {
		for _, im := range o.table.Imports {
			if im.Path == path {
				return im.Name
			}
		}
		return ""
	})
	id, known := o.sources[text]
	return id, ok && known
}

// step returns the operation that makes a value of one type from one of another.
func (o *operations) step(from, to seq.TypeID, kinds ...seq.Kind) (seq.OpID, bool) {
	for _, k := range kinds {
		if id, ok := o.steps[conversion{k, from, to}]; ok {
			return id, true
		}
	}
	return 0, false
}

// index returns the operation that reads an element of a value of a type.
func (o *operations) index(of seq.TypeID) (seq.OpID, bool) {
	i := slices.IndexFunc(o.table.Ops, func(op seq.Operation) bool {
		return op.Kind == seq.Index && len(op.Params) == 2 && op.Params[0] == of
	})
	return seq.OpID(i), i >= 0
}
