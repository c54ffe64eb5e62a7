package usage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"foray.test/cmd/internal/profile"
	"foray.test/engine/seq"
)

// A Use says how far tests use a call as a finding does.
type Use int

// The uses, in order.
const (
	Untested Use = iota // nothing that uses the package could be read
	Uncalled            // no test calls the operation
	Called              // a test calls it, with other kinds of arguments
	Alike               // tests call it, or an operation with its parameters and results, with arguments of each of these kinds
)

// String returns the name of u, as docs/bench/labels.tsv has it.
func (u Use) String() string { return [...]string{"none", "uncalled", "called", "alike"}[u] }

// Of returns u as reports spell it, in a sentence about the operation name, which may be "it". It
// is empty for Untested.
func (u Use) Of(name string) string {
	switch u {
	case Uncalled:
		return "no test or user of the package calls " + name
	case Called:
		return "tests or users of the package call " + name + ", with other kinds of arguments"
	case Alike:
		return "tests or users of the package make calls with arguments of these kinds"
	}
	return ""
}

// Kinds holds the kinds of calls that tests make: which operations, with arguments of
// which kinds. A kind of argument is a class of literals (a negative number, an empty text),
// or what made the value, of arguments of which kinds.
type Kinds struct {
	table  *seq.Table
	usage  *Usage
	tested bool
	called map[string]bool // members
	kinds  map[string]bool // see argument
}

// Kinds returns the kinds of calls of u. A nil u has none.
func (u *Usage) Kinds(t *seq.Table) *Kinds {
	p := &Kinds{table: t, usage: u, called: map[string]bool{}, kinds: map[string]bool{}}
	if u == nil {
		return p
	}
	p.tested = u.Functions+u.Users > 0
	for i := range t.Ops {
		if o := u.operation(&t.Ops[i]); o != nil && o.Places() > 0 {
			p.called[t.Ops[i].Member] = true
		}
	}
	if parser, err := seq.NewParser(t); err == nil {
		for _, text := range u.Sequences {
			if steps, err := parser.Parse(text); err == nil {
				p.read(steps)
			}
		}
	}
	for _, l := range u.Literals {
		op := &t.Ops[l.Op]
		if l.Param >= len(op.Params) {
			continue
		}
		for _, text := range l.Texts {
			if lit, err := t.ParseLiteral(op.Params[l.Param], text); err == nil {
				p.kinds[p.argument(op, l.Param, literalKind(lit))] = true
			}
		}
	}
	return p
}

func (p *Kinds) read(s seq.Sequence) {
	for i := range s {
		if op := &p.table.Ops[s[i].Op]; op.API {
			for j, a := range s[i].Args {
				p.kinds[p.argument(op, j, p.kind(s, a, maxMaking))] = true
			}
		}
	}
}

// Use returns how tests use the last call of s.
func (p *Kinds) Use(s seq.Sequence) Use {
	if !p.tested || len(s) == 0 {
		return Untested
	}
	last := s[len(s)-1]
	op := &p.table.Ops[last.Op]
	alike := len(last.Args) > 0
	for j, a := range last.Args {
		alike = alike && p.kinds[p.argument(op, j, p.kind(s, a, maxMaking))]
	}
	switch {
	case alike:
		return Alike
	case p.called[op.Member]:
		return Called
	}
	return Uncalled
}

// Catches reports whether a test expects or survives a panic of the last call of s.
func (p *Kinds) Catches(s seq.Sequence) bool {
	if len(s) == 0 {
		return false
	}
	o := p.usage.operation(&p.table.Ops[s[len(s)-1].Op])
	return o != nil && o.CatchesPanic()
}

// operation returns the profile of an operation, nil if there is none.
func (u *Usage) operation(op *seq.Operation) *profile.Operation {
	if u == nil || u.Profile == nil || !op.API {
		return nil
	}
	return u.Profile.Operation(op.Name)
}

// argument names the fact that argument j of op, or of a sibling, has a kind. Variadic
// arguments are one parameter.
func (p *Kinds) argument(op *seq.Operation, j int, kind string) string {
	return fmt.Sprintf("%s %d: %s", p.siblings(op), min(j, len(op.Params)-1), kind)
}

// siblings names the operations that have the kind, parameters and results of op.
func (p *Kinds) siblings(op *seq.Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", op.Kind)
	for i, list := range [][]seq.TypeID{op.Params, op.Results} {
		b.WriteByte("()"[i])
		for _, id := range list {
			b.WriteString(p.typeName(id) + ",")
		}
	}
	return b.String()
}

// typeName is the name of a type without type arguments: a test may have others.
func (p *Kinds) typeName(id seq.TypeID) string {
	name, _, _ := strings.Cut(p.table.Types[id].Name, "[")
	return cmp.Or(name, p.table.Types[id].Name)
}

// maxMaking bounds how deep the making of an argument is looked at.
const maxMaking = 3

func (p *Kinds) kind(s seq.Sequence, a seq.Arg, depth int) string {
	if a.Lit != nil {
		return literalKind(a.Lit)
	}
	st := s[s.Maker(p.table, a.Slot)]
	op := &p.table.Ops[st.Op]
	if op.API || depth == 0 {
		return p.siblings(op)
	}
	var parts []string
	for _, arg := range st.Args {
		if part := p.kind(s, arg, depth-1); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d %d %s{%s}", op.Kind, op.Shape, p.typeName(op.Results[0]), strings.Join(parts, " "))
}

// large is the least number that counts as large.
const large = 1 << 16

// literalKind returns the class of a literal.
func literalKind(l *seq.Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "nil"
	case bool:
		return "bool"
	case int64:
		return numberKind(float64(v))
	case uint64:
		return numberKind(float64(v))
	case float64:
		return numberKind(v)
	case string:
		switch {
		case v == "":
			return "empty"
		case !utf8.ValidString(v):
			return "bytes"
		}
		return "text"
	}
	return "other"
}

func numberKind(v float64) string {
	switch {
	case math.IsNaN(v), math.IsInf(v, 0):
		return "no number"
	case v == 0:
		return "zero"
	case v <= -large:
		return "large negative"
	case v < 0:
		return "negative"
	case v >= large:
		return "large"
	}
	return "positive"
}
