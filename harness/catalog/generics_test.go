package catalog

import (
	"slices"
	"testing"

	"foray.test/engine/seq"
)

// TestTypeArguments lists the instances of the generic function F.
func TestTypeArguments(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"any", "func F[T any](x T) {}", []string{"F[int]", "F[string]"}},
		{"with a struct of the package", "type S struct{ A int }\nfunc F[T any](x T) {}", []string{"F[int]", "F[string]", "F[shop.S]"}},
		{"with a struct that cannot be compared", "type S struct{ A []int }\nfunc F[T any](x T) {}", []string{"F[int]", "F[string]"}},
		{"with a struct with a lock", "import \"sync\"\ntype S struct{ A sync.Mutex }\nfunc F[T any](x T) {}", []string{"F[int]", "F[string]"}},
		{"looked into", "import \"reflect\"\nfunc F[T any](x T) reflect.Kind { return reflect.TypeOf(x).Kind() }", []string{"F[int]", "F[string]", "F[struct{A *int; B []string; C map[string]any}]"}},
		{"looked into, with a struct of the package", "import \"reflect\"\ntype S struct{ A int }\nfunc F[T any](x T) reflect.Kind { return reflect.TypeOf(x).Kind() }", []string{"F[int]", "F[string]", "F[shop.S]"}},
		{"looked into and comparable", "import \"reflect\"\nfunc F[T comparable](x T) reflect.Kind { return reflect.TypeOf(x).Kind() }", []string{"F[int]", "F[string]"}},
		{"comparable", "func F[T comparable](x T) {}", []string{"F[int]", "F[string]"}},
		{"two", "func F[K comparable, V any](k K, v V) {}", []string{"F[int, int]", "F[string, int]"}},
		{"numbers", "func F[T int | float64](x T) {}", []string{"F[int]"}},
		{"one of the candidates", "func F[T ~float64](x T) {}", []string{"F[float64]"}},
		{"bytes", "func F[T byte | uint64](x T) {}", []string{"F[uint8]"}},
		{"complex", "func F[T ~complex64 | ~complex128](x T) {}", []string{"F[complex128]"}},
		{"bytes or text", "func F[T ~string | ~[]byte](x T) {}", []string{"F[string]"}},
		{"none of the candidates", "func F[T ~int16](x T) {}", nil},
		{"type of the package", "type N int16\nfunc F[T ~int16](x T) {}", []string{"F[shop.N]"}},
		{"method", "type N struct{ A int }\nfunc (N) M() {}\nfunc F[T interface{ M() }](x T) {}", []string{"F[shop.N]"}},
		{"method of a pointer", "type N struct{ A int }\nfunc (*N) M() {}\nfunc F[T interface{ M() }](x T) {}", []string{"F[*shop.N]"}},
		{"method of a type that is not exported", "type n struct{}\nfunc (n) M() {}\nfunc F[T interface{ M() }](x T) {}", nil},
		{"interface", "type I interface{ M() }\nfunc F[T I](x T) {}", nil},
		{"standard type", "import (\"fmt\"; \"time\")\nvar D time.Duration\nfunc F[T fmt.Stringer](x T) {}", []string{"F[time.Time]"}},
		{"slice of the other", "func F[S ~[]E, E any](x S) {}", []string{"F[[]int, int]", "F[[]string, string]"}},
		{"map of the others", "func F[M ~map[K]V, K comparable, V any](x M) {}", []string{"F[map[int]int, int, int]", "F[map[string]int, string, int]"}},
		{"pointer to the other", "type N struct{ A int }\nfunc (*N) M() {}\nfunc F[T any, P interface{ *T; M() }](x T) {}", []string{"F[shop.N, *shop.N]"}},
		{"pointer to a later candidate", "type N []int\nfunc (*N) M() {}\nfunc F[T any, P interface{ *T; M() }](x T) {}", []string{"F[shop.N, *shop.N]"}},
		{"channel of the other", "func F[C ~chan E, E any](x C) {}", []string{"F[chan int, int]", "F[chan string, string]"}},
		{"array of the other", "func F[A ~[2]E, E any](x A) {}", []string{"F[[2]int, int]", "F[[2]string, string]"}},
		{"function of the other", "func F[G ~func(E, ...E) E, E any](x G) {}", []string{"F[func(int, ...int) int, int]", "F[func(string, ...string) string, string]"}},
		{"slice of slices", "func F[S ~[]R, R ~[]E, E any](x S) {}", []string{"F[[][]int, []int, int]", "F[[][]string, []string, string]"}},
		{"compared with itself", "type N struct{ A int }\nfunc (N) Less(m N) bool { return false }\nfunc F[T interface{ Less(T) bool }](x T) {}", []string{"F[shop.N]"}},
		{"named, compared with itself", "type L[T any] interface{ Less(T) bool }\ntype N struct{ A int }\nfunc (N) Less(m N) bool { return false }\nfunc F[T L[T]](x T) {}", []string{"F[shop.N]"}},
		{"list of itself", "type N []N\nfunc F[T ~[]T](x T) {}", nil},
		{"union with another parameter", "func F[T any, U ~[]T | ~string](x U) {}", []string{"F[int, string]", "F[string, string]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source)
			var got []string
			for i := range c.Table.Ops {
				if op := &c.Table.Ops[i]; op.Member == "F" {
					got = append(got, op.Short)
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("instances %q, want %q", got, tt.want)
			}
			reason := exclusion(c, "F")
			if want := "no type arguments found that satisfy its constraints"; (reason == want) != (tt.want == nil) {
				t.Errorf("excluded because %q", reason)
			}
		})
	}
}

// Such a struct has values with all fields set.
func TestOpenStruct(t *testing.T) {
	c := findSource(t, "import \"reflect\"\nfunc F[T any](x T) reflect.Kind { return reflect.TypeOf(x).Kind() }")
	const want = "struct{A *int; B []string; C map[string]any}{A: $0, B: $1, C: $2}"
	if !slices.ContainsFunc(c.Table.Ops, func(op seq.Operation) bool { return op.Template == want }) {
		t.Errorf("no operation %s", want)
	}
}

// The methods of a generic type that has no instance are excluded with a reason.
func TestNoInstance(t *testing.T) {
	c := findSource(t, `
type T[E ~int16] struct{ e E }
func (t *T[E]) Put(e E) {}
func (t T[E]) Get() E { return t.e }
func (t T[E]) hidden() {}
`)
	const reason = "no type arguments found that satisfy the constraints of T"
	for _, member := range []string{"(*T).Put", "(T).Get"} {
		if got := exclusion(c, member); got != reason {
			t.Errorf("%s: excluded because %q, want %q", member, got, reason)
		}
	}
	if want := []string{"(*T).Put", "(T).Get"}; !slices.Equal(c.Members, want) {
		t.Errorf("members %q, want %q", c.Members, want)
	}
}

func TestHasLock(t *testing.T) {
	cache.load(t, ".", "sync", "sync/atomic")
	_, vars := checkFacts(t, "example.com/q", `package q
import ("sync"; "sync/atomic")
type own struct{}
func (*own) Lock() {}
var (
	Mutex sync.Mutex
	Pointer *sync.Mutex
	Locker sync.Locker
	Field struct{ n int; mu sync.RWMutex }
	Deep struct{ a [2]struct{ o sync.Once } }
	Own own
	Slice []sync.Mutex
	Atomic atomic.Int64
	Int int
)`)
	for name, want := range map[string]bool{
		"Mutex": true, "Pointer": false, "Locker": false, "Field": true, "Deep": true, "Own": true, "Slice": false, "Atomic": true, "Int": false,
	} {
		if got := hasLock(vars[name]); got != want {
			t.Errorf("%s %v: %v", name, vars[name], got)
		}
	}
}
