package catalog

import (
	"go/token"
	"go/types"
	"maps"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// signatureOf writes the template of an operation and the types that it takes and returns.
func signatureOf(c *Catalog, op *seq.Operation) string {
	return op.Template + " (" + typeNames(&c.Table, op.Params) + ")" + resultNames(&c.Table, op.Results)
}

// TestCalls states the call that becomes of one function or method.
func TestCalls(t *testing.T) {
	for _, tt := range []struct{ name, source, short, want string }{
		{"function", "func F(n int) string { return \"\" }", "F", "shop.F($0) (int) → string"},
		{"variadic", "func F(n int, rest ...string) {}", "F", "shop.F($0, $*) (int, string)"},
		{"spread", "func F(n int, rest ...string) {}", "F...", "shop.F($0, $1...) (int, []string)"},
		{"pointer receiver", "type T struct{ n int }\nfunc (t *T) M() {}", "(*T).M", "$0.M() (*shop.T)"},
		{"value receiver", "type T struct{ n int }\nfunc (t T) M() {}", "(T).M", "$0.M() (shop.T)"},
		{"value receiver of a type with pointer methods", "type T struct{ n int }\nfunc (t T) M() {}\nfunc (t *T) N() {}", "(T).M", "$0.M() (*shop.T)"},
		{"with hidden pointer methods", "type T struct{ n int }\nfunc (t T) M() {}\nfunc (t *T) n2() {}", "(T).M", "$0.M() (shop.T)"},
		{"of a type handed out as a pointer", "type T struct{ n int }\nfunc (t T) M() {}\nfunc New() *T { return nil }", "(T).M", "$0.M() (*shop.T)"},
		{"of a type handed out as a value", "type T struct{ n int }\nfunc (t T) M() {}\nfunc (t *T) N() {}\nfunc New() T { return T{} }", "(T).M", "$0.M() (shop.T)"},
		{"of a type with a lock", "import \"sync\"\ntype T struct{ mu sync.Mutex }\nfunc (t T) M() {}", "(T).M", "$0.M() (*shop.T)"},
		{"promoted", "type t struct{ n int }\nfunc (t t) M() {}\ntype T struct{ t }", "(T).M", "$0.M() (shop.T)"},
		{"instance", "type T[E any] struct{ e E }\nfunc (t *T[E]) Put(e E) {}", "(*T[int]).Put", "$0.Put($1) (*shop.T[int], int)"},
		{"result without a name", "type l struct{ a int }\nfunc F() any { return nil }\nfunc G() func(l) { return nil }", "G", "shop.G() () → func(shop.l)"},
		{"method expression of an interface", "type I interface{ M(int) }\nfunc F() I { return nil }", "(I).M", "$0.M($1) (shop.I, int)"},
		{"function that the package returns", "func F() func(int, ...string) bool { return nil }", "call of func(int, ...string) bool", "$0($1, $*) (func(int, ...string) bool, int, string) → bool"},
		{"iterator", "import \"iter\"\nfunc F() iter.Seq[int] { return nil }", "range over iter.Seq[int]", "forayCollect($0) (iter.Seq[int]) → []int"},
		{"iterator of pairs", "func F() func(func(int, string) bool) { return nil }", "range over func(func(int, string) bool)", "forayCollect2($0) (func(func(int, string) bool)) → []int, []string"},
		{"start of an iterator", "import \"iter\"\nfunc F() iter.Seq[int] { return nil }", "first of iter.Seq[int]", "for range $0 { break } (iter.Seq[int])"},
		{"element", "func F() []string { return nil }\nfunc Use(string) {}", "$0[$1]", "$0[$1] ([]string, int) → string"},
		{"value of a map", "func F() map[bool]string { return nil }\nfunc Use(string) {}", "$0[$1]", "$0[$1] (map[bool]string, bool) → string"},
		{"keys of a map", "func F() map[string]bool { return nil }\nfunc Use(bool, []string) {}", "slices.Sorted(maps.Keys($0))", "slices.Sorted(maps.Keys($0)) (map[string]bool) → []string"},
		{"dereference", "func F() *int { return nil }\nfunc Use(int) {}", "*$0", "*$0 (*int) → int"},
		{"receive", "func F() <-chan int { return nil }", "<-$0", "<-$0 (<-chan int) → int"},
		{"send", "func F() chan<- int { return nil }", "$0 <- $1", "$0 <- $1 (chan<- int, int)"},
		{"assertion", "type T struct{ A int }\nfunc (t T) M() {}\nfunc F() interface{ M() } { return nil }", "$0.(shop.T)", "$0.(shop.T) (interface{M()}) → shop.T"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source)
			if got := signatureOf(c, operationOf(t, c, tt.short)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestNoCalls names operations that a package must not have.
func TestNoCalls(t *testing.T) {
	for _, tt := range []struct{ name, source, template string }{
		{"send to a channel to receive from", "func F() <-chan int { return nil }\nfunc Use(n int) {}", "$0 <- $1"},
		{"receive from a channel to send to", "func F() chan<- int { return nil }", "<-$0"},
		{"keys without order", "func F() map[[1]int]bool { return nil }\nfunc Use([][1]int) {}", "slices.Sorted(maps.Keys($0))"},
		{"element with a lock", "import \"sync\"\nfunc F() []sync.Mutex { return nil }\nfunc Use(*sync.Mutex) {}", "$0[$1]"},
		{"copy of a struct", "type T struct{ n int }\nfunc F() *T { return nil }\nfunc Use(n int) {}", "*$0"},
		{"assertion to a type that does not implement", "type T struct{ A int }\nfunc F() interface{ M() } { return nil }", "$0.(shop.T)"},
		{"call of a parameter", "func F(f func(int)) {}", "$0($1)"},
		{"elements of a parameter", "func F(list []int, n int) {}", "$0[$1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source)
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Template == tt.template {
					t.Errorf("operation %s", signatureOf(c, op))
				}
			}
		})
	}
}

// TestYields finds what an iterator type yields.
func TestYields(t *testing.T) {
	_, vars := checkFacts(t, "example.com/shop", `package shop
type yield func(int) bool
type boolean bool
var (
	One func(func(int) bool)
	Two func(func(int, string) bool)
	Named func(yield)
	None func(func() bool)
	Three func(func(a, b, c int) bool)
	NoResult func(func(int))
	OtherResult func(func(int) int)
	NamedResult func(func(int) boolean)
	TwoResults func(func(int) (bool, bool))
	Returns func(func(int) bool) bool
	Variadic func(...func(int) bool)
	NoFunc func(int)
	Pair func(func(int) bool, int)
)`)
	for name, typ := range vars {
		want := map[string]string{"One": "int", "Two": "int, string", "Named": "int"}[name]
		if got := joinTypes(yields(typ.(*types.Signature)), typeKey); got != want {
			t.Errorf("%s %v yields %q, want %q", name, typ, got, want)
		}
	}
}

// TestSurvey tells by which form the package hands out types, and which have constructors.
func TestSurvey(t *testing.T) {
	f, _ := checkFacts(t, "example.com/shop", `package shop
type (
	Pointer struct{}
	Value struct{}
	Both struct{}
	Second struct{}
	Hidden struct{}
	Made struct{}
	Self struct{}
	Iterator struct{}
	List []*Element
	Element struct{}
	Unmade struct{}
)
func P() *Pointer { return nil }
func V() Value { return Value{} }
func B() Both { return Both{} }
func C() (int, *Both) { return 0, nil }
func S() (int, *Second) { return 0, nil }
func hide() *Hidden { return nil }
func newMade() *Made { return nil }
func (s *Self) Next() *Self { return nil }
func (s *Self) Iterate() Iterator { return Iterator{} }
func (s *Self) unmade() Unmade { return Unmade{} }
func L() List { return nil }
`)
	pointers, ctors := f.surveyResults()
	got := map[string]string{}
	for _, name := range f.pkg.Scope().Names() {
		obj, ok := f.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if ptr, ok := pointers[obj]; ok {
			got[name] = map[bool]string{true: "pointer", false: "value"}[ptr]
		}
		if ctors[obj] {
			got[name] += " made"
		}
	}
	for name, want := range map[string]string{
		"Pointer": "pointer made", "Value": "value made", "Both": "pointer made", "Second": "pointer made", "Hidden": "", "Made": " made",
		"Self": "pointer", "Iterator": "value made", "List": "value made", "Element": " made", "Unmade": "",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// A lone result without a name is taken as any; one of several keeps a call out.
func TestUnnamedTypes(t *testing.T) {
	foreign := types.NewPackage("a.org/internal/x", "x")
	obj := types.NewTypeName(token.NoPos, foreign, "T", nil)
	types.NewNamed(obj, types.Typ[types.Int], nil)
	foreign.Scope().Insert(obj)
	value := func(typ types.Type) *types.Var { return types.NewParam(token.NoPos, nil, "", typ) }
	hidden, number := value(obj.Type()), value(types.Typ[types.Int])
	f, _ := checkFacts(t, "example.com/shop", "package shop")
	for _, tt := range []struct {
		params, results []*types.Var
		bad             bool
	}{
		{nil, nil, false}, {[]*types.Var{number}, []*types.Var{number, number}, false},
		{[]*types.Var{number, hidden}, nil, true}, {nil, []*types.Var{hidden}, false}, {nil, []*types.Var{number, hidden}, true},
	} {
		sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(tt.params...), types.NewTuple(tt.results...), false)
		if got := f.unspeakable(sig); (got != nil) != tt.bad {
			t.Errorf("%v cannot be called for %v", sig, got)
		}
		fn := types.NewFunc(token.NoPos, f.pkg, "F", sig)
		op := f.callOperation(callable{fn: fn, sig: sig, call: "shop.F"})
		if lone := len(tt.results) == 1; lone != (op.Shape == seq.Unnamed) || lone && (op.Template != "any(shop.F())" || !isAny(op.results[0])) {
			t.Errorf("%v is called as %s → %v", sig, op.Template, op.results)
		}
	}
}

// A variadic function whose result is taken as any is called with a slice, too.
func TestUnnamedVariadic(t *testing.T) {
	c := findSource(t, "import \"unsafe\"\nfunc F(list ...int) unsafe.Pointer { return nil }")
	for short, want := range map[string]string{"F": "any(shop.F($*))", "F...": "any(shop.F($0...))"} {
		if got := operationOf(t, c, short).Template; got != want {
			t.Errorf("%s is called as %s, want %s", short, got, want)
		}
	}
	if _, err := seq.NewParser(&c.Table); err != nil {
		t.Error(err)
	}
}

func TestParameterNames(t *testing.T) {
	c := findSource(t, `
type T struct{ n int }
func (t *T) A(n int, _ string) {}
func (t *T) B(int) {}
func (*T) C(_ int, n int) {}
func (t *T) D() {}
`)
	for short, want := range map[string]string{"(*T).A": "t n _", "(*T).B": "", "(*T).C": " _ n", "(*T).D": ""} {
		if got := strings.Join(operationOf(t, c, short).Names, " "); got != want {
			t.Errorf("%s: %q, want %q", short, got, want)
		}
	}
}

// A function that only passes its parameters on forwards to the other.
func TestForwards(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"function", "func F(a, b int) { G(a, b) }", "G"},
		{"result", "func F(a, b int) int { return G(a, b) }", "G"},
		{"parentheses", "func F(a, b int) int { return G((a), b) }", "G"},
		{"method", "func F(t *T, a int) { t.M(a) }", "(*T).M"},
		{"other order", "func F(a, b int) { G(b, a) }", ""},
		{"constant", "func F(a int) { G(a, 1) }", ""},
		{"fewer", "func F(a, b, c int) { G(a, b) }", ""},
		{"changed", "func F(a, b int) { G(a, -b) }", ""},
		{"more statements", "func F(a, b int) { a++; G(a, b) }", ""},
		{"two results", "func F(a, b int) (int, int) { return G(a, b), 0 }", ""},
		{"hidden", "func F(a, b int) { g(a, b) }", ""},
		{"itself", "func F(a, b int) { F(a, b) }", ""},
		{"of another package", "func F(a, b string) bool { return strings.Contains(a, b) }", ""},
		{"value", "var v func(a int)\nfunc F(a int) { v(a) }", ""},
		{"no call", "func F(a int) int { return a }", ""},
		{"unnamed", "func F(_ int, b int) { G(b, b) }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, "import \"strings\"\nvar _ = strings.ToUpper\ntype T struct{ n int }\nfunc (t *T) M(n int) {}\nfunc G(a, b int) int { return 0 }\nfunc g(a, b int) {}\n"+tt.source)
			if got := operationOf(t, c, "F").Forwards; got != tt.want {
				t.Errorf("forwards to %q, want %q", got, tt.want)
			}
		})
	}
}

// A method that returns the constant -1 has it stand for something, as does one of an interface that
// such a method implements.
func TestMinusOne(t *testing.T) {
	c := find(t, checkSource(t, "example.com/shop", `package shop

const none = -1

type Sized interface{ Len() int }

type List struct{ n int }

func New() Sized { return &List{} }
func (l *List) Len() int {
	if l.n == 0 {
		return none
	}
	return l.n
}
func (l *List) Cap() int  { return l.n - 1 }
func (l *List) At() (int, bool) { return -1, false }
`).Input)
	got := map[string]bool{}
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; op.Kind == seq.Method {
			got[op.Short] = op.MinusOne
		}
	}
	if want := map[string]bool{"(*List).Len": true, "(*List).Cap": false, "(*List).At": false, "(Sized).Len": true}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSetsReceiver states of which methods the receiver may change.
func TestSetsReceiver(t *testing.T) {
	c := findSource(t, `import "math/big"
type T struct{ n int; l []int; big.Rat }
func (t *T) Set(n int) { t.n = n }
func (t *T) Get() int { return t.n }
func (t *T) Swap(o *T) { t = o }
func (t *T) Add(n int) { t.l = append(t.l, n) }
func (t *T) Give() { fill(t) }
func fill(t *T) { t.n = 1 }`)
	for short, want := range map[string]bool{
		"(*T).Set": true, "(*T).Get": false, "(*T).Swap": false, "(*T).Add": true, "(*T).Give": true,
		"(*T).UnmarshalText": true, // of package big, whose source is not at hand
	} {
		if got := operationOf(t, c, short).SetsReceiver; got != want {
			t.Errorf("%s: %t, want %t", short, got, want)
		}
	}
}
