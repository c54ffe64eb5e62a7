// Package driver turns sequences of calls into functions of their literals, so that
// concolic execution can solve for the literals.
package driver

import (
	"fmt"
	"strings"

	"foray.test/engine/seq"
)

// A Driver is a function that makes the calls of a sequence. Its parameters are the
// literals of the sequence, but for floating-point and complex numbers, nil, and long text.
type Driver struct {
	// Source is a file of Go with the function [Name]. Not all of its variables are used.
	Source string
	// Values are the arguments that make the calls of the sequence itself: bool, int64,
	// uint64 or string.
	Values []any

	steps  seq.Sequence
	places []place
}

// place is an argument of a step.
type place struct{ step, arg int }

// Name is the name of the functions.
const Name = "Run"

// MaxText bounds the strings that become parameters, in bytes: each byte is a variable.
const MaxText = 48

// New returns the driver of a sequence.
func New(t *seq.Table, s seq.Sequence) *Driver {
	d := &Driver{steps: s}
	var params []string
	body := t.AppendAs(nil, s, func(dst []byte, i, j int, h seq.Hole) []byte {
		l := s[i].Args[j].Lit
		want := t.Ops[s[i].Op].Param(j)
		if !solvable(t, l) {
			return t.AppendLiteral(dst, l, want, h)
		}
		name := fmt.Sprintf("p%d", len(params))
		params = append(params, name+" "+t.Types[l.Type].Name)
		d.Values, d.places = append(d.Values, l.Value), append(d.places, place{i, j})
		if wrap := t.Wrap(h, l.Type, want); wrap != "" {
			name = wrap + name + ")"
		}
		return append(dst, name...)
	})
	var b strings.Builder
	b.WriteString("package sequence\n\nimport (\n")
	code := fmt.Sprintf("func %s(%s) {\n%s\n}\n", Name, strings.Join(params, ", "), body)
	for _, im := range append(t.Imports[:len(t.Imports):len(t.Imports)], seq.Import{Name: "math", Path: "math"}) {
		if strings.Contains(code, im.Name+".") {
			fmt.Fprintf(&b, "\t%s %q\n", im.Name, im.Path)
		}
	}
	b.WriteString(")\n\n" + code)
	d.Source = b.String()
	return d
}

// solvable reports whether a literal can be a parameter.
func solvable(t *seq.Table, l *seq.Literal) bool {
	if t.Types[l.Type].Hidden {
		return false
	}
	switch v := l.Value.(type) {
	case bool, int64, uint64:
		return true
	case string:
		return len(v) <= MaxText
	}
	return false
}

// Sequence returns the sequence with other values for its literals, in the order of Values.
func (d *Driver) Sequence(values []any) seq.Sequence {
	s := d.steps.Clone()
	for i, p := range d.places {
		a := &s[p.step].Args[p.arg]
		if a.Lit.Value != values[i] {
			a.Lit = &seq.Literal{Type: a.Lit.Type, Value: values[i]}
		}
	}
	return s
}
