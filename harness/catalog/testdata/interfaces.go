package interfaces

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sort"
	"text/template/parse"
	"time"
)

type Shape interface {
	Area() float64
	Scale(f float64) Shape
}

type Circle struct{ R float64 }

func (c Circle) Area() float64         { return c.R }
func (c Circle) Scale(f float64) Shape { return Circle{c.R * f} }

type Square struct{ Side float64 }

func (s *Square) Area() float64         { return s.Side }
func (s *Square) Scale(f float64) Shape { return s }

func Union(shapes ...Shape) Shape { return shapes[0] }

type SizeError struct{ N int }

func (e *SizeError) Error() string { return "size" }

func Check(s Shape) error { return nil }

func Store(v any) {}

func Load() any { return nil }

func Read(r io.Reader, w io.Writer) (int64, error) { return 0, nil }

func Open(r io.Reader) io.ReadCloser { return nil }

func Wait(ctx context.Context, d time.Duration, at time.Time) error { return nil }

func Sorted(s sort.Interface) bool { return false }

func Name(s fmt.Stringer, err error) string { return "" }

// Render takes what only text/template/parse makes whole.
func Render(t *parse.Tree) {}

func Serve(w http.ResponseWriter, r *http.Request, h http.Handler) {}

type Lonely interface{ Alone(n int) string }

func Use(l Lonely) {}
