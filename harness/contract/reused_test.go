package contract

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

var reusedPlantings = []Planting{
	{`v0 := planted.NewFrame(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1); v3 := planted.Bytes(1); v4 := v0.Unmarshal(v3)`, "decode-anew"},
	{`v0 := planted.NewParcel(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
	{`v0 := planted.NewLetter(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
}

var reusedCases = []lawCase{
	{"decode-anew", "good", "NewPot Bytes Grow UnmarshalText", nil, `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, true},
	{"decode-anew", "adds", "NewPot Bytes Grow", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).n += len(a[1].([]byte)); return many{nil} }), `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, false},
	{"decode-anew", "refused", "NewPot Bytes Grow", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, true},
}

// Decoding may keep an option that the constructor set. It must not keep a value that another
// call has set.
func TestDecodesAnewWithOptions(t *testing.T) {
	b, f := lawTable(t, "Bytes Grow", ops("Loud(int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} },
		"(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).text = a[1].([]byte); return many{nil} }))
	b.Add(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
	for steps, holds := range map[string]bool{
		`Loud(3); Bytes("2"); UnmarshalText(v0, v1)`:              true,
		`Loud(3); Grow(v0, 2); Bytes("2"); UnmarshalText(v0, v1)`: false,
	} {
		if v, held := uphold(b, f, boxed(b, steps), "decode-anew"); !held || (v == nil) != holds {
			t.Errorf("%s: held %t, %+v, want it to hold: %t", steps, held, v, holds)
		}
	}
}

// What package gob says of GobDecode makes it no error: of three breaches in draws (docs/bench) none
// was a bug.
func TestDecodesAnewOfGob(t *testing.T) {
	b, f := lawTable(t, "NewPot Bytes Grow", ops("(*T).GobDecode([]byte) error", func(a []any) any { po(a).text = a[1].([]byte); return many{nil} }))
	if v, _ := uphold(b, f, boxed(b, `NewPot(); Grow(v0, 3); Bytes("2"); GobDecode(v0, v1)`), "decode-anew"); v == nil || v.Claim != engine.ClaimName {
		t.Errorf("verdict %+v, want one of claim %s", v, engine.ClaimName)
	}
}

// Data decoded over other data, which differ in a bit, leave nothing of those.
func TestDecodesOver(t *testing.T) {
	leaves := func(p *pot, data []byte) error {
		if data[0]%2 == 1 {
			p.n = 7
		}
		return nil
	}
	for _, tt := range []struct {
		name   string
		decode func(p *pot, data []byte) error
		encode func(p *pot) string // nil for none
		holds  bool
	}{
		{"anew", func(p *pot, data []byte) error { p.n = len(data); p.text = data; return nil }, nil, true},
		{"leaves a part", leaves, nil, false},
		{"leaves a part that is encoded", leaves, func(p *pot) string { return strconv.Itoa(p.n) }, false},
		{"leaves a part that is not encoded", leaves, func(p *pot) string { return string(p.text) }, true},
		{"leaves a part, encoded in an order of chance", leaves, func(p *pot) string { p.n++; return strconv.Itoa(p.n) }, true},
		{"adds", func(p *pot, data []byte) error { p.n += len(data); return nil }, nil, false},
		{"refuses all others", func(p *pot, data []byte) error {
			if p.n++; string(data) != "3$" {
				return errors.New("no")
			}
			return nil
		}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{tt.decode(po(a), a[1].([]byte))} })
			if tt.encode != nil {
				bad["(*T).MarshalText() ([]byte, error)"] = func(a []any) any { return many{[]byte(tt.encode(po(a))), nil} }
			}
			b, f := lawTable(t, "NewPot Bytes", bad)
			b.Add(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
			f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
			// The receiver is a zero value that the package never makes: the law looks at its own.
			s := boxed(b, `Zero(); Bytes("3$"); UnmarshalText(v0, v1)`)
			i := slices.IndexFunc(Laws(&b.Table), func(l Law) bool { return l.Name == "decode-over" })
			v, held := Laws(&b.Table)[i].Hold(f, &b.Table, s, true)
			if !held || (v == nil) != tt.holds {
				t.Fatalf("held %t, %+v, want it to hold: %t", held, v, tt.holds)
			}
			if v != nil && (v.Tier != engine.Suspect || !strings.Contains(v.Assert, `\x24`)) {
				t.Errorf("tier %v, assert %s", v.Tier, v.Assert)
			}
		})
	}
}
