package contract

import (
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// making returns a Go expression that makes what a is anew, of literals alone, by functions and by
// expressions. It returns false if anything else has to do with it.
func (c *Call) making(a seq.Arg) (string, bool) {
	if a.Lit != nil {
		return c.text(a), true
	}
	i, _ := c.maker(a.Slot)
	st, op := &c.Steps[i], &c.Table.Ops[c.Steps[i].Op]
	switch op.Kind {
	case seq.Func, seq.Composite, seq.Elements, seq.Convert, seq.FuncLit, seq.Standard, seq.Const:
	default:
		return "", false
	}
	texts := make([]string, len(st.Args))
	for j, b := range st.Args {
		var ok bool
		if texts[j], ok = c.making(b); !ok {
			return "", false
		}
	}
	return expr(op, texts...), len(op.Results) == 1
}

// remade makes the value of argument a once more, by the step that made it. Later steps have not
// changed the copy. The arguments of that step are made once more, too.
func (c *Call) remade(a seq.Arg) (any, bool) {
	if a.Lit != nil {
		return a.Lit.Boxed, true
	}
	i, result := c.maker(a.Slot)
	args := make([]any, len(c.Steps[i].Args))
	for j, b := range c.Steps[i].Args {
		var ok bool
		if args[j], ok = c.remade(b); !ok {
			return nil, false
		}
	}
	results, panicked := c.Call(c.Steps[i].Op, args...)
	if panicked != nil || result >= len(results) {
		return nil, false
	}
	return results[result], true
}

// twins returns two values made as the call's receiver was, and the expression that
// makes one.
func (c *Call) twins() (x, y any, text string, ok bool) {
	a := c.step().Args[0]
	if text, ok = c.making(a); !ok {
		return nil, nil, "", false
	}
	x, okX := c.remade(a)
	y, okY := c.remade(a)
	return x, y, text, okX && okY && !blame.IsNil(x) && !blame.IsNil(y)
}
