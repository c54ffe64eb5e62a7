package values

import (
	"context"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"testing"

	"foray.test/cmd/internal/consumer"
	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

const source = `package conf

type Level uint8

type Server struct {
	Host string
	Port uint16
}

type Config struct {
	Name    string
	Level   Level
	Main    Server
	Backup  *Server
	Data    []byte
	Tags    []string
	Labels  map[string]int
	hidden  int
}

type Pair[T any] struct{ A, B T }

type Size int

func Use(c *Config, n int) {}

func UseServer(s Server) {}

type Wave struct {
	Gain  complex128
	Turns int
}

func UseWave(w Wave) {}
`

// loaded returns the package of source, and its table.
func loaded(t *testing.T) (*types.Package, *seq.Table) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "conf.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	imp := importer.ForCompiler(fset, "source", nil)
	pkg, err := (&types.Config{Importer: imp}).Check("m.test/conf", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Find(catalog.Input{Types: pkg, Fset: fset, Files: []*ast.File{f}, Info: info, Importer: imp})
	if err != nil {
		t.Fatal(err)
	}
	return pkg, &c.Table
}

func value(typ types.Type, basic any) consumer.Value { return consumer.Value{Type: typ, Basic: basic} }

func TestBuild(t *testing.T) {
	pkg, table := loaded(t)
	named := func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
	str := types.Typ[types.String]
	field := func(name string, v consumer.Value) consumer.Field { return consumer.Field{Name: name, Value: v} }
	server := consumer.Value{Type: named("Server"), Fields: []consumer.Field{field("Host", value(str, "h")), field("Port", value(types.Typ[types.Uint16], uint64(80)))}}
	config := func(fields ...consumer.Field) consumer.Value {
		return consumer.Value{Type: named("Config"), Fields: fields}
	}
	bytes := consumer.Value{Type: types.NewSlice(types.Typ[types.Byte])}
	for _, c := range "hi" {
		bytes.Elems = append(bytes.Elems, value(types.Typ[types.Byte], uint64(c)))
	}
	for _, tt := range []struct {
		name string
		v    consumer.Value
		want []string // in the text of the steps
		call string
		cut  bool
	}{
		{"a struct", server, []string{`"h"`, "80"}, "conf.UseServer(", false},
		{"a pointer to a struct", config(field("Name", value(str, "n"))), []string{`"n"`}, "conf.Use(", false},
		{"a zero value", config(), []string{"&conf.Config{"}, "conf.Use(", false},
		{"a field that is a struct", config(field("Main", server)), []string{`"h"`}, "conf.Use(", false},
		{"a field that is a pointer", config(field("Backup", consumer.Value{Type: types.NewPointer(named("Server")), Elems: []consumer.Value{server}})), []string{`"h"`}, "conf.Use(", false},
		{"bytes", config(field("Data", bytes)), []string{`"hi"`}, "conf.Use(", false},
		{"a slice", config(field("Tags", consumer.Value{Type: types.NewSlice(str), Elems: []consumer.Value{value(str, "x"), value(str, "y")}})), []string{`"x"`, `"y"`}, "conf.Use(", false},
		{"a map", config(field("Labels", consumer.Value{Type: types.NewMap(str, types.Typ[types.Int]), Keys: []consumer.Value{value(str, "x"), value(str, "y")}, Elems: []consumer.Value{value(types.Typ[types.Int], int64(7)), value(types.Typ[types.Int], int64(8))}})), []string{`"x", 7, "y", 8`}, "conf.Use(", false},
		{"a zero that is complex", consumer.Value{Type: named("Wave"), Fields: []consumer.Field{field("Turns", value(types.Typ[types.Int], int64(7)))}}, []string{"Turns: 7"}, "conf.UseWave(", false},
		{"a field nobody sets", config(field("Gone", value(str, "x"))), nil, "conf.Use(", true},
	} {
		b := NewBuilder(table, engine.NewPool(table), nil)
		steps, calls, ok := b.Build(tt.v)
		if !ok || len(calls) == 0 {
			t.Errorf("%s: %d calls, %v", tt.name, len(calls), ok)
			continue
		}
		text := table.String(append(steps, calls[0]))
		for _, want := range append(tt.want, tt.call) {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %s in\n%s", tt.name, want, text)
			}
		}
		if b.Cut != tt.cut {
			t.Errorf("%s: cut %v, want %v, in\n%s", tt.name, b.Cut, tt.cut, text)
		}
	}
	b := NewBuilder(table, engine.NewPool(table), nil)
	if steps, _, ok := b.Build(value(types.Typ[types.Complex64], nil)); ok {
		t.Errorf("a type that the table does not have: %s", table.String(steps))
	}
	all := make([]seq.OpID, len(table.Ops))
	for i := range all {
		all[i] = seq.OpID(i)
	}
	if steps, calls, ok := NewBuilder(table, engine.NewPool(table), all).Build(server); ok && len(steps)+len(calls) > 0 {
		t.Errorf("without operations: %s", table.String(steps))
	}
}

func TestStruct(t *testing.T) {
	pkg, _ := loaded(t)
	for name, ok := range map[string]bool{"Config": true, "Server": true, "Level": false, "Pair": false, "Use": false, "None": false} {
		typ, err := Struct(pkg, name)
		if (err == nil) != ok || ok && typ != pkg.Scope().Lookup(name).Type() {
			t.Errorf("%s: %v, %v", name, typ, err)
		}
	}
}

// fakeBench runs every sequence, but for calls of UseServer, which fail.
type fakeBench struct {
	corpusadmin.Bench
	table *seq.Table
}

func (b fakeBench) Study(_ context.Context, s seq.Sequence) (replay.Study, error) {
	st := replay.Study{Sides: []int32{int32(len(s))}, State: uint64(len(s))}
	if strings.HasPrefix(b.table.Ops[s[len(s)-1].Op].Short, "UseServer") {
		st.Verdict = new(engine.Verdict)
	}
	return st, nil
}

func (b fakeBench) StudyAll(context.Context, []seq.Sequence, func(int, replay.Study)) error {
	return nil
}
func (b fakeBench) Close() {}

func TestImport(t *testing.T) {
	pkg, table := loaded(t)
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &corpusadmin.Corpus{Path: "m.test/conf", Store: st, Table: table, NewBench: func() corpusadmin.Bench { return fakeBench{table: table} }, Out: event.NewPrinter(t.Output(), t.Output(), event.Options{})}
	a, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	typ, err := Struct(pkg, "Server")
	if err != nil {
		t.Fatal(err)
	}
	e := &event.ImportedValues{}
	data := "\x00\x00\x00\x04host\x01\x50" + strings.Repeat("x", 16)
	for _, in := range []string{data, data, "go test fuzz v1\n[]byte(\"" + strings.Trim(strconv.Quote(data), `"`) + "\")\n", ""} {
		if err := Import(t.Context(), NewBuilder(table, engine.NewPool(table), nil), a, []byte(in), typ, e); err != nil {
			t.Fatal(err)
		}
	}
	if e.Added != 1 || e.Known != 2 || e.Short != 1 || e.Bad != 0 {
		t.Errorf("got %+v, want one added, the same twice, and one that is short", e)
	}
}
