package seq

import (
	"strings"
	"testing"
)

func mustParser(tb testing.TB, t *Table) *Parser {
	tb.Helper()
	p, err := NewParser(t)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestTextRoundTrip(t *testing.T) {
	f := newFixture()
	p := mustParser(t, f.Table)
	d := newDraw(t, f)
	for range 2000 {
		s := d.sequence(1 + d.IntN(20))
		if err := s.Check(f.Table); err != nil {
			t.Fatal(err)
		}
		text := f.String(s)
		got, err := p.Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !got.Equal(s) {
			t.Fatalf("got\n%swant\n%s", f.String(got), text)
		}
		semicolons := strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "; ")
		if got, err = p.Parse(semicolons); err != nil || !got.Equal(s) {
			t.Fatalf("parse of %s: %v", semicolons, err)
		}
	}
}

// Forms that a person may write, and their meaning.
func TestParseForms(t *testing.T) {
	f := newFixture()
	p := mustParser(t, f.Table)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"comments", "// first\nv0 := queue.New(3) // a queue\n\n", "v0 := queue.New(3)\n"},
		{"numbers with gaps", "v3 := queue.New(3); v7 := v3.Len(); v3.Put(v7)", "v0 := queue.New(3)\nv1 := v0.Len()\nv0.Put(v1)\n"},
		{"unused results", "v0 := queue.New(3); v0.Get(); v1, _ := v0.Get(); _ = v0.Len()",
			"v0 := queue.New(3)\nv1, v1b := v0.Get()\nv2, v2b := v0.Get()\nv3 := v0.Len()\n"},
		{"other literals", "v0 := queue.New('a'); v1 := queue.New(0x1_0); v2 := queue.New(3.0); v0.Put('a'); v0.Put(1.5); v0.Put(2i); v0.Put(`x`)",
			"v0 := queue.New(97)\nv1 := queue.New(16)\nv2 := queue.New(3)\nv0.Put(int32(97))\nv0.Put(1.5)\nv0.Put(complex(0.0, 2.0))\nv0.Put(\"x\")\n"},
		{"untyped for a named type", `queue.Named("x", 3, 1)`, "v0, v0b, v0c := queue.Named(queue.Name(\"x\"), queue.Size(3), queue.Ratio(1.0))\n"},
		{"negative zero is a constant zero", "queue.Floats(-0.0, -1e-400, 0, 0)", "v0 := queue.Floats(0.0, 0.0, complex(0.0, 0.0), complex(0.0, 0.0))\n"},
		{"byte", "v0 := queue.New(1); v0.Put(byte(3)); v0.Put(rune(3))", "v0 := queue.New(1)\nv0.Put(uint8(3))\nv0.Put(int32(3))\n"},
		{"assertion on no interface", "v0 := queue.Max; v1, v1b := any(v0).(*queue.Queue); any(int8(3)).(*queue.Queue); v2, v2b := any(3).(*queue.Queue)",
			"v0 := queue.Max\nv1, v1b := any(v0).(*queue.Queue)\nv2, v2b := any(int8(3)).(*queue.Queue)\nv3, v3b := any(3).(*queue.Queue)\n"},
		{"receiver of an assignable type", "v0 := []int{}; v1 := queue.Ints(v0).Sort(v0); v2 := v1.Sort(nil); v3 := queue.Ints([]int(nil)).Sort([]int(nil))",
			"v0 := []int{}\nv1 := queue.Ints(v0).Sort(v0)\nv2 := v1.Sort(nil)\nv3 := queue.Ints([]int(nil)).Sort([]int(nil))\n"},
		{"typed nil", "v0 := (*queue.Queue)(nil).Len()", "v0 := (*queue.Queue)(nil).Len()\n"},
		{"the type of the value chooses the method", "v0 := strings.NewReader(\"\"); v1 := v0.Len()", "v0 := strings.NewReader(\"\")\nv1 := v0.Len()\n"},
		{"default type chooses the conversion", "v0 := queue.Size(3)", "v0 := queue.Size(3)\n"},
		{"literal type chooses the conversion", "v0 := queue.Size(int8(3))", "v0 := queue.Size(int8(3))\n"},
		{"line directive", "//line other.go:100\nv0 := queue.New(3)", "v0 := queue.New(3)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := p.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.String(s); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	f := newFixture()
	p := mustParser(t, f.Table)
	for _, test := range []struct{ name, text, want string }{
		{"no value", "v0 := queue.New(2)\nv0.Put(1)\nv2 := v1.Get()", "seq: 3:7: v1.Get: no value v1"},
		{"no operation", "v0 := queue.Old(2)", "seq: 1:7: queue.Old: no such operation"},
		{"no operation, statement", "go f()", "seq: 1:1: go f(): no such operation"},
		{"wrong type", "v0 := queue.New(2); v1 := queue.New(v0)", "seq: 1:37: queue.New: v0 has type *queue.Queue, want int"},
		{"overflow", "v0 := queue.Sum(300, nil...)", "seq: 1:17: queue.Sum: 300 is not a value of type uint8"},
		{"typed overflow", "v0 := any(int8(128))", "seq: 1:11: any: int8(128) is not a value of type int8"},
		{"string of a number", "v0 := queue.Join(string(65))", "seq: 1:18: queue.Join: string(65) is not a value of type string"},
		{"too many arguments", "v0 := queue.New(1, 2)", "seq: 1:7: queue.New: no such operation"},
		{"results", "v0, v0b := queue.New(1)", "seq: 1:12: queue.New: 1 results, want 2"},
		{"declared twice", "v0 := queue.New(1); v0 := queue.New(1)", "seq: 1:21: queue.New: v0 is declared twice"},
		{"declared twice at once", "v0, v0 := v1.Get()", "seq: 1:5: v1.Get: v0 is declared twice"},
		{"not a value's name", "q := queue.New(1)", "seq: 1:1: queue.New: q is not the name of a value, want v0, v1, v1b ..."},
		{"repeated hole", "v0 := queue.New(1); v1 := queue.New(1); queue.Twice(v0, v1)", "seq: 1:41: queue.Twice: no such operation"},
		{"hidden nil", "v0 := queue.Head(nil); v0.Len()", "seq: 1:24: v0.Len: v0 has type *queue.node, want *queue.Queue"},
		{"syntax", "v0 := queue.New(1)\nv1 :=", "seq: 3:1: expected operand, found '}'"},
		{"closing bracket", "}; func f() {", "seq: 1:1: a bracket closes none"},
		{"long", strings.Repeat(" ", MaxBytes+1), "seq: text of 1048577 bytes, want at most 1048576"},
		{"many", strings.Repeat("f();", MaxSteps+1), "seq: 1:1: more than 10000 statements"},
		{"many by comments", strings.Repeat("f()/*\n*/", MaxSteps+1), "seq: 1:1: more than 10000 statements"},
		{"deep", "\n" + strings.Repeat("(", 300), "seq: 2:1: brackets nest deeper than 200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := p.Parse(test.text)
			if err == nil {
				t.Fatalf("no error, got\n%s", f.String(s))
			}
			if err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestParseLenient(t *testing.T) {
	f := newFixture()
	p := mustParser(t, f.Table)
	text := `v0 := queue.New(2)
v1 := queue.Old(v0)
v0.Put(v1)
v2, v2b := v0.Get()
v3 := queue.Sum(3, v1...)
v0.Put(v3)
v0.Put(v2)
v0.Put(v2b, 1)
`
	s, dropped, err := p.ParseLenient(text)
	if err != nil {
		t.Fatal(err)
	}
	want := "v0 := queue.New(2)\nv1, v1b := v0.Get()\nv0.Put(v1)\n"
	if got := f.String(s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var got []string
	for _, d := range dropped {
		got = append(got, d.Error())
	}
	wantDropped := []string{
		"seq: 2:7: queue.Old: no such operation",
		"seq: 3:8: v0.Put: hangs on v1, which was dropped",
		"seq: 5:20: queue.Sum: hangs on v1, which was dropped",
		"seq: 6:8: v0.Put: hangs on v3, which was dropped",
		"seq: 8:1: v0.Put: no such operation",
	}
	if strings.Join(got, "\n") != strings.Join(wantDropped, "\n") {
		t.Errorf("dropped\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantDropped, "\n"))
	}
}

// Operations that share a text: the exact one, or else the lowest.
func TestParseAmbiguous(t *testing.T) {
	f := newFixture()
	lowest := OpID(len(f.Ops))
	f.op(Func, "queue.Amb($0)", []string{"any"}, nil)
	f.op(Func, "queue.Amb($0)", []string{"fmt.Stringer"}, nil)
	f.op(Func, "queue.Amb($0)", []string{"queue.Size"}, nil)
	p := mustParser(t, f.Table)
	for text, want := range map[string]OpID{
		"v0 := queue.Size(1); queue.Amb(v0)":  lowest + 2,
		"v0 := big.NewInt(1); queue.Amb(v0)":  lowest,
		"v0 := queue.Max; queue.Amb(v0)":      lowest,
		"v0 := 0; queue.Amb(queue.Size(3))":   lowest + 2,
		"v0 := 0; queue.Amb((*big.Int)(nil))": lowest,
	} {
		s, _, err := p.ParseLenient(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s[len(s)-1].Op; got != want {
			t.Errorf("%s: operation %d, want %d", text, got, want)
		}
	}
}

func TestBadTemplates(t *testing.T) {
	for template, want := range map[string]string{
		"p.F($1)":          "no parameter $1",
		"p.F()":            "parameter $0 does not occur",
		"p.F($*)":          "no parameter $*",
		"$0":               "nothing but a hole",
		"p.F($0); p.G()":   "want one statement",
		"p.F($0)\n":        "a newline within it",
		"x = $0":           "a statement has no results",
		"p.F($0) } {":      "expected",
		"p.F($0, func":     "expected",
		"p.F($0) }; f() {": "expected",
	} {
		table := &Table{Types: []Type{{}, {Name: "int"}}, Ops: []Operation{{Short: "F", Template: template, Params: []TypeID{1}, Results: []TypeID{1}}}}
		if _, err := NewParser(table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", template, err, want)
		}
	}
}

func TestImportLikeAValue(t *testing.T) {
	_, err := NewParser(&Table{Imports: []Import{{"v1", "k8s.io/api/core/v1"}}})
	if err == nil || !strings.Contains(err.Error(), "import of") {
		t.Errorf("error %v", err)
	}
}

func TestParseLiteral(t *testing.T) {
	f := newFixture()
	for _, test := range []struct {
		typ, text string
		want      any // nil for an error
	}{
		{"int", "-3", int64(-3)},
		{"int8", "-129", nil},
		{"uint8", "0xff", uint64(255)},
		{"uint8", "-1", nil},
		{"string", `"GET"`, "GET"},
		{"float64", "0x1p-52", 0x1p-52},
		{"float64", "1e999", nil},
		{"float32", "1e40", nil},
		{"queue.Size", "'a'", int64('a')},
		{"complex64", "1.5", complex128(1.5)},
		{"bool", "true", true},
		{"bool", "1", nil},
		{"int", "f()", nil},
		{"int", "1.5", nil},
		{"int", "(", nil},
		{"int", "1" + strings.Repeat("0", 1000), nil},
	} {
		l, err := f.ParseLiteral(f.types[test.typ], test.text)
		if (err == nil) != (test.want != nil) || err == nil && l.Value != test.want {
			t.Errorf("ParseLiteral(%s, %s) = %v, %v, want %v", test.typ, test.text, l, err, test.want)
		}
	}
}

func TestImportName(t *testing.T) {
	table := &Table{Imports: []Import{{"math", "example.com/math"}, {"json2", "encoding/json"}}}
	for path, want := range map[string]string{"math": "stdmath", "encoding/json": "json2", "os/exec": "exec"} {
		if got := table.ImportName(path); got != want {
			t.Errorf("ImportName(%s) = %s, want %s", path, got, want)
		}
	}
}

func TestVariableName(t *testing.T) {
	table := &Table{Imports: []Import{{"got", "got"}, {"err", "example.com/err"}, {"err2", "example.com/v2/err"}}}
	for name, want := range map[string]string{"got": "got2", "err": "err3", "want": "want"} {
		if got := table.VariableName(name); got != want {
			t.Errorf("VariableName(%s) = %s, want %s", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	fix := newFixture()
	p := mustParser(f, fix.Table)
	for _, text := range []string{
		"v0 := queue.New(2); v0.Put(int8(3)); v1, v1b := v0.Get()",
		"v0 := func(int) bool { return true }; v1 := v0(3)",
		"v0 := []any{nil, math.NaN(), complex(1, 2i), (*queue.Queue)(nil)}",
		"v0 := []int{1, -0x_f, 'a', 3.0}; v1 := v0[1]",
		"queue.Floats(float32(math.Inf(1)), 1e400, complex64(complex(0.1, math.Copysign(0, -1))), 2i)",
		"v0 := queue.Old(2); v0.Put(3)\n} func",
		"//line x:1:1\nv0 := queue.New(`\r`[0])",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := p.Parse(text)
		lenient, dropped, errLenient := p.ParseLenient(text)
		if (err == nil) != (errLenient == nil && len(dropped) == 0) {
			t.Fatalf("Parse: %v; ParseLenient: %v, dropped %v", err, errLenient, dropped)
		}
		if err != nil {
			s = lenient
		}
		if err := s.Check(fix.Table); err != nil {
			t.Fatal(err)
		}
		canonical := fix.String(s)
		again, err := p.Parse(canonical)
		if err != nil || fix.String(again) != canonical {
			t.Fatalf("canonical text %s: reads as %s, %v", canonical, fix.String(again), err)
		}
	})
}
