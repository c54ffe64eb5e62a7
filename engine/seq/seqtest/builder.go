package seqtest

import (
	"go/parser"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// A Builder makes the table of a small package p from signatures such as
// "(*T).Get(int) (string, error)", and sequences of its operations from text:
//
//	b := seqtest.NewBuilder()
//	b.Add(seq.Func, "New(int) *p.T")
//	b.Add(seq.Method, "(*T).Get(int) (string, error)")
//	s := b.Steps("New(2); Get(v0, 1)")
//
// Types of p are structs, with three exceptions. p.I is an interface. p.Ordering is an integer with
// the constants 0 and 1. p.Scheme is one with the constants 1 and 2, whose zero is no value.
// A signature or sequence that cannot be read makes it panic.
type Builder struct {
	Table seq.Table
	types map[string]seq.TypeID // by name
}

// NewBuilder returns a Builder of a package without operations.
func NewBuilder() *Builder {
	b := &Builder{types: map[string]seq.TypeID{}}
	b.Table = seq.Table{Package: "example.org/p.v2", Name: "p", Types: make([]seq.Type, 1), Decls: []seq.Decl{{Name: "forayHeap"}}}
	return b
}

// Type returns the type of that name, as it is written outside package p. It adds the type if
// there is none.
func (b *Builder) Type(name string) seq.TypeID {
	if id, ok := b.types[name]; ok {
		return id
	}
	ty := seq.Type{Name: name, Interface: name == "any" || name == "error" || name == "io.Reader" || name == "p.I"}
	ty.Literal, _ = seq.LiteralOf(name, 64)
	switch name {
	case "p.Ordering":
		ty.Literal, ty.Constants = seq.Int, []int64{0, 1}
	case "p.Weekday":
		ty.Literal, ty.Constants = seq.Int, []int64{1, 2, 3, 4, 5, 6, 7}
	case "p.Scheme":
		ty.Literal, ty.Constants, ty.ZeroIsNone = seq.Int, []int64{1, 2}, true
	}
	ty.Nilable = ty.Interface || strings.ContainsAny(name[:1], "*[") || strings.HasPrefix(name, "map") || strings.HasPrefix(name, "func") || strings.HasPrefix(name, "chan")
	if _, err := parser.ParseExpr(name); err == nil {
		Describe(&ty, paths)
	}
	id := seq.TypeID(len(b.Table.Types))
	ty.Assignable = []seq.TypeID{id}
	b.types[name] = id
	b.Table.Types = append(b.Table.Types, ty)
	Implement(&b.Table, id, paths)
	return id
}

// Assignable says that from may stand where to is wanted.
func (b *Builder) Assignable(from, to string) {
	id := b.Type(to)
	b.Table.Types[id].Assignable = append(b.Table.Types[id].Assignable, b.Type(from))
}

// paths has the import paths of the packages that tests name.
var paths = map[string]string{
	"p": "example.org/p.v2", "fs": "io/fs", "slog": "log/slog", "driver": "database/sql/driver", "sql": "database/sql",
	"json": "encoding/json", "xml": "encoding/xml", "gob": "encoding/gob", "big": "math/big", "rand": "math/rand", "heap": "container/heap",
}

// Add adds an operation with a signature, as changes alter it, and returns its number.
func (b *Builder) Add(kind seq.Kind, sig string, changes ...func(*seq.Operation)) seq.OpID {
	member, params, results := cutSignature(sig)
	op := seq.Operation{Name: "example.org/p.v2." + sig, Short: member, Kind: kind, API: kind == seq.Func || kind == seq.Method, Declaration: seq.Declaration{File: "p.go"}}
	if op.API {
		op.Member = member
	}
	if op.API || kind == seq.Check {
		op.Base = member[strings.LastIndexByte(member, '.')+1:]
	}
	if kind == seq.Method {
		recv, name, _ := strings.Cut(member, ").")
		typ, pointer := strings.CutPrefix(strings.TrimPrefix(recv, "("), "*")
		if typ = "p." + typ; pointer {
			typ = "*" + typ
		}
		op.Params = append(op.Params, b.Type(typ))
		op.Template = "$0." + name
	} else {
		op.Template = "p." + member
	}
	var args []string
	for _, p := range list(params) {
		arg := "$" + strconv.Itoa(len(op.Params))
		if p, op.Variadic = strings.CutPrefix(p, "..."); op.Variadic {
			arg = "$*"
		}
		args = append(args, arg)
		op.Params = append(op.Params, b.Type(p))
	}
	op.Template += "(" + strings.Join(args, ", ") + ")"
	for _, r := range list(results) {
		op.Results = append(op.Results, b.Type(r))
		op.ReturnsError = r == "error"
	}
	for _, change := range changes {
		change(&op)
	}
	b.Table.Ops = append(b.Table.Ops, op)
	if kind == seq.Method {
		Implement(&b.Table, op.Params[0], paths)
		if ptr := b.types["*"+b.Table.Types[op.Params[0]].Name]; ptr != 0 {
			Implement(&b.Table, ptr, paths)
		}
	}
	return seq.OpID(len(b.Table.Ops) - 1)
}

// cutSignature splits "(*T).Get(int) (string, error)" into "(*T).Get", "int" and "string, error".
func cutSignature(sig string) (member, params, results string) {
	open := strings.IndexByte(sig, '(')
	if strings.HasPrefix(sig, "(") {
		open = strings.IndexByte(sig[1:], '(') + 1
	}
	end := closing(sig, open)
	results = strings.TrimSpace(sig[end+1:])
	if strings.HasPrefix(results, "(") {
		results = results[1 : len(results)-1]
	}
	return sig[:open], sig[open+1 : end], results
}

// list splits "func(int, T) bool, error" at the commas that no parenthesis or bracket encloses.
func list(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range text + "," {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if part := strings.TrimSpace(text[start:i]); depth == 0 && part != "" {
				parts = append(parts, part)
			}
			if depth == 0 {
				start = i + 1
			}
		}
	}
	return parts
}

// closing returns the index of the parenthesis that closes the one at open.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic("seqtest: no end: " + text)
}

// Steps reads a sequence, "New(2); Get(v0, nil)": it finds operations by the end of their Short name.
func (b *Builder) Steps(text string) seq.Sequence {
	var s seq.Sequence
	for _, call := range strings.Split(text, "; ") {
		open := strings.IndexByte(call, '(')
		id := b.Find(call[:open])
		st := seq.Step{Op: id}
		for i, a := range strings.Split(strings.TrimSuffix(call[open+1:], ")"), ", ") {
			if a != "" {
				st.Args = append(st.Args, b.arg(a, b.Table.Ops[id].Param(i)))
			}
		}
		s = append(s, st)
	}
	return s
}

// Find returns the operation with that Short name, or the first whose Short name ends in a dot
// and name.
func (b *Builder) Find(name string) seq.OpID {
	for i := range b.Table.Ops {
		if short := b.Table.Ops[i].Short; short == name || strings.HasSuffix(short, "."+name) {
			return seq.OpID(i)
		}
	}
	panic("seqtest: no operation " + name)
}

func (b *Builder) arg(a string, want seq.TypeID) seq.Arg {
	l := &seq.Literal{Type: want}
	if n, err := strconv.Atoi(strings.TrimPrefix(a, "v")); err == nil && a[0] == 'v' {
		return seq.Slot(n)
	}
	if a == "nil" {
		return seq.Lit(l)
	}
	if s, err := strconv.Unquote(a); err == nil {
		l.Value = s
	} else if n, err := strconv.ParseInt(a, 10, 64); err == nil {
		l.Value = n
		if b.Table.Types[want].Literal == seq.Uint {
			l.Value = uint64(n)
		}
	} else {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil {
			panic("seqtest: literal " + a)
		}
		l.Value = f
	}
	if b.Table.Types[want].IsAny() { // as Go has it, the constant has its default type
		l.Type = b.Type(defaultType(l.Value))
	}
	return seq.Lit(l)
}

// defaultType returns the name of the default type of an untyped constant.
func defaultType(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "float64"
	}
	return "int"
}

// Shaped returns a change for [Builder.Add] that sets the shape of an operation.
func Shaped(s seq.Shape) func(*seq.Operation) { return func(op *seq.Operation) { op.Shape = s } }
