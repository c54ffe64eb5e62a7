package twin

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"foray.test/cmd/internal/load"
)

// cells declares what twins use of harness/exhaustive, which the module of the package
// may not require yet.
const cells = `package exhaustive

type (
	C              struct{}
	Cases[T any]   struct{}
	Val[T any]     struct{}
	Ref[T any]     struct{}
	Slice[T any]   struct{}
	Objects[T any] struct{}
	number         interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
	}
)

func (v *Val[T]) Of(c *C, values ...T) { panic(0) }
func (v *Val[T]) Get() T { panic(0) }
func (r *Ref[T]) Of(objects *Objects[T]) { panic(0) }
func (r *Ref[T]) NonNil(objects *Objects[T]) { panic(0) }
func (r *Ref[T]) Get() *T { panic(0) }
func (s *Slice[T]) Of(c *C, lengths []int, element func() func() T) { panic(0) }
func (s *Slice[T]) Len() int { panic(0) }
func (s *Slice[T]) At(i int) T { panic(0) }
func (s *Slice[T]) All() func(yield func(int, T) bool) { panic(0) }
func (s *Slice[T]) Values() []T { panic(0) }
func NewObjects[T any](c *C, n int) *Objects[T] { panic(0) }
func (o *Objects[T]) Init(f func(*T)) { panic(0) }
func (o *Objects[T]) Take() *T { panic(0) }
func Range[T number](lo, hi T) []T { panic(0) }
func Words[T ~string](n int) []T { panic(0) }
func Search[T any](build func(*C) T, repOK func(T) bool) *Cases[T] { panic(0) }
func Small[T any](cases func(n int) *Cases[T]) func(i int) T { panic(0) }
func Convert[T, U any](s *Cases[T], f func(T) U) *Cases[U] { panic(0) }
`

// check type-checks the file together with the package. An error is about a
// construct that rewriting does not know.
func (g *generator) check(source []byte) error {
	file, err := parser.ParseFile(g.pkg.Fset, "twin.go", source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	imp := withCells{Importer: g.pkg.Importer}
	stub, err := parser.ParseFile(g.pkg.Fset, "exhaustive.go", cells, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := types.Config{Importer: g.pkg.Importer}
	if imp.cells, err = conf.Check(exhaustivePath, g.pkg.Fset, []*ast.File{stub}, nil); err != nil {
		return err
	}
	var first *types.Error
	conf = types.Config{Importer: imp, IgnoreFuncBodies: false, Error: func(err error) {
		var te types.Error
		if errors.As(err, &te) && first == nil && g.pkg.Fset.Position(te.Pos).Filename == "twin.go" {
			first = &te
		}
	}}
	conf.Check(g.pkg.Path, g.pkg.Fset, append(g.pkg.Files[:len(g.pkg.Files):len(g.pkg.Files)], file), nil)
	if first == nil {
		return nil
	}
	at := g.pkg.Fset.Position(first.Pos)
	line := strings.TrimSpace(strings.Split(string(source), "\n")[at.Line-1])
	return &load.Error{
		Place: g.pkg.Path, Msg: fmt.Sprintf("the predicate has no twin: rewritten, the line %s does not compile: %s", line, first.Msg),
		Hint: "write the line in a simpler way, or choose all fields with -everything",
	}
}

// withCells imports the declarations of cells.
type withCells struct {
	types.Importer
	cells *types.Package
}

// Import implements [types.Importer].
func (w withCells) Import(path string) (*types.Package, error) {
	if path == exhaustivePath {
		return w.cells, nil
	}
	return w.Importer.Import(path)
}
