package generics

import "cmp"

type Number interface{ ~int | ~int64 | ~float64 }

type Point struct{ X, Y int }

type Set[K comparable] struct{ m map[K]struct{} }

func NewSet[K comparable](keys ...K) *Set[K] { return &Set[K]{} }

func (s *Set[K]) Add(k K) bool { return true }

func (s *Set[K]) Each(f func(K) bool) {}

type Pair[K cmp.Ordered, V any] struct {
	Key K
	Val V
}

func Sum[T Number](list ...T) T { var s T; return s }

func Halve[F ~float32 | ~float64](f F) F { return f / 2 }

func Sort[S ~[]E, E cmp.Ordered](s S) {}

func Merge[M ~map[K]V, K comparable, V any](dst, src M) {}

func Max[T interface{ Less(T) bool }](a, b T) T { return a }

type Level int

func (l Level) Less(o Level) bool { return l < o }

type Decoder[T any] interface {
	*T
	Decode(string) error
}

type Text struct{ S string }

func (t *Text) Decode(s string) error { t.S = s; return nil }

func Decode[T any, P Decoder[T]](s string) (T, error) { var t T; return t, P(&t).Decode(s) }

func Impossible[T interface{ secret() }](t T) {}
