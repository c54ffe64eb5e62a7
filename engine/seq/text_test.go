package seq

import (
	"go/format"
	"math"
	"testing"
)

func TestAppendLiteral(t *testing.T) {
	f := newFixture()
	lit := func(typ string, v any) *Literal { return &Literal{Type: f.types[typ], Value: v} }
	for _, test := range []struct {
		l    *Literal
		want string // type wanted
		at   Place
		text string
	}{
		{lit("int", int64(3)), "int", Argument, "3"},
		{lit("int", int64(3)), "any", Argument, "3"},
		{lit("int", int64(3)), "int", Operand, "int(3)"},
		{lit("int8", int64(-1)), "int8", Argument, "-1"},
		{lit("int8", int64(3)), "any", Argument, "int8(3)"},
		{lit("int8", int64(3)), "int8", Free, "int8(3)"},
		{lit("int32", int64('a')), "any", Argument, "int32(97)"},
		{lit("uint64", uint64(math.MaxUint64)), "uint64", Argument, "18446744073709551615"},
		{lit("string", "a\"\x00"), "string", Argument, `"a\"\x00"`},
		{lit("bool", true), "any", Argument, "true"},
		{lit("float64", 3.0), "any", Argument, "3.0"},
		{lit("float64", 1e21), "float64", Argument, "1e+21"},
		{lit("float64", math.Inf(-1)), "any", Argument, "math.Inf(-1)"},
		{lit("float64", math.Copysign(0, -1)), "float64", Argument, "math.Copysign(0, -1)"},
		{lit("float32", float64(float32(0.1))), "float32", Argument, "0.1"},
		{lit("float32", math.NaN()), "float32", Argument, "float32(math.NaN())"},
		{lit("complex128", 1+2i), "any", Argument, "complex(1.0, 2.0)"},
		{lit("complex64", complex(math.Inf(1), 2)), "complex64", Argument, "complex64(complex(math.Inf(1), 2.0))"},
		{lit("queue.Size", int64(3)), "queue.Size", Argument, "queue.Size(3)"},
		{lit("queue.Name", "x"), "any", Argument, `queue.Name("x")`},
		{lit("*queue.Queue", nil), "*queue.Queue", Argument, "nil"},
		{lit("*queue.Queue", nil), "*queue.Queue", Operand, "(*queue.Queue)(nil)"},
		{lit("*queue.Queue", nil), "any", Argument, "(*queue.Queue)(nil)"},
		{lit("any", nil), "any", Argument, "nil"},
		{lit("[]int", nil), "any", Argument, "[]int(nil)"},
		{lit("map[string]int", nil), "any", Argument, "map[string]int(nil)"},
		{lit("[]func(int) bool", nil), "any", Argument, "([]func(int) bool)(nil)"},
		{lit("chan int", nil), "any", Argument, "(chan int)(nil)"},
	} {
		got := string(f.appendLiteral(nil, test.l, f.types[test.want], test.at))
		if got != test.text {
			t.Errorf("literal %v of %s for %s at %d: got %s, want %s", test.l.Value, f.Types[test.l.Type].Name, test.want, test.at, got, test.text)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, test := range []struct {
		kind     Kind
		template string
		want     Place // of $0
	}{
		{Func, "p.F($0)", Argument},
		{Func, "p.F(1, $0, 2)", Argument},
		{Func, "p.F[int]($0...)", Argument},
		{Func, "p.F[map[K]V]($0)", Argument},
		{Method, "$0.M(x)", Operand},
		{Call, "$0(x)", Operand},
		{Index, "$0[x]", Operand},
		{Index, "x[$0]", Free},
		{Index, "x[y:$0]", Free},
		{Index, "x[$0:y]", Free},
		{Index, "*$0", Operand},
		{FieldSet, "x.F = $0", Argument},
		{Chan, "x <- $0", Argument},
		{Chan, "<-$0", Operand},
		{Chan, "make(chan int, $0)", Argument},
		{Composite, "p.T{F: $0}", Argument},
		{Elements, "map[K]V{$0: x}", Argument},
		{Convert, "p.T($0)", Free},
		{Standard, "[]byte($0)", Free},
		{Standard, "map[K]V($0)", Free},
		{Standard, "(*T)($0)", Free},
		{Standard, "min($0, x)", Free},
		{Standard, "p.F(string($0))", Free},
		{Range, "slices.Collect($0)", Free},
		{FuncLit, "func() any { return $0 }", Free},
	} {
		op := &Operation{Kind: test.kind, Template: test.template}
		for at := range test.template {
			if test.template[at] == '$' {
				if got := (Hole{op, at, at + 2}).Place(); got != test.want {
					t.Errorf("%s: place %d, want %d", test.template, got, test.want)
				}
			}
		}
	}
}

func TestTextIsGofmtStable(t *testing.T) {
	f := newFixture()
	d := newDraw(t, f)
	for range 200 {
		text := f.String(d.sequence(10))
		got, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if string(got) != text {
			t.Fatalf("gofmt changes the text\n--- got\n%s--- want\n%s", got, text)
		}
	}
}
