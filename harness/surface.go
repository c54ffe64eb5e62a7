package harness

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/executor"
)

// A surface is the table of an [API] with the functions of its operations. It
// replaces the catalog and the generated adapters, which need the source of a
// package.
type surface struct {
	table    *seq.Table
	bindings executor.Bindings
	packages *packages
	ids      map[reflect.Type]seq.TypeID
	named    map[string]seq.OpID // by Short
	wants    []reflect.Type      // parameter types for which makers are to be found
	made     map[reflect.Type]bool
	never    []bool // operations that cannot be called: see makeCyclic
	funcs    map[seq.OpID]reflect.Value
}

// newSurface reads an API.
func newSurface(api API) (*surface, error) {
	s := &surface{
		table: &seq.Table{Types: make([]seq.Type, 1)}, bindings: executor.Bindings{Types: make([]reflect.Type, 1)},
		packages: new(packages), ids: map[reflect.Type]seq.TypeID{}, named: map[string]seq.OpID{},
		made: map[reflect.Type]bool{}, funcs: map[seq.OpID]reflect.Value{},
	}
	listed, values, err := s.read(api.Operations)
	if err != nil {
		return nil, err
	}
	s.namePackages(listed, values)
	for _, c := range listed {
		if err := s.addCallee(c); err != nil {
			return nil, err
		}
	}
	for _, op := range values {
		if err := s.addValue(op); err != nil {
			return nil, err
		}
	}
	for _, t := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[bool]()} {
		s.typeID(t) // arguments of parameters of type any
	}
	s.makeWanted()
	s.assign()
	s.makeCyclic()
	s.assign()
	s.table.Imports = s.packages.Imports(func(string) bool { return true })
	for i, impossible := range engine.Impossible(s.table) {
		if op := &s.table.Ops[i]; impossible && op.API {
			return nil, fmt.Errorf("operation %s can never be called: nothing makes its arguments; list what does", op.Short)
		}
	}
	if err := s.bindContracts(api.Contracts); err != nil {
		return nil, err
	}
	return s, s.bindModel(api.Model)
}

// read sorts the list of a test into functions and values, and adds the literals to
// the table.
func (s *surface) read(list []any) (calls []callee, values []Op, err error) {
	for _, entry := range list {
		op, isOp := entry.(Op)
		if !isOp {
			op.Func = entry
		}
		switch v := reflect.ValueOf(op.Func); {
		case v.Kind() == reflect.Func:
			c, err := newCallee(op)
			if err != nil {
				return nil, nil, err
			}
			calls = append(calls, c)
		case !isOp && v.IsValid() && s.addLiteral(v):
		case isOp && op.Func == nil && op.Value != nil && op.Name != "":
			values = append(values, op)
		default:
			return nil, nil, fmt.Errorf("operation %#v is not a function: give it a name, harness.Op{Name: …, Value: …}", entry)
		}
	}
	if len(calls) == 0 {
		return nil, nil, errors.New("no operation to call")
	}
	return calls, values, nil
}

// namePackages finds out which package is under test and which packages are called.
func (s *surface) namePackages(calls []callee, values []Op) {
	count := map[string]int{}
	for _, c := range calls {
		count[c.path]++
	}
	delete(count, "")
	most := ""
	for _, c := range calls { // of equals the first
		if count[c.path] > count[most] {
			most = c.path
		}
	}
	s.table.Package = most
	seen := map[reflect.Type]bool{}
	for _, c := range calls {
		s.packages.note(c.fn.Type(), seen)
	}
	for _, op := range values {
		s.packages.note(reflect.TypeOf(op.Value), seen)
	}
	s.table.Name = s.packages.name(most, "")
}

// typeID returns the number of t, which it adds to the table if it is new.
func (s *surface) typeID(t reflect.Type) seq.TypeID {
	if id, ok := s.ids[t]; ok {
		return id
	}
	id := seq.TypeID(len(s.table.Types))
	s.ids[t] = id
	ty := seq.Type{Name: s.packages.text(t), Interface: t.Kind() == reflect.Interface, Hidden: hidden(t), Basic: t.Name() != "" && t.PkgPath() == "" && t.Kind() != reflect.Interface}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
		ty.Nilable = true
	}
	if !ty.Hidden {
		ty.Literal, ty.Bits = literalOf(t)
	}
	s.describe(&ty, t)
	s.table.Types = append(s.table.Types, ty)
	s.bindings.Types = append(s.bindings.Types, t)
	return id
}

// hidden reports whether t has no name outside of its package. Of the types in a signature nothing
// is asked: reflection makes functions of them all.
func hidden(t reflect.Type) bool {
	if name := t.Name(); name != "" {
		return t.PkgPath() != "" && !('A' <= name[0] && name[0] <= 'Z')
	}
	return t.Kind() != reflect.Func && slices.ContainsFunc(parts(t), hidden)
}

// literalOf returns which literals t takes, and their width in bits.
func literalOf(t reflect.Type) (seq.LiteralKind, uint8) {
	return seq.LiteralOf(t.Kind().String(), strconv.IntSize)
}

// addLiteral adds a basic value to the arguments of its type.
func (s *surface) addLiteral(v reflect.Value) bool {
	kind, _ := literalOf(v.Type())
	text := ""
	switch kind {
	case seq.String:
		text = strconv.Quote(v.String())
	case seq.Int:
		text = strconv.FormatInt(v.Int(), 10)
	case seq.Uint:
		text = strconv.FormatUint(v.Uint(), 10)
	case seq.Float:
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	default:
		return false
	}
	ty := &s.table.Types[s.typeID(v.Type())]
	ty.Mined = append(ty.Mined, text)
	return true
}

// addCallee adds the operation of one function. A variadic function has a second
// one, which takes a slice.
func (s *surface) addCallee(c callee) error {
	op, call, first := s.identify(c)
	op.Variadic = c.fn.Type().IsVariadic()
	if c.panics != "" {
		op.Pre = seq.Precondition{Panics: true, Sentence: c.panics}
	}
	if op.Template == "" {
		op.Template = call + "(" + seq.Holes(first, c.fn.Type().NumIn(), op.Variadic) + ")"
	}
	if _, twice := s.named[op.Short]; twice {
		return fmt.Errorf("operation %s is listed twice", op.Short)
	}
	for i, t := range ins(c.fn.Type()) {
		if op.Variadic && i == c.fn.Type().NumIn()-1 {
			t = t.Elem()
		}
		op.Params = append(op.Params, s.want(t))
	}
	for _, t := range outs(c.fn.Type()) {
		op.Results = append(op.Results, s.typeID(t))
	}
	if n := len(op.Results); n > 0 {
		op.ReturnsError = c.fn.Type().Out(n-1) == reflect.TypeFor[error]() && op.API
	}
	s.funcs[seq.OpID(len(s.table.Ops))] = c.fn
	s.add(op, executor.Reflected(c.fn, false))
	if op.Variadic {
		s.addSpread(op, c, call, first)
	}
	return nil
}

// identify returns an operation with the kind and the names of c. call is the text of a
// call before its arguments, first the number of its first argument in parentheses.
func (s *surface) identify(c callee) (op seq.Operation, call string, first int) {
	op.Kind, call = seq.Standard, cmp.Or(c.text, s.packages.name(c.path, "")+"."+c.name)
	short := strings.TrimPrefix(call, s.table.Name+".")
	op.Name, op.Member = c.path+"."+strings.TrimPrefix(call, s.packages.name(c.path, "")+"."), c.name
	if c.method {
		recv := c.fn.Type().In(0)
		base := recv
		if recv.Kind() == reflect.Pointer {
			base = recv.Elem()
		}
		star := "*"
		if c.byVal {
			star = ""
		}
		first, call = 1, "$0."+c.name
		op.Name = "(" + star + key(base) + ")." + c.name
		short = "(" + star + strings.TrimPrefix(s.packages.text(base), s.table.Name+".") + ")." + c.name
		op.Member = "(" + star + c.recv + ")." + c.name
	}
	op.Base = c.name[strings.LastIndexByte(c.name, '.')+1:] // a test may give a func literal the name of a function
	switch {
	case c.path != s.table.Package && c.path != "":
	case c.path == "" && c.fn.Type().NumIn() == 0 && !nameLike.MatchString(c.text):
		op.Template = c.text
	case c.method:
		op.API, op.Kind = true, seq.Method
	default:
		op.API, op.Kind = true, seq.Func
	}
	op.Name += " func" + signatureKey(c.fn.Type(), first)
	op.Short = short
	return op, call, first
}

// nameLike matches the part of a call before its arguments.
var nameLike = regexp.MustCompile(`^[\pL_][\pL\d_]*(\.[\pL_][\pL\d_]*)?(\[.*\])?$`)

// addSpread adds the form of a variadic operation that takes a slice: f(a...).
func (s *surface) addSpread(op seq.Operation, c callee, call string, first int) {
	last := c.fn.Type().NumIn() - 1
	op.Variadic, op.Spread = false, true
	op.Name += " spread"
	op.Short += "..."
	op.Params = append(slices.Clone(op.Params[:last]), s.want(c.fn.Type().In(last)))
	op.Template = call + "(" + seq.Holes(first, last+1, false) + "...)"
	s.funcs[seq.OpID(len(s.table.Ops))] = c.fn
	s.add(op, executor.Reflected(c.fn, true))
}

// addValue adds an operation that returns a value.
func (s *surface) addValue(op Op) error {
	if _, twice := s.named[op.Name]; twice {
		return fmt.Errorf("operation %s is listed twice", op.Name)
	}
	v := op.Value
	s.add(seq.Operation{
		Name: op.Name, Short: op.Name, Kind: seq.Standard, Template: op.Name,
		Results: []seq.TypeID{s.typeID(reflect.TypeOf(v))},
	}, func(_, out []any) { out[0] = v })
	return nil
}

func (s *surface) add(op seq.Operation, a executor.Adapter) {
	s.named[op.Short] = seq.OpID(len(s.table.Ops))
	s.table.Ops = append(s.table.Ops, op)
	s.bindings.Ops = append(s.bindings.Ops, a)
}

// want returns the number of the type of a parameter, for which values are to be made.
func (s *surface) want(t reflect.Type) seq.TypeID {
	s.wants = append(s.wants, t)
	return s.typeID(t)
}

// assign fills the lists of assignable types.
func (s *surface) assign() {
	for to := 1; to < len(s.table.Types); to++ {
		ty := &s.table.Types[to]
		ty.Assignable = []seq.TypeID{seq.TypeID(to)}
		for from := 1; from < len(s.table.Types); from++ {
			if from != to && s.bindings.Types[from].AssignableTo(s.bindings.Types[to]) {
				ty.Assignable = append(ty.Assignable, seq.TypeID(from))
			}
		}
	}
}
