package seq

import (
	"math"
	"math/rand/v2"
	"testing"
)

// fixture is a table written by hand that has every kind of operation and type.
type fixture struct {
	*Table
	types map[string]TypeID
	ops   map[string]OpID // by template
}

func newFixture() *fixture {
	f := &fixture{
		Table: &Table{
			Package: "example.com/queue", Name: "queue", Types: make([]Type, 1),
			Imports: []Import{{"queue", "example.com/queue"}, {"strings", "strings"}, {"big", "math/big"}, {"fmt", "fmt"}},
		},
		types: map[string]TypeID{}, ops: map[string]OpID{},
	}
	basic := func(name string, kind LiteralKind, bits uint8) {
		f.typ(Type{Name: name, Literal: kind, Bits: bits, Basic: true})
	}
	basic("bool", Bool, 0)
	basic("int", Int, 64)
	basic("int8", Int, 8)
	basic("int32", Int, 32)
	basic("int64", Int, 64)
	basic("uint8", Uint, 8)
	basic("uint64", Uint, 64)
	basic("uintptr", Uint, 64)
	basic("float32", Float, 32)
	basic("float64", Float, 64)
	basic("complex64", Complex, 64)
	basic("complex128", Complex, 128)
	basic("string", String, 0)
	f.typ(Type{Name: "queue.Size", Literal: Int, Bits: 64})
	f.typ(Type{Name: "queue.Name", Literal: String})
	f.typ(Type{Name: "queue.Ratio", Literal: Float, Bits: 32})
	f.typ(Type{Name: "queue.Item"})
	for _, name := range []string{
		"*queue.Queue", "*queue.Item", "[]int", "[]any", "map[string]int", "func(int) bool", "[]func(int) bool",
		"chan int", "<-chan int", "*int", "*strings.Reader", "*big.Int",
	} {
		f.typ(Type{Name: name, Nilable: true})
	}
	f.typ(Type{Name: "queue.Ints", Nilable: true}, "[]int")
	f.typ(Type{Name: "*queue.node", Nilable: true, Hidden: true})
	f.typ(Type{Name: "interface{ Len() int }", Nilable: true, Interface: true}, "*queue.Queue", "*strings.Reader")
	f.typ(Type{Name: "fmt.Stringer", Nilable: true, Interface: true}, "queue.Size", "*big.Int")
	var all []string
	for _, ty := range f.Types[1:] {
		all = append(all, ty.Name)
	}
	f.typ(Type{Name: "any", Nilable: true, Interface: true}, all...)
	f.addOps()
	return f
}

// typ adds a type, to which those named can be assigned.
func (f *fixture) typ(ty Type, assignable ...string) {
	id := TypeID(len(f.Types))
	ty.Assignable = []TypeID{id}
	for _, name := range assignable {
		ty.Assignable = append(ty.Assignable, f.types[name])
	}
	f.Types = append(f.Types, ty)
	f.types[ty.Name] = id
}

func (f *fixture) ids(names []string) []TypeID {
	var ids []TypeID
	for _, name := range names {
		if f.types[name] == 0 {
			panic("no type " + name)
		}
		ids = append(ids, f.types[name])
	}
	return ids
}

func (f *fixture) op(kind Kind, template string, params, results []string) *Operation {
	f.ops[template] = OpID(len(f.Ops))
	op := Operation{Name: template, Short: template, Kind: kind, Template: template, Params: f.ids(params), Results: f.ids(results)}
	op.API = kind == Func || kind == Method
	f.Ops = append(f.Ops, op)
	return &f.Ops[len(f.Ops)-1]
}

func (f *fixture) addOps() {
	type ts = []string
	f.op(Func, "queue.New($0)", ts{"int"}, ts{"*queue.Queue"})
	f.op(Method, "$0.Put($1)", ts{"*queue.Queue", "any"}, nil)
	f.op(Method, "$0.Get()", ts{"*queue.Queue"}, ts{"any", "bool"})
	f.op(Method, "$0.Len()", ts{"*queue.Queue"}, ts{"int"})
	f.op(Method, "$0.Len()", ts{"*strings.Reader"}, ts{"int"})
	f.op(Func, "queue.Of[int]($*)", ts{"int"}, ts{"*queue.Queue"}).Variadic = true
	f.op(Func, "queue.Join($0, $*)", ts{"string", "any"}, ts{"string"}).Variadic = true
	f.op(Func, "queue.Sum($0, $1...)", ts{"uint8", "[]int"}, ts{"int8"}).Spread = true
	f.op(FieldGet, "$0.N", ts{"*queue.Item"}, ts{"int"})
	f.op(FieldSet, "$0.N = $1", ts{"*queue.Item", "int8"}, nil)
	f.op(VarGet, "queue.Default", nil, ts{"*queue.Queue"})
	f.op(VarSet, "queue.Default = $0", ts{"*queue.Queue"}, nil)
	f.op(Const, "queue.Max", nil, ts{"int"})
	f.op(Composite, "queue.Item{Name: $0, N: $1}", ts{"queue.Name", "int8"}, ts{"queue.Item"})
	f.op(Composite, "&queue.Item{}", nil, ts{"*queue.Item"})
	f.op(Composite, "new(queue.Queue)", nil, ts{"*queue.Queue"})
	f.op(Elements, "[]int{$*}", ts{"int"}, ts{"[]int"}).Variadic = true
	f.op(Elements, "[]any{$*}", ts{"any"}, ts{"[]any"}).Variadic = true
	f.op(Elements, "map[string]int{$0: $1}", ts{"string", "int"}, ts{"map[string]int"})
	f.op(Convert, "queue.Size($0)", ts{"int"}, ts{"queue.Size"})
	f.op(Convert, "queue.Size($0)", ts{"int8"}, ts{"queue.Size"})
	f.op(Convert, "any($0)", ts{"int8"}, ts{"any"})
	f.op(Assert, "$0.(*queue.Queue)", ts{"any"}, ts{"*queue.Queue", "bool"})
	f.op(Index, "$0[$1]", ts{"[]int", "int"}, ts{"int"})
	f.op(Index, "$0[$1]", ts{"map[string]int", "string"}, ts{"int"})
	f.op(Index, "*$0", ts{"*int"}, ts{"int"})
	f.op(Chan, "make(chan int, $0)", ts{"int"}, ts{"chan int"})
	f.op(Chan, "$0 <- $1", ts{"chan int", "int"}, nil)
	f.op(Chan, "<-$0", ts{"chan int"}, ts{"int", "bool"})
	f.op(Chan, "close($0)", ts{"chan int"}, nil)
	f.op(Call, "$0($1)", ts{"func(int) bool", "int"}, ts{"bool"})
	f.op(FuncLit, "func(a int) bool { return a < 3 }", nil, ts{"func(int) bool"})
	f.op(FuncLit, "func(int) bool { return $0 }", ts{"bool"}, ts{"func(int) bool"})
	f.op(FuncLit, "func(a int) bool { x := $0; return any(x) != nil && a > 3 }", ts{"int8"}, ts{"func(int) bool"})
	f.op(Standard, "strings.NewReader($0)", ts{"string"}, ts{"*strings.Reader"})
	f.op(Standard, "big.NewInt($0)", ts{"int64"}, ts{"*big.Int"})
	f.op(Method, "$0.String()", ts{"queue.Size"}, ts{"string"})
	f.op(Method, "$0.Sort($1)", ts{"queue.Ints", "queue.Ints"}, ts{"queue.Ints"})
	f.op(Func, "queue.Floats($0, $1, $2, $3)", ts{"float32", "float64", "complex64", "complex128"}, ts{"queue.Ratio"})
	f.op(Func, "queue.Bits($0, $1, $2, $3, $4, $5)", ts{"int8", "int32", "uint8", "uint64", "uintptr", "bool"}, nil)
	f.op(Func, "queue.Named($0, $1, $2)", ts{"queue.Name", "queue.Size", "queue.Ratio"}, ts{"[]func(int) bool", "<-chan int", "*int"})
	f.op(Func, "queue.Nils($0, $1, $2)", ts{"[]func(int) bool", "<-chan int", "interface{ Len() int }"}, nil)
	f.op(Func, "queue.Head($0)", ts{"*queue.Queue"}, ts{"*queue.node"})
	f.op(Func, "queue.Walk($0, $1)", ts{"*queue.node", "fmt.Stringer"}, ts{"*queue.node"})
	f.op(Func, "queue.Twice($0, $0)", ts{"*queue.Queue"}, nil)
}

// draw makes random sequences.
type draw struct {
	*fixture
	*rand.Rand
}

func newDraw(tb testing.TB, f *fixture) draw {
	seed := rand.Uint64()
	tb.Logf("seed %d", seed)
	return draw{f, rand.New(rand.NewPCG(seed, 0))}
}

// sequence draws a sequence of n steps.
func (d draw) sequence(n int) Sequence {
	var s Sequence
	var slots []TypeID
	for len(s) < n {
		id := OpID(d.IntN(len(d.Ops)))
		op := &d.Ops[id]
		count := len(op.Params)
		if op.Variadic {
			count += d.IntN(4) - 1
		}
		var args []Arg
		for i := range count {
			if a, ok := d.arg(op.Param(i), slots); ok {
				args = append(args, a)
			}
		}
		if len(args) == count {
			s = append(s, Step{Op: id, Args: args})
			slots = append(slots, op.Results...)
		}
	}
	return s
}

func (d draw) arg(want TypeID, slots []TypeID) (Arg, bool) {
	if d.IntN(2) == 0 {
		for i := range slots {
			if n := (i + d.IntN(len(slots))) % len(slots); d.AssignableTo(slots[n], want) {
				return Slot(n), true
			}
		}
	}
	from := d.Types[want].Assignable
	l := d.literal(from[d.IntN(len(from))])
	return Lit(l), l != nil
}

// literal draws a literal, or nil where the type has none.
func (d draw) literal(id TypeID) *Literal {
	l := &Literal{Type: id}
	ty := &d.Types[id]
	shift := 64 - max(uint(ty.Bits), 1)
	switch ty.Literal {
	case NoLiteral:
		if !ty.Nilable || ty.Hidden {
			return nil
		}
	case Bool:
		l.Value = d.IntN(2) == 0
	case Int:
		l.Value = int64(d.Uint64()) >> shift >> d.IntN(int(ty.Bits))
	case Uint:
		l.Value = d.Uint64() >> shift >> d.IntN(int(ty.Bits))
	case Float:
		l.Value = d.float(floatBits(ty))
	case Complex:
		l.Value = complex(d.float(floatBits(ty)), d.float(floatBits(ty)))
	case String:
		b := make([]byte, d.IntN(5))
		for i := range b {
			b[i] = byte(d.Uint32())
		}
		l.Value = string(b)
	}
	return l
}

func (d draw) float(bits int) float64 {
	f := math.Float64frombits(d.Uint64())
	switch d.IntN(8) {
	case 0:
		f = math.Inf(1 - 2*d.IntN(2))
	case 1:
		f = math.Copysign(0, float64(1-2*d.IntN(2)))
	case 2:
		f = float64(d.IntN(2001) - 1000)
	case 3:
		f = math.NaN()
	}
	if bits == 32 {
		return float64(float32(f))
	}
	return f
}
