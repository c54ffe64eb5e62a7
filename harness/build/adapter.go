package build

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// adapter returns the body of the adapter of op.
//
//	a0, _ := forayIn[0].(*list.List)
//	a1 := forayIn[1]
//	forayOut[0] = a0.PushBack(a1)
func (g *generator) adapter(op *seq.Operation) (string, error) {
	template := cmp.Or(op.Adapter, op.Template)
	var vars []variable
	text := expand(template, func(v variable) string {
		vars = append(vars, v)
		switch v.kind {
		case 'r':
			return fmt.Sprintf("forayOut[%d]", v.n)
		case '*':
			return restName
		}
		return fmt.Sprintf("a%d", v.n)
	})
	var b strings.Builder
	if err := g.arguments(&b, op, template, vars); err != nil {
		return "", err
	}
	if has(vars, '*') {
		var err error
		if text, err = spread(text); err != nil {
			return "", err
		}
	}
	if has(vars, 'r') || len(op.Results) == 0 {
		b.WriteString("\t" + text + "\n")
	} else {
		b.WriteString(g.assign(op, text))
	}
	return b.String(), nil
}

func has(vars []variable, kind byte) bool {
	return slices.ContainsFunc(vars, func(v variable) bool { return v.kind == kind })
}

// arguments declares the arguments that a template takes by its variables.
func (g *generator) arguments(b *strings.Builder, op *seq.Operation, template string, vars []variable) error {
	used := make(map[int]bool)
	for _, v := range vars {
		if v.kind == 'a' {
			if v.n >= len(op.Params) {
				return fmt.Errorf("template %q: no parameter %d", template, v.n)
			}
			used[v.n] = true
		}
	}
	for i := range op.Params {
		if used[i] {
			arg, err := g.argument(op, i)
			if err != nil {
				return err
			}
			b.WriteString("\t" + arg + "\n")
		}
	}
	if has(vars, '*') {
		arg, err := g.restArguments(op)
		if err != nil {
			return err
		}
		b.WriteString("\t" + arg + "\n")
	}
	return nil
}

// assign stores the results of an expression. A constant takes the type that the
// table gives it; everything else has its own.
func (g *generator) assign(op *seq.Operation, text string) string {
	if r := op.Results[0]; op.Kind == seq.Const && !g.table.Types[r].Interface && g.typeName(r) != "" {
		return fmt.Sprintf("\tvar c %s = %s\n\tforayOut[0] = c\n", g.typeName(r), text)
	}
	var b strings.Builder
	for i := range op.Results {
		sep := ", "
		if i == 0 {
			sep = "\t"
		}
		fmt.Fprintf(&b, "%sforayOut[%d]", sep, i)
	}
	return b.String() + " = " + text + "\n"
}

// argument declares the variable of parameter i. The executor passes only
// values that the table calls assignable, so no value of another type can come.
// A nil without a type may.
func (g *generator) argument(op *seq.Operation, i int) (string, error) {
	id := op.Params[i]
	t := &g.table.Types[id]
	name := g.typeName(id)
	switch {
	case name == "" && i == 0 && op.Kind == seq.Method:
		iface, err := g.receiver(op)
		return fmt.Sprintf("a0 := forayIn[0].(%s)", iface), err
	case name == "":
		return "", fmt.Errorf("parameter %d: type %s cannot be named", i+1, t.Name)
	case t.IsAny():
		return fmt.Sprintf("a%d := forayIn[%d]", i, i), nil
	case g.converts(id):
		return fmt.Sprintf("a%d := %s(forayIn[%d])", i, converter(id), i), nil
	case t.Interface || t.Nilable:
		return fmt.Sprintf("a%d, _ := forayIn[%d].(%s)", i, i, name), nil
	}
	return fmt.Sprintf("a%d := forayIn[%d].(%s)", i, i, name), nil
}

// restArguments declares the slice that holds the arguments of $*.
func (g *generator) restArguments(op *seq.Operation) (string, error) {
	k := len(op.Params) - 1
	if k < 0 || !op.Variadic {
		return "", fmt.Errorf("template has $*, but the operation is not variadic")
	}
	id := op.Params[k]
	name := g.typeName(id)
	if name == "" {
		return "", fmt.Errorf("parameter %d: type %s cannot be named", k+1, g.table.Types[id].Name)
	}
	g.usesRest = true
	convert := "nil"
	if g.converts(id) {
		convert = converter(id)
	}
	return fmt.Sprintf("%s := forayRestOf[%s](forayIn[%d:], %s)", restName, name, k, convert), nil
}

// receiver returns an interface with the method of op alone. It serves to call
// the method on a value of a type without a name.
func (g *generator) receiver(op *seq.Operation) (string, error) {
	if op.Base == "" || op.Shape == seq.Unnamed { // the method does not return an any
		return "", fmt.Errorf("receiver: type %s cannot be named", g.table.Types[op.Params[0]].Name)
	}
	names := func(ids []seq.TypeID, variadic, spread bool) (string, error) {
		var list []string
		for i, id := range ids {
			name := g.typeName(id)
			if name == "" {
				return "", fmt.Errorf("receiver: type %s cannot be named, nor type %s in its method", g.table.Types[op.Params[0]].Name, g.table.Types[id].Name)
			}
			if i == len(ids)-1 && variadic {
				name = "..." + name
			} else if i == len(ids)-1 && spread {
				name = "..." + strings.TrimPrefix(name, "[]")
			}
			list = append(list, name)
		}
		return strings.Join(list, ", "), nil
	}
	params, err := names(op.Params[1:], op.Variadic, op.Spread)
	if err != nil {
		return "", err
	}
	results, err := names(op.Results, false, false)
	return fmt.Sprintf("interface{ %s(%s) (%s) }", op.Base, params, results), err
}

// converts reports whether values of other types may stand for a concrete type:
// a func(int) for a named type of functions, say. Its converter is then written.
func (g *generator) converts(id seq.TypeID) bool {
	t := &g.table.Types[id]
	if t.Interface {
		return false
	}
	for _, other := range t.Assignable {
		if other != id && !g.table.Types[other].Interface && g.typeName(other) != "" {
			g.converters[id] = true
			return true
		}
	}
	return false
}

func converter(id seq.TypeID) string { return fmt.Sprintf("forayAs%d", id) }

// helpers writes the converters and the functions that gather variadic
// arguments.
func (g *generator) helpers() {
	for i := range g.table.Types {
		id := seq.TypeID(i)
		if !g.converters[id] {
			continue
		}
		name := g.typeName(id)
		g.printf("\nfunc %s(v any) %s {\n\tswitch v := v.(type) {\n", converter(id), name)
		g.own(fmt.Sprint("type_", i), "\tcase %s:\n\t\treturn v\n", name)
		for _, other := range g.table.Types[i].Assignable {
			o := &g.table.Types[other]
			if other == id || o.Interface || g.typeName(other) == "" || g.badCase[[2]seq.TypeID{id, other}] {
				continue
			}
			g.own(fmt.Sprint("case_", i, "_", other), "\tcase %s:\n\t\treturn v\n", g.typeName(other))
		}
		g.printf("\t}\n\tvar zero %s\n\treturn zero\n}\n", name)
	}
	if g.usesRest {
		g.printf(`
func forayRestOf[T any](in []any, convert func(any) T) []T {
	if len(in) == 0 {
		return nil
	}
	s := make([]T, len(in))
	for i, v := range in {
		if convert != nil {
			s[i] = convert(v)
		} else {
			s[i], _ = v.(T)
		}
	}
	return s
}
`)
	}
}
