package usage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/cmd/internal/load"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

const queueSource = `// Package queue has queues.
package queue

import (
	"container/list"
	"io"
	"strings"
	"time"
)

func Walk(l *list.List) {}

// Event has more fields than a literal of the table sets.
type Event struct {
	Name          string
	A, B, C, D, E int
	Tags          []string
	Start         time.Time
	Last          int
}

func (e Event) hide(s Shape) {}

func Decode(text string, to any) error { return nil }

func Schedule(e Event) int { return e.Last }

func At(t time.Time) int { return t.Year() }

type Options struct {
	Name string
	Size int
	Tags []string
	less func(a, b string) bool
}

type Queue struct{ items []string }

func New(n int) *Queue { return &Queue{make([]string, 0, max(n, 0))} }

func NewWith(o Options) *Queue { return New(o.Size) }

func NewBy(less func(a, b string) bool) *Queue { return New(0) }

func (q *Queue) Put(s string) { q.items = append(q.items, s) }

func (q *Queue) PutAll(list ...string) { q.items = append(q.items, list...) }

func (q *Queue) Get() (string, bool) {
	if len(q.items) == 0 {
		return "", false
	}
	return q.items[0], true
}

func (q *Queue) Must() string { return q.items[0] }

func (q *Queue) Len() int { return len(q.items) }

func (q *Queue) Visit(f func(q *Queue) int) int { return f(q) }

func (q *Queue) Same(o *Queue) bool { return q.Len() == o.Len() }

// Shape has no value of a type that the tests can write.
type Shape interface{ area() int }

func (q *Queue) PutShape(s Shape) {}

func Parse(s string) (*Queue, error) { return New(len(strings.Fields(s))), nil }

func ParseBytes(b []byte) (*Queue, error) { return Parse(string(b)) }

func Read(r io.Reader) (*Queue, error) { return New(0), nil }

type Box[K comparable, V any] struct{ m map[K]V }

func NewBox[K comparable, V any]() *Box[K, V] { return &Box[K, V]{map[K]V{}} }

func (b *Box[K, V]) Set(k K, v V) { b.m[k] = v }
`

const header = `package queue

import (
	"container/list"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var _ = fmt.Sprint
var _ = list.New
var _ = rand.New
var _ = time.Now
var _ = strings.Repeat
`

// read reads the tests of queueSource with some test functions, of the package itself and of
// the external test package.
func read(t *testing.T, own, external string) (*Usage, *seq.Table) {
	t.Helper()
	return readPackage(t, loadQueue(t, own, external))
}

// readPackage reads the tests of a package.
func readPackage(t *testing.T, p *load.Package) (*Usage, *seq.Table) {
	t.Helper()
	var tests []load.Tests
	c, err := catalog.Find(catalog.Input{
		Types: p.Types, Fset: p.Fset, Files: p.Files, Info: p.Info, TestFiles: p.TestFiles, Importer: p.Importer,
		Handed: func() catalog.Handed {
			tests = p.CheckTests(t.Context())
			return Handed(p, tests)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	u := Read(p, tests, nil, &c.Table)
	for _, text := range u.Sequences {
		if _, err := c.Table.Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	return u, &c.Table
}

// loadQueue loads queueSource with some test functions.
func loadQueue(t *testing.T, own, external string) *load.Package {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module m.test/queue\n\ngo 1.24\n")
	writeQueue(t, dir, own)
	if external != "" {
		h := strings.Replace(header, "package queue", "package queue_test", 1)
		write(t, filepath.Join(dir, "external_test.go"), strings.Replace(h, "import (", "import (\n\t\"m.test/queue\"", 1)+external)
	}
	return loadAll(t, dir)[0]
}

// loadQueues loads queueSource once for each of some test functions. One listing serves them all.
func loadQueues(t *testing.T, own []string) []*load.Package {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module m.test\n\ngo 1.24\n")
	for i, text := range own {
		writeQueue(t, filepath.Join(dir, fmt.Sprintf("%03d", i)), text)
	}
	pkgs := loadAll(t, dir)
	if len(pkgs) != len(own) {
		t.Fatalf("%d packages, want %d", len(pkgs), len(own))
	}
	for i, p := range pkgs {
		if want := fmt.Sprintf("m.test/%03d", i); p.Path != want {
			t.Fatalf("package %d is %s, want %s", i, p.Path, want)
		}
	}
	return pkgs
}

// writeQueue writes queueSource, and test functions of its package, into a directory.
func writeQueue(t *testing.T, dir, own string) {
	t.Helper()
	write(t, filepath.Join(dir, "queue.go"), queueSource)
	if own != "" {
		write(t, filepath.Join(dir, "queue_test.go"), header+own)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func loadAll(t *testing.T, dir string) []*load.Package {
	t.Helper()
	pkgs, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// Calls of another package that fill a value for the package are steps, and no places of the profile.
func TestReadOutside(t *testing.T) {
	u, table := read(t, "", `
func fill() *list.List {
	l := list.New()
	l.PushBack("a")
	l.PushFront(1)
	return l
}

func TestWalk(t *testing.T) {
	queue.Walk(fill())
	l := list.New()
	l.PushBack("unused")
	if l.Len() != 1 {
		t.Error(l.Len())
	}
}
`)
	want := []string{`v0 := list.New(); v1 := v0.PushBack("a"); v2 := v0.PushFront(1); queue.Walk(v0)`}
	if !slices.Equal(u.Sequences, want) {
		t.Errorf("%q", u.Sequences)
	}
	if u.Places != 1 || u.Dropped != 0 {
		t.Errorf("%d places, %d dropped", u.Places, u.Dropped)
	}
	if list := table.OpsThat((*seq.Operation).Outside); len(list) != 2 {
		t.Errorf("%d calls of package list", len(list))
	}
}

// Calls of other packages are counted, by their names and whether their results are dropped. Those
// that return another value each time are left out.
func TestOutsideCalls(t *testing.T) {
	p := loadQueue(t, `
func TestX(t *testing.T) {
	l := list.New()
	l.PushBack(rand.Int())
	if e := l.PushBack(time.Now()); e == nil || strings.ToUpper("a") == "" {
		t.Error(e)
	}
	rand.New(rand.NewPCG(1, 2)).IntN(3)
	New(1).Put("a")
}
`, "")
	want := []catalog.Call{
		{Path: "container/list", Type: "List", Name: "PushBack", Discarded: true}, {Path: "math/rand/v2", Type: "Rand", Name: "IntN", Discarded: true}, {Path: "container/list", Name: "New"},
		{Path: "strings", Name: "ToUpper"}, {Path: "math/rand/v2", Name: "New"}, {Path: "math/rand/v2", Name: "NewPCG"},
	}
	if got := Handed(p, p.CheckTests(t.Context())).Calls; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// All functions of other packages of the module are read, after the tests.
func TestReadUsers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module m.test\n\ngo 1.24\n",
		"queue/queue.go": queueSource,
		"app/app.go": `package app

import "m.test/queue"

type App struct{ q *queue.Queue }

func start(size int) *App { return &App{queue.New(size)} }

func (a *App) Run() {
	q := queue.New(5)
	q.Put("job")
	a.q.Put("other")
}
`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./queue"}})
	if err != nil {
		t.Fatal(err)
	}
	p := pkgs[0]
	c, err := catalog.Find(catalog.Input{Types: p.Types, Fset: p.Fset, Files: p.Files, Info: p.Info, Importer: p.Importer})
	if err != nil {
		t.Fatal(err)
	}
	users, problems := p.CheckUsers(t.Context(), nil)
	u := Read(p, p.CheckTests(t.Context()), users, &c.Table)
	want := []string{`v0 := queue.New(5); v0.Put("job")`}
	if u.Functions != 0 || u.Users != 2 || !slices.Equal(u.Sequences, want) || len(problems) > 0 {
		t.Errorf("%d tests, %d functions, sequences %q, want %q; problems %v", u.Functions, u.Users, u.Sequences, want, problems)
	}
}

func TestSequences(t *testing.T) {
	cases := []struct {
		name, body string
		want       []string
	}{
		{"straight", `q := New(2); q.Put("x"); if got := q.Len(); got != 1 { t.Errorf("Len = %d", got) }`,
			[]string{`v0 := queue.New(2); v0.Put("x"); v1 := v0.Len()`}},
		{"two values that do not meet", `a, b := New(1), New(2); a.Put("a"); b.Put("b")`,
			[]string{`v0 := queue.New(1); v0.Put("a")`, `v0 := queue.New(2); v0.Put("b")`}},
		{"two values that meet", `a, b := New(1), New(2); if !a.Same(b) { t.Fatal() }`,
			[]string{`v0 := queue.New(1); v1 := queue.New(2); v2 := v0.Same(v1)`}},
		{"table", `
			for _, tt := range []struct{ in string; want int }{{"a b", 2}, {in: "c"}} {
				t.Run(tt.in, func(t *testing.T) {
					q, err := Parse(tt.in)
					if err != nil { t.Fatal(err) }
					if q.Len() != tt.want { t.Error() }
				})
			}`,
			[]string{`v0, v0b := queue.Parse("a b"); v1 := v0.Len()`, `v0, v0b := queue.Parse("c"); v1 := v0.Len()`}},
		{"table of pointers", `for _, tt := range []*struct{ in string }{{"a"}, {"b"}} { Parse(tt.in) }`,
			[]string{`v0, v0b := queue.Parse("a")`, `v0, v0b := queue.Parse("b")`}},
		{"loop over a value", `q := New(0); for _, s := range []string{"a", "b"} { q.Put(s) }; q.Len()`,
			[]string{`v0 := queue.New(0); v0.Put("a"); v0.Put("b"); v1 := v0.Len()`}},
		{"counter", `q := New(0); for i := 0; i < 3; i++ { q.Put(fmt.Sprintf("k%d", i*2)) }`,
			[]string{`v0 := queue.New(0); v0.Put("k0"); v0.Put("k2"); v0.Put("k4")`}},
		{"table made in a loop", `var list []string; for i := range 2 { list = append(list, strings.Repeat("x", i)) }; for _, s := range list { Parse(s) }`,
			[]string{`v0, v0b := queue.Parse("")`, `v0, v0b := queue.Parse("x")`}},
		{"composite", `o := Options{Name: "n", Tags: []string{"a"}}; o.Size = 3; NewWith(o)`,
			[]string{`v0 := []string{"a"}; v1 := queue.Options{Name: "n", Size: 3, Tags: v0}; v2 := queue.NewWith(v1)`}},
		{"fields that no literal sets", `Schedule(Event{Name: "n", Start: time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC), Last: 7})`,
			[]string{`v0 := time.Unix(86400, 0).UTC(); v1 := &queue.Event{Name: "n", A: 0, B: 0, C: 0, D: 0, E: 0}; v1.Start = v0; v1.Last = 7; v2 := *v1; v3 := queue.Schedule(v2)`}},
		{"date", `At(time.Date(1970, 1, 1, 0, 1, 0, 0, time.Local))`, []string{`v0 := time.Unix(60, 0).UTC(); v1 := queue.At(v0)`}},
		{"parsed date", `at, err := time.Parse(time.DateOnly, "1970-01-02"); if err == nil { At(at) }; if _, err := time.Parse("2006", "x"); err == nil { New(9) }`,
			[]string{`v0 := time.Unix(86400, 0).UTC(); v1 := queue.At(v0)`}},
		{"a function in a variable", `must := Parse; must("a")`, []string{`v0, v0b := queue.Parse("a")`}},
		{"a pointer to a type of the tests", `var v struct{ X int }; Decode("x", &v)`,
			[]string{`v0 := &struct{X int}{X: 0}; v1 := queue.Decode("x", v0)`}},
		{"a type of the tests, with others in it", `Decode("x", &config{N: 3, Sub: []*config{{N: 1}}, At: map[string]any{"k": 2, "l": "m", "n": 5}})`,
			[]string{`v0 := queue.Event{}; v1 := &struct{N int "n:\"1\""; Sub []any; Ev queue.Event; At map[string]any}{N: 1, Sub: nil, Ev: v0, At: nil}; v2 := []any{v1}; v3 := queue.Event{}; v4 := func(a string, b any, c string, d any) map[string]any { return map[string]any{a: b, c: d} }("k", 2, "l", "m"); ` +
				`v5 := func(m map[string]any, a string, b any) map[string]any { c := map[string]any{a: b}; for k, v := range m { c[k] = v }; return c }(v4, "n", 5); ` +
				`v6 := &struct{N int "n:\"1\""; Sub []any; Ev queue.Event; At map[string]any}{N: 3, Sub: v2, Ev: v3, At: v5}; v7 := queue.Decode("x", v6)`}},
		{"a variable of any type", `var v any; Decode("x", &v); var m map[string]any; Decode("y", &m)`, []string{
			`v0 := func(x any) *any { return &x }(nil); v1 := queue.Decode("x", v0)`,
			`v0 := map[string]any{}; v1 := func(x map[string]any) *map[string]any { return &x }(v0); v2 := queue.Decode("y", v1)`,
		}},
		{"an address, not its value", `Decode("x", &Event{}); Decode("x", Event{})`, []string{
			`v0 := &queue.Event{Name: "", A: 0, B: 0, C: 0, D: 0, E: 0}; v1 := queue.Decode("x", v0)`,
			`v0 := queue.Event{Name: "", A: 0, B: 0, C: 0, D: 0, E: 0}; v1 := queue.Decode("x", v0)`,
		}},
		{"a call that changes nothing", `e := Event{Name: "n"}; e.hide(square{}); Schedule(e)`,
			[]string{`v0 := queue.Event{Name: "n", A: 0, B: 0, C: 0, D: 0, E: 0}; v1 := queue.Schedule(v0)`}},
		{"bytes", `ParseBytes([]byte("x y"))`, []string{`v0 := []byte("x y"); v1, v1b := queue.ParseBytes(v0)`}},
		{"standard value", `Read(strings.NewReader("abc"))`, []string{`v0 := strings.NewReader("abc"); v1, v1b := queue.Read(v0)`}},
		{"function by role", `q := NewBy(func(x, y string) bool { return x > y }); q.Put("a")`,
			[]string{`v0 := func(a, b string) bool { return a < b }; v1 := queue.NewBy(v0); v1.Put("a")`}},
		{"function of the tests, with a type of the package", `q := New(1); q.Visit(func(p *Queue) int { return p.Len() + 1 })`,
			[]string{`v0 := queue.New(1); v1 := func(p *queue.Queue) int { return p.Len() + 1 }; v2 := v0.Visit(v1)`}},
		{"variadic", `q := New(0); q.PutAll("a", "b"); q.PutAll()`,
			[]string{`v0 := queue.New(0); v0.PutAll("a", "b"); v0.PutAll()`}},
		{"type arguments of the table", `b := NewBox[string, int](); b.Set("k", 1)`,
			[]string{`v0 := queue.NewBox[string, int](); v0.Set("k", 1)`}},
		{"other type arguments", `b := NewBox[string, string](); b.Set("k", "v"); b.Set("l", "v")`,
			[]string{`v0 := queue.NewBox[string, int](); v0.Set("k", 0); v0.Set("l", 0)`}},
		{"helper and closure", `put := func(q *Queue, s string) { q.Put(s) }; q := made(4); put(q, "x")`,
			[]string{`v0 := queue.New(4); v0.Put("x")`}},
		{"method of the tests", `f := fixture{New(3)}; f.put("x")`, []string{`v0 := queue.New(3); v0.Put("x")`}},
		{"an argument that is not known", `q := New(1); q.Put("x"); q.PutShape(square{}); q.Len()`,
			[]string{`v0 := queue.New(1); v0.Put("x")`}},
		{"a branch that is known", `for _, bad := range []bool{true, false} { if bad { Parse("!"); continue }; Parse("ok") }`,
			[]string{`v0, v0b := queue.Parse("!")`, `v0, v0b := queue.Parse("ok")`}},
		{"switch", `for _, k := range []string{"a", "b"} { switch k { case "a": New(1); default: New(2) } }`,
			[]string{`v0 := queue.New(1)`, `v0 := queue.New(2)`}},
		{"global", `for _, s := range inputs { Parse(s) }`, []string{`v0, v0b := queue.Parse("g")`}},
		{"a variable that is not known is no zero", `n := len(t.Name()); New(n)`, nil},
		{"endless", `for { New(1) }`, []string{`v0 := queue.New(1)`}},
	}
	const helpers = `
func made(n int) *Queue { q := New(n); return q }

var inputs = []string{"g"}

type square struct{}

func (square) area() int { return 1 }

type config struct {
	N    int ` + "`n:\"1\"`" + `
	Sub  []*config
	Ev   Event
	At   map[string]any
	hide int
}

type fixture struct{ q *Queue }

func (f fixture) put(s string) { f.q.Put(s) }
`
	var own []string
	for _, tt := range cases {
		own = append(own, helpers+"func TestX(t *testing.T) {\n"+tt.body+"\n}\n")
	}
	pkgs := loadQueues(t, own)
	for i, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			u, _ := readPackage(t, pkgs[i])
			if !slices.Equal(u.Sequences, tt.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(u.Sequences, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

// The external tests, examples and fuzz targets are read, too.
func TestExternal(t *testing.T) {
	u, table := read(t, "func TestOwn(t *testing.T) { New(1) }\n", `
func ExampleNew() { q := queue.New(7); fmt.Println(q.Len()) }

func FuzzParse(f *testing.F) {
	f.Add("seed", 2)
	f.Fuzz(func(t *testing.T, s string, n int) { queue.Parse(s); queue.New(n) })
}

func helper() { queue.New(99) }
`)
	want := []string{"v0 := queue.New(1)", "v0 := queue.New(7); v1 := v0.Len()", `v0, v0b := queue.Parse("seed")`, "v0 := queue.New(2)"}
	if !slices.Equal(u.Sequences, want) || u.Functions != 3 || u.Places != 5 || u.Dropped != 0 {
		t.Errorf("got %q of %d functions, %d places, %d dropped", u.Sequences, u.Functions, u.Places, u.Dropped)
	}
	i := slices.IndexFunc(u.Literals, func(l Literals) bool { return table.Ops[l.Op].Short == "New" })
	if i < 0 || u.Literals[i].Param != 0 || !slices.Equal(u.Literals[i].Texts, []string{"1", "7", "2"}) {
		t.Errorf("literals %v, want 1, 7 and 2 for New", u.Literals)
	}
}

// A test that uses a package which is missing is read as far as its types are known.
func TestMissing(t *testing.T) {
	u, _ := read(t, `func TestX(t *testing.T) {
		list := make([]string, 0)
		for range 2 { s, _ := missing.Text(); list = append(list, s) }
		for i := range list { New(len(list[i])) }
		for range list { New(3) }
		New(4)
	}`, "")
	if want := []string{"v0 := queue.New(4)"}; !slices.Equal(u.Sequences, want) {
		t.Errorf("got %q, want %q", u.Sequences, want)
	}
}

// The text of bytes is a literal of the conversion that makes them, that of a reader one of
// the function that makes it.
func TestLiterals(t *testing.T) {
	u, table := read(t, `func TestX(t *testing.T) {
		ParseBytes([]byte("bytes"))
		Read(strings.NewReader("read"))
		q := New(-1)
		q.PutShape(square{})
		q.Put("left out")
		for _, s := range []string{"a", "b", "a"} { q.Put(s) }
	}
	type square struct{}
	func (square) area() int { return 1 }`, "")
	got := map[string]string{}
	for _, l := range u.Literals {
		got[table.Ops[l.Op].Template+" "+table.Ops[l.Op].Short] += strings.Join(l.Texts, ",")
	}
	for op, want := range map[string]string{
		"[]byte($0) []byte($0)": `"bytes"`, "strings.NewReader($0) strings.NewReader($0)": `"read"`,
		"queue.New($0) New": "-1", "$0.Put($1) (*Queue).Put": `"left out","a","b"`,
	} {
		if got[op] != want {
			t.Errorf("%s: literals %s, want %s; all: %q", op, got[op], want, got)
		}
	}
}

// A call in which a test expects a panic is caught, and in no sequence.
func TestCaught(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"deferred recover", `defer func() { if recover() == nil { t.Error() } }(); q := New(0); q.Must()`, "(*Queue).Must"},
		{"function", `q := New(0); func() { defer func() { recover() }(); q.Must() }(); q.Len()`, "(*Queue).Must"},
		{"assert.Panics", `q := New(0); assert.Panics(t, func() { q.Must() })`, "(*Queue).Must"},
		{"helper", `q := New(0); mustFail(func() { q.Must() })`, "(*Queue).Must"},
		{"assert.NotPanics", `q := New(0); assert.NotPanics(t, func() { q.Must() })`, ""},
	}
	var own []string
	for _, tt := range cases {
		own = append(own, `
func mustFail(f func()) {
	defer func() { recover() }()
	f()
}
func TestX(t *testing.T) {`+tt.body+"\n}\n")
	}
	pkgs := loadQueues(t, own)
	for i, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			u, table := readPackage(t, pkgs[i])
			var got []string
			for i := range table.Ops {
				if o := u.operation(&table.Ops[i]); o != nil && o.CatchesPanic() {
					got = append(got, table.Ops[i].Short)
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("caught %q, want %q", got, tt.want)
			}
			if calls := strings.Contains(strings.Join(u.Sequences, ";"), "Must"); calls != (tt.want == "") {
				t.Errorf("sequences %q", u.Sequences)
			}
		})
	}
}

// A reading is bounded, and the same each time.
func TestBounds(t *testing.T) {
	body := `
func TestLoops(t *testing.T) {
	q := New(0)
	for i := 0; i < 1<<30; i++ {
		for j := 0; j < 1<<30; j++ {
			q.Put("x")
			x := 1
			for range 1000 { x *= 1<<40 }
			New(x)
		}
	}
}
func loop(n int) { New(n); loop(n + 1) }
func TestRecursion(t *testing.T) { loop(0) }
`
	for _, name := range []string{"A", "B"} {
		body += "\nfunc TestLong" + name + "(t *testing.T) { for i := range 1000 { Parse(fmt.Sprint(i, " + strconv.Quote(name) + ", strings.Repeat(\"x\", 8000))) } }\n"
	}
	u, _ := read(t, body, "")
	size := 0
	for _, s := range u.Sequences {
		size += len(s)
	}
	if len(u.Sequences) == 0 || len(u.Sequences) > maxSequences || size > maxBytes || size < maxBytes-2*maxText {
		t.Errorf("%d sequences of %d bytes", len(u.Sequences), size)
	}
	again, _ := read(t, body, "")
	if !slices.Equal(u.Sequences, again.Sequences) {
		t.Error("two readings differ")
	}
}

func TestProfileOfReading(t *testing.T) {
	u, table := read(t, `
func TestX(t *testing.T) {
	for _, n := range []int{3, 0, 5, 7} { New(n) }
	q := New(1).first()
	q.Put("a"); q.Put("b")
	q.PutAll("a", "b")
	ParseBytes(nil)
	var zero Queue
	zero.Len()
	NewWith(Options{Size: 2})
	defer func() { recover() }()
	q.Must()
}
func (q *Queue) first() *Queue { return q }
func ExampleNew() { New(2) }
`, "")
	for short, want := range map[string]string{
		"New": "called at 2 places of the tests (first queue_test.go:19) and 1 of the examples (queue_test.go:31), never with a negative n" +
			" | n is 0 to 7, zero in 1 of 6, such as 3, 0, 5",
		"(*Queue).Must":   "called at 1 place of the tests (queue_test.go:28); a test catches its panic",
		"(*Queue).Len":    "called at 1 place of the tests (queue_test.go:25)",
		"(*Queue).Get":    "no test calls it",
		"(*Queue).Put":    `called at 2 places of the tests (first queue_test.go:21), never with an empty s | s is 1 long, "a" or "b"`,
		"(*Queue).PutAll": "called at 1 place of the tests (queue_test.go:22) | list is 2 long",
		"ParseBytes":      "called at 1 place of the tests (queue_test.go:23) | b is always empty",
		"Read":            "no test calls it",
	} {
		i := slices.IndexFunc(table.Ops, func(op seq.Operation) bool { return op.Short == short })
		if i < 0 {
			t.Errorf("no %s", short)
		} else if o := u.operation(&table.Ops[i]); strings.Join(o.Lines(""), " | ") != want {
			t.Errorf("%s: %s, want %s", short, strings.Join(o.Lines(""), " | "), want)
		}
	}
	if got, want := u.Profile.Type("Queue").Lines(""), []string{"the tests have its zero value at 1 place"}; !slices.Equal(got, want) {
		t.Errorf("type Queue: %q, want %q", got, want)
	}
}

func TestParts(t *testing.T) {
	_, table := read(t, "", "")
	for _, tt := range []struct {
		text string
		from int
		want string
	}{
		{"v0 := queue.New(1); v1 := queue.New(2); v0.Put(\"a\"); v1.Put(\"b\")", 0, `v0 := queue.New(1); v0.Put("a") | v0 := queue.New(2); v0.Put("b")`},
		{"v0 := queue.New(1); v1 := queue.New(2); v1.Put(\"b\")", 1, `v0 := queue.New(2); v0.Put("b")`},
		{"v0 := []string{\"a\"}; v1 := queue.New(2)", 0, `v0 := queue.New(2)`},
		{"v0 := []string{\"a\"}; v1 := queue.New(2)", 1, `v0 := queue.New(2)`},
		{"v0 := []string{\"a\"}; v1 := queue.New(2)", 2, ``},
		{"", 0, ``},
	} {
		s, err := table.Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, part := range parts(table, s, tt.from) {
			got = append(got, table.OneLine(part))
		}
		if strings.Join(got, " | ") != tt.want {
			t.Errorf("parts of %s from %d: %s, want %s", tt.text, tt.from, strings.Join(got, " | "), tt.want)
		}
	}
}

// A value that the row of a loop made is not known in the body of a fuzz target.
func TestSeedMadeInLoop(t *testing.T) {
	u, _ := read(t, `
func FuzzPut(f *testing.F) {
	for _, in := range []struct{ a, b string }{{"a", "b"}} {
		q := New(1)
		q.Put(in.a)
		f.Add(in.b, q.Must())
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		New(2).Put(b)
		Parse(a)
	})
}
`, "")
	want := []string{`v0 := queue.New(1); v0.Put("a"); v1 := v0.Must()`, `v0, v0b := queue.Parse("b")`, `v0 := queue.New(2)`}
	for _, text := range want {
		if !slices.Contains(u.Sequences, text) {
			t.Errorf("no %s in %q", text, u.Sequences)
		}
	}
}
