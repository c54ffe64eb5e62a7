package fuzzfile

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const head = "go test fuzz v1\n"

// The texts and file names are those of go test.
func TestAppend(t *testing.T) {
	otherNaN64, otherNaN32 := math.Float64frombits(0x7ff8000000000002), float64(math.Float32frombits(0x7fc00002))
	for _, tt := range []struct {
		values []Value
		want   string
	}{
		{[]Value{{"string", " "}}, `string(" ")`},
		{[]Value{{"[]byte", "a\x00\xff\n\"`é"}}, `[]byte("a\x00\xff\n\"` + "`" + `é")`},
		{[]Value{{"int", int64(-7)}, {"uint64", uint64(math.MaxUint64)}}, "int(-7)\nuint64(18446744073709551615)"},
		{[]Value{{"uint8", uint64('a')}, {"uint8", uint64(0xe9)}}, "byte('a')\nbyte('é')"},
		{[]Value{{"int32", int64('世')}, {"int32", int64(-1)}, {"int32", int64(0xd800)}}, "rune('世')\nint32(-1)\nint32(55296)"},
		{[]Value{{"bool", true}, {"int8", int64(-128)}}, "bool(true)\nint8(-128)"},
		{[]Value{{"float64", 0.1}, {"float32", float64(float32(0.1))}, {"float64", 1e100}}, "float64(0.1)\nfloat32(0.1)\nfloat64(1e+100)"},
		{[]Value{{"float64", math.Inf(1)}, {"float32", math.Inf(-1)}, {"float64", math.Copysign(0, -1)}}, "float64(+Inf)\nfloat32(-Inf)\nfloat64(-0)"},
		{[]Value{{"float64", math.NaN()}, {"float32", math.NaN()}}, "float64(NaN)\nfloat32(NaN)"},
		{[]Value{{"float64", otherNaN64}, {"float32", otherNaN32}}, "math.Float64frombits(0x7ff8000000000002)\nmath.Float32frombits(0x7fc00002)"},
	} {
		got := string(Encode(tt.values))
		if got != head+tt.want+"\n" {
			t.Errorf("Encode(%v) = %q, want %q", tt.values, got, head+tt.want+"\n")
		}
		back, err := Parse([]byte(got))
		if err != nil {
			t.Errorf("Parse(%q): %v", got, err)
			continue
		}
		if again := string(Encode(back)); again != got {
			t.Errorf("%q is %q when it was read and written", got, again)
		}
	}
}

func TestName(t *testing.T) {
	if got := Name([]byte(head + "string(\" \")\n")); got != "8643a79bab153d1b" {
		t.Errorf("Name = %s", got)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Value
	}{
		{head + "string(`raw`)", []Value{{"string", "raw"}}},
		{"go test fuzz v1\r\nint(0x10)\r\n\r\n  bool(false)  \r\n", []Value{{"int", int64(16)}, {"bool", false}}},
		{head + "byte(97)\nrune(-1)\nuint8(3)\nint32(5)", []Value{{"uint8", uint64(97)}, {"int32", int64(-1)}, {"uint8", uint64(3)}, {"int32", int64(5)}}},
		{head + `byte('\'')` + "\n" + `rune('\u00e9')`, []Value{{"uint8", uint64('\'')}, {"int32", int64('é')}}},
		{head + "float64(3)\nfloat32(-2.5)\nfloat64(-Inf)\nfloat64(+Inf)", []Value{{"float64", 3.0}, {"float32", -2.5}, {"float64", math.Inf(-1)}, {"float64", math.Inf(1)}}},
	} {
		got, err := Parse([]byte(tt.text))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Parse(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `1: "", want "go test fuzz v1"`},
		{"go test fuzz v2\nint(1)\n", `1: "go test fuzz v2", want`},
		{head, "no value"},
		{head + "int(1)\nint(\n", "3: int(: no value of the form type(literal)"},
		{head + "7", "2: 7: no value of the form type(literal)"},
		{head + "int(1, 2)", "no value of the form type(literal)"},
		{head + `string(7)`, "a literal of another type"},
		{head + `int("7")`, "a literal of another type"},
		{head + `int(1.5)`, "a literal of another type"},
		{head + `uint(-1)`, "invalid syntax"},
		{head + `int8(128)`, "value out of range"},
		{head + `byte('世')`, "a literal of another type"},
		{head + `bool(1)`, "a literal of another type"},
		{head + `bool(maybe)`, "a literal of another type"},
		{head + `complex128(1)`, "no type complex128"},
		{head + `[]int(1)`, "no value of the form"},
		{head + `[4]byte("abcd")`, "no value of the form"},
		{head + `math.Float64frombits("x")`, "invalid syntax"},
	} {
		got, err := Parse([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) = %v, %v, want an error with %q", tt.text, got, err, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		file, text, comment string
		ok                  bool
	}{
		{head + "string(`v0 := queue.New(2); v0.Put(\"x\")`) // foray 1\n", `v0 := queue.New(2); v0.Put("x")`, "foray 1", true},
		{head + "string(`f()`)\n", "f()", "", true},
		{head + "\r\n string(\"f(\\\"`//)\\\")\") //a (comment), and // more \r\n", "f(\"`//)\")", "a (comment), and // more", true},
		{head + "string(``)\n", "", "", true},
		{head + "string(`a`)\nstring(`b`)\n", "", "", false},
		{head + "string(`a`) + string(`b`)", "", "", false},
		{head + "[]byte(`a`)\n", "", "", false},
		{"string(`a`)\n", "", "", false},
	} {
		if text, comment, ok := Text([]byte(tt.file)); text != tt.text || comment != tt.comment || ok != tt.ok {
			t.Errorf("%q: %q, %q, %v", tt.file, text, comment, ok)
		}
	}
}

// Encode writes everything that Parse reads, and Parse reads it as the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "[]byte(\"a\")\nfloat32(NaN)\nrune('x')\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		values, err := Parse(file)
		if err != nil {
			return
		}
		text := Encode(values)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		if got := Encode(again); string(got) != string(text) {
			t.Fatalf("%q is written as %q, then as %q", file, text, got)
		}
	})
}
