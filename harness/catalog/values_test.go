package catalog

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// TestLiterals lists the literals of T or of *T, with their notes.
func TestLiterals(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"fields", "type T struct{ A int; b string; C string }", []string{"shop.T{A: $0, C: $1}; filled", "shop.T{}; empty"}},
		{"no easy field", "type T struct{ A map[int]int; B [2]int }", []string{"shop.T{}; empty; incomplete"}},
		{"easy fields", "type T struct{ A any; B func(); C *U; D []U }\ntype U struct{}", []string{"shop.T{A: $0, B: $1, C: $2, D: $3}; filled", "shop.T{}; empty; incomplete"}},
		{"field of another package", "import \"io\"\ntype T struct{ A int; R io.Reader }", []string{"shop.T{A: $0}; filled; incomplete", "shop.T{}; empty; incomplete"}},
		{"lists of themselves", "type T struct{ A int; B L; C M; D *P; E K; F G; H C }\ntype (\n\tL []L\n\tM []N\n\tN []M\n\tP *P\n\tK map[string]K\n\tG func() G\n\tC chan C\n)", []string{"shop.T{A: $0, F: $1}; filled; incomplete", "shop.T{}; empty; incomplete"}},
		{"interfaces of the package", "type T struct{ A I; B J; C []I; D error }\ntype I interface{ M() }\ntype J interface{ N() }\ntype V struct{}\nfunc (V) M() {}", []string{"shop.T{A: $0, C: $1}; filled; incomplete", "shop.T{}; empty; incomplete"}},
		{"longer name of a field", "type T struct{ AB int; B []int }", []string{"shop.T{AB: $0, B: $1}; filled", "shop.T{}; empty; incomplete"}},
		{"embedded", "type T struct{ U }\ntype U struct{ M map[int]int }", []string{"shop.T{U: $0}; filled", "shop.T{}; empty; incomplete"}},
		{"lock", "import \"sync\"\ntype T struct{ A int; Mu sync.Mutex }", []string{"&shop.T{A: $0}; filled", "&shop.T{}; empty"}},
		{"pointer", "type T struct{ A int }\nfunc New() *T { return nil }", []string{"&shop.T{A: $0}; filled", "&shop.T{}; empty"}},
		{"hidden with a constructor", "type T struct{ a int }\nfunc New() T { return T{} }", []string{"shop.T{}; empty; zero"}},
		{"hidden without", "type T struct{ a int }", []string{"shop.T{}; empty"}},
		{"open with a constructor", "type T struct{ A int }\nfunc New() T { return T{} }", []string{"shop.T{A: $0}; filled", "shop.T{}; empty"}},
		{"documented zero", "// The zero T is ready to use.\ntype T struct{ a int }\nfunc New() T { return T{} }", []string{"shop.T{}; empty"}},
		{"documented zero value", "// The zero value is ready to use.\ntype T struct{ a int }\nfunc New() T { return T{} }", []string{"shop.T{}; empty"}},
		{"made beside another", "type T struct{ a int }\nfunc Pipe() (int, *T) { return 0, nil }", []string{"&shop.T{}; empty; zero"}},
		{"made as an interface", "type T struct{ a int }\nfunc (t *T) M() {}\nfunc New(n int) interface{ M() } { return &T{a: n} }", []string{"&shop.T{}; empty; zero"}},
		{"made as an interface, without a hidden field", "type T struct{ A int; b int }\nfunc (t *T) M() {}\nfunc New() interface{ M() } { return &T{A: 1} }", []string{"&shop.T{A: $0}; filled", "&shop.T{}; empty"}},
		{"made in a function that is returned", "type T struct{ a, b int }\nfunc (t *T) M() {}\nfunc New() func() any { return func() any { t := T{1, 2}; return &t } }", []string{"&shop.T{}; empty; zero"}},
		{"made and set", "type T struct{ a *int }\nfunc (t *T) M() {}\nfunc New(a *int) any { t := new(T); t.a = a; return t }", []string{"&shop.T{}; empty; zero"}},
		{"set beside exported fields", "type T struct{ A int; b *int }\nfunc (t *T) M() {}\nfunc Use1(t *T, b *int) { t.b = b }", []string{"&shop.T{A: $0}; filled", "&shop.T{}; empty"}},
		{"made by its own method", "type T struct{ a *int }\nfunc (t *T) M() any { return &T{a: t.a} }", []string{"&shop.T{}; empty"}},
		{"set by a method", "type T struct{ a *int }\nfunc (t *T) Set(a int) int { return 0 }", []string{"&shop.T{}; empty"}},
		{"acting", "type T struct{ a *int }\nfunc (t *T) Reset() {}", []string{"&shop.T{}; empty"}},
		{"preset", "type T struct{ a *int }\nfunc (t *T) Set(a int) {}\nvar Default = &T{a: new(int)}", []string{"&shop.T{}; empty; zero"}},
		{"preset empty", "type T struct{ a *int }\nfunc (t *T) Set(a int) {}\nvar Default = &T{}", []string{"&shop.T{}; empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source+"\nfunc Use(*T, T) {}")
			form, _, _ := strings.Cut(tt.want[0], "{")
			var got []string
			for i := range c.Table.Ops {
				op := &c.Table.Ops[i]
				if op.Kind != seq.Composite || !strings.HasPrefix(op.Template, form) {
					continue
				}
				note := op.Template + "; " + op.Shape.String()
				if op.Zero {
					note += "; zero"
				}
				if op.Incomplete {
					note += "; incomplete"
				}
				got = append(got, note)
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestParts lists the reads and writes of fields and variables, constants and conversions.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"variable", "var V int", []string{"shop.V () → int", "shop.V = $0 (int)"}},
		{"large variable", "var V []int", []string{"shop.V () → []int"}},
		{"hidden variable", "var v int", nil},
		{"variable with a lock", "import \"sync\"\nvar V sync.Mutex", nil},
		{"constant", "type N int\nconst A N = 1\nfunc F(N) {}", []string{"shop.A () → shop.N", "shop.N($0) (int) → shop.N"}},
		{"constant of no named type", "const A = 1\nconst B int = 1", nil},
		{"conversion", "type L []int\nfunc F(L) {}", []string{"shop.L($0) ([]int) → shop.L"}},
		{"conversion of a pointer", "import \"unsafe\"\ntype P unsafe.Pointer", nil},
		{"conversion from a hidden type", "type h int\ntype L []h\nfunc F(L) {}", nil},
		{"hidden type", "type l []int\nfunc F(l) {}", nil},
		{"interface", "type I interface{ M() }", nil},
		{"fields", "type T struct{ A int; b int }", []string{"$0.A (shop.T) → int", "$0.A = $1 (*shop.T, int)"}},
		{"field with a lock", "import \"sync\"\ntype T struct{ Mu sync.Mutex }", nil},
		{"alias of a hidden type", "type l []int\ntype L = l\nfunc F(L) {}", nil},
		{"alias of an exported type", "type L []int\ntype M = L\nfunc F(M) {}", []string{"shop.L($0) ([]int) → shop.L"}},
		{"alias of another package's type", "import \"time\"\ntype D = time.Duration\nfunc F(D) {}", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source)
			var got []string
			for i := range c.Table.Ops {
				switch op := &c.Table.Ops[i]; op.Kind {
				case seq.VarGet, seq.VarSet, seq.Const, seq.Convert, seq.FieldGet, seq.FieldSet:
					got = append(got, signatureOf(c, op))
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Only the first constants of a type are operations; all are in the type's list.
func TestManyConstants(t *testing.T) {
	c := findSource(t, "type N int\nconst (\nA N = iota\n"+manyNames(99)+")\nfunc F(N) {}")
	n := 0
	for i := range c.Table.Ops {
		if c.Table.Ops[i].Kind == seq.Const {
			n++
		}
	}
	if typ := c.Table.Types[operationOf(t, c, "F").Params[0]]; n != maxConsts || len(typ.Constants) != 100 {
		t.Errorf("%d operations, %d constants; want %d, 100", n, len(typ.Constants), maxConsts)
	}
}

// manyNames returns n lines with one exported name each.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("A" + strings.Repeat("a", i+1) + "\n")
	}
	return b.String()
}

// TestConstants lists the values of the constants of a type, if there are no others.
func TestConstants(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []int64
		zeroIsNone   bool
	}{
		{"sorted, each once", "type N int\nconst (A N = 3; B N = -1; C N = 3; D N = 0)", []int64{-1, 0, 3}, false},
		{"exported", "type N int\nconst (A N = iota; B; c)", []int64{0, 1}, false},
		{"blank", "type N int\nconst (_ N = iota; B)", []int64{1}, false},
		{"of another type", "type N int\nconst A int = 3", nil, false},
		{"float", "type N float64\nconst A N = 3", nil, false},
		{"too large", "type N uint64\nconst (A N = 3; B N = 1<<63)", []int64{3}, false},
		{"zero is none", "type N int\nconst (NInvalid N = iota; A; B)", []int64{1, 2}, true},
		{"zero is none, in capitals", "type N int\nconst (N_UNSPECIFIED N = iota; A; B)", []int64{1, 2}, true},
		{"zero is none, by the name of the type", "type N int\nconst (NoN N = iota; Left; Right)", []int64{1, 2}, true},
		{"zero is an option", "type N int\nconst (NoChange N = iota; Left; Right)", []int64{0, 1, 2}, false},
		{"the last is none", "type N int\nconst (A N = iota; B; UnknownN)", []int64{0, 1}, false},
		{"words that begin alike", "type N int\nconst (Unsettled N = iota; Unknowns)", []int64{0, 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source+"\nfunc F(N) {}")
			ty := &c.Table.Types[operationOf(t, c, "F").Params[0]]
			if !slices.Equal(ty.Constants, tt.want) || ty.ZeroIsNone != tt.zeroIsNone {
				t.Errorf("%v, zero is none: %v; want %v, %v", ty.Constants, ty.ZeroIsNone, tt.want, tt.zeroIsNone)
			}
		})
	}
}

// TestShared says why goroutines may share a *T.
func TestShared(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"plain", "type T struct{ n int }", ""},
		{"documented", "// A T counts. It is safe for concurrent use. It is small.\ntype T struct{ n int }", "It is safe for concurrent use."},
		{"documented not", "import \"sync\"\n// A T is not safe for concurrent use.\ntype T struct{ mu sync.Mutex }", ""},
		{"lock", "import \"sync\"\ntype T struct{ n int; mu sync.Mutex }", "it holds a sync.Mutex"},
		{"pointer to a lock", "import \"sync\"\ntype T struct{ mu *sync.RWMutex }", "it holds a sync.RWMutex"},
		{"atomic", "import \"sync/atomic\"\ntype T struct{ n atomic.Int64 }", "it holds a atomic.Int64"},
		{"once", "import \"sync\"\ntype T struct{ once sync.Once }", ""},
		{"lock in a field", "import \"sync\"\ntype T struct{ in struct{ mu sync.Mutex } }", "it holds a sync.Mutex"},
		{"lock two fields deep", "import \"sync\"\ntype T struct{ in struct{ in struct{ mu sync.Mutex } } }", ""},
		{"lock behind a pointer", "import \"sync\"\ntype U struct{ mu sync.Mutex }\ntype T struct{ u *U }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := checkFacts(t, "example.com/shop", "package shop\n"+tt.source)
			typ := f.pkg.Scope().Lookup("T").Type()
			if got, locks := f.shared(types.NewPointer(typ)); got != tt.want || locks != strings.HasPrefix(tt.want, "it holds") {
				t.Errorf("*T is shared because %q, want %q", got, tt.want)
			}
			if got, _ := f.shared(typ); got != "" {
				t.Errorf("T is shared because %q", got)
			}
		})
	}
}

// TestUnnamed: where a parameter has a type that only the package can name, callers write a
// literal of its underlying type.
func TestUnnamed(t *testing.T) {
	for source, want := range map[string]string{
		"type visit func(int) bool\nfunc F(v visit) {}": "func(int) bool",
		"type list []string\nfunc F(l list) {}":         "[]string",
		"type set map[string]int\nfunc F(s set) {}":     "map[string]int",
		"type pair[A any] func(A) A\ntype S[A any] struct{ p pair[A] }\nfunc F[A any](p pair[A]) S[A] { return S[A]{p} }": "func(int) int",
	} {
		c := findSource(t, source)
		calls := c.Table.OpsThat(func(op *seq.Operation) bool { return op.Member == "F" })
		if len(calls) == 0 {
			t.Errorf("%s: no operation F", source)
			continue
		}
		to := c.Table.Ops[calls[0]].Params[0]
		var got []string
		for i := range c.Table.Ops {
			op := &c.Table.Ops[i]
			for _, from := range op.Results {
				if from != to && !op.API && c.Table.AssignableTo(from, to) {
					got = append(got, c.Table.Types[from].Name)
				}
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: made for the parameter: %q, want %q", source, got, want)
		}
	}
}
