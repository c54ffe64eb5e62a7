package contract

import (
	"go/parser"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// A builder makes small tables from signatures: "(*T).Get(int) (string, error)".
type builder struct {
	t  seq.Table
	by map[string]seq.TypeID
}

func newBuilder() *builder {
	b := &builder{by: map[string]seq.TypeID{}}
	b.t = seq.Table{Package: "example.org/p.v2", Name: "p", Types: make([]seq.Type, 1), Decls: []seq.Decl{{Name: "forayHeap"}}}
	return b
}

func (b *builder) typ(name string) seq.TypeID {
	if id, ok := b.by[name]; ok {
		return id
	}
	ty := seq.Type{Name: name, Interface: name == "any" || name == "error" || name == "io.Reader" || name == "p.I"}
	switch name {
	case "int", "int64", "p.Ordering", "p.Scheme":
		ty.Literal = seq.Int
	case "uint", "uint64":
		ty.Literal = seq.Uint
	case "float64":
		ty.Literal = seq.Float
	case "string":
		ty.Literal = seq.String
	case "bool":
		ty.Literal = seq.Bool
	}
	switch name {
	case "p.Ordering":
		ty.Constants = []int64{0, 1}
	case "p.Scheme":
		ty.Constants, ty.ZeroIsNone = []int64{1, 2}, true
	}
	ty.Nilable = ty.Interface || strings.ContainsAny(name[:1], "*[") || strings.HasPrefix(name, "map") || strings.HasPrefix(name, "func") || strings.HasPrefix(name, "chan")
	if _, err := parser.ParseExpr(name); err == nil {
		seqtest.Describe(&ty, paths)
	}
	id := seq.TypeID(len(b.t.Types))
	ty.Assignable = []seq.TypeID{id}
	b.by[name] = id
	b.t.Types = append(b.t.Types, ty)
	seqtest.Implement(&b.t, id, paths)
	return id
}

// paths has the import paths of the packages that tests name.
var paths = map[string]string{
	"p": "example.org/p.v2", "fs": "io/fs", "slog": "log/slog", "driver": "database/sql/driver", "sql": "database/sql",
	"json": "encoding/json", "xml": "encoding/xml", "gob": "encoding/gob", "big": "math/big", "rand": "math/rand", "heap": "container/heap",
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
	panic("no end: " + text)
}

// assignable says that from may stand where to is wanted.
func (b *builder) assignable(from, to string) {
	id := b.typ(to)
	b.t.Types[id].Assignable = append(b.t.Types[id].Assignable, b.typ(from))
}

// op adds an operation; mods change it.
func (b *builder) op(kind seq.Kind, sig string, mods ...func(*seq.Operation)) seq.OpID {
	open := strings.IndexByte(sig, '(')
	if strings.HasPrefix(sig, "(") {
		open = strings.IndexByte(sig[1:], '(') + 1
	}
	end := closing(sig, open)
	member, params, results := sig[:open], sig[open+1:end], strings.TrimSpace(sig[end+1:])
	if strings.HasPrefix(results, "(") {
		results = results[1 : len(results)-1]
	}
	op := seq.Operation{Name: "example.org/p.v2." + sig, Short: member, Kind: kind, API: kind == seq.Func || kind == seq.Method, Declaration: seq.Declaration{File: "p.go"}}
	if op.API {
		op.Member = member
	}
	var args []string
	if kind == seq.Method {
		recv, name, _ := strings.Cut(member, ").")
		recv = strings.TrimPrefix(recv, "(")
		star := strings.HasPrefix(recv, "*")
		recv = "p." + strings.TrimPrefix(recv, "*")
		if star {
			recv = "*" + recv
		}
		op.Params = append(op.Params, b.typ(recv))
		op.Template = "$0." + name
	} else {
		op.Template = "p." + member
	}
	for _, p := range list(params) {
		arg := "$" + strconv.Itoa(len(op.Params))
		if p, op.Variadic = strings.CutPrefix(p, "..."); op.Variadic {
			arg = "$*"
		}
		args = append(args, arg)
		op.Params = append(op.Params, b.typ(p))
	}
	op.Template += "(" + strings.Join(args, ", ") + ")"
	for _, r := range list(results) {
		op.Results = append(op.Results, b.typ(r))
		op.ReturnsError = r == "error"
	}
	for _, m := range mods {
		m(&op)
	}
	b.t.Ops = append(b.t.Ops, op)
	if kind == seq.Method {
		seqtest.Implement(&b.t, op.Params[0], paths)
		if ptr := b.by["*"+b.t.Types[op.Params[0]].Name]; ptr != 0 {
			seqtest.Implement(&b.t, ptr, paths)
		}
	}
	return seq.OpID(len(b.t.Ops) - 1)
}

// steps reads "New(2); Get(v0, nil)": operations by the end of their Short name.
func (b *builder) steps(tb testing.TB, text string) seq.Sequence {
	tb.Helper()
	var s seq.Sequence
	for _, call := range strings.Split(text, "; ") {
		open := strings.IndexByte(call, '(')
		id := b.find(tb, call[:open])
		st := seq.Step{Op: id}
		for i, a := range strings.Split(strings.TrimSuffix(call[open+1:], ")"), ", ") {
			if a != "" {
				st.Args = append(st.Args, b.arg(a, b.t.Ops[id].Param(i)))
			}
		}
		s = append(s, st)
	}
	return s
}

func (b *builder) find(tb testing.TB, name string) seq.OpID {
	tb.Helper()
	for i := range b.t.Ops {
		if short := b.t.Ops[i].Short; short == name || strings.HasSuffix(short, "."+name) {
			return seq.OpID(i)
		}
	}
	tb.Fatalf("no operation %q", name)
	return 0
}

func (b *builder) arg(a string, want seq.TypeID) seq.Arg {
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
		if b.t.Types[want].Literal == seq.Uint {
			l.Value = uint64(n)
		}
	} else {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil {
			panic("literal " + a)
		}
		l.Value = f
	}
	return seq.Lit(l)
}

// frames reads "(*T).get < (*T).Get": functions of the package; "/strings.Repeat"
// is of another, "_lit.func1" one of ours.
func frames(text string) []Frame {
	var fs []Frame
	for _, f := range strings.Split(text, " < ") {
		switch {
		case f == "":
		case f[0] == '/':
			fs = append(fs, Frame{Func: f[1:], File: "/goroot/x.go", Line: 3})
		case f[0] == '_':
			fs = append(fs, Frame{Func: "example.org/p%2ev2_test." + f[1:], File: "/tmp/foray_test.go", Line: 3})
		default:
			fs = append(fs, Frame{Func: "example.org/p%2ev2." + f, File: "/src/p.go", Line: 7})
		}
	}
	return fs
}

// rt is a run-time error with a text of the runtime's.
type rt string

func (e rt) Error() string { return string(e) }
func (e rt) RuntimeError() {}

// facts builds the facts of a case. Its arguments are the literals of the last step
// and the values of the known slots.
func (b *builder) facts(tb testing.TB, steps string, values []any, value any, stack string) Facts {
	tb.Helper()
	s := b.steps(tb, steps)
	last := s[len(s)-1]
	f := Facts{Table: &b.t, Op: last.Op, Value: value, Frames: frames(stack), Steps: s, Values: values}
	for _, a := range last.Args {
		switch {
		case a.Lit != nil:
			f.Args = append(f.Args, Describe(a.Lit.Value))
		case int(a.Slot) < len(values):
			f.Args = append(f.Args, Describe(values[a.Slot]))
		default:
			f.Args = append(f.Args, ArgFact{})
		}
	}
	return f
}

// without returns rules but for number i.
func without(rules []rule, i int) []rule {
	return append(append([]rule(nil), rules[:i]...), rules[i+1:]...)
}

func equalStrings(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// shape sets the shape of an operation.
func shape(s seq.Shape) func(*seq.Operation) { return func(op *seq.Operation) { op.Shape = s } }
