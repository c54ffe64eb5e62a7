package catalog

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// factSource has a type of each form.
const factSource = `package form

import ("context"; "io"; "iter"; "hash"; "encoding/json"; "sync")

type (
	Set[K comparable] map[K]bool
	List []*Node
	Node struct{ Next *Node }
	Code int
	Less func(a, b Code) bool
	Plain struct{ n int }
	Company interface{ Hire() }
)

func (n *Node) Read(b []byte) (int, error)   { return 0, nil }
func (n *Node) Close() error                 { return nil }
func (n Node) String() string                { return "" }
func (c Code) MarshalText() ([]uint8, error) { return nil, nil }
func (c *Code) UnmarshalText([]byte) error   { return nil }
func (l List) Len() int                      { return 0 }
func (l List) Less(i, j int) bool            { return false }
func (l List) Swap(i, j int)                 {}
func (p Plain) Write(b string) (int, error)  { return 0, nil }

var (
	A Set[string]
	B List
	C *Node
	D Node
	E Code
	F *Code
	G Less
	H Plain
	I Company
	J []byte
	K []Company
	L iter.Seq2[int, string]
	M func(int, ...any) (string, error)
	N chan<- []Plain
	O [3]Code
	P context.Context
	Q io.ReadWriter
	R **Node
	S map[string]func(*Plain)
	T hash.Hash32
	U json.Unmarshaler
	V error
	W interface{ sync.Locker }
)
`

// facts writes the form of a type in the table.
func facts(ty *seq.Type) string {
	s := fmt.Sprintf("%v", ty.Kind)
	for _, f := range []struct{ name, text string }{
		{"", strings.TrimPrefix(ty.Path+"."+ty.Base, ".")}, {"elem ", ty.Elem}, {"key ", ty.Key},
		{"params ", strings.Join(ty.Params, ", ")}, {"results ", strings.Join(ty.Results, ", ")}, {"std ", ty.Std.String()},
	} {
		if f.text != "" {
			s += "; " + f.name + f.text
		}
	}
	if ty.Iterator {
		s += "; iterator"
	}
	return s
}

// checkFacts type-checks source and describes the variables of the package.
func checkFacts(t *testing.T, path, source string) (*finder, map[string]types.Type) {
	t.Helper()
	s := checkSource(t, path, source)
	vars := map[string]types.Type{}
	for _, name := range s.Types.Scope().Names() {
		if v, ok := s.Types.Scope().Lookup(name).(*types.Var); ok {
			vars[name] = v.Type()
		}
	}
	f, err := newFinder(s.Input)
	if err != nil {
		t.Fatal(err)
	}
	return f, vars
}

func TestTypeFacts(t *testing.T) {
	cache.load(t, ".", "hash", "encoding/json", "context", "io", "iter", "sync")
	f, vars := checkFacts(t, "example.com/form", factSource)
	for name, want := range map[string]string{
		"A": "map; example.com/form.Set; elem bool; key string",
		"B": "slice; example.com/form.List; elem *form.Node; std sort.Interface",
		"C": "pointer; example.com/form.Node; elem form.Node; std fmt.Stringer io.Reader io.Closer",
		"D": "struct; example.com/form.Node; std fmt.Stringer",
		"E": "basic; example.com/form.Code; std encoding.TextMarshaler",
		"F": "pointer; example.com/form.Code; elem form.Code; std encoding.TextMarshaler encoding.TextUnmarshaler",
		"G": "func; example.com/form.Less; params form.Code, form.Code; results bool",
		"H": "struct; example.com/form.Plain",
		"I": "interface; example.com/form.Company",
		"J": "slice; elem byte",
		"K": "slice; elem form.Company",
		"L": "func; iter.Seq2; params func(int, string) bool; iterator",
		"M": "func; params int, ...any; results string, error",
		"N": "chan; elem []form.Plain",
		"O": "array; elem form.Code",
		"P": "interface; context.Context; std context.Context",
		"Q": "interface; io.ReadWriter; std io.Reader io.Writer",
		"R": "pointer; example.com/form.Node; elem *form.Node",
		"S": "map; elem func(*form.Plain); key string",
		"T": "interface; hash.Hash32; std io.Writer hash.Hash hash.Hash32",
		"U": "interface; encoding/json.Unmarshaler; std encoding/json.Unmarshaler",
		"V": "interface; error; std error",
		"W": "interface; std sync.Locker",
	} {
		var ty seq.Type
		f.describe(&ty, vars[name])
		if got := facts(&ty); got != want {
			t.Errorf("%s %v:\n got %s\nwant %s", name, vars[name], got, want)
		}
	}
}

// The text of signatures agrees with go/types: for each type of these packages, and
// the pointer to it.
func TestImplementedIsImplements(t *testing.T) {
	paths := []string{
		"bufio", "bytes", "container/heap", "context", "crypto/sha256", "database/sql", "encoding/gob", "encoding/json", "encoding/xml",
		"flag", "hash/crc32", "io", "io/fs", "log/slog", "math/big", "math/rand", "net/netip", "sort", "strings", "sync", "testing/fstest", "time",
	}
	cache.load(t, ".", append(paths, "database/sql/driver", "encoding", "fmt", "hash")...)
	s := checkSource(t, "example.com/q", "package q")
	var ifaces []*types.Interface
	for i := range 64 {
		name := seq.Std(1 << i).String()
		if name == "" {
			break
		}
		var obj types.Object
		if dot := strings.LastIndexByte(name, '.'); dot < 0 {
			obj = types.Universe.Lookup(name)
		} else if p, err := s.imp.Import(name[:dot]); err != nil {
			t.Fatal(err)
		} else {
			obj = p.Scope().Lookup(name[dot+1:])
		}
		ifaces = append(ifaces, obj.Type().Underlying().(*types.Interface))
	}
	compared := 0
	for _, path := range paths {
		p, err := s.imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			obj, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			if named, ok := types.Unalias(obj.Type()).(*types.Named); !ok || named.TypeParams().Len() > 0 {
				continue
			}
			for _, typ := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
				got := implemented(typ)
				for i, iface := range ifaces {
					if bit := seq.Std(1 << i); got.Has(bit) != types.Implements(typ, iface) {
						t.Errorf("%v: %v is %v", typ, bit, got.Has(bit))
					}
				}
				compared++
			}
		}
	}
	if compared < 300 || len(ifaces) != 46 {
		t.Errorf("%d types, %d interfaces", compared, len(ifaces))
	}
}

// TestOperationFacts has operations tell by themselves what readers would else find in their texts.
func TestOperationFacts(t *testing.T) {
	c := findSource(t, `
type List[T any] struct{ N []T; M int; n int }
func New() *List[int] { return nil }
func (l *List[T]) Put(...T) {}
func (l *List[T]) At(i int) int { if i < 0 { panic("i") }; return 0 }
// Get panics if i is negative: it calls panic(i).
func (l *List[T]) Get(i int) int { if i < 0 { panic(i) }; return 0 }
//foray:expect panic
func (l *List[T]) Pop(i int) int { if i < 0 { panic(i) }; return 0 }
func Of[K comparable, V any](k K, v V) {}
var Limit = 3
`)
	for _, test := range []struct{ short, want string }{
		{"New", "New [] [] false"},
		{"(*List[int]).Put", "Put [int] [] false"},
		{"(*List[int]).Put...", "Put [int] [] false"},
		{"(*List[int]).At", "At [int] [] true"},
		{"(*List[int]).Get", "Get [int] [] false"},
		{"(*List[int]).Pop", "Pop [int] [] false"},
		{"Of[string, int]", "Of [string int] [] false"},
		{"(List).M", " [] [M] false"},
		{"(*List).M =", " [] [M] false"},
		{"&shop.List[int]{N: $0, M: $1}", " [] [N M] false"},
		{"shop.Limit", " [] [shop.Limit] false"},
		{"shop.Limit = $0", " [] [shop.Limit] false"},
	} {
		op := operationOf(t, c, test.short)
		if got := fmt.Sprint(op.Base, " ", op.TypeArgs, " ", op.Vars, " ", op.Pre.Guard); got != test.want {
			t.Errorf("%s: %q, want %q", test.short, got, test.want)
		}
	}
}
