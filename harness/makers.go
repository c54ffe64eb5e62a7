package harness

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/executor"
)

// maxNesting bounds how deep values are made of values that are made.
const maxNesting = 4

// makeWanted adds operations that make values of types that parameters have and no
// listed operation returns: slices, arrays, maps, structs, pointers to these, functions.
// Their text is that of the catalog.
func (s *surface) makeWanted() {
	for depth := 0; depth < maxNesting && len(s.wants) > 0; depth++ {
		wants := s.wants
		s.wants = nil
		for _, t := range wants {
			if !s.made[t] && !s.produced(t) {
				s.made[t] = true
				s.makeType(t)
			}
		}
	}
	s.wants = nil
}

// makeCyclic does so for types that no operation makes without a value of them, such as a type of
// sets with methods that return the set.
func (s *surface) makeCyclic() {
	s.never = engine.Impossible(s.table)
	for i := range s.table.Ops {
		if s.never[i] {
			for _, p := range s.table.Ops[i].Params {
				s.want(s.bindings.Types[p])
			}
		}
	}
	s.makeWanted()
}

// produced reports whether some operation or literal makes values assignable to t.
func (s *surface) produced(t reflect.Type) bool {
	if kind, _ := literalOf(t); kind != seq.NoLiteral {
		return true
	}
	for i := range s.table.Ops {
		if i < len(s.never) && s.never[i] {
			continue
		}
		for _, r := range s.table.Ops[i].Results {
			if s.bindings.Types[r].AssignableTo(t) {
				return true
			}
		}
	}
	return false
}

func (s *surface) makeType(t reflect.Type) {
	if hidden(t) {
		return
	}
	switch t.Kind() {
	case reflect.Slice:
		s.makeSlice(t)
	case reflect.Array:
		s.makeArray(t)
	case reflect.Map:
		s.makeMap(t)
	case reflect.Struct:
		s.makeStruct(t, t)
	case reflect.Pointer:
		if e := t.Elem(); e.Kind() == reflect.Struct {
			s.makeStruct(e, t)
		}
	case reflect.Func:
		s.makeFunc(t)
	}
}

// maker adds an operation that makes a t out of params by f.
func (s *surface) maker(kind seq.Kind, shape seq.Shape, template string, t reflect.Type, params []reflect.Type, variadic bool, f func(args []reflect.Value) reflect.Value) {
	op := seq.Operation{Kind: kind, Shape: shape, Template: template, Name: template, Short: template, Variadic: variadic, Results: []seq.TypeID{s.typeID(t)}}
	for _, p := range params {
		op.Params = append(op.Params, s.want(p))
	}
	param := func(i int) reflect.Type { return params[min(i, len(params)-1)] }
	s.add(op, func(in, out []any) { out[0] = f(executor.Arguments(in, param)).Interface() })
}

func (s *surface) makeSlice(t reflect.Type) {
	name := s.packages.text(t)
	if k := t.Elem().Kind(); (k == reflect.Uint8 || k == reflect.Int32) && t.Elem().PkgPath() == "" {
		if k == reflect.Int32 && t.Name() == "" {
			name = "[]rune"
		}
		s.maker(seq.Convert, seq.NoShape, name+"($0)", t, []reflect.Type{reflect.TypeFor[string]()}, false, func(args []reflect.Value) reflect.Value {
			return args[0].Convert(t)
		})
		return
	}
	s.maker(seq.Elements, seq.Filled, name+"{$*}", t, []reflect.Type{t.Elem()}, true, func(args []reflect.Value) reflect.Value {
		v := reflect.MakeSlice(t, len(args), len(args))
		for i, a := range args {
			v.Index(i).Set(a)
		}
		return v
	})
}

// makeArray adds the literal of an array type that sets all elements or, of a large one, the
// first, as the catalog does.
func (s *surface) makeArray(t reflect.Type) {
	n := t.Len()
	if n > seq.MaxArray {
		n = 1
	}
	params := slices.Repeat([]reflect.Type{t.Elem()}, n)
	s.maker(seq.Elements, seq.Filled, s.packages.text(t)+"{"+seq.Holes(0, n, false)+"}", t, params, false, func(args []reflect.Value) reflect.Value {
		v := reflect.New(t).Elem()
		for i, a := range args {
			v.Index(i).Set(a)
		}
		return v
	})
}

func (s *surface) makeMap(t reflect.Type) {
	name := s.packages.text(t)
	s.maker(seq.Elements, seq.Empty, name+"{}", t, nil, false, func([]reflect.Value) reflect.Value { return reflect.MakeMap(t) })
	s.maker(seq.Elements, seq.Filled, name+"{$0: $1}", t, []reflect.Type{t.Key(), t.Elem()}, false, func(args []reflect.Value) reflect.Value {
		m := reflect.MakeMap(t)
		m.SetMapIndex(args[0], args[1])
		return m
	})
}

// makeStruct adds the literals of a struct type: the zero one, and the one that sets
// its exported fields. If t is a pointer, they are pointers.
func (s *surface) makeStruct(st, t reflect.Type) {
	if st.Name() == "" {
		return
	}
	amp := ""
	if t.Kind() == reflect.Pointer {
		amp = "&"
	}
	literal := func(shape seq.Shape, body string, params []reflect.Type, fields []int) {
		s.maker(seq.Composite, shape, amp+s.packages.text(st)+body, t, params, false, func(args []reflect.Value) reflect.Value {
			p := reflect.New(st)
			for i, field := range fields {
				p.Elem().Field(field).Set(args[i])
			}
			if amp != "" {
				return p
			}
			return p.Elem()
		})
		for _, field := range fields {
			op := &s.table.Ops[len(s.table.Ops)-1]
			op.Vars = append(op.Vars, st.Field(field).Name)
		}
	}
	literal(seq.Empty, "{}", nil, nil)
	var parts []string
	var params []reflect.Type
	var fields []int
	for i := range st.NumField() {
		f := st.Field(i)
		if !f.IsExported() || hidden(f.Type) || len(fields) == seq.MaxLiteralFields {
			continue
		}
		if kind, _ := literalOf(f.Type); kind == seq.NoLiteral && f.Type.Kind() != reflect.Slice {
			continue
		}
		parts = append(parts, f.Name+": $"+strconv.Itoa(len(fields)))
		params, fields = append(params, f.Type), append(fields, i)
	}
	if len(fields) > 0 {
		literal(seq.Filled, "{"+strings.Join(parts, ", ")+"}", params, fields)
	}
}

// makeFunc adds func literals of a type of functions: one that returns fixed values,
// and comparisons.
func (s *surface) makeFunc(t reflect.Type) {
	if t.NumIn() > seq.MaxLiteralParams || t.IsVariadic() {
		return
	}
	results := outs(t)
	header := seq.FuncHeader(signatureTexts(t, 0, s.packages.text))
	body := " {}"
	if len(results) > 0 {
		body = " { return " + seq.Holes(0, len(results), false) + " }"
	}
	plain := reflect.FuncOf(ins(t), results, false)
	s.maker(seq.FuncLit, seq.Constant, header+body, plain, results, false, func(args []reflect.Value) reflect.Value {
		returned := make([]reflect.Value, len(args))
		for i, a := range args {
			returned[i] = reflect.New(results[i]).Elem()
			returned[i].Set(a)
		}
		return reflect.MakeFunc(plain, func([]reflect.Value) []reflect.Value { return returned })
	})
	if t.NumIn() != 2 || len(results) != 1 || t.In(0) != t.In(1) || ordering(t.In(0)) == nil {
		return
	}
	compare := ordering(t.In(0))
	literal := func(shape seq.Shape, body string, result func(a, b reflect.Value) reflect.Value) {
		f := reflect.MakeFunc(plain, func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{result(args[0], args[1]).Convert(results[0])}
		})
		s.maker(seq.FuncLit, shape, header+" { return "+body+" }", plain, nil, false, func([]reflect.Value) reflect.Value { return f })
	}
	switch results[0].Kind() {
	case reflect.Bool:
		literal(seq.Less, "a < b", func(a, b reflect.Value) reflect.Value { return reflect.ValueOf(compare(a, b) < 0) })
		literal(seq.Same, "a == b", func(a, b reflect.Value) reflect.Value { return reflect.ValueOf(a.Equal(b)) })
	case reflect.Int:
		literal(seq.Compare, s.packages.name("cmp", "")+".Compare(a, b)", func(a, b reflect.Value) reflect.Value { return reflect.ValueOf(compare(a, b)) })
	}
}

// ordering returns the comparison of values of a basic type, or nil.
func ordering(t reflect.Type) func(a, b reflect.Value) int {
	switch kind, _ := literalOf(t); kind {
	case seq.Int:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) }
	case seq.Uint:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) }
	case seq.Float:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Float(), b.Float()) }
	case seq.String:
		return func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }
	}
	return nil
}
