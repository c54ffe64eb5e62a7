package contract

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// fake calls Go functions in place of operations.
type fake struct {
	ops map[seq.OpID]func(args []any) any // nil result: no result
	n   int
}

func (f *fake) Call(op seq.OpID, args ...any) (results []any, panicked any) {
	f.n++
	defer func() { panicked = recover() }()
	switch r := f.ops[op](args).(type) {
	case nil:
	case many:
		return r, nil
	default:
		return []any{r}, nil
	}
	return nil, nil
}

// thing is what the fakes are about.
type thing struct {
	n int
	f any // float64 or nil
}

func th(n int) *thing       { return &thing{n: n} }
func num(a any) int         { return a.(*thing).n }
func nan() *thing           { return &thing{f: math.NaN()} }
func values(v ...any) []any { return v }
func bools(f func(x, y int) bool) func([]any) any {
	return func(a []any) any { return f(num(a[0]), num(a[1])) }
}
func ints(f func(x, y int) int) func([]any) any {
	return func(a []any) any { return f(num(a[0]), num(a[1])) }
}
func panics([]any) any { panic("no") }

var (
	equalFake   = bools(func(x, y int) bool { return x == y })
	compareFake = ints(func(x, y int) int { return x - y })
	lessFake    = bools(func(x, y int) bool { return x < y })
	nanFake     = func(a []any) any { return a[0].(*thing).f == a[1].(*thing).f }
)

func num3(a, b, c int) []any { return []any{th(a), th(b), th(c)} }

func hash(k int) func([]any) any   { return func(a []any) any { return uint64(k * num(a[0])) } }
func hash64(k int) func([]any) any { return func(a []any) any { return k * num(a[0]) } }

func ops(pairs ...any) map[string]func([]any) any {
	m := map[string]func([]any) any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(func([]any) any)
	}
	return m
}

// bind builds a table of the operations of m, and a Caller of them.
func bind(m map[string]func([]any) any) (*seqtest.Builder, *fake) {
	b, f := seqtest.NewBuilder(), &fake{ops: map[seq.OpID]func([]any) any{}}
	b.Assignable("*p.T", "any")
	for sig, impl := range m {
		kind := seq.Method
		switch {
		case strings.HasPrefix(sig, "zero"):
			kind = seq.Composite
		case !strings.HasPrefix(sig, "("):
			kind = seq.Func
		}
		f.ops[b.Add(kind, sig)] = impl
	}
	return b, f
}

// A contractCase is a contract, operations of a type that it is bound by, their
// implementations, and values of which it holds or does not.
type contractCase struct {
	name     string
	contract string
	ops      map[string]func([]any) any
	values   []any
	want     bool
}

// contractCases are those of all files.
var contractCases = slices.Concat(copiesContracts, equalityContracts, hashingContracts, invariantContracts, orderingContracts, printingContracts, sizesContracts)

// A Planting is a sequence of calls of package planted, and the properties that it breaks.
type Planting struct{ Steps, Breaks string }

// Plantings are those of all files.
var Plantings = slices.Concat(
	collectionPlantings, copiesPlantings, databasesPlantings, decodedPlantings, encodingPlantings, equalityPlantings, errorsPlantings,
	filesPlantings, hashingPlantings, heapPlantings, invariantPlantings, inversePlantings, orderingPlantings, ownershipPlantings,
	persistentPlantings, printingPlantings, readersPlantings, rereadPlantings, settingPlantings, sizesPlantings,
	stacksPlantings, streamsPlantings, walksPlantings, xmlPlantings,
)

func TestContracts(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range contractCases {
		t.Run(test.name, func(t *testing.T) {
			b, f := bind(test.ops)
			c := findContract(Bind(&b.Table), test.contract)
			if c == nil {
				t.Fatalf("contract %s is not bound", test.contract)
			}
			if c.Arity != len(test.values) {
				t.Fatalf("arity %d, %d values", c.Arity, len(test.values))
			}
			got, detail := c.Holds(f, test.values)
			if got != test.want {
				t.Errorf("holds: %v %q, want %v", got, detail, test.want)
			}
			if !got && detail == "" {
				t.Error("no detail")
			}
			if !test.want {
				seen[c.Name] = true
			}
		})
	}
	// Each contract that can fail has a wrong implementation among the cases.
	for _, name := range allNames() {
		if !seen[name] && name != "returns" {
			t.Errorf("contract %s: no case in which it fails", name)
		}
	}
}

func findContract(cs []Contract, name string) *Contract {
	for i := range cs {
		if cs[i].Name == name {
			return &cs[i]
		}
	}
	return nil
}

func allNames() []string {
	b, _ := bind(ops("(*T).Equal(*p.T) bool", equalFake, "(*T).Compare(*p.T) int", compareFake, "(*T).Less(*p.T) bool", lessFake, "(*T).Hash() int", hash64(1),
		"(*T).RepOK() bool", panics, "(*T).Len() int", panics, "(*T).Cap() int", panics, "(*T).IsEmpty() bool", panics, "(*T).Clone() *p.T", panics,
		"(*T).Count() int", panics, "(*T).Keys() []int", panics, "(*T).Has(int) bool", panics,
		"(*S).Len() int", panics, "(*S).Swap(int, int)", panics, "(*S).Less(int, int) bool", panics, "(*S).Keys() []int", panics, "(*S).Format(fmt.State, rune)", panics))
	b.Add(seq.Method, "(*T).String() string", func(op *seq.Operation) { op.Callback = true })
	return namesOf(Bind(&b.Table))
}

func namesOf(cs []Contract) []string {
	var names []string
	for _, c := range cs {
		names = append(names, c.Name)
	}
	return names
}

func TestBind(t *testing.T) {
	tests := []struct {
		name string
		sigs []string
		mod  func(*seq.Operation)
		want []string
	}{
		{"everything", nil, nil, []string{}},
		{"method", []string{"(T).Equal(p.T) bool"}, nil, []string{"equal-reflexive", "equal-symmetric", "equal-transitive"}},
		{"pointer", []string{"(*T).Equal(*p.T) bool"}, nil, []string{"equal-reflexive", "equal-symmetric", "equal-transitive"}},
		{"documented to panic", []string{"(*T).Equal(*p.T) bool", "(*T).Compare(*p.T) int", "(*T).Len() int"}, func(op *seq.Operation) { op.Pre.Panics = true }, []string{}},
		{"documented to block", []string{"(*T).Len() int"}, func(op *seq.Operation) { op.Pre.Blocks = true }, []string{}},
		{"an invariant may panic", []string{"(*T).CheckRep()"}, func(op *seq.Operation) { op.Pre.Panics = true }, []string{"invariant"}},
		{"of another type", []string{"(*T).Equal(*p.U) bool"}, nil, []string{}},
		{"with an error", []string{"(*T).Compare(*p.T) (int, error)", "(*T).Less(*p.T) (bool, error)"}, nil, []string{}},
		{"of indexes", []string{"(*T).Less(int, int) bool"}, nil, []string{}},
		{"of two types", []string{"Compare(string, int) int"}, nil, []string{}},
		{"similar, no order", []string{"(*T).Compare(*p.T) float64", "(*T).Compare(*p.T) bool"}, nil, []string{}},
		{"a validity is no invariant", []string{"(*T).Validate() error", "(*T).Valid() bool"}, nil, []string{}},
		{"clearing is no question", []string{"(*T).Len() int", "(*T).Empty()"}, nil, []string{"size-not-negative"}},
		{"a length that may be unknown", []string{"(*T).Len() int"}, func(op *seq.Operation) {
			op.Doc = "Len returns the length. A negative result indicates an unknown length."
		}, []string{}},
		{"a length of -1 for what has none", []string{"(*T).Len() int"}, func(op *seq.Operation) { op.MinusOne = true }, []string{}},
		{"a length that is never negative", []string{"(*T).Len() int"}, func(op *seq.Operation) { op.Doc = "Len returns the length, a non-negative number." }, []string{"size-not-negative"}},
		{"hash of text", []string{"(*T).Hash() string", "(T).Equal(p.T) bool"}, nil, []string{"equal-reflexive", "equal-symmetric", "equal-transitive"}},
		{"no equality", []string{"(*T).Hash() int", "(*T).Clone() *p.T"}, nil, []string{"hash-stable"}},
		{"a copy of another type", []string{"(*T).Clone() *p.U", "(T).Equal(p.T) bool"}, nil, []string{"equal-reflexive", "equal-symmetric", "equal-transitive"}},
		{"printing", []string{"(*T).String() string", "(*T).MarshalJSON() ([]byte, error)"}, func(op *seq.Operation) { op.Callback = true }, []string{"returns", "returns"}},
		{"String of no interface", []string{"(*T).String() string"}, nil, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := seqtest.NewBuilder()
			for _, sig := range test.sigs {
				kind := seq.Method
				if !strings.HasPrefix(sig, "(") {
					kind = seq.Func
				}
				id := b.Add(kind, sig)
				if test.mod != nil {
					test.mod(&b.Table.Ops[id])
				}
			}
			checkEqual(t, "contracts", strings.Join(namesOf(Bind(&b.Table)), " "), strings.Join(test.want, " "))
		})
	}
}

func TestAsserts(t *testing.T) {
	b, _ := bind(ops("(*T).Equal(*p.T) bool", equalFake, "(*T).Compare(*p.T) int", compareFake, "(*T).Hash() uint64", hash(1),
		"(*T).CheckRep()", panics, "(*T).CheckInvariants() error", panics, "(*T).Clone() *p.T", panics))
	got := map[string]string{}
	for _, c := range Bind(&b.Table) {
		got[c.Name+"/"+b.Table.Ops[c.Op].Base] = c.Assertion()
	}
	for name, want := range map[string]string{
		"equal-reflexive/Equal":         "$0.Equal($0)",
		"equal-symmetric/Equal":         "$0.Equal($1) == $1.Equal($0)",
		"equal-transitive/Equal":        "!($0.Equal($1) && $1.Equal($2)) || $0.Equal($2)",
		"compare-antisymmetric/Compare": "func() bool {\nn, m := $0.Compare($1), $1.Compare($0)\nreturn (n < 0) == (m > 0) && (n > 0) == (m < 0)\n}()",
		"equal-hash/Hash":               "!$0.Equal($1) || $0.Hash() == $1.Hash()",
		"copy-equal/Clone":              "$0.Equal($0.Clone())",
		"invariant/CheckRep":            "func() bool {\n$0.CheckRep()\nreturn true\n}()",
		"invariant/CheckInvariants":     "$0.CheckInvariants() == nil",
	} {
		checkEqual(t, name, got[name], want)
	}
}

func TestContractVerdict(t *testing.T) {
	b, _ := bind(ops("(*T).Equal(*p.T) bool", equalFake))
	c := findContract(Bind(&b.Table), "equal-symmetric")
	trusting := b.Add(seq.Func, "FromParts(int) *p.T", func(op *seq.Operation) { op.Pre.Sentence = "The caller is responsible for the length." })
	if v := c.Verdict(&b.Table, seq.Sequence{{Op: trusting}}, []int32{0, 0}, "detail"); v.Tier != engine.Suspect {
		t.Errorf("a value that its caller vouches for: tier %v, want suspect", v.Tier)
	}
	picky := b.Add(seq.Func, "FromOne(int) *p.T", func(op *seq.Operation) { op.Pre.Sentence = "The element must not be nil." })
	if v := c.Verdict(&b.Table, seq.Sequence{{Op: picky}}, []int32{0, 0}, "detail"); v.Tier != engine.Error {
		t.Errorf("a call that wants no nil: tier %v, want error", v.Tier)
	}
	b.Add(seq.Func, "OfFloat(float64) *p.T")
	for steps, want := range map[string]engine.Tier{"OfFloat(NaN)": engine.Suspect, "OfFloat(1.5)": engine.Error} {
		if v := c.Verdict(&b.Table, b.Steps(steps), []int32{0, 0}, "detail"); v.Tier != want {
			t.Errorf("%s: tier %v, want %v", steps, v.Tier, want)
		}
	}
	b.Add(seq.Func, "WithLength(int, []int) *p.T", func(op *seq.Operation) { op.Names = []string{"length", "words"} })
	if v := c.Verdict(&b.Table, b.Steps("WithLength(1, nil)"), []int32{0, 0}, "detail"); v.Tier != engine.Suspect {
		t.Errorf("a length beside a slice: tier %v, want suspect", v.Tier)
	}
	raw := b.Add(seq.Func, "OfWords([]big.Word) *p.T")
	if v := c.Verdict(&b.Table, seq.Sequence{{Op: raw}}, []int32{0, 0}, "detail"); v.Tier != engine.Suspect || v.Rule != "raw" {
		t.Errorf("a value of raw words: tier %v, %q, want suspect", v.Tier, v.Reason)
	}
	b.Add(seq.Func, "Rounded(p.Ordering) *p.T")
	for steps, want := range map[string]engine.Tier{"Rounded(7); Rounded(1)": engine.Suspect, "Rounded(1)": engine.Error} {
		if v := c.Verdict(&b.Table, b.Steps(steps), []int32{0, 0}, "detail"); v.Tier != want {
			t.Errorf("%s: tier %v, want %v", steps, v.Tier, want)
		}
	}
	own := *c
	own.Claim = engine.ClaimOwn
	if v := own.Verdict(&b.Table, b.Steps("Rounded(7)"), []int32{0, 0}, "detail"); v.Tier != engine.Error {
		t.Errorf("a number that is no constant, and the user's own contract: tier %v, want error", v.Tier)
	}
	v := c.Verdict(&b.Table, nil, []int32{2, 0}, "detail")
	checkEqual(t, "verdict", v, engine.Verdict{
		Claim: engine.ClaimPromise, Tier: engine.Error, Kind: engine.KindContract, Op: c.Op, Signature: engine.ParseSignature("contract:equal-symmetric:(*T).Equal"),
		Message: "contract equal-symmetric does not hold: detail", Rule: "equal-symmetric", Reason: docEqual, Contract: "equal-symmetric",
		Assert: c.Assertion(), Slots: []int32{2, 0},
	})
}

func TestReaches(t *testing.T) {
	type node struct {
		next *node
		x    any
		m    map[string][]float64
		f    func()
	}
	ring := &node{}
	ring.next = ring
	for _, test := range []struct {
		name                 string
		v                    any
		float, nan, function bool
	}{
		{"nothing", ring, false, false, false},
		{"float", &node{x: 1.5}, true, false, false},
		{"NaN in a map of a child", &node{next: &node{m: map[string][]float64{"a": {math.NaN()}}}}, true, true, false},
		{"complex NaN beside an infinity", &node{x: complex(math.NaN(), math.Inf(1))}, true, true, false},
		{"func", node{f: func() {}}, false, false, true},
		{"nil", nil, false, false, false},
	} {
		checkEqual(t, test.name, [3]bool{holdsFloat(false, test.v), holdsFloat(true, test.v), holdsFunc(test.v)}, [3]bool{test.float, test.nan, test.function})
	}
}

// The first element of an empty slice is never looked at: it is other memory.
// log/slog keeps a group so.
func TestLeadsNowhere(t *testing.T) {
	type attr struct {
		Key   string
		Value any
	}
	empty := make([]attr, 0)
	group := struct{ first *attr }{unsafe.SliceData(empty)}
	looked := false
	reaches([]any{group}, func(v reflect.Value) bool {
		looked = looked || v.Kind() == reflect.String
		return false
	})
	if looked {
		t.Error("the element of an empty slice was looked at")
	}
	if leadsNowhere(reflect.ValueOf(new(attr))) {
		t.Error("a value leads nowhere")
	}
}

// doubtTable is an API whose values may be made in doubtful ways.
func doubtTable() *seqtest.Builder {
	b := seqtest.NewBuilder()
	for _, sig := range []string{
		"New(int) *p.T", "Wrap(*p.T) *p.T", "Pair(*p.T, *p.T) *p.T", "Ranked([]int, []int) *p.T", "NewBy(func(a, b bool) bool) *p.T",
		"ParseT(string) (*p.T, error)", "Named(string) *p.T", "NamedPart(string) *p.Part",
	} {
		b.Add(seq.Func, sig)
	}
	for _, sig := range []string{"(*T).Do()", "(*T).Child() *p.T", "(*T).Tagged(string) *p.T"} {
		b.Add(seq.Method, sig)
	}
	b.Add(seq.Composite, "Ints() []int")
	b.Add(seq.FuncLit, "less() func(a, b bool) bool", seqtest.Shaped(seq.Less))
	b.Add(seq.FuncLit, "even() func(a, b bool) bool", seqtest.Shaped(seq.Predicate))
	b.Add(seq.FuncLit, "minus(int) func() int", seqtest.Shaped(seq.Constant))
	return b
}

// A value of what nobody checked may be none that its package accepts.
func TestUncheckedContract(t *testing.T) {
	b := doubtTable()
	for _, tt := range []struct {
		claim engine.Claim
		steps string
		want  string
	}{
		{engine.ClaimPromise, `Named("x")`, "unchecked"},
		{engine.ClaimPromise, `ParseT("x")`, "c"},
		{engine.ClaimPromise, `ParseT("x"); Tagged(v0, "y"); Child(v2)`, "c"},
		{engine.ClaimPromise, `NamedPart("x")`, "c"},
		{engine.ClaimOwn, `Named("x")`, "c"},
	} {
		c := Contract{Name: "c", Claim: tt.claim, Arity: 1, Op: b.Find("Do"), Type: b.Type("*p.T")}
		if v := c.Verdict(&b.Table, b.Steps(tt.steps), []int32{0}, ""); v.Rule != tt.want {
			t.Errorf("%s: rule %q, want %q", tt.steps, v.Rule, tt.want)
		}
	}
	c := Contract{Name: "c", Claim: engine.ClaimPromise, Arity: 1, Op: b.Find("Do"), Type: b.Type("*p.T")}
	if v := c.Verdict(&b.Table, b.Steps(`ParseT("x"); Tagged(v0, "y"); Child(v2)`), []int32{3}, ""); v.Rule != "unchecked" {
		t.Errorf("a part of what nobody checked: rule %q", v.Rule)
	}
}

// NaN is in no order, and equal to nothing.
func TestOrderOfNaN(t *testing.T) {
	b := doubtTable()
	of := b.Add(seq.Func, "OfFloat(float64) *p.T")
	for _, tt := range []struct {
		name string
		f    float64
		want string
	}{
		{"less-asymmetric", math.NaN(), "NaN"},
		{"sort-less", math.NaN(), "NaN"},
		{"sort-less", math.Inf(1), "sort-less"},
		{"empty-size", math.NaN(), "empty-size"},
	} {
		c := Contract{Name: tt.name, Claim: engine.ClaimPromise, Arity: 1, Op: b.Find("Do"), Type: b.Type("*p.T")}
		s := seq.Sequence{{Op: of, Args: []seq.Arg{seq.Lit(&seq.Literal{Value: tt.f})}}}
		if v := c.Verdict(&b.Table, s, []int32{0}, ""); v.Rule != tt.want {
			t.Errorf("%s of %v: rule %q, want %q", tt.name, tt.f, v.Rule, tt.want)
		}
	}
}

func checkEqual(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}
