package concolic

import (
	"cmp"
	"fmt"
	"go/types"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

// A Shape bounds the arguments of a function.
type Shape struct {
	// Lengths of the arguments that are strings or slices, in order. Those that miss are
	// symbolic.
	Lengths []int
	// MaxLength bounds symbolic lengths; zero: 16.
	MaxLength int
}

// An Input describes the arguments of a function, and their variables.
type Input struct {
	m      *Machine
	fn     *function
	params []param
	lazy   *lazyInput // nil unless arguments are structures
}

// param is one argument.
type param struct {
	typ    types.Type
	k      kind // of the scalar, or of the elements
	list   bool // a string or a slice
	text   bool // a string
	object bool // a pointer to a structure
	length int  // if it is concrete
	lenVar *solver.Term
	vars   []*solver.Term // of the scalar, or of the elements; nil: concrete
}

// UnsupportedError says that a function cannot be solved for, because of a parameter.
type UnsupportedError struct{ Type types.Type }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("a parameter of type %v is neither a scalar, a string nor a slice of scalars", e.Type)
}

// Supported returns an [UnsupportedError] if arguments of a function cannot be symbolic.
func Supported(sig *types.Signature) error {
	switch {
	case sig.Recv() != nil:
		return &UnsupportedError{sig.Recv().Type()}
	case sig.TypeParams() != nil:
		return &UnsupportedError{sig.TypeParams().At(0)}
	}
	for p := range sig.Params().Variables() {
		if _, err := newParam(p.Type()); err != nil {
			return err
		}
	}
	return nil
}

func newParam(t types.Type) (param, error) {
	p := param{typ: t, k: kindOf(t)}
	switch {
	case p.k.class == stringClass:
		p.k, p.list, p.text = kind{intClass, 8, false}, true, true
		return p, nil
	case p.k.class == boolClass || p.k.class == intClass || p.k.class == floatClass:
		return p, nil
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		p.k, p.list = kindOf(s.Elem()), true
		if p.k.class == boolClass || p.k.class == intClass || p.k.class == floatClass {
			return p, nil
		}
	}
	return p, &UnsupportedError{t}
}

// allotment hands out the variables of a machine to one input. Inputs share variables, so
// that models stay small.
type allotment struct {
	m    *Machine
	used map[solver.Variable]int
}

func (a *allotment) next(v solver.Variable) *solver.Term {
	list := a.m.variables[v]
	n := a.used[v]
	if a.used[v]++; n < len(list) {
		return list[n]
	}
	t := a.m.terms.Var(v)
	a.m.variables[v] = append(list, t)
	return t
}

// NewInput returns variables for the arguments of a function. A model of one input means
// nothing for another. Floating-point numbers have variables, too, but runs do not depend
// on them symbolically.
func (m *Machine) NewInput(fn *ssa.Function, s Shape) (*Input, error) {
	if err := Supported(fn.Signature); err != nil {
		return nil, err
	}
	in := &Input{m: m, fn: m.function(fn)}
	return in, in.declare(slices.Collect(fn.Signature.Params().Variables()), s)
}

// declare makes the variables of parameters.
func (in *Input) declare(vars []*types.Var, s Shape) error {
	s.MaxLength = cmp.Or(s.MaxLength, 16)
	lists, free := 0, &allotment{in.m, map[solver.Variable]int{}}
	for _, v := range vars {
		if in.lazy != nil && in.lazy.target(v.Type()) != nil {
			in.params = append(in.params, param{typ: v.Type(), object: true})
			continue
		}
		p, err := newParam(v.Type())
		if err != nil {
			return err
		}
		n := 1
		if p.list {
			n = s.MaxLength
			if lists < len(s.Lengths) {
				n, p.length = s.Lengths[lists], s.Lengths[lists]
			} else {
				p.lenVar = free.next(solver.Variable{Width: 64, Max: uint64(s.MaxLength)})
			}
			lists++
		}
		for range n {
			p.vars = append(p.vars, free.next(solver.Variable{Width: p.k.width}))
		}
		in.params = append(in.params, p)
	}
	if in.lazy != nil {
		in.lazy.used = free.used
	}
	return nil
}

// Function returns the function.
func (in *Input) Function() *ssa.Function { return in.fn.ssa }

// Zero returns the model in which everything is zero, or empty.
func (in *Input) Zero() solver.Model { return make(solver.Model, len(in.m.terms.Variables)) }

// Model returns the model in which the arguments have some values: bool, int64, uint64,
// float64 or string, as their types are. No string may be longer than the shape allows.
func (in *Input) Model(values []any) solver.Model {
	m := in.Zero()
	for i := range in.params {
		p := &in.params[i]
		if text, ok := values[i].(string); ok {
			for j := range len(text) {
				m[p.vars[j].Val] = uint64(text[j])
			}
			m[p.lenVar.Val] = uint64(len(text))
			continue
		}
		m[p.vars[0].Val] = p.encode(values[i])
	}
	return m
}

// encode returns a scalar as the value of its variable.
func (p *param) encode(v any) (n uint64) {
	switch v := v.(type) {
	case bool:
		if v {
			n = 1
		}
	case int64:
		n = uint64(v)
	case uint64:
		n = v
	case float64:
		if n = math.Float64bits(v); p.k.width == 32 {
			n = uint64(math.Float32bits(float32(v)))
		}
	}
	return n & (^uint64(0) >> (64 - p.k.width))
}

// Values returns the arguments of a model, as [Input.Model] takes them.
func (in *Input) Values(m solver.Model) []any {
	var list []any
	for i, v := range in.arguments(m) {
		switch p := &in.params[i]; {
		case p.text:
			list = append(list, v.str().s)
		case p.k.class == boolClass:
			list = append(list, v.n != 0)
		case p.k.class == floatClass:
			list = append(list, v.float())
		case p.k.signed:
			list = append(list, int64(v.n))
		default:
			list = append(list, v.n)
		}
	}
	return list
}

// size returns the length of a list in a model.
func (p *param) size(m solver.Model) int {
	if p.lenVar == nil {
		return p.length
	}
	return int(min(m.Value(p.lenVar), uint64(len(p.vars))))
}

// scalar returns element i of a parameter, symbolic unless it is a float.
func (p *param) scalar(m solver.Model, i int) value {
	n := m.Value(p.vars[i])
	if p.k.class == floatClass {
		if p.k.width == 32 {
			return float(float64(math.Float32frombits(uint32(n))))
		}
		return value{n: n}
	}
	return value{n: p.k.extend(n), e: p.vars[i]}
}

// arguments returns the values of a model. Structures are those of the heap of the run.
func (in *Input) arguments(m solver.Model) []value {
	var args []value
	for i := range in.params {
		if in.params[i].object {
			args = append(args, in.m.heap.argument(in, i))
			continue
		}
		args = append(args, in.params[i].value(m))
	}
	return args
}

// value returns the argument in a model.
func (p *param) value(m solver.Model) value {
	if !p.list {
		return p.scalar(m, 0)
	}
	n := p.size(m)
	list := make([]value, n)
	for j := range list {
		list[j] = p.scalar(m, j)
	}
	if !p.text {
		return value{x: &slice{list[:n:n], p.lenVar}}
	}
	s := textOf(list, p.lenVar)
	s.sym = p.vars
	return value{x: s}
}

// Statements returns the call with the arguments of a model as Go statements, in the form
// that package seq reads: slices have statements of their own.
func (in *Input) Statements(m solver.Model) string {
	var b strings.Builder
	var args []string
	values := in.arguments(m)
	lists := 0
	for i := range in.params {
		p, v := &in.params[i], &values[i]
		switch {
		case p.text:
			args = append(args, strconv.Quote(v.str().s))
		case p.list:
			args = append(args, fmt.Sprintf("v%d", lists))
			fmt.Fprintf(&b, "v%d := %s\n", lists, sliceLiteral(p.typ, v.elems(), qualify))
			lists++
		default:
			args = append(args, literal(p.typ, v))
		}
	}
	fn := in.fn.ssa
	if n := fn.Signature.Results().Len(); n > 0 {
		names := []string{fmt.Sprintf("v%d", lists)}
		for i := 1; i < n; i++ {
			names = append(names, fmt.Sprintf("v%d%c", lists, 'a'+i))
		}
		b.WriteString(strings.Join(names, ", ") + " := ")
	}
	fmt.Fprintf(&b, "%s.%s(%s)", fn.Pkg.Pkg.Name(), fn.Name(), strings.Join(args, ", "))
	return b.String()
}

func qualify(p *types.Package) string { return p.Name() }

// literal returns a scalar as an untyped constant if that will do for a parameter.
func literal(t types.Type, v *value) string {
	k := kindOf(t)
	switch {
	case k.class == boolClass:
		return strconv.FormatBool(v.n != 0)
	case k.class == floatClass:
		return floatLiteral(v.float(), k.width)
	case k.signed:
		return strconv.FormatInt(int64(v.n), 10)
	}
	return strconv.FormatUint(v.n, 10)
}

func floatLiteral(f float64, width uint8) string {
	switch {
	case math.IsNaN(f):
		return "math.NaN()"
	case math.IsInf(f, 0):
		sign := 1
		if f < 0 {
			sign = -1
		}
		return fmt.Sprintf("math.Inf(%d)", sign)
	case f == 0 && math.Signbit(f):
		return "math.Copysign(0, -1)"
	}
	return strconv.FormatFloat(f, 'g', -1, int(width))
}

func sliceLiteral(t types.Type, list []value, q types.Qualifier) string {
	elem := t.Underlying().(*types.Slice).Elem()
	name := types.TypeString(t, q)
	if k := kindOf(elem); k.width == 8 && !k.signed {
		return name + "(" + strconv.Quote(textOf(list, nil).s) + ")"
	}
	var parts []string
	for i := range list {
		parts = append(parts, literal(elem, &list[i]))
	}
	return name + "{" + strings.Join(parts, ", ") + "}"
}

// results returns the results of a function as text: equal for equal results of native
// runs that are printed in the same way.
func (m *Machine) results(t *types.Tuple, v value) []string {
	list := []string{}
	for i := range t.Len() {
		r := v
		if t.Len() > 1 {
			r = v.fields()[i]
		}
		list = append(list, m.show(t.At(i).Type(), &r))
	}
	return list
}

// show returns a value as text. Of values that are neither scalars, strings nor slices of
// them it tells only whether they are nil.
func (m *Machine) show(t types.Type, v *value) string {
	switch k := kindOf(t); k.class {
	case boolClass, intClass, floatClass:
		if k.class == floatClass {
			return fmt.Sprintf("%#x", v.n)
		}
		return literal(t, v)
	case stringClass:
		return strconv.Quote(v.str().s)
	case ifaceClass, otherClass:
		s, ok := t.Underlying().(*types.Slice)
		if !ok {
			return strconv.FormatBool(v.x == nil)
		}
		var parts []string
		for i := range v.elems() {
			parts = append(parts, m.show(s.Elem(), &v.elems()[i]))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return "?"
}

// panicText describes the value of a panic.
func (m *Machine) panicText(v value) string {
	i := v.iface()
	switch {
	case i == nil:
		return "nil"
	case i.t == m.fault:
		return "runtime error: " + strings.TrimPrefix(i.v.str().s, "runtime error: ")
	case kindOf(i.t.typ).class == otherClass:
		return i.t.typ.String()
	}
	return m.show(i.t.typ, &i.v)
}
