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
	{`v0 := planted.NewParcel(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
	{`v0 := planted.NewLetter(); v1 := planted.Bytes(2); v2 := v0.Unmarshal(v1)`, "decode-over"},
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
