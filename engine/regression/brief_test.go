package regression

import (
	"errors"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// TestBrief: a text loses the bytes that no branch side needs. There is no test if its texts stay too long.
func TestBrief(t *testing.T) {
	tab := &seq.Table{
		Package: "p", Name: "p", Imports: []seq.Import{{Name: "p", Path: "p"}},
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}}, {Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{2}}},
		Ops:   []seq.Operation{{Name: "F", Short: "F", Member: "F", Kind: seq.Func, API: true, Template: "p.F($0)", Params: []seq.TypeID{1}, Results: []seq.TypeID{2}}},
	}
	run := func(s seq.Sequence) (Run, bool) {
		text := s[0].Args[0].Lit.Text()
		r := Run{Steps: []Step{{Pure: true, Results: []Result{{How: Equal, Text: "1"}}}}}
		for side, takes := range []bool{strings.Contains(text, "x"), strings.Contains(text, "yy"), len(text) >= 300} {
			if takes {
				r.Sides = append(r.Sides, int32(side))
			}
		}
		if strings.Contains(text, "!") && !strings.HasPrefix(text, "!") {
			r.Steps[0].Status = engine.Broken
		}
		return r, true
	}
	rest := strings.Repeat("abcdefg ", 10)
	for _, tt := range []struct {
		name, text string
		want       string // empty: too long
		err        error
	}{
		{"short", "a short text with x in it", "a short text with x in it", nil},
		{"two parts", rest + "x" + rest + "yy" + rest, "xyy", nil},
		{"a call that would break", "!" + rest + "x", "x", nil},
		{"all of it", strings.Repeat("z", 300), "", ErrLong},
	} {
		b := NewBuilder(tab, run)
		b.MaxText = 100
		got, err := b.Test(seq.Sequence{{Op: 0, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 1, Value: tt.text})}}})
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
			continue
		}
		if err == nil {
			if text := got.Steps[0].Args[0].Lit.Text(); len(text) > len(tt.want)+3*leastCut || !contains(text, tt.want) {
				t.Errorf("%s: %q, want about %q", tt.name, text, tt.want)
			}
		}
	}
}

// contains reports whether text has the bytes of part, in their order.
func contains(text, part string) bool {
	for _, c := range []byte(part) {
		i := strings.IndexByte(text, c)
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}
