package instrument_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/coverage/instrument"
)

// Declarations that the table's code uses.
const prelude = `package p
type flag bool
var (
	a, b int
	x, y bool
	f flag
	m map[string]int
	s []int
	ch chan bool
	e any
)
func g(...any) bool { return true }
`

func TestRewrite(t *testing.T) {
	tests := []struct {
		name string
		// The body of a function with named results (r bool, q flag, i int), and
		// how it looks after rewriting, P standing for the probe's name.
		in, want string
		conds    string // "kind text: sides", separated by newlines
	}{
		{
			name:  "if",
			in:    `if a < b { a++ } else if x { b++ }`,
			want:  `if P.Cond(0, a < b) { a++ } else if P.Cond(2, x) { b++ }`,
			conds: "bool a < b: false, true\nbool x: false, true",
		},
		{
			name:  "operands",
			in:    `if a < b && (x || !y) { a++ }`,
			want:  `if P.Cond(0, a < b) && (P.Cond(2, x) || !P.Cond(4, y)) { a++ }`,
			conds: "bool a < b: false, true\nbool x: false, true\nbool y: false, true",
		},
		{
			name:  "over lines",
			in:    "if a < // why\n\tb &&\n\tx {\n}",
			want:  "if P.Cond(0, a < // why\n\tb) &&\n\tP.Cond(2, x) {\n}",
			conds: "bool a < b: false, true\nbool x: false, true",
		},
		{
			name:  "for",
			in:    `L: for i := 0; i < b; i++ { continue L }; for { break }`,
			want:  `L: for i := 0; P.Cond(0, i < b); i++ { continue L }; for { break }`,
			conds: "bool i < b: false, true",
		},
		{
			name:  "values",
			in:    `x = a < b; r = x && y; return !x, q, a`,
			want:  `x = P.Cond(0, a < b); r = P.Cond(2, x) && P.Cond(4, y); return !P.Cond(6, x), q, a`,
			conds: "bool a < b: false, true\nbool x: false, true\nbool y: false, true\nbool x: false, true",
		},
		{
			name: "boolean copied",
			in:   `r = x; g(y)`,
			want: `r = x; g(y)`,
		},
		{
			name:  "comparison in comparison",
			in:    `if (a < b) == x { a++ }`,
			want:  `if P.Cond(0, (P.Cond(2, a < b)) == x) { a++ }`,
			conds: "bool (a < b) == x: false, true\nbool a < b: false, true",
		},
		{
			name:  "beside a call",
			in:    `r, x = a < b, g(); g(a < b, g()); g(!x, g()); g(<-ch, a < b); g(g(a < b), g())`,
			want:  `r, x = a < b, g(); g(a < b, g()); g(!x, g()); g(<-ch, a < b); g(g(P.Cond(0, a < b)), g())`,
			conds: "bool a < b: false, true",
		},
		{
			name:  "control flow beside a call",
			in:    `r, x = x && y, g(); g(!(x && y), g())`,
			want:  `r, x = P.Cond(0, x) && P.Cond(2, y), g(); g(!(P.Cond(4, x) && P.Cond(6, y)), g())`,
			conds: "bool x: false, true\nbool y: false, true\nbool x: false, true\nbool y: false, true",
		},
		{
			name:  "argument",
			in:    `g(a < b, len(s), int64(a)); s = append(s, map[bool]int{a < b: 1}[true])`,
			want:  `g(P.Cond(0, a < b), len(s), int64(a)); s = append(s, map[bool]int{P.Cond(2, a < b): 1}[true])`,
			conds: "bool a < b: false, true\nbool a < b: false, true",
		},
		{
			name:  "constants",
			in:    `const c = 1; if c < 2 && x { a++ }; for true { break }; const d = len([1]bool{true}); _ = [1 << d]int{}`,
			want:  `const c = 1; if c < 2 && P.Cond(0, x) { a++ }; for true { break }; const d = len([1]bool{true}); _ = [1 << d]int{}`,
			conds: "bool x: false, true",
		},
		{
			name:  "untyped shift",
			in:    `if 1<<a > uint8(b) { a++ }; for range 1 << a { }`,
			want:  `if P.Cond(0, 1<<a > uint8(b)) { a++ }; P.Hit(2); for range 1 << a { P.Hit(3); }`,
			conds: "bool 1 << a > uint8(b): false, true\nloop range 1 << a: reached, entered",
		},
		{
			name:  "named type",
			in:    `if f && a < b { a++ }; q = a < b; q = !(a < b) || f; if !f { a++ }`,
			want:  `if P.Bool(0, f) && (P.Cond(2, a < b) == (0 == 0)) { a++ }; q = (P.Cond(4, a < b) == (0 == 0)); q = !((P.Cond(6, a < b) == (0 == 0))) || P.Bool(8, f); if !P.Bool(10, f) { a++ }`,
			conds: "bool f: false, true\nbool a < b: false, true\nbool a < b: false, true\nbool a < b: false, true\nbool f: false, true\nbool f: false, true",
		},
		{
			name:  "alias",
			in:    `type alias = bool; var v alias; if v { a++ }`,
			want:  `type alias = bool; var v alias; if P.Cond(0, v) { a++ }`,
			conds: "bool v: false, true",
		},
		{
			name:  "switch",
			in:    "switch a { // why\ncase 1, 2: a++; fallthrough\ncase b:\n}",
			want:  "switch a { default: P.Hit(2); // why\ncase 1, 2: P.Hit(0); a++; fallthrough\ncase b: P.Hit(1);\n}",
			conds: "switch switch a: case 1, 2, case b, no match",
		},
		{
			name:  "switch with default",
			in:    `switch x { case a < b: a++; default: }; switch a { default: b++ }; switch a { }`,
			want:  `switch x { case P.Cond(2, a < b): P.Hit(0); a++; default: P.Hit(1); }; switch a { default: b++ }; switch a { }`,
			conds: "switch switch x: case a < b, default\nbool a < b: false, true",
		},
		{
			name:  "switch without tag",
			in:    `switch { case a < b, x: a++; case y && x: }; switch true { case x: }`,
			want:  `switch { case P.Cond(0, a < b), P.Cond(2, x): a++; case P.Cond(4, y) && P.Cond(6, x): }; switch true { case x: }`,
			conds: "bool a < b: false, true\nbool x: false, true\nbool y: false, true\nbool x: false, true",
		},
		{
			name:  "type switch",
			in:    `switch v := e.(type) { case int, string: g(v); case nil: }`,
			want:  `switch v := e.(type) { default: P.Hit(2); case int, string: P.Hit(0); g(v); case nil: P.Hit(1); }`,
			conds: "typeswitch switch e.(type): case int, string, case nil, no match",
		},
		{
			name:  "select",
			in:    `select { case v, ok := <-ch: g(v, ok); case ch <- x && y: default: }; select { case <-ch: }`,
			want:  `select { case v, ok := <-ch: P.Hit(0); P.Cond(3, ok); g(v, ok); case ch <- P.Cond(5, x) && P.Cond(7, y): P.Hit(1); default: P.Hit(2); }; select { case <-ch: }`,
			conds: "select select: case <-ch, case ch <- x && y, default\nok ok of <-ch: false, true\nbool x: false, true\nbool y: false, true",
		},
		{
			name:  "range",
			in:    `for range s { }; for k := range m { delete(m, k); a++ }; for range "s" + string(rune(a)) { }; for range a { }`,
			want:  `for range P.Slice(0, s) { }; for k := range P.Map(2, m) { delete(m, k); a++ }; for range P.String(4, "s" + string(rune(a))) { }; for range P.Int(6, a) { }`,
			conds: "range range s: empty, non-empty\nrange range m: empty, non-empty\nrange range \"s\" + string(rune(a)): empty, non-empty\nrange range a: empty, non-empty",
		},
		{
			name:  "range that runs first",
			in:    "L: K: for range ch { break K; goto L }; for range func(func() bool) { } { }",
			want:  "P.Hit(0); L: K: for range ch { P.Hit(1); break K; goto L }; P.Hit(2); for range func(func() bool) { } { P.Hit(3); }",
			conds: "loop range ch: reached, entered\nloop range (func(func() bool) literal): reached, entered",
		},
		{
			name:  "range over a conversion",
			in:    `for range []byte("x" + string(rune(a))) { }`,
			want:  `P.Hit(0); for range []byte("x" + string(rune(a))) { P.Hit(1); }`,
			conds: "loop range []byte(\"x\" + string(rune(a))): reached, entered",
		},
		{
			name: "range always or never empty",
			in:   `for range 3 { }; for range "abc" { }; for range [2]bool{a < b} { }; for range &[2]int{} { }`,
			want: `for range 3 { }; for range "abc" { }; for range [2]bool{a < b} { }; for range &[2]int{} { }`,
		},
		{
			name:  "comma-ok",
			in:    "v, ok := m[\"k\"]\nL: _, x = e.(int)\nvar w, ok2 = <-ch\ng(v, ok, w, ok2)\ngoto L",
			want:  "v, ok := m[\"k\"]; P.Cond(0, ok)\nL: _, x = e.(int); P.Cond(2, x)\nvar w, ok2 = <-ch; P.Cond(4, ok2)\ng(v, ok, w, ok2)\ngoto L",
			conds: "ok ok of m[\"k\"]: false, true\nok x of e.(int): false, true\nok ok2 of <-ch: false, true",
		},
		{
			name:  "comma-ok of another type",
			in:    `_, q = m["k"]; _, e = m["k"]; _, _ = m["k"]`,
			want:  `_, q = m["k"]; P.Bool(0, q); _, e = m["k"]; _, _ = m["k"]`,
			conds: "ok q of m[\"k\"]: false, true",
		},
		{
			name:  "comma-ok that is tested",
			in:    `v, ok := m["k"]; if !ok { g(v) }; if v, ok := e.(int); ok { g(v) }`,
			want:  `v, ok := m["k"]; if !P.Cond(0, ok) { g(v) }; if v, ok := e.(int); P.Cond(2, ok) { g(v) }`,
			conds: "bool ok: false, true\nbool ok: false, true",
		},
		{
			name:  "function literal",
			in:    `if func() bool { return a < b }() { a++ }; defer func() { if x { recover() } }()`,
			want:  `if P.Cond(0, func() bool { return P.Cond(2, a < b) }()) { a++ }; defer func() { if P.Cond(4, x) { recover() } }()`,
			conds: "bool (func() bool literal)(): false, true\nbool a < b: false, true\nbool x: false, true",
		},
		{
			name:  "carriage returns in a raw string",
			in:    "if e == `a\r\nb` { a++ }",
			want:  "if P.Cond(0, e == `a\r\nb`) { a++ }",
			conds: "bool e == `a\nb`: false, true",
		},
		{
			name:  "names of the universe shadowed",
			in:    `true, bool, len := 0, 1, 2; g(true, bool, len); if f == (a < b) { a++ }`,
			want:  `true, bool, len := 0, 1, 2; g(true, bool, len); if P.Cond(0, f == ((P.Cond(2, a < b) == (0 == 0)))) { a++ }`,
			conds: "bool f == (a < b): false, true\nbool a < b: false, true",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const before, after = "func F() (r bool, q flag, i int) {\n", "\nreturn }\n"
			res := rewriteString(t, "go1.26", prelude+before+tt.in+after)
			got := prelude + before + tt.in + after
			for _, src := range res.Sources {
				got = string(src)
			}
			want := prelude + before + strings.ReplaceAll(tt.want, "P.", "foray_probe.") + after
			if tt.conds != "" {
				want = strings.Replace(want, "package p\n", "package p; import foray_probe \"probe\"\n", 1)
			}
			if got != want {
				t.Errorf("Rewrite:\ngot\n%s\nwant\n%s", got[len(prelude):], want[len(prelude):])
			}
			if got := describe(res.Conditions); got != tt.conds {
				t.Errorf("conditions:\ngot\n%s\nwant\n%s", got, tt.conds)
			}
		})
	}
}

func TestRewriteFiles(t *testing.T) {
	tests := []struct {
		name, version string
		in, want      string // want "" means unchanged
	}{
		{
			name: "package clause and comments",
			in: "//go:build linux || !linux\n\n// Package p does.\npackage p // import \"p\"\n\n" +
				"func F(x bool) {\n\tif x {\n\t}\n}\n",
			want: "//go:build linux || !linux\n\n// Package p does.\npackage p; import foray_probe \"probe\" // import \"p\"\n\n" +
				"func F(x bool) {\n\tif foray_probe.Cond(0, x) {\n\t}\n}\n",
		},
		{
			name: "nothing to mark",
			in:   "package p\n\nfunc F(x bool) bool { return x }\n",
		},
		{
			name: "name taken",
			in:   "package p\nfunc F(foray_probe bool) { if foray_probe { } }\n",
			want: "package p; import foray_probe_ \"probe\"\nfunc F(foray_probe bool) { if foray_probe_.Cond(0, foray_probe) { } }\n",
		},
		{
			name: "cgo",
			in:   "package p\nimport \"C\"\nfunc F(x bool) { if x { } }\n",
		},
		{
			name: "made by cgo",
			in:   "// Code generated by cmd/cgo; DO NOT EDIT.\n\npackage p\nfunc F(x bool) { if x { } }\n",
		},
		{
			name: "generated, with line comments",
			in:   "// Code generated by goyacc. DO NOT EDIT.\npackage p\n//line a.y:7\nfunc F(x bool) { if x { } }\n",
			want: "// Code generated by goyacc. DO NOT EDIT.\npackage p; import foray_probe \"probe\"\n//line a.y:7\nfunc F(x bool) { if foray_probe.Cond(0, x) { } }\n",
		},
		{
			name: "directives",
			in: "package p\nvar z bool\n//go:nosplit\nfunc F(x bool) { if x { } }\n\n//go:norace\n\n// G too.\nfunc G(x bool) { if x { } }\n" +
				"//go:noinline\nfunc H(x bool) { if x { } }\n",
			want: "package p; import foray_probe \"probe\"\nvar z bool\n//go:nosplit\nfunc F(x bool) { if x { } }\n\n//go:norace\n\n// G too.\nfunc G(x bool) { if x { } }\n" +
				"//go:noinline\nfunc H(x bool) { if foray_probe.Cond(0, x) { } }\n",
		},
		{
			name: "a vast function",
			in:   "package p\nfunc F(x bool) {\n" + strings.Repeat("if x { }\n", 4097) + "}\nfunc G(x bool) { if x { } }\n",
			want: "package p; import foray_probe \"probe\"\nfunc F(x bool) {\n" + strings.Repeat("if x { }\n", 4097) + "}\nfunc G(x bool) { if foray_probe.Cond(0, x) { } }\n",
		},
		{
			name: "variables of the package",
			in:   "package p\nvar a, b = 1, 2\nvar c = a < b\nconst d = 1 < 2\n",
			want: "package p; import foray_probe \"probe\"\nvar a, b = 1, 2\nvar c = foray_probe.Cond(0, a < b)\nconst d = 1 < 2\n",
		},
		{
			name: "type parameters",
			in: "package p\nfunc F[B ~bool, S ~[]E, E any, I ~int, F ~func(func() bool)](b B, s S, i I, f F) B {\n" +
				"\tif b { }\n\tfor range s { }\n\tfor range i { }\n\tfor range f { }\n\treturn b && s == nil\n}\n",
			want: "package p; import foray_probe \"probe\"\nfunc F[B ~bool, S ~[]E, E any, I ~int, F ~func(func() bool)](b B, s S, i I, f F) B {\n" +
				"\tif foray_probe.Bool(0, b) { }\n\tfor range foray_probe.Slice(2, s) { }\n\tfor range foray_probe.Int(4, i) { }\n\tforay_probe.Hit(6); for range f { foray_probe.Hit(7); }\n" +
				"\treturn foray_probe.Bool(8, b) && (foray_probe.Cond(10, s == nil) == (0 == 0))\n}\n",
		},
		{
			name:    "before type parameters",
			version: "go1.17",
			in:      "package p\ntype flag bool\nfunc F(b flag, s []int) {\n\tif b { }\n\tfor range s { }\n\tif len(s) == 0 { }\n}\n",
			want: "package p; import foray_probe \"probe\"\ntype flag bool\nfunc F(b flag, s []int) {\n\tif b { }\n" +
				"\tforay_probe.Hit(0); for range s { foray_probe.Hit(1); }\n\tif foray_probe.Cond(2, len(s) == 0) { }\n}\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := rewriteString(t, tt.version, tt.in)
			if got := string(res.Sources["/src/p.go"]); got != tt.want {
				t.Errorf("Rewrite:\ngot\n%s\nwant\n%s", got, tt.want)
			}
			if tt.want == "" && len(res.Sources) != 0 {
				t.Errorf("Rewrite returned unchanged files")
			}
		})
	}
}

func TestConditions(t *testing.T) {
	res := rewriteString(t, "", `package p

type list[T any] struct{ v []T }

func (l *list[T]) Len(limit int) int {
	if len(l.v) > limit { return limit }
	return len(l.v)
}

func (list[T]) None(x bool) bool { return !x }
func init() { if top { } }
func init() { if top { } }
var top = func() bool { return len(name) > 3 || name == "" }()
var name string
`)
	want := []string{
		`example.org/p.(*list).Len#1 "len(l.v) > limit" 6:5 0`,
		`example.org/p.list.None#1 "x" 10:44 2`,
		`example.org/p.init#1 "top" 11:18 4`,
		`example.org/p.init#2 "top" 12:18 6`,
		`example.org/p.top#1 "len(name) > 3" 13:32 8`,
		`example.org/p.top#2 "name == \"\"" 13:49 10`,
	}
	for i, c := range res.Conditions {
		if got := fmt.Sprintf("%s %d:%d %d", c.ID(), c.Line, c.Col, c.First); i >= len(want) || got != want[i] {
			t.Errorf("condition %d: got %s", i, got)
		}
	}
	if len(res.Conditions) != len(want) || res.Sides != 2*len(want) {
		t.Errorf("got %d conditions, %d sides, want %d, %d", len(res.Conditions), res.Sides, len(want), 2*len(want))
	}
}

func TestRewriteFirstSide(t *testing.T) {
	p := parse(t, "", "package p\nfunc F(x bool) { if x { } }\n")
	res, err := instrument.Rewrite(p, "probe", 40)
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Conditions[0]; c.First != 40 || res.Sides != 2 || !strings.Contains(string(res.Sources["/src/p.go"]), "Cond(40, x)") {
		t.Errorf("Rewrite from side 40: First %d, Sides %d, source %s", c.First, res.Sides, res.Sources["/src/p.go"])
	}
}

func TestRewriteErrors(t *testing.T) {
	tests := []struct {
		name string
		edit func(*instrument.Package)
		want string
	}{
		{"runtime", func(p *instrument.Package) { p.Path = "internal/runtime/maps" }, "internal/runtime/maps: part of the run-time system"},
		{"names", func(p *instrument.Package) { p.Names = nil }, "example.org/p: 1 files, 0 names, 1 sources"},
		{"source", func(p *instrument.Package) { p.Sources[0] = p.Sources[0][1:] }, "/src/p.go: the source of 51 bytes is not the parsed one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, "", "package p\nfunc F(x, yyyyy bool) { if x { } }; // ..\n")
			tt.edit(&p)
			if _, err := instrument.Rewrite(p, "probe", 0); err == nil || !strings.HasPrefix(err.Error(), "instrument: "+tt.want) {
				t.Errorf("Rewrite: error %v, want instrument: %s…", err, tt.want)
			}
		})
	}
}

// rewriteString rewrites a one-file package and type-checks the result.
func rewriteString(t *testing.T, version, src string) *instrument.Result {
	t.Helper()
	res, err := instrument.Rewrite(parse(t, version, src), "probe", 0)
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, res.Conditions, res.Sides)
	if changed, ok := res.Sources["/src/p.go"]; ok {
		if got, want := strings.Count(string(changed), "\n"), strings.Count(src, "\n"); got != want {
			t.Errorf("Rewrite: %d lines, want %d", got, want)
		}
		parse(t, version, string(changed))
	}
	return res
}

// parse parses and type-checks a one-file package that may import the probe
// package as "probe".
func parse(t *testing.T, version, src string) instrument.Package {
	t.Helper()
	p := instrument.Package{
		Path:    "example.org/p",
		Fset:    token.NewFileSet(),
		Names:   []string{"/src/p.go"},
		Sources: [][]byte{[]byte(src)},
	}
	f, err := parser.ParseFile(p.Fset, "/src/p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	p.Files = []*ast.File{f}
	check(t, &p, types.Config{GoVersion: version, FakeImportC: true, Importer: probeImporter{t}})
	return p
}

// A probeImporter imports the probe package from source, and others as the go
// command has them.
type probeImporter struct{ t testing.TB }

func (i probeImporter) Import(path string) (*types.Package, error) {
	if path != "probe" {
		return importer.Default().Import(path)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for name, src := range probeSources(i.t, 64) {
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return (&types.Config{Importer: importer.Default()}).Check(path, fset, files, nil)
}

func describe(conds []coverage.Condition) string {
	var lines []string
	for _, c := range conds {
		lines = append(lines, fmt.Sprintf("%s %s: %s", c.Kind, c.Text, strings.Join(c.Sides, ", ")))
	}
	return strings.Join(lines, "\n")
}
