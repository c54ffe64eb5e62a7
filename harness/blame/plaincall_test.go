package blame

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// An index that package reflect finds to be out of range is no matter of types.
func TestReflectedIndex(t *testing.T) {
	b := seqtest.NewBuilder()
	b.Add(seq.Func, "New(int) *p.T")
	b.Add(seq.Method, "(*T).Locate(any)")
	for text, want := range map[string]engine.Tier{
		"reflect: slice index out of range":               engine.Panic,
		"reflect: array index out of range":               engine.Panic,
		"reflect: string index out of range":              engine.Panic,
		"reflect.Value.Slice: slice index out of bounds":  engine.Panic,
		"reflect: Field index out of range":               engine.Suspect,
		"reflect: call of reflect.Value.Len on int Value": engine.Suspect,
	} {
		if v := Panic(facts(b, "New(1); Locate(v0, 1)", nil, text, "/reflect.Value.Index < (*T).Locate")); v.Tier != want {
			t.Errorf("%s: tier %v, want %v", text, v.Tier, want)
		}
	}
}
