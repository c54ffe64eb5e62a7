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
