package contract

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

var encodingPlantings = []Planting{
	{`v0 := planted.NewPoint(1, 200); v1, v2 := v0.MarshalText()`, "round-trip"},
	{`v0 := planted.NewRefused(7); v1, v2 := v0.MarshalBinary()`, "round-trip"},
	{`v0 := planted.NewLost(7); v1, v2 := v0.GobEncode()`, "round-trip"},
	{`v0 := planted.NewDirect(7); v1, v2 := v0.MarshalText()`, "round-trip"},
	{`v0 := planted.NewWord("ab"); v1, v2 := v0.MarshalText()`, "decode-copies"},
	{`v0 := planted.NewKeep(7); v1, v2 := v0.MarshalText()`, "decode-copies"},
	{`v0 := planted.NewGarbled(7); v1, v2 := v0.MarshalText()`, "valid-text"},
	{`v0 := planted.NewPair(1, -2); v1, v2 := v0.MarshalJSON()`, "valid-json"},
	{`v0 := planted.At(3); v1, v2 := v0.MarshalJSON()`, "json-value"},
	{`v0 := planted.NewCoin(3); v1, v2 := v0.MarshalJSON()`, "json-value"},
	{`v0 := planted.NewTag("x"); v1 := planted.Bytes(2); v2, v3 := v0.AppendText(v1)`, "appends"},
	{`v0, v1 := planted.ParseCode("-3")`, "parse-string"},
	{`v0, v1 := planted.ParseDrift("3")`, "parse-equal parse-string"},
}

var encodingCases = []lawCase{
	{"json-value", "good", "", jsonMethods(func(v *byValue) *int { return &v.n }), "NewT(3); MarshalJSON(v0)", true},
	{"json-value", "methods of the pointer only", "", jsonMethods(func(v *byPointer) *int { return &v.n }), "NewT(3); MarshalJSON(v0)", false},
	{"round-trip", "says that it is no proper value", "NewPot MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} },
		"(*T).IsValid() bool", func(a []any) any { return false }), "NewPot(); MarshalText(v0)", true},
	{"valid-text", "good", "NewPot MarshalText", nil, "NewPot(); MarshalText(v0)", true},
	{"valid-text", "not UTF-8", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func([]any) any { return many{[]byte("\xff"), nil} }), "NewPot(); MarshalText(v0)", false},
	{"valid-json", "good", "NewPot MarshalJSON", nil, "NewPot(); MarshalJSON(v0)", true},
	{"valid-json", "not JSON", "NewPot", ops("(*T).MarshalJSON() ([]byte, error)", func([]any) any { return many{[]byte("{a:1}"), nil} }), "NewPot(); MarshalJSON(v0)", false},
	{"round-trip", "good", "NewPot Grow MarshalText UnmarshalText", nil, "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"round-trip", "cannot read", "NewPot MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), "NewPot(); MarshalText(v0)", false},
	{"round-trip", "of text that is no UTF-8, which it hides", "MarshalText", ops("Named(string) *p.T", newPot, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `Named("\xff"); MarshalText(v0)`, true},
	{"round-trip", "of text, which it hides", "MarshalText", ops("Named(string) *p.T", newPot, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `Named("x"); MarshalText(v0)`, false},
	{"round-trip", "loses", "NewPot Grow MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); Grow(v0, 3); MarshalText(v0)", false},
	{"round-trip", "no data for no value", "NewPot Grow", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n == 3 {
			return many{[]byte{}, nil}
		}
		return many{[]byte("some"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"round-trip", "not equal", "NewPot Grow MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} },
		"(*T).Equal(*p.T) bool", func(a []any) any { return po(a).n == a[1].(*pot).n }), "NewPot(); Grow(v0, 3); MarshalText(v0)", false},
	{"round-trip", "of nil", "MarshalText", ops("None() *p.T", func([]any) any { return (*pot)(nil) },
		"(*T).MarshalText() ([]byte, error)", func([]any) any { return many{[]byte("null"), nil} },
		"(*T).UnmarshalText([]byte) error", func([]any) any { return many{errors.New("no")} }), "None(); MarshalText(v0)", true},
	{"round-trip", "in an order of chance", "NewPot Push", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n++; po(a).n%9 == 2 {
			return many{[]byte("ba"), nil}
		}
		return many{[]byte("ab"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).n = 1; return many{nil} }), "NewPot(); MarshalText(v0)", true},
	{"decode-copies", "in an order of chance", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n++; po(a).n%9 == 2 {
			return many{[]byte("ba"), nil}
		}
		return many{[]byte("ab"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); MarshalText(v0)", true},
	{"round-trip", "by chance", "NewPot UnmarshalText", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any { po(a).n++; return many{[]byte(strconv.Itoa(po(a).n)), nil} }), "NewPot(); MarshalText(v0)", true},
	{"decode-copies", "good", "NewPot Grow MarshalText UnmarshalText", nil, "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"decode-copies", "keeps the input", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any { return many{append([]byte("x"), bytes.TrimPrefix(po(a).text, []byte("x"))...), nil} },
		"(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).text = a[1].([]byte); return many{nil} }), "NewPot(); MarshalText(v0)", false},
	{"appends", "good", "NewPot Bytes MarshalText AppendText", nil, `NewPot(); Bytes("ab"); AppendText(v0, v1)`, true},
	{"appends", "overwrites", "NewPot Bytes MarshalText", ops("(*T).AppendText([]byte) ([]byte, error)", func(a []any) any { return many{append(a[1].([]byte)[:0], '0'), nil} }), `NewPot(); Bytes("ab"); AppendText(v0, v1)`, false},
	{"parse-string", "good", "ParseT String", nil, `ParseT(" 7")`, true},
	{"parse-string", "prints what it cannot parse", "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }), `ParseT("7")`, false},
	{"parse-string", "drifts", "ParseT", ops("(*T).String() string", func(a []any) any { return strconv.Itoa(po(a).n + 1) }), `ParseT("7")`, false},
	{"parse-string", "no pot", "ParseT String", nil, `ParseT("x")`, true},
	{"parse-string", "by any name", "", ops("Of(string) (*p.T, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{&pot{n: n}, err}
	}, "(*T).String() string", func(a []any) any { return "pot" }), `Of("7")`, false},
	{"parse-equal", "good", "ParseT String", nil, `ParseT(" 7")`, true},
	{"parse-equal", "rounded", "ParseT", ops("(*T).String() string", func(a []any) any { return strconv.Itoa(po(a).n / 2 * 2) }), `ParseT("7")`, false},
	{"parse-equal", "refused", "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }), `ParseT("7")`, true},
}

// A byPointer is encoded by methods of the pointer, a byValue by one of the value.
type (
	byPointer struct{ n int }
	byValue   struct{ n int }
)

func (v byValue) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(v.n)), nil }

// jsonMethods returns the methods of a pointer to T, which new makes.
func jsonMethods[T any](n func(*T) *int) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return new(T) },
		"NewT(int) *p.T", func(a []any) any {
			v := new(T)
			*n(v) = at(a, 0)
			return v
		},
		"(*T).MarshalJSON() ([]byte, error)", func(a []any) any { return many{[]byte(fmt.Sprint(*n(a[0].(*T)))), nil} },
		"(*T).UnmarshalJSON([]byte) error", func(a []any) any {
			_, err := fmt.Sscan(string(a[1].([]byte)), n(a[0].(*T)))
			return many{err}
		})
}

// Text is promised to be parsed again if one documentation names the other function.
func TestParsingPromised(t *testing.T) {
	for doc, want := range map[string]engine.Claim{
		"String parses t into a text for people.":                                engine.ClaimName,
		"String returns the text that ParseT reads.":                             engine.ClaimPromise,
		"String is for ParseTree.":                                               engine.ClaimName,
		"String returns a text, which ParseT need not read. It ends with a dot.": engine.ClaimName,
		"String returns the text that ParseT reads, if the pot is full.":         engine.ClaimName,
	} {
		b, f := lawTable(t, "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }))
		b.Table.Ops[b.Find("String")].Doc = doc
		b.Table.Ops[b.Find("ParseT")].Doc = "ParseT returns a T."
		v, _ := uphold(b, f, boxed(b, `ParseT("7")`), "parse-string")
		if v == nil || v.Claim != want {
			t.Errorf("%s: verdict %+v, want claim %v", doc, v, want)
		}
		denied := strings.Contains(doc, "ParseT need not read")
		for _, l := range Laws(&b.Table) {
			if l.Name == "parse-string" && l.Excepted != denied {
				t.Errorf("%s: denied for some values: %v", doc, l.Excepted)
			}
		}
	}
}

// A value that was made of an iterator's elements is none to decode into, as one made by a function is.
func TestRoundTripIntoEmpty(t *testing.T) {
	b, f := lawTable(t, "MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }, "From(func(func(int) bool)) *p.T", newPot))
	for _, s := range []seq.Shape{seq.Yield, seq.Constant} {
		b.Add(seq.FuncLit, s.String()+"() func(func(int) bool)", seqtest.Shaped(s))
		f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return func(func(int) bool) {} }
	}
	for steps, breaks := range map[string]bool{"yield(); From(v0); MarshalText(v1)": false, "constant(); From(v0); MarshalText(v1)": true} {
		if v, _ := uphold(b, f, boxed(b, steps), "round-trip"); (v != nil) != breaks {
			t.Errorf("%s: verdict %+v, want one: %t", steps, v, breaks)
		}
	}
}

// Text that is not UTF-8 need not survive, wherever the value keeps it.
func TestGivesBadText(t *testing.T) {
	for text, want := range map[string]bool{"": false, "é": false, "\xff": true, "a\xc3": true} {
		s := seq.Sequence{{Args: []seq.Arg{seq.Slot(0)}}, {Args: []seq.Arg{seq.Slot(0), seq.Lit(&seq.Literal{Value: text})}}}
		if got := givesBadText(s); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
