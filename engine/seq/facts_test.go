package seq_test

import (
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

func TestIsText(t *testing.T) {
	b := seqtest.NewBuilder()
	for name, want := range map[string]bool{"string": true, "[]byte": true, "io.Reader": true, "[]string": false, "int": false, "*p.T": false, "any": false} {
		if got := b.Table.Types[b.Type(name)].IsText(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestLiteralOf(t *testing.T) {
	for _, test := range []struct {
		name string
		kind seq.LiteralKind
		bits uint8
	}{
		{"bool", seq.Bool, 0}, {"string", seq.String, 0}, {"int", seq.Int, 32}, {"int8", seq.Int, 8}, {"uint", seq.Uint, 32}, {"uint64", seq.Uint, 64},
		{"uintptr", seq.Uint, 64}, {"float32", seq.Float, 32}, {"complex128", seq.Complex, 128}, {"unsafe.Pointer", seq.NoLiteral, 0}, {"struct", seq.NoLiteral, 0},
	} {
		if kind, bits := seq.LiteralOf(test.name, 32); kind != test.kind || bits != test.bits {
			t.Errorf("%s takes literals %d of %d bits, want %d of %d", test.name, kind, bits, test.kind, test.bits)
		}
	}
}

func TestAllowsNil(t *testing.T) {
	op := seq.Operation{Params: make([]seq.TypeID, 2), Pre: seq.Precondition{NilOK: []bool{false, true}}}
	for i, want := range []bool{false, true, false} {
		if got := op.AllowsNil(i); got != want {
			t.Errorf("argument %d: %v, want %v", i, got, want)
		}
	}
	if op.Variadic = true; !op.AllowsNil(2) {
		t.Error("a further variadic argument: false, want true")
	}
}

func TestOf(t *testing.T) {
	b := seqtest.NewBuilder()
	for _, test := range []struct {
		name, elem string
		kind       seq.TypeKind
		want       bool
	}{
		{"*p.T", "p.T", seq.PointerType, true}, {"**p.T", "*p.T", seq.PointerType, true}, {"*p.T", "p.U", seq.PointerType, false},
		{"[]int", "int", seq.SliceType, true}, {"[3]int", "int", seq.SliceType, false}, {"p.List", "int", seq.SliceType, false},
	} {
		ty := b.Table.Types[b.Type(test.name)]
		if test.name == "p.List" {
			ty.Kind, ty.Elem = seq.SliceType, "int"
		}
		if got := ty.Of(test.kind, &b.Table.Types[b.Type(test.elem)]); got != test.want {
			t.Errorf("%s is a %s of %s: %v, want %v", test.name, test.kind, test.elem, got, test.want)
		}
	}
}
