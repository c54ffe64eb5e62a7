// Package varied has functions with another result in each of two versions.
package varied

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Next says that it is the new version.
var Next = false

func pick[T any](old, next T) T {
	if Next {
		return next
	}
	return old
}

// Level is shown by a method.
type Level int

func (l Level) String() string { return fmt.Sprintf("level %d", int(l)) }

// Failure is an error, and no interface.
type Failure int

func (f Failure) Error() string { return fmt.Sprintf("failure %d", int(f)) }

type inner struct{ N int }

type (
	Point  struct{ X int }
	Outer  struct{ inner }
	Report struct{ Err error }
)

func (Point) Len() int { return 0 }

func Grade() Level               { return pick[Level](1, 2) }
func Grades() []Level            { return pick([]Level{1}, []Level{1, 2}) }
func ByGrade() map[Level]int     { return pick(map[Level]int{1: 1}, map[Level]int{2: 1}) }
func Pause() time.Duration       { return pick(time.Second, time.Minute) }
func Rows() [][]int              { return pick([][]int{nil}, [][]int{nil, {1}}) }
func Long() []byte               { return pick(make([]byte, 300), make([]byte, 280)) }
func Words() map[string]int      { return pick(map[string]int{"a": 1, "a b": 2}, map[string]int{"a": 1}) }
func Half() any                  { return pick[any](complex64(0.1), complex64(0.2)) }
func Unclear() complex128        { return pick(complex(math.NaN(), 1), 2) }
func Nought() float64            { return pick(0, math.Copysign(0, -1)) }
func Found() *Point              { return pick(&Point{X: 1}, nil) }
func Lost() *Point               { return pick(nil, &Point{X: 1}) }
func Told() Report               { return pick(Report{}, Report{Err: errors.New("no")}) }
func Retold() Report             { return pick(Report{Err: errors.New("no")}, Report{Err: errors.New("yes")}) }
func Fault() any                 { return pick[any](errors.New("no"), errors.New("yes")) }
func Code() Failure              { return pick[Failure](1, 2) }
func Cause() error               { return pick(errors.New("no"), errors.New("yes")) }
func Inside() Outer              { return pick(Outer{inner{1}}, Outer{inner{2}}) }
func Mail(address string) string { return pick("x@mail.org", address) }
func Many() map[int]int          { return pick(entries(70), entries(71)) }
func Points() any                { return pick[any]([]*Point{{1}}, []*Point{{1}, {2}}) }
func Handler() func() int        { return pick(Point{}.Len, nil) }
func NoHandler() func() int      { return pick(nil, Point{}.Len) }
func Keyed() map[any]int         { return pick(map[any]int{int8(1): 1}, map[any]int{int8(1): 2}) }
func KeyedByPoint() map[Point]int {
	return pick(map[Point]int{{X: 1}: 1}, map[Point]int{{X: 1}: 2})
}
func KeyedByFloat() map[float64]int {
	return pick(map[float64]int{math.Inf(1): 1}, map[float64]int{math.Inf(1): 2})
}
func Nested() map[string][]int {
	return pick(map[string][]int{"a": {1, 2}}, map[string][]int{"a": {1, 3}})
}

func entries(n int) map[int]int {
	m := map[int]int{}
	for i := range n {
		m[i] = i
	}
	return m
}
