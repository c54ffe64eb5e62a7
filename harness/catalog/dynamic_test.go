package catalog

import (
	"slices"
	"testing"
)

// TestAskedTypes lists the instances that F and New have beside those for int and string.
func TestAskedTypes(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"switch", "func F[T any](x T) { switch any(x).(type) { case string, int: case int8: } }", []string{"F[int8]"}},
		{"assertion", "func F[T any](x T) { _, _ = interface{}(x).(int8) }", []string{"F[int8]"}},
		{"basic types first, and two of them", "type P[T any] struct{}\nfunc F[T any](x T) *P[T] { switch any(x).(type) { case []int: case int8: case uint: case int16: }; return nil }", []string{"F[int8]", "F[uint]"}},
		{"more without a generic type", "func F[T any](x T) { switch any(x).(type) { case []int: case int8: case uint: case int16: } }", []string{"F[[]int]", "F[int16]", "F[int8]", "F[uint]"}},
		{"interface second", "import \"time\"\nvar D time.Duration\ntype P[T any] struct{}\nfunc F[T any](x T) *P[T] { switch any(x).(type) { case int8, int16: case interface{ String() string }: }; return nil }", []string{"F[int8]", "F[time.Time]"}},
		{"interface of a pointer", "type N []int\nfunc (*N) M() {}\nfunc F[T any](x T) { if _, ok := any(&x).(interface{ M() }); ok {} }", []string{"F[shop.N]"}},
		{"interface without a type that has it", "func F[T any](x T) { _, _ = any(x).(interface{ M() }) }", nil},
		{"pointer", "func F[T any](x T) { switch any(&x).(type) { case *int, *int8: } }", []string{"F[int8]"}},
		{"slice", "func F[T any](x []T) { switch any(x).(type) { case []int8, [2]int16: } }", []string{"F[int8]"}},
		{"field", "type P[T any] struct{ a T }\nfunc F[T any](p P[T]) { switch any(p.a).(type) { case int8: } }", []string{"F[int8]"}},
		{"instance of a type", "type P[T any] struct{ a T }\nfunc F[T any](p *P[T]) { switch any(p).(type) { case *P[int8], *P[T]: } }", []string{"F[int8]"}},
		{"variable", "func F[T any](x T) { y := any(x); switch z := y.(type) { case int8: _ = z } }", []string{"F[int8]"}},
		{"declared variable", "func F[T any](x T) { var y any = x; switch y.(type) { case int8: } }", []string{"F[int8]"}},
		{"given to a function", "func F[T any](x T) { f(x) }\nfunc f(x any) { switch x.(type) { case int8: } }", []string{"F[int8]"}},
		{"given to a generic function", "func F[T any](x T) { f([]T{x}) }\nfunc f[E any](x []E) { f(x); switch any(x[0]).(type) { case int8: } }", []string{"F[int8]"}},
		{"in a method", "type P[T any] struct{ a T }\nfunc New[U any]() *P[U] { return nil }\nfunc (p *P[V]) M() { switch any(p.a).(type) { case int8: } }", []string{"New[int8]"}},
		{"in a function that takes the type", "type P[T any] struct{ a T }\nfunc New[U any]() *P[U] { return nil }\nfunc M[V any](p *P[V]) { switch any(p.a).(type) { case int8: } }", []string{"New[int8]"}},
		{"in a type inside", "type P[T any] struct{ a p[T] }\ntype p[T any] struct{ a T }\nfunc New[U any]() *P[U] { return nil }\nfunc (p *p[V]) m() { switch any(p.a).(type) { case int8: } }", []string{"New[int8]"}},
		{"in one order", "type P[T any] struct{ a T }\nfunc (p *P[V]) M() { switch any(p.a).(type) { case int8, uint: } }\nfunc New[U any](x U) *P[U] { switch any(x).(type) { case int16: }; return nil }", []string{"New[int8]", "New[uint]"}},
		{"in place of a repeated one", "func F[K comparable, V any](k K, v V) { switch any(v).(type) { case int8: case int16: } }", []string{"F[int, int16]", "F[string, int8]"}},
		{"element of the other", "func F[S ~[]E, E any](x S) { switch any(x).(type) { case []int8: } }", []string{"F[[]int8, int8]"}},
		{"refused", "func F[T ~int | ~string](x T) { switch any(x).(type) { case int8: } }", nil},
		{"not exported", "type n int\nfunc F[T any](x T) { switch any(x).(type) { case n: } }", nil},
		{"of another variable", "func F[T any](x T, y any) { switch y.(type) { case int8, nil: } }", nil},
		{"no others", "func F[T int16 | int32](x T) { switch any(x).(type) { case int16: case int32: } }", []string{"F[int16]", "F[int32]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := findSource(t, tt.source)
			var got []string
			for i := range c.Table.Ops {
				op := &c.Table.Ops[i]
				usual := slices.Contains([]string{"F[int]", "F[string]", "F[int, int]", "F[string, int]", "F[[]int, int]", "F[[]string, string]", "New[int]", "New[string]"}, op.Short)
				if (op.Member == "F" || op.Member == "New") && !usual {
					got = append(got, op.Short)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("instances %q, want %q", got, tt.want)
			}
		})
	}
}
