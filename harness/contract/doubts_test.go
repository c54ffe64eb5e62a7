package contract

import (
	"errors"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// wantTiers upholds a law of each sequence, and wants it broken with a tier.
func wantTiers(t *testing.T, b *seqtest.Builder, f Caller, law string, tiers map[string]engine.Tier) {
	t.Helper()
	for steps, want := range tiers {
		if v, _ := uphold(b, f, boxed(b, steps), law); v == nil || v.Tier != want {
			t.Errorf("%s: verdict %+v, want tier %v", steps, v, want)
		}
	}
}

// A value that was made of what nobody has checked may be no proper one.
func TestLawDoubts(t *testing.T) {
	no := func(a []any) any { return many{errors.New("no")} }
	b, f := lawTable(t, "MarshalText ParseT", ops("Made(string) *p.T", func(a []any) any { return &pot{} }, "(*T).UnmarshalText([]byte) error", no))
	b.Add(seq.Composite, "Zero() *p.T")
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
	b.Add(seq.Composite, "Filled(int) *p.T", seqtest.Shaped(seq.Filled))
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
	b.Add(seq.Func, "Other(string) *p.T")
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
	wantTiers(t, b, f, "round-trip", map[string]engine.Tier{
		`Made("x"); MarshalText(v0)`:               engine.Suspect,
		`Other("x"); ParseT("1"); MarshalText(v1)`: engine.Error,
		`Zero(); MarshalText(v0)`:                  engine.Error,
		`Filled(1); MarshalText(v0)`:               engine.Suspect,
		`ParseT("1"); MarshalText(v0)`:             engine.Error,
	})
}

// An archive may be damaged in the bytes of one file.
func TestLawDoubtsArchives(t *testing.T) {
	archive := files(lax{oneFile})
	b, f := lawTable(t, "", with(archive, ops("Bytes() []byte", func([]any) any { return []byte("a") }, "Unpack([]byte) p.F", archive["NewFS() p.F"])))
	wantTiers(t, b, f, "fs-test", map[string]engine.Tier{
		`NewFS(); Open(v0, "a.txt")`:             engine.Error,
		`Bytes(); Unpack(v0); Open(v1, "a.txt")`: engine.Suspect,
	})
}

// A map that is told by an order whether keys are equal finds none.
func TestLawDoubtsEquality(t *testing.T) {
	b, f := lawTable(t, "NewPot Put Get", nil)
	lit := func(sig string, s seq.Shape) {
		b.Add(seq.FuncLit, sig, seqtest.Shaped(s))
		f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return func() {} }
	}
	lit("order() func(int, int) bool", seq.Less)
	lit("equality() func(int, int) bool", seq.Same)
	lit("test() func(int) bool", seq.Predicate)
	b.Add(seq.Method, "(*T).Use(p.Fn, p.Fn)", func(op *seq.Operation) { op.Names = []string{"t", "eq", "less"} })
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return many{} }
	f.ops[b.Find("Get")] = func([]any) any { return many{0, false} }
	wantTiers(t, b, f, "put-get", map[string]engine.Tier{
		`NewPot(); order(); equality(); Use(v0, v1, v2); Put(v0, 1, 2)`: engine.Suspect,
		`NewPot(); order(); equality(); Use(v0, v2, v1); Put(v0, 1, 2)`: engine.Error,
		`NewPot(); test(); Use(v0, v1, v1); Put(v0, 1, 2)`:              engine.Error,
	})
}

// A number that is none of the constants of its type need not survive.
func TestLawDoubtsConstants(t *testing.T) {
	no := func([]any) any { return many{errors.New("no")} }
	b, f := lawTable(t, "MarshalText", ops("(*T).UnmarshalText([]byte) error", no, "Rounded(p.Ordering) *p.T", func([]any) any { return &pot{} }))
	wantTiers(t, b, f, "round-trip", map[string]engine.Tier{
		"Rounded(1); MarshalText(v0)":             engine.Error,
		"Rounded(7); MarshalText(v0)":             engine.Suspect,
		"Rounded(7); Rounded(1); MarshalText(v1)": engine.Error,
	})
}

// A function that is to make an object may have handed out the same one before.
func TestLawDoubtsHoards(t *testing.T) {
	b, f := lawTable(t, "NewPot Put Get", nil)
	made := func(sig string, s seq.Shape) {
		b.Add(seq.FuncLit, sig, seqtest.Shaped(s))
		f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return func() {} }
	}
	made("hoard(*p.T) func() *p.T", seq.Constant)
	made("number(int) func() int", seq.Constant)
	made("give(*p.T) func(*p.T) *p.T", seq.Constant)
	get := b.Find("Get")
	f.ops[get] = func([]any) any { return many{0, false} }
	wantTiers(t, b, f, "put-get", map[string]engine.Tier{
		`NewPot(); hoard(v0); Put(v0, 1, 2)`: engine.Suspect,
		`NewPot(); number(3); Put(v0, 1, 2)`: engine.Error,
		`NewPot(); give(v0); Put(v0, 1, 2)`:  engine.Error,
	})
}

// Bytes that an object holds and writes as they are were somebody's JSON.
func TestLawDoubtsRawJSON(t *testing.T) {
	for text, want := range map[string]string{"{a:1}": "value", "{b:1}": "valid-json"} {
		b, f := lawTable(t, "", ops("NewPot() *p.T", func([]any) any { return &pot{text: []byte("{a:1}")} },
			"(*T).MarshalJSON() ([]byte, error)", func([]any) any { return many{[]byte(text), nil} }))
		v, _ := uphold(b, f, boxed(b, "NewPot(); MarshalJSON(v0)"), "valid-json")
		if v == nil || v.Rule != want {
			t.Errorf("%s: verdict %+v, want one by rule %s", text, v, want)
		}
	}
}
