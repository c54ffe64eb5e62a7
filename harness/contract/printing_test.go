package contract

import (
	"fmt"
	"testing"

	"foray.test/engine/seq"
)

var printingPlantings = []Planting{
	{`v0 := planted.NewMoney(3)`, "format-returns"},
}

var printingContracts = []contractCase{
	{"formats itself", "format-returns", ops("(*T).Format(fmt.State, rune)", panics), values(formatted{}), true},
	{"cannot format as a number", "format-returns", ops("(*T).Format(fmt.State, rune)", panics), values(formatted{verb: 'd'}), false},
	{"formats what cannot be printed", "format-returns", ops("(*T).Format(fmt.State, rune)", panics), values(formatted{of: unprintable{}}), true},
	{"calls a function of ours that panics", "format-returns", ops("(*T).Format(fmt.State, rune)", panics), values(formatted{verb: 'd', says: "foray"}), true},
	{"formats no nil", "format-returns", ops("(*T).Format(fmt.State, rune)", panics), values((*formatted)(nil)), true},
}

// formatted panics when it is formatted by verb; else it prints of.
type formatted struct {
	verb rune
	says string // when it panics
	of   any
}

func (f formatted) Format(st fmt.State, verb rune) {
	if verb == f.verb {
		panic(f.says)
	}
	fmt.Fprint(st, f.of)
}

// unprintable has a String that panics, which is its own affair.
type unprintable struct{}

func (unprintable) String() string { panic("no") }

func TestReturnsCalls(t *testing.T) {
	b, f := bind(nil)
	id := b.Add(seq.Method, "(*T).String() string", func(op *seq.Operation) { op.Callback = true })
	f.ops[id] = panics
	c := Bind(&b.Table)[0]
	if ok, _ := c.Holds(f, values(th(1))); !ok || f.n != 1 {
		t.Errorf("holds %v after %d calls, want true after 1", ok, f.n)
	}
	if c.Holds(f, values((*thing)(nil))); f.n != 1 {
		t.Error("called on nil")
	}
}
