package usage

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"time"

	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// convert returns the conversion of a value to a type.
func (r *reader) convert(s *state, v value, t types.Type) value {
	switch v.kind {
	case constval:
		slice, isSlice := t.Underlying().(*types.Slice)
		if !isSlice {
			return constOf(v.con, t)
		}
		if v.con.Kind() == constant.String && len(constant.StringVal(v.con)) <= maxText && slice.Elem() != nil {
			return value{kind: literal, typ: t, lit: &composite{typ: t, text: constant.StringVal(v.con), isText: true}}
		}
	case null:
		return value{kind: null, typ: t}
	case function:
		return value{kind: function, typ: t, fn: v.fn}
	case literal:
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			if v.lit.isText {
				return constOf(constant.MakeString(v.lit.text), t)
			}
			return value{typ: t}
		}
		c := *s.now(v.lit)
		c.typ = t
		return value{kind: literal, typ: t, lit: &c}
	case result:
		if to, ok := r.typeID(t); ok {
			return r.step(s, v.slot, to, t, seq.Convert)
		}
	}
	return value{typ: t}
}

// builtin reads the call of a predeclared function.
func (r *reader) builtin(s *state, f *frame, e *ast.CallExpr) value {
	name := calleeName(ast.Unparen(e.Fun))
	t := r.typeOf(e)
	switch name {
	case "new":
		if p, ok := t.(*types.Pointer); ok {
			if z := zero(p.Elem()); z.kind == literal {
				return value{kind: address, typ: t, lit: z.lit}
			}
			return value{kind: address, typ: t, lit: &composite{typ: p.Elem()}}
		}
	case "make":
		return r.makeValue(s, f, e, t)
	}
	args := r.evalAll(s, f, e.Args)
	switch {
	case t == nil: // an argument has no type: its package is missing
	case name == "len" && args[0].kind == literal && !args[0].lit.isText && len(s.made[args[0].lit]) == 0:
		return constOf(constant.MakeInt64(int64(len(s.elements(args[0])))), t)
	case name == "len" && args[0].kind == constval && args[0].con.Kind() == constant.String:
		return constOf(constant.MakeInt64(int64(len(constant.StringVal(args[0].con)))), t)
	case name == "append" && !e.Ellipsis.IsValid() && (args[0].kind == null || args[0].kind == literal && !args[0].lit.isText):
		elems := slices.Concat(s.elements(args[0]), args[1:])
		if len(elems) <= maxRows {
			return value{kind: literal, typ: t, lit: &composite{typ: t, elems: elems}}
		}
	}
	return value{typ: t}
}

// makeValue reads the call of make.
func (r *reader) makeValue(s *state, f *frame, e *ast.CallExpr, t types.Type) value {
	if t == nil {
		return value{}
	}
	c := &composite{typ: t}
	switch u := t.Underlying().(type) {
	case *types.Map:
		c.keys = []value{}
	case *types.Slice:
		n := value{}
		if len(e.Args) > 1 {
			n = r.eval(s, f, e.Args[1])
		}
		if n.kind != constval {
			return value{typ: t}
		}
		count, ok := constant.Int64Val(constant.ToInt(n.con))
		if !ok || count < 0 || count > maxRows {
			return value{typ: t}
		}
		for range count {
			c.elems = append(c.elems, zero(u.Elem()))
		}
	case *types.Chan:
		id, ok := r.typeID(t)
		i := slices.IndexFunc(r.table.Ops, func(op seq.Operation) bool {
			return ok && op.Kind == seq.Chan && op.Shape == seq.Make && op.Results[0] == id
		})
		if i < 0 {
			return value{typ: t}
		}
		return value{kind: result, typ: t, slot: int32(s.draft.Add(seq.OpID(i), nil))}
	default:
		return value{typ: t}
	}
	return value{kind: literal, typ: t, lit: c}
}

// foreign reads the call of a function that is not under test: one that the table has for
// values, or one that makes text of constants.
func (r *reader) foreign(s *state, c catalog.Callee, recv value, args []value) []value {
	if c.Recv == nil && c.Func.Pkg() != nil {
		name := c.Func.Pkg().Path() + "." + c.Func.Name()
		for _, id := range r.operations.valuesOf(name) {
			op := &r.table.Ops[id]
			if out, ok := r.arguments(s, op, args, false); ok {
				r.noteLiterals(id, args)
				return r.results(s.draft.Add(id, out), op, c.Sig)
			}
		}
		switch name {
		case "time.Date":
			return []value{r.date(s, args)}
		case "time.Parse":
			return r.parsedTime(s, args)
		}
		if v, ok := fold(name, args); ok {
			return []value{v}
		}
	}
	if recv.kind == literal || recv.kind == address { // a strings.Builder, say, that has been written to
		if !strings.HasPrefix(c.Func.Name(), "String") {
			s.lose(recv)
		}
	}
	for _, a := range args {
		if a.kind == address { // a slice or a map it mostly compares only
			s.lose(a)
		}
	}
	return nil
}

// unixTime is the template of the operation that makes a time from a number of seconds.
const unixTime = "time.Unix($0, 0).UTC()"

// date returns the time of a date, as if its location were UTC.
func (r *reader) date(s *state, args []value) value {
	var n [7]int
	for i := range n {
		if i >= len(args) || args[i].kind != constval {
			return value{}
		}
		x, ok := constant.Int64Val(constant.ToInt(args[i].con))
		if !ok {
			return value{}
		}
		n[i] = int(x)
	}
	return r.unix(s, time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6], time.UTC).Unix())
}

// parsedTime returns the results of time.Parse.
func (r *reader) parsedTime(s *state, args []value) []value {
	if len(args) != 2 || args[0].kind != constval || args[1].kind != constval {
		return nil
	}
	t, err := time.Parse(constant.StringVal(args[0].con), constant.StringVal(args[1].con))
	if err != nil {
		return []value{{}, {kind: address, lit: &composite{}}} // an error that is not nil
	}
	return []value{r.unix(s, t.Unix()), {kind: null}}
}

// unix returns the time that is so many seconds after 1970 began.
func (r *reader) unix(s *state, seconds int64) value {
	op, ok := r.operations.templates[unixTime]
	if !ok {
		return value{}
	}
	arg, ok := r.constant(constOf(constant.MakeInt64(seconds), types.Typ[types.Int64]), r.table.Ops[op].Params[0], false)
	if !ok {
		return value{}
	}
	r.noteLiteral(parameter{op, 0}, constant.MakeInt64(seconds))
	return value{kind: result, slot: int32(s.draft.Add(op, []seq.Arg{arg}))}
}
