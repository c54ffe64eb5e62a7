package twin

import (
	"fmt"
	"go/format"
	"go/types"
	"reflect"

	"foray.test/harness/exhaustive"
)

// Everything writes a file that chooses all fields and then asks the predicate, which it
// leaves as it is.
func Everything(c Config) (*Result, error) {
	g, inst, err := newGenerator(c)
	if err != nil {
		return nil, err
	}
	r := &Result{Type: g.original(inst), Pred: g.predicate.Name(), Cases: g.unique(lower(inst.Obj().Name()) + "Cases")}
	ex := g.imported(exhaustivePath, "exhaustive")
	name := ""
	if ex != "exhaustive" {
		name = ex + " "
	}
	r.Source, err = format.Source(fmt.Appendf(nil, `%s

package %s

import %s%q

// %s returns every %s of at most n objects of each type for which %s holds. It
// chooses all fields and then asks, which takes far longer than a twin.
func %[5]s(n int) *%[8]s.Cases[*%[6]s] {
	return %[8]s.Generate(func(c *%[8]s.C) *%[6]s {
		v := %[8]s.Everything[%[6]s](c, %[8]s.Bounds{Objects: n, Hi: n, Len: n, Strings: %[8]s.Words[string](n)})
		if !(%[9]s) {
			c.Drop()
		}
		return v
	})
}
`, Mark, g.pkg.Name, name, exhaustivePath, r.Cases, r.Type, r.Pred, ex, g.asked()))
	if err != nil {
		return nil, err
	}
	cases := exhaustive.Generate(func(c *exhaustive.C) bool {
		e := &choices{generator: g, c: c, objects: map[types.Object]int{}}
		e.object(inst)
		return true
	})
	r.Candidates = cases.Estimate()
	if len(g.problems) > 0 {
		return nil, g.sorted()
	}
	return r, nil
}

// asked returns the predicate of v as an expression.
func (g *generator) asked() string {
	sig := g.predicate.Signature()
	text := "v." + g.predicate.Name() + "()"
	if sig.Recv() == nil {
		text = g.predicate.Name() + "(v)"
		if !isPointer(sig.Params().At(0).Type()) {
			text = g.predicate.Name() + "(*v)"
		}
	}
	if !isBool(sig.Results().At(0).Type()) {
		text += " == nil"
	}
	return text
}

// EverythingBound is the bound of Result.Candidates.
const EverythingBound = 3

// choices makes the choices of exhaustive.Everything, without values.
type choices struct {
	*generator
	c       *exhaustive.C
	objects map[types.Object]int
}

func (e *choices) object(t *types.Named) {
	e.objects[t.Obj()]++
	e.fields(t.Underlying().(*types.Struct), exhaustive.Tag{})
}

func (e *choices) fields(s *types.Struct, outer exhaustive.Tag) {
	for i := range s.NumFields() {
		tag, err := exhaustive.ParseTag(reflect.StructTag(s.Tag(i)).Get("exhaustive"))
		if err != nil {
			e.problem(s.Field(i).Pos(), err.Error(), "")
		}
		if tag.Skip || s.Field(i).Name() == "_" {
			continue
		}
		if !tag.Set {
			tag = outer
		}
		if !e.fill(s.Field(i).Type(), tag) {
			e.problem(s.Field(i).Pos(), fmt.Sprintf("%s: no domain for a %s", s.Field(i).Name(), e.original(s.Field(i).Type())), "tag the field `exhaustive:\"-\"`")
		}
	}
}

// fill reports whether there are values of type t to choose from.
func (e *choices) fill(t types.Type, tag exhaustive.Tag) bool {
	choose := func(lo, hi *exhaustive.Bound) int {
		if lo == nil {
			return e.c.Int(0, EverythingBound)
		}
		return e.c.Int(lo.Value(EverythingBound), hi.Value(EverythingBound))
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			e.c.Bool()
		case u.Info()&types.IsInteger != 0:
			choose(tag.Lo, tag.Hi)
		case u.Info()&types.IsString != 0:
			e.c.Int(0, EverythingBound)
		default:
			return false
		}
		return true
	case *types.Pointer:
		return e.point(u, tag)
	case *types.Slice:
		return e.elements(u.Elem(), tag, choose(tag.Least, tag.Most))
	case *types.Array:
		return e.elements(u.Elem(), tag, int(u.Len()))
	case *types.Struct:
		e.fields(u, tag)
		return true
	}
	return false
}

func (e *choices) elements(t types.Type, tag exhaustive.Tag, n int) bool {
	ok := true
	for range n {
		ok = e.fill(t, tag) && ok
	}
	return ok
}

func (e *choices) point(u *types.Pointer, tag exhaustive.Tag) bool {
	named, ok := types.Unalias(u.Elem()).(*types.Named)
	if !ok || !isStruct(named) {
		return false
	}
	n := min(e.objects[named.Obj()]+1, EverythingBound)
	i := 0
	if tag.NonNil {
		i = e.c.Choose("", n) + 1
	} else {
		i = e.c.Choose("", n+1)
	}
	if i > e.objects[named.Obj()] {
		e.object(named)
	}
	return true
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}
