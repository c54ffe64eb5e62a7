package contract

import "testing"

// A value is made anew by its functions. A method is no part of an expression that makes it.
func TestRemade(t *testing.T) {
	b, f := bind(ops("NewT(int) *p.T", func(a []any) any { return th(at(a, 0)) }, "Pair(*p.T, *p.T) *p.T", func(a []any) any { return &[2]any{a[0], a[1]} },
		"(*T).Self() *p.T", func(a []any) any { return a[0] }, "Fails() *p.T", panics, "(*T).Do()", func([]any) any { return many{} }))
	for _, tt := range []struct {
		steps, text string // "": no expression makes it
		made        bool
	}{
		{"NewT(3); Do(v0)", "p.NewT(int(3))", true},
		{"NewT(3); Pair(v0, v0); Do(v1)", "p.Pair(p.NewT(int(3)), p.NewT(int(3)))", true},
		{"NewT(3); NewT(3); Pair(v0, v1); Do(v2)", "p.Pair(p.NewT(int(3)), p.NewT(int(3)))", true},
		{"NewT(3); Self(v0); Do(v1)", "", true},
		{"Fails(); Do(v0)", "p.Fails()", false},
	} {
		c := &Call{Caller: f, Table: &b.Table, Steps: boxed(b, tt.steps)}
		arg := c.step().Args[0]
		if text, ok := c.making(arg); ok != (tt.text != "") || ok && text != tt.text {
			t.Errorf("%s: made by %q, %v, want %q", tt.steps, text, ok, tt.text)
		}
		if _, ok := c.remade(arg); ok != tt.made {
			t.Errorf("%s: made anew: %v, want %v", tt.steps, ok, tt.made)
		}
		if x, y, _, ok := c.twins(); ok != (tt.text != "" && tt.made) || ok && x == y {
			t.Errorf("%s: twins %v and %v, %v", tt.steps, x, y, ok)
		}
	}
}
